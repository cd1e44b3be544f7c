"""Which packs watch a source, and what scout and router need to know about each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.model.records import DiscoveredItem, Evidence, ScoutResult, Source
from assay.spine.payloads import PackJob
from assay.spine.scouting.profile import NEUTRAL, NO_PACK, Scouting

if TYPE_CHECKING:
    from assay.sources.portals import Portal


@dataclass(frozen=True)
class Handoff:
    """What a pack looks for, and the stage where the documents that it accepts start."""

    stage: str
    payload: type[PackJob]
    scouting: Scouting = NEUTRAL


Handoffs = Mapping[str, Handoff]
"""The installed packs that accept documents, by name."""
NO_PACKS: Handoffs = {}


async def read_watchers(evidence: Iterable[Evidence], read: Reader) -> dict[str, Source]:
    """For each piece of evidence its source, with the packs of all that list its address.

    The same page may be listed by several sources; it is stored once, and belongs to one of them.
    """
    known = list(evidence)
    items = await read.find_where(DiscoveredItem, "doc_id", {entry.doc_id for entry in known})
    listed = group_pairs((item.url, item.source_slug) for item in items)
    slugs = {entry.source_slug for entry in known} | {item.source_slug for item in items}
    sources = await read.get_many(Source, slugs)
    return {
        entry.evidence_id: _add_packs(
            sources[entry.source_slug],
            [sources[slug] for slug in sorted(set(listed.get(entry.url, ()))) if slug in sources],
        )
        for entry in known
        if entry.source_slug in sources
    }


def _add_packs(source: Source, others: Iterable[Source]) -> Source:
    packs = [pack for other in others if other.active for pack in other.packs]
    return source.model_copy(update={"packs": [*dict.fromkeys([*source.packs, *packs])]})


def packs_of(source: Source | None) -> tuple[str, ...]:
    """The packs that watch a source, whether they are installed or not."""
    return () if source is None else tuple(source.packs)


def list_judging_packs(source: Source | None) -> tuple[str, ...]:
    """The packs for which a source's documents are judged; `NO_PACK` if none watches it."""
    return packs_of(source) or (NO_PACK,)


def find_profiles(source: Source | None, packs: Handoffs) -> dict[str, Scouting]:
    """What each pack that watches a source looks for; nothing, for one that is not installed."""
    return {name: _find_profile(name, packs) for name in list_judging_packs(source)}


def _find_profile(name: str, packs: Handoffs) -> Scouting:
    handoff = packs.get(name)
    return NEUTRAL if handoff is None else handoff.scouting


def group_results_by_pack(
    results: Iterable[ScoutResult], source: Source | None
) -> dict[str, ScoutResult]:
    """Scout's result for one document, for each pack that watches its source.

    A pack has no result of its own for a document that could not be read, or that was judged
    before the pack watched the source; it then gets the first of the others.
    """
    found = list(results)
    known = {result.pack: result for result in found}
    return {pack: known.get(pack, found[0]) for pack in list_judging_packs(source)}


def list_receivers(portals: Mapping[str, "Portal"]) -> frozenset[str]:
    """The stages of packs that receive what portals list, and how checks of them went."""
    named = {name for portal in portals.values() for name in (portal.entries, portal.report)}
    return frozenset(name for name in named if name is not None)
