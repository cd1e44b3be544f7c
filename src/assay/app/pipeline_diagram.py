"""Where stages, and the arrows between them, are drawn: in three bands, crossing no box.

The spine is the upper band, the packs are boxes in the middle, and the ruling is the lower band. In
a band, stages stand in columns, each to the right of those that lead to it. An arrow between
neighbours is a straight or slanted line. Every other arrow runs through the channel between two
bands, where each stage that is led to has a track of its own, shared by all who lead to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from assay.app.contracts import CORE_GROUPS
from assay.engine.contract import Stage

BOX_WIDTH: Final = 144
BOX_HEIGHT: Final = 56
_COLUMN = 169
_ROW = 72
_MARGIN = 6
_LANE = 14
"""Beside the packs, for an arrow that passes them."""
_TRACK = 11
_CHANNEL = 18
"""Between a band and the first track of a channel, and after the last one."""
_LINE = 21
_HEAD = 30
_LEAST_PACK_WIDTH = 230
_PACK_GAP = 20
_RADIUS = 6

Point = tuple[float, float]


@dataclass
class DiagramBox:
    """A stage, or a pack with its stages."""

    name: str
    x: float
    y: float
    width: float = BOX_WIDTH
    height: float = BOX_HEIGHT
    is_entry: bool = False
    """Whether a run begins here."""
    stages: tuple[str, ...] = ()
    """The stages of a pack; empty for a stage."""
    lines: tuple[float, ...] = ()
    """The baseline of each of these."""

    def rows(self) -> list[tuple[str, float]]:
        """Its stages with their baselines."""
        return list(zip(self.stages, self.lines, strict=True))


@dataclass(frozen=True)
class DiagramArrow:
    """A line from one box to another."""

    start: str
    end: str
    path: str
    heads: tuple[str, ...]
    """The paths of its arrowheads."""


@dataclass(frozen=True)
class PipelineDiagram:
    """Everything that is drawn."""

    width: float
    height: float
    boxes: tuple[DiagramBox, ...]
    arrows: tuple[DiagramArrow, ...]


@dataclass
class _Band:
    """Stages beside each other, with their columns and rows; row 0 is the longest chain."""

    cells: dict[str, tuple[int, int]]
    boxes: dict[str, DiagramBox] = field(default_factory=dict)

    @property
    def columns(self) -> int:
        return max((column for column, _ in self.cells.values()), default=-1) + 1

    @property
    def rows(self) -> int:
        return max((row for _, row in self.cells.values()), default=-1) + 1


def draw_pipeline(groups: Mapping[str, Sequence[Stage]]) -> PipelineDiagram:
    """Lay out the stages of each group, by the arrows that their contracts declare."""
    node = {
        stage.name: stage.name if group in CORE_GROUPS else group
        for group, stages in groups.items()
        for stage in stages
    }
    arrows = _list_arrows(groups, node)
    bands = [_place_band(groups.get(group, ()), arrows) for group in CORE_GROUPS]
    packs = {group: stages for group, stages in groups.items() if group not in CORE_GROUPS}
    entries = frozenset(s.name for stages in groups.values() for s in stages if s.entry)
    return _Drawing(bands, packs, arrows, entries).draw()


def _list_arrows(
    groups: Mapping[str, Sequence[Stage]], node: Mapping[str, str]
) -> list[tuple[str, str]]:
    found = {
        (node[stage.name], node[name]): None
        for stages in groups.values()
        for stage in stages
        for name in sorted(stage.next)
        if name in node and node[stage.name] != node[name]
    }
    return list(found)


def _place_band(stages: Sequence[Stage], arrows: Sequence[tuple[str, str]]) -> _Band:
    """Columns by the longest way there, the longest chain in the first row."""
    names = [stage.name for stage in stages]
    own = [(a, b) for a, b in arrows if a in names and b in names]
    forward = _drop_backward(names, own)
    column = _count_columns(names, forward)
    taken: set[tuple[int, int]] = set()
    cells: dict[str, tuple[int, int]] = {}
    main = _find_longest_chain(names, forward, column)
    linked = {name for arrow in forward for name in arrow}
    apart = [name for name in names if name not in _reach(main, own)]
    for name in [*main, *(n for n in names if n in linked and n not in main and n not in apart)]:
        row = 0 if name in main else 1
        ends = [column[b] for a, b in forward if a == name]
        span = range(column[name], max([*ends, column[name] + 1]))
        while name not in main and any((at, row) in taken for at in span):
            row += 1
        taken |= {(at, row) for at in ([column[name]] if name in main else span)}
        cells[name] = column[name], row
    return _Band(cells | _place_apart(apart, forward, _Band(cells)))


def _place_apart(
    apart: Sequence[str], forward: Sequence[tuple[str, str]], band: _Band
) -> dict[str, tuple[int, int]]:
    """Chains that nothing links to the others, in rows of their own."""
    cells: dict[str, tuple[int, int]] = {}
    column, row = 0, band.rows
    for name in _order_chains(apart, forward):
        if column >= max(band.columns, 1):
            column, row = 0, row + 1
        cells[name] = column, row
        column += 1
    return cells


def _order_chains(names: Sequence[str], forward: Sequence[tuple[str, str]]) -> list[str]:
    """The same names, with each after the one that leads to it."""
    ordered: list[str] = []
    for name in names:
        if name not in ordered:
            ordered.append(name)
            ordered += [b for a, b in forward if a == name and b not in ordered]
    return ordered


def _drop_backward(
    names: Sequence[str], arrows: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Without the arrows that close a circle."""
    kept: list[tuple[str, str]] = []
    for arrow in sorted(arrows, key=lambda a: names.index(a[0]) > names.index(a[1])):
        start, end = arrow
        if start not in _follow([end], kept):
            kept.append(arrow)
    return kept


def _follow(start: Iterable[str], arrows: Sequence[tuple[str, str]]) -> set[str]:
    """Everything that can be reached."""
    found, fresh = set(start), list(start)
    while fresh:
        name = fresh.pop()
        for a, b in arrows:
            if a == name and b not in found:
                found.add(b)
                fresh.append(b)
    return found


def _reach(start: Iterable[str], arrows: Sequence[tuple[str, str]]) -> set[str]:
    """The same, with arrows followed in both directions."""
    return _follow(start, [*arrows, *((b, a) for a, b in arrows)])


def _count_columns(names: Sequence[str], forward: Sequence[tuple[str, str]]) -> dict[str, int]:
    column = dict.fromkeys(names, 0)
    for _ in names:
        for a, b in forward:
            column[b] = max(column[b], column[a] + 1)
    # What nothing leads to stands right before what it leads to.
    for name in names:
        ends = [column[b] for a, b in forward if a == name]
        if ends and all(b != name for _, b in forward):
            column[name] = min(ends) - 1
    return column


def _find_longest_chain(
    names: Sequence[str], forward: Sequence[tuple[str, str]], column: Mapping[str, int]
) -> list[str]:
    if not names:
        return []
    chain = [max(names, key=lambda name: (column[name], -names.index(name)))]
    while before := [a for a, b in forward if b == chain[0] and column[a] == column[b] - 1]:
        chain.insert(0, max(before, key=lambda a: (len(_follow([a], forward)), -names.index(a))))
    return chain


class _Drawing:
    """Turns columns and rows into points."""

    def __init__(
        self,
        bands: Sequence[_Band],
        packs: Mapping[str, Sequence[Stage]],
        arrows: Sequence[tuple[str, str]],
        entries: frozenset[str],
    ) -> None:
        self.upper, self.lower = bands
        self.packs, self.arrows, self.entries = packs, arrows, entries
        columns = max(self.upper.columns, self.lower.columns, 1)
        self.width = 2 * _MARGIN + columns * _COLUMN - (_COLUMN - BOX_WIDTH)
        self.boxes: dict[str, DiagramBox] = {}
        self.ports: dict[tuple[str, bool], list[str]] = {}
        self.tracks: dict[tuple[int, str], float] = {}

    def draw(self) -> PipelineDiagram:
        long = [arrow for arrow in self.arrows if not self._is_direct(arrow)]
        self._place_upper(_MARGIN)
        below = self._open_channel(0, long, _MARGIN + self.upper.rows * _ROW - (_ROW - BOX_HEIGHT))
        below = self._place_packs(below, long)
        below = self._open_channel(1, long, below)
        self._place_lower(below)
        self._order_ports(long)
        direct = [self._draw_direct(arrow) for arrow in self.arrows if self._is_direct(arrow)]
        drawn = [arrow for arrow in direct if arrow is not None]
        drawn += [self._draw_long(arrow) for arrow in long]
        height = max(box.y + box.height for box in self.boxes.values()) + _MARGIN
        return PipelineDiagram(self.width, height, tuple(self.boxes.values()), tuple(drawn))

    def _level(self, name: str) -> int:
        return 0 if name in self.upper.cells else 2 if name in self.lower.cells else 1

    def _is_direct(self, arrow: tuple[str, str]) -> bool:
        """Whether it leads to the next column of its band, or past empty cells of its own row."""
        start, end = arrow
        for band in (self.upper, self.lower):
            if start in band.cells and end in band.cells:
                (a, row), (b, _) = band.cells[start], band.cells[end]
                return abs(a - b) == 1 or (row > 0 and b > a)
        return False

    def _place_upper(self, top: float) -> None:
        # The main row is the lowest: the channel is below it.
        for name, (column, row) in self.upper.cells.items():
            self._add_box(name, column, top + (self.upper.rows - 1 - row) * _ROW)

    def _place_lower(self, top: float) -> None:
        for name, (column, row) in self.lower.cells.items():
            self._add_box(name, column, top + row * _ROW)

    def _add_box(self, name: str, column: int, y: float) -> None:
        self.boxes[name] = DiagramBox(
            name, _MARGIN + column * _COLUMN, y, is_entry=name in self.entries
        )

    def _place_packs(self, top: float, long: Sequence[tuple[str, str]]) -> float:
        """The packs beside each other; gives where the next channel begins."""
        if not self.packs:
            return top
        lanes = sum(abs(self._level(a) - self._level(b)) == 2 for a, b in long)
        left = _MARGIN + lanes * _LANE
        room = self.width - _MARGIN - left
        per_row = max(1, min(len(self.packs), int((room + _PACK_GAP) // _LEAST_PACK_WIDTH)))
        width = (room + _PACK_GAP) / per_row - _PACK_GAP
        tallest = 0.0
        for place, (name, stages) in enumerate(self.packs.items()):
            if place and place % per_row == 0:
                top, tallest = top + tallest + _PACK_GAP, 0.0
            height = _HEAD + _LINE * len(stages) + 6
            tallest = max(tallest, height)
            self.boxes[name] = DiagramBox(
                name, left + place % per_row * (width + _PACK_GAP), top, width, height,
                stages=tuple(stage.name for stage in stages),
                lines=tuple(_HEAD + _LINE * (n + 0.65) for n in range(len(stages))),
            )  # fmt: skip
        return top + tallest

    def _open_channel(self, number: int, long: Sequence[tuple[str, str]], top: float) -> float:
        """Give each stage that is led to through this channel a track; where the band after it
        begins."""
        ends = dict.fromkeys(end for start, end in long if number in self._cross(start, end))
        for place, end in enumerate(sorted(ends, key=self._level)):
            self.tracks[number, end] = top + _CHANNEL + place * _TRACK
        return top + 2 * _CHANNEL + max(0, len(ends) - 1) * _TRACK

    def _cross(self, start: str, end: str) -> tuple[int, ...]:
        """The channels that an arrow runs through."""
        a, b = self._level(start), self._level(end)
        if a == b:
            return (0 if a == 0 else 1,)
        return tuple(range(min(a, b), max(a, b)))[:: 1 if a < b else -1]

    def _side(self, name: str, channel: int) -> bool:
        """Whether the channel is below a box."""
        return self._level(name) <= channel

    def _order_ports(self, long: Sequence[tuple[str, str]]) -> None:
        """Where lines leave and reach a box, from left to right as their other ends are."""
        for start, end in long:
            path = self._cross(start, end)
            out = self.ports.setdefault((start, self._side(start, path[0])), [])
            if end not in out:
                out.append(end)
            into = self.ports.setdefault((end, self._side(end, path[-1])), [])
            if "" not in into:
                into.append("")
        for (name, _), others in self.ports.items():
            own = self._middle(name)
            others.sort(key=lambda other: self._middle(other) if other else own)

    def _middle(self, name: str) -> float:
        box = self.boxes[name]
        return box.x + box.width / 2

    def _port(self, name: str, other: str, is_below: bool) -> Point:
        box, ports = self.boxes[name], self.ports[name, is_below]
        x = box.x + box.width * (ports.index(other) + 1) / (len(ports) + 1)
        return x, box.y + box.height if is_below else box.y

    def _draw_long(self, arrow: tuple[str, str]) -> DiagramArrow:
        start, end = arrow
        path = self._cross(start, end)
        first = self._port(start, end, self._side(start, path[0]))
        last = self._port(end, "", self._side(end, path[-1]))
        points: list[Point] = [first]
        for place, channel in enumerate(path):
            y = self.tracks[channel, end]
            points.append((points[-1][0], y))
            lane = _MARGIN + _LANE * 0.3
            points.append((last[0] if place == len(path) - 1 else lane, y))
        points.append(last)
        is_down = last[1] > points[-2][1]
        return DiagramArrow(start, end, _round(points), (_head(last, "down" if is_down else "up"),))

    def _draw_direct(self, arrow: tuple[str, str]) -> DiagramArrow | None:
        start, end = arrow
        a, b = self.boxes[start], self.boxes[end]
        is_double = (end, start) in self.arrows
        if a.x > b.x:
            # One line with two heads shows both directions.
            return None if is_double else self._draw_backward(a, b)
        here, there = (a.x + a.width, a.y + a.height / 2), (b.x, b.y + b.height / 2)
        turn = b.x - (_COLUMN - BOX_WIDTH)
        bend = (turn + b.x) / 2
        path = (
            f"M{here[0]:g} {here[1]:g}H{turn:g}"
            f"C{bend:g} {here[1]:g} {bend:g} {there[1]:g} {there[0]:g} {there[1]:g}"
        )
        heads = (_head(there, "right"), *((_head(here, "left"),) if is_double else ()))
        return DiagramArrow(start, end, path, heads)

    def _draw_backward(self, a: DiagramBox, b: DiagramBox) -> DiagramArrow:
        here, there = (a.x, a.y + a.height / 2), (b.x + b.width, b.y + b.height / 2)
        path = f"M{here[0]:g} {here[1]:g}L{there[0]:g} {there[1]:g}"
        return DiagramArrow(a.name, b.name, path, (_head(there, "left"),))


def _round(points: Sequence[Point]) -> str:
    """A line through these points, which turns at right angles, with rounded corners."""
    distinct = [p for p, q in pairwise([*points, (-1.0, -1.0)]) if p != q]
    path = f"M{distinct[0][0]:g} {distinct[0][1]:g}"
    for before, corner, after in zip(distinct, distinct[1:], distinct[2:], strict=False):
        a, b = _toward(corner, before), _toward(corner, after)
        path += f"L{a[0]:g} {a[1]:g}Q{corner[0]:g} {corner[1]:g} {b[0]:g} {b[1]:g}"
    return f"{path}L{distinct[-1][0]:g} {distinct[-1][1]:g}"


def _toward(start: Point, end: Point) -> Point:
    """A little way along a line."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = abs(dx) + abs(dy)
    part = min(_RADIUS, length / 2) / length if length else 0
    return start[0] + dx * part, start[1] + dy * part


_HEADS: Final = {
    "right": ((-7, -4), (-7, 4)),
    "left": ((7, -4), (7, 4)),
    "down": ((-4, -7), (4, -7)),
    "up": ((-4, 7), (4, 7)),
}


def _head(tip: Point, direction: str) -> str:
    (ax, ay), (bx, by) = _HEADS[direction]
    x, y = tip
    return f"M{x:g} {y:g}L{x + ax:g} {y + ay:g}L{x + bx:g} {y + by:g}Z"
