"""Where an instruction points: steps of a citation, their paths, and the order of numbers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from assay.packs.regulatory.acts.shapes import ProvisionKind

ARTICLE_LEVEL = 0
PARAGRAPH_LEVEL = 1
SUBPARAGRAPH_LEVEL = 1.5
POINT_LEVEL = 2
SENTENCE_LEVEL = 9
LAST = "last"
"""The number of a last subparagraph or sentence."""

_ROMAN = re.compile(r"(?=[ivxlc])(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ROMAN_MARKS = (
    *(("c", 100), ("xc", 90), ("l", 50), ("xl", 40), ("x", 10)),
    *(("ix", 9), ("v", 5), ("iv", 4), ("i", 1)),
)
_INSERTED = re.compile(r"(\d+)([a-z]|[A-Z])")
"""The number of an article that was inserted after another one: 7a."""
_DIGITS_FIRST = re.compile(r"\d+")
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Step:
    """One part of a citation: "Absatz 2" is a paragraph with the number 2."""

    level: float
    kind: str
    number: str

    @property
    def segment(self) -> str:
        """An only annex has no number."""
        return f"{self.kind}_{self.number}" if self.number else self.kind


def article(number: str, kind: str = ProvisionKind.ARTICLE) -> Step:
    return Step(ARTICLE_LEVEL, kind, number)


def paragraph(number: str) -> Step:
    return Step(PARAGRAPH_LEVEL, ProvisionKind.PARAGRAPH, number)


def point(number: str, depth: int = 0) -> Step:
    """A point; `depth` 1 is a point of a point."""
    return Step(POINT_LEVEL + depth, ProvisionKind.POINT, number)


def subparagraph(number: str) -> Step:
    return Step(SUBPARAGRAPH_LEVEL, ProvisionKind.SUBPARAGRAPH, number)


def indent(number: str) -> Step:
    return Step(POINT_LEVEL, ProvisionKind.INDENT, number)


def sentence(number: str) -> Step:
    return Step(SENTENCE_LEVEL, ProvisionKind.SENTENCE, number)


def join_steps(steps: Iterable[Step]) -> str:
    return "__".join(step.segment for step in steps)


def combine(context: Sequence[Step], steps: Sequence[Step]) -> tuple[Step, ...]:
    """A citation read where another one is understood: "Absatz 2" within § 12 is § 12 Absatz 2."""
    if not steps:
        return tuple(context)
    if steps[0].kind == ProvisionKind.SUBPARAGRAPH:
        return _combine_subparagraph(context, steps)
    if context and is_inside(context[-1], steps[0]):
        deeper = max(0, context[-1].level + 1 - steps[0].level)
        steps = [_deepen(each, deeper) for each in steps]
    return (*(step for step in context if step.level < steps[0].level), *steps)


def is_inside(outer: Step, inner: Step) -> bool:
    """Whether a point can only be a part of another one, because no list has both their numbers:
    "point (3), points (g) and (h)"."""
    if not outer.kind == inner.kind == ProvisionKind.POINT or not outer.number or not inner.number:
        return False
    if outer.number[0].isdigit() != inner.number[0].isdigit():
        return True
    is_roman = read_roman(inner.number) is not None and read_roman(outer.number) is None
    return is_roman and not follows(inner.number, outer.number)


def _deepen(step: Step, by: float) -> Step:
    return replace(step, level=step.level + by) if step.kind == ProvisionKind.POINT else step


def _combine_subparagraph(context: Sequence[Step], steps: Sequence[Step]) -> tuple[Step, ...]:
    """A paragraph and a point may both have subparagraphs; the last provision named has."""
    lines = (ProvisionKind.SUBPARAGRAPH, ProvisionKind.SENTENCE)
    kept = [step for step in context if step.kind not in lines]
    level = kept[-1].level + 0.5 if kept else SUBPARAGRAPH_LEVEL
    return (*kept, replace(steps[0], level=max(level, SUBPARAGRAPH_LEVEL)), *steps[1:])


def split_path(path: str) -> list[tuple[str, str]]:
    """The kinds and numbers of a path's segments."""
    parts = []
    for segment in path.split("__") if path else ():
        kind, _, number = segment.partition("_")
        parts.append((kind, number))
    return parts


def last_number(path: str) -> str:
    return path.rpartition("__")[2].partition("_")[2]


def read_roman(number: str) -> int | None:
    """The value of a Roman numeral below 200; `None` for anything else."""
    if not number or not _ROMAN.fullmatch(number):
        return None
    values = [_ROMAN_VALUES[letter] for letter in number.lower()]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)


def read_letters(number: str) -> int | None:
    """The place of a letter in the alphabet; `aa` follows `z`."""
    if not number.isascii() or not number.isalpha() or len(set(number.lower())) > 1:
        return None
    return (len(number) - 1) * 26 + ord(number[0].lower()) - 96


def is_count(number: str) -> bool:
    """Whether a number consists of digits, and not of so many that they count nothing."""
    return number.isdecimal() and len(number) <= _MOST_DIGITS


def follows(number: str, before: str) -> bool:
    """Whether a number is the next one: 3 after 2, b after a, iv after iii, 2a after 2."""
    if is_count(number) and before[:1].isdecimal():
        # What was inserted after 4 comes between 4 and 5: 4a, 4b.
        lead = _DIGITS_FIRST.match(before)
        return lead is not None and is_count(lead.group()) and int(number) == int(lead.group()) + 1
    if number.isalpha() and before.isalpha() and number.isupper() == before.isupper():
        for read in (read_letters, read_roman):
            first, second = read(before), read(number)
            if first is not None and second is not None and second == first + 1:
                return True
        # Points that were inserted after (b): (ba), (bb).
        is_pair = len(number) == len(before) == 2 and number[0] == before[0]
        if is_pair and ord(number[1]) == ord(before[1]) + 1:
            return True
        if _is_inserted(number) and number[:-1] == before:
            return True
        if _is_inserted(before):
            return not _is_inserted(number) and follows(number, before[:-1])
    stem = _DIGITS_FIRST.match(number)
    return bool(stem and not number.isdigit() and before.startswith(stem.group()))


def _is_inserted(number: str) -> bool:
    """Whether letters were given to a point that was inserted after another one: (va) after (v)."""
    return len(number) > 1 and read_roman(number) is None and read_letters(number) is None


def is_first(number: str) -> bool:
    return number in {"1", "a", "A", "i", "I", "aa", "aaa"}


def order_key(number: str, siblings: Iterable[str]) -> tuple[int, ...]:
    """A key that sorts a number among its siblings: 2a after 2, (ba) after (b), and Roman numerals
    as such where they begin so."""
    lowered = {each.lower() for each in siblings}
    lower = number.lower()
    if number.isalpha() and "i" in lowered and "a" not in lowered:
        if (value := read_roman(number)) is not None:
            return (1, value)
        if (value := read_roman(number[:-1])) is not None:
            # What was inserted after (ii): (iia).
            return (1, value, ord(lower[-1]) - 96)
    if "z" in lowered and len(number) > 1 and number.isalpha() and number.isascii():
        # After (z) comes (aa), which otherwise was inserted after (a); then (ab) or (bb).
        is_double = lower[0] == lower[1] and lower[0] + "a" not in lowered
        if is_double or lower[0] == "a":
            key = (1, 26 + ord(lower[1]) - 96)
            return (*key, *(ord(each) - 96 for each in lower[2:]))
    parts = re.findall(r"\d+|[^\W\d_]+", lower)
    values = ([int(e)] if is_count(e) else [ord(letter) - 96 for letter in e] for e in parts)
    return (1, *chain.from_iterable(values))


def expand_range(first: str, last: str) -> list[str] | None:
    """The numbers from one to another, both included; `None` if they do not form a row."""
    if is_count(first) and is_count(last):
        low, high = int(first), int(last)
        return [str(each) for each in range(low, high + 1)] if low < high < low + 500 else None
    for read, write in ((read_roman, _write_roman), (read_letters, _write_letters)):
        low_value, high_value = read(first), read(last)
        if low_value is None or high_value is None or not low_value < high_value:
            continue
        if read is read_roman and len(first) == len(last) == 1 and first not in "iIvVxX":
            continue
        made = [write(each) for each in range(low_value, high_value + 1)]
        return [each.upper() for each in made] if first.isupper() else made
    inserted, until = _INSERTED.fullmatch(first), _INSERTED.fullmatch(last)
    if inserted and until and inserted[1] == until[1]:
        letters = expand_range(inserted[2], until[2])
        return [inserted[1] + each for each in letters] if letters else None
    prefix, dot, tail = first.rpartition(".")
    other, _, end = last.rpartition(".")
    if dot and prefix == other and is_count(tail) and is_count(end):
        inner = expand_range(tail, end)
        return [f"{prefix}.{each}" for each in inner] if inner else None
    return None


def _write_letters(value: int) -> str:
    repeat, place = divmod(value - 1, 26)
    return chr(97 + place) * (repeat + 1)


def _write_roman(value: int) -> str:
    written = ""
    for mark, worth in _ROMAN_MARKS:
        count, value = divmod(value, worth)
        written += mark * count
    return written
