"""A second look at the places of a page that have ink but got no words.

Tesseract drops isolated text: a page number, the date of a stamp, a line beside a table. Each such
place is cut out and read separately, and what is read with confidence is inserted at its place on
the page.
"""

from collections.abc import Sequence
from dataclasses import replace

from PIL import Image

from assay.reading.ocr.attempts import OcrTrial
from assay.reading.ocr.engine import Box, Layout, OcrEngine, RecognisedLine, RecognisedWord
from assay.reading.ocr.ink import InkRegion

_MOST_REGIONS = 12
_MARGIN = 0.12
"""Inches of paper kept around a place when it is cut out."""
_LEAST_CONFIDENCE = 0.70
_SECONDS = 5.0


def rescue_gaps(trial: OcrTrial, engine: OcrEngine, seconds: float) -> OcrTrial:
    """The trial, plus what a second look at its gaps found."""
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
