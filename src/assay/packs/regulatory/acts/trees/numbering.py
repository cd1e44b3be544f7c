"""Numbers of provisions as they are printed, and which of them may follow which.

A number at the beginning of a line is a provision's only if it continues a list or begins one:
`10.` may be a point, or the rest of a date.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

_MOST_LETTERS_MISSING: Final = 3


class NumberStyle(StrEnum):
    """How a provision is numbered; numbers of one list share a style."""

    DIGITS = "1"
    LETTERS = "a"
    DOUBLE_LETTERS = "aa"
    TRIPLE_LETTERS = "aaa"
    ROMAN = "i"
    CAPITALS = "A"
    CAPITAL_ROMAN = "I"
    DASH = "-"


@dataclass(frozen=True, slots=True)
class Number:
    """One way to read a printed number: `(i)` is a letter or a Roman numeral."""

    style: NumberStyle
    frame: str
    """What surrounds it: `()`, `.`, `)`; numbers of one list share it."""
    value: str
    """Without what surrounds it, as in a path."""
    order: tuple[int, str]
    """To compare it with others of its style."""

    @property
    def is_first(self) -> bool:
        """Whether a list may begin with it."""
        return self.style is NumberStyle.DASH or self.order == (1, "")

    def may_follow(self, last: "Number", gap: int = 1) -> bool:
        """Whether it continues a list, in which up to `gap - 1` numbers may be missing."""
        if self.style is not last.style or self.frame != last.frame:
            return False
        if self.style is NumberStyle.DASH:
            return True
        if self.style is not NumberStyle.DIGITS:
            gap = min(gap, _MOST_LETTERS_MISSING)
        return last.order < self.order and self.order[0] - last.order[0] <= gap


DASHES: Final = "-–—•▪■·*"
MARKER: Final = re.compile(
    r"""(?:\((?P<round>\d{1,3}(?:[a-z]{1,2}|[A-Z]{1,3})?|[A-Za-zčćđšž]{1,3}|[ivxlc]{1,7}|[IVXLC]{1,7})\)
      | (?P<stop>\d{1,3}[a-zA-Z]{0,2}|[a-zčćđšž]|[ivx]{1,5}|[IVX]{1,5}|[A-Z])\.(?=\s|$|\()(?!\s\d)
      | (?P<half>\d{1,3}[a-z]{0,2}|[a-zčćđšž]{1,3}|[ivx]{1,5}|[A-Z])\)
      | (?P<dash>[-–—•▪■·*])(?=\s)
    )[ \t\u00a0]*""",
    re.VERBOSE,
)
"""A number at the beginning of a line."""
_CITES: Final = re.compile(
    r"(?<!\w)(?:§{1,2}|Abs(?:\.|atz|ätzen?|atzes)|Sätzen?|Satz(?:es)?|Nr\.|Nummern?"
    r"|Art(?:\.|ikeln?|ikels)|Buchst\.|Buchstaben?|Ziffern?|Anlagen?"
    r"|(?:pod)?sta(?:vak|vk\w{1,3}|vaka|vcima|vci)|član(?:ak|k\w{1,2}|aka|cima|ci)|čl\.|st\."
    r"|toč(?:\.|k\w{1,3}|aka)|broj\w{0,2}|br\.|No\.|Nos\.|(?:sub)?-?sections?"
    r"|(?:sub)?-?paragraphs?|articles?|regulations?|schedules?|clauses?|rules?)$",
    re.IGNORECASE,
)
"""How a line ends whose reference goes on with a number in the next one."""
_CITED: Final = re.compile(
    r"\d{1,4}[a-z]?\\?\.?\s+(?:stav|toč|alinej|podtoč|ovog|Abs\b|Absatz|Satz|Nr\.|Nummer"
    r"|Buchst|und\s\d)"
)
"""`107. stavka 3.`, `3 Absatz 2`: how a line goes on with a reference."""
_SHORTEST_LINE: Final = 25
"""A shorter line that ends with `Absatz` or the like may be a heading."""
_REACH: Final = 24
_DIGITS: Final = re.compile(r"(\d+)([A-Za-z]*)")
_ROMAN: Final = re.compile(r"(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_ONLY_CROATIAN: Final = frozenset("čćđšž")


def goes_on_with_number(text: str, before: tuple[int, int], line: tuple[int, int]) -> bool:
    """Whether the number that begins a line is part of a reference, as in `nach §` and `3 Absatz 2`
    in the next line."""
    first = text[line[0]]
    if not (first.isdigit() or first in "(\\"):
        return False
    words = text[max(before[0], before[1] - _REACH) : before[1]]
    if _CITES.search(words):
        return before[1] - before[0] > _SHORTEST_LINE
    return words[-1:] not in ("", ".", ";", ":") and _CITED.match(text, *line) is not None


@lru_cache(maxsize=4096)
def read_number(printed: str) -> tuple[Number, ...]:
    """Every way to read what `MARKER` matched."""
    if printed in DASHES:
        return (Number(NumberStyle.DASH, "", "", (0, "")),)
    match = MARKER.fullmatch(printed)
    if match is None:
        return ()
    frame, value = next(
        (frame, match[name])
        for name, frame in (("round", "()"), ("stop", "."), ("half", ")"))
        if match[name]
    )
    if digits := _DIGITS.fullmatch(value):
        order = (int(digits[1]), digits[2].lower())
        return (Number(NumberStyle.DIGITS, frame, value, order),)
    return tuple(_read_letters(value, frame))


def _read_letters(value: str, frame: str) -> list[Number]:
    lower = value.lower()
    capital = value.isupper()
    found: list[Number] = []
    if (roman := _count_roman(lower)) and (capital or value.islower()):
        style = NumberStyle.CAPITAL_ROMAN if capital else NumberStyle.ROMAN
        found.append(Number(style, frame, value, (roman, "")))
    if len(value) == 1 and lower in _LETTERS:
        style = NumberStyle.CAPITALS if capital else NumberStyle.LETTERS
        found.append(Number(style, frame, value, (_LETTERS.index(lower) + 1, "")))
    elif lower in _ONLY_CROATIAN:
        # Between the letters that they follow, so that `č)` may come after `c)` and before `d)`.
        place = _LETTERS.index({"č": "c", "ć": "c", "đ": "d", "š": "s", "ž": "z"}[lower]) + 1
        found.append(Number(NumberStyle.LETTERS, frame, value, (place, lower)))
    elif len(set(lower)) == 1 and len(value) in (2, 3) and value.islower():
        style = NumberStyle.DOUBLE_LETTERS if len(value) == 2 else NumberStyle.TRIPLE_LETTERS
        place = _LETTERS.find(lower[0]) + 1
        found.append(Number(style, frame, value, (place, "")))
    if len(value) == 2 and frame == "()" and value.isascii() and value.islower():
        # British: `(aa)` inserted after `(a)`, `(za)` before it.
        at = 0 if lower[0] == "z" else _LETTERS.index(lower[0]) + 1
        found.append(Number(NumberStyle.LETTERS, frame, value, (at, lower[1])))
    return found


def _count_roman(value: str) -> int:
    if not value or _ROMAN.fullmatch(value) is None:
        return 0
    total = 0
    for one, following in zip(value, value[1:] + " ", strict=True):
        amount = _ROMAN_VALUES[one]
        total += -amount if amount < _ROMAN_VALUES.get(following, 0) else amount
    return total
