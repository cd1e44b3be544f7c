"""On what rules still rest: reading which documents say so to this day."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from assay.engine.reader import Reader
from assay.model.facts import CoverageReport
from assay.model.records import IngestCandidate, ScoutResult
from assay.model.rules import SourcePointer
from assay.ruling.rules.support import copies_among, current


class Known(NamedTuple):
    """What decides whether a pointer still holds; see `rules.support.current`."""

    newest: Mapping[str, str | None]
    extracted: Collection[str]
    copies: Collection[str]


async def known_of(pointers: Sequence[SourcePointer], read: Reader) -> Known:
    """What is known of the documents behind these pointers."""
    documents = {pointer.doc_id for pointer in pointers}
    # Not what a gate has read before: the newest evidence may be another by now.
    candidates = await read.where(IngestCandidate, "doc_id", documents)
    newest = {candidate.doc_id: candidate.evidence_id for candidate in candidates}
    reports = await read.many(CoverageReport, {key for key in newest.values() if key is not None})
    judgements = await read.many(ScoutResult, {pointer.evidence_id for pointer in pointers})
    return Known(newest, reports.keys(), copies_among(judgements.values()))


async def holding(pointers: Sequence[SourcePointer], read: Reader) -> list[SourcePointer]:
    """The pointers whose documents say so to this day."""
    return current(pointers, *await known_of(pointers, read))
