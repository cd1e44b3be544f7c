"""One stored version of a document as a person looks at it: its text, and everything that quotes
it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.document_viewer import DocumentViewer
from assay.app.documents import list_versions
from assay.app.text_parts import (
    KeyedSpan,
    MarkedPiece,
    TextHeading,
    TextPart,
    cut_parts,
    find_part,
    list_headings,
    mark_pieces,
    select_part,
)
from assay.errors import AssayError, NotFound
from assay.ruling.rules.descriptions import describe_value
from assay.sources.responses import charset_of
from assay.store import tables as t
from assay.store import truth

_MOST_QUOTES = 400
"""Shown beside one part of a text."""
PDF_CLASSES = ("PDF_TEXT", "PDF_SCANNED")


class QuoteKind(StrEnum):
    """What quotes a text."""

    FACT = "fact"
    RULE = "rule"
    END = "end"
    """The words say that a fact from another document no longer holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedQuote:
    """Words of a document that a fact or a rule rests on."""

    key: str
    """The id of the fact, the pointer or the ended fact."""
    kind: QuoteKind
    quote: str
    start: int
    end: int
    page: int | None = None
    article: str = ""
    about: str = ""
    """The concept."""
    value: str = ""
    rules: tuple[tuple[str, str], ...] = ()
    """The rules that rest on it, each with its status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView:
    """What the page of one version shows."""

    evidence: dict[str, Any]
    """Its row, with its number, and the row of its document."""
    versions: int
    artifact_id: str | None
    text: str
    problem: str
    """Why there is no text; empty if there is one."""
    part: TextPart
    pieces: list[MarkedPiece]
    headings: list[TextHeading]
    quotes: list[CitedQuote]
    more_quotes: bool
    other_readings: dict[str, int]
    """Earlier readings of the same bytes, each with the number of facts found in it."""
    asked: tuple[int, int] | None


def view_evidence(
    app: App,
    viewer: DocumentViewer,
    evidence_id: str,
    *,
    asked: tuple[int, int] | None = None,
    part: int | None = None,
    artifact_id: str | None = None,
) -> EvidenceView:
    """One version, at the part that was asked for or the one with the quote."""
    evidence, versions = load_evidence(app, evidence_id)
    readings = _count_readings(app, evidence)
    chosen = artifact_id or _choose_reading(app, evidence, asked)
    text, problem = _read_text(app, viewer, evidence, chosen)
    starts = cut_parts(text)
    where = (
        find_part(text, starts, asked[0])
        if asked is not None and part is None
        else select_part(text, starts, part or 1)
    )
    quotes = list_quotes(app, evidence, chosen, text, where.start, where.end)
    headings = list_headings(text, starts)
    spans = [KeyedSpan(quote.key, quote.start, quote.end) for quote in quotes[:_MOST_QUOTES]]
    return EvidenceView(
        evidence=evidence,
        versions=versions,
        artifact_id=chosen,
        text=text,
        problem=problem,
        part=where,
        pieces=mark_pieces(text, where, spans, asked, headings),
        headings=headings,
        quotes=quotes[:_MOST_QUOTES],
        more_quotes=len(quotes) > _MOST_QUOTES,
        other_readings={name: count for name, count in readings.items() if name != chosen},
        asked=asked,
    )


def load_evidence(app: App, evidence_id: str) -> tuple[dict[str, Any], int]:
    """A version with its number and its document's title, and how many versions there are."""
    evidence, document, source = t.evidence, t.document, t.source
    query = (
        sa.select(evidence.c.doc_id, document.c.title, source.c.name.label("source_name"))
        .outerjoin(document, document.c.doc_id == evidence.c.doc_id)
        .outerjoin(source, source.c.source_slug == evidence.c.source_slug)
        .where(evidence.c.evidence_id == evidence_id)
    )
    if not (rows := app.fetch_rows(query)):
        raise NotFound(
            f"There is no evidence {evidence_id}.", advice="Look for its document in the list."
        )
    versions = list_versions(app, rows[0]["doc_id"])
    (version,) = (entry for entry in versions if entry["evidence_id"] == evidence_id)
    return {**rows[0], **version}, len(versions)


def list_quotes(
    app: App,
    evidence: Mapping[str, Any],
    artifact_id: str | None,
    text: str,
    start: int,
    end: int,
) -> list[CitedQuote]:
    """What quotes a text between two places, in its order; one more than are shown if there are
    more."""
    pointers = _load_pointers(app, evidence, artifact_id, start, end)
    rules: dict[str, list[tuple[str, str]]] = {}
    for row in pointers:
        rules.setdefault(row["fact_id"], []).append((row["rule_id"], row["status"]))
    facts = _load_facts(app, evidence, artifact_id, start, end)
    known = {row["fact_id"] for row in facts}
    found = [
        _describe_quote(row, row["fact_id"], QuoteKind.FACT, tuple(rules.get(row["fact_id"], ())))
        for row in facts
    ]
    found += [
        _describe_quote(row, row["pointer_id"], QuoteKind.RULE, ((row["rule_id"], row["status"]),))
        for row in pointers
        if row["fact_id"] not in known
    ]
    found += [
        _describe_quote(row, row["fact_id"], QuoteKind.END)
        for row in _load_ends(app, evidence, start, end)
        # Endings do not name the reading that they were found in.
        if row["fact_id"] not in known and text[row["start"] : row["end"]] == row["quote"]
    ]
    return sorted(found, key=lambda quote: (quote.start, quote.end, quote.key))


def _describe_quote(
    row: Mapping[str, Any], key: str, kind: QuoteKind, rules: tuple[tuple[str, str], ...] = ()
) -> CitedQuote:
    return CitedQuote(
        key=key,
        kind=kind,
        quote=row["quote"],
        start=row["start"],
        end=row["end"],
        page=row.get("page"),
        article=row.get("article") or "",
        about=row["concept"],
        value=describe_value(row["value"], row["value_type"], row["unit"]),
        rules=rules,
    )


def _load_facts(
    app: App, evidence: Mapping[str, Any], artifact_id: str | None, start: int, end: int
) -> list[dict[str, Any]]:
    fact = truth.candidate_fact
    query = sa.select(fact).where(
        fact.c.evidence_id == evidence["evidence_id"],
        fact.c.artifact_id == artifact_id,
        fact.c.start < end,
        fact.c.end > start,
    )
    return app.fetch_rows(query.order_by(fact.c.start, fact.c.fact_id).limit(_MOST_QUOTES + 1))


def _load_pointers(
    app: App, evidence: Mapping[str, Any], artifact_id: str | None, start: int, end: int
) -> list[dict[str, Any]]:
    pointer, rule = truth.source_pointer, truth.rule
    names = ("concept", "value", "value_type", "unit", "status")
    query = (
        sa.select(pointer, *(rule.c[name] for name in names))
        .join(rule, rule.c.rule_id == pointer.c.rule_id)
        .where(
            # Its index is by document.
            pointer.c.doc_id == evidence["doc_id"],
            pointer.c.evidence_id == evidence["evidence_id"],
            pointer.c.artifact_id == artifact_id,
            pointer.c.start < end,
            pointer.c.end > start,
        )
    )
    return app.fetch_rows(query.order_by(pointer.c.start).limit(_MOST_QUOTES + 1))


def _load_ends(app: App, evidence: Mapping[str, Any], start: int, end: int) -> list[dict[str, Any]]:
    ended, fact = truth.fact_end, truth.candidate_fact
    names = ("concept", "value", "value_type", "unit")
    query = (
        sa.select(ended, *(fact.c[name] for name in names))
        .join(fact, fact.c.fact_id == ended.c.fact_id)
        .where(
            ended.c.by_evidence_id == evidence["evidence_id"],
            ended.c.holds,
            ended.c.start < end,
            ended.c.end > start,
        )
    )
    return app.fetch_rows(query.order_by(ended.c.start).limit(_MOST_QUOTES + 1))


def _count_readings(app: App, evidence: Mapping[str, Any]) -> Counter[str]:
    """The readings of this version that facts were found in, with the number of facts."""
    fact = truth.candidate_fact
    query = (
        sa.select(fact.c.artifact_id, sa.func.count().label("facts"))
        .where(fact.c.evidence_id == evidence["evidence_id"])
        .group_by(fact.c.artifact_id)
    )
    return Counter({row["artifact_id"]: row["facts"] for row in app.fetch_rows(query)})


def _choose_reading(
    app: App, evidence: Mapping[str, Any], asked: tuple[int, int] | None
) -> str | None:
    """The reading that the quote was found in: offsets mean something else in another one."""
    current: str | None = evidence["primary_text_artifact_id"]
    if asked is None:
        return current
    fact = truth.candidate_fact
    query = sa.select(fact.c.artifact_id).where(
        fact.c.evidence_id == evidence["evidence_id"],
        fact.c.start == asked[0],
        fact.c.end == asked[1],
    )
    found = [row["artifact_id"] for row in app.fetch_rows(query)]
    return current if current in found or not found else str(found[-1])


def _read_text(
    app: App, viewer: DocumentViewer, evidence: Mapping[str, Any], artifact_id: str | None
) -> tuple[str, str]:
    """The text of a reading, or why there is none."""
    if artifact_id is not None:
        return _load_artifact_text(app, evidence["evidence_id"], artifact_id), ""
    try:
        return read_unkept_text(app, viewer, evidence), ""
    except AssayError as error:
        return "", f"{error.what} {error.advice}".strip()


def read_unkept_text(app: App, viewer: DocumentViewer, evidence: Mapping[str, Any]) -> str:
    """The text of a version that was not worth keeping when it was fetched."""
    hash_of_content = evidence["content_hash"]
    charset = charset_of(evidence["content_type"])
    return viewer.read_text(app.blobs.path(hash_of_content), hash_of_content, charset)


def _load_artifact_text(app: App, evidence_id: str, artifact_id: str) -> str:
    rows = load_artifacts(app, evidence_id, artifact_id)
    if not rows:
        raise NotFound(
            f"Evidence {evidence_id} has no reading {artifact_id}.",
            advice="Open the evidence without naming a reading.",
        )
    return app.blobs.get(rows[0]["content_hash"]).decode("utf-8", "replace")


def load_artifacts(
    app: App, evidence_id: str, artifact_id: str | None = None
) -> Sequence[dict[str, Any]]:
    """What was derived from a version: one reading, or everything."""
    artifact = t.artifact
    query = sa.select(artifact).where(artifact.c.evidence_id == evidence_id)
    if artifact_id is not None:
        query = query.where(artifact.c.artifact_id == artifact_id)
    return app.fetch_rows(query.order_by(artifact.c.created_ms, artifact.c.artifact_id))
