"""Numbers in a text: digits with the separators of any language, and words.

Several may share a unit: `od 500 do 5.000 eura`, `13 i 25 %`, `EUR 500 to 5,000`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from assay.ruling.facts.values.dates import scan_dates
from assay.ruling.facts.values.number_words import SCALES, SHORT_SCALES, scan_word_numbers

NUMERIC_TYPES = frozenset({"currency", "percentage", "threshold", "count", "number"})
"""The value types whose values are numbers."""
MAX_DIGITS = 24
"""Numbers with more digits do not occur in laws."""

# Markdown writes `60\.000` so that no list begins there.
_CHUNK = re.compile(r"[0-9]++(?:(?:\\?[.,]|['’ \u00a0\u202f\u2009])[0-9]++)*+")
_SPACE = re.compile("[ \u00a0\u202f\u2009]")
_GROUPS = re.compile(r"[0-9]{3}(?:[.,][0-9]++)?")
_SCALE = re.compile("[ \u00a0\u202f]?([^\\W\\d_]{2,12}+)")
_LETTERS_BEFORE = re.compile(r"(?<![^\W_])[^\W\d_]{1,4}+$")
_LETTERS_AFTER = re.compile(r"[^\W\d_]{1,5}+(?![\w])")
_TOUCHING = "st nd rd th eur eura euro euros kn hrk usd gbp chf m mn bn k mio mil mrd dm km"
_MAY_TOUCH = frozenset(_TOUCHING.split())
"""Letters that may touch a number without forming one token with it."""
_DECIMAL_MARK = {"hr": ",", "de": ",", "en": "."}


@dataclass(frozen=True, slots=True)
class NumberAt:
    """A number in a text, with everything that it can mean: `1.234` may be 1234 or 1.234."""

    start: int
    end: int
    readings: tuple[Decimal, ...]
    """With thousands first. `40.000` is never 40: nobody writes three meaningless zeros."""
    scale: int = 1
    """A million if the text has `3 Mio.`; the readings already include it."""


def format_number(number: Decimal) -> str:
    """A number in the canonical form of facts: no trailing zeros, separators or exponent."""
    plain = format(number, "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in ("-0", "") else plain


def scan_numbers(text: str, language: str | None = None) -> list[NumberAt]:
    """The numbers in a text, in order, except those in dates and longer tokens.

    A language restricts the readings to its conventions, and the words to its own.
    """
    dated = [(date.start, date.end) for date in scan_dates(text, language)]
    digits = [*_find_digit_numbers(text, language)]
    taken = [*dated, *((number.start, number.end) for number in digits)]
    words = [
        NumberAt(start, end, (value,)) for start, end, value in scan_word_numbers(text, language)
    ]
    free = [*exclude_taken(digits, dated), *exclude_taken(words, taken)]
    return _drop_overlapping(sorted(free, key=lambda number: (number.start, -number.end)))


def read_number(text: str, language: str) -> Decimal | None:
    """The number that a text consists of, as the language writes it; None if it is not one."""
    plain = text.strip()
    found = scan_numbers(plain, language)
    if len(found) != 1 or found[0].start > 1 or found[0].end != len(plain):
        return None
    sign, number = plain[: found[0].start], found[0].readings[0]
    if sign not in ("", "-", "−", "+"):
        return None
    return -abs(number) if sign in ("-", "−") else number


def exclude_taken(numbers: list[NumberAt], taken: list[tuple[int, int]]) -> Iterator[NumberAt]:
    """The numbers that do not overlap a taken span, in order."""
    place, taken = 0, sorted(taken)
    for number in sorted(numbers, key=lambda number: number.start):
        while place < len(taken) and taken[place][1] <= number.start:
            place += 1
        if place == len(taken) or taken[place][0] >= number.end:
            yield number


def _drop_overlapping(numbers: list[NumberAt]) -> list[NumberAt]:
    """Without numbers inside the one before: the same word in two languages."""
    distinct: list[NumberAt] = []
    for number in numbers:
        if not distinct or number.start >= distinct[-1].end:
            distinct.append(number)
    return distinct


def _find_digit_numbers(text: str, language: str | None) -> Iterator[NumberAt]:
    for chunk in _CHUNK.finditer(text):
        for start, end in _split_chunk(chunk.group(), chunk.start()):
            number = _read_digits(text, start, end, language)
            if number is not None:
                yield number


def _split_chunk(chunk: str, offset: int) -> Iterator[tuple[int, int]]:
    """A run of digits, split at spaces that do not group thousands."""
    start, last, first = 0, 0, True
    for space in _SPACE.finditer(chunk):
        end = space.start()
        group, last = chunk[last:end], space.end()
        follows = _GROUPS.match(chunk, space.end())
        ends = follows is not None and chunk[follows.end() : follows.end() + 1] in _ENDS
        fits = group.isdigit() and (len(group) == 3 or (first and len(group) < 3))
        if ends and fits and not (first and group.startswith("0")):
            first = False
            continue
        yield offset + start, offset + end
        start, first = space.end(), True
    yield offset + start, offset + len(chunk)


_ENDS = frozenset({"", " ", "\u00a0", "\u202f", "\u2009"})


def _read_digits(text: str, start: int, end: int, language: str | None) -> NumberAt | None:
    if not _stands_alone(text, start, end):
        return None
    written = _SPACE.sub(" ", text[start:end]).replace("’", "'").replace("\\", "")
    readings = _list_readings(written, language)
    if text[start - 1 : start] == "." and text[start - 2 : start - 1] in _OPENS and start > 0:
        # `.5` in English texts.
        readings, start = _read_decimal("0", written), start - 1
    if not readings:
        return None
    readings = _apply_sign(text, start, readings)
    scale = _SCALE.match(text, end)
    word = scale.group(1).casefold() if scale else ""
    factor = SCALES.get(word)
    if scale is None or factor is None:
        return NumberAt(start, end, readings)
    end = scale.end() + (word in SHORT_SCALES and text[scale.end() : scale.end() + 1] == ".")
    return NumberAt(start, end, tuple(reading * factor for reading in readings), factor)


_OPENS = frozenset({"", " ", "\u00a0", "\t", "\n", "(", "$", "£", "€"})


_TORN = re.compile(r"[0-9][.,][ \u00a0\u202f\u2009]$")
"""Before the `000` of `15. 000`, a number with a space that does not belong there."""


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the digits are not part of a longer token: A40, 40a, 115/16, 12:30, COVID-19."""
    before, after = text[max(0, start - 6) : start], text[end : end + 6]
    if text[start] == "0" and text[start + 1 : start + 3].isdigit() and _TORN.search(before):
        return False
    if before[-1:].isalnum() or before[-1:] == "_":
        letters = _LETTERS_BEFORE.search(before)
        if letters is None or letters.group().casefold() not in _MAY_TOUCH:
            return False
    if after[:1].isalnum() or after[:1] == "_":
        letters = _LETTERS_AFTER.match(after)
        if letters is None or letters.group().casefold() not in _MAY_TOUCH:
            return False
    if before[-1:] in ("/", ":") and before[-2:-1].isdigit():
        return False
    if after[:1] in ("/", ":") and after[1:2].isdigit():
        return False
    return not (before[-1:] == "-" and before[-2:-1].isalpha())


def _apply_sign(text: str, start: int, readings: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    sign, before = text[start - 1 : start] if start else "", text[max(0, start - 2) : start][:-1]
    if sign not in ("-", "−") or before not in _OPENS:
        return readings
    if sign == "-" and text[max(0, start - 5) : start - 1].rstrip()[-1:].isdigit():
        # `5 -10`: from five to ten.
        return readings
    negative = tuple(-reading for reading in readings)
    # At the start of a line, a hyphen may be a bullet.
    return readings + negative if sign == "-" and before in ("", "\n") else negative


def _list_readings(written: str, language: str | None) -> tuple[Decimal, ...]:
    """What digits with separators can mean; nothing if they are not a number."""
    if sum(character.isdigit() for character in written) > MAX_DIGITS:
        return ()
    marks = [character for character in written if not character.isdigit()]
    if not marks:
        return (Decimal(written),)
    last, others = marks[-1], set(marks[:-1])
    if not others and last in ".,":
        return _read_one_mark(*written.split(last), mark=last, language=language)
    if others == {last} or last in " '":
        return _read_grouped(written, last) if others <= {last} else ()
    if len(others) > 1 or last not in ".,":
        return ()
    head, decimals = written.rsplit(last, 1)
    whole = _read_grouped(head, marks[0])
    return _read_decimal(str(whole[0]), decimals) if whole else ()


def _read_one_mark(
    left: str, right: str, *, mark: str, language: str | None
) -> tuple[Decimal, ...]:
    if len(right) != 3 or len(left) > 3 or left.startswith("0"):
        return _read_decimal(left, right)
    thousands = (Decimal(left + right),)
    if language in _DECIMAL_MARK:
        return _read_decimal(left, right) if _DECIMAL_MARK[language] == mark else thousands
    return thousands if right == "000" else thousands + _read_decimal(left, right)


def _read_decimal(left: str, right: str) -> tuple[Decimal, ...]:
    return (Decimal(f"{left}.{right}"),) if right.isdigit() and left.isdigit() else ()


def _read_grouped(written: str, mark: str) -> tuple[Decimal, ...]:
    first, *groups = written.split(mark)
    fits = 1 <= len(first) <= 3 and not first.startswith("0")
    if not fits or not all(len(group) == 3 and group.isdigit() for group in groups):
        return ()
    return (Decimal(first + "".join(groups)),) if first.isdigit() else ()


_LINK = re.compile(
    "[ \\t\\n\u00a0\u202f]{0,3}"
    "(?:i|ili|odnosno|te|a|do|na|and|or|to|und|oder|bis|bzw\\.|beziehungsweise|auf|-|–|—)"
    "(?:[ \\n\u00a0\u202f]{1,3}(?:najviše|do|up to|zu|höchstens|at most|not more than))?"
    "[ \\t\\n\u00a0\u202f]{0,3}",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile("[ \\t\\n\u00a0\u202f]{0,3}[(]")
_COMMA = re.compile(",[ \\n\u00a0]{1,2}")
T = TypeVar("T")


def share_units(
    text: str,
    numbers: Sequence[NumberAt],
    found: dict[int, T],
    lent: Callable[[NumberAt, T], T],
    *,
    forwards: Callable[[T], bool] = lambda _: False,
) -> None:
    """Give the unit found at one number to the bare numbers that are linked with it.

    A unit after the last number counts for all; one before the first, only if `forwards` says so.
    """
    listed = False
    for place in range(len(numbers) - 1, 0, -1):
        first, second, given = numbers[place - 1], numbers[place], found.get(place)
        if given is None or forwards(given) or place - 1 in found:
            listed = False
        elif _is_linked(text, first, second) or (listed and _is_comma_between(text, first, second)):
            found[place - 1] = lent(first, given)
            listed = True
    for place in range(1, len(numbers)):
        first, second, given = numbers[place - 1], numbers[place], found.get(place - 1)
        lends = given is not None and place not in found and _is_linked(text, first, second)
        if given is not None and lends and forwards(given):
            found[place] = lent(second, given)


def _is_linked(text: str, first: NumberAt, second: NumberAt) -> bool:
    """Whether only a word such as `do`, `and` or `bis` is between two numbers."""
    if second.scale != first.scale:
        # `2 do 3 milijuna`: nobody means two, and nobody wrote two million.
        return False
    return _LINK.fullmatch(text, first.end, second.start) is not None


def _is_comma_between(text: str, first: NumberAt, second: NumberAt) -> bool:
    """Whether this is `5, 13` in `5, 13 i 25 %`, and not the year in `2025, 13 i 25 %`."""
    year = text[first.start : first.end].isdigit() and 1900 <= first.readings[0] <= 2199
    return not year and _COMMA.fullmatch(text, first.end, second.start) is not None


def find_number_start(text: str, numbers: Sequence[NumberAt], place: int) -> int:
    """Where a number starts that may be given twice: `thirty (30) days`, `1.000 (tisuću) eura`."""
    number, before = numbers[place], numbers[place - 1] if place else None
    if before is None or number.readings[0] != before.readings[0]:
        return number.start
    twice = _PARENTHESIS.fullmatch(text, before.end, number.start)
    return number.start if twice is None else before.start
