"""The difference between two versions of a text, line by line and, within a line, word by word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

_WORDS = re.compile(r"\d+(?:[.,:]\d+)*|\w+|\s+|[^\w\s]")
_MOST_LINES = 4_000
"""Up to so many lines, common lines count as well: the result is better, and takes longer."""
_MOST_WORDS = 2_000
_LEAST_ALIKE = 0.5
"""The share of words that two lines have in common if one replaces the other."""


class DiffKind(StrEnum):
    """What a line of a difference is."""

    ADDED = "added"
    REMOVED = "removed"
    SAME = "same"
    OMITTED = "omitted"
    """It stands for lines that are the same in both and not shown."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a difference."""

    kind: DiffKind
    text: str
    changed: tuple[tuple[int, int], ...] = ()
    """From and to where its words differ from those of the line that it replaces, or that
    replaces it; empty if the whole line is new or gone."""


def diff_texts(before: str, after: str, *, context: int = 0) -> Iterator[DiffLine]:
    """The lines that were removed and added, with so many unchanged ones around them.

    Space at the ends of lines and empty lines make no difference.
    """
    old, new = _split_lines(before), _split_lines(after)
    head = _count_equal(old, new)
    tail = _count_equal(old[head:][::-1], new[head:][::-1])
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    lines: list[DiffLine] = [DiffLine(DiffKind.SAME, text) for text in old[:head]]
    matcher = SequenceMatcher(
        None, middle_old, middle_new, autojunk=len(middle_old) + len(middle_new) > _MOST_LINES
    )
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            lines += (DiffLine(DiffKind.SAME, text) for text in middle_old[old_from:old_to])
        else:
            lines += _diff_block(middle_old[old_from:old_to], middle_new[new_from:new_to])
    lines += (DiffLine(DiffKind.SAME, text) for text in old[len(old) - tail :])
    return _omit_distant_lines(lines, context)


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _count_equal(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines at the start are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))


def _diff_block(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """Lines that replace others: each beside the one it replaces, as far as they correspond."""
    if len(old) != len(new):
        yield from (DiffLine(DiffKind.REMOVED, text) for text in old)
        yield from (DiffLine(DiffKind.ADDED, text) for text in new)
        return
    for before, after in zip(old, new, strict=True):
        gone, come = _diff_words(before, after)
        yield DiffLine(DiffKind.REMOVED, before, gone)
        yield DiffLine(DiffKind.ADDED, after, come)


Spans = tuple[tuple[int, int], ...]


def _diff_words(before: str, after: str) -> tuple[Spans, Spans]:
    """Where the words of two lines differ; nothing if they have little in common."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > _MOST_WORDS:
        return (), ()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return (), ()
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _locate(old, [(code[1], code[2]) for code in codes]),
        _locate(new, [(code[3], code[4]) for code in codes]),
    )


def _locate(words: Sequence[str], ranges: Sequence[tuple[int, int]]) -> Spans:
    """Ranges of words as ranges of characters."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[a], starts[b]) for a, b in ranges if a < b)


def _omit_distant_lines(lines: Sequence[DiffLine], context: int) -> Iterator[DiffLine]:
    """The changes and the lines near them; one line stands for those left out in between."""
    shown: set[int] = set()
    for number, line in enumerate(lines):
        if line.kind is not DiffKind.SAME:
            shown.update(range(number - context, number + context + 1))
    hidden = 0
    for number, line in enumerate(lines):
        if number in shown:
            yield from _stand_for(hidden, context)
            hidden = 0
            yield line
        else:
            hidden += 1
    yield from _stand_for(hidden, context)


def _stand_for(hidden: int, context: int) -> Iterator[DiffLine]:
    if hidden and context:
        lines = "line" if hidden == 1 else "lines"
        yield DiffLine(DiffKind.OMITTED, f"{hidden} unchanged {lines}")
