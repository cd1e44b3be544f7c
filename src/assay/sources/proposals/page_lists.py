"""Find the list on a page: the block that repeats, and the selectors that describe it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.sources.listing.markup import Node
from assay.sources.proposals.date_orders import find_date_order, has_date
from assay.sources.proposals.entry_rules import (
    count_dates,
    find_date_rule,
    find_link_rule,
    find_title_rule,
)
from assay.sources.proposals.outline import (
    LinkBlock,
    is_document,
    is_layout,
    is_name,
    list_blocks,
    sort_names,
)

_LEAST_ENTRIES = 2
_LOOKED_AT = 60
"""How many entries of a list are looked at to describe all of them."""
_LONGEST_TITLE = 100
_TELLING_TEXT = 60
_MOST_PAPERS = 8
"""How many addresses an entry may have on average."""
_DATED_FACTOR = 4.0
_MAIN_FACTOR = 2.0
_DATED_SHARE = 0.6
_DATED_TEXT = 300
_SHARE_ELSEWHERE = 0.3


@dataclass(frozen=True, slots=True)
class PageList:
    """The list on a page, described by selectors."""

    options: dict[str, object]
    entries: int
    dated: int
    has_ambiguous_dates: bool = False


def find_page_list(root: Node, base_url: str) -> PageList | None:
    """The list that the page most likely is about; None if nothing on it repeats."""
    blocks = list_blocks(root, base_url)
    found = max(_group_blocks(blocks), key=_score_group, default=None)
    if found is None or _score_group(found) <= 0:
        return None
    best = _widen_entries(found)
    options: dict[str, object] = {}
    within, item = _find_entry_rules(root, best)
    if within is not None:
        options["within"] = within
    options["item"] = item
    sample = best[:_LOOKED_AT]
    order = find_date_order(block.text[:_DATED_TEXT] for block in sample)
    date, dated = find_date_rule(sample, order.formats)
    if link := find_link_rule(sample):
        options["link"] = link
    if title := find_title_rule(sample, date):
        options["title"] = title
    if date is not None:
        options["date"] = date
        if order.formats and dated > count_dates(sample, date, ()):
            options["date_formats"] = list(order.formats)
    if hosts := _find_hosts(best, base_url):
        options["hosts"] = hosts
    return PageList(options, len(best), dated * len(best) // len(sample), order.is_ambiguous)


def _group_blocks(blocks: Iterable[LinkBlock]) -> Iterator[list[LinkBlock]]:
    """Elements that look alike and have parents that look alike, in the order of the page."""
    alike: dict[tuple[str, str, str], list[LinkBlock]] = {}
    for block in blocks:
        if block.parent is None:
            continue
        around, tag = block.parent.path, block.node.tag
        alike.setdefault((around, tag, "*"), []).append(block)
        if block.lasting_names:
            own = ".".join(sorted(block.lasting_names))
            alike.setdefault((around, tag, own), []).append(block)
    return (group for group in alike.values() if len(group) >= _LEAST_ENTRIES)


def _score_group(group: Sequence[LinkBlock]) -> float:
    """How much it looks like a list of documents: many entries, each with a title and a date."""
    sample = group[:_LOOKED_AT]
    worth = sum(_score_entry(block) for block in sample) * len(group) / len(sample)
    leads = len({block.urls[0] for block in sample}) / len(sample)
    dated = sum(_has_date(block) for block in sample) / len(sample)
    factor = _DATED_FACTOR if dated >= _DATED_SHARE else 1.0
    main = _MAIN_FACTOR if sum(block.in_main for block in sample) * 2 > len(sample) else 1.0
    return worth * leads * factor * main


def _widen_entries(group: Sequence[LinkBlock]) -> Sequence[LinkBlock]:
    """The largest elements that contain one entry each: the row around a heading, for example."""
    while True:
        parents = [block.parent for block in group if block.parent is not None]
        around = parents[0].parent if parents else None
        if (
            len({id(parent) for parent in parents}) < len(group)
            or len({parent.path for parent in parents}) > 1
            or around is None
            or sum(len(parent.urls) for parent in parents) > _MOST_PAPERS * len(group)
        ):
            return group
        group = parents


def _score_entry(block: LinkBlock) -> float:
    words = max(len(block.title), min(len(block.text), _TELLING_TEXT) // 2)
    long: float = min(words, _LONGEST_TITLE) ** 1.5
    # An entry leads to one document, or to a few papers of it; what leads to many is a list itself.
    return long / (1 + 0.2 * (len(block.urls) - 1))


def _has_date(block: LinkBlock) -> bool:
    # What comes later in a text belongs to what the entry is about.
    marked = block.node.find_first("time[datetime]") is not None
    return marked or has_date(block.text[:_DATED_TEXT])


def _find_entry_rules(root: Node, group: Sequence[LinkBlock]) -> tuple[str | None, str]:
    """The selectors of the region and of the entries that match these elements and no others."""
    wanted = {block.node for block in group}
    fallback: tuple[int, str | None, str] | None = None
    for within in _iter_regions(root, group):
        regions = [root] if within is None else root.find_all(within)
        for item in _iter_item_rules(group):
            found = {node for region in regions for node in region.find_all(item)}
            if not wanted <= found:
                continue
            extra = sum(1 for node in found - wanted if node.find_first("a[href]"))
            if not extra:
                return within, item
            if fallback is None or extra < fallback[0]:
                fallback = (extra, within, item)
    if fallback is not None:
        return fallback[1:]
    return None, group[0].node.tag


def _iter_regions(root: Node, group: Sequence[LinkBlock]) -> Iterator[str | None]:
    """Selectors of the one element around all entries, from the plainest; at last the page."""
    common = _list_ancestors(group[0])
    for block in group[1:]:
        own = set(_list_ancestors(block))
        common = [each for each in common if each in own]
    rules: list[str] = []
    for block in common:
        node = block.node
        if node.tag == "main" or node.get("role") == "main":
            rules.append("main" if node.tag == "main" else "[role=main]")
        if (identity := node.get("id")) and is_name(identity) and not re.search(r"\d{4}", identity):
            rules.append(f"#{identity}")
        rules += [f"{node.tag}.{name}" for name in sort_names(block.lasting_names)[:2]]
    for rule in [rule for rule in rules if rule in ("main", "[role=main]")] + rules[:8]:
        if len(root.find_all(rule)) == 1:
            yield rule
    yield None


def _list_ancestors(block: LinkBlock) -> list[LinkBlock]:
    """The elements around a block, the nearest first."""
    found: list[LinkBlock] = []
    around = block.parent
    while around is not None and around.node.tag not in ("html", "body"):
        found.append(around)
        around = around.parent
    return found


def _iter_item_rules(group: Sequence[LinkBlock]) -> Iterator[str]:
    """Selectors that may match the entries, from the plainest to the most particular."""
    tag = group[0].node.tag
    own = sort_names(_share_names(group))
    parents = list({id(block.parent): block.parent for block in group if block.parent}.values())
    parent_tag = parents[0].node.tag
    around = [f"{parent_tag}.{name}" for name in sort_names(_share_names(parents))]
    around += [f"#{name}" for parent in parents if len(parents) == 1
               and (name := parent.node.get("id")) and is_name(name)]  # fmt: skip
    names = Counter(name for block in group for name in sort_names(block.node.words))
    yield from (f"{tag}.{name}" for name in own if not is_layout(name))
    yield tag
    yield from (f"{outer} > {tag}" for outer in around)
    yield f"{parent_tag} > {tag}"
    yield from (f"{tag}.{name}" for name in own)
    yield from (f"{outer} > {tag}.{name}" for outer in around for name in own)
    several = [name for name, _ in names.most_common(3)]
    if len(several) > 1:
        yield ", ".join(f"{tag}.{name}" for name in several[:2])
        yield ", ".join(f"{tag}.{name}" for name in several)
    if parents[0].parent is not None:
        outer = parents[0].parent
        for name in sort_names(outer.lasting_names):
            yield f"{outer.node.tag}.{name} > {parent_tag} > {tag}"


def _share_names(blocks: Sequence[LinkBlock]) -> list[str]:
    shared = list(blocks[0].lasting_names)
    for block in blocks[1:]:
        shared = [name for name in shared if name in block.node.words]
    return shared


def _find_hosts(group: Sequence[LinkBlock], base_url: str) -> list[str]:
    """The other hosts that many entries lead to, or have their papers on."""
    counted: Counter[str] = Counter()
    for block in group:
        led = [block.urls[0], *(url for url in block.urls if is_document(url))]
        counted.update(list(dict.fromkeys(_get_host(url) for url in led)))
    own = _get_host(base_url)
    many = [host for host, count in counted.items() if count >= _SHARE_ELSEWHERE * len(group)]
    return [host for host in many if host != own][:5]


def _get_host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")
