"""Where the boxes go: stress layout of each connected part from a fixed start, then no overlaps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GAP = 38.0
"""Least space between two boxes."""
_LINKED_GAP = 44.0
"""Least space between two boxes one above the other that a line connects."""
_FAR = 0.8
"""Long ways are drawn shorter than they are: the picture stays compact."""
_ASPECT = 1.7
"""Width to height of the whole, as a slide has it."""
_STRETCH = 1.35
"""Boxes are wider than high, so that the layout is wider than high."""
_GOLDEN = 2.399963229728653


@dataclass(frozen=True, slots=True)
class Link:
    """Two boxes that are connected, and the room that the words between them want."""

    source: int
    target: int
    room: float


def placed(sizes: Array, links: Sequence[Link]) -> Array:
    """The centres of boxes (n × 2, from width and height), none of which overlaps another."""
    count = len(sizes)
    if count == 0:
        return np.zeros((0, 2))
    own = [link for link in links if link.source != link.target]
    parts = _parts(count, own)
    blocks = [_block(part, sizes, own) for part in parts if len(part) > 1]
    single = [part[0] for part in parts if len(part) == 1]
    if single:
        blocks.extend(_rows(single, sizes, blocks))
    return _packed(count, sizes, blocks)


@dataclass(frozen=True, slots=True)
class _Block:
    """Boxes that stand together, placed around their own origin."""

    members: list[int]
    centres: Array


def _parts(count: int, links: Sequence[Link]) -> list[list[int]]:
    near: list[set[int]] = [set() for _ in range(count)]
    for link in links:
        near[link.source].add(link.target)
        near[link.target].add(link.source)
    seen: set[int] = set()
    parts = []
    for start in range(count):
        if start in seen:
            continue
        part = [start]
        seen.add(start)
        for at in part:
            fresh = sorted(near[at] - seen)
            seen.update(fresh)
            part.extend(fresh)
        parts.append(part)
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def _block(part: list[int], sizes: Array, links: Sequence[Link]) -> _Block:
    places = {member: at for at, member in enumerate(part)}
    own = [
        Link(places[link.source], places[link.target], link.room)
        for link in links
        if link.source in places
    ]
    boxes = sizes[part]
    stress = _Stress(_distances(boxes, own))
    starts = (_start(len(part), stress.reach, turn) for turn in range(4 if len(part) < 60 else 2))
    tries = [stress.relaxed(start) for start in starts]
    centres = _turned(min(tries, key=lambda one: round(stress.of(one), 6)))
    centres[:, 0] *= _STRETCH
    need = _needs(boxes, own)
    for _ in range(80):
        centres = _pushed(centres, need, 0.6)
        calm = centres / (_STRETCH, 1.0)
        calm = calm * 0.85 + stress.less(calm) * 0.15
        centres = calm * (_STRETCH, 1.0)
    return _Block(part, _separated(centres, need))


def _start(count: int, reach: float, turn: int) -> Array:
    """A sunflower: no two points alike, no line, the first in the middle. Each turn is another."""
    at = np.arange(count, dtype=np.float64)
    radius = reach / 2 * np.sqrt((at + 0.5) / count)
    angle = at * (_GOLDEN + 0.7 * turn)
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)


def _distances(boxes: Array, links: Sequence[Link]) -> Array:
    """How far apart two boxes should be: the shortest way along the lines."""
    count = len(boxes)
    reach = np.sqrt(boxes[:, 0] * boxes[:, 1]) / 2
    crowd = np.zeros(count)
    for link in links:
        crowd[link.source] += 1
        crowd[link.target] += 1
    ways = np.full((count, count), np.inf)
    np.fill_diagonal(ways, 0.0)
    for link in links:
        a, b = link.source, link.target
        # Where many meet, lines are longer: their ends need room around the middle.
        wide = 9.0 * np.sqrt(max(crowd[a], crowd[b]))
        length = float(reach[a] + reach[b]) + 34.0 + 0.62 * link.room + wide
        ways[a, b] = ways[b, a] = min(float(ways[a, b]), length)
    near = float(np.mean(ways[np.isfinite(ways) & (ways > 0)]))
    for via in range(count):
        np.minimum(ways, ways[:, via : via + 1] + ways[via : via + 1, :], out=ways)
    return np.where(ways > near, near * (ways / near) ** _FAR, ways)


class _Stress:
    """How far boxes are from where they want to be, and how to make it less (majorization)."""

    def __init__(self, wanted: Array) -> None:
        self.reach = float(wanted.max())
        self._wanted = wanted
        self._weights = (wanted + np.eye(len(wanted))) ** -2.0
        np.fill_diagonal(self._weights, 0.0)
        self._sums = self._weights.sum(axis=1)[:, None]

    def of(self, centres: Array) -> float:
        return float((self._weights * (_apart(centres) - self._wanted) ** 2).sum())

    def relaxed(self, centres: Array) -> Array:
        """As little stress as there is on the way down from here."""
        for _ in range(150):
            before, centres = centres, self.less(centres)
            if float(np.abs(centres - before).max()) < 0.4:
                break
        return centres

    def less(self, centres: Array) -> Array:
        """One step."""
        pull = self._weights * self._wanted / np.maximum(_apart(centres), 1e-6)
        target = self._weights @ centres + pull.sum(axis=1)[:, None] * centres - pull @ centres
        # Rounded at each step, so that machines that differ in the last bits come to one picture.
        return np.asarray(np.round(target / self._sums, 4))


def _apart(centres: Array) -> Array:
    x, y = centres[:, 0], centres[:, 1]
    return np.asarray(np.hypot(x[:, None] - x[None, :], y[:, None] - y[None, :]))


def _turned(centres: Array) -> Array:
    """Turned so that it is widest from left to right, its first box in the upper half."""
    centres = centres - centres.mean(axis=0)
    xx, yy = (centres**2).sum(axis=0)
    xy = (centres[:, 0] * centres[:, 1]).sum()
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    cos, sin = np.cos(-angle), np.sin(-angle)
    turned = centres @ np.array([[cos, sin], [-sin, cos]])
    return np.asarray(turned * (1.0, -1.0) if turned[0, 1] > 0 else turned)


def _needs(boxes: Array, links: Sequence[Link]) -> Array:
    """How far apart the centres of two boxes must be, sideways or upright (n × n × 2).

    Between two that a line connects, its words and its head fit in.
    """
    need = (boxes[:, None, :] + boxes[None, :, :]) / 2 + GAP
    for link in links:
        a, b = link.source, link.target
        room = (boxes[a] + boxes[b]) / 2 + (max(GAP, link.room + 26.0), _LINKED_GAP)
        need[a, b] = need[b, a] = np.maximum(need[a, b], room)
    return np.asarray(need)


def _pushed(centres: Array, need: Array, share: float) -> Array:
    """Each two boxes that overlap go apart along the way that is shorter."""
    x, y = centres[:, 0], centres[:, 1]
    over_x = need[:, :, 0] - np.abs(x[:, None] - x[None, :])
    over_y = need[:, :, 1] - np.abs(y[:, None] - y[None, :])
    one, other = np.nonzero(np.triu((over_x > 0.01) & (over_y > 0.01), 1))
    if not len(one):
        return centres
    sideways = over_x[one, other] * 0.8 < over_y[one, other]
    moved = np.zeros_like(centres)
    for axis, over, pairs in ((0, over_x, sideways), (1, over_y, ~sideways)):
        a, b = one[pairs], other[pairs]
        # Where two have the same place, the first goes back and the second ahead.
        sign = np.where(centres[a, axis] > centres[b, axis], 1.0, -1.0)
        step = sign * over[a, b] / 2 * share
        np.add.at(moved[:, axis], a, step)
        np.add.at(moved[:, axis], b, -step)
        # Pushed by many at once, a box would fly off.
        crowd = np.bincount(np.concatenate((a, b)), minlength=len(centres))
        moved[:, axis] /= np.sqrt(np.maximum(1, crowd))
    return np.asarray(np.round(centres + moved, 4))


def _separated(centres: Array, need: Array) -> Array:
    """Boxes that keep their gap, moved as little as may be."""
    for attempt in range(4_000):
        moved = _pushed(centres, need, 1.0)
        if moved is centres:
            break
        centres = moved * 1.02 if attempt % 40 == 39 else moved
    return centres


def _rows(single: list[int], sizes: Array, blocks: list[_Block]) -> list[_Block]:
    """Boxes without lines, side by side, as wide as what stands above them."""
    widest = max((float(_extent(block, sizes)[0]) for block in blocks), default=0.0)
    area = float((sizes[single] + GAP).prod(axis=1).sum())
    limit = max(widest, float(np.sqrt(area * _ASPECT)))
    rows: list[list[int]] = [[]]
    filled = 0.0
    for member in single:
        wide = float(sizes[member, 0]) + GAP
        if rows[-1] and filled + wide > limit:
            rows.append([])
            filled = 0.0
        rows[-1].append(member)
        filled += wide
    return [_row(row, sizes) for row in rows]


def _row(members: list[int], sizes: Array) -> _Block:
    wide = sizes[members, 0]
    left = np.concatenate(([0.0], np.cumsum(wide + GAP)[:-1]))
    return _Block(members, np.stack((left + wide / 2, np.zeros(len(members))), axis=1))


def _extent(block: _Block, sizes: Array) -> Array:
    low, high = _bounds(block, sizes)
    return np.asarray(high - low)


def _bounds(block: _Block, sizes: Array) -> tuple[Array, Array]:
    half = sizes[block.members] / 2
    return (block.centres - half).min(axis=0), (block.centres + half).max(axis=0)


def _packed(count: int, sizes: Array, blocks: list[_Block]) -> Array:
    """Blocks in rows, the largest first; what has no lines comes last."""
    room = GAP * 1.6
    extents = [_extent(block, sizes) for block in blocks]
    area = sum(float((extent + room).prod()) for extent in extents)
    limit = max(max(float(e[0]) for e in extents), float(np.sqrt(area * _ASPECT)))
    centres = np.zeros((count, 2))
    rows: list[list[int]] = [[]]
    filled = 0.0
    for at, extent in enumerate(extents):
        if rows[-1] and filled + float(extent[0]) > limit:
            rows.append([])
            filled = 0.0
        rows[-1].append(at)
        filled += float(extent[0]) + room
    top = 0.0
    for row in rows:
        tall = max(float(extents[at][1]) for at in row)
        total = sum(float(extents[at][0]) for at in row) + room * (len(row) - 1)
        left = (limit - total) / 2
        for at in row:
            low, _ = _bounds(blocks[at], sizes)
            corner = np.array([left, top + (tall - float(extents[at][1])) / 2])
            centres[blocks[at].members] = blocks[at].centres - low + corner
            left += float(extents[at][0]) + room
        top += tall + room
    return centres
