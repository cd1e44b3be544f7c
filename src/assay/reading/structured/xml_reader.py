"""XML as text: a line for every element that holds words, with tables and amendment marks."""

import html
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from assay.errors import ContentBroken, ContentHostile
from assay.model.content import ContentClass
from assay.reading.decoding import decode_bytes
from assay.reading.html.page import has_markup, read_fragment_lines
from assay.reading.limits import ReadLimits
from assay.reading.markup.draft import build_draft
from assay.reading.markup.flow import Flow
from assay.reading.markup.tables import Cell, MarkupTable, parse_span
from assay.reading.markup.tokens import (
    Token,
    TokenKind,
    find_deletions,
    parse_attributes,
    tokenize_xml,
)
from assay.reading.markup.traced_text import resolve_escapes, trace_plain
from assay.reading.result import MarkKind, Reading, clean_title

METADATA: Final = frozenset(
    {"bib.instance", "bib.data", "metadata", "fdsys", "meta", "commentaries", "commentary"}
)
"""Editorial parts that describe the document; left out if it also has a text."""
NUMBERS: Final = frozenset({"no.p", "no.parag", "pnumber", "num", "sectno", "enum", "label"})
"""Numbers that precede what they count, on its line."""
INLINE: Final = frozenset(
    {"e", "su", "ht", "ftref", "fr", "emphasis", "superior", "inferior", "strong", "em", "b", "i"}
    | {"u", "a", "span", "sup", "sub", "quot.start", "quot.end", "ref.doc.oj", "citation", "term"}
)
TABLES: Final = frozenset({"table", "tbl", "gpotable"})
ROWS: Final = frozenset({"row", "tr", "boxhd"})
CELLS: Final = frozenset({"cell", "entry", "td", "th", "ent", "ched"})
CAPTIONS: Final = frozenset({"caption", "ttitle"})
TITLES: Final = {"title": 0, "subject": 0, "doctitle": 0, "headline": 0, "heading": 1}
"""Names of the title element; the higher ones only if there is no lower one."""
MARKS: Final = {
    "del": MarkKind.STRUCK,
    "deletion": MarkKind.STRUCK,
    "deleted": MarkKind.STRUCK,
    "deletedtext": MarkKind.STRUCK,
    "repeal": MarkKind.STRUCK,
    "strike": MarkKind.STRUCK,
    "ins": MarkKind.INSERTED,
    "insertion": MarkKind.INSERTED,
    "inserted": MarkKind.INSERTED,
    "addedtext": MarkKind.INSERTED,
    "addition": MarkKind.INSERTED,
    "substitution": MarkKind.INSERTED,
}


def local_name(name: str) -> str:
    """A name in lower case, without its prefix."""
    return name.rpartition(":")[2].lower()


_REACH: Final = 64


def read_xml(data: bytes, limits: ReadLimits | None = None, charset: str | None = None) -> Reading:
    """Read the text of an XML document of any vocabulary.

    It is read as it is: nothing is fetched, nothing is validated, and a document that is not well
    formed is read as far as possible.
    """
    limits = limits or ReadLimits()
    read = decode_bytes(data, charset)
    warnings = [*read.warnings]
    tokens = _read_tokens(read.text, limits, warnings)
    if not any(token[0] == TokenKind.OPEN for token in tokens):
        raise ContentBroken(
            "The document begins like XML but has no element.",
            advice="Fetch it again, or ask its publisher for a whole copy.",
        )
    entities = _read_entities(tokens, warnings)
    inline = _find_inline_names(read.text, tokens, limits)
    document = _Document(read.text, tokens, inline, entities, limits, skip=METADATA)
    if not document.flow.lines:
        document = _Document(read.text, tokens, inline, entities, limits, skip=frozenset())
    draft = build_draft(document.flow.lines, document.tables, limits)
    return Reading(
        content_class=ContentClass.XML,
        text=draft.text,
        title=_find_title(read.text, tokens),
        encoding=read.encoding,
        segments=draft.segments,
        tables=draft.tables,
        marks=draft.marks,
        warnings=(*warnings, *document.warnings, *draft.warnings),
    )


def _read_tokens(source: str, limits: ReadLimits, warnings: list[str]) -> list[Token]:
    scan = tokenize_xml(source)
    tokens = list(islice(scan, limits.max_nodes))
    if (more := next(scan, None)) is not None:
        warnings.append(
            f"The document has more than {limits.max_nodes:,} tags and texts; it was read up to "
            f"character {more[1]:,}."
        )
    if tokens and tokens[-1][0] == TokenKind.UNCLOSED:
        start = tokens.pop()[1]
        warnings.append(f"What begins at character {start:,} is never closed; it was not read.")
    return tokens


def _read_entities(tokens: Sequence[Token], warnings: list[str]) -> Mapping[str, str]:
    for kind, _, _, _, subset in tokens:
        if kind == TokenKind.DOCTYPE:
            return parse_entities(subset, warnings)
    return {}


def _find_inline_names(source: str, tokens: Sequence[Token], limits: ReadLimits) -> frozenset[str]:
    """The names of elements that mostly occur among words."""
    among, alone = Counter[str](), Counter[str]()
    open_elements: list[tuple[str, list[str], list[bool]]] = [("", [], [False])]
    for kind, start, end, name, _ in tokens:
        if kind == TokenKind.TEXT:
            if not open_elements[-1][2][0] and source[start:end].strip():
                open_elements[-1][2][0] = True
        elif kind == TokenKind.OPEN:
            open_elements[-1][1].append(name)
            open_elements.append((name, [], [False]))
            if len(open_elements) > limits.max_depth:
                raise ContentHostile(
                    f"The document is nested more than {limits.max_depth} levels deep.",
                    advice="Documents meant for readers never are.",
                )
        elif kind == TokenKind.CLOSE and len(open_elements) > 1:
            _, within, has_words = open_elements.pop()
            (among if has_words[0] else alone).update(within)
    found = {name for name, count in among.items() if count >= alone[name]}
    return frozenset(found | {name for name in alone | among if local_name(name) in INLINE})


def _find_title(source: str, tokens: Sequence[Token]) -> str | None:
    """The text of the title element, if there is only one at its place."""
    path: list[str] = []
    places = Counter[tuple[str, ...]]()
    texts: dict[tuple[str, ...], list[str]] = {}
    wanted: tuple[str, ...] | None = None
    for kind, start, end, name, _ in tokens:
        if kind == TokenKind.OPEN:
            path.append(local_name(name))
            if wanted is None and path[-1] in TITLES:
                wanted = tuple(path)
                places[wanted] += 1
        elif kind == TokenKind.CLOSE and path:
            if wanted is not None and tuple(path) == wanted:
                wanted = None
            path.pop()
        elif (
            wanted is not None and places[wanted] == 1 and kind in (TokenKind.TEXT, TokenKind.CDATA)
        ):
            texts.setdefault(wanted, []).append(resolve_escapes(source, start, end).text)
    found = [place for place in texts if places[place] == 1]
    found.sort(key=lambda place: TITLES[place[-1]])
    titles = (clean_title(" ".join(texts[place])) for place in found)
    return next((title[:500] for title in titles if title), None)


@dataclass(frozen=True, slots=True)
class _Open:
    """An open element, and the state before it."""

    name: str
    mark: MarkKind | None
    cell: Cell | None
    within_line: int
    skipped: int


@dataclass(slots=True)
class _Document:
    """The lines of a document."""

    source: str
    tokens: Sequence[Token]
    inline: frozenset[str]
    entities: Mapping[str, str]
    limits: ReadLimits
    skip: frozenset[str]
    flow: Flow = field(init=False)
    tables: list[MarkupTable] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _open: list[_Open] = field(default_factory=list)
    _in_tables: list[MarkupTable] = field(default_factory=list)
    _within_line: int = 0
    _skipped: int = 0
    _glued: bool = False
    _caption_from: int = 0

    def __post_init__(self) -> None:
        self.flow = Flow(self.source, entities=self.entities)
        deletions = find_deletions(self.source)
        starts = [start for start, _ in deletions]
        for kind, start, end, name, attributes in self.tokens:
            if kind == TokenKind.OPEN:
                self._open_element(name, attributes)
            elif kind == TokenKind.CLOSE:
                self._close_element(name)
            elif not self._skipped and kind in (TokenKind.TEXT, TokenKind.CDATA):
                mark, within = self.flow.mark, bisect_right(starts, start) - 1
                if within >= 0 and start < deletions[within][1]:
                    self.flow.mark = MarkKind.STRUCK
                self._add_text(start, end, is_plain=kind == TokenKind.CDATA)
                self.flow.mark = mark
        self.flow.end_line()
        if self._open:
            unclosed = self._open[-1].name[:50]
            self.warnings.append(f"It is incomplete: {unclosed} is never closed.")

    def _add_text(self, start: int, end: int, *, is_plain: bool) -> None:
        piece = self.source[start:end]
        if "<" in piece or "&lt;" in piece:
            traced = (trace_plain if is_plain else resolve_escapes)(self.source, start, end)
            if has_markup(traced.text):
                self.flow.end_line()
                self.flow.lines += read_fragment_lines(traced, self.limits)
                return
        if self._glued and piece.strip():
            self._glued = False
        self.flow.add_text(start, end, escaped=not is_plain)

    def _break(self) -> None:
        if self._within_line or self._glued:
            self.flow.add_space()
        else:
            self.flow.end_line()

    def _open_element(self, name: str, attributes: str) -> None:
        flow, known = self.flow, local_name(name)
        self._open.append(_Open(name, flow.mark, flow.cell, self._within_line, self._skipped))
        if known in self.skip:
            self._skipped += 1
        elif known in TABLES or known in ROWS or known in CELLS or known in CAPTIONS:
            self._glued = False
            flow.end_line()
            self._open_table_part(known, attributes)
        elif name in self.inline:
            self._within_line += 1
        else:
            self._break()
        if known in MARKS and flow.mark is not MarkKind.STRUCK:
            flow.mark = MARKS[known]

    def _open_table_part(self, known: str, attributes: str) -> None:
        if known in TABLES:
            if self._in_tables:
                self._in_tables[-1].has_table = True
            self.tables.append(MarkupTable(len(self.tables)))
            self._in_tables.append(self.tables[-1])
            self.flow.cell = None
        elif not self._in_tables:
            return
        elif known in ROWS:
            self._in_tables[-1].next_row()
        elif known in CAPTIONS:
            self._caption_from = len(self.flow.lines)
        else:
            parsed = parse_attributes(attributes)
            rows = parse_span(parsed.get("rowspan"))
            if (more := parsed.get("morerows", "")).isdecimal():
                rows = parse_span(str(int(more[:4]) + 1))
            self.flow.cell = self._in_tables[-1].next_cell(rows, parse_span(parsed.get("colspan")))

    def _close_element(self, name: str) -> None:
        stack = self._open
        for back in range(1, min(len(stack), _REACH) + 1):
            if stack[-back].name == name:
                for _ in range(back):
                    self._close(stack.pop())
                return

    def _close(self, entry: _Open) -> None:
        flow, known = self.flow, local_name(entry.name)
        if known in NUMBERS and entry.name not in self.inline:
            flow.add_space()
            self._glued = True
        elif entry.name not in self.inline:
            self._glued = False
            self._break()
        if known in CELLS or known in TABLES or known in CAPTIONS:
            flow.end_line()
            if known in TABLES and self._in_tables:
                self._in_tables.pop()
            elif known in CAPTIONS and self._in_tables:
                caption = flow.lines[self._caption_from :]
                self._in_tables[-1].caption = " ".join(line.text for line in caption)
        flow.mark, flow.cell = entry.mark, entry.cell
        self._within_line, self._skipped = entry.within_line, entry.skipped


_ENTITY: Final = re.compile(
    r"""<!ENTITY\s+(?P<parameter>%\s+)?(?P<name>[^\s"'%]+)\s+
        (?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<outside>SYSTEM|PUBLIC)\b)""",
    re.VERBOSE,
)
_REFERENCE: Final = re.compile(r"&([^\s&;#]{1,100});")
_LONGEST: Final = 10_000
_MOST: Final = 10_000


def parse_entities(subset: str, warnings: list[str]) -> dict[str, str]:
    """The text that each entity of a document type stands for.

    Entities in other files are never fetched. Entities that grow without bound, or refer to
    themselves, are refused before any of them is expanded.
    """
    raw: dict[str, str] = {}
    for match in _ENTITY.finditer(subset):
        if match["outside"]:
            warnings.append(f"The entity {match['name'][:50]} is in another file; it was not read.")
        elif not match["parameter"] and len(raw) < _MOST:
            value = match["double"] if match["double"] is not None else match["single"]
            raw.setdefault(match["name"], value)
    lengths: dict[str, int] = {}
    for name in raw:
        _measure_entity(name, raw, lengths)
    return {name: html.unescape(_expand_entity(value, raw)) for name, value in raw.items()}


def _measure_entity(name: str, raw: Mapping[str, str], lengths: dict[str, int]) -> None:
    """Count how long an entity would become, without building it."""
    waiting = [name]
    begun: set[str] = set()
    while waiting:
        at = waiting[-1]
        if at in lengths:
            waiting.pop()
            continue
        inner = [one for one in _REFERENCE.findall(raw[at]) if one in raw]
        missing = [one for one in inner if one not in lengths]
        if at in begun and missing:
            raise ContentHostile(
                f"The XML entity {at[:50]} refers to itself.", advice="Reading it would never end."
            )
        begun.add(at)
        if missing:
            waiting += dict.fromkeys(missing)
            continue
        lengths[at] = len(raw[at]) + sum(lengths[one] for one in inner)
        if lengths[at] > _LONGEST:
            raise ContentHostile(
                f"The XML entity {at[:50]} would grow to {lengths[at]:,} characters or more.",
                advice="Documents do that only to exhaust their reader; it was not expanded.",
            )
        waiting.pop()


def _expand_entity(value: str, raw: Mapping[str, str]) -> str:
    # This ends: no entity refers to itself or grows too long. Both were checked before.
    while True:
        before = value
        value = _REFERENCE.sub(lambda match: raw.get(match[1], match[0]), value)
        if value == before:
            return value
