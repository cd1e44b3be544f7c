"""Which numbers of an agenda count: the sequence decides, not the look of one line."""

import bisect
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.packs.civic.texts.agenda_numbers import ItemNumber, NumberReading

_LARGEST_GAP: Final = 3
_DEEPEST: Final = 6
_LONGEST_LIST: Final = 30
_NEVER_FIRST: Final = ("lletter", "lroman", "()")
_BELOW_STYLES: Final = ("nn", "na", "an")


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line that begins with a number, which may or may not be an item."""

    line: int
    number: ItemNumber
    is_heading: bool
    """Whether its title is short enough for a heading with items below it."""
    is_capitals: bool
    follows_section: bool
    """Whether an unnumbered heading is between it and the number before it."""
    follows_label: bool = False
    """Whether a label such as "Recommendation:" is between it and the number before it."""


@dataclass(slots=True)
class OutlineNode:
    """A number that fits the sequence."""

    source: NumberedLine
    style: str
    path: tuple[int, ...]
    parent: "OutlineNode | None"
    run: int
    """Which sequence of the document it belongs to."""
    is_part: bool
    """Whether it numbers the parts of an item, such as recommended actions, not items."""
    children: list["OutlineNode"] = field(default_factory=list)


def build_outline(numbered: Sequence[NumberedLine]) -> list[OutlineNode]:
    """All numbers that fit a sequence, in order; parts of items are marked as such."""
    return _OutlineBuilder(numbered).build()


class _OutlineBuilder:
    def __init__(self, numbered: Sequence[NumberedLine]) -> None:
        self._numbered = numbered
        self._stack: list[OutlineNode] = []
        self._nodes: list[OutlineNode] = []
        self._latest: dict[str, int] = {}
        self._runs = 0
        self._places: dict[tuple[str, tuple[int, ...]], list[int]] = defaultdict(list)
        for index, source in enumerate(numbered):
            for reading in source.number.readings:
                self._places[reading.style, reading.path].append(index)

    def build(self) -> list[OutlineNode]:
        rules = (self._continue_sequence, self._open_below, self._open_sequence, self._skip_number)
        for index, source in enumerate(self._numbered):
            for rule in rules:
                if any(rule(index, source, reading) for reading in source.number.readings):
                    break
        return self._nodes

    def _continue_sequence(self, index: int, source: NumberedLine, reading: NumberReading) -> bool:
        fitting = [depth for depth, node in enumerate(self._stack) if _follows(node, reading)]
        if not fitting:
            return False
        depth = fitting[-1]
        if len(fitting) > 1 and self._belongs_above(index, source, reading, fitting[-2:]):
            depth = fitting[-2]
        self._add(source, reading, depth)
        return True

    def _belongs_above(
        self, index: int, source: NumberedLine, reading: NumberReading, fitting: list[int]
    ) -> bool:
        """Whether a number that fits two sequences continues the outer one."""
        above, below = fitting
        inner = self._stack[below]
        if not inner.is_part:
            return False
        outer = self._stack[above]
        if inner.source.is_capitals != outer.source.is_capitals:
            return source.is_capitals == outer.source.is_capitals
        again = self._find_next(index, reading.style, reading.path)
        return any(
            index < self._find_next(index, style, (*reading.path, 1)) < again
            for style in _BELOW_STYLES
        )

    def _open_below(self, index: int, source: NumberedLine, reading: NumberReading) -> bool:
        """`4.1` below `4`, or `6.` below `C.` where the numbers run on through the sections."""
        if len(reading.path) > 1:
            for depth in range(len(self._stack) - 1, -1, -1):
                node = self._stack[depth]
                if _is_parent(node, reading) and not node.children and reading.path[-1] <= 2:
                    self._add(source, reading, depth + 1, is_part=node.is_part)
                    return True
            return False
        if self._latest.get(reading.style) != reading.path[0] - 1 or not self._stack:
            return False
        top = self._stack[-1]
        if top.style == reading.style or top.is_part or not _may_have_items(top, source):
            return False
        self._add(source, reading, len(self._stack))
        return True

    def _open_sequence(self, index: int, source: NumberedLine, reading: NumberReading) -> bool:
        if reading.path[-1] != 1 or len(reading.path) > 2:
            return False
        is_named = source.number.is_named
        if not self._stack or (is_named and not self._stack[0].source.number.is_named):
            self._add(source, reading, 0)
            return True
        top = self._stack[-1]
        is_below_named = self._stack[0].source.number.is_named and not is_named
        may_be_first = not is_below_named and not any(
            kind in reading.style for kind in _NEVER_FIRST
        )
        if len(reading.path) > 1:
            if may_be_first and (source.follows_section or not self._is_continued(index)):
                self._add(source, reading, 0)
                return True
            return False
        if any(node.style == reading.style for node in self._stack):
            if source.follows_section and not top.is_part:
                self._add(source, reading, 0)
            else:
                self._add(source, reading, len(self._stack), is_part=True)
        elif top.is_part or is_below_named or not _may_have_items(top, source):
            restarts = may_be_first and (source.follows_section or not self._is_continued(index))
            self._add(source, reading, 0 if restarts else len(self._stack), is_part=not restarts)
        else:
            self._add(source, reading, len(self._stack))
        return True

    def _skip_number(self, index: int, source: NumberedLine, reading: NumberReading) -> bool:
        """`V.` after `III.`: agendas leave numbers out, at the outermost level."""
        if not self._stack or len(reading.path) > 1:
            return False
        first = self._stack[0]
        gap = reading.path[0] - first.path[-1]
        if (
            first.style != reading.style
            or len(first.path) > 1
            or not 1 < gap <= _LARGEST_GAP
            or source.is_capitals != first.source.is_capitals
        ):
            return False
        self._add(source, reading, 0)
        return True

    def _add(
        self, source: NumberedLine, reading: NumberReading, depth: int, *, is_part: bool = False
    ) -> None:
        depth = min(depth, _DEEPEST)
        sibling = self._stack[depth] if depth < len(self._stack) else None
        parent = self._stack[depth - 1] if depth else None
        if sibling is not None and (depth or _follows(sibling, reading, _LARGEST_GAP)):
            is_part = sibling.is_part
        if depth == 0 and (sibling is None or not _follows(sibling, reading, _LARGEST_GAP)):
            self._runs += 1
        is_part = is_part or (parent is not None and parent.is_part)
        node = OutlineNode(source, reading.style, reading.path, parent, self._runs, is_part)
        if parent is not None:
            parent.children.append(node)
        del self._stack[depth:]
        self._stack.append(node)
        self._nodes.append(node)
        if not is_part and len(reading.path) == 1:
            self._latest[reading.style] = reading.path[0]

    def _is_continued(self, index: int) -> bool:
        """Whether one of the open sequences goes on soon."""
        return any(
            self._find_next(index, node.style, (*node.path[:-1], node.path[-1] + 1))
            <= min(index + _LONGEST_LIST, len(self._numbered) - 1)
            for node in self._stack
        )

    def _find_next(self, index: int, style: str, path: tuple[int, ...]) -> int:
        places = self._places.get((style, path), [])
        place = bisect.bisect_right(places, index)
        return places[place] if place < len(places) else len(self._numbered)


def _follows(node: OutlineNode, reading: NumberReading, gap: int = 1) -> bool:
    """Whether a number is the next one: `5` after `4`, `4.2` after `4.1`, `B-1` after `A-3`."""
    if node.style == reading.style:
        if node.path[:-1] == reading.path[:-1]:
            allowed = max(gap, 2) if len(node.path) > 1 else gap
            return 0 < reading.path[-1] - node.path[-1] <= allowed
        if len(node.path) == len(reading.path) and node.parent is None and reading.path[-1] == 1:
            return 0 < reading.path[0] - node.path[0] <= _LARGEST_GAP
        return False
    if node.parent is not None or reading.path[0] != node.path[0] + 1:
        return False
    is_numeric = _is_numeric(node.style) and _is_numeric(reading.style)
    if len(node.path) > 1 and len(reading.path) == 1:
        return is_numeric
    return is_numeric and len(reading.path) == 2 and reading.path[1] == 1


def _may_have_items(node: OutlineNode, below: NumberedLine) -> bool:
    """Whether numbers below a node are items: not below `4.2`, a file number or a label.

    A file number of its own makes an item of any of them.
    """
    source = node.source
    if below.number.matter_file is not None:
        return True
    is_item = len(node.path) > 1 or source.number.matter_file is not None or below.follows_label
    return source.is_heading and not is_item


def _is_parent(node: OutlineNode, reading: NumberReading) -> bool:
    if node.path != reading.path[:-1]:
        return False
    if len(node.path) > 1:
        return True
    return _is_numeric(node.style) == _is_numeric(reading.style) or "roman" in node.style


def _is_numeric(style: str) -> bool:
    return style.removeprefix("item ")[:1] in ("1", "n")
