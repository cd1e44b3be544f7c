"""Checks everything that rules quote against the stored texts, before it is published."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.errors import CorruptBlob
from assay.model.records import Artifact, Evidence
from assay.model.rules import Rule, SourcePointer
from assay.ruling.release.gates import (
    GateFault,
    find_amended_faults,
    find_quote_faults,
    is_complete,
    make_bytes_fault,
)
from assay.ruling.release.rule_standing import RuleStanding


class _Citation(NamedTuple):
    """Words that a rule quotes from a text, and the check that they must pass."""

    rule: Rule
    pointer: SourcePointer
    evidence: Evidence
    artifact: Artifact
    find_faults: Callable[[Rule, SourcePointer, str], Iterable[GateFault]]


def _list_citations(standing: RuleStanding) -> Iterator[_Citation]:
    for ground in standing.grounds:
        if not is_complete(ground):
            continue
        assert ground.evidence is not None and ground.artifact is not None
        own = standing.rule, ground.pointer
        yield _Citation(*own, ground.evidence, ground.artifact, find_quote_faults)
        if ground.amended is not None:
            yield _Citation(*own, *ground.amended, find_amended_faults)


async def find_text_faults(standings: Iterable[RuleStanding], read: Reader) -> list[GateFault]:
    """Check every quote against the stored text, every value against its quote, and all bytes
    against their hash; text by text, so that only one is in memory at a time."""
    by_text = group_pairs(
        ((cited.evidence.content_hash, cited.artifact.content_hash), cited)
        for standing in standings
        for cited in _list_citations(standing)
    )
    faults: list[GateFault] = []
    for (evidence_hash, text_hash), citations in sorted(by_text.items()):
        try:
            await read.blob(evidence_hash)
            text = (await read.blob(text_hash)).decode("utf-8", "replace")
        except CorruptBlob as error:
            faults += [
                make_bytes_fault(cited.rule, cited.evidence, error.what) for cited in citations
            ]
            continue
        faults += await asyncio.to_thread(_check_quotes, text, citations)
    return faults


def _check_quotes(text: str, citations: Sequence[_Citation]) -> list[GateFault]:
    return [
        fault for cited in citations for fault in cited.find_faults(cited.rule, cited.pointer, text)
    ]
