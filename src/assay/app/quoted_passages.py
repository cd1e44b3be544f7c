"""Quotes in their context: the paragraph around the words, and the headings above them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from assay.app.composition import App
from assay.model.facts import CandidateFact
from assay.model.records import Artifact, Evidence, Source
from assay.model.rules import SourcePointer
from assay.reading.sentences import split_paragraphs
from assay.ruling.review.lookup import read_rows
from assay.ruling.rules.authority import LOWEST, authority_of

_AROUND: Final = 1_200
"""Characters of text that are looked at on either side of a quote."""
_ENOUGH: Final = 240
"""A paragraph with fewer characters around the quote is shown with its neighbours."""


def describe_passages(
    app: App,
    connection: sa.Connection,
    pointers: Sequence[SourcePointer],
    sources: Mapping[str, Source],
) -> list[dict[str, Any]]:
    """The words that pointers lead to, each with its paragraph, headings, source and authority."""
    artifacts = {
        artifact.artifact_id: artifact
        for artifact in read_rows(
            connection, Artifact, "artifact_id", {pointer.artifact_id for pointer in pointers}
        )
    }
    evidence = {
        version.evidence_id: version
        for version in read_rows(
            connection, Evidence, "evidence_id", {pointer.evidence_id for pointer in pointers}
        )
    }
    facts = {
        fact.fact_id: fact
        for fact in read_rows(
            connection, CandidateFact, "fact_id", {pointer.fact_id for pointer in pointers}
        )
    }
    texts = {key: _read_text(app, artifact) for key, artifact in artifacts.items()}
    return [
        _describe_passage(
            pointer,
            texts.get(pointer.artifact_id, ""),
            sources.get(pointer.source_slug),
            evidence.get(pointer.evidence_id),
            facts.get(pointer.fact_id),
        )
        for pointer in pointers
    ]


def _describe_passage(
    pointer: SourcePointer,
    text: str,
    source: Source | None,
    evidence: Evidence | None,
    fact: CandidateFact | None,
) -> dict[str, Any]:
    before, after = find_paragraph(text, pointer)
    return {
        "source_slug": pointer.source_slug,
        "source": pointer.source_slug if source is None else source.name,
        "authority": authority_of(LOWEST if source is None else source.hierarchy).name,
        "evidence_id": pointer.evidence_id,
        "doc_id": pointer.doc_id,
        "url": None if evidence is None else evidence.url,
        "fetched_ms": None if evidence is None else evidence.fetched_ms,
        "article": pointer.article,
        "page": pointer.page,
        "confidence": pointer.confidence,
        "start": pointer.start,
        "end": pointer.end,
        "headings": [] if fact is None else [line for line in fact.context.split("\n") if line],
        "before": before,
        "quote": pointer.quote,
        "after": after,
    }


def _read_text(app: App, artifact: Artifact) -> str:
    if artifact.content_hash not in app.blobs:
        return ""
    return app.blobs.get(artifact.content_hash).decode("utf-8", "replace")


def find_paragraph(text: str, pointer: SourcePointer) -> tuple[str, str]:
    """What its paragraph says before and after the quote; nothing if the text is not as stored."""
    start, end = pointer.start, pointer.end
    if text[start:end] != pointer.quote:
        # The quote is shown as stored; 'assay release verify' reports what is wrong.
        return "", ""
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    paragraphs = list(split_paragraphs(text, first, last))
    touched = [n for n, (a, b) in enumerate(paragraphs) if a < end and b > start]
    if not touched:
        return text[first:start], text[end:last]
    lowest, highest = touched[0], touched[-1]
    if start - paragraphs[lowest][0] + paragraphs[highest][1] - end < _ENOUGH:
        lowest, highest = max(0, lowest - 1), min(len(paragraphs) - 1, highest + 1)
    begins, ends = min(paragraphs[lowest][0], start), max(paragraphs[highest][1], end)
    opening = "… " if begins == first > 0 else ""
    rest = " …" if ends == last < len(text) else ""
    return opening + text[begins:start], text[end:ends] + rest
