"""Which ids are one work, decided from everything that lists, services and people have said.

The result depends only on what was said, never on the order in which it was said.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.packs.literature.records import IdentityDecision, IdLink
from assay.sdk.records import derive_id

_ORDER = ("arxiv", "doi", "pmid", "isbn", "openalex", "url", "title")
DOCUMENT_SCHEMES = ("arxiv", "doi", "url", "title")
"""The ids that are documents; the others only lead to one."""


@dataclass(frozen=True)
class SameWork:
    """Ids that are one work."""

    doc_id: str
    ids: tuple[str, ...]
    disputed: tuple[str, ...] = ()
    """Those that could as well belong to another work."""


@dataclass
class IdNetwork:
    """Who is linked with whom, and what people decided about it."""

    links: dict[str, IdLink] = field(default_factory=dict)
    decisions: dict[str, IdentityDecision] = field(default_factory=dict)

    def build_neighbours(self) -> "Neighbours":
        """The ids that each id is linked with, after people's decisions."""
        near: dict[str, set[str]] = defaultdict(set)
        same: dict[str, set[str]] = defaultdict(set)
        pairs = [
            (near, link.first, link.second)
            for key, link in self.links.items()
            if key not in self.decisions
        ]
        for each in self.decisions.values():
            if each.is_same:
                pairs += [(near, each.first, each.second), (same, each.first, each.second)]
        for table, first, second in pairs:
            table[first].add(second)
            table[second].add(first)
        return Neighbours(near, same)


@dataclass(frozen=True)
class Neighbours:
    """The ids that are linked with each id."""

    near: Mapping[str, set[str]]
    same: Mapping[str, set[str]]
    """Those that a person declared the same."""


def make_link_id(first: str, second: str) -> str:
    """The id of a link; which of the two comes first does not matter."""
    return derive_id("link", *sorted((first, second)))


def list_links(ids: Iterable[str], *, stated_by: str) -> list[IdLink]:
    """Links that make ids one work: each is linked with the one that names the work.

    An entry with two ids of a kind may be about two works, so nothing follows from it.
    """
    ordered = sorted(set(ids), key=rank_id)
    if len({each.partition(":")[0] for each in ordered}) < len(ordered) or len(ordered) < 2:
        return []
    first, *others = ordered
    return [make_link(first, other, stated_by) for other in others]


def make_link(one: str, other: str, stated_by: str) -> IdLink:
    """Someone's statement that two ids are one work."""
    first, second = sorted((one, other))
    return IdLink(
        link_id=make_link_id(first, second), first=first, second=second, stated_by=stated_by
    )


def rank_id(value: str) -> tuple[int, str]:
    """The order in which ids name a work: arXiv first, then DOI."""
    return _ORDER.index(value.partition(":")[0]), value


def is_document_id(value: str) -> bool:
    """Whether an id is that of a document."""
    return value.partition(":")[0] in DOCUMENT_SCHEMES


def group_ids(ids: Iterable[str], network: IdNetwork) -> list[SameWork]:
    """The works that these ids, and all that they are linked with, stand for.

    Two arXiv papers are never one work unless a person says so. An id that is linked with both is
    disputed: it is listed with the first, and a person is asked.
    """
    neighbours = network.build_neighbours()
    works = []
    left = set(ids)
    while left:
        together = _collect({left.pop()}, neighbours.near)
        left -= together
        works += _divide(together, neighbours)
    return sorted(works, key=lambda work: rank_id(work.doc_id))


def _collect(start: set[str], near: Mapping[str, set[str]]) -> set[str]:
    found, frontier = set(start), set(start)
    while frontier:
        frontier = {other for each in frontier for other in near.get(each, ())} - found
        found |= frontier
    return found


def _divide(together: set[str], neighbours: Neighbours) -> list[SameWork]:
    papers = sorted(each for each in together if each.startswith("arxiv:"))
    if len(papers) <= 1:
        return [_build_work(together)]
    owners = {paper: _find_owner(paper, neighbours.same) for paper in papers}
    members: dict[str, set[str]] = defaultdict(set)
    disputed: dict[str, set[str]] = defaultdict(set)
    for each in sorted(together):
        reached = {owners[each]} if each in owners else _find_nearest(each, owners, neighbours.near)
        first = min(reached, key=rank_id)
        members[first].add(each)
        if len(reached) > 1:
            disputed[first].add(each)
    return [_build_work(found, disputed[first]) for first, found in sorted(members.items())]


def _find_owner(paper: str, same: Mapping[str, set[str]]) -> str:
    return min(each for each in _collect({paper}, same) if each.startswith("arxiv:"))


def _find_nearest(start: str, owners: Mapping[str, str], near: Mapping[str, set[str]]) -> set[str]:
    """The works of the arXiv papers that are the fewest links away."""
    found, frontier = {start}, {start}
    while frontier:
        frontier = {other for each in frontier for other in near.get(each, ())} - found
        found |= frontier
        if reached := {owners[each] for each in frontier if each in owners}:
            return reached
    return set(owners.values())


def _build_work(ids: set[str], disputed: Iterable[str] = ()) -> SameWork:
    ordered = sorted(ids, key=rank_id)
    return SameWork(ordered[0], tuple(ordered), tuple(sorted(disputed)))


def find_address(doc_id: str, urls: Sequence[str]) -> str:
    """Where a person finds the document."""
    scheme, _, name = doc_id.partition(":")
    if scheme == "arxiv":
        return f"https://arxiv.org/abs/{name}"
    if scheme == "doi":
        return f"https://doi.org/{name}"
    return urls[0] if urls else doc_id
