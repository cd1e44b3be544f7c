"""Vectors of passages and queries, computed from their words alone.

Nothing is trained and nothing is downloaded: a word is a fixed direction made of its stem and its
letters, and a passage is the sum of its words. Words that share letters, such as "immunisation" and
"immunized", point in similar directions, which is what full text with a stemmer misses. How rare a
word is depends on the corpus and changes every day, so it counts only in the query's vector: that
of a passage depends on nothing but its text, and never has to be computed again.
"""

import asyncio
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import xxhash

FloatVector = npt.NDArray[np.float32]

_LISTED: Final = """
    a about above after again against all also although am among an and any are as at be because
    been before being below between both but by can could did do does doing down during each either
    few for from further had has have having he her here hers him his how however i if in into is it
    its itself just may me might more most my no nor not of off on once only or other our out over
    own per same she should so some such than that the their them then there these they this those
    through thus to too under until up upon us very via was we were what when where whether which
    while who whom why will with within without would you your
    """
STOP_WORDS: Final = frozenset(_LISTED.split())
"""Words that say nothing about the topic of an English text."""
MOST_CHARACTERS: Final = 20_000
"""Of a text: what follows does not count."""
_LONGEST_WORD: Final = 40
_STEM: Final = 6
_PIECES: Final = (3, 4, 5)
_LEVELS: Final = 127
_WORD = re.compile(r"[^\W_]++")

Rarity = Callable[[Sequence[str]], Mapping[str, float]]
"""How rare words are in the corpus: for each, the logarithm of one in how many passages has it."""


class Embedder(Protocol):
    """Turns texts into vectors. Another name means that the vectors cannot be compared."""

    @property
    def name(self) -> str:
        """What computes the vectors, with its version and their dimension."""

    @property
    def weight(self) -> float:
        """How much the vectors count beside full text in a fused ranking, from 0 to 1."""

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """The encoded vector of each text."""

    async def embed_query(self, query: str, rarity: Rarity) -> FloatVector:
        """The vector of a query, of length 1; all zeros if it has no usable words."""


class LetterEmbedder:
    """The embedded default: hashed stems and letters."""

    def __init__(self, dimension: int = 1024) -> None:
        self._dimension = dimension
        self._locate_word = lru_cache(maxsize=50_000)(self._locate)

    @property
    def name(self) -> str:
        return f"stems-letters/1/{self._dimension}"

    @property
    def weight(self) -> float:
        # Measured by bench.literature_retrieval on the claims of SciFact's training part and CISI.
        return 0.3

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [self.embed_text(text) for text in texts]

    async def embed_query(self, query: str, rarity: Rarity) -> FloatVector:
        return await asyncio.to_thread(self.embed_words, query, rarity)

    def embed_text(self, text: str) -> bytes:
        """The encoded vector of a text."""
        counts = Counter(split_words(text))
        return encode_vector(self._add_up({word: 1.0 + math.log(n) for word, n in counts.items()}))

    def embed_words(self, query: str, rarity: Rarity) -> FloatVector:
        """The vector of a query, in which rare words count most."""
        counts = Counter(split_words(query))
        rare = rarity(sorted(counts))
        vector = self._add_up({word: n * rare[word] for word, n in counts.items()})
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector

    def _add_up(self, words: Mapping[str, float]) -> FloatVector:
        if not words:
            return np.zeros(self._dimension, np.float32)
        located = [(self._locate_word(word), weight) for word, weight in sorted(words.items())]
        places = np.concatenate([places for (places, _), _ in located])
        amounts = np.concatenate([amounts * weight for (_, amounts), weight in located])
        return np.bincount(places, amounts, self._dimension).astype(np.float32)

    def _locate(self, word: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Where a word points: one place for its stem, and one for each run of its letters.

        The sign lets runs that share a place by chance cancel each other out instead of adding up.
        """
        marked = f"<{word}>"
        runs = [marked[at : at + n] for n in _PIECES for at in range(len(marked) - n + 1)]
        hashes = [xxhash.xxh64_intdigest(f" {word[:_STEM]}".encode())]
        hashes += [xxhash.xxh64_intdigest(run.encode()) for run in runs]
        amounts = np.full(len(hashes), 1.0 / math.sqrt(max(1, len(runs))))
        amounts[0] = 1.0
        signs = np.array([1.0 if each >> 63 else -1.0 for each in hashes])
        places = np.array([each % self._dimension for each in hashes], np.int64)
        return places, amounts * signs


DEFAULT_EMBEDDER: Final = LetterEmbedder()


def split_words(text: str, *, keep_all: bool = False) -> list[str]:
    """The words of a text in lower case and without accents; stop words only with `keep_all`."""
    text = text[:MOST_CHARACTERS]
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in text if not unicodedata.combining(letter))
    words = _WORD.findall(text.lower())
    return [word[:_LONGEST_WORD] for word in words if keep_all or word not in STOP_WORDS]


def encode_vector(vector: npt.ArrayLike) -> bytes:
    """A vector as stored: one signed byte per dimension. Only its direction is kept."""
    values = np.asarray(vector, np.float32)
    largest = float(np.abs(values).max(initial=0.0))
    if not math.isfinite(largest):
        raise ValueError("a vector must be made of finite numbers")
    scale = _LEVELS / largest if largest else 0.0
    return np.rint(values * np.float32(scale)).astype(np.int8).tobytes()


def decode_vector(stored: bytes) -> FloatVector:
    """A stored vector, of length 1; all zeros if it has no direction."""
    values = np.frombuffer(stored, np.int8).astype(np.float32)
    length = float(np.linalg.norm(values))
    return values / np.float32(length) if length else values
