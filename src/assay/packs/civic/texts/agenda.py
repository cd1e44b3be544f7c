"""The items of an agenda, and the pages of a packet that belong to each of them."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from assay.packs.civic.texts.agenda_lines import AgendaLine, split_agenda_lines
from assay.packs.civic.texts.agenda_reader import AgendaEntry, AgendaReader
from assay.sdk.reading import PageSpan

__all__ = ["AgendaEntry", "find_agenda_items", "locate_items_in_packet"]

_ITEM_HEADING = re.compile(
    r"(?:agenda\s+)?item\s{0,3}(?:no\.?|number|#)?\s{0,3}[:.]?\s{0,3}"
    r"((?:\d{1,3}|[A-Z])(?:[.-]?(?:\d{1,3}|[A-Z]))?)[.):]?(?=\s|$|[–—-])",
    re.IGNORECASE,
)
_FILE_HEADING = re.compile(
    r"(?:legislative\s+)?file\s{0,3}(?:#|id|no\.?|number)?\s{0,3}:?\s{0,3}([A-Z]{0,4}-?\d[\w-]{2,14})",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"[\s._…]{4,}(\d{1,4})$")
_WORD = re.compile(r"\w{4,}")
_HEAD_LINES: Final = 12
_HEAD: Final = 1500
_SHORTEST_TITLE: Final = 25
_FEWEST_ON_AGENDA: Final = 3
_SHORT_TITLE_WORDS: Final = 5
_NUMBER_REACH: Final = 30
_LONGEST_GAP: Final = 1
_MOST_ITEMS: Final = 500
"""More than any agenda has; each is looked for on each page."""


def find_agenda_items(text: str, pages: Sequence[PageSpan] = ()) -> list[AgendaEntry]:
    """The items of an agenda in the order of the text; none if the text is not an agenda."""
    lines = split_agenda_lines(text, pages)
    listed = [line for line in lines if not line.has_leaders]
    entries = AgendaReader(text, pages, listed).read()
    if entries or len(listed) == len(lines):
        return entries
    return AgendaReader(text, pages, lines).read()


def locate_items_in_packet(
    items: Sequence[AgendaEntry], packet: str, pages: Sequence[PageSpan]
) -> dict[int, tuple[int, int]]:
    """The span of a packet with the documents of each item, by the item's place in `items`.

    Only whole pages count, and only where the packet says so: a page is headed by the item's
    number, file number or title, or the agenda names the page. Other items are left out.
    """
    if len(items) > _MOST_ITEMS:
        return {}
    return _PacketReader(items, packet, pages).locate()


class _PacketReader:
    def __init__(
        self, items: Sequence[AgendaEntry], packet: str, pages: Sequence[PageSpan]
    ) -> None:
        self._items = items
        self._packet = packet
        self._pages = pages
        self._numbers = _index_unique([_fold_number(item.number) for item in items])
        self._files = _index_unique([_fold(item.matter_file or "") for item in items])
        self._folded = [_fold(item.title) for item in items]
        titles = [title if len(title) >= _SHORTEST_TITLE else "" for title in self._folded]
        self._titles = _index_unique(titles)

    def locate(self) -> dict[int, tuple[int, int]]:
        agenda = self._find_agenda_pages()
        heads: list[int | None] = [None] * len(self._pages)
        named: dict[int, int] = self._read_page_numbers(agenda)
        for place in range(len(self._pages)):
            if place not in agenda:
                heads[place] = named.get(place, self._name_page(place))
        groups = self._group_pages(heads, agenda)
        certain = _choose_certain([item for item, _, _, _ in groups])
        spans: dict[int, tuple[int, int]] = {}
        for number, (item, first, last, limit) in enumerate(groups):
            if item not in certain:
                continue
            following = groups[number + 1][0] if number + 1 < len(groups) else len(self._items)
            final = limit if self._are_procedural(item + 1, following) else last
            spans[item] = (self._pages[first].start, self._pages[final].end)
        return spans

    def _find_agenda_pages(self) -> set[int]:
        """Pages that list several items: the agenda to its end, or minutes."""
        found: set[int] = set()
        reached = -1
        missed = _LONGEST_GAP + 1
        first = len(self._pages)
        for place, page in enumerate(self._pages):
            words = _fold(self._packet[page.start : page.end])
            listed = sum(title in words for title in self._titles)
            if listed >= _FEWEST_ON_AGENDA:
                found.update(range(min(first, place), place + 1) if not found else [place])
                missed = 0
            elif not found and any(self._lists_item(words, i) for i in range(len(self._items))):
                first = min(first, place)
            if missed > _LONGEST_GAP or reached == len(self._items) - 1:
                continue
            latest = max(
                (i for i in range(reached + 1, len(self._items)) if self._lists_item(words, i)),
                default=-1,
            )
            if latest > reached:
                found.update(range(place - missed, place + 1))
                reached, missed = latest, 0
            else:
                missed += 1
        return found

    def _lists_item(self, words: str, item: int) -> bool:
        """Whether an item's number is right before or after its title on a page."""
        number, title = _fold_number(self._items[item].number), self._folded[item]
        at = words.find(title) if number else -1
        if at < 0:
            return False
        before = words[max(0, at - _NUMBER_REACH) : at].split()[-2:]
        after = words[at + len(title) : at + len(title) + _NUMBER_REACH].split()[:2]
        return any(word.strip("().:") == number.strip("()") for word in before + after)

    def _name_page(self, place: int) -> int | None:
        """The item whose number, file number or title heads a page; -1 if it names several."""
        page = self._pages[place]
        head = split_agenda_lines(self._packet[page.start : min(page.end, page.start + _HEAD)])
        named = {item for line in head[:_HEAD_LINES] for item in self._read_heading(place, line)}
        if not named:
            words = _fold(" ".join(line.words for line in head[:_HEAD_LINES]))
            found = [title for title in self._titles if title in words]
            longest = max(found, key=len, default="")
            named = {
                self._titles[title] for title in found if title == longest or title not in longest
            }
        if len(named) > 1:
            return -1
        return named.pop() if named else None

    def _read_heading(self, place: int, line: AgendaLine) -> set[int]:
        """Items named by a line; a number counts only on a page about the same thing."""
        found: set[int] = set()
        if (heading := _ITEM_HEADING.match(line.words)) and (
            item := self._numbers.get(_fold_number(heading[1]))
        ) is not None:
            found.update([item] if self._is_about(place, item) else [])
        if (heading := _FILE_HEADING.match(line.words)) and (
            item := self._files.get(_fold(heading[1]))
        ) is not None:
            found.add(item)
        return found

    def _read_page_numbers(self, agenda: set[int]) -> dict[int, int]:
        """Pages that the agenda names after dots, if enough of them look like their item."""
        places = {page.number: place for place, page in enumerate(self._pages)}
        found: list[tuple[int, int]] = []
        for place in sorted(agenda):
            page = self._pages[place]
            for line in split_agenda_lines(self._packet[page.start : page.end]):
                leaders = _LEADERS.search(line.words[-60:]) if line.has_leaders else None
                words = _fold(line.words[: len(line.words) - len(leaders[0])]) if leaders else ""
                items = [
                    item for title, item in self._titles.items() if words and words.endswith(title)
                ]
                if leaders and len(items) == 1 and int(leaders[1]) in places:
                    found.append((places[int(leaders[1])], items[0]))
        in_order = sorted(found) == sorted(found, key=lambda pair: (pair[1], pair[0]))
        alike = sum(self._is_about(place, item) for place, item in found)
        if len(found) < 2 or not in_order or alike * 2 < len(found):
            return {}
        several = Counter(place for place, _ in found)
        return {place: item for place, item in found if several[place] == 1 and place not in agenda}

    def _is_about(self, place: int, item: int) -> bool:
        page = self._pages[place]
        head = _fold(self._packet[page.start : min(page.end, page.start + _HEAD)])
        words = set(_WORD.findall(self._folded[item]))
        return bool(words) and sum(word in head for word in words) * 2 >= len(words)

    def _group_pages(
        self, heads: Sequence[int | None], agenda: set[int]
    ) -> list[tuple[int, int, int, int]]:
        """Item, first page, last page that names it, and the last page before something else."""
        groups: list[tuple[int, int, int, int]] = []
        is_open = False
        for place, item in enumerate(heads):
            if place in agenda or item == -1:
                is_open = False
            elif item is not None:
                if is_open and groups[-1][0] == item:
                    groups[-1] = (item, groups[-1][1], place, place)
                else:
                    groups.append((item, place, place, place))
                is_open = True
            elif is_open:
                known, first, last, _ = groups[-1]
                groups[-1] = (known, first, last, place)
        return groups

    def _are_procedural(self, first: int, end: int) -> bool:
        """Whether the items between two others have short titles only and hence no documents."""
        return all(
            len(item.title.split()) <= _SHORT_TITLE_WORDS and item.matter_file is None
            for item in self._items[first:end]
        )


def _choose_certain(groups: Sequence[int]) -> set[int]:
    """Items that occur once and in the order of the agenda with regard to all others."""
    certain: set[int] = set()
    lowest = [0] * len(groups)
    least = max(groups, default=0) + 1
    for place in range(len(groups) - 1, -1, -1):
        lowest[place] = least
        least = min(least, groups[place])
    highest = -1
    for place, item in enumerate(groups):
        if highest < item < lowest[place]:
            certain.add(item)
        highest = max(highest, item)
    return certain


def _index_unique(keys: Sequence[str]) -> dict[str, int]:
    counts = Counter(keys)
    return {key: place for place, key in enumerate(keys) if key and counts[key] == 1}


def _fold(words: str) -> str:
    return " ".join(words.split()).casefold()


def _fold_number(number: str | None) -> str:
    return (number or "").casefold().rstrip(".")
