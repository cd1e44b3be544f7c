"""A page that was read from its image."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from assay.model.hashes import canonical_json

BLANK = "blank"
"""The page is empty."""
PICTURE_ONLY = "picture_only"
"""There is ink, but none of it looks like text."""
NO_TEXT = "no_text"
"""There is ink that looks like text, but no character could be read."""
LOW_CONFIDENCE = "low_confidence"
"""Tesseract is unsure of what it read."""
LOW_COVERAGE = "low_coverage"
"""Much ink that looks like text has no characters."""
REDUCED = "reduced"
"""The page is so large that it was drawn at a lower resolution."""
TIMED_OUT = "timed_out"
"""The time ran out before everything was tried."""

DOUBTFUL = frozenset({NO_TEXT, LOW_CONFIDENCE, LOW_COVERAGE, TIMED_OUT})
"""Flags of a page whose text may be wrong or incomplete."""


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of the page's text and its confidence."""

    start: int
    end: int
    confidence: float
    box: tuple[int, int, int, int]
    """Left, top, right and bottom in the image that was read, after straightening."""


@dataclass(frozen=True, slots=True)
class OcrAttempt:
    """One attempt at the page."""

    strategy: str
    confidence: float
    coverage: float
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrPage:
    """The result of one page."""

    number: int
    """From 1."""
    text: str
    confidence: float
    """From 0 to 1: the mean over words, weighted by their characters."""
    coverage: float
    """The share of the text-like ink that is within words; 1 without such ink."""
    characters_per_inch: float
    """Characters per square inch of paper with such ink."""
    lines: tuple[OcrLine, ...] = ()
    hocr: str = ""
    """The page's part of an hOCR document."""
    width: int
    """Of the image that was read, in pixels."""
    height: int
    dpi: int
    skew_degrees: float
    """How far the page was rotated clockwise to straighten it."""
    turned: int
    """0, 90, 180 or 270: how far it was rotated wrongly, clockwise."""
    flags: tuple[str, ...]
    strategy: str
    """The attempt that was kept."""
    attempts: tuple[OcrAttempt, ...]
    engine: str
    """Tesseract's version and languages."""

    @property
    def is_doubtful(self) -> bool:
        """Whether its text may be wrong or incomplete."""
        return not DOUBTFUL.isdisjoint(self.flags)

    def to_json(self) -> bytes:
        """The page as it is stored between runs."""
        return canonical_json(asdict(self))

    @classmethod
    def from_json(cls, data: bytes) -> "OcrPage":
        """A page that was stored."""
        stored: dict[str, Any] = json.loads(data)
        stored["lines"] = tuple(
            OcrLine(**{**line, "box": tuple(line["box"])}) for line in stored["lines"]
        )
        stored["attempts"] = tuple(OcrAttempt(**attempt) for attempt in stored["attempts"])
        stored["flags"] = tuple(stored["flags"])
        return cls(**stored)
