"""What a text is like, measured once, and what it is worth to each pack."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from assay.reading.language import UNKNOWN, Language, estimate_tokens, identify_language
from assay.reading.similarity import Signature, compute_signature
from assay.reading.words import find_names, split_words
from assay.spine.scouting.profile import NEUTRAL, NO_PACK, UNKNOWN_KIND, Scouting, compile_profile

MIN_LENGTH = 100
MAX_LENGTH = 500_000
MAX_BOILERPLATE = 0.7
MIN_PRINTABLE = 0.8
"""A text with a smaller share of printable characters is garbage."""
MAX_REPETITION = 0.9
"""A text that repeats itself more than this says too little to be worth reading."""

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ue000-\uf8ff\ufff0-\ufff8\ufffd-\uffff]"
)
_PHRASE_WORDS = 3
_MIN_WORDS = 60
"""The number of words from which repetition can be measured."""


def find_flaw(text: str, words: Sequence[str], length: int, boilerplate_ratio: float) -> str | None:
    """Why no pack should read a document; `text` and `words` are its first `MAX_LENGTH`."""
    if length < MIN_LENGTH:
        return f"too short: {length} characters, {MIN_LENGTH} are needed"
    if length > MAX_LENGTH:
        return f"too long: {length} characters, {MAX_LENGTH} are allowed"
    if boilerplate_ratio > MAX_BOILERPLATE:
        return f"{boilerplate_ratio:.0%} of it is navigation and footer"
    share = measure_printable_share(text)
    if share < MIN_PRINTABLE:
        return f"garbage: only {share:.0%} of its characters are printable"
    repeated = measure_repetition(words)
    if repeated > MAX_REPETITION:
        return f"{repeated:.0%} of it is repeated text"
    return None


def measure_printable_share(text: str) -> float:
    """The share of characters that a person could read."""
    if not text:
        return 1.0
    return 1.0 - len(_UNPRINTABLE.findall(text)) / len(text)


def measure_repetition(words: Sequence[str]) -> float:
    """The share of phrases that occurred earlier in the text; 0 if it cannot be too much."""
    # There are at least as many distinct phrases as distinct words that start one.
    if len(words) < _MIN_WORDS or len(set(words)) - _PHRASE_WORDS > (1.0 - MAX_REPETITION) * len(
        words
    ):
        return 0.0
    phrases = list(zip(*(words[at:] for at in range(_PHRASE_WORDS)), strict=False))
    return 1.0 - len(set(phrases)) / len(phrases)


NEUTRAL_SCORE = 0.5
"""For a pack that looks for nothing in particular, or a scan that has not been read yet: unknown
is not worthless."""
LOWEST_FLOOR = 0.30
"""The minimum score for the healthiest sources: no pack wants a document with a lower score, unless
its profile sets a threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMeasures:
    """What is true of a document for every pack."""

    content_length: int
    language: str
    language_confidence: float
    boilerplate_ratio: float
    has_structured_data: bool
    needs_ocr: bool
    estimated_tokens: int
    signature: Signature | None
    """Finds its copies and versions; `None` if there is no text to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackJudgement:
    """What a document is worth to one pack."""

    worth_it_score: float
    doc_type: str
    skip_reason: str | None = None
    density: float = 0.0
    """How much of the text is about what the pack looks for, 0 to 1."""
    determinism_confidence: float = 0.0
    is_wanted: bool
    """Whether its text is stored for the pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The measures of a document, and the judgement of each pack that watches its source."""

    measures: DocumentMeasures
    judgements: Mapping[str, PackJudgement]
    """By the name of the pack; under `NO_PACK` if no pack watches the source."""

    @property
    def is_wanted(self) -> bool:
        """Whether any pack may want its text."""
        return any(judgement.is_wanted for judgement in self.judgements.values())

    @property
    def is_skipped(self) -> bool:
        """Whether every pack has a reason not to read it."""
        return all(judgement.skip_reason for judgement in self.judgements.values())


NEUTRAL_PROFILES: Mapping[str, Scouting] = {NO_PACK: NEUTRAL}


def assess_text(
    text: str,
    profiles: Mapping[str, Scouting] = NEUTRAL_PROFILES,
    *,
    title: str | None = None,
    boilerplate_ratio: float = 0.0,
    has_structured_data: bool = False,
    needs_ocr: bool = False,
) -> Assessment:
    """Judge a document by its text: language, kind, worth, and whether it should be skipped.

    `needs_ocr` says that some of its pages are images: too little text is then not a reason to skip
    it.
    """
    length = len(text)
    if needs_ocr and length < MIN_LENGTH:
        return _assess_unread(length, profiles, boilerplate_ratio, has_structured_data)
    judged = text[:MAX_LENGTH]
    words = split_words(judged)
    language = identify_language(judged)
    numbers = sum(map(str.isdigit, map(itemgetter(0), words)))
    measures = DocumentMeasures(
        content_length=length,
        language=language.code,
        language_confidence=language.confidence,
        boilerplate_ratio=boilerplate_ratio,
        has_structured_data=has_structured_data,
        needs_ocr=needs_ocr,
        estimated_tokens=estimate_tokens(
            length, numbers * length // max(1, len(judged)), language.code
        ),
        signature=compute_signature(words, find_names(judged)) if words else None,
    )
    flaw = find_flaw(judged, words, length, boilerplate_ratio)
    return Assessment(
        measures=measures,
        judgements={
            pack: _judge_for_pack(
                profile,
                measures,
                title,
                judged,
                words,
                flaw or _explain_foreign_language(language, profile),
            )
            for pack, profile in profiles.items()
        },
    )


def accept_given_document(found: Assessment) -> Assessment:
    """The assessment of a document that a person added: worth reading, whatever it looks like."""
    if not found.measures.content_length and not found.measures.needs_ocr:
        return found
    judgements = {
        pack: replace(judgement, worth_it_score=1.0, skip_reason=None, is_wanted=True)
        for pack, judgement in found.judgements.items()
    }
    return replace(found, judgements=judgements)


def _judge_for_pack(
    profile: Scouting,
    measures: DocumentMeasures,
    title: str | None,
    text: str,
    words: Sequence[str],
    skip_reason: str | None,
) -> PackJudgement:
    if profile.is_neutral:
        return _judge_neutrally(profile, skip_reason)
    compiled = compile_profile(profile)
    signals = compiled.count_signals(words)
    kind = compiled.choose_kind(title, text, signals)
    score = (
        0.3
        + profile.weigh_kind(kind)
        + 0.3 * signals.density
        + (0.1 if measures.has_structured_data else 0.0)
        - 0.2 * measures.boilerplate_ratio
    )
    score = round(max(0.0, min(1.0, score)), 4)
    floor = LOWEST_FLOOR if profile.threshold is None else profile.threshold
    return PackJudgement(
        worth_it_score=score,
        doc_type=kind,
        skip_reason=skip_reason,
        density=round(signals.density, 4),
        determinism_confidence=profile.expect_determinism(signals),
        is_wanted=skip_reason is None and score >= floor,
    )


def _judge_neutrally(profile: Scouting, skip_reason: str | None = None) -> PackJudgement:
    """The judgement if there is nothing to look for, or nothing has been read yet."""
    return PackJudgement(
        worth_it_score=max(NEUTRAL_SCORE, profile.threshold or 0.0),
        doc_type=UNKNOWN_KIND,
        skip_reason=skip_reason,
        is_wanted=skip_reason is None,
    )


def _assess_unread(
    length: int,
    profiles: Mapping[str, Scouting],
    boilerplate_ratio: float,
    has_structured_data: bool,
) -> Assessment:
    """The assessment of a scan: there is nothing to judge before it is read."""
    measures = DocumentMeasures(
        content_length=length,
        language=UNKNOWN,
        language_confidence=0.0,
        boilerplate_ratio=boilerplate_ratio,
        has_structured_data=has_structured_data,
        needs_ocr=True,
        estimated_tokens=0,
        signature=None,
    )
    judgements = {pack: _judge_neutrally(profile) for pack, profile in profiles.items()}
    return Assessment(measures=measures, judgements=judgements)


def _explain_foreign_language(language: Language, profile: Scouting) -> str | None:
    """Why a pack cannot read the language; only one that was identified with certainty counts."""
    if not profile.languages or not language.sure or language.code in profile.languages:
        return None
    read = ", ".join(sorted(profile.languages))
    return f"language '{language.code}' is not supported, only {read}"
