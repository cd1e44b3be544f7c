"""Walk through the lines of one article and find its paragraphs and points by their numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assay.packs.regulatory.acts.shapes import ProvisionKind
from assay.packs.regulatory.acts.trees.drafting import DEEPEST, ActDraft, ProvisionDraft
from assay.packs.regulatory.acts.trees.headings import Tradition
from assay.packs.regulatory.acts.trees.lines import ActLine
from assay.packs.regulatory.acts.trees.numbering import (
    MARKER,
    Number,
    NumberStyle,
    goes_on_with_number,
    read_number,
)
from assay.packs.regulatory.acts.trees.quoted_lines import CLOSERS, QuotedLines
from assay.sdk.reading import list_month_numbers

_FAR: Final = 40
"""How many numbers may be missing from a list, and how many lines ahead a doubt is resolved."""
_COUNTS_UNNUMBERED: Final = (Tradition.CROATIAN, Tradition.GERMAN)
_KEY_TERM: Final = re.compile(
    r"[A-Z“\"][^.()—\n]{0,120}(?:\([^()\n]{1,40}\)[^.()—\n]{0,60})?(?:\.—|[.—])\s*"
)
"""`Purpose.` in `(b) Purpose. (1) This part …`."""
_RANGE: Final = re.compile(r"(?:[-–—]|bis|und|through|to|and|do|i)\s*(?=\()")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ABOVE_ROMAN: Final = (NumberStyle.DIGITS, NumberStyle.LETTERS, NumberStyle.CAPITALS)
_MONTHS: Final = frozenset(list_month_numbers())


@dataclass(slots=True)
class _Level:
    """An open provision of a list, with the number it has."""

    number: Number
    draft: ProvisionDraft
    column: int
    """Where its number begins; only meaningful in Markdown."""


class ArticleWalker:
    """Reads the lines of one article or annex after the other."""

    def __init__(
        self, act: ActDraft, lines: Sequence[ActLine], tradition: Tradition, *, by_indent: bool
    ) -> None:
        self._act = act
        self._text = act.text
        self._lines = lines
        self._tradition = tradition
        self._by_indent = by_indent
        self._article = ProvisionDraft("")
        self._levels: list[_Level] = []
        self._closed: list[_Level] = []
        """The levels before text without a number ended them; a next number resumes them."""
        self._implicit: ProvisionDraft | None = None
        self._quoted = QuotedLines(self._text, lines)

    def walk(self, article: ProvisionDraft, first: int, last: int, start: int = -1) -> None:
        """Read lines of an article; `start` is where the first of them goes on after its number."""
        self._article, self._levels, self._closed, self._implicit = article, [], [], None
        at = first
        while at < last:
            line = self._lines[at]
            if at == first and start >= 0:
                line = line._replace(start=start)
            if line.start < line.end:
                end = self._find_quoted(at, last)
                if end >= at:
                    for quoted in self._lines[at : end + 1]:
                        self._get_current().add_words(quoted.start, quoted.end)
                    at = end + 1
                    continue
                self._read_line(line, at, last)
            at += 1

    def _find_quoted(self, at: int, last: int) -> int:
        """The last line of a quotation that begins here; -1 if none does."""
        if self._text[self._lines[at].start] not in CLOSERS or not self._leads_in():
            return -1
        return self._quoted.find_end(at, last)

    def _get_current(self) -> ProvisionDraft:
        if self._levels:
            return self._levels[-1].draft
        return self._implicit or self._article

    def _read_line(self, line: ActLine, at: int, last: int) -> None:
        start, column = line.start, line.indent
        numbered = False
        cited = not line.begins and at > 0 and self._is_cited(at)
        while not cited and (marker := MARKER.match(self._text, start, line.end)):
            if not self._place(marker, line, column, at, last, again=numbered):
                break
            start, numbered = marker.end(), True
            self._skip_range(start, line.end)
            column += marker.end() - marker.start()
            if self._tradition is Tradition.AMERICAN:
                start = self._read_key_term(start, line.end)
        if start < line.end:
            if not numbered and line.begins:
                self._close_lists(line)
            self._get_current().add_words(start, line.end)

    def _is_cited(self, at: int) -> bool:
        """Whether a line goes on with a reference of the line before it."""
        before, line = self._lines[at - 1], self._lines[at]
        return goes_on_with_number(self._text, (before.start, before.end), (line.start, line.end))

    def _skip_range(self, start: int, end: int) -> None:
        """Go on counting after the last number of `(c)-(g) [Reserved]` or `(3) bis (6)`."""
        if found := _RANGE.match(self._text, start, end):
            last = MARKER.match(self._text, found.end(), end)
            style = self._levels[-1].number.style
            for number in read_number(last[0].strip()) if last else ():
                if number.style is style:
                    self._levels[-1].number = number

    def _read_key_term(self, start: int, end: int) -> int:
        """Take the title of an American paragraph, if a number follows it on its line."""
        term = _KEY_TERM.match(self._text, start, end)
        marker = MARKER.match(self._text, term.end(), end) if term else None
        if term is None or marker is None:
            return start
        numbers = read_number(marker[0].strip())
        if not any(one.is_first and one.style is not NumberStyle.DASH for one in numbers):
            # The dash of "In general.— The plan …" begins no list.
            return start
        self._levels[-1].draft.heading.append((start, start + len(term[0].rstrip())))
        return term.end()

    def _place(
        self,
        marker: re.Match[str],
        line: ActLine,
        column: int,
        at: int,
        last: int,
        *,
        again: bool,
    ) -> bool:
        """Open the provision that a number begins, unless it is not one."""
        numbers = read_number(marker[0].strip())
        word = _WORD.match(self._text, marker.end(), line.end)
        if marker["stop"] and word and word[0].casefold() in _MONTHS:
            return False
        if self._by_indent and not again:
            while self._levels and self._levels[-1].column > column:
                self._levels.pop()
        found = self._choose(numbers, line, column, at, last, again=again)
        if found is None:
            return False
        depth, number = found
        del self._levels[depth:]
        self._closed = []
        self._open(number, marker[0].strip(), column)
        return True

    def _open(self, number: Number, printed: str, column: int) -> None:
        kind = self._choose_kind(number)
        parent = self._levels[-1].draft if self._levels else self._article
        if not self._levels and kind is ProvisionKind.POINT:
            if self._tradition in _COUNTS_UNNUMBERED and not self._is_annex():
                parent = self._implicit or self._open_implicit()
        elif not self._levels:
            self._implicit = None
        value = number.value or str(self._act.count(kind, parent))
        draft = self._act.add(kind, value, printed, parent)
        self._levels.append(_Level(number, draft, column))

    def _open_implicit(self) -> ProvisionDraft:
        """Begin a paragraph that has no number."""
        value = str(self._act.count(ProvisionKind.PARAGRAPH, self._article))
        self._implicit = self._act.add(ProvisionKind.PARAGRAPH, value, "", self._article)
        return self._implicit

    def _is_annex(self) -> bool:
        return self._article.path.startswith(ProvisionKind.ANNEX)

    def _choose_kind(self, number: Number) -> ProvisionKind:
        is_paragraph = not self._levels and (
            self._tradition is Tradition.AMERICAN or self._is_paragraph_number(number)
        )
        return ProvisionKind.PARAGRAPH if is_paragraph else ProvisionKind.POINT

    def _is_paragraph_number(self, number: Number) -> bool:
        """Whether a number is one of a paragraph, directly below the article."""
        if self._tradition is Tradition.AMERICAN or number.style is not NumberStyle.DIGITS:
            return False
        if self._is_annex() and self._tradition is not Tradition.GERMAN:
            return True
        return number.frame == ("." if self._tradition is Tradition.EUROPEAN else "()")

    def _choose(
        self,
        numbers: Sequence[Number],
        line: ActLine,
        column: int,
        at: int,
        last: int,
        *,
        again: bool,
    ) -> tuple[int, Number] | None:
        """At which depth a number belongs, and how to read it."""
        levels = self._levels
        if self._by_indent and not again and levels and column > levels[-1].column:
            first = next((one for one in numbers if one.is_first), None)
            return self._nest(first or numbers[0]) if numbers else None
        fresh = [one for one in numbers if one.is_first and self._may_nest(one)]
        leads = self._leads_in() or again or self._may_begin_titled_list(numbers, line)
        if fresh and leads and not self._is_next_letter(numbers, at, last):
            return self._nest(fresh[0])
        for gap in (1, _FAR):
            if gap > 1 and (again or not line.begins):
                break
            for depth in range(len(levels) - 1, -1, -1):
                for one in numbers:
                    if one.may_follow(levels[depth].number, gap):
                        return depth, one
            if fresh and (line.begins or not levels):
                return self._nest(fresh[0])
            if gap == 1 and line.begins and (resumed := self._resume(numbers)) is not None:
                return resumed
        if again or not line.begins:
            return None
        if numbers and self._is_paragraph_number(numbers[0]):
            # Paragraphs may be out of order, and the first one may have lost its number.
            return 0, numbers[0]
        return self._restart(numbers)

    def _resume(self, numbers: Sequence[Number]) -> tuple[int, Number] | None:
        """Go on with a list after text that seemed to end it."""
        for depth in range(len(self._closed) - 1, len(self._levels) - 1, -1):
            for one in numbers:
                if one.may_follow(self._closed[depth].number):
                    self._levels = self._closed[:depth]
                    return depth, one
        return None

    def _nest(self, number: Number) -> tuple[int, Number] | None:
        depth = 0 if self._is_paragraph_number(number) and not self._is_annex() else -1
        depth = len(self._levels) if depth < 0 else depth
        return (depth, number) if depth < DEEPEST else None

    def _may_nest(self, number: Number) -> bool:
        """Whether a list of this style may begin here: no list contains one of its own style.

        American paragraphs repeat digits and Roman numerals below capital letters.
        """
        levels = self._levels
        if self._is_paragraph_number(number) and not self._is_annex():
            return not any(self._is_paragraph_number(one.number) for one in levels)
        same = [
            depth
            for depth, one in enumerate(levels)
            if (one.number.style, one.number.frame) == (number.style, number.frame)
        ]
        if self._tradition is Tradition.AMERICAN and levels:
            above = levels[-1].number.style
            if number.style is NumberStyle.DIGITS:
                return above in (NumberStyle.CAPITALS, NumberStyle.LETTERS) and len(same) < 2
            if number.style is NumberStyle.ROMAN:
                # Below digits in regulations, below capital letters in the code.
                return above in _ABOVE_ROMAN and len(same) < 2
        return not same

    def _may_begin_titled_list(self, numbers: Sequence[Number], line: ActLine) -> bool:
        """Whether `(i)` may begin a list below a title without a colon: `(C) Procedure (i) …`."""
        if self._tradition is not Tradition.AMERICAN or not line.begins or not self._levels:
            return False
        return any(one.style in (NumberStyle.ROMAN, NumberStyle.CAPITAL_ROMAN) for one in numbers)

    def _is_next_letter(self, numbers: Sequence[Number], at: int, last: int) -> bool:
        """Whether `(i)` follows `(h)` instead of beginning a list: then `(j)` precedes `(ii)`.

        Below `(i)` that follows `(h)`, a list may begin with another `(i)`.
        """
        letters = (NumberStyle.LETTERS, NumberStyle.CAPITALS)
        letter = next((one for one in numbers if one.style in letters), None)
        if letter is None or letter.is_first:
            return False
        if not any(letter.may_follow(level.number) for level in self._levels):
            return False
        following = chr(ord(letter.value[-1]) + 1)
        for line in self._lines[at + 1 : min(last, at + _FAR)]:
            if marker := MARKER.match(self._text, line.start, line.end):
                value = marker[0].strip("(). \t\u00a0")
                if value == letter.value + ("i" if letter.value.islower() else "I"):
                    return False
                if value in (following, letter.value):
                    return True
        return not self._leads_in()

    def _leads_in(self) -> bool:
        """Whether the words so far announce a list, or there are none yet."""
        draft = self._get_current()
        stretches = draft.closing or draft.opening
        if not stretches:
            return not draft.has_parts and bool(self._levels)
        return self._text[stretches[-1][1] - 1] in ":—–"

    def _restart(self, numbers: Sequence[Number]) -> tuple[int, Number] | None:
        """A second list of the same style begins at the depth of the first."""
        for depth in range(len(self._levels) - 1, -1, -1):
            known = self._levels[depth].number
            for one in numbers:
                if one.is_first and (one.style, one.frame) == (known.style, known.frame):
                    return depth, one
        return None

    def _close_lists(self, line: ActLine) -> None:
        """End the lists that a line without a number does not belong to."""
        levels = self._levels
        if len(levels) > len(self._closed):
            self._closed = levels.copy()
        if self._by_indent:
            while levels and not self._contains(levels[-1], line.indent):
                levels.pop()
        elif levels and not self._leads_in():
            is_paragraph = len(levels) == 1 and self._is_paragraph_number(levels[0].number)
            if self._text[line.start].islower():
                if not is_paragraph:
                    levels.pop()
            elif self._tradition is not Tradition.AMERICAN or len(levels) > 1:
                keep = self._tradition is Tradition.AMERICAN or self._is_paragraph_number(
                    levels[0].number
                )
                del levels[1 if keep else 0 :]
        if not levels:
            self._continue_unnumbered()

    def _contains(self, level: _Level, indent: int) -> bool:
        """Whether text with this indent belongs to an item; a paragraph's text is not indented."""
        return indent > level.column or (
            indent == level.column and self._is_paragraph_number(level.number)
        )

    def _continue_unnumbered(self) -> None:
        """Count a paragraph without a number, where the tradition does."""
        if self._tradition not in _COUNTS_UNNUMBERED or self._is_annex():
            return
        implicit = self._implicit
        if implicit is None:
            if not self._article.has_parts:
                self._open_implicit()
        elif self._tradition is Tradition.CROATIAN:
            stretches = self._act.provisions[-1].opening or implicit.opening
            ended = not stretches or self._text[stretches[-1][1] - 1] in '.!?”“«"'
            if ended:
                self._open_implicit()
