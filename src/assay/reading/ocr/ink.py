"""Where a page has ink that looks like text, and how much of it is within words.

Tesseract can lose half a page and still be sure of the rest, so the ink is examined separately, on
a grid of small cells: a cell counts if it is neither nearly empty (dust) nor nearly full (an
image), after long lines (rules, frames) are removed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
import numpy.typing as npt
from PIL import Image

from assay.reading.ocr.engine import Box

Grey = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

_DPI = 100.0
"""The resolution at which ink is examined: enough to locate it."""
_MOST_PIXELS = 4_000_000
_CELL = 8
"""Side of a cell in pixels: about the height of a small letter."""
_WINDOW = 17
_K = 0.3
_SPREAD = 128.0
_FAINTEST = 12.0
"""Grey levels by which a neighbourhood must vary to contain any ink."""
_LONGEST_STROKE = 60
"""A run of pixels longer than in any letter."""
_LEAST_INK, _MOST_INK = 0.06, 0.65
_LEAST_CELLS = 3
_FEW_CELLS = 12
"""This few cells with ink may be dust, or a word."""
_REACH = 2
"""Cells between two letters of one word, or two words of one line."""


@dataclass(frozen=True, slots=True)
class InkRegion:
    """A place with ink that looks like text."""

    box: Box
    cells: int


class Ink:
    """The ink of one picture."""

    def __init__(self, image: Image.Image, dpi: float) -> None:
        seen_at = min(dpi, _DPI, dpi * (_MOST_PIXELS / (image.width * image.height)) ** 0.5)
        width, height = (max(1, round(side * seen_at / dpi)) for side in image.size)
        small = image.resize((width, height), Image.Resampling.BOX)
        grey = np.asarray(small, np.float32)
        self._side = _CELL * dpi / seen_at
        self._inches = _CELL / seen_at
        self._all = _compute_shares(_find_ink(grey))
        self._text = (self._all >= _LEAST_INK) & (self._all <= _MOST_INK)
        self._weight = np.where(self._text, self._all, np.float32(0))

    @cached_property
    def is_scarce(self) -> bool:
        """Whether there is so little on the page that it may be dust."""
        return int((self._all >= _LEAST_INK).sum()) <= _FEW_CELLS

    @cached_property
    def square_inches(self) -> float:
        """The area of paper with ink that looks like text."""
        return float(self._text.sum() * self._inches**2)

    @property
    def looks_like_text(self) -> bool:
        """Whether there may be words."""
        return int(self._text.sum()) > 1

    def compute_coverage(self, boxes: Iterable[Box]) -> float:
        """The share of such ink within these boxes; 1 if there is none."""
        everything = float(self._weight.sum())
        if not self.looks_like_text or everything <= 0:
            return 1.0
        return float(self._weight[self._mask_boxes(boxes)].sum()) / everything

    def find_uncovered(self, boxes: Iterable[Box]) -> tuple[InkRegion, ...]:
        """The places with such ink outside these boxes, from the top."""
        bare = self._text & ~self._mask_boxes(boxes)
        return tuple(
            InkRegion(self._bound_group(group), len(group))
            for group in _group_cells(bare)
            if len(group) >= _LEAST_CELLS
        )

    def _mask_boxes(self, boxes: Iterable[Box]) -> Mask:
        under = np.zeros(self._text.shape, np.bool_)
        for left, top, right, bottom in boxes:
            rows = slice(int(top / self._side), ceil(bottom / self._side))
            columns = slice(int(left / self._side), ceil(right / self._side))
            under[rows, columns] = True
        return under

    def _bound_group(self, group: Sequence[tuple[int, int]]) -> Box:
        rows, columns = zip(*group, strict=True)
        return (
            int(min(columns) * self._side),
            int(min(rows) * self._side),
            ceil((max(columns) + 1) * self._side),
            ceil((max(rows) + 1) * self._side),
        )


def _find_ink(grey: Grey) -> Mask:
    """Where there is ink, by Sauvola's threshold, without long straight lines."""
    mean, spread = _measure_surroundings(grey, _WINDOW)
    ink = (grey < mean * (1 + _K * (spread / _SPREAD - 1))) & (spread > _FAINTEST)
    return ink & ~_find_long_runs(ink) & ~_find_long_runs(ink.T).T


def _measure_surroundings(grey: Grey, window: int) -> tuple[Grey, Grey]:
    """Mean and standard deviation in the window around each pixel."""
    reach = window // 2
    padded = np.pad(grey, reach, mode="edge").astype(np.float64)
    mean = _average_windows(padded, window)
    square = _average_windows(padded * padded, window)
    spread = np.sqrt(np.maximum(square - mean * mean, 0))
    return mean.astype(np.float32), spread.astype(np.float32)


def _average_windows(padded: npt.NDArray[np.float64], window: int) -> npt.NDArray[np.float64]:
    total = np.zeros((padded.shape[0] + 1, padded.shape[1] + 1))
    total[1:, 1:] = padded.cumsum(0).cumsum(1)
    inner = total[window:, window:] - total[:-window, window:]
    inner -= total[window:, :-window] - total[:-window, :-window]
    return inner / (window * window)


def _find_long_runs(ink: Mask) -> Mask:
    """Pixels that are part of a long horizontal run."""
    height, width = ink.shape
    if width <= _LONGEST_STROKE:
        return np.zeros_like(ink)
    total = np.zeros((height, width + 1), np.int32)
    total[:, 1:] = ink.cumsum(1)
    full = (total[:, _LONGEST_STROKE:] - total[:, :-_LONGEST_STROKE]) >= 0.95 * _LONGEST_STROKE
    # A run begins at each full window; every pixel of the window belongs to it.
    marks = np.zeros((height, width + 1), np.int32)
    starts = full.shape[1]
    marks[:, :starts] += full
    marks[:, _LONGEST_STROKE : _LONGEST_STROKE + starts] -= full[:, : width + 1 - _LONGEST_STROKE]
    return np.asarray(marks[:, :width].cumsum(1) > 0)


def _compute_shares(ink: Mask) -> Grey:
    """The share of each cell that is ink."""
    high, wide = (-(-side // _CELL) for side in ink.shape)
    padded = np.zeros((high * _CELL, wide * _CELL), np.float32)
    padded[: ink.shape[0], : ink.shape[1]] = ink
    return np.asarray(padded.reshape(high, _CELL, wide, _CELL).mean((1, 3)), np.float32)


def _group_cells(cells: Mask) -> list[list[tuple[int, int]]]:
    """Group cells that belong together: adjacent, or a few apart on one line."""
    left = {(int(row), int(column)) for row, column in zip(*np.nonzero(cells), strict=True)}
    steps = [(down, across) for down in (-1, 0, 1) for across in range(-_REACH - 1, _REACH + 2)]
    groups = []
    for first in sorted(left):
        if first not in left:
            continue
        left.remove(first)
        group, waiting = [first], [first]
        while waiting:
            row, column = waiting.pop()
            near = {(row + down, column + across) for down, across in steps} & left
            left -= near
            group += near
            waiting += near
        groups.append(group)
    return groups
