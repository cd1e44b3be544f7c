"""The ways to try a page: what is done to its image, and how it is read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image

from assay.reading.ocr.engine import (
    Box,
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
from assay.reading.ocr.ink import Ink, InkRegion
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


_MOST_REGIONS = 12
_MARGIN = 0.12
"""Inches of paper kept around a place when it is cut out."""
_LEAST_CONFIDENCE = 0.70
_SECONDS = 5.0


def rescue_gaps(trial: OcrTrial, engine: OcrEngine, seconds: float) -> OcrTrial:
    """The trial, plus what a second look at the places with ink but without words found.

    Tesseract drops isolated text: a page number, the date of a stamp, a line beside a table. Each
    such place is cut out and read separately, and what is read with confidence is inserted.
    """
    gaps = trial.ink.find_uncovered(word.box for word in trial.words)
    lines = list(trial.lines)
    largest_first = sorted(gaps, key=lambda gap: -gap.cells)
    for gap in sorted(largest_first[:_MOST_REGIONS], key=lambda gap: gap.box[1]):
        for line in _read_gap(trial, gap, engine, min(_SECONDS, seconds)):
            insert_line(line, lines)
    return replace(trial, lines=tuple(lines))


def _read_gap(
    trial: OcrTrial, gap: InkRegion, engine: OcrEngine, seconds: float
) -> list[RecognisedLine]:
    image, dpi = trial.raster.image, trial.raster.dpi
    margin = round(_MARGIN * dpi)
    left, top = max(0, gap.box[0] - margin), max(0, gap.box[1] - margin)
    right, bottom = min(image.width, gap.box[2] + margin), min(image.height, gap.box[3] + margin)
    cut = Image.new("L", (right - left + 2 * margin, bottom - top + 2 * margin), 255)
    cut.paste(image.crop((left, top, right, bottom)), (margin, margin))
    found = engine.recognise(cut, dpi, Layout.BLOCK, seconds)
    taken = [word.box for word in trial.words]
    lines = []
    for line in found.lines:
        moved = tuple(_move_word(word, left - margin, top - margin) for word in line.words)
        # The cut also contains parts of its neighbours; those are already in the text.
        fresh = tuple(word for word in moved if not any(_overlaps(word.box, box) for box in taken))
        if fresh and _is_text(RecognisedLine(fresh, True)):
            lines.append(RecognisedLine(fresh, True))
    return lines


def _is_text(line: RecognisedLine) -> bool:
    return line.confidence >= _LEAST_CONFIDENCE and any(map(str.isalnum, line.text))


def _move_word(word: RecognisedWord, across: int, down: int) -> RecognisedWord:
    left, top, right, bottom = word.box
    return replace(word, box=(left + across, top + down, right + across, bottom + down))


def _overlaps(one: Box, other: Box) -> bool:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    area = (one[2] - one[0]) * (one[3] - one[1])
    return wide > 0 and high > 0 and wide * high > 0.3 * area


def insert_line(line: RecognisedLine, lines: list[RecognisedLine]) -> None:
    """Insert a line at its place: below all, above all, or after those above it in its column."""
    place = _find_place(line.box, [other.box for other in lines])
    if 0 < place < len(lines):
        # What follows no longer continues the paragraph above.
        lines[place] = replace(lines[place], opens=True)
    lines.insert(place, line)


def _find_place(box: Box, others: Sequence[Box]) -> int:
    if all(other[1] < box[1] for other in others):
        return len(others)
    above = [
        number
        for number, other in enumerate(others)
        if other[1] < box[1] and other[0] < box[2] and box[0] < other[2]
    ]
    if not above:
        return 0
    place = above[-1] + 1
    # A short last line does not reach below it, but still belongs to what is above.
    while place < len(others) and others[place][1] < box[1] and _is_in_column(others, place):
        place += 1
    return place


def _is_in_column(boxes: Sequence[Box], number: int) -> bool:
    """Whether a box is in the same column as the one before it."""
    before, this = boxes[number - 1], boxes[number]
    return before[1] < this[1] and before[0] < this[2] and this[0] < before[2]
