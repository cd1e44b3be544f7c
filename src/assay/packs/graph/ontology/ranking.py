"""Two ways to rank many names by one text, and one way to make a single order of them."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from assay.packs.graph.ontology.words import stems_of, telling
from assay.sdk.reading import vector_of

Scores = NDArray[np.float64]

_SATURATION = 1.2
_LENGTH = 0.75
"""The usual constants of BM25."""
_FUSION = 60
"""The usual constant of reciprocal rank fusion."""
_LIKE = 0.35
"""Words less alike than this share letters by accident."""
_ROWS = 32
_DIGITS = 6
"""Sums of floats in another order differ behind these."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of one thing that is ranked."""

    names: tuple[str, ...]
    aside: str = ""
    """Words that count less: what is said about it."""


class ByWords:
    """BM25: rare words that a text shares with a name count most."""

    _ASIDE = 0.25

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._count = len(entries)
        weights = [self._weights(entry) for entry in entries]
        lengths = np.array([sum(one.values()) for one in weights] or [1.0])
        usual = float(lengths.mean()) or 1.0
        postings: dict[str, list[tuple[int, float]]] = {}
        for place, own in enumerate(weights):
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * float(lengths[place]) / usual)
            for stem, weight in own.items():
                score = weight * (_SATURATION + 1) / (weight + norm)
                postings.setdefault(stem, []).append((place, score))
        self._postings = {stem: self._rated(found) for stem, found in postings.items()}

    def scores(self, stems: Iterable[str]) -> Scores:
        """How well each entry fits a text; zero where they share no word."""
        total = np.zeros(self._count)
        for stem in sorted(set(stems)):
            found = self._postings.get(stem)
            if found is not None:
                total[found[0]] += found[1]
        return total

    def _weights(self, entry: Entry) -> dict[str, float]:
        """Each word once per entry, by the best place it stands in."""
        weights = dict.fromkeys(telling(stems_of(entry.aside)), self._ASIDE)
        for name in entry.names:
            weights.update(dict.fromkeys(telling(stems_of(name)), 1.0))
        return weights

    def _rated(self, found: list[tuple[int, float]]) -> tuple[NDArray[np.intp], Scores]:
        rarity = math.log(1 + (self._count - len(found) + 0.5) / (len(found) + 0.5))
        places = np.array([place for place, _ in found], dtype=np.intp)
        return places, np.array([score * rarity for _, score in found])


@dataclass
class ByLetters:
    """Likeness of vectors: each word of a name is held against the word of the text that is
    most like it."""

    entries: Sequence[Entry]
    _lock: Lock = field(default_factory=Lock)
    _built: "_Letters | None" = None

    def scores(self, stems: Iterable[str]) -> Scores:
        """How alike each entry is to a text: 1 where all its words stand in it."""
        built = self._letters()
        asked = np.array([_vector(stem) for stem in sorted(set(stems))], dtype=np.float32)
        if not len(asked) or not len(built.vectors):
            return np.zeros(len(self.entries))
        best = _most_alike(built.vectors, asked)
        best[best < _LIKE] = 0.0
        shared = best[built.words] * built.shares
        total = np.bincount(built.entries, shared, minlength=len(self.entries))
        return np.asarray(total, dtype=np.float64)

    def _letters(self) -> "_Letters":
        with self._lock:
            if self._built is None:
                self._built = _letters_of(self.entries)
            return self._built


@dataclass(frozen=True, slots=True)
class _Letters:
    """All words of the usual names, and which entry has which."""

    vectors: NDArray[np.float32]
    """One row for each word."""
    entries: NDArray[np.intp]
    words: NDArray[np.intp]
    shares: Scores
    """What each word counts in its entry; all of one entry make 1."""


def _letters_of(entries: Sequence[Entry]) -> _Letters:
    own = [sorted(set(telling(stems_of(entry.names[0])))) for entry in entries]
    spread = Counter(stem for stems in own for stem in stems)
    places = {stem: place for place, stem in enumerate(sorted(spread))}
    rows: list[tuple[int, int, float]] = []
    for row, stems in enumerate(own):
        rarity = [1 / (1 + math.log(spread[stem])) for stem in stems]
        for stem, rare in zip(stems, rarity, strict=True):
            rows.append((row, places[stem], rare / math.fsum(rarity)))
    return _Letters(
        vectors=np.array([_vector(stem) for stem in places], dtype=np.float32),
        entries=np.array([row for row, _, _ in rows], dtype=np.intp),
        words=np.array([place for _, place, _ in rows], dtype=np.intp),
        shares=np.array([share for _, _, share in rows]),
    )


def _most_alike(vectors: NDArray[np.float32], asked: NDArray[np.float32]) -> NDArray[np.float32]:
    """The likeness of each vector to that which is most like it.

    Small products are computed at once; large ones are shared out to threads, whose waiting for
    each other takes longer than the work.
    """
    starts = range(0, len(vectors), _ROWS)
    return np.concatenate([(vectors[at : at + _ROWS] @ asked.T).max(axis=1) for at in starts])


def fused(*rankings: Scores) -> Scores:
    """One score from several: reciprocal ranks added up; a score of zero is no rank."""
    total = np.zeros(len(rankings[0]))
    for scores in rankings:
        rounded = np.round(scores, _DIGITS)
        ordered = np.sort(np.unique(rounded[rounded > 0]))[::-1]
        # Equals share a rank, so that nothing hangs on the order in which they are held.
        ranks = np.searchsorted(-ordered, -rounded)
        total += np.where(rounded > 0, 1 / (_FUSION + 1 + ranks), 0.0)
    return np.round(total, 2 * _DIGITS)


@lru_cache(maxsize=4_096)
def _vector(stem: str) -> NDArray[np.float32]:
    """A kilobyte for each: a server meets new words for as long as it runs."""
    return np.array(vector_of(stem), dtype=np.float32)
