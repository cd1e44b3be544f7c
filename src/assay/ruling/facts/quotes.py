"""Whether a text contains a quote: exactly, or after folding differences that no reader sees.

Folding covers NFKC, non-breaking spaces, soft hyphens, quotation marks and runs of white space, and
nothing else, so that a quote never matches different words.
"""

import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

MIN_QUOTE = 5
"""A shorter quote does not identify where it comes from."""

_SOFT_HYPHEN = "\u00ad"
_MARKS = dict.fromkeys("„“”‟«»″", '"') | dict.fromkeys("‚‘’‛‹›′`´", "'")
_MAX_COMBINING = 30
"""The maximum number of marks on one letter; more are an attempt to waste time."""


class QuoteSpan(NamedTuple):
    """A part of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _FoldedText:
    """A folded text with a map back to the original."""

    text: str
    starts: Sequence[int]
    """For each folded character, where its original starts, or -1 if it is not the first of it."""
    ends: Sequence[int]
    """For each folded character, where its original ends, or -1 if it is not the last of it."""


def fold_quote(text: str) -> str:
    """A text in the form in which quotes are compared, without white space at its ends."""
    if text.isascii():
        return " ".join(text.replace("`", "'").split())
    return "".join(character for piece, _, _ in _fold_pieces(text) for character in piece).strip(
        " "
    )


def locate_quote(quote: str, text: str, start: int | None = None) -> QuoteSpan | None:
    """Where a text contains a quote: at `start`, or, if that is None, at its first occurrence.

    The span refers to the original text: `text[span.start:span.end]` is the quote as stored.
    """
    if len(fold_quote(quote)) < MIN_QUOTE:
        return None
    if start is not None:
        return _match_at(quote, text, start)
    exact = text.find(quote)
    if exact >= 0 and _is_whole(text, exact, exact + len(quote)):
        return QuoteSpan(exact, exact + len(quote))
    return next(_find_places(quote, text), None)


def find_occurrences(quote: str, text: str) -> list[QuoteSpan]:
    """Every occurrence of a quote, exact or folded; they do not overlap."""
    return [] if len(fold_quote(quote)) < MIN_QUOTE else list(_find_places(quote, text))


def _match_at(quote: str, text: str, start: int) -> QuoteSpan | None:
    if not 0 <= start < len(text) or unicodedata.combining(text[start]):
        return None
    if text.startswith(quote, start) and _is_whole(text, start, start + len(quote)):
        return QuoteSpan(start, start + len(quote))
    folded, place, first = fold_quote(quote), 0, -1
    for piece, piece_start, piece_end in _fold_pieces(text, start):
        if first < 0 and piece == " ":
            continue
        if not folded.startswith(piece, place):
            return None
        first = piece_start if first < 0 else first
        place += len(piece)
        if place == len(folded):
            return QuoteSpan(first, piece_end)
    return None


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a span does not separate a letter from its combining marks."""
    return not any(map(unicodedata.combining, text[start : start + 1] + text[end : end + 1]))


def _find_places(quote: str, text: str) -> Iterator[QuoteSpan]:
    folded, within = fold_quote(quote), _fold_text(text)
    place = within.text.find(folded)
    while place >= 0:
        last = place + len(folded) - 1
        start, end = within.starts[place], within.ends[last]
        # A span cannot start or end inside a ligature.
        whole = start >= 0 and end >= 0
        if whole:
            yield QuoteSpan(start, end)
        place = within.text.find(folded, last + 1 if whole else place + 1)


@lru_cache(maxsize=4)
def _fold_text(text: str) -> _FoldedText:
    """Cached for a few texts, because many quotes are searched for in the same one."""
    pieces: list[str] = []
    starts, ends = array("q"), array("q")
    for piece, start, end in _fold_pieces(text):
        pieces.append(piece)
        inner = [-1] * (len(piece) - 1)
        starts.append(start)
        starts.extend(inner)
        ends.extend(inner)
        ends.append(end)
    return _FoldedText("".join(pieces), starts, ends)


def _fold_pieces(text: str, start: int = 0) -> Iterator[tuple[str, int, int]]:
    """A text from `start` on, folded piece by piece, each with its original start and end."""
    spaced = -1
    for piece, begin, end in _split_letters(text, start):
        if piece.isspace():
            spaced = begin if spaced < 0 else spaced
            continue
        if spaced >= 0:
            yield " ", spaced, begin
            spaced = -1
        yield piece, begin, end
    if spaced >= 0:
        yield " ", spaced, len(text)


def _continues_letter(character: str) -> bool:
    """Whether a character belongs to the letter before it; a soft hyphen may be in between."""
    return character == _SOFT_HYPHEN or unicodedata.combining(character) != 0


def _split_letters(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Each letter with its combining marks, in NFKC; soft hyphens are left out."""
    place, length = start, len(text)
    while place < length:
        begin, character = place, text[place]
        place += 1
        if character in _MARKS:
            yield _MARKS[character], begin, place
        elif character == _SOFT_HYPHEN:
            continue
        elif character.isascii() and (place == length or text[place].isascii()):
            yield character, begin, place
        else:
            most = min(length, place + _MAX_COMBINING)
            while place < most and _continues_letter(text[place]):
                place += 1
            plain = unicodedata.normalize("NFKC", text[begin:place].replace(_SOFT_HYPHEN, ""))
            if plain:
                yield plain, begin, place
