"""Read one scanned page: tried in several ways until the text is good, and never lost.

A page ends with text, or with a flag that says why not.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.reading.ocr import hocr
from assay.reading.ocr.attempts import (
    FOR_FAIR,
    FOR_ROUGH,
    OcrStrategy,
    OcrTrial,
    rescue_gaps,
    try_strategy,
)
from assay.reading.ocr.engine import (
    Layout,
    OcrEngine,
    RecognisedLine,
    RecognisedWord,
    find_engine_version,
    load_engine,
)
from assay.reading.ocr.image_repair import assess_condition, is_negative, make_legible, turn_upright
from assay.reading.ocr.ink import Ink
from assay.reading.ocr.options import OcrOptions
from assay.reading.ocr.page import (
    BLANK,
    LOW_CONFIDENCE,
    LOW_COVERAGE,
    NO_TEXT,
    PICTURE_ONLY,
    REDUCED,
    TIMED_OUT,
    OcrAttempt,
    OcrLine,
    OcrPage,
)
from assay.reading.ocr.raster import Raster, load_page_raster

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


_UPSIDE_DOWN = 0.80
"""A confidence that upright pages rarely miss: below it, the page may lie on its side."""
_NOT_WORSE = 0.95
"""A rotated page is kept if its score is above this share of its score before."""
_LONG_WORD = 4
_GAIN = 1.02
"""A score must be better by this factor for another attempt to have been worth it."""


def ocr_page(data: bytes, number: int, options: OcrOptions | None = None) -> OcrPage:
    """Read a page, counted from 1, of a scanned PDF or of an image file."""
    options = options or OcrOptions()
    tesseract = load_engine(options.languages, options.tessdata)
    drawn = load_page_raster(data, number, options)
    raster = make_legible(drawn)
    ink = Ink(raster.image, raster.dpi)
    if not ink.looks_like_text:
        flag = BLANK if ink.is_scarce and not is_negative(drawn) else PICTURE_ONLY
        return _build_empty_page(number, raster, options, flag)
    search = _Search(raster, tesseract, options, time.monotonic() + options.page_timeout_s)
    search.run()
    if search.best is None:
        return _build_empty_page(number, raster, options, NO_TEXT, TIMED_OUT)
    return _build_page(number, search, search.best, options)


@dataclass(slots=True)
class _Search:
    """The attempts at one page."""

    raster: Raster
    engine: OcrEngine
    options: OcrOptions
    ends_at: float
    turned: int = 0
    cut_short: bool = False
    best: OcrTrial | None = None
    attempts: list[OcrAttempt] = field(default_factory=list)

    def run(self) -> None:
        """Try one way after another until the page is good, or nothing more is gained."""
        rough = assess_condition(self.raster).is_rough
        strategies = (FOR_ROUGH if rough else FOR_FAIR)[: self.options.max_attempts]
        for place, strategy in enumerate(strategies):
            if not (strategy.keeps_order or self._is_poor()):
                break
            gained = self._attempt(strategy)
            if place == 0 and not self.cut_short and self._lies_wrong():
                self._turn(strategy)
            if self.cut_short or self._is_good() or not (gained or self._is_poor()):
                break
        if self.best is not None and self._measure_time_left() > 0:
            self.best = rescue_gaps(self.best, self.engine, self._measure_time_left())
            self._sign()

    def _sign(self) -> None:
        """Look for section signs in a language that knows them, if the first does not."""
        assert self.best is not None
        if self.engine.knows_sign(SECTION):
            return
        for language in self.options.languages[1:]:
            knowing = load_engine((language,), self.options.tessdata)
            if knowing.knows_sign(SECTION):
                self.best = restore_section_signs(self.best, knowing, self._measure_time_left())
                return

    def _attempt(self, strategy: OcrStrategy) -> bool:
        """Try one way; return whether it is clearly better than those before."""
        left = self._measure_time_left()
        if left <= 0:
            self.cut_short = True
            return False
        trial = try_strategy(self.raster, strategy, self.engine, left, self.options.max_pixels)
        self.attempts.append(trial.to_attempt())
        self.cut_short = not trial.complete
        before = self.best.score if self.best else 0.0
        if self.best is None or trial.score > before:
            self.best = trial
        return trial.score > _GAIN * before

    def _lies_wrong(self) -> bool:
        return self.best is not None and (
            self.best.confidence < _UPSIDE_DOWN or _is_sideways(self.best.words)
        )

    def _turn(self, strategy: OcrStrategy) -> None:
        """Try the page upright if it seems to lie on its side or head; keep the better result."""
        assert self.best is not None
        turned = self.engine.detect_rotation(self.best.raster.image, self.best.raster.dpi)
        if not turned:
            return
        before, raster = self.best, self.raster
        self.raster, self.best = turn_upright(raster, turned), None
        self._attempt(strategy)
        if self.best is None or self.best.score <= _NOT_WORSE * before.score:
            self.raster, self.best = raster, before
        else:
            self.turned = turned

    def _is_covered(self) -> bool:
        return self.best is not None and self.best.coverage >= self.options.least_coverage

    def _is_good(self) -> bool:
        is_sure = self.best is not None and self.best.confidence >= self.options.good_confidence
        return is_sure and self._is_covered()

    def _is_poor(self) -> bool:
        """Whether the page would currently be flagged."""
        return not self._is_covered() or (
            self.best is None or self.best.confidence < self.options.low_confidence
        )

    def _measure_time_left(self) -> float:
        return self.ends_at - time.monotonic()


def _is_sideways(words: Sequence[RecognisedWord]) -> bool:
    """Whether most words are taller than wide, as on a page that lies on its side."""
    long = [word.box for word in words if len(word.text) >= _LONG_WORD]
    high = sum(bottom - top > right - left for left, top, right, bottom in long)
    return 2 * high > len(long) > 0


def _build_page(number: int, search: _Search, best: OcrTrial, options: OcrOptions) -> OcrPage:
    text, lines = _join_lines(best.lines)
    image, dpi = best.raster.image, round(best.raster.dpi)
    inches = best.ink.square_inches
    return OcrPage(
        number=number,
        text=text,
        confidence=round(best.confidence, 4),
        coverage=round(best.coverage, 4),
        characters_per_inch=round(best.characters / inches, 1) if inches else 0.0,
        lines=lines,
        hocr=hocr.build_page(number, image.size, dpi, best.lines),
        width=image.width,
        height=image.height,
        dpi=dpi,
        skew_degrees=best.skew,
        turned=search.turned,
        flags=_collect_flags(search, best, options),
        strategy=best.strategy.name,
        attempts=tuple(search.attempts),
        engine=_describe_engine(options),
    )


def _collect_flags(search: _Search, best: OcrTrial, options: OcrOptions) -> tuple[str, ...]:
    flags = []
    if not best.characters:
        flags.append(BLANK if best.ink.is_scarce else NO_TEXT)
    elif best.confidence < options.low_confidence:
        flags.append(LOW_CONFIDENCE)
    if best.characters and best.coverage < options.least_coverage:
        flags.append(LOW_COVERAGE)
    if search.turned:
        flags.append(f"rotated {search.turned}")
    if search.raster.reduced:
        flags.append(REDUCED)
    if search.cut_short:
        flags.append(TIMED_OUT)
    return tuple(flags)


def _build_empty_page(number: int, raster: Raster, options: OcrOptions, *flags: str) -> OcrPage:
    if raster.reduced:
        flags += (REDUCED,)
    dpi = round(raster.dpi)
    return OcrPage(
        number=number,
        text="",
        confidence=1.0 if BLANK in flags else 0.0,
        coverage=1.0,
        characters_per_inch=0.0,
        hocr=hocr.build_page(number, raster.image.size, dpi, ()),
        width=raster.image.width,
        height=raster.image.height,
        dpi=dpi,
        skew_degrees=0.0,
        turned=0,
        flags=flags,
        strategy="",
        attempts=(),
        engine=_describe_engine(options),
    )


def _join_lines(lines: Sequence[RecognisedLine]) -> tuple[str, tuple[OcrLine, ...]]:
    """The text of the page, with an empty line between paragraphs; and each line's place."""
    pieces: list[str] = []
    placed = []
    at = 0
    for number, line in enumerate(lines):
        between = "" if number == 0 else "\n\n" if line.opens else "\n"
        start = at + len(between)
        at = start + len(line.text)
        pieces += (between, line.text)
        placed.append(OcrLine(start, at, round(line.confidence, 4), line.box))
    return "".join(pieces), tuple(placed)


def _describe_engine(options: OcrOptions) -> str:
    return f"tesseract {find_engine_version()}, {'+'.join(options.languages)}, Sauvola"
