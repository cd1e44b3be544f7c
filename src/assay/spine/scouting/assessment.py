"""The whole judgement of a text, in one pass over its words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.reading.language import SOUTH_SLAVIC, UNKNOWN, Language, identified
from assay.reading.near import Signature, signature_of
from assay.reading.words import names_of, words_of
from assay.spine.scouting.kinds import TYPE_WEIGHT, UNKNOWN_TYPE, kind_of
from assay.spine.scouting.quality import (
    LEAST_PRINTABLE,
    MOST_REPETITION,
    printable_share,
    repetition,
)
from assay.spine.scouting.signals import signals_of

MIN_LENGTH = 100
MAX_LENGTH = 500_000
MAX_BOILERPLATE = 0.7
LANGUAGES = frozenset({"hr", "en", "de"})
"""The languages that scout's words are written in."""
UNREAD_SCORE = 0.5
"""The score of a scan that nobody has read yet: unknown is not worthless."""

# Characters for each token, and tokens that each number costs besides. Measured with the vocabulary
# that prompts are counted with; a test holds them to it.
_TOKENS = {"hr": (2.55, 1.6), "en": (5.3, 2.8), "de": (3.7, 3.0)}
_TOKENS_ELSE = (2.5, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What scout says of a document."""

    worth_it_score: float
    doc_type: str
    needs_ocr: bool
    skip_reason: str | None
    content_length: int
    language: str
    language_confidence: float
    boilerplate_ratio: float
    has_structured_data: bool
    estimated_tokens: int
    determinism_confidence: float
    density: float
    """How regulatory the text reads, 0 to 1."""
    signature: Signature | None
    """What tells its copies and versions; `None` where there is no text to compare."""


def assess(
    text: str,
    *,
    title: str | None = None,
    boilerplate_ratio: float = 0.0,
    has_structured_data: bool = False,
    needs_ocr: bool = False,
) -> Assessment:
    """Judge a document by its text: kind, language, worth, and whether it should be skipped.

    `needs_ocr` says that pages of it are pictures: too little text is then no reason to skip it.
    """
    length = len(text)
    if needs_ocr and length < MIN_LENGTH:
        return _unread(length, boilerplate_ratio, has_structured_data)
    judged = text[:MAX_LENGTH]
    words = words_of(judged)
    signals = signals_of(words)
    language = identified(judged)
    doc_type = kind_of(title, judged, signals)
    score = (
        0.3
        + TYPE_WEIGHT[doc_type]
        + 0.3 * signals.density
        + (0.1 if has_structured_data else 0.0)
        - 0.2 * boilerplate_ratio
    )
    return Assessment(
        worth_it_score=round(max(0.0, min(1.0, score)), 4),
        doc_type=doc_type,
        needs_ocr=needs_ocr,
        skip_reason=(
            _wrong_size(length, boilerplate_ratio)
            or _unreadable(judged, words)
            or _foreign(language)
        ),
        content_length=length,
        language=language.code,
        language_confidence=language.confidence,
        boilerplate_ratio=boilerplate_ratio,
        has_structured_data=has_structured_data,
        estimated_tokens=estimated_tokens(
            length, signals.numbers * length // max(1, len(judged)), language.code
        ),
        determinism_confidence=signals.determinism,
        density=round(signals.density, 4),
        signature=signature_of(words, names_of(judged)) if words else None,
    )


def chosen(found: Assessment) -> Assessment:
    """The judgement of a document that a person gave: it is worth it, whatever it looks like."""
    if not found.content_length and not found.needs_ocr:
        return found
    return replace(found, worth_it_score=1.0, skip_reason=None)


def estimated_tokens(characters: int, numbers: int, language: str) -> int:
    """About how many tokens so much text has; nothing is counted token by token."""
    for_each, for_number = _TOKENS.get(language, _TOKENS_ELSE)
    return round(characters / for_each + numbers * for_number)


def _unread(length: int, boilerplate_ratio: float, has_structured_data: bool) -> Assessment:
    """A scan: there is nothing to judge before it is read."""
    return Assessment(
        worth_it_score=UNREAD_SCORE,
        doc_type=UNKNOWN_TYPE,
        needs_ocr=True,
        skip_reason=None,
        content_length=length,
        language=UNKNOWN,
        language_confidence=0.0,
        boilerplate_ratio=boilerplate_ratio,
        has_structured_data=has_structured_data,
        estimated_tokens=0,
        determinism_confidence=0.0,
        density=0.0,
        signature=None,
    )


def _wrong_size(length: int, boilerplate_ratio: float) -> str | None:
    if length < MIN_LENGTH:
        return f"too short: {length} characters, {MIN_LENGTH} are needed"
    if length > MAX_LENGTH:
        return f"too long: {length} characters, {MAX_LENGTH} are allowed"
    if boilerplate_ratio > MAX_BOILERPLATE:
        return f"{boilerplate_ratio:.0%} of it is navigation and footer"
    return None


def _unreadable(text: str, words: Sequence[str]) -> str | None:
    share = printable_share(text)
    if share < LEAST_PRINTABLE:
        return f"garbage: only {share:.0%} of its characters are printable"
    repeated = repetition(words)
    if repeated > MOST_REPETITION:
        return f"{repeated:.0%} of it repeats what it said before"
    return None


def _foreign(language: Language) -> str | None:
    if not language.sure or language.code in LANGUAGES | {SOUTH_SLAVIC, UNKNOWN}:
        return None
    spoken = ", ".join(sorted(LANGUAGES))
    return f"language '{language.code}' is not supported, only {spoken}"
