"""The first simple rule by which scout judges a page."""

import re
from dataclasses import dataclass

from assay.reading.look import Page

MIN_LENGTH = 100
MAX_LENGTH = 500_000
MAX_BOILERPLATE = 0.7

TYPE_WEIGHT = {
    "LEGISLATION": 0.4,
    "REGULATION": 0.35,
    "GUIDELINE": 0.25,
    "FAQ": 0.2,
    "FORM": 0.15,
    "ANNOUNCEMENT": 0.15,
    "NEWS": 0.1,
    "BOILERPLATE": -0.3,
}

_WORDS = {
    "LEGISLATION": r"zakon\w*|law|act|gesetz\w*",
    "REGULATION": r"pravilnik\w*|uredb\w*|regulation|verordnung\w*",
    "GUIDELINE": r"uput\w*|smjernic\w*|guid\w+|leitfaden|richtlini\w*|merkblatt",
    "FAQ": r"pitanja i odgovori|česta pitanja|faq|questions|fragen",
    "FORM": r"obraz\w+|form|formular",
    "ANNOUNCEMENT": r"obavijest\w*|objav\w*|natječaj\w*|notice|announcement|bekanntmachung",
    "NEWS": r"vijest\w*|novost\w*|news|nachricht\w*|aktuelles",
}
_TYPES = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _WORDS.items()}
_SIGNAL = re.compile(
    r"\b(?:članak|stavak|stavk\w+|stopa|rok\w*|porez\w*|kazn\w+|article|paragraph|rate|deadline|"
    r"penalty|fine|tax|artikel|absatz|steuersatz|frist|geldbuße|euro?)\b"
    r"|§|\d+(?:[.,]\d+)?\s?%",
    re.IGNORECASE,
)
_SAMPLE = 20_000
_FULL_DENSITY = 12.0
"""Signals per thousand characters from which a text counts as wholly regulatory."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rule says of a page."""

    score: float
    doc_type: str
    skip_reason: str | None
    length: int
    boilerplate_ratio: float
    has_structured_data: bool


def judged(page: Page) -> Judgement:
    """Score a page: its kind, how regulatory it reads, how much of it is furniture."""
    length = len(page.text)
    doc_type = _doc_type(page)
    density = min(1.0, _signals(page.text) / _FULL_DENSITY)
    score = (
        0.3
        + TYPE_WEIGHT[doc_type]
        + 0.3 * density
        + (0.1 if page.has_structured_data else 0.0)
        - 0.2 * page.boilerplate_ratio
    )
    return Judgement(
        score=round(max(0.0, min(1.0, score)), 4),
        doc_type=doc_type,
        skip_reason=_skip_reason(length, page.boilerplate_ratio),
        length=length,
        boilerplate_ratio=page.boilerplate_ratio,
        has_structured_data=page.has_structured_data,
    )


def _skip_reason(length: int, boilerplate_ratio: float) -> str | None:
    if length < MIN_LENGTH:
        return f"too short: {length} characters, {MIN_LENGTH} are needed"
    if length > MAX_LENGTH:
        return f"too long: {length} characters, {MAX_LENGTH} are allowed"
    if boilerplate_ratio > MAX_BOILERPLATE:
        return f"{boilerplate_ratio:.0%} of it is navigation and footer"
    return None


def _doc_type(page: Page) -> str:
    """By the title, else by how the text begins."""
    for where in (page.title or "", page.text[:300]):
        for name, pattern in _TYPES.items():
            if pattern.search(where):
                return name
    return "BOILERPLATE"


def _signals(text: str) -> float:
    sample = text[:_SAMPLE]
    if not sample:
        return 0.0
    return len(_SIGNAL.findall(sample)) / (len(sample) / 1000)
