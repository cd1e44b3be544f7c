"""Titles of agenda items and headings of sections: where they begin and end."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay.packs.civic.texts.agenda_lines import AgendaLine
from assay.packs.civic.texts.agenda_numbers import ItemNumber, read_file_number

_LABEL = re.compile(
    r"recommend(ation|ed)\b|(staff|council) report\b(?! on| of)|"
    r"(attachment|exhibit)s?\s*(\d|[A-Z]\b|:|\(|$)|"
    r"att \d|present(er|ed by)\b|sponsors?\b|draft (minutes|resolution|ordinance)\b|web form|"
    r"resolution link|communication link|\(?council communication|members of the public|"
    r"((requested |suggested |proposed )?(action|motion)s?|(fiscal|financial) impact|background|"
    r"summary|subject|from|contact|applicant|tags|documents?|department|purpose|history|time|"
    r"location|owner|website|code sections?|notes?|staff contact|project (planner|manager)|"
    r"council district|ceqa|legislative history)[^:]{0,25}:",
    re.IGNORECASE,
)
_SECTION_WORD = re.compile(
    r"consent|action|discussion|regular|study|closed|executive|special|public|new|old|unfinished|"
    r"general|other|council|commission|committee|board|staff|city|town|county|business|reports?|"
    r"hearings?|agenda|calendar|items?|session|presentations?|proclamations?|communications?|"
    r"comments?|correspondence|ordinances?|resolutions?|matters|announcements?|appointments?|"
    r"and|of|the|for|from|to|on|by|[&–-]"
)
_LETTERS = re.compile(r"[^\W\d_]")
_BRACKETS = re.compile(r"\([^()]{0,80}\)")
_LEADERS = re.compile(r"[\s._…]{4,}\d{1,4}$")
_UNFINISHED = re.compile(r"(?:[,&–—-]|\b(?:and|of|the|for|to|with|in|at|by|or))$", re.I)
_TIME = re.compile(r"\b\d{1,2}(:\d\d)?\s?[ap]\.?m\b", re.I)
_NAMED_ITEM = re.compile(r"(agenda )?item\s{0,3}(no\.?|#)?\s{0,3}\d", re.I)
_SENTENCE_END: Final = (".", ";", "!", "?")
_LONGEST_TITLE: Final = 900
_MOST_LINES: Final = 16
_FEWEST_WRAPS: Final = 5


@dataclass(frozen=True, slots=True)
class ReadTitle:
    """A title and its place in the text."""

    title: str
    start: int
    end: int
    first_line: int
    last_line: int


class AgendaTitles:
    """Reads the titles that follow numbers, or are above them in some vendors' PDFs."""

    def __init__(self, text: str, lines: Sequence[AgendaLine]) -> None:
        self._text = text
        self._lines = lines
        self._numbers: Mapping[int, ItemNumber] = {}
        self._known: dict[int, ReadTitle] = {}
        self._are_above = False
        wrapped = sum(line.wraps for line in lines)
        self._shows_wraps = wrapped >= _FEWEST_WRAPS and wrapped * 12 >= len(lines)
        lengths = sorted(len(line.words) for line in lines)
        self._width = max(40, lengths[len(lengths) * 9 // 10]) if lengths else 40

    def set_numbers(self, numbers: Mapping[int, ItemNumber]) -> None:
        """Name the lines that begin with a number: a title never runs into one of them."""
        self._numbers = numbers
        alone = [i for i, number in numbers.items() if number.matter_file and self._is_alone(i)]
        labelled = sum(i + 1 < len(self._lines) and self.is_label(i + 1) for i in alone)
        self._are_above = self._shows_wraps and bool(alone) and labelled * 2 >= len(alone)

    def get_number(self, index: int) -> ItemNumber | None:
        """The number at the beginning of a line."""
        return self._numbers.get(index)

    def list_covered_lines(self) -> set[int]:
        """The lines that belong to the title of a number."""
        covered: set[int] = set()
        for index in self._numbers:
            title = self.read(index)
            covered.update(range(title.first_line, title.last_line + 1))
        return covered

    def read(self, index: int) -> ReadTitle:
        """The title of the number that begins a line."""
        if index not in self._known:
            self._known[index] = self.read_after(index, self._numbers[index].length)
        return self._known[index]

    def read_after(self, index: int, length: int) -> ReadTitle:
        """The title on a line of which the first characters are not part."""
        line = self._lines[index]
        number = self._numbers.get(index)
        rest = line.words[length:].lstrip(" \t:-–—")
        if rest:
            return self._read_down(index, line.end - len(rest))
        if self._are_above and (number is None or number.matter_file):
            return self._read_up(index)
        below = index + 1
        if below < len(self._lines) and below not in self._numbers and not self.is_label(below):
            return self._read_down(below, self._lines[below].start)
        return ReadTitle("", line.end, line.end, index, index)

    def _read_down(self, first: int, start: int) -> ReadTitle:
        last = first
        end = self._lines[first].end
        while last + 1 < len(self._lines) and self._goes_on(first, start, last):
            last += 1
            end = self._lines[last].end
        return self._make(start, end, first, last)

    def _read_up(self, index: int) -> ReadTitle:
        first = index - 1
        if first < 0 or first in self._numbers or self._lines[index].follows_gap:
            return ReadTitle("", self._lines[index].end, self._lines[index].end, index, index)
        for _ in range(_MOST_LINES):
            above = first - 1
            if above < 0 or above in self._numbers or self._lines[first].follows_gap:
                break
            if not self._lines[above].wraps or self.is_label(first):
                break
            first = above
        return self._make(self._lines[first].start, self._lines[index - 1].end, first, index - 1)

    def _goes_on(self, first: int, start: int, last: int) -> bool:
        """Whether the line after `last` belongs to the title that began at `start`."""
        line, following = self._lines[last], self._lines[last + 1]
        if last + 1 - first >= _MOST_LINES or following.end - start > _LONGEST_TITLE:
            return False
        if last + 1 in self._numbers or following.follows_gap or self.is_label(last + 1):
            return False
        title = self._text[start : line.end]
        if is_capitals(title) and len(title.split()) > 1 and not is_capitals(following.words):
            return False
        if not line.wraps and read_file_number(following.words) is not None:
            return False
        if is_section(following.words) and not is_capitals(title):
            return False
        if _UNFINISHED.search(line.words[-12:]):
            return True
        if self._shows_wraps:
            return line.wraps
        if line.words.endswith(_SENTENCE_END) or line.words.endswith(":"):
            return False
        if following.words[:1].islower():
            return True
        return len(line.words) >= self._width * 0.7 and self._width < 160 and line.end - start > 0

    def is_label(self, index: int) -> bool:
        """Whether a line begins with a label such as "Recommendation:"."""
        return _LABEL.match(self._lines[index].words) is not None

    def _is_alone(self, index: int) -> bool:
        return not self._lines[index].words[self._numbers[index].length :].strip(" :-")

    def _make(self, start: int, end: int, first: int, last: int) -> ReadTitle:
        if end - start > _LONGEST_TITLE:
            end = max(self._text.rfind(" ", start, start + _LONGEST_TITLE), start + 1)
        words = " ".join(self._text[start:end].split())
        words = _LEADERS.sub("", words) if self._lines[last].has_leaders else words
        return ReadTitle(words.rstrip(" :"), start, end, first, last)


def is_capitals(words: str) -> bool:
    """Whether words are written in capitals, apart from what is in brackets."""
    letters = _LETTERS.findall(_BRACKETS.sub("", words[:400]))
    upper = sum(letter.isupper() for letter in letters)
    return len(letters) > 2 and upper * 10 >= len(letters) * 9


def is_heading(title: str) -> bool:
    """Whether a numbered title may have items below it: short, and not a sentence."""
    words = title.split()
    if not words or "$" in title or ". " in title or title.endswith(_SENTENCE_END):
        return bool(words) and len(words) <= 5 and title.endswith(".")
    has_digits = any(letter.isdigit() for letter in _TIME.sub("", title))
    if is_capitals(title):
        return len(words) <= 12 and not has_digits
    return len(words) <= 7 and not has_digits


def is_section(words: str) -> bool:
    """Whether an unnumbered line looks like the heading of a section."""
    if len(words) > 110 or words.endswith((".", ",", ";")):
        return False
    if _LABEL.match(words) or _NAMED_ITEM.match(words):
        return False
    if is_capitals(words):
        starts_with_time = ":" in words[1:3]
        return len(words.split()) <= 12 and (starts_with_time or not words[:1].isdigit())
    plain = words.rstrip(" :").casefold().replace("/", " ").split()
    return 2 <= len(plain) <= 6 and all(map(_SECTION_WORD.fullmatch, plain))
