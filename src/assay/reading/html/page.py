"""A page as lines, each with the part of the page and the table cell that contains it."""

import html
import re
from itertools import islice
from typing import Final, NamedTuple

from assay.errors import ContentHostile
from assay.reading.html.elements import (
    BLOCK,
    CELLS,
    FURNITURE,
    FURNITURE_NAMES,
    FURNITURE_ROLES,
    HEADINGS,
    IMPLIED_END,
    UNSEEN,
    UNSEEN_RAW,
    VERBATIM,
    VOID,
    ZONES,
)
from assay.reading.limits import ReadLimits
from assay.reading.markup.flow import Flow, TextLine
from assay.reading.markup.tables import Cell, MarkupTable, parse_span
from assay.reading.markup.tokens import TokenKind, parse_attributes, tokenize_html
from assay.reading.markup.traced_text import TracedText
from assay.reading.result import MarkKind, clean_title

_STRUCK_STYLE: Final = re.compile(r"text-decoration[\w-]*\s*:[^;\"']*line-through", re.IGNORECASE)
_STRUCK_CLASS: Final = re.compile(r"\.([\w-]+)\s*\{[^{}]*line-through", re.IGNORECASE)
_HIDDEN_STYLE: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_MARKS: Final = {
    "del": MarkKind.STRUCK,
    "s": MarkKind.STRUCK,
    "strike": MarkKind.STRUCK,
    "ins": MarkKind.INSERTED,
}
# A closing tag looks for its element among this many open ones; one further out stays open.
_REACH: Final = 64
_NEAR: Final = 8


class Furniture:
    """How certain it is that a part of a page is not its text."""

    NONE: Final = 0
    NAMED: Final = 1
    """Its name says so, or it is hidden."""
    DECLARED: Final = 2
    """It is an element meant for that."""


class Zone(NamedTuple):
    """A part of a page."""

    parent: int
    name: str
    furniture: int
    in_article: bool
    in_main: bool


class _Open(NamedTuple):
    """An open element, and the state before it."""

    name: str
    zone: int
    mark: MarkKind | None
    linked: int
    verbatim: int
    cell: Cell | None
    unseen: int


class HtmlPage:
    """The lines of a page, and what is known about their position."""

    def __init__(self, source: str, limits: ReadLimits, flow: Flow | None = None) -> None:
        self.title: str | None = None
        self.warnings: list[str] = []
        self.zones = [Zone(-1, "", Furniture.NONE, False, False)]
        self.tables: list[MarkupTable] = []
        self._flow = flow or Flow(source)
        self._limits = limits
        self._open: list[_Open] = []
        self._counts: dict[str, int] = {}
        self._in_tables: list[MarkupTable] = []
        self._unseen = 0
        self._caption_from = 0
        self._within: list[list[int]] = []
        self._known: dict[str, dict[str, str]] = {}
        # Not `lower()`: it would copy the page.
        self._styled = any(one in source for one in ("line-through", "LINE-THROUGH"))
        self._struck_classes: set[str] = set()
        self._read_tokens()

    @property
    def within(self) -> list[list[int]]:
        """The parts directly inside each part."""
        if not self._within:
            self._within = [[] for _ in self.zones]
            for at, zone in enumerate(self.zones):
                if at:
                    self._within[zone.parent].append(at)
        return self._within

    @property
    def lines(self) -> list[TextLine]:
        """All lines, in order."""
        return self._flow.lines

    def _read_tokens(self) -> None:
        flow, text, opening, closing = self._flow, TokenKind.TEXT, TokenKind.OPEN, TokenKind.CLOSE
        tokens = tokenize_html(flow.source)
        for kind, start, end, name, attributes in islice(tokens, self._limits.max_nodes):
            if kind == text:
                if not self._unseen:
                    flow.add_text(start, end)
            elif kind == opening:
                self._open_element(name, attributes)
            elif kind == closing:
                self._close_element(name)
            elif kind == TokenKind.RAW:
                self._take_raw_text(name, start, end)
            else:
                self.warnings.append(
                    f"What begins at character {start:,} is never closed; it was not read."
                )
        flow.end_line()
        if (more := next(tokens, None)) is not None:
            most = f"{self._limits.max_nodes:,} tags and texts"
            self.warnings.append(
                f"The page has more than {most}; it was read up to character {more[1]:,}."
            )
            if not flow.lines:
                raise ContentHostile(
                    f"The page has {most} before its first word.",
                    advice="Pages meant for readers are never like this.",
                )

    def _open_element(self, name: str, attributes: str) -> None:
        flow = self._flow
        if name in BLOCK:
            self._break()
            self._imply_end(name)
        elif name == "br":
            self._break()
        if name in VOID or (name in _INLINE and not self._styled):
            return
        if len(self._open) >= self._limits.max_depth:
            return
        self._open.append(
            _Open(name, flow.zone, flow.mark, flow.linked, flow.verbatim, flow.cell, self._unseen)
        )
        self._counts[name] = self._counts.get(name, 0) + 1
        if name in UNSEEN or (name == "button" and not any(map(self._counts.get, HEADINGS))):
            self._unseen += 1
        elif name == "a":
            flow.linked += 1
        elif name in VERBATIM:
            flow.verbatim += 1
        elif name in _MARKS:
            self._mark(_MARKS[name])
        if name in ZONES:
            self._enter(name, attributes)
        elif self._styled and attributes:
            self._apply_style(self._parse_attributes(attributes))
        if name in _TABLE_TAGS:
            self._open_table_part(name, attributes)

    def _break(self) -> None:
        if not self._unseen:
            self._flow.end_line()

    def _mark(self, kind: MarkKind) -> None:
        # What is struck out stays struck out, whatever was once inserted into it.
        if self._flow.mark is not MarkKind.STRUCK:
            self._flow.mark = kind

    def _apply_style(self, attributes: dict[str, str]) -> None:
        if _STRUCK_STYLE.search(attributes.get("style", "")) or (
            self._struck_classes
            and not self._struck_classes.isdisjoint(attributes.get("class", "").split())
        ):
            self._mark(MarkKind.STRUCK)

    def _parse_attributes(self, text: str) -> dict[str, str]:
        known = self._known.get(text)
        if known is None:
            # Most tags of a page repeat; a page where none do must not fill the memory.
            if len(self._known) > 1000:
                self._known.clear()
            known = self._known[text] = parse_attributes(text)
        return known

    def _enter(self, name: str, attributes: str) -> None:
        flow, zones = self._flow, self.zones
        parent = zones[flow.zone]
        parsed = self._parse_attributes(attributes) if attributes else {}
        if self._styled and parsed:
            self._apply_style(parsed)
        furniture = _rate_furniture(name, parsed, parent)
        role = parsed.get("role", "")
        zones.append(
            Zone(
                flow.zone,
                name,
                furniture,
                parent.in_article or name == "article",
                parent.in_main or name == "main" or role == "main",
            )
        )
        flow.zone = len(zones) - 1

    def _open_table_part(self, name: str, attributes: str) -> None:
        if name == "table":
            if self._in_tables:
                self._in_tables[-1].has_table = True
            self._in_tables.append(MarkupTable(len(self.tables)))
            self.tables.append(self._in_tables[-1])
            self._flow.cell = None
        elif not self._in_tables:
            return
        elif name == "tr":
            self._in_tables[-1].next_row()
        elif name == "caption":
            self._caption_from = len(self._flow.lines)
        else:
            parsed = self._parse_attributes(attributes) if attributes else {}
            rows, columns = parse_span(parsed.get("rowspan")), parse_span(parsed.get("colspan"))
            self._flow.cell = self._in_tables[-1].next_cell(rows, columns)

    def _close_element(self, name: str) -> None:
        if name in BLOCK:
            self._break()
        if not self._counts.get(name):
            return
        stack = self._open
        for back in range(1, min(len(stack), _REACH) + 1):
            passed = stack[-back].name
            if passed == name:
                self._close(back)
                return
            # A cell keeps its elements to itself: nothing inside it closes what is outside.
            if passed in CELLS and name not in _TABLE_PARTS:
                return

    def _imply_end(self, name: str) -> None:
        ended, stack = IMPLIED_END.get(name), self._open
        if ended is None:
            if stack and stack[-1].name == "p":
                self._close(1)
            return
        closing = 0
        for count, entry in enumerate(reversed(stack[-_NEAR:]), 1):
            if entry.name not in ended:
                break
            if entry.name not in _INLINE and entry.name != "a":
                closing = count
        self._close(closing)

    def _close(self, how_many: int) -> None:
        for _ in range(how_many):
            entry = self._open.pop()
            self._counts[entry.name] -= 1
            if entry.name == "table" and self._in_tables:
                self._in_tables.pop()
            elif entry.name == "caption" and self._in_tables:
                caption = self._flow.lines[self._caption_from :]
                self._in_tables[-1].caption = " ".join(line.text for line in caption)
            flow = self._flow
            flow.zone, flow.mark, flow.linked = entry.zone, entry.mark, entry.linked
            flow.verbatim, flow.cell, self._unseen = entry.verbatim, entry.cell, entry.unseen

    def _take_raw_text(self, name: str, start: int, end: int) -> None:
        if name == "title":
            # Only the first: an image may have its own title.
            if self.title is None and not self._unseen:
                self.title = clean_title(html.unescape(self._flow.source[start:end]))
        elif name == "style":
            if self._styled:
                self._struck_classes.update(_STRUCK_CLASS.findall(self._flow.source, start, end))
        elif name not in UNSEEN_RAW and not self._unseen:
            self._flow.add_text(start, end, escaped=False)


def _rate_furniture(name: str, parsed: dict[str, str], parent: Zone) -> int:
    role = parsed.get("role", "")
    if name in FURNITURE or role in FURNITURE_ROLES:
        return Furniture.DECLARED
    if name == "header":
        # The header of an article contains its title; that of a page, its name and menu.
        inside = parent.in_article or parent.in_main
        return Furniture.NONE if inside else Furniture.DECLARED
    if not parsed or name in _NEVER_NAMED:
        return Furniture.NONE
    named = f"{parsed.get('class', '')} {parsed.get('id', '')}"
    if named != " " and FURNITURE_NAMES.search(named):
        return Furniture.NAMED
    if "hidden" in parsed or parsed.get("aria-hidden") == "true":
        return Furniture.NAMED
    if (style := parsed.get("style")) and _HIDDEN_STYLE.search(style):
        return Furniture.NAMED
    return Furniture.NONE


_INLINE_WORDS = """
abbr acronym b bdi bdo big cite code data dfn em font i kbd label mark o:p q ruby rb rt rp samp
small span strong sub sup time tt u var wbr"""
_INLINE: Final = frozenset(_INLINE_WORDS.split())
_TABLE_TAGS: Final = frozenset({"table", "tr", "td", "th", "caption"})
_TABLE_PARTS: Final = frozenset({"table", "tr", "td", "th", "tbody", "thead", "tfoot"})
# Whatever their class: the whole page, and what is most often data.
_NEVER_NAMED: Final = frozenset({"html", "body", "table", "tr", "td", "th"})


_TAG: Final = re.compile(
    r"</?(?:p|br|div|span|a|b|i|u|s|em|strong|ul|ol|li|table|tr|td|h[1-6]|img|del|ins|sup|sub|"
    r"blockquote|font|pre|code|hr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


def has_markup(text: str) -> bool:
    """Whether a text is written in HTML, rather than merely about it."""
    return "<" in text and _TAG.search(text) is not None


def read_fragment_lines(traced: TracedText, limits: ReadLimits, place: str = "") -> list[TextLine]:
    """The lines of a fragment, with the stretches of the source that they came from."""
    lines = HtmlPage(traced.text, limits).lines
    for line in lines:
        line.start, line.end = traced.source_of(line.start), traced.source_of(line.end)
        # The tables of a fragment are not distinguished from those around it.
        line.cell = None
        line.place = place
    return lines
