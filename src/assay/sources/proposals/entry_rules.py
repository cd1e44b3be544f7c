"""Find where the entries of a list have their dates, links and titles."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from assay.sources.listing.dates import parse_date
from assay.sources.listing.markup import Node, select_nodes, select_text
from assay.sources.proposals.outline import LinkBlock, is_beside, sort_names

_LONGEST_TITLE = 100
_DATED_SHARE = 0.6
_MANY = 0.5
_LONGEST_DATE = 60
_MOST_RULES = 30
_LEAST_LETTERS = 6
_DATE_WORDS = re.compile(
    r"[^\W\d_]{3,9}\.?\s+\d{1,2},?\s+\d{4}|\d{1,2}\.?\s+[^\W\d_]{3,9}\.?\s+\d{4}"
    r"|\d{1,2}:\d{2}(?:\s*[ap]\.?m\b\.?)?", re.IGNORECASE)  # fmt: skip
_TITLE_NAME = re.compile(r"^h[1-6]|title|name|subject|heading", re.IGNORECASE)
_PLACE_NAME = re.compile(r"venue|location|place|address|where", re.IGNORECASE)
_PATH_WORD = re.compile(r"[A-Za-z]{4,40}")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


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
        f"{node.tag}.{name}" for name in sort_names(node.words) if not re.search(r"\d{3}", name)
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


def find_date_rule(sample: Sequence[LinkBlock], formats: Sequence[str]) -> tuple[str | None, int]:
    """Where the entries have their dates, and how many of these have one there."""
    marked = count_dates(sample, "time@datetime", formats)
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
    counted = {rule: count_dates(sample, rule, formats) for rule in rules}
    best = max(rules, key=lambda rule: (counted[rule], rule != own, -_measure(sample, rule)))
    least = _MANY * len(sample)
    return (best, counted[best]) if counted[best] >= least else (None, 0)


def count_dates(sample: Sequence[LinkBlock], rule: str, formats: Sequence[str]) -> int:
    """How many entries have a date there that can be read in one way."""
    return sum(1 for b in sample if parse_date(select_text(b.node, rule), formats) is not None)


def _measure(sample: Sequence[LinkBlock], rule: str) -> float:
    """How long the text at a rule is on average."""
    texts = [select_text(block.node, rule) or "" for block in sample]
    return sum(map(len, texts)) / len(texts)


def find_link_rule(sample: Sequence[LinkBlock]) -> str | None:
    """Which links of an entry count, if some do not: several entries share them, as those of a
    category, or they lead to a diary or a recording."""
    seen = Counter(url for block in sample for url in block.urls)
    left_out = {url for url, count in seen.items() if count > 1}
    left_out |= {link.url for block in sample for link in block.links if is_beside(link)}
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
    addresses = [
        rule
        for word in _list_shared_words(sample, left_out)
        if _leads_elsewhere(sample, rule := f"a[href*={word}]", left_out)
    ]
    by_address = [*addresses, ", ".join(addresses)] if addresses else []
    inside += [
        f"a:not(.{name})" for node in beside[:_MOST_RULES] for name in sort_names(node.words)
    ]
    fitting = {
        rule: (_count_urls(sample, rule), _measure(sample, rule))
        for rule in (*inside, *rules, *by_address)
        if _leads_elsewhere(sample, rule, left_out, share=0.9)
    }
    return max(fitting, key=lambda rule: fitting[rule], default=None)


def _count_urls(sample: Sequence[LinkBlock], rule: str) -> int:
    """How many addresses the links at a rule lead to."""
    found: set[str] = set()
    for block in sample:
        by_node = {link.node: link.url for link in block.links}
        nodes = (node for node, _ in select_nodes(block.node, rule))
        found.update(by_node[node] for node in nodes if node in by_node)
    return len(found)


def _list_shared_words(sample: Sequence[LinkBlock], left_out: Container[str]) -> list[str]:
    """Words of addresses that most of the links which count have in common."""
    counted: Counter[str] = Counter()
    for block in sample:
        paths = [urlsplit(url).path for url in block.urls if url not in left_out]
        counted.update(
            list(dict.fromkeys(word for path in paths for word in _PATH_WORD.findall(path)))
        )
    return [word for word, count in counted.most_common(10) if count >= _MANY * len(sample)]


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


def find_title_rule(sample: Sequence[LinkBlock], date: str | None) -> str | None:
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
    """Whether a text may be a title: not too long, not the whole entry, not several links."""
    linked = {link.text for link in block.links if link.text and link.text in text}
    is_short = len(text) <= min(2 * _LONGEST_TITLE, 0.9 * len(block.text))
    return is_short and len(linked) < 2


def _could_be_title(node: Node, block: LinkBlock) -> bool:
    text = node.read_text()
    if not _LEAST_LETTERS <= len(text) <= 2 * _LONGEST_TITLE or not _is_title(text, block):
        return False
    return _count_letters(text) >= _LEAST_LETTERS


def _count_letters(text: str) -> int:
    """The letters of a text without its dates, which tell entries apart but name nothing."""
    return sum(letter.isalpha() for letter in _DATE_WORDS.sub("", text))
