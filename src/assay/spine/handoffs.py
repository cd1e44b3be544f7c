"""Which packs watch a source, and what scout and router need to know of each of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.model.records import ScoutResult, Source
from assay.spine.payloads import PackJob
from assay.spine.scouting.profile import NEUTRAL, NO_PACK, Scouting


@dataclass(frozen=True)
class Handoff:
    """What a pack looks for, and where the documents that it accepts begin."""

    stage: str
    payload: type[PackJob]
    scouting: Scouting = NEUTRAL


Handoffs = Mapping[str, Handoff]
"""The installed packs that take documents, by name."""
NO_PACKS: Handoffs = {}


def packs_of(source: Source | None) -> tuple[str, ...]:
    """The packs that watch a source, whether they are installed or not."""
    return () if source is None else tuple(source.packs)


def list_judging_packs(source: Source | None) -> tuple[str, ...]:
    """For whom a document of a source is judged: its packs, or nobody in particular."""
    return packs_of(source) or (NO_PACK,)


def find_profiles(source: Source | None, packs: Handoffs) -> dict[str, Scouting]:
    """What each pack that watches a source looks for; one that is not installed, nothing."""
    return {name: _find_profile(name, packs) for name in list_judging_packs(source)}


def _find_profile(name: str, packs: Handoffs) -> Scouting:
    handoff = packs.get(name)
    return NEUTRAL if handoff is None else handoff.scouting


def group_results_by_pack(
    results: Iterable[ScoutResult], source: Source | None
) -> dict[str, ScoutResult]:
    """What scout found of one document, for each pack that watches its source.

    What could not be read, or was judged before a pack watched the source, has no judgement of
    the pack's own.
    """
    found = list(results)
    known = {result.pack: result for result in found}
    return {pack: known.get(pack, found[0]) for pack in list_judging_packs(source)}
