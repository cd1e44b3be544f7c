"""Tables that a page draws with lines: grids of at least two rows and two columns.

Only complete grids count. A table without lines stays plain text: a wrong table is worse than
none.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assay.reading.pdf.geometry import Box, Boxes, Flags

_NEAR = 2.5
"""Lines no further apart than this are one line."""
_MOST_LINES = 120
_MOST_CELLS = 4_000
_LEAST_SIZE = 8.0
_PAGE_BREADTH = 20_000.0

CellRun = tuple[int, int, int]
"""A cell, the index of its first character, and the index after its last."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line of a grid: its position, and where it starts and ends."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Grid:
    """The lines of one table."""

    across: tuple[Stroke, ...]
    """Horizontal lines, from the top down."""
    upright: tuple[Stroke, ...]
    """Vertical lines, from the left."""


@dataclass(frozen=True, slots=True)
class GridTable:
    """The cells of a grid, and its first and last character."""

    rows: tuple[tuple[str, ...], ...]
    first: int
    last: int


def find_grids(level: Sequence[Box], upright: Sequence[Box]) -> list[Grid]:
    """The grids that the lines of a page form."""
    if len(level) < 3 or len(upright) < 2:
        return []
    across = _merge_strokes([Stroke((b[1] + b[3]) / 2, b[0], b[2]) for b in level])
    up = _merge_strokes([Stroke((b[0] + b[2]) / 2, b[1], b[3]) for b in upright])
    if len(across) < 3 or len(up) < 2 or len(across) > 1_000 or len(up) > 1_000:
        return []
    grids = []
    for group_across, group_up in _group_strokes(across, up):
        rows, columns = _find_distinct(group_across), _find_distinct(group_up)
        if 3 <= len(rows) <= _MOST_LINES and 2 <= len(columns) <= _MOST_LINES:
            grids.append(
                Grid(
                    tuple(sorted(group_across, key=lambda line: -line.at)),
                    tuple(sorted(group_up, key=lambda line: line.at)),
                )
            )
    return grids


def _merge_strokes(lines: list[Stroke]) -> list[Stroke]:
    """Join pieces of a line that touch."""
    whole: list[Stroke] = []
    for group in _bundle_strokes(lines):
        group.sort(key=lambda line: line.start)
        at = sum(line.at for line in group) / len(group)
        start, end = group[0].start, group[0].end
        for line in group[1:]:
            if line.start <= end + _NEAR:
                end = max(end, line.end)
            else:
                whole.append(Stroke(at, start, end))
                start, end = line.start, line.end
        whole.append(Stroke(at, start, end))
    return [line for line in whole if line.end - line.start >= _LEAST_SIZE]


def _bundle_strokes(lines: list[Stroke]) -> list[list[Stroke]]:
    bundles: list[list[Stroke]] = []
    for line in sorted(lines, key=lambda line: line.at):
        if abs(line.at) > _PAGE_BREADTH:
            continue
        if bundles and line.at - bundles[-1][0].at <= _NEAR:
            bundles[-1].append(line)
        else:
            bundles.append([line])
    return bundles


def _group_strokes(
    across: list[Stroke], up: list[Stroke]
) -> list[tuple[list[Stroke], list[Stroke]]]:
    """Group lines that meet, directly or through others."""
    across = sorted(across, key=lambda line: line.at)
    heights = [line.at for line in across]
    group_of = list(range(len(across)))

    def find_root(place: int) -> int:
        while group_of[place] != place:
            group_of[place] = group_of[group_of[place]]
            place = group_of[place]
        return place

    met_by: list[int | None] = []
    for line in up:
        first: int | None = None
        low = bisect_left(heights, line.start - _NEAR)
        for place in range(low, bisect_right(heights, line.end + _NEAR)):
            if across[place].start - _NEAR <= line.at <= across[place].end + _NEAR:
                if first is None:
                    first = find_root(place)
                else:
                    group_of[find_root(place)] = first = find_root(first)
        met_by.append(first)
    groups: dict[int, tuple[list[Stroke], list[Stroke]]] = {}
    for place, stroke in enumerate(across):
        groups.setdefault(find_root(place), ([], []))[0].append(stroke)
    for line, met in zip(up, met_by, strict=True):
        if met is not None:
            groups[find_root(met)][1].append(line)
    return list(groups.values())


def _find_distinct(lines: Sequence[Stroke]) -> list[float]:
    found: list[float] = []
    for at in sorted(line.at for line in lines):
        if not found or at - found[-1] > _NEAR:
            found.append(at)
    return found


def _add_open_sides(places: list[float], crossing: Sequence[Stroke]) -> list[float]:
    """The places of lines, plus the ends of crossing lines where no line closes a side."""
    first, last = min(line.start for line in crossing), max(line.end for line in crossing)
    before = [first] if places[0] - first > _LEAST_SIZE else []
    after = [last] if last - places[-1] > _LEAST_SIZE else []
    return before + places + after


def read_grid_table(grid: Grid, boxes: Boxes, letters: str) -> GridTable | None:
    """The table of a grid, from the characters between its lines; None if it is not a table."""
    tops = _add_open_sides(_find_distinct(grid.across), grid.upright)
    lefts = _add_open_sides(_find_distinct(grid.upright), grid.across)
    high, wide = len(tops) - 1, len(lefts) - 1
    if wide < 2 or high * wide > _MOST_CELLS:
        return None
    owner = _find_owners(grid, tops, lefts)
    runs = list(_iter_runs(boxes, tops, lefts, owner, len(letters)))
    if _cuts_words(runs, letters):
        return None
    lines = _read_cell_lines(runs, letters)
    drawn = len(set(owner))
    if 2 * len(lines) < drawn or 2 * drawn < high * wide or _lumps_rows(lines, wide):
        return None
    if len({cell // wide for cell in lines}) < 2 or len({cell % wide for cell in lines}) < 2:
        return None
    cells = {cell: " ".join(found) for cell, found in lines.items()}
    rows = tuple(
        tuple(cells.get(row * wide + column, "") for column in range(wide)) for row in range(high)
    )
    used = [run for run in runs if run[0] in cells]
    return GridTable(rows, min(first for _, first, _ in used), max(after for _, _, after in used))


def _find_owners(grid: Grid, tops: list[float], lefts: list[float]) -> list[int]:
    """For each cell the one it belongs to if no line separates them, from the top left."""
    high, wide = len(tops) - 1, len(lefts) - 1
    walls, floors = _find_drawn(grid.upright, lefts, tops), _find_drawn(grid.across, tops, lefts)
    owner = list(range(high * wide))
    for row in range(high):
        for column in range(wide):
            cell = row * wide + column
            if column and not walls[column, high - 1 - row]:
                owner[cell] = owner[cell - 1]
            elif row and not floors[high - row, column]:
                owner[cell] = owner[cell - wide]
    return owner


def _find_drawn(lines: Sequence[Stroke], places: list[float], crossing: list[float]) -> Flags:
    """For each place of a line, and each step between crossing lines, whether it is drawn."""
    at, steps = np.array(places), np.array(crossing)
    middles = (steps[:-1] + steps[1:]) / 2
    found = np.zeros((len(places), len(middles)), dtype=np.bool_)
    for line in lines:
        along = (line.start - _NEAR <= middles) & (middles <= line.end + _NEAR)
        found[int(np.abs(at - line.at).argmin())] |= along
    return found


def _iter_runs(
    boxes: Boxes, tops: list[float], lefts: list[float], owner: list[int], count: int
) -> Iterator[CellRun]:
    """Stretches of consecutive characters in the same cell."""
    across, up = (
        (boxes[:count, 0] + boxes[:count, 2]) / 2,
        (boxes[:count, 1] + boxes[:count, 3]) / 2,
    )
    held = (lefts[0] < across) & (across < lefts[-1]) & (tops[0] < up) & (up < tops[-1])
    indexes = np.flatnonzero(held)
    if not len(indexes):
        return
    rows = len(tops) - 1 - np.searchsorted(tops, up[indexes], side="right")
    columns = np.searchsorted(lefts, across[indexes], side="right") - 1
    cells = np.array(owner)[rows * (len(lefts) - 1) + columns]
    ends = np.flatnonzero((np.diff(indexes) != 1) | (np.diff(cells) != 0)).tolist()
    start = 0
    for end in [*ends, len(indexes) - 1]:
        yield int(cells[start]), int(indexes[start]), int(indexes[end]) + 1
        start = end + 1


def _cuts_words(runs: list[CellRun], letters: str) -> bool:
    """Whether lines cut through words: then they are a drawing behind the text."""
    return any(
        after == first and letters[after - 1].isalnum() and letters[first].isalnum()
        for (_, _, after), (_, first, _) in pairwise(runs)
    )


def _read_cell_lines(runs: list[CellRun], letters: str) -> dict[int, list[str]]:
    """The text of each cell, line by line; words of other cells come between two lines."""
    found: dict[int, list[str]] = {}
    ends: dict[int, int] = {}
    for cell, first, after in runs:
        pieces = letters[first:after].split("\n")
        between = letters[ends[cell] : first] if cell in ends else "\n"
        if found.get(cell) and "\n" not in between and not between.strip():
            found[cell][-1] += " " + pieces.pop(0)
        found.setdefault(cell, []).extend(pieces)
        ends[cell] = after
    plain = {
        cell: [text for line in lines if (text := " ".join(line.split()))]
        for cell, lines in found.items()
    }
    return {cell: lines for cell, lines in plain.items() if lines}


def _lumps_rows(lines: dict[int, list[str]], wide: int) -> bool:
    """Whether several rows of figures share one row of cells, without a line between them."""
    lumps: dict[int, int] = {}
    for cell, found in lines.items():
        if len(found) > 1:
            figures = sum(line[-1].isdigit() or not any(map(str.isalpha, line)) for line in found)
            if figures > 1 and 2 * figures > len(found):
                lumps[cell // wide] = lumps.get(cell // wide, 0) + 1
    return any(count > 1 for count in lumps.values())
