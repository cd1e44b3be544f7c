"""Quotes in their context: the paragraph around the words, and the headings above them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from assay.app.composition import App
from assay.model.facts import CandidateFact
from assay.model.records import Artifact, Evidence, Source
from assay.model.rules import SourcePointer
from assay.ruling.review.lookup import read_rows
from assay.ruling.rules.authority import LOWEST, authority_of

_MOST_AROUND: Final = 1_200
"""Characters of text that are looked at on either side of a quote."""
_ENOUGH: Final = 300
"""Characters on either side of a quote after which no further line is shown."""
_MOST_LINES: Final = 4


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
    """What stands around the quote: its own lines, and some before and after them.

    Nothing if the text is not as stored.
    """
    start, end = pointer.start, pointer.end
    if text[start:end] != pointer.quote:
        # The quote is shown as stored; 'assay release verify' reports what is wrong.
        return "", ""
    first, last = max(0, start - _MOST_AROUND), min(len(text), end + _MOST_AROUND)
    before = text[first:start].split("\n")
    after = text[end:last].split("\n")
    opening = "\n".join(_take_lines(before[::-1])[::-1])
    rest = "\n".join(_take_lines(after))
    is_cut = first > 0 and len(opening) == start - first
    return f"{'… ' if is_cut else ''}{opening}", f"{rest}{' …' if end + len(rest) < last else ''}"


def _take_lines(lines: Sequence[str]) -> list[str]:
    """The line of the quote, and others as long as they are few and short."""
    taken, length = [lines[0]], len(lines[0])
    for line in lines[1 : _MOST_LINES + 1]:
        length += len(line)
        if length > _ENOUGH:
            break
        taken.append(line)
    while len(taken) > 1 and not taken[-1].strip():
        taken.pop()
    return taken
