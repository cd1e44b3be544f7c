"""How lines run: bent around boxes that are not theirs, apart from each other, with their words
where nothing else stands."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.packs.graph.picture.layout import Array

_SHARES = (0.0, 0.14, -0.14, 0.28, -0.28, 0.44, -0.44, 0.62, -0.62)
_BENDS = tuple((share, share) for share in _SHARES)
_TWISTS = tuple((one, other) for one in _SHARES for other in _SHARES if one != other)
"""How far a line leaves the straight way near its start and near its end."""
_STEPS = np.linspace(0.0, 1.0, 33)
_ALONG = np.array([0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82])
_BESIDE = np.array([0.0, 11.0, -11.0, 20.0, -20.0, 32.0, -32.0])
_AIR = 3.0
_IN_THE_WAY = 60.0
"""What it costs a line to run through a box that is not its own."""
LABEL_HEIGHT = 15.0


@dataclass(frozen=True, slots=True)
class Want:
    """A line to be drawn: from box to box, with words so wide, or so wide if they must be cut."""

    source: int
    target: int
    widths: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """A line as it is drawn: a curve, and where its words stand."""

    points: Array
    """Four points of a cubic curve."""
    way: Array
    """Points that the curve runs through."""
    label: tuple[float, float] | None
    """The middle of its words; None where there is no room for any."""
    width: int
    """Which of the wanted widths there was room for."""


class Router:
    """Draws one line after the other, each with regard to the boxes and lines before it."""

    def __init__(self, centres: Array, sizes: Array) -> None:
        self._centres = centres
        self._low = centres - sizes / 2
        self._high = centres + sizes / 2
        self._taken: list[Array] = []
        self._bends: dict[tuple[int, int], list[float]] = {}
        self._loops: dict[int, int] = {}
        self._drawn: list[Array] = []

    def routes(self, wants: Sequence[Want]) -> list[Route]:
        """A route for each line. All curves come first, so that words can keep clear of them."""
        curves = [self._curve(want) for want in wants]
        self._drawn = [_sampled(curve, _STEPS) for curve in curves]
        return [self._labelled(at, want, curves[at]) for at, want in enumerate(wants)]

    def _curve(self, want: Want) -> Array:
        if want.source == want.target:
            return self._loop(want.source)
        first, last = sorted((want.source, want.target))
        taken = self._bends.setdefault((first, last), [])
        cost, bend, curve = self._best(want, _BENDS, taken)
        if cost >= _IN_THE_WAY:
            # No plain bow gets past: one that leaves and comes back otherwise may.
            twisted = self._best(want, _TWISTS, taken)
            if twisted[0] < cost:
                _, bend, curve = twisted
        taken.append(bend)
        return self._clipped(curve, want)

    def _best(
        self, want: Want, bends: Sequence[tuple[float, float]], taken: list[float]
    ) -> tuple[float, float, Array]:
        """The cheapest of some bends: what it costs, how far it leaves the way, its curve."""
        # A bend is counted from the lower end, so that lines back and forth keep apart.
        side = 1.0 if want.source < want.target else -1.0
        start, end = self._centres[want.source], self._centres[want.target]
        curves = _bent(start, end, np.array(bends) * side)
        through = self._through(_weights(_STEPS) @ curves, want)
        found = []
        for at, (one, other) in enumerate(bends):
            middle = (one + other) / 2
            cost = (abs(one) + abs(other)) * 10 + abs(one - other) * 8 + through[at] * _IN_THE_WAY
            cost += sum(90.0 for its in taken if abs(its - middle) < 0.1)
            found.append((float(cost), at, middle))
        cost, at, middle = min(found)
        return cost, middle, curves[at]

    def _through(self, ways: Array, want: Want) -> Array:
        """Through how many boxes that are not its own each of some ways runs."""
        near_low, near_high = ways.min(axis=(0, 1)), ways.max(axis=(0, 1))
        near = ((self._high + 5 > near_low) & (self._low - 5 < near_high)).all(axis=1)
        near[[want.source, want.target]] = False
        points = ways[:, :, None, :]
        inside = ((points > self._low[near] - 5) & (points < self._high[near] + 5)).all(axis=3)
        return np.asarray(inside.any(axis=1).sum(axis=1), dtype=np.float64)

    def _clipped(self, curve: Array, want: Want) -> Array:
        """The piece of a curve between its two boxes."""
        steps = np.linspace(0.0, 1.0, 401)
        points = _sampled(curve, steps)
        start = self._inside(points, want.source, 1.0)
        end = self._inside(points, want.target, 3.0)
        leaves = int(np.flatnonzero(start)[-1]) + 1 if start.any() else 0
        after = np.flatnonzero(end & (np.arange(len(steps)) > leaves))
        enters = int(after[0]) - 1 if len(after) else len(steps) - 1
        if enters <= leaves:
            return curve
        return _piece(curve, float(steps[leaves]), float(steps[enters]))

    def _inside(self, points: Array, box: int, air: float) -> NDArray[np.bool_]:
        low, high = self._low[box] - air, self._high[box] + air
        return np.asarray(((points > low) & (points < high)).all(axis=1))

    def _loop(self, box: int) -> Array:
        """From the upper right of a box back to its right side; each further one is wider."""
        turn = self._loops.get(box, 0)
        self._loops[box] = turn + 1
        right, top = float(self._high[box, 0]), float(self._low[box, 1])
        out = 34.0 + 16.0 * turn
        return np.array(
            [
                [right - 22.0, top],
                [right - 22.0, top - out],
                [right + out, top - out * 0.2],
                [right + 3.0, top + 16.0],
            ]
        )

    def _labelled(self, at: int, want: Want, curve: Array) -> Route:
        others = [points for other, points in enumerate(self._drawn) if other != at]
        crowd = np.concatenate(others) if others else np.zeros((0, 2))
        for which, wide in enumerate(want.widths):
            found = self._label_place(curve, wide, crowd)
            if found is not None:
                half = np.array([wide, LABEL_HEIGHT]) / 2
                self._taken.append(np.concatenate((found - half, found + half)))
                return Route(curve, self._drawn[at], (float(found[0]), float(found[1])), which)
        return Route(curve, self._drawn[at], None, len(want.widths) - 1)

    def _label_place(self, curve: Array, wide: float, crowd: Array) -> Array | None:
        """The best place beside a curve that is on no box and on no other words."""
        places = _places(curve, wide)
        half = np.array([wide, LABEL_HEIGHT]) / 2
        low, high = places - half, places + half
        taken = np.array(self._taken).reshape(-1, 4)
        on_box = _overlaps(low, high, self._low - _AIR, self._high + _AIR)
        free = ~(on_box | _overlaps(low, high, taken[:, :2], taken[:, 2:]))
        if not free.any():
            return None
        near = crowd[((crowd > low.min(axis=0)) & (crowd < high.max(axis=0))).all(axis=1)]
        points = near[None, :, :]
        under = ((points > low[:, None, :]) & (points < high[:, None, :])).all(axis=2).sum(axis=1)
        cost = np.arange(len(places)) * 0.35 + np.minimum(under, 6) * 2.0
        return np.asarray(places[int(np.argmin(np.where(free, cost, np.inf)))])


def _overlaps(low: Array, high: Array, its_low: Array, its_high: Array) -> NDArray[np.bool_]:
    """For each of some boxes, whether it overlaps any of some others."""
    clear_low = its_low[None, :, :] < high[:, None, :]
    clear_high = its_high[None, :, :] > low[:, None, :]
    each = np.asarray((clear_low & clear_high).all(axis=2))
    return np.asarray(each.any(axis=1))


def _bent(start: Array, end: Array, bends: Array) -> Array:
    """Curves from one point to another, each of which leaves the straight way by two shares of
    its length (bends × 4 × 2)."""
    way = end - start
    normal = np.array([-way[1], way[0]])
    curves = np.empty((len(bends), 4, 2))
    curves[:, 0], curves[:, 3] = start, end
    curves[:, 1] = start + way * 0.3 + normal * bends[:, :1]
    curves[:, 2] = start + way * 0.7 + normal * bends[:, 1:]
    return curves


def _weights(steps: Array) -> Array:
    """How much each of the four points of a curve counts along its way (steps × 4)."""
    t, u = steps, 1.0 - steps
    return np.stack((u**3, 3 * u**2 * t, 3 * u * t**2, t**3), axis=1)


def _sampled(curve: Array, steps: Array) -> Array:
    return np.asarray(_weights(steps) @ curve)


def _piece(curve: Array, start: float, end: float) -> Array:
    """A part of a cubic curve, as a cubic curve (de Casteljau, twice)."""
    a, b, c, d = curve
    ab, bc, cd = a + (b - a) * end, b + (c - b) * end, c + (d - c) * end
    abc, bcd = ab + (bc - ab) * end, bc + (cd - bc) * end
    b, c, d = ab, abc, abc + (bcd - abc) * end
    share = start / end
    ab, bc, cd = a + (b - a) * share, b + (c - b) * share, c + (d - c) * share
    abc, bcd = ab + (bc - ab) * share, bc + (cd - bc) * share
    return np.stack((abc + (bcd - abc) * share, bcd, cd, d))


def _places(curve: Array, wide: float) -> Array:
    """Places beside a curve, the best first. Words are wide: beside a steep line they stand off
    further."""
    a, b, c, d = curve
    t = _ALONG[:, None]
    u = 1.0 - t
    slope = 3 * u**2 * (b - a) + 6 * u * t * (c - b) + 3 * t**2 * (d - c)
    length = np.maximum(np.hypot(slope[:, 0], slope[:, 1]), 1e-6)
    normal = np.stack((-slope[:, 1], slope[:, 0]), axis=1) / length[:, None]
    steep = np.abs(normal[:, 0]) * (wide / 2 - 4.0)
    off = _BESIDE[:, None] + np.sign(_BESIDE)[:, None] * steep[None, :]
    places = _sampled(curve, _ALONG)[None, :, :] + normal[None, :, :] * off[:, :, None]
    return np.asarray(places.reshape(-1, 2))
