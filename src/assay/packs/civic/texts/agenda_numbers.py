"""The numbers before the items of an agenda: `1.`, `4.B`, `(a)`, `IV.`, `A-1`, `Item 7:`."""

import re
from dataclasses import dataclass
from typing import Final

FILE_NUMBER: Final = r"(?:\d{2}-\d{3,5}|\d{4}-(?!(?:19|20)\d\d\b)\d{3,5}|\d{2}-\d{4}-S?\d{1,2})"
_FILE = re.compile(rf"({FILE_NUMBER})(?![\w-])|[\[(]({FILE_NUMBER})[\])]")
_FILE_LABEL = re.compile(
    r"File\s*(?:#|No\.?|Number)?\s{0,3}:\s{0,3}([A-Za-z]{0,4}[-\s]?\d[\w-]{1,14})"
    r"|File\s*(?:#|No\.|Number)\s{0,3}:?\s{0,3}([A-Za-z]{0,4}-?\d[\w-]{1,14})",
    re.IGNORECASE,
)
_ITEM_WORD = re.compile(r"(?:agenda\s+)?item\s{0,3}(?:no\.?|number|#)?\s{0,3}", re.IGNORECASE)
_DECIMAL = re.compile(r"(\d{1,2})((?:\.(?:\d{1,2}|[A-Za-z])){1,3})\.?\)?(?![\w.,%/-])")
_LETTER_NUMBER = re.compile(r"([A-Z])(?:\.-|[-.])?(\d{1,2})(?:[.):](?!\d)|(?=\s|$))")
_NUMBER_LETTER = re.compile(r"(\d{1,2})-?([A-Z]|[a-z])[.):](?=\s|$)")
_NUMBER = re.compile(r"(\d{1,3})([.)])(?=\s|$|[A-Z])|\((\d{1,3})\)(?=\s|$)")
_BARE_NUMBER = re.compile(rf"(\d{{1,3}})(?=\t|\s{{3}}|$|\s+{FILE_NUMBER}\b)")
_NAMED_NUMBER = re.compile(r"(\d{1,3})(?=\s|$|[:–—-])")
_LETTERS = re.compile(r"([A-Za-z]{1,7})([.)])(?=\s|$)|\(([A-Za-z]{1,7})\)(?=\s|$)")
_BARE_LETTER = re.compile(rf"([A-Z])(?=\s+{FILE_NUMBER}\b)")
_AFTER = re.compile(r"[\s:.–—-]{0,6}")
_ROMAN = re.compile(r"(?=.)(X{0,3})(IX|IV|V?I{0,3})", re.IGNORECASE)
_VALUES: Final = {"i": 1, "v": 5, "x": 10}


@dataclass(frozen=True, slots=True)
class NumberReading:
    """One way to read a number: its kind, and its place as `(4, 2)` for `4.B`."""

    style: str
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ItemNumber:
    """A number at the beginning of a line."""

    printed: str
    """Without the punctuation around it, such as `4.B`."""
    readings: tuple[NumberReading, ...]
    """What it may mean: `I.` is a Roman one or the ninth letter."""
    length: int
    """How many characters of the line belong to it, and to the file number after it."""
    matter_file: str | None
    is_named: bool
    """Whether the word "item" introduces it."""


def read_item_number(words: str) -> ItemNumber | None:
    """The number at the beginning of a line, if there is one."""
    named = _ITEM_WORD.match(words)
    at = named.end() if named else 0
    found = _read_label(words, at, is_named=named is not None)
    if found is None:
        return None
    printed, readings, end = found
    end = _skip_separators(words, end)
    matter_file = None
    if file := read_file_number(words[end : end + 60]):
        matter_file, length = file
        end = _skip_separators(words, end + length)
    return ItemNumber(printed, readings, end, matter_file, named is not None)


def read_file_number(words: str) -> tuple[str, int] | None:
    """A file number at the beginning, such as `25-0123` or `File #: 25-0123`, and its length."""
    if labelled := _FILE_LABEL.match(words):
        return labelled[1] or labelled[2], labelled.end()
    bare = _FILE.match(words)
    return (bare[1] or bare[2], bare.end()) if bare else None


def _skip_separators(words: str, at: int) -> int:
    after = _AFTER.match(words, at)
    return after.end() if after else at


def _read_label(
    words: str, at: int, *, is_named: bool
) -> tuple[str, tuple[NumberReading, ...], int] | None:
    prefix = "item " if is_named else ""
    if found := _DECIMAL.match(words, at):
        parts = found[2].split(".")[1:]
        path = (int(found[1]), *(int(p) if p.isdigit() else _rank_letter(p) for p in parts))
        kinds = "".join("n" if p.isdigit() else "a" for p in parts)
        return found[1] + found[2], (NumberReading(f"{prefix}n{kinds}", path),), found.end()
    if found := _LETTER_NUMBER.match(words, at):
        path = (_rank_letter(found[1]), int(found[2]))
        printed = found.group().rstrip(".):")
        return printed, (NumberReading(f"{prefix}an", path),), found.end()
    if found := _NUMBER_LETTER.match(words, at):
        path = (int(found[1]), _rank_letter(found[2]))
        printed = found.group().rstrip(".):")
        return printed, (NumberReading(f"{prefix}na", path),), found.end()
    if found := _NUMBER.match(words, at):
        printed = found[1] or found[3]
        style = f"{prefix}1{found[2] or '()'}"
        return printed, (NumberReading(style, (int(printed),)),), found.end()
    bare = _NAMED_NUMBER if is_named else _BARE_NUMBER
    if found := bare.match(words, at):
        return found[1], (NumberReading(f"{prefix}1", (int(found[1]),)),), found.end()
    if found := _LETTERS.match(words, at):
        printed = found[1] or found[3]
        letters = _read_letters(printed, f"{prefix}{{}}{found[2] or '()'}")
        return (printed, letters, found.end()) if letters else None
    if found := _BARE_LETTER.match(words, at):
        return found[1], (NumberReading("A", (_rank_letter(found[1]),)),), found.end()
    return None


def _read_letters(printed: str, style: str) -> tuple[NumberReading, ...]:
    case = "u" if printed.isupper() else "l"
    if not (printed.isupper() or printed.islower()):
        return ()
    readings = []
    if _ROMAN.fullmatch(printed):
        readings.append(NumberReading(style.format(f"{case}roman"), (_read_roman(printed),)))
    if len(set(printed)) == 1 and len(printed) <= 3:
        rank = _rank_letter(printed[0]) + 26 * (len(printed) - 1)
        readings.append(NumberReading(style.format(f"{case}letter"), (rank,)))
    return tuple(readings)


def _rank_letter(letter: str) -> int:
    return ord(letter.lower()) - ord("a") + 1


def _read_roman(printed: str) -> int:
    values = [_VALUES[letter] for letter in printed.lower()]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)
