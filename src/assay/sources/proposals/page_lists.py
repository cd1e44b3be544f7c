"""Find the list on a page: the block that repeats, and the selectors that describe it."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.sources.listing.dates import parse_date
from assay.sources.listing.markup import Node, select_nodes, select_text
from assay.sources.proposals.outline import (
    LinkBlock,
    is_document,
    is_for_diary,
    is_name,
    list_blocks,
)

_LEAST_ENTRIES = 2
_LOOKED_AT = 60
"""How many entries of a list are looked at to describe all of them."""
_LONGEST_TITLE = 100
_LONGEST_DATE = 60
_TELLING_TEXT = 60
_MOST_RULES = 30
_MOST_PAPERS = 8
"""How many addresses an entry may have on average."""
_DATED_FACTOR = 4.0
_MAIN_FACTOR = 2.0
_DATED_SHARE = 0.6
_MANY = 0.5
_SHARE_ELSEWHERE = 0.3
_NUMERIC = re.compile(
    r"(?<!\d)(?P<first>\d{1,2})(?P<sign>[./-])(?P<gap>\s?)(?P<second>\d{1,2})(?P=sign)\s?"
    r"(?P<year>\d{4}|\d{2})(?!\d)"
)
_LAYOUT = re.compile(
    r"^(?:col|row|clearfix|[dmp]|[mp][tblrxy]|text|flex|grid|container|js|is)(?:$|-)"
)
_LEAST_LETTERS = 6
_DATE_WORDS = re.compile(
    r"[^\W\d_]{3,9}\.?\s+\d{1,2},?\s+\d{4}|\d{1,2}\.?\s+[^\W\d_]{3,9}\.?\s+\d{4}"
    r"|\d{1,2}:\d{2}(?:\s*[ap]\.?m\b\.?)?", re.IGNORECASE)  # fmt: skip
_TITLE_NAME = re.compile(r"^h[1-6]|title|name|subject|heading", re.IGNORECASE)
_PLACE_NAME = re.compile(r"venue|location|place|address|where", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(frozen=True, slots=True)
class DateOrder:
    """How the numeric dates of a list are written, if that can be told."""

    formats: tuple[str, ...] = ()
    is_ambiguous: bool = False


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
    texts = _collect_date_texts(sample)
    order = find_date_order(texts)
    date, dated = _find_date_rule(sample, order.formats)
    if link := _find_link_rule(sample):
        options["link"] = link
    if title := _find_title_rule(sample, date):
        options["title"] = title
    if date is not None:
        options["date"] = date
        if order.formats and dated > _count_plain_dates(sample, date):
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
    text = block.text[:300]
    return (
        parse_date(text) is not None
        or _NUMERIC.search(text) is not None
        or block.node.find_first("time[datetime]") is not None
    )


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
        rules += [f"{node.tag}.{name}" for name in _sort_names(block.lasting_names)[:2]]
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


def _sort_names(names: Iterable[str]) -> list[str]:
    """The classes that can be written, those about layout last."""
    usable = [name for name in names if is_name(name)]
    return sorted(usable, key=lambda name: _LAYOUT.match(name) is not None)


def _iter_item_rules(group: Sequence[LinkBlock]) -> Iterator[str]:
    """Selectors that may match the entries, from the plainest to the most particular."""
    tag = group[0].node.tag
    own = _sort_names(_share_names(group))
    parents = list({id(block.parent): block.parent for block in group if block.parent}.values())
    parent_tag = parents[0].node.tag
    around = [f"{parent_tag}.{name}" for name in _sort_names(_share_names(parents))]
    around += [f"#{name}" for parent in parents if len(parents) == 1
               and (name := parent.node.get("id")) and is_name(name)]  # fmt: skip
    names = Counter(name for block in group for name in _sort_names(block.node.words))
    yield from (f"{tag}.{name}" for name in own if not _LAYOUT.match(name))
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
        for name in _sort_names(outer.lasting_names):
            yield f"{outer.node.tag}.{name} > {parent_tag} > {tag}"


def _share_names(blocks: Sequence[LinkBlock]) -> list[str]:
    shared = list(blocks[0].lasting_names)
    for block in blocks[1:]:
        shared = [name for name in shared if name in block.node.words]
    return shared


def _iter_parts(entry: Node) -> Iterator[Node]:
    """The elements of an entry, and the entry itself first."""
    left = [entry]
    while left:
        node = left.pop()
        yield node
        left.extend(reversed(list(node.find_elements())))


def _count_rules(entries: Sequence[LinkBlock], parts: Iterable[tuple[int, Node]]) -> list[str]:
    """Selectors that match these parts of entries, those that most entries have first."""
    found: dict[str, set[int]] = {}
    for number, node in parts:
        for rule in _list_part_rules(node, entries[number].node):
            found.setdefault(rule, set()).add(number)
    ranked = sorted(found, key=lambda rule: -len(found[rule]))
    return ranked[:_MOST_RULES]


def _list_part_rules(node: Node, entry: Node) -> list[str]:
    rules = [
        f"{node.tag}.{name}" for name in _sort_names(node.words) if not re.search(r"\d{3}", name)
    ]
    if node.tag in ("td", "th") and node != entry:
        at = _find_place(node, entry)
        rules += [f"{node.tag}:nth-child({at})"] if at else []
    return [*rules, node.tag]


def _find_place(node: Node, entry: Node) -> int | None:
    for around in _iter_parts(entry):
        for place, child in enumerate(around.find_elements(), 1):
            if child == node:
                return place
    return None


def _collect_date_texts(sample: Sequence[LinkBlock]) -> list[str]:
    return [block.text[:300] for block in sample]


def find_date_order(texts: Iterable[str]) -> DateOrder:
    """The order of numeric dates, if one of them shows it: 31/01 is a day and a month."""
    found = [match for text in texts if (match := _NUMERIC.search(text))]
    if not found:
        return DateOrder()
    sign = Counter(match["sign"] for match in found).most_common(1)[0][0]
    found = [match for match in found if match["sign"] == sign]
    year = "%Y" if all(len(match["year"]) == 4 for match in found) else "%y"
    gap = " " if any(match["gap"] for match in found) else ""
    day_first = sign == "." or any(int(match["first"]) > 12 for match in found)
    month_first = any(int(match["second"]) > 12 for match in found)
    if day_first == month_first:
        return DateOrder(is_ambiguous=True)
    order = ("%d", "%m") if day_first else ("%m", "%d")
    return DateOrder(((f"{sign}{gap}").join((*order, year)),))


def _find_date_rule(sample: Sequence[LinkBlock], formats: Sequence[str]) -> tuple[str | None, int]:
    """Where the entries have their dates, and how many of these have one there."""
    marked = _count_dates(sample, "time@datetime", formats)
    if marked >= _DATED_SHARE * len(sample):
        return "time@datetime", marked
    parts = [
        (number, node)
        for number, block in enumerate(sample)
        for node in _iter_parts(block.node)
        if len(text := node.read_text()) <= _LONGEST_DATE and parse_date(text, formats)
    ]
    rules = _count_rules(sample, parts)
    own = sample[0].node.tag
    rules += [rule for rule in (own,) if rule not in rules]
    counted = {rule: _count_dates(sample, rule, formats) for rule in rules}
    best = max(rules, key=lambda rule: (counted[rule], rule != own, -_measure(sample, rule)))
    least = _MANY * len(sample)
    return (best, counted[best]) if counted[best] >= least else (None, 0)


def _count_dates(sample: Sequence[LinkBlock], rule: str, formats: Sequence[str]) -> int:
    return sum(1 for b in sample if parse_date(select_text(b.node, rule), formats) is not None)


def _count_plain_dates(sample: Sequence[LinkBlock], rule: str) -> int:
    return _count_dates(sample, rule, ())


def _measure(sample: Sequence[LinkBlock], rule: str) -> float:
    """How long the text at a rule is on average."""
    texts = [select_text(block.node, rule) or "" for block in sample]
    return sum(map(len, texts)) / len(texts)


def _find_link_rule(sample: Sequence[LinkBlock]) -> str | None:
    """Which links of an entry count, if some do not: several entries share them, as those of a
    category, or they only add a date to a diary."""
    seen = Counter(url for block in sample for url in block.urls)
    left_out = {url for url, count in seen.items() if count > 1}
    left_out |= {link.url for block in sample for link in block.links if is_for_diary(link)}
    if not any(len(block.urls) > 1 and left_out & set(block.urls) for block in sample):
        return None
    parts = [
        (number, link.node)
        for number, block in enumerate(sample)
        for link in block.links
        if link.url not in left_out
    ]
    columns = [rule for place in range(1, 15) if _leads_elsewhere(
        sample, rule := f"td:nth-child({place}) a", left_out)]  # fmt: skip
    if columns:
        return ", ".join(columns[:8])
    rules = [rule for rule in _count_rules(sample, parts) if rule not in ("a", "area")]
    beside = [link.node for block in sample for link in block.links if link.url in left_out]
    inside = [f"{tag} a" for tag in _HEADINGS]
    inside += [
        f"a:not(.{name})" for node in beside[:_MOST_RULES] for name in _sort_names(node.words)
    ]
    fitting = {
        rule: _measure(sample, rule)
        for rule in (*inside, *rules)
        if _leads_elsewhere(sample, rule, left_out, share=0.9)
    }
    return max(fitting, key=lambda rule: fitting[rule], default=None)


def _leads_elsewhere(
    sample: Sequence[LinkBlock], rule: str, left_out: Container[str], share: float = 0.0
) -> bool:
    """Whether at least this share of the entries has a link there, and none that does not count."""
    filled = 0
    for block in sample:
        by_node = {link.node: link.url for link in block.links}
        found = [by_node[node] for node, _ in select_nodes(block.node, rule) if node in by_node]
        if any(url in left_out for url in found):
            return False
        filled += bool(found)
    return filled > 0 and filled >= share * len(sample)


def _find_title_rule(sample: Sequence[LinkBlock], date: str | None) -> str | None:
    """Where the entries have their titles, if the words of their links say little."""
    words = [block.title for block in sample]
    telling = {title for title in words if _count_letters(title) >= _LEAST_LETTERS}
    if len(telling) > _MANY * len(words):
        return None
    parts = [
        (number, node)
        for number, block in enumerate(sample)
        for node in _iter_parts(block.node)
        if node != block.node and _could_be_title(node, block)
    ]
    fitting: dict[str, float] = {}
    for place, rule in enumerate(_count_rules(sample, parts)):
        texts = [select_text(block.node, rule) or "" for block in sample]
        letters = [
            _count_letters(text) if _is_title(text, block) else 0
            for text, block in zip(texts, sample, strict=True)
        ]
        filled = sum(1 for count in letters if count >= _LEAST_LETTERS) / len(texts)
        if rule != date and filled > _MANY and texts != words:
            # A title that recurs, as that of a board, is better than none.
            different = 0.2 + len(set(texts)) / len(texts)
            usual = min(sum(letters) / len(texts), 60) ** 0.5
            named = 2.0 if _TITLE_NAME.search(rule) else 0.3 if _PLACE_NAME.search(rule) else 1.0
            fitting[rule] = filled * different * usual * named / (1 + 0.1 * place)
    return max(fitting, key=lambda rule: fitting[rule], default=None)


def _is_title(text: str, block: LinkBlock) -> bool:
    """Whether a text may be a title: not too long, and not that of several links."""
    linked = {link.text for link in block.links if link.text and link.text in text}
    return len(text) <= 2 * _LONGEST_TITLE and len(linked) < 2


def _could_be_title(node: Node, block: LinkBlock) -> bool:
    text = node.read_text()
    if not _LEAST_LETTERS <= len(text) <= 2 * _LONGEST_TITLE or len(text) > 0.9 * len(block.text):
        return False
    return _count_letters(text) >= _LEAST_LETTERS


def _count_letters(text: str) -> int:
    """The letters of a text without its dates, which tell entries apart but name nothing."""
    return sum(letter.isalpha() for letter in _DATE_WORDS.sub("", text))


def _find_hosts(group: Sequence[LinkBlock], base_url: str) -> list[str]:
    """The other hosts that many entries lead to, or have their papers on."""
    counted: Counter[str] = Counter()
    for block in group:
        led = {block.urls[0], *(url for url in block.urls if is_document(url))}
        counted.update({_get_host(url) for url in led})
    own = _get_host(base_url)
    many = [host for host, count in counted.items() if count >= _SHARE_ELSEWHERE * len(group)]
    return [host for host in many if host != own][:5]


def _get_host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")
