"""Summaries without a model: the sentences that say most about an item, quoted as they are."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

from assay.sdk.reading import split_sentences

_WORD = re.compile(r"[^\W\d_]{3,}")
_STOPWORDS: Final = frozenset(
    _WORD.findall(
        """
        the and for that this with from are was were will shall has have had been not its his her
        their our your they them which who whom any all such may must can could would should into
        upon under over than then there here also each per via these those being about after before
        between other only more most some what when where said item agenda city council meeting
        staff report page
        """
    )
)
_DECIDES = re.compile(
    r"\b(recommend\w*|approv\w+|authori[sz]\w+|adopt\w*|amend\w*|propos\w+|request\w*|would|"
    r"requires?|increas\w+|decreas\w+|allocat\w+|construct\w*|replac\w+|because|purpose|"
    r"fiscal impact|not to exceed|cost)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"[$€£]\s?\d|\b\d[\d,.]*\s?(dollars|million|percent)\b|\d\s?%")
_BOILERPLATE = re.compile(
    r"\b(page \d+|attachment [a-z0-9]\b|all rights reserved|americans with disabilities|"
    r"click here|http|www\.|whereas|be it (further )?resolved|table of contents|signature|"
    r"prepared by|reviewed by|phone|fax)\b",
    re.IGNORECASE,
)
_SHORTEST, _LONGEST = 40, 500
_MOST_CHARACTERS: Final = 200_000
"""Of one document: what matters about an item comes early."""
_SIMILAR: Final = 0.5


@dataclass(frozen=True)
class SourceText:
    """A text to summarize, and the artifact that it is or is a part of."""

    artifact_id: str
    text: str
    start: int = 0
    """Where it begins in the artifact."""


@dataclass(frozen=True)
class SummarySentence:
    """A sentence of a summary and the span of an artifact that says it."""

    text: str
    artifact_id: str
    start: int
    end: int


@dataclass(frozen=True)
class _Candidate:
    sentence: SummarySentence
    words: Mapping[str, float]
    score: float
    place: tuple[int, int]


def summarize(texts: Sequence[SourceText], title: str = "", most: int = 3) -> list[SummarySentence]:
    """At most `most` sentences, in the order of the documents; fewer if little can be said."""
    candidates = _rank(_split(texts), title)
    chosen: list[_Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.place)):
        if len(chosen) == most:
            break
        if all(_multiply(candidate.words, other.words) < _SIMILAR for other in chosen):
            chosen.append(candidate)
    return [c.sentence for c in sorted(chosen, key=lambda c: c.place)]


def _split(texts: Iterable[SourceText]) -> list[tuple[SummarySentence, tuple[int, int], float]]:
    """The usable sentences with their places, and how early they come (1: at the beginning)."""
    found = []
    for number, source in enumerate(texts):
        spans = split_sentences(source.text[:_MOST_CHARACTERS])
        for index, (start, end) in enumerate(spans):
            words = " ".join(source.text[start:end].split())
            if _is_usable(words):
                sentence = SummarySentence(
                    words, source.artifact_id, source.start + start, source.start + end
                )
                found.append((sentence, (number, start), 1 / (1 + index / 20) / (1 + number / 4)))
    return found


def _is_usable(words: str) -> bool:
    if not _SHORTEST <= len(words) <= _LONGEST or words[-1] not in ".!?":
        return False
    letters = sum(letter.isalpha() for letter in words)
    return letters >= 0.6 * len(words) and not _BOILERPLATE.search(words) and not words.isupper()


def _rank(
    sentences: Sequence[tuple[SummarySentence, tuple[int, int], float]], title: str
) -> list[_Candidate]:
    bags = [Counter(_list_words(sentence.text)) for sentence, _, _ in sentences]
    spread = Counter(word for bag in bags for word in bag)
    vectors = [
        _scale({word: count * log(1 + len(bags) / spread[word]) for word, count in bag.items()})
        for bag in bags
    ]
    sums: dict[str, float] = {}
    for vector in vectors:
        for word, weight in vector.items():
            sums[word] = sums.get(word, 0.0) + weight
    centre = _scale(sums)
    subject = _scale(dict.fromkeys(_list_words(title), 1.0))
    return [
        _Candidate(
            sentence,
            vector,
            _multiply(vector, centre)
            + 0.6 * _multiply(vector, subject)
            + 0.35 * early
            + 0.15 * bool(_DECIDES.search(sentence.text))
            + 0.1 * bool(_MONEY.search(sentence.text)),
            place,
        )
        for (sentence, place, early), vector in zip(sentences, vectors, strict=True)
    ]


def _list_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _STOPWORDS]


def _scale(vector: Mapping[str, float]) -> dict[str, float]:
    """The vector with length 1; an empty one stays empty."""
    length = sqrt(sum(weight * weight for weight in vector.values())) or 1.0
    return {word: weight / length for word, weight in vector.items()}


def _multiply(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How similar two vectors of length 1 are, from 0 to 1."""
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())
