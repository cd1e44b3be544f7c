"""The words of one page, linked back to pdfium's characters."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from assay.reading.pdf.pdfium import PdfPage

_BROKEN_WORD = "\ufffe"
"""What pdfium writes for a hyphen at the end of a line; the next line is joined to it."""
_SOFT_HYPHEN = "\xad"
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd\uffff\ue000-\uf8ff]")
_UNTOLD = "\ufffd"
_WORD = re.compile(r"[^\W\d_]{2,}")
_SAMPLES = 24
_PRINTABLE = 0.8
_FEW_ODD = 0.05


class CharacterRun(NamedTuple):
    """A stretch of the page's text and the indexes of its characters, one to one."""

    start: int
    end: int
    source_start: int
    source_end: int


class PageWords(NamedTuple):
    """The text of a page."""

    text: str
    runs: tuple[CharacterRun, ...] = ()
    readable: bool = True
    """Whether its characters are readable letters."""
    cut: bool = False
    """Whether the page has more characters than requested."""

    @property
    def length(self) -> int:
        """Characters that carry meaning."""
        return len(self.text) - self.text.count(" ") - self.text.count("\n")

    def join_letters(self, count: int) -> str:
        """The characters in pdfium's order, so its indexes apply; a gap becomes a line end."""
        if len(self.runs) == 1 and self.runs[0].source_end == count:
            return self.text
        found = ["\n"] * count
        for run in self.runs:
            found[run.source_start : run.source_end] = self.text[run.start : run.end]
        return "".join(found)

    def offset_of(self, index: int) -> int | None:
        """Where one of pdfium's characters is in the text."""
        place = bisect_right(self.runs, index, key=lambda run: run.source_start) - 1
        if place < 0 or index >= self.runs[place].source_end:
            return None
        return self.runs[place].start + index - self.runs[place].source_start


def read_page_words(page: PdfPage, limit: int) -> PageWords:
    """Read the text of a page, up to a number of characters."""
    count = min(page.character_count, limit)
    raw_text = page.read_text(count)
    # One character for each, so one segment covers all lines of a page.
    text = raw_text.replace("\r\n", " \n")
    odd = not text.replace("\n", "").isprintable() or _UNTOLD in text
    readable = not text or _is_readable(text, page, odd)
    if odd:
        text = _ODD.sub(_replace_odd, text)
    if len(text) == count:
        runs: tuple[CharacterRun, ...] = (CharacterRun(0, count, 0, count),) if text else ()
    else:
        runs = tuple(_iter_runs(_map_indexes(page, text, count)))
    return PageWords(text, runs, readable, cut=count < page.character_count)


def _map_indexes(page: PdfPage, text: str, count: int) -> list[int]:
    """pdfium's index of each character, for text that does not have them all one to one."""
    spoken = page.text_indexes(count)
    if len(text) == len(spoken):
        return spoken
    found, unit = [], 0
    last = spoken[-1] if spoken else 0
    for character in text:
        found.append(spoken[unit] if unit < len(spoken) else last)
        unit += 2 if ord(character) > 0xFFFF else 1
    return found


def _iter_runs(indexes: list[int]) -> Iterator[CharacterRun]:
    start = 0
    for place in range(1, len(indexes) + 1):
        if place == len(indexes) or indexes[place] != indexes[place - 1] + 1:
            yield CharacterRun(start, place, indexes[start], indexes[place - 1] + 1)
            start = place


def _replace_odd(odd: re.Match[str]) -> str:
    """Replace an unprintable character with a printable one; always one for one."""
    if odd.group() != _BROKEN_WORD:
        return " "
    before, after = odd.string[odd.start() - 1 : odd.start()], odd.string[odd.end() : odd.end() + 1]
    # The page shows a hyphen. Between lower-case letters it only splits a word; in EU-wide or
    # COVID-19 it is part of the word.
    return _SOFT_HYPHEN if before.islower() and after.islower() else "-"


def _is_readable(text: str, page: PdfPage, has_odd: bool) -> bool:
    odd = len(_UNREADABLE.findall(text)) if has_odd else 0
    if odd > (1 - _PRINTABLE) * len(text):
        return False
    step = max(1, page.character_count // _SAMPLES)
    asked = range(step // 2, page.character_count, step)
    if odd <= _FEW_ODD * len(text) and 2 * sum(map(page.is_unmapped, asked)) <= len(asked):
        return True
    # If a font does not say which letters it has, its numbers may or may not be the letters;
    # shifted letters give themselves away by a lack of vowels.
    return _looks_spelt(text)


def _looks_spelt(text: str) -> bool:
    solid = "".join(text.split())
    plain = unicodedata.normalize("NFD", solid).lower()
    letters = sum("a" <= character <= "z" for character in plain)
    vowels = sum(map(plain.count, "aeiouy"))
    digits = sum(map(str.isdigit, solid))
    return letters + digits >= 0.6 * len(solid) and (not letters or vowels >= 0.25 * letters)


def looks_written(text: str) -> bool:
    """Whether a scanner's text layer is words, not the noise of failed recognition."""
    solid = "".join(text.split())
    if not solid:
        return False
    in_words = sum(map(len, _WORD.findall(text)))
    digits = sum(map(str.isdigit, solid))
    return (in_words + digits) >= 0.6 * len(solid)
