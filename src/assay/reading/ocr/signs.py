"""Signs that the data of some languages does not know.

Tesseract's Croatian and German data have no section sign, which turns `§ 12` into `$ 12` or
`8 12`; the English data has it. If a lone sign precedes a number, its line is read once more in a
language that knows the sign.
"""

from collections.abc import Sequence
from dataclasses import replace

from assay.reading.ocr.attempts import OcrTrial
from assay.reading.ocr.engine import Layout, OcrEngine, RecognisedLine, RecognisedWord

SECTION = "§"
_MISREAD = frozenset({"$", "8", "&", "S", "$$", "88", "SS", "8$", "$8"})
_MOST_LINES = 40
_MARGIN = 0.05
"""Inches of paper kept above and below a line when it is cut out."""
_SECONDS = 5.0


def restore_section_signs(trial: OcrTrial, knowing: OcrEngine, seconds: float) -> OcrTrial:
    """The trial, with section signs where a language that knows them sees one."""
    lines = list(trial.lines)
    suspects = [number for number, line in enumerate(lines) if _find_suspects(line.words)]
    for number in suspects[:_MOST_LINES]:
        lines[number] = _correct_line(trial, lines[number], knowing, min(_SECONDS, seconds))
    return replace(trial, lines=tuple(lines))


def _find_suspects(words: Sequence[RecognisedWord]) -> list[int]:
    return [
        place
        for place, word in enumerate(words[:-1])
        if word.text in _MISREAD and words[place + 1].text[:1].isdigit()
    ]


def _correct_line(
    trial: OcrTrial, line: RecognisedLine, knowing: OcrEngine, seconds: float
) -> RecognisedLine:
    image, margin = trial.raster.image, round(_MARGIN * trial.raster.dpi)
    left, top, right, bottom = line.box
    left, top = max(0, left - margin), max(0, top - margin)
    cut = image.crop((left, top, min(image.width, right + margin), bottom + margin))
    seen = knowing.recognise(cut, trial.raster.dpi, Layout.LINE, seconds).words
    words = list(line.words)
    for place in _find_suspects(words):
        middle = (words[place].box[0] + words[place].box[2]) / 2 - left
        sign = next((one for one in seen if one.box[0] <= middle <= one.box[2]), None)
        if sign is not None and set(sign.text) == {SECTION}:
            words[place] = replace(words[place], text=sign.text)
    return replace(line, words=tuple(words))
