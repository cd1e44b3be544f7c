"""Finds documents and quotes by their words, and reads a bounded part of a text."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from assay.app.abbreviations import IdKind, expand_id
from assay.app.composition import App, RowPage
from assay.app.documents import list_versions
from assay.errors import InvalidInput, NotFound
from assay.store import tables as t
from assay.store import truth

_MOST_FACTS = 20
_FACT = (
    "fact_id", "pack", "concept", "value", "value_type", "unit", "quote", "context", "start", "end",
    "page", "article", "evidence_id", "doc_id", "source_slug",
)  # fmt: skip
_FACT_COLUMNS = tuple(truth.candidate_fact.c[name] for name in _FACT)


def find_quotes(
    app: App, words: Sequence[str], *, source: str | None = None, limit: int
) -> RowPage:
    """Facts whose quote or concept contains all the words, the latest evidence first."""
    fact, evidence = truth.candidate_fact, t.evidence
    query = (
        sa.select(*_FACT_COLUMNS, evidence.c.url, evidence.c.fetched_ms)
        .join(evidence, evidence.c.evidence_id == fact.c.evidence_id)
        .where(*(_contains((fact.c.quote, fact.c.concept), word) for word in words))
        .order_by(evidence.c.fetched_ms.desc(), fact.c.evidence_id, fact.c.start, fact.c.fact_id)
    )
    if source is not None:
        query = query.where(fact.c.source_slug == source)
    return app.fetch_page(query, limit)


def find_titles(
    app: App, words: Sequence[str], *, source: str | None = None, limit: int
) -> RowPage:
    """Documents whose title or address contains all the words, those fetched last first."""
    document, candidate, evidence = t.document, t.candidate, t.evidence
    query = (
        sa.select(
            document.c.doc_id,
            document.c.title,
            document.c.url,
            document.c.source_slug,
            candidate.c.evidence_id,
            evidence.c.fetched_ms,
        )
        .outerjoin(candidate, candidate.c.doc_id == document.c.doc_id)
        .outerjoin(evidence, evidence.c.evidence_id == candidate.c.evidence_id)
        .where(*(_contains((document.c.title, document.c.url), word) for word in words))
        .order_by(sa.func.coalesce(evidence.c.fetched_ms, 0).desc(), document.c.doc_id)
    )
    if source is not None:
        query = query.where(document.c.source_slug == source)
    return app.fetch_page(query, limit)


def read_excerpt(app: App, given: str, start: int, length: int) -> dict[str, Any]:
    """Part of the text of evidence, with the facts whose quotes are in that part."""
    evidence_id = expand_id(app, given, IdKind.EVIDENCE)
    rows = app.fetch_rows(sa.select(t.evidence).where(t.evidence.c.evidence_id == evidence_id))
    if not rows:
        raise NotFound(
            f"There is no evidence {given}.", advice="'assay documents list' lists the documents."
        )
    versions = list_versions(app, rows[0]["doc_id"])
    (version,) = (each for each in versions if each["evidence_id"] == evidence_id)
    if version["text_blob"] is None:
        raise NotFound(
            f"The text of evidence {evidence_id} has not been read.",
            advice="Use another version of the document, or its address.",
        )
    text = app.blobs.get(version["text_blob"]).decode("utf-8", "replace")
    if start and start >= len(text):
        raise InvalidInput(
            f"The text has {len(text)} characters; nothing begins at {start}.",
            advice="Use a smaller start.",
        )
    end = min(len(text), start + length)
    facts, left_out = _find_facts_within(app, version, start, end)
    return {
        "evidence_id": evidence_id,
        "doc_id": version["doc_id"],
        "url": version["url"],
        "fetched_ms": version["fetched_ms"],
        "version": version["number"],
        "is_newest_version": version["number"] == len(versions),
        "start": start,
        "end": end,
        "total_characters": len(text),
        "next_start": end if end < len(text) else None,
        "text": text[start:end],
        "facts": facts,
        "facts_left_out": left_out,
    }


def _find_facts_within(app: App, version: dict[str, Any], start: int, end: int) -> RowPage:
    """The facts whose places are in the text as it is read now."""
    fact = truth.candidate_fact
    query = (
        sa.select(*_FACT_COLUMNS)
        .where(
            fact.c.evidence_id == version["evidence_id"],
            fact.c.artifact_id == version["primary_text_artifact_id"],
            fact.c.start < end,
            fact.c.end > start,
        )
        .order_by(fact.c.start, fact.c.fact_id)
    )
    return app.fetch_page(query, _MOST_FACTS)


def _contains(columns: Sequence[sa.Column[str]], word: str) -> sa.ColumnElement[bool]:
    """Whether a column contains a word. SQLite ignores case only in ASCII, so that a word with
    other letters is also looked for in its usual spellings."""
    spellings = {word} if word.isascii() else {word, word.lower(), word.upper(), word.title()}
    return sa.or_(
        *(column.icontains(each, autoescape=True) for column in columns for each in spellings)
    )
