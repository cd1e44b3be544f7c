"""Reading one scanned page: tried in several ways until the text is good, and never lost.

A page ends with text, or with a flag that says why not.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.reading.ocr import hocr
from assay.reading.ocr.attempts import FAIR_FIRST, ROUGH_FIRST, Strategy, Trial, tried
from assay.reading.ocr.engine import Engine, Line, engine, engine_version
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
    Attempt,
    OcrLine,
    OcrPage,
)
from assay.reading.ocr.raster import Raster, page_raster
from assay.reading.ocr.rescue import rescued
from assay.reading.ocr.restoring import condition_of, positive, turned_upright
from assay.reading.ocr.signs import SECTION, with_section_signs

_UPSIDE_DOWN = 0.80
"""A confidence that upright pages seldom miss: under it, the page may lie on its side."""
_GAIN = 1.02
"""A score must be better by this factor for one more attempt to have been worth it."""


def ocr_page(data: bytes, number: int, options: OcrOptions | None = None) -> OcrPage:
    """A page, counted from 1, of a scanned PDF or of a file with pictures."""
    options = options or OcrOptions()
    tesseract = engine(options.languages, options.tessdata)
    raster = positive(page_raster(data, number, options))
    ink = Ink(raster.image, raster.dpi)
    if ink.blank or not ink.looks_like_text:
        return _without_text(number, raster, ink, options)
    search = _Search(raster, tesseract, options, time.monotonic() + options.page_timeout_s)
    search.run()
    return _page(number, search, options)


@dataclass(slots=True)
class _Search:
    """The attempts at one page."""

    raster: Raster
    engine: Engine
    options: OcrOptions
    ends_at: float
    turned: int = 0
    cut_short: bool = False
    best: Trial | None = None
    attempts: list[Attempt] = field(default_factory=list)

    def run(self) -> None:
        """Try one way after another until the page is good, or nothing more is gained."""
        rough = condition_of(self.raster).rough
        strategies = list(ROUGH_FIRST if rough else FAIR_FIRST)[: self.options.max_attempts]
        while strategies and not self.cut_short:
            strategy = strategies.pop(0)
            gained = self._attempt(strategy)
            if self._good():
                break
            if len(self.attempts) == 1 and self._turn():
                strategies.insert(0, strategy)
            elif not gained and self._sure():
                break
        if self.best is not None and self._left() > 0:
            self.best = rescued(self.best, self.engine, self._left())
            self._sign()

    def _sign(self) -> None:
        """Look for section signs in a language that knows them, where the first does not."""
        assert self.best is not None
        if self.engine.knows(SECTION):
            return
        for language in self.options.languages[1:]:
            knowing = engine((language,), self.options.tessdata)
            if knowing.knows(SECTION):
                self.best = with_section_signs(self.best, knowing, self._left())
                return

    def _attempt(self, strategy: Strategy) -> bool:
        """Try one way; whether it is better than those before by more than a trifle."""
        left = self._left()
        if left <= 0:
            self.cut_short = True
            return False
        trial = tried(self.raster, strategy, self.engine, left, self.options.max_pixels)
        self.attempts.append(trial.told())
        self.cut_short = not trial.complete
        before = self.best.score if self.best else 0.0
        if self.best is None or trial.score > before:
            self.best = trial
        return trial.score > _GAIN * before

    def _turn(self) -> bool:
        """Set the page upright where it lies on its side or head; whether it did."""
        assert self.best is not None
        if self.best.confidence >= _UPSIDE_DOWN:
            return False
        self.turned = self.engine.turned(self.best.raster.image, self.best.raster.dpi)
        if not self.turned:
            return False
        self.raster = turned_upright(self.raster, self.turned)
        self.best = None
        return True

    def _sure(self) -> bool:
        return self.best is not None and self.best.confidence >= self.options.good_confidence

    def _good(self) -> bool:
        return (
            self._sure()
            and self.best is not None
            and self.best.coverage >= self.options.least_coverage
        )

    def _left(self) -> float:
        return self.ends_at - time.monotonic()


def _page(number: int, search: _Search, options: OcrOptions) -> OcrPage:
    best = search.best
    assert best is not None
    text, lines = _text(best.lines)
    image, dpi = best.raster.image, round(best.raster.dpi)
    inches = best.ink.square_inches
    return OcrPage(
        number=number,
        text=text,
        confidence=round(best.confidence, 4),
        coverage=round(best.coverage, 4),
        characters_per_inch=round(best.characters / inches, 1) if inches else 0.0,
        lines=lines,
        hocr=hocr.page(number, image.size, dpi, best.lines),
        width=image.width,
        height=image.height,
        dpi=dpi,
        skew_degrees=best.skew,
        turned=search.turned,
        flags=_flags(search, best, options),
        strategy=best.strategy.name,
        attempts=tuple(search.attempts),
        engine=_engine(options),
    )


def _flags(search: _Search, best: Trial, options: OcrOptions) -> tuple[str, ...]:
    flags = []
    if not best.characters:
        flags.append(NO_TEXT)
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


def _without_text(number: int, raster: Raster, ink: Ink, options: OcrOptions) -> OcrPage:
    flags = [BLANK if ink.blank else PICTURE_ONLY]
    if raster.reduced:
        flags.append(REDUCED)
    dpi = round(raster.dpi)
    return OcrPage(
        number=number,
        text="",
        confidence=1.0 if ink.blank else 0.0,
        coverage=1.0,
        characters_per_inch=0.0,
        hocr=hocr.page(number, raster.image.size, dpi, ()),
        width=raster.image.width,
        height=raster.image.height,
        dpi=dpi,
        skew_degrees=0.0,
        turned=0,
        flags=tuple(flags),
        strategy="",
        attempts=(),
        engine=_engine(options),
    )


def _text(lines: Sequence[Line]) -> tuple[str, tuple[OcrLine, ...]]:
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


def _engine(options: OcrOptions) -> str:
    return f"tesseract {engine_version()}, {'+'.join(options.languages)}, Sauvola"
