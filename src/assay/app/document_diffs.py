"""The difference between two versions of a text, line by line and, within a line, word by word."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import starmap, zip_longest

Range = tuple[int, int]
_WORDS = re.compile(r"\d+(?:[.,:]\d+)*|\w+|\s+|[^\w\s]")
_MOST_LINES = 2_000
"""Of longer texts, the lines that both have exactly once are tied together first."""
_MOST_PAIRS = 1_000_000
"""Up to so many pairs of equal lines in all, every line is compared with every other one. A table
whose rows repeat has far more; what is left then counts as replaced."""
_MOST_WORDS = 2_000
_MOST_WORD_PAIRS = 1_000_000
"""The same for words: after that, lines are compared as wholes."""
_MOST_SUCCESSORS = 2_500
_MOST_LETTERS = 100_000
"""Up to so many pairs of lines, and so many letters in them, one is looked for that replaces
another."""
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


class _PairBudget:
    """What comparing may still cost: it takes time for each pair of equal members."""

    def __init__(self, pairs: int) -> None:
        self._left = pairs

    def allows(self, old: Sequence[str], new: Sequence[str]) -> bool:
        """Whether these may still be compared, which uses up some of it."""
        counts = Counter(new)
        pairs = sum(counts[each] for each in old if each in counts)
        if pairs > self._left:
            return False
        self._left -= pairs
        return True


@dataclass(frozen=True, slots=True)
class DiffRow:
    """Lines side by side: what was, and what is; one of them may be missing."""

    old: DiffLine | None
    new: DiffLine | None

    @property
    def is_same(self) -> bool:
        """Whether nothing changed here."""
        return self.old is not None and self.old.kind is DiffKind.SAME


def diff_texts(before: str, after: str, *, context: int = 0) -> Iterator[DiffLine]:
    """The lines that were removed and added, with so many unchanged ones around them.

    Space at the ends of lines and empty lines make no difference. Time grows with the length of
    the texts, whatever is in them.
    """
    lines = [
        line
        for row in mark_words(_compare_lines(before, after))
        for line in ((row.old,) if row.is_same else (row.old, row.new))
        if line is not None
    ]
    return _omit_distant_lines(lines, context)


def pair_texts(before: str, after: str) -> Iterator[DiffRow]:
    """All lines of both texts, those that correspond side by side.

    Their words are not compared: `mark_words` does that for the rows that are shown.
    """
    gone: list[DiffLine] = []
    come: list[DiffLine] = []
    for row in _compare_lines(before, after):
        if row.old is not None and row.new is not None:
            yield from starmap(DiffRow, zip_longest(gone, come))
            gone, come = [], []
            yield row
        elif row.old is not None:
            gone.append(row.old)
        elif row.new is not None:
            come.append(row.new)
    yield from starmap(DiffRow, zip_longest(gone, come))


def mark_words(rows: Iterable[DiffRow]) -> Iterator[DiffRow]:
    """The same rows, with the words that differ between a line and the one that replaces it."""
    budget = _PairBudget(_MOST_WORD_PAIRS)
    for row in rows:
        if row.is_same or row.old is None or row.new is None:
            yield row
        else:
            gone, come = _diff_words(row.old.text, row.new.text, budget)
            yield DiffRow(replace(row.old, changed=gone), replace(row.new, changed=come))


def _compare_lines(before: str, after: str) -> Iterator[DiffRow]:
    old, new = _split_lines(before), _split_lines(after)
    for tag, old_from, old_to, new_from, new_to in _match_lines(old, new):
        if tag == _EQUAL:
            for text in old[old_from:old_to]:
                line = DiffLine(DiffKind.SAME, text)
                yield DiffRow(line, line)
        else:
            yield from _diff_block(old[old_from:old_to], new[new_from:new_to])


Opcode = tuple[str, int, int, int, int]
_EQUAL = "equal"


def _match_lines(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """Which lines correspond, in the form of `SequenceMatcher`."""
    head = _count_equal(old, new)
    tail = _count_equal(old[head:][::-1], new[head:][::-1])
    codes: list[Opcode] = [(_EQUAL, 0, head, 0, head)] if head else []
    at_old, at_new = head, head
    end_old, end_new = len(old) - tail, len(new) - tail
    middle = old[head:end_old], new[head:end_new]
    budget = _PairBudget(_MOST_PAIRS)
    ties = _find_ties(*middle) if sum(map(len, middle)) > _MOST_LINES else []
    for tie_old, tie_new in [*((head + a, head + b) for a, b in ties), (end_old, end_new)]:
        codes += _match_block(old, new, (at_old, tie_old), (at_new, tie_new), budget)
        if tie_old < end_old:
            codes.append((_EQUAL, tie_old, tie_old + 1, tie_new, tie_new + 1))
        at_old, at_new = tie_old + 1, tie_new + 1
    if tail:
        codes.append((_EQUAL, end_old, len(old), end_new, len(new)))
    return codes


def _match_block(
    old: Sequence[str],
    new: Sequence[str],
    within_old: Range,
    within_new: Range,
    budget: _PairBudget,
) -> Iterator[Opcode]:
    """Lines between two ties; too many of the same ones replace each other as a whole."""
    (a, b), (c, d) = within_old, within_new
    if a == b and c == d:
        return
    if not budget.allows(old[a:b], new[c:d]):
        yield ("replace", a, b, c, d)
        return
    matcher = SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        yield (tag, a + old_from, a + old_to, c + new_from, c + new_to)


def _find_ties(old: Sequence[str], new: Sequence[str]) -> list[Range]:
    """Lines that both texts have exactly once, as many as come in the same order."""
    old_counts, new_counts = Counter(old), Counter(new)
    places = {line: at for at, line in enumerate(new) if new_counts[line] == 1}
    pairs = [
        (at, places[line])
        for at, line in enumerate(old)
        if old_counts[line] == 1 and line in places
    ]
    # The longest rising sequence of their places in the new text.
    ends: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else None)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    chain: list[Range] = []
    current = last[-1] if last else None
    while current is not None:
        chain.append(pairs[current])
        current = before[current]
    return chain[::-1]


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _count_equal(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines at the start are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))


def _diff_block(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffRow]:
    """Lines that replace others: each beside the one it replaces, as far as they correspond."""
    at_old, at_new = 0, 0
    for pair_old, pair_new in [*_find_successors(old, new), (len(old), len(new))]:
        for text in old[at_old:pair_old]:
            yield DiffRow(DiffLine(DiffKind.REMOVED, text), None)
        for text in new[at_new:pair_new]:
            yield DiffRow(None, DiffLine(DiffKind.ADDED, text))
        if pair_old < len(old):
            yield DiffRow(
                DiffLine(DiffKind.REMOVED, old[pair_old]), DiffLine(DiffKind.ADDED, new[pair_new])
            )
        at_old, at_new = pair_old + 1, pair_new + 1


def _find_successors(old: Sequence[str], new: Sequence[str]) -> list[Range]:
    """Which line replaces which: those that have most words in common, in the same order."""
    if len(old) == len(new):
        return [(at, at) for at in range(len(old))]
    letters = sum(map(len, old)) + sum(map(len, new))
    if len(old) * len(new) > _MOST_SUCCESSORS or letters > _MOST_LETTERS:
        return []
    words_old = [set(line.lower().split()) for line in old]
    words_new = [set(line.lower().split()) for line in new]
    # The best sum of likeness from here to the end, and whether it pairs these two lines.
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    likeness = [[_measure_likeness(a, b) for b in words_new] for a in words_old]
    for at in range(len(old) - 1, -1, -1):
        for place in range(len(new) - 1, -1, -1):
            alike = likeness[at][place]
            paired = alike + best[at + 1][place + 1] if alike >= _LEAST_ALIKE else 0.0
            best[at][place] = max(paired, best[at + 1][place], best[at][place + 1])
    found, at, place = list[Range](), 0, 0
    while at < len(old) and place < len(new):
        if best[at][place] == best[at + 1][place]:
            at += 1
        elif best[at][place] == best[at][place + 1]:
            place += 1
        else:
            found.append((at, place))
            at, place = at + 1, place + 1
    return found


def _measure_likeness(one: set[str], other: set[str]) -> float:
    """The share of their words that two lines have in common."""
    return 2 * len(one & other) / ((len(one) + len(other)) or 1)


Spans = tuple[tuple[int, int], ...]


def _diff_words(before: str, after: str, budget: _PairBudget) -> tuple[Spans, Spans]:
    """Where the words of two lines differ; nothing if they have little in common."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > _MOST_WORDS or not budget.allows(old, new):
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
