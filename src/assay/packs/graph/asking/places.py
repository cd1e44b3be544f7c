"""Where words stand in a text: as whole words, exactly or as far as quotes are folded."""

import re
import unicodedata
from collections.abc import Sequence

from assay.packs.graph.model import Chunk, Span
from assay.sdk.facts import folded, occurrences

Place = tuple[int, int]

LONGEST = 2_000
"""Characters of words that are looked for; more of them are not looked for at all."""
_EDGES = " \t\r\n\"'`´‘’“”„«»‹›…"
_STOPS = ".,;:!?"
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f]"
)
"""Scripts that do not part words, or that write endings onto names."""


def storable(words: str) -> bool:
    """Whether words can be kept: no NUL, and no half of a surrogate pair."""
    return "\x00" not in words and not any("\ud800" <= character <= "\udfff" for character in words)


def places(words: str, text: str) -> list[Place]:
    """Every place where words stand in a text as whole words; in order, none overlapping."""
    if not words.strip() or len(words) > LONGEST:
        return []
    for wanted in dict.fromkeys((words, words.strip(_EDGES), words.strip(_EDGES + _STOPS))):
        if wanted and (found := _places(wanted, text)):
            return found
    return []


def loose_places(words: str, text: str) -> list[Place]:
    """The same for a name: of several words the case may differ, and an article may be left."""
    found = places(words, text)
    if found or len(words) > LONGEST:
        return found
    bare = re.sub(r"^(?:the|an?)\s+", "", words.strip(_EDGES), flags=re.IGNORECASE)
    if bare != words and (found := places(bare, text)):
        return found
    # A single word in other letters may be another word: `Turkey` and `turkey`, `US` and `us`.
    if not re.search(r"\w\s+\w", bare):
        return []
    pattern = r"\s+".join(map(re.escape, bare.split()))
    return [m.span() for m in re.finditer(pattern, text, re.IGNORECASE) if whole(text, *m.span())]


def whole(text: str, start: int, end: int) -> bool:
    """Whether a stretch begins and ends between words."""
    return (
        start < end
        and not (start > 0 and _joined(text[start - 1], text[start]))
        and not (end < len(text) and _joined(text[end - 1], text[end]))
        and not (end < len(text) and unicodedata.combining(text[end]))
    )


def overlap(one: Place, other: Place) -> bool:
    """Whether two stretches share a character."""
    return one[0] < other[1] and other[0] < one[1]


def beside(one: Place, other: Place, text: str) -> bool:
    """Whether there is nothing but white space between two stretches."""
    first, second = sorted((one, other))
    return not text[first[1] : second[0]].strip()


def sentences_of(chunk: Chunk) -> Sequence[Place]:
    """The sentences of a chunk, counted within its own text."""
    own = [(a - chunk.start, b - chunk.start) for a, b in chunk.sentences]
    kept = [(a, b) for a, b in own if 0 <= a < b <= len(chunk.text)]
    return kept or [(0, len(chunk.text))]


def span_of(chunk: Chunk, place: Place, document: str) -> Span:
    """A stretch of a chunk as a place of the whole text."""
    start, end = place
    return Span(chunk.start + start, chunk.start + end, chunk.text[start:end], document)


def _places(words: str, text: str) -> list[Place]:
    found = [(place.start, place.end) for place in occurrences(words, text)]
    if not found and len(folded(words)) < 5:
        found = [match.span() for match in re.finditer(re.escape(words), text)]
    return [place for place in found if whole(text, *place)]


def _joined(one: str, other: str) -> bool:
    """Whether two neighbouring characters are of one word."""
    parted = _SPACELESS.match(one) or _SPACELESS.match(other)
    return not parted and (one.isalnum() or one == "_") and (other.isalnum() or other == "_")
