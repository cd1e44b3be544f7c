"""Walk through a document: each clause with its article, heading and introductory words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from assay.packs.regulatory.extractor.blocks import Block, BlockKind, skip_markers
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import find_figures, flatten_spaces
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.provisions import ProvisionIndex
from assay.packs.regulatory.extractor.references import find_references
from assay.packs.regulatory.extractor.rows import align_heads
from assay.packs.regulatory.extractor.sentences import split_sentences
from assay.packs.regulatory.extractor.silences import (
    addresses_machine,
    begins_recitals,
    begins_section,
    ends_recitals,
    ends_section,
    find_example,
    is_speaker_line,
)
from assay.packs.regulatory.extractor.tables import TableContext, interpret_row, shift_meaning
from assay.sdk.reading import MarkKind, Reading

_BLOT = "·"
"""Replaces a letter that must not be read."""
_SPEECH = {"hr": "hr", "bs": "hr", "sr": "hr", "sh": "hr", "en": "en", "de": "de"}
_ANNEX = re.compile(
    r"(?:appendix|annex|supplement|schedule|prilog|dodatak|anlage|anhang)\b(?=.{0,60}$)",
    re.IGNORECASE,
)


_ADDRESS = re.compile(r"\bhttps?://[^\s)\]>]{4,400}")
_COMPOUND = re.compile(
    r"(gebühren?|steuer|abgaben?|beitr[aä]gs?|bußgeld|kosten|entgelt|taxen?)(?=(?-i:[a-zäöüß]))",
    re.IGNORECASE,
)
"""`Verwaltungsgebührensatzung`: what a German title says inside a word."""
_WITH_HEAD = 800
"""The most letters of a quote from the head of a table to one of its rows."""
_OPEN_END = re.compile(
    r"(?:[:—–]|(?<!\w)(?:für|bleib(?:t|en)|dürfen|müssen|sind|ist|werden|wird|auf|von|bei|die"
    r"|wenn|by|for"
    r"|where|which|that|if|is|are|to|reach|from|on|it|su|je|za|od|na|ako|plaćaju|snose))\s*$"
)
"""How words end that continue in a list."""
_PARAGRAPH = re.compile(r"\d{1,3}[A-Z]?\.?[—–]\s?(?:\(\d|[A-Z])")
"""`4.—(1) A person …`, as acts of the United Kingdom and Ireland are numbered."""
_DELETED = re.compile(r"\[\[deleted:[^\[\]]{0,2000}\]\]", re.IGNORECASE)
"""`[[deleted: 120]]`: how some texts write what was struck out."""
_FOOTNOTE = re.compile(
    r"(?<!\d)(?P<mark>\d{1,2})(?P=mark)\s(?:See\sReferences\sin\sText\snote\sbelow\."
    r"|So\sin\soriginal\."
    r"(?:\s(?:(?:Probably|Should)\s|(?:The|No|Two|There|See)\s(?=[^.]{0,80}(?:probably|enacted|appear)))"
    r"(?:[^.“”]|“[^”]{0,80}”){0,140}?(?:\.|(?<=\.”)))?)"
)
"""`11 So in original. Probably should be “are”.`, as the United States Code prints footnotes."""
_CHAPTER = re.compile(
    r"\W{0,3}(?:chapter|part|title|division|poglavlje|glava|dio|kapitel|abschnitt|teil)\s"
    r"(?:\d{1,3}[A-Z]?|[IVXLC]{1,7}|[A-Z])(?:\W{1,4}|$)",
    re.IGNORECASE,
)
"""`Chapter 2 Universal Social Charge`."""
_ONLY_NUMBER = re.compile(r"\W{0,2}(?:\d[\d.,]{0,11}[A-Z]{0,2}|[A-Z])\W{0,2}")
_RESTATED = re.compile(r"\d\s?\($")
"""`4 (36,4 %)` in a cell: the share that a number is, and not one that applies."""
_INDENT = re.compile(r"\n[ \t]{2,}")
_LETTER = re.compile(r"\([a-z]\)")
_AMERICAN = re.compile(r"§ \d+\.|Sec")
_POINT_OF_CODE = re.compile(r"§ \d[\w–-]*\(")


@dataclass(frozen=True, slots=True)
class FoundClause:
    """A clause, and what its figures mean if that is already known."""

    clause: Clause
    meanings: list[Meaning] | None = None


@dataclass(slots=True)
class _Place:
    """The current position in the document."""

    article: str = ""
    heading: str = ""
    chapter: str = ""
    lead: str = ""
    lead_style: str = ""
    """How the block that introduces a list is numbered, `(1)` or `a)`; the next one ends it."""
    item_style: str = ""
    """How the last item of that list is numbered."""
    letter: str = ""
    paragraph: str = ""
    after_heading: bool = False
    last: str = ""
    """The sentence read last."""
    recitals: bool = False
    """Whether these are the recitals of an act, which name provisions but bind nobody."""
    notes: bool = False
    """Whether these are the notes below a section of a code, which may quote whole orders."""


def find_number_language(code: str) -> str | None:
    """The language whose way of writing numbers applies; None if unknown."""
    return _SPEECH.get(code)


class ClauseWalk:
    """One pass through a document."""

    def __init__(
        self,
        reading: Reading,
        code: str,
        provisions: ProvisionIndex,
        title: str = "",
        jurisdiction: str = "",
    ) -> None:
        self._jurisdiction = jurisdiction
        self._provisions = provisions
        self._text = reading.text
        self._title = _COMPOUND.sub(r"\1 ", title)
        self._read = _blot_struck_text(reading)
        self._code = code
        self._language = find_number_language(code)
        self._place = _Place()
        self._labels: tuple[str, ...] = ()

    def walk_clauses(self, blocks: Sequence[Block]) -> Iterator[FoundClause]:
        """The sentences, list items and rows, in order."""
        spoken = False
        for block, following in pairwise([*blocks, None]):
            assert block is not None
            words = self._text[block.start : block.end]
            if is_speaker_line(words) or addresses_machine(words):
                spoken = is_speaker_line(words)
            elif spoken:
                # What follows in a transcript is not a rule.
                spoken = False
            else:
                self._follow_block(block, words)
                if block.kind is BlockKind.HEADING and _introduces_list(words, following):
                    self._place.lead = flatten_spaces(words)
                yield from self._walk_block(block)

    def _walk_block(self, block: Block) -> Iterator[FoundClause]:
        self._labels = block.labels
        if block.kind is BlockKind.PROSE:
            yield from self._walk_prose(block)
        elif block.kind is BlockKind.ROW:
            place = self._place
            if place.notes:
                yield FoundClause(self._build_clause(block.start, block.end, is_row=True), [])
                return
            if not block.head:
                yield FoundClause(self._build_named_value(block))
                return
            around = TableContext(
                place.lead, place.heading, place.last, self._title, self._jurisdiction
            )
            words = self._read[block.start : block.end]
            found = [
                one
                for one in interpret_row(self._read, block, around, self._language)
                if not _RESTATED.search(words, 0, one.figure.start)
            ]
            yield self._build_row(block, found)

    def _build_row(self, block: Block, found: list[Meaning]) -> FoundClause:
        """Build a row, with the head of its table if only that names the unit of a figure."""
        clause = _divide_row(self._build_clause(block.start, block.end, is_row=True), block)
        whole = {figure.start for figure in clause.figures}
        bare = [one for one in found if one.figure.start not in whole and one.figure.unit]
        offset = block.start - block.head_start
        if not bare or block.head_start < 0 or block.end - block.head_start > _WITH_HEAD:
            return FoundClause(clause, found)
        headed = _divide_row(self._build_clause(block.head_start, block.end, is_row=True), block)
        return FoundClause(headed, [shift_meaning(one, offset) for one in found])

    def _build_named_value(self, block: Block) -> Clause:
        """Build a row of a name and its value, read as `name: value`."""
        clause = _divide_row(self._build_clause(block.start, block.end, is_row=True), block)
        gap = next((start for start, end in block.cells[1:] if end > start), block.start)
        at = gap - block.start - 1
        if at <= 0:
            return clause
        masked = clause.masked[:at] + ":" + clause.masked[at + 1 :]
        return replace(clause, masked=masked)

    def _walk_prose(self, block: Block) -> Iterator[FoundClause]:
        place, text = self._place, self._text
        examples = False
        for first, end in split_sentences(self._read, block.start, block.end, self._code):
            start, markers = skip_markers(text, first, end) if first > block.start else (first, ())
            self._follow_numbers(markers)
            if start >= end:
                continue
            clause = self._build_clause(start, end)
            # After "Primjer:" the rest of the paragraph is the example.
            examples = examples or find_example(clause.text) < 3
            cut = first == block.start and self._lost_its_lead(block, clause)
            if not examples:
                silent = place.recitals or place.notes or cut
                yield FoundClause(clause, [] if silent else None)
            place.last = clause.text
            if text[end - 1] == "?":
                # A question says what its answer is about.
                place.heading = clause.text
            item = bool(place.lead) or text[start].islower()
            if text[end - 1] in ":—" or (not item and text[end - 1] not in ".!?;,"):
                place.lead, place.lead_style = clause.text, _numbering_style(block.markers)

    def _lost_its_lead(self, block: Block, clause: Clause) -> bool:
        """Whether a point begins in the middle of a sentence whose beginning the text lacks."""
        return (
            bool(block.markers)
            and clause.text[:1].islower()
            and not clause.lead
            and _POINT_OF_CODE.match(clause.article) is not None
            and not self._provisions.list_leads(clause.start)
        )

    def _follow_block(self, block: Block, words: str) -> None:
        """Keep track of headings, articles, paragraphs and the words that introduce lists."""
        place = self._place
        if block.kind is BlockKind.HEADING and begins_section(words):
            place.notes = False
        place.notes = place.notes or ends_section(words)
        place.recitals = not ends_recitals(words) and (place.recitals or begins_recitals(words))
        if block.article:
            place.article, place.recitals = block.article, False
            place.letter = place.paragraph = ""
        if _ANNEX.match(words):
            place.article = words[:40].partition("—")[0].strip()
            place.chapter = "" if block.kind is BlockKind.HEADING else place.chapter
            place.letter = place.paragraph = ""
        if block.kind is BlockKind.HEADING:
            self._follow_heading(block, words)
            return
        place.after_heading = False
        goes_on = words[:1].islower() and not block.markers
        if goes_on and not place.lead and place.last.endswith((";", ",")):
            place.lead = place.last
        self._follow_numbers(block.markers)
        style = _numbering_style(block.markers)
        ended = place.item_style not in ("", style) and place.last.endswith(".")
        over = ended or style == place.lead_style or _is_above_items(style, place.item_style)
        if (block.markers and over) or _PARAGRAPH.match(words):
            place.lead = ""
        elif not block.markers and not words[:1].islower() and not words[:1].isdigit():
            # A list may have lost its markers; it continues until something ends with a full stop.
            listed = place.lead.endswith(":") and not place.last.endswith(".")
            place.lead = place.lead if listed or block.kind is BlockKind.ROW else ""
        place.item_style = style if place.lead and block.markers else ""

    def _follow_numbers(self, markers: Sequence[str]) -> None:
        """Keep track of paragraph numbers, and in American style of the letters above them."""
        place = self._place
        for marker in markers:
            if marker[:1] == "(" and marker[1:2].isdigit():
                place.paragraph = marker
                continue
            roman = place.paragraph and marker in ("(i)", "(v)", "(x)")
            if _LETTER.fullmatch(marker) and _AMERICAN.match(place.article) and not roman:
                place.letter, place.paragraph = marker, ""

    def _follow_heading(self, block: Block, words: str) -> None:
        place = self._place
        if chapter := _CHAPTER.match(words):
            place.chapter = flatten_spaces(words[chapter.end() :]).strip(" *_—–-:.")
        title = words.partition(".")[2].strip() if block.article and "." in words else words
        if _ONLY_NUMBER.fullmatch(words):
            # Some readings have the number of a section on a line of its own.
            title = place.heading
        if not block.article or not place.after_heading:
            place.heading = flatten_spaces(title or words)
        elif title and title != words:
            place.heading = flatten_spaces(title)
        place.lead = place.lead_style = ""
        place.after_heading = True

    def _build_clause(self, start: int, end: int, *, is_row: bool = False) -> Clause:
        words = self._read[start:end]
        places: tuple[int, ...] = ()
        if not is_row:
            words, places = _join_lines(words)
        words = flatten_spaces(words)
        named = find_references(words)
        masked = words
        for address in _ADDRESS.finditer(words):
            # `%28` in an address is not a percentage.
            masked = masked[: address.start()] + _BLOT * len(address[0]) + masked[address.end() :]
        for reference in named:
            blot = _BLOT * (reference.end - reference.start)
            masked = masked[: reference.start] + blot + masked[reference.end :]
        return Clause(
            start=start,
            quote=self._text[start:end],
            text=words,
            masked=masked,
            figures=tuple(find_figures(masked, self._language)),
            references=tuple(named),
            lead=self._place.lead,
            heading=self._place.heading,
            chapter=self._place.chapter,
            title=self._title,
            article=self._provisions.cite(start) or self._describe_place(),
            is_row=is_row,
            labels=self._labels,
            places=places,
        )

    def _describe_place(self) -> str:
        article, number = self._place.article, self._place.paragraph.strip("()")
        if _AMERICAN.match(article):
            return f"{article}{self._place.letter}{self._place.paragraph}"
        if not article or not number:
            return article
        if article.startswith("čl."):
            return f"{article} st. {number}."
        if article.startswith("§"):
            return f"{article} Abs. {number}"
        if article.startswith("Artikel"):
            return f"{article} Absatz {number}"
        return f"{article}({number})"


def _divide_row(clause: Clause, block: Block) -> Clause:
    """The same row, with its cells and the heads of their columns."""
    cells = tuple((start - clause.start, end - clause.start) for start, end in block.cells)
    return replace(clause, cells=cells, heads=align_heads(block.head, len(cells)))


def _join_lines(text: str) -> tuple[str, tuple[int, ...]]:
    """The text with every indented line joined to the one before, and where its letters were.

    Markdown indents the lines of a list item, which would separate a number from its unit.
    """
    if _INDENT.search(text) is None:
        return text, ()
    kept: list[int] = []
    at = 0
    for gap in _INDENT.finditer(text):
        kept += range(at, gap.start() + 1)
        at = gap.end()
    kept += range(at, len(text))
    return "".join(text[place] for place in kept), tuple(kept)


def _numbering_style(markers: Sequence[str]) -> str:
    """How a block is numbered: `(1)` and `(2)` share a style, `a)` has another."""
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+", "1", markers[-1].lower())) if markers else ""


def _introduces_list(words: str, following: Block | None) -> bool:
    """Whether a line that looks like a heading introduces the list that follows it."""
    listed = following is not None and following.kind is BlockKind.PROSE and following.markers
    return bool(listed) and _OPEN_END.search(words) is not None


def _is_above_items(style: str, of_items: str) -> bool:
    """Whether a number follows the letters of a list, which makes it the next paragraph."""
    return of_items.strip("().") == "a" and style.strip("().—") == "1"


def _blot_struck_text(reading: Reading) -> str:
    """The text with every struck-out letter masked in place: it is no longer law."""
    parts: list[str] = []
    at = 0
    marks = (mark for mark in reading.marks if mark.kind is MarkKind.STRUCK)
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        first, last = max(at, mark.start), min(len(reading.text), mark.end)
        if last > first:
            parts += (reading.text[at:first], _BLOT * (last - first))
            at = last
    text = "".join((*parts, reading.text[at:]))
    text = _DELETED.sub(lambda match: _BLOT * len(match[0]), text)
    # A footnote may follow the full stop of its sentence, which blots would hide.
    return _FOOTNOTE.sub(lambda match: " " * len(match[0]), text)
