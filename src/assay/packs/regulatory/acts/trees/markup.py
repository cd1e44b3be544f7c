"""Read an act's tree from its own markup: Formex, Akoma Ntoso, CLML and RegML.

The text is the one that was read and stored; the markup only says which of its lines belong to
which provision. eCFR and the Federal Register mark sections but not what is inside them; there the
markup says which lines are the law, and the numbering of the text does the rest.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from assay.packs.regulatory.acts.shapes import ProvisionKind
from assay.packs.regulatory.acts.trees.drafting import DEEPEST, ActDraft, ProvisionDraft
from assay.sdk.reading import (
    MarkupToken,
    Segment,
    TokenKind,
    find_deletions,
    parse_attributes,
    tokenize_xml,
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the elements of a format mean, by lower-case names without prefix."""

    provisions: Mapping[str, ProvisionKind]
    numbers: frozenset[str]
    headings: frozenset[str]
    quoted: frozenset[str] = frozenset()
    """Elements with text that belongs to another act."""
    heading_before: str = ""
    """The element whose title is that of the provision inside it."""
    number_attribute: str = ""
    note: str = ""
    """A footnote among the words of a provision, which is not a part of them."""
    annex_number: str = ""
    """The element whose first occurrence in an annex has its number."""


_ARTICLE, _SECTION = ProvisionKind.ARTICLE, ProvisionKind.SECTION
_PARAGRAPH, _POINT, _ANNEX = ProvisionKind.PARAGRAPH, ProvisionKind.POINT, ProvisionKind.ANNEX
_FORMEX: Final = Vocabulary(
    {
        "article": _ARTICLE,
        "parag": _PARAGRAPH,
        "item": _POINT,
        "annex": _ANNEX,
        "cons.annex": _ANNEX,
    },
    frozenset({"ti.art", "no.parag", "no.p"}),
    frozenset({"sti.art"}),
    frozenset({"quot.s", "note", "preamble"}),
    annex_number="ti",
    note="note",
)
_AKN: Final = Vocabulary(
    {
        "article": _ARTICLE,
        "section": _SECTION,
        "paragraph": _PARAGRAPH,
        "subsection": _PARAGRAPH,
        "subparagraph": _POINT,
        "point": _POINT,
        "item": _POINT,
        "indent": _POINT,
        "attachment": _ANNEX,
    },
    frozenset({"num"}),
    frozenset({"heading", "subheading"}),
    frozenset({"quotedstructure", "quotedtext", "embeddedstructure", "authorialnote", "preamble"}),
)
_CLML: Final = Vocabulary(
    {
        "p1": _SECTION,
        "p2": _PARAGRAPH,
        **{f"p{depth}": _POINT for depth in range(3, 8)},
        "schedule": _ANNEX,
    },
    frozenset({"pnumber", "number"}),
    frozenset({"title"}),
    frozenset({"blockamendment", "blockextract", "inlineamendment", "contents", "footnote"}),
    heading_before="p1group",
)
_REGML: Final = Vocabulary(
    {"section": _SECTION, "paragraph": _PARAGRAPH, "appendix": _ANNEX, "interpretations": _ANNEX},
    frozenset({"subject"}),
    frozenset({"title"}),
    frozenset({"tableofcontents", "preamble", "analysis", "changeset"}),
    number_attribute="marker",
)
_ROOTS: Final = {
    "act": _FORMEX,
    "annex": _FORMEX,
    "cons.act": _FORMEX,
    "akomantoso": _AKN,
    "legislation": _CLML,
    "regulation": _REGML,
}
_NUMBERED_TEXT: Final = frozenset({"section", "div8", "div9", "appendix"})
_NOT_LAW: Final = frozenset(
    {
        "auth",
        "source",
        "cita",
        "ftnt",
        "ednote",
        "note",
        "contents",
        "secauth",
        "approval",
        "effdnot",
    }
)
_CFR_ROOTS: Final = frozenset(
    {"cfrdoc", "dlpsterm", "ecfr", "part", "rule", "cfrgranule", "div5", "div1", "fedreg", "title"}
)
_VALUE: Final = re.compile(
    r"(?:§\s*|article\s+|artikel\s+|članak\s+|schedule\s+|annex\s+|appendix\s+|\(|^)"
    r"(\d+[\d.\-]*[a-z]*|[a-zčćđšž]+\d*)",
    re.IGNORECASE,
)
_NEAR: Final = 64
"""How many open elements are looked at; what is nested deeper was made to exhaust its reader."""
_COUNTED: Final = ("§", "Artikel", "Članak", "Art ")


class _EventKind:
    OPEN: Final = 0
    CLOSE: Final = 1
    NUMBER: Final = 2
    HEADING: Final = 3
    NOTE: Final = 4


class _Event(NamedTuple):
    at: int
    what: int
    kind: ProvisionKind | None = None
    number: str = ""
    end: int = 0
    name: str = ""


def local_name(name: str) -> str:
    """A name in lower case, without its prefix."""
    return name.rpartition(":")[2].lower()


def find_vocabulary(document: str) -> Vocabulary | None:
    """The vocabulary of an XML document whose markup names every provision."""
    names = _list_names(document)
    return next((_ROOTS[name] for name in names if name in _ROOTS), None)


def find_law_segments(document: str, segments: Sequence[Segment]) -> list[Segment]:
    """The lines of sections and appendices in eCFR or Federal Register XML; none for others."""
    names = _list_names(document)
    if not names or names[0] not in _CFR_ROOTS:
        return []
    stretches: list[tuple[int, bool]] = [(0, False)]
    inside = outside = 0
    for kind, start, _, name, _ in tokenize_xml(document):
        known = local_name(name)
        if kind not in (TokenKind.OPEN, TokenKind.CLOSE):
            continue
        step = 1 if kind == TokenKind.OPEN else -1
        inside += step if known in _NUMBERED_TEXT else 0
        outside += step if known in _NOT_LAW else 0
        stretches.append((start, inside > 0 and outside <= 0))
    kept: list[Segment] = []
    at = 0
    for segment in segments:
        while at + 1 < len(stretches) and stretches[at + 1][0] <= segment.source_start:
            at += 1
        if stretches[at][1]:
            kept.append(segment)
    return kept


def _list_names(document: str) -> list[str]:
    """The names of the first elements."""
    names: list[str] = []
    for kind, _, _, name, _ in tokenize_xml(document[:20_000]):
        if kind == TokenKind.OPEN:
            names.append(local_name(name))
            if len(names) == 3:
                break
    return names


def read_markup(
    act: ActDraft, document: str, segments: Sequence[Segment], vocabulary: Vocabulary
) -> None:
    """Add the provisions that the markup names to an act."""
    deletions = find_deletions(document)
    tokens = _drop_deleted(tokenize_xml(document), deletions)
    deleted = [(start, _strip_tags(document[start:end])) for start, end in deletions]
    events = [
        *_list_events(tokens, document, vocabulary),
        *(_Event(start, _EventKind.NOTE, number=words) for start, words in deleted),
    ]
    events.sort(key=lambda event: event.at)
    kept = [each for each in segments if not _is_within(each.source_start, deletions)]
    _MarkupReader(act, events, vocabulary).read(kept)


def _drop_deleted(
    tokens: Iterable[MarkupToken], deletions: Sequence[tuple[int, int]]
) -> list[MarkupToken]:
    """The tokens outside what amendments deleted; a deletion that is not made of whole elements
    keeps its tags."""
    if not deletions:
        return list(tokens)
    kept: list[MarkupToken] = []
    for inside, group in groupby(tokens, key=lambda token: _is_within(token[1], deletions)):
        listed = list(group)
        opened = sum(token[0] == TokenKind.OPEN for token in listed)
        closed = sum(token[0] == TokenKind.CLOSE for token in listed)
        kept += [] if inside and opened == closed else listed
    return kept


def _strip_tags(markup: str) -> str:
    return "".join(
        html.unescape(markup[start:end])
        for kind, start, end, _, _ in tokenize_xml(markup)
        if kind in (TokenKind.TEXT, TokenKind.CDATA)
    )


def _is_within(place: int, stretches: Sequence[tuple[int, int]]) -> bool:
    at = bisect_right(stretches, place, key=lambda stretch: stretch[0]) - 1
    return at >= 0 and place < stretches[at][1]


def _list_events(
    tokens: Sequence[MarkupToken], document: str, vocabulary: Vocabulary
) -> Iterator[_Event]:
    names = {local_name(token[3]) for token in tokens if token[0] == TokenKind.OPEN}
    kinds = dict(vocabulary.provisions)
    if vocabulary is _AKN and "article" in names:
        # There, sections are chapters that contain articles.
        del kinds["section"]
    stack: list[tuple[str, bool]] = []
    quoted = 0
    number: tuple[int, str, list[str]] | None = None
    is_annex_new = False
    note: tuple[int, list[str]] | None = None
    for kind, start, end, name, attributes in tokens:
        known = local_name(name)
        if kind == TokenKind.OPEN:
            is_quoted = known in vocabulary.quoted
            if known == vocabulary.note and note is None and not quoted:
                note = (end, [])
            quoted += is_quoted
            stack.append((known, is_quoted))
            if quoted:
                continue
            if known in kinds:
                yield _Event(start, _EventKind.OPEN, kinds[known], name=known)
                is_annex_new = kinds[known] is _ANNEX
                if vocabulary.number_attribute:
                    marker = parse_attributes(attributes).get(vocabulary.number_attribute, "")
                    if any(map(str.isalnum, marker)) and marker != "none":
                        yield _Event(start, _EventKind.NUMBER, number=marker, name=known)
            elif known == vocabulary.heading_before:
                yield _Event(start, _EventKind.OPEN, name=known)
            elif number is None and (
                known in vocabulary.numbers or (is_annex_new and known == vocabulary.annex_number)
            ):
                number = (end, known, [])
                is_annex_new = False
            elif known in vocabulary.headings:
                yield _Event(end, _EventKind.HEADING, name=known)
        elif kind == TokenKind.CLOSE and stack:
            # What is never closed ends with what contains it; only the nearest are searched.
            depth = next(
                (d for d in range(1, min(len(stack), _NEAR) + 1) if stack[-d][0] == known), 0
            )
            for _ in range(depth):
                closed, was_quoted = stack.pop()
                quoted -= was_quoted
                if note and was_quoted and not quoted:
                    yield _Event(note[0], _EventKind.NOTE, number="".join(note[1]), end=start)
                    note = None
                if not quoted and not was_quoted:
                    if number and closed == number[1]:
                        printed = " ".join("".join(number[2]).split())
                        yield _Event(number[0], _EventKind.NUMBER, number=printed, end=start)
                        number = None
                    elif closed in vocabulary.headings:
                        yield _Event(start, _EventKind.HEADING, end=1, name=closed)
                    elif closed in kinds or closed == vocabulary.heading_before:
                        yield _Event(start, _EventKind.CLOSE, name=closed)
        elif note and kind in (TokenKind.TEXT, TokenKind.CDATA):
            note[1].append(html.unescape(document[start:end]))
        elif number and kind in (TokenKind.TEXT, TokenKind.CDATA):
            number[2].append(html.unescape(document[start:end]))


@dataclass(slots=True, eq=False)
class _Open:
    """An open element that is a provision, or may become one when its number is read."""

    kind: ProvisionKind | None
    name: str
    draft: ProvisionDraft | None = None
    pending: list[tuple[int, int]] = field(default_factory=list)


class _MarkupReader:
    def __init__(self, act: ActDraft, events: Sequence[_Event], vocabulary: Vocabulary) -> None:
        self._act = act
        self._text = act.text
        self._events = events
        self._vocabulary = vocabulary
        self._open: list[_Open] = []
        self._preamble: ProvisionDraft | None = None
        self._begun = False
        self._in_heading = False

    def read(self, segments: Sequence[Segment]) -> None:
        at = 0
        for segment in segments:
            cursor = segment.start
            while at < len(self._events) and self._events[at].at < segment.source_end:
                event = self._events[at]
                at += 1
                cursor = self._follow(event, cursor, segment)
            self._add_words(cursor, segment.end)

    def _follow(self, event: _Event, cursor: int, segment: Segment) -> int:
        if event.what == _EventKind.OPEN:
            self._open.append(_Open(event.kind, event.name))
        elif event.what == _EventKind.CLOSE:
            if cursor > segment.start:
                self._add_words(cursor, segment.end)
                cursor = segment.end
            if self._open and self._open[-1].name == event.name:
                self._open.pop()
        elif event.what == _EventKind.HEADING:
            self._in_heading = not event.end
        elif event.what == _EventKind.NOTE:
            return self._leave_out(event, cursor, segment)
        elif self._open:
            return self._number(event, cursor, segment)
        return cursor

    def _leave_out(self, event: _Event, cursor: int, segment: Segment) -> int:
        """Pass over words among others that are not a part of them."""
        if event.at < segment.source_start:
            return cursor
        start, end = _find_loosely(self._text, cursor, segment.end, event.number)
        while start > cursor and self._text[start - 1].isspace():
            start -= 1
        self._add_words(cursor, start)
        return end

    def _number(self, event: _Event, cursor: int, segment: Segment) -> int:
        """Give the innermost provision its number; words before the number are its parent's."""
        entry = self._open[-1]
        if entry.kind is None:
            return cursor
        if entry.draft is not None:
            # A second number is a title.
            start, end = _find_number(self._text, cursor, segment.end, event.number)
            if event.end > segment.source_start:
                entry.draft.heading.append((start, end))
            return max(cursor, end)
        end = cursor
        if event.end > segment.source_start:
            start, end = _find_number(self._text, cursor, segment.end, event.number)
            self._add_words(cursor, start)
        self._begin(len(self._open) - 1, event.number)
        return end

    def _begin(self, depth: int, number: str) -> None:
        entry = self._open[depth]
        parent = self._find_parent(depth)
        kind = entry.kind
        assert kind is not None
        if parent is not None:
            level = parent.path.count("__")
            if level >= DEEPEST:
                return
            in_annex = parent.path.startswith(_ANNEX)
            if kind is _SECTION and in_annex:
                kind = _PARAGRAPH
            elif kind is _PARAGRAPH and level > 0:
                kind = _POINT
        elif kind is _POINT or kind is _PARAGRAPH:
            return
        elif kind is _ARTICLE and "§" in number:
            kind = _SECTION
        value = _find_value(number, kind)
        if not value and parent is not None and kind is not _ANNEX:
            value = str(self._act.count(kind, parent))
        entry.draft = self._act.add(kind, value, number, parent)
        self._begun = True
        before = self._open[depth - 1] if depth else None
        if before and before.kind is None and before.pending:
            entry.draft.heading += before.pending
            before.pending = []

    def _find_parent(self, depth: int) -> ProvisionDraft | None:
        """The nearest provision around; a paragraph without a number is counted if need be."""
        for at in range(depth - 1, max(-1, depth - _NEAR), -1):
            entry = self._open[at]
            if entry.draft is not None:
                return entry.draft
            if self._is_counted(at):
                self._begin(at, "")
                if entry.draft:
                    return entry.draft
        return None

    def _is_counted(self, depth: int) -> bool:
        """Whether a paragraph counts although it has no number, as in German and Croatian acts."""
        if self._open[depth].kind is not _PARAGRAPH or self._vocabulary is _REGML:
            return False
        nearest = self._open[max(0, depth - _NEAR) : depth]
        around = next((one.draft for one in reversed(nearest) if one.draft), None)
        return around is not None and "__" not in around.path and around.number.startswith(_COUNTED)

    def _add_words(self, start: int, end: int) -> None:
        while start < end and self._text[start].isspace():
            start += 1
        if start >= end:
            return
        if self._in_heading and self._open:
            entry = self._open[-1]
            if entry.draft is not None:
                entry.draft.heading.append((start, end))
                return
            if entry.kind is None:
                entry.pending.append((start, end))
                return
            if entry.kind is _ANNEX:
                self._begin(len(self._open) - 1, "")
                if entry.draft:
                    entry.draft.heading.append((start, end))
                return
        parent = self._find_parent(len(self._open))
        if parent is None and self._open and self._open[0].kind in (_ANNEX, _ARTICLE, _SECTION):
            self._begin(0, "")
            parent = self._open[0].draft
        if parent is not None:
            parent.add_words(start, end)
        elif not self._begun:
            if self._preamble is None:
                self._preamble = self._act.add(ProvisionKind.PREAMBLE, "", "")
            self._preamble.add_words(start, end)


def _find_loosely(text: str, start: int, end: int, words: str) -> tuple[int, int]:
    """Where words are in a line, whatever its spaces; an empty stretch at the start if nowhere."""
    wanted = "".join(words.split())
    places = [at for at in range(start, end) if not text[at].isspace()]
    found = "".join(text[at] for at in places).find(wanted) if wanted else -1
    if found < 0:
        return start, start
    return places[found], places[found + len(wanted) - 1] + 1


def _find_number(text: str, start: int, end: int, number: str) -> tuple[int, int]:
    """Where a number is in a line; spaces do not count."""
    at = start
    for one in number:
        if one.isspace():
            continue
        while at < end and text[at].isspace():
            at += 1
        if at >= end or text[at] != one:
            found = text.find(number, start, end) if number else -1
            return (found, found + len(number)) if found >= 0 else (start, start)
        at += 1
    return start, at


def _find_value(number: str, kind: ProvisionKind) -> str:
    """A number as in a path."""
    match = _VALUE.search(number)
    if match is None:
        return ""
    value = match[1].rstrip(".-")
    if kind in (_ARTICLE, _SECTION, _ANNEX):
        value = value.lower() if kind is not _SECTION or "§" in number else value
        return value if value[0].isdigit() or len(value) < 5 else ""
    return value
