"""Divides the text of a paper into passages that can be found and cited.

The text has no markup: what is a heading, a caption or the list of references is told by how a line
looks. Every line is looked at once, and each test is bounded, so that the time grows linearly with
the text whatever it contains.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assay.packs.literature.references.sections import find_reference_section, is_reference_heading
from assay.sdk.reading import Reading, split_sentences

LEAST, MOST = 900, 1_400
"""Characters of a passage; the last one of a section may be shorter."""
MOST_PASSAGES: Final = 20_000
"""Of one paper: what follows is left out."""
_LONGEST_HEADING: Final = 120
_LONGEST_NAME: Final = 200
_SHORTEST: Final = 25
"""Less than this between two headings is not worth a passage."""
_ABSTRACT: Final = "Abstract"
_ROMAN: Final = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_MOST_SKIPPED: Final = 2
"""How far the number of a chapter may be ahead: one heading may have been missed."""

_LINE = re.compile(r"[^\n]*+\n?+")
_NUMBERED = re.compile(
    r"(?:(?i:section|chapter)\s+)?(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}(?=\.))\.?"
    r"\s+(?P<name>[^\W\d_].*)"
)
_LETTERED = re.compile(r"(?:(?i:appendix)\s+)?[A-H](?:\.\d{1,2}){0,2}\.?\s+(?P<name>[^\W\d_].*)")
_KNOWN = re.compile(
    r"(?:abstract|summary|introduction|background|motivation|preliminaries|related works?"
    r"|prior work|literature review|materials? and methods?|methods?|methodology|approach"
    r"|experiments?|experimental (?:setup|results)|evaluation|results?(?: and discussion)?"
    r"|discussions?|limitations|conclusions?(?: and (?:future work|outlook))?|future work"
    r"|acknowledge?ments?|data availability(?: statement)?|author contributions"
    r"|(?:supplementary|supporting) (?:materials?|information)|appendi(?:x|ces)|keywords)"
    r"\s*[:.—–-]?",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|algorithm|listing|scheme)\s*\.?\s*[A-Z]?\d{1,3}[a-z]?\s*[.:|—–-]",
    re.IGNORECASE,
)
_RUN_IN = re.compile(r"abstract\s*[:.—–-]\s*(?=\S)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A passage of a paper, and its place in the text."""

    text: str
    start: int
    end: int
    page: int | None
    section: str
    """The heading above it; "Figure" or "Table" and its number for a caption."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A stretch of lines with the same heading."""

    section: str
    start: int
    end: int
    is_caption: bool = False


def divide_text(reading: Reading) -> list[TextPassage]:
    """The passages of a paper in the order of the text, without its list of references."""
    text = reading.text
    starts = [page.start for page in reading.pages]
    passages: list[TextPassage] = []
    for block in _find_blocks(text, reading.title or ""):
        for start, end in _pack_sentences(text, block):
            page = bisect_right(starts, start) - 1
            passages.append(
                TextPassage(
                    text[start:end],
                    start,
                    end,
                    reading.pages[page].number if page >= 0 else None,
                    block.section,
                )
            )
            if len(passages) == MOST_PASSAGES:
                return passages
    return passages


def _find_blocks(text: str, title: str) -> Iterator[_Block]:
    """The stretches between headings; captions are stretches of their own."""
    references = find_reference_section(text)
    headings = _HeadingReader()
    section = title[:_LONGEST_NAME]
    start = end = 0
    caption = ""
    for line in _LINE.finditer(text):
        words = line.group().strip()
        if references and references[0] <= line.start() < references[1]:
            if start < end:
                yield _Block(caption or section, start, end, bool(caption))
            start = end = line.end()
            caption, headings.in_appendix = "", True
            continue
        if not words:
            # A caption ends with its paragraph.
            if caption and start < end:
                yield _Block(caption, start, end, True)
                start, caption = line.end(), ""
            end = line.end()
            continue
        heading, skip = headings.read(words)
        named = _CAPTION.match(words) if heading is None else None
        if heading is not None or named is not None:
            if start < end:
                yield _Block(caption or section, start, end, bool(caption))
            start = line.start() if named else line.start() + skip
            caption = _name_caption(named.group()) if named else ""
            section = section if heading is None else heading
        end = line.end()
    if start < end:
        yield _Block(caption or section, start, end, bool(caption))


class _HeadingReader:
    """Tells headings from other lines. Numbers must follow each other, because items of lists and
    rows of tables begin with numbers as well."""

    def __init__(self) -> None:
        self._chapter = 0
        self.in_appendix = False

    def read(self, words: str) -> tuple[str | None, int]:
        """The heading that a line is, and how many of its characters are not text; None if it is
        not one. "Abstract—We show" is a heading with the text behind it."""
        run_in = _RUN_IN.match(words)
        if run_in is not None and run_in.end() < len(words):
            return _ABSTRACT, run_in.end()
        if len(words) > _LONGEST_HEADING or not self._is_heading(words):
            return None, 0
        name = " ".join(words.split())[:_LONGEST_NAME].rstrip(":.—–-")
        return (_ABSTRACT if name.casefold() == "abstract" else name), len(words)

    def _is_heading(self, words: str) -> bool:
        if _KNOWN.fullmatch(words) or is_reference_heading(words):
            return True
        if self.in_appendix and (lettered := _LETTERED.fullmatch(words)) is not None:
            return _looks_like_a_name(lettered["name"])
        numbered = _NUMBERED.fullmatch(words)
        if numbered is None or not _looks_like_a_name(numbered["name"]):
            return False
        first, *rest = numbered["number"].split(".")
        chapter = int(first) if first.isdecimal() else _ROMAN.index(first) if first in _ROMAN else 0
        if rest:
            return chapter == self._chapter
        if not 0 < chapter - self._chapter <= _MOST_SKIPPED:
            return False
        self._chapter = chapter
        return True


def _looks_like_a_name(name: str) -> bool:
    # A sentence that begins with a number ends like one, and a row of a table has more numbers.
    words = name.split()
    return (
        name[0].isupper()
        and name[-1] not in ".,;:"
        and len(words) <= 12
        and len(_WORD.findall(name)) * 2 >= len(words)
    )


def _name_caption(words: str) -> str:
    return " ".join(words.split()).rstrip(".:|—–- ")


def _pack_sentences(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    """Passages of whole sentences."""
    start = end = -1
    for sentence_start, sentence_end in _list_sentences(text, block):
        if start >= 0 and sentence_end - start > MOST:
            yield start, end
            start = -1
        if start < 0:
            start = sentence_start
        end = sentence_end
        if end - start >= LEAST:
            yield start, end
            start = -1
    if start >= 0 and (end - start >= _SHORTEST or block.is_caption):
        yield start, end


def _list_sentences(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    for start, end in split_sentences(text, block.start, block.end):
        if end - start <= MOST:
            yield start, end
        else:
            yield from _cut(text, start, end)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence that is longer than a passage, cut between words where it has any."""
    while end - start > MOST:
        place = max(text.rfind(" ", start + LEAST, start + MOST), -1)
        line = text.rfind("\n", start + LEAST, start + MOST)
        place = max(place, line)
        stop = place if place > start else start + MOST
        yield start, stop
        start = stop + 1 if place > start else stop
    if start < end:
        yield start, end


def describe_sections(passages: Sequence[TextPassage]) -> list[str]:
    """The headings of a paper in their order, each once."""
    return list(dict.fromkeys(passage.section for passage in passages if passage.section))
