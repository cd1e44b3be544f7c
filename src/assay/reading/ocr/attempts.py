"""The ways in which a page is tried: what is done to its picture, and how it is looked at."""

from dataclasses import dataclass, replace

from assay.reading.ocr.engine import Engine, Layout, Line, Word, mean_confidence
from assay.reading.ocr.ink import Ink
from assay.reading.ocr.page import Attempt
from assay.reading.ocr.raster import Raster
from assay.reading.ocr.restoring import (
    enlarged,
    evenly_lit,
    filtered,
    is_noise,
    skew_of,
    smoothed,
    straightened,
    without_specks,
)

_GRAIN = 0.6
"""Radius, in pixels, of the smoothing that takes the grain away and leaves the letters."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way of trying a page."""

    name: str
    layout: Layout = Layout.PAGE
    restored: bool = False
    """Light made even, specks and grain taken away, a coarse picture enlarged."""
    filtered: bool = False
    """Every small dot taken away as well, for pages that are more dust than text."""

    @property
    def keeps_order(self) -> bool:
        """Whether columns are read one after the other."""
        return self.layout is Layout.PAGE


PLAIN = Strategy("plain")
RESTORED = Strategy("restored", restored=True)
FILTERED = Strategy("filtered", restored=True, filtered=True)
BLOCK = Strategy("one block", Layout.BLOCK, restored=True)
SPARSE = Strategy("sparse text", Layout.SPARSE, restored=True)

FOR_FAIR = (PLAIN, RESTORED, BLOCK, SPARSE)
FOR_ROUGH = (RESTORED, FILTERED, BLOCK, SPARSE)


@dataclass(frozen=True, slots=True)
class Trial:
    """What one attempt gave."""

    strategy: Strategy
    raster: Raster
    """The picture that was read."""
    skew: float
    ink: Ink
    lines: tuple[Line, ...]
    complete: bool = True

    @property
    def words(self) -> tuple[Word, ...]:
        """All words, in reading order."""
        return tuple(word for line in self.lines for word in line.words)

    @property
    def characters(self) -> int:
        """Of all words together."""
        return sum(len(word.text) for word in self.words)

    @property
    def confidence(self) -> float:
        """The mean over words, weighted by their characters."""
        return mean_confidence(self.words)

    @property
    def coverage(self) -> float:
        """The share of the ink that looks like text which lies within words."""
        return self.ink.compute_coverage(word.box for word in self.words)

    @property
    def score(self) -> float:
        """What tells the better of two attempts."""
        return self.confidence * self.coverage

    def to_attempt(self) -> Attempt:
        """The attempt as the page tells of it."""
        return Attempt(
            self.strategy.name,
            round(self.confidence, 4),
            round(self.coverage, 4),
            self.characters,
        )


def tried(
    raster: Raster, strategy: Strategy, engine: Engine, seconds: float, max_pixels: int
) -> Trial:
    """A page tried in one way, within so many seconds."""
    prepared = _prepared(raster, strategy)
    skew = skew_of(prepared)
    if strategy.restored:
        prepared = enlarged(prepared, max_pixels)
    prepared = straightened(prepared, skew)
    ink = Ink(prepared.image, prepared.dpi)
    if is_noise(prepared.image):
        return Trial(strategy, prepared, skew, ink, ())
    found = engine.recognise(prepared.image, prepared.dpi, strategy.layout, seconds)
    return Trial(strategy, prepared, skew, ink, found.lines, found.complete)


def _prepared(raster: Raster, strategy: Strategy) -> Raster:
    image = raster.image
    if strategy.restored:
        image = without_specks(image)
    if strategy.filtered:
        image = filtered(image)
    if strategy.restored:
        image = smoothed(evenly_lit(image), _GRAIN)
    return replace(raster, image=image)
