"""On what rules still rest: reading which documents say so to this day."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from assay.engine.reader import Reader
from assay.model.facts import CoverageReport
from assay.model.records import IngestCandidate, ScoutResult
from assay.model.rules import Rule, SourcePointer
from assay.ruling.rules.support import copies_among, current_by_pack, extracted_by_pack


class Known(NamedTuple):
    """What decides whether a pointer still holds; see `rules.support.current`."""

    newest: Mapping[str, str | None]
    extracted: Mapping[str, Collection[str]]
    """pack → the evidence from which it took facts."""
    copies: Collection[str]


async def known_of(pointers: Sequence[SourcePointer], read: Reader) -> Known:
    """What is known of the documents behind these pointers."""
    documents = {pointer.doc_id for pointer in pointers}
    # Not what a gate has read before: the newest evidence may be another by now.
    candidates = await read.where(IngestCandidate, "doc_id", documents)
    newest = {candidate.doc_id: candidate.evidence_id for candidate in candidates}
    reports = await read.where(CoverageReport, "evidence_id", filter(None, newest.values()))
    evidence = {pointer.evidence_id for pointer in pointers}
    judgements = await read.where(ScoutResult, "evidence_id", evidence)
    return Known(newest, extracted_by_pack(reports), copies_among(judgements))


async def holding(pointers: Sequence[SourcePointer], read: Reader) -> list[SourcePointer]:
    """The pointers whose documents say so to this day."""
    rules = await read.many(Rule, {pointer.rule_id for pointer in pointers})
    packs = {rule_id: rule.pack for rule_id, rule in rules.items()}
    return current_by_pack(pointers, packs, *await known_of(pointers, read))
