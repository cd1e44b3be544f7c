"""The ways to try a page: what is done to its image, and how it is read."""

from dataclasses import dataclass, replace

from assay.reading.ocr.engine import (
    Layout,
    OcrEngine,
    RecognisedLine,
    RecognisedWord,
    compute_mean_confidence,
)
from assay.reading.ocr.image_repair import (
    enlarge_coarse,
    even_light,
    filter_dots,
    is_noise,
    measure_skew,
    remove_specks,
    smooth_grain,
    straighten_raster,
)
from assay.reading.ocr.ink import Ink
from assay.reading.ocr.page import OcrAttempt
from assay.reading.ocr.raster import Raster

_GRAIN = 0.6
"""Radius, in pixels, of the smoothing that removes the grain but keeps the letters."""


@dataclass(frozen=True, slots=True)
class OcrStrategy:
    """One way of trying a page."""

    name: str
    layout: Layout = Layout.PAGE
    restored: bool = False
    """Even out the light, remove specks and grain, enlarge a coarse image."""
    filtered: bool = False
    """Remove every small dot as well, for pages that are more dust than text."""

    @property
    def keeps_order(self) -> bool:
        """Whether columns are read one after the other."""
        return self.layout is Layout.PAGE


PLAIN = OcrStrategy("plain")
RESTORED = OcrStrategy("restored", restored=True)
FILTERED = OcrStrategy("filtered", restored=True, filtered=True)
BLOCK = OcrStrategy("one block", Layout.BLOCK, restored=True)
SPARSE = OcrStrategy("sparse text", Layout.SPARSE, restored=True)

FOR_FAIR = (PLAIN, RESTORED, BLOCK, SPARSE)
FOR_ROUGH = (RESTORED, FILTERED, BLOCK, SPARSE)


@dataclass(frozen=True, slots=True)
class OcrTrial:
    """The result of one attempt."""

    strategy: OcrStrategy
    raster: Raster
    """The image that was read."""
    skew: float
    ink: Ink
    lines: tuple[RecognisedLine, ...]
    complete: bool = True

    @property
    def words(self) -> tuple[RecognisedWord, ...]:
        """All words, in reading order."""
        return tuple(word for line in self.lines for word in line.words)

    @property
    def characters(self) -> int:
        """Of all words together."""
        return sum(len(word.text) for word in self.words)

    @property
    def confidence(self) -> float:
        """The mean over words, weighted by their characters."""
        return compute_mean_confidence(self.words)

    @property
    def coverage(self) -> float:
        """The share of the text-like ink that is within words."""
        return self.ink.compute_coverage(word.box for word in self.words)

    @property
    def score(self) -> float:
        """The score that decides between two attempts."""
        return self.confidence * self.coverage

    def to_attempt(self) -> OcrAttempt:
        """The attempt as the page reports it."""
        return OcrAttempt(
            self.strategy.name,
            round(self.confidence, 4),
            round(self.coverage, 4),
            self.characters,
        )


def try_strategy(
    raster: Raster, strategy: OcrStrategy, engine: OcrEngine, seconds: float, max_pixels: int
) -> OcrTrial:
    """Try a page in one way, within a number of seconds."""
    prepared = _prepare_raster(raster, strategy)
    skew = measure_skew(prepared)
    if strategy.restored:
        prepared = enlarge_coarse(prepared, max_pixels)
    prepared = straighten_raster(prepared, skew)
    ink = Ink(prepared.image, prepared.dpi)
    if is_noise(prepared.image):
        return OcrTrial(strategy, prepared, skew, ink, ())
    found = engine.recognise(prepared.image, prepared.dpi, strategy.layout, seconds)
    return OcrTrial(strategy, prepared, skew, ink, found.lines, found.complete)


def _prepare_raster(raster: Raster, strategy: OcrStrategy) -> Raster:
    image = raster.image
    if strategy.restored:
        image = remove_specks(image)
    if strategy.filtered:
        image = filter_dots(image)
    if strategy.restored:
        image = smooth_grain(even_light(image), _GRAIN)
    return replace(raster, image=image)
