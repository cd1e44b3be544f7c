"""The main part of a page: its lines without menus, banners, footers and lists of links.

The shares were tuned on pages whose main text is known. In case of doubt they keep too much rather
than too little: reading a menu costs a few words, missing a paragraph costs a law.
"""

from typing import Final

from assay.reading.html.elements import CELLS
from assay.reading.html.page import Furniture, HtmlPage
from assay.reading.markup.flow import TextLine

# A line of prose: long enough to be a sentence, and not mostly links.
_PROSE: Final = 40
_PROSE_LINKS: Final = 0.3
# With less prose than this, a page consists of short lines, and all that are not links count as its
# text; with fewer of those than this, it consists of links, and the links count.
_LEAST_PROSE: Final = 0.2
# A part that is furniture by its element or name is not furniture if it has this much of the text.
_FURNITURE_HOLDS: Final = 0.5
# Furniture that is mostly links is a menu, however long it is.
_MENU_LINKS: Final = 0.5
# If less than this is outside the parts named as furniture, the names are not trusted.
_LEAST_LEFT: Final = 100
# A main element, or the only article, is trusted to contain the main text from these shares on.
_MAIN_HOLDS: Final = 0.2
_ARTICLE_HOLDS: Final = 0.5
_LEAST_DECLARED: Final = 250
# The main part is the innermost one with this much of the text.
_MAIN_SHARE: Final = 0.9
# A part beside it with this much prose, and few links, is text as well.
_TEXT: Final = 200
_TEXT_LINKS: Final = 0.2
# A list of links: at least this share of its text is links, it is less than this share of the main
# part, and all such lists together are less than this share of it. With more than that, the page is
# an index, and the links are its text.
_LINKS: Final = 0.4
_LINKS_WITHIN: Final = 0.4
_LINKS_TOGETHER: Final = 0.4
# A table cell has one link or two; with this many lines of nothing else, it is a menu.
_CELL_LINES: Final = 4
_CELL_LINKS: Final = 0.8
_LINK_PARTS: Final = frozenset({"ul", "ol", "div", "section", "form", "article"})


def find_main_lines(page: HtmlPage) -> list[TextLine]:
    """The lines of the main part, in order."""
    weights = _Weights(page)
    dropped = weights.find_furniture(names_count=True)
    prose = weights.weigh_without(dropped)
    if prose[0] < _LEAST_LEFT:
        dropped = weights.find_furniture(names_count=False)
        prose = weights.weigh_without(dropped)
    top = _find_top(page, weights, prose, dropped)
    inside = weights.find_inside(top, dropped, cut_links=True)
    if inside is None:
        inside = weights.find_inside(top, dropped, cut_links=False)
    return [line for line in page.lines if inside is None or inside[line.zone]]


class _Weights:
    """How much text each part of a page contains, including its inner parts."""

    def __init__(self, page: HtmlPage) -> None:
        self.zones = page.zones
        self.within = page.within
        count = len(page.zones)
        self.text, self.links, self.prose = [0] * count, [0] * count, [0] * count
        self.lines = [0] * count
        for line in page.lines:
            length = len(line.text)
            self.text[line.zone] += length
            self.lines[line.zone] += 1
            self.links[line.zone] += line.links
            if (length >= _PROSE or line.cell) and line.links <= _PROSE_LINKS * length:
                self.prose[line.zone] += length
        for kind in (self.text, self.links, self.prose, self.lines):
            self._sum_up(kind)
        least = _LEAST_PROSE * (self.text[0] - self._measure_menus())
        if self.prose[0] < least:
            self.prose = [text - link for text, link in zip(self.text, self.links, strict=True)]
        if self.prose[0] < least:
            self.prose = self.text.copy()

    def _sum_up(self, weights: list[int]) -> None:
        # A part comes after the one that contains it, so one pass from the end is enough.
        for zone in range(len(weights) - 1, 0, -1):
            weights[self.zones[zone].parent] += weights[zone]

    def _is_menu(self, zone: int) -> bool:
        """Whether a part is furniture by its element or its name, and mostly links."""
        is_furniture = self.zones[zone].furniture > Furniture.NONE
        return is_furniture and self.links[zone] > _MENU_LINKS * self.text[zone]

    def _measure_menus(self) -> int:
        """How much of the text is in menus."""
        found = bytearray(len(self.zones))
        total = 0
        for at, zone in enumerate(self.zones):
            if at and found[zone.parent]:
                found[at] = 1
            elif self._is_menu(at):
                found[at] = 1
                total += self.text[at]
        return total

    def find_furniture(self, *, names_count: bool) -> bytearray:
        """1 for every part that is furniture or inside furniture."""
        least = Furniture.NAMED if names_count else Furniture.DECLARED
        most = _FURNITURE_HOLDS * self.prose[0]
        found = bytearray(len(self.zones))
        for at, zone in enumerate(self.zones):
            if (at and found[zone.parent]) or (
                zone.furniture >= least and (self.prose[at] < most or self._is_menu(at))
            ):
                found[at] = 1
        return found

    def is_text(self, zone: int) -> bool:
        """Whether a part beside the main one is text too: prose, with few links."""
        return self.prose[zone] >= _TEXT and self.links[zone] <= _TEXT_LINKS * self.text[zone]

    def is_short_text(self, zone: int, around: list[int]) -> bool:
        """Whether the lines of a part, and these parts within it, are words and not links."""
        parts = self.within[zone]
        text = self.text[zone] - sum(self.text[at] for at in parts)
        links = self.links[zone] - sum(self.links[at] for at in parts)
        text += sum(self.text[at] for at in around)
        links += sum(self.links[at] for at in around)
        return text > 0 and links <= _TEXT_LINKS * text

    def weigh_without(self, dropped: bytearray) -> list[int]:
        """The prose of every part without that of the dropped ones."""
        lost = [0] * len(self.zones)
        for at, zone in enumerate(self.zones):
            if dropped[at] and not dropped[zone.parent]:
                lost[at] = self.prose[at]
        self._sum_up(lost)
        return [prose - less for prose, less in zip(self.prose, lost, strict=True)]

    def _is_list_of_links(self, zone: int) -> bool:
        name, text, links = self.zones[zone].name, self.text[zone], self.links[zone]
        if name in CELLS:
            return self.lines[zone] >= _CELL_LINES and links > _CELL_LINKS * text
        return name in _LINK_PARTS and links > _LINKS * text

    def find_inside(self, top: int, dropped: bytearray, *, cut_links: bool) -> bytearray | None:
        """1 for every part of the main one; None if most of it would be cut as links."""
        found = bytearray(len(self.zones))
        found[top] = 1
        most = _LINKS_WITHIN * self.text[top]
        cut = 0
        for at in range(top + 1, len(self.zones)):
            zone = self.zones[at]
            if not found[zone.parent] or dropped[at]:
                continue
            text = self.text[at]
            if cut_links and text < most and self._is_list_of_links(at):
                cut += text
            else:
                found[at] = 1
        return found if cut <= _LINKS_TOGETHER * self.text[top] else None


def _find_top(page: HtmlPage, weights: _Weights, prose: list[int], dropped: bytearray) -> int:
    """The innermost part with nearly all of the main text."""
    zones = page.zones
    top = 0
    for is_in, share in (("in_main", _MAIN_HOLDS), ("in_article", _ARTICLE_HOLDS)):
        declared = [
            at
            for at, zone in enumerate(zones)
            if getattr(zone, is_in)
            and not getattr(zones[zone.parent], is_in)
            and not dropped[at]
            and prose[at] >= max(_LEAST_DECLARED, share * prose[0])
        ]
        if len(declared) == 1:
            top = declared[0]
    while (inner := _find_inner(weights, prose, dropped, top)) is not None:
        top = inner
    return top


def _find_inner(weights: _Weights, prose: list[int], dropped: bytearray, top: int) -> int | None:
    """The part within this one that has nearly all of its text, unless the rest is text too."""
    least = _MAIN_SHARE * prose[top]
    within = weights.within[top]
    best = next((at for at in within if prose[at] >= least and not dropped[at]), None)
    if best is None:
        return None
    around = [at for at in within if at != best and not dropped[at]]
    if any(weights.is_text(at) for at in around) or weights.is_short_text(top, around):
        return None
    return best
