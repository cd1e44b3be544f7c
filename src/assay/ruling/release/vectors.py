"""Vectors of words, computed from their letters alone: the same in every language and place."""

import math
import struct
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

import xxhash

MODEL = "letters-3-5/1"
"""Must be raised with every change that gives the same words a different vector."""
DIMENSIONS = 256
_MIN_PIECE, _MAX_PIECE = 3, 5


def compute_vector(text: str) -> tuple[float, ...]:
    """The vector of a text, with length 1; all zeros if the text is only white space."""
    # Each piece of a word maps to one place, with a sign, so that pieces which share a place by
    # chance cancel each other out instead of adding up.
    places = [0.0] * DIMENSIONS
    for piece, count in sorted(Counter(_split_pieces(text)).items()):
        hashed = xxhash.xxh64_intdigest(piece.encode())
        sign = 1.0 if hashed >> 63 else -1.0
        places[hashed % DIMENSIONS] += sign * math.sqrt(count)
    length = math.sqrt(math.fsum(place * place for place in places))
    return tuple(place / length for place in places) if length else tuple(places)


def compute_similarity(one: Sequence[float], other: Sequence[float]) -> float:
    """How similar two vectors are: 1 if they point the same way, 0 if they share nothing."""
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def pack_vector(vector: Sequence[float]) -> str:
    """A vector as stored."""
    return struct.pack(f"<{len(vector)}f", *vector).hex()


def _split_pieces(text: str) -> Iterator[str]:
    """Runs of three to five letters of each word, whose ends are marked by spaces."""
    for word in unicodedata.normalize("NFKC", text).casefold().split():
        whole = f" {word} "
        for size in range(_MIN_PIECE, _MAX_PIECE + 1):
            if size > len(whole):
                break
            for start in range(len(whole) - size + 1):
                yield whole[start : start + size]
