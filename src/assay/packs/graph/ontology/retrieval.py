"""Finds the classes and properties of an ontology that a text may mention, best first."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from assay.packs.graph.ontology.model import (
    MOST_KEPT_ANCESTORS,
    Ontology,
    OntologyClass,
    Property,
    Takes,
)
from assay.packs.graph.ontology.vocabulary import list_name_parts
from assay.sdk.reading import compute_vector

_RUN = re.compile(r"[^\W_]+")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_SHORTEST = 3
"""The shortest stem."""
_STOP = frozenset(
    _RUN.findall(
        "a an and are as at be been but by can for from had has have he her his if in is it its of"
        " on or she that the their they this to was were which who will with"
    )
)
"""Words that occur in every text and say nothing about it."""


def list_stems(text: str) -> list[str]:
    """List the words of a text in order, each without its ending."""
    return [stem for run in _RUN.findall(text) for stem in _stem_run(run)]


def choose_telling_words(stems: list[str]) -> list[str]:
    """Choose the meaningful words; all of them if none is."""
    return [stem for stem in stems if stem not in _STOP] or stems


@lru_cache(maxsize=8_192)
def _stem_run(run: str) -> tuple[str, ...]:
    return tuple(_stem_word(_fold_word(part)) for part in list_name_parts(run[:100]))


def _fold_word(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _stem_word(word: str) -> str:
    """Remove the English ending of number or tense; other words stay as they are."""
    if len(word) <= _SHORTEST or not word.isascii():
        return word
    if word.endswith(("ies", "sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        left = word.removesuffix(ending)
        if left != word and len(left) >= _SHORTEST and re.search("[aeiouy]", left):
            return _DOUBLED.sub(r"\1", left)
    if len(word) > _SHORTEST and word.endswith(("e", "y")):
        # `cities` and `city`, `movies` and `movie` meet in the middle.
        return f"{word[:-1]}i" if word.endswith("y") else word[:-1]
    return word


Scores = NDArray[np.float64]

_SATURATION = 1.2
_LENGTH = 0.75
"""The usual constants of BM25."""
_FUSION = 60
"""The usual constant of reciprocal rank fusion."""
_LIKE = 0.35
"""Words less similar than this share letters by chance."""
_ROWS = 32
_DIGITS = 6
"""Digits that do not depend on the order in which floats are added."""


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """The names and description of something to rank."""

    names: tuple[str, ...]
    aside: str = ""
    """Words that count less: its description."""


class WordRanking:
    """BM25: rare words that a text shares with a name count most."""

    _ASIDE = 0.25

    def __init__(self, entries: Sequence[RankedEntry]) -> None:
        self._count = len(entries)
        weights = [self._weigh_words(entry) for entry in entries]
        lengths = np.array([sum(one.values()) for one in weights] or [1.0])
        usual = float(lengths.mean()) or 1.0
        postings: dict[str, list[tuple[int, float]]] = {}
        for place, own in enumerate(weights):
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * float(lengths[place]) / usual)
            for stem, weight in own.items():
                score = weight * (_SATURATION + 1) / (weight + norm)
                postings.setdefault(stem, []).append((place, score))
        self._postings = {stem: self._rate_postings(found) for stem, found in postings.items()}

    def score_entries(self, stems: Iterable[str]) -> Scores:
        """Score how well each entry fits a text; zero if they share no word."""
        total = np.zeros(self._count)
        for stem in sorted(set(stems)):
            found = self._postings.get(stem)
            if found is not None:
                total[found[0]] += found[1]
        return total

    def _weigh_words(self, entry: RankedEntry) -> dict[str, float]:
        """Weigh each word of an entry once, by the best place where it occurs."""
        weights = dict.fromkeys(choose_telling_words(list_stems(entry.aside)), self._ASIDE)
        for name in entry.names:
            weights.update(dict.fromkeys(choose_telling_words(list_stems(name)), 1.0))
        return weights

    def _rate_postings(self, found: list[tuple[int, float]]) -> tuple[NDArray[np.intp], Scores]:
        rarity = math.log(1 + (self._count - len(found) + 0.5) / (len(found) + 0.5))
        places = np.array([place for place, _ in found], dtype=np.intp)
        return places, np.array([score * rarity for _, score in found])


@dataclass
class LetterRanking:
    """Similarity of vectors: each word of a name is compared with the most similar word of the
    text."""

    entries: Sequence[RankedEntry]
    _lock: Lock = field(default_factory=Lock)
    _built: "_Letters | None" = None

    def score_entries(self, stems: Iterable[str]) -> Scores:
        """Score how similar each entry is to a text: 1 if the text contains all its words."""
        built = self._load_letters()
        asked = np.array([_vector_of(stem) for stem in sorted(set(stems))], dtype=np.float32)
        if not len(asked) or not len(built.vectors):
            return np.zeros(len(self.entries))
        best = _compute_likeness(built.vectors, asked)
        best[best < _LIKE] = 0.0
        shared = best[built.words] * built.shares
        total = np.bincount(built.entries, shared, minlength=len(self.entries))
        return np.asarray(total, dtype=np.float64)

    def _load_letters(self) -> "_Letters":
        with self._lock:
            if self._built is None:
                self._built = _build_letters(self.entries)
            return self._built


@dataclass(frozen=True, slots=True)
class _Letters:
    """All words of the usual names, and which entry has which of them."""

    vectors: NDArray[np.float32]
    """One row for each word."""
    entries: NDArray[np.intp]
    words: NDArray[np.intp]
    shares: Scores
    """The share of each word in its entry; those of one entry add up to 1."""


def _build_letters(entries: Sequence[RankedEntry]) -> _Letters:
    own = [sorted(set(choose_telling_words(list_stems(entry.names[0])))) for entry in entries]
    spread = Counter(stem for stems in own for stem in stems)
    places = {stem: place for place, stem in enumerate(sorted(spread))}
    rows: list[tuple[int, int, float]] = []
    for row, stems in enumerate(own):
        rarity = [1 / (1 + math.log(spread[stem])) for stem in stems]
        for stem, rare in zip(stems, rarity, strict=True):
            rows.append((row, places[stem], rare / math.fsum(rarity)))
    return _Letters(
        vectors=np.array([_vector_of(stem) for stem in places], dtype=np.float32),
        entries=np.array([row for row, _, _ in rows], dtype=np.intp),
        words=np.array([place for _, place, _ in rows], dtype=np.intp),
        shares=np.array([share for _, _, share in rows]),
    )


def _compute_likeness(
    vectors: NDArray[np.float32], asked: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Compute the similarity of each vector to the most similar one asked for.

    In small blocks, because numpy spreads large products over threads, and their waiting for each
    other takes longer than the work.
    """
    starts = range(0, len(vectors), _ROWS)
    return np.concatenate([(vectors[at : at + _ROWS] @ asked.T).max(axis=1) for at in starts])


def fuse_scores(*rankings: Scores) -> Scores:
    """Combine several scores by adding reciprocal ranks; a score of zero has no rank."""
    total = np.zeros(len(rankings[0]))
    for scores in rankings:
        rounded = np.round(scores, _DIGITS)
        ordered = np.sort(np.unique(rounded[rounded > 0]))[::-1]
        # Equal scores share a rank, so nothing depends on the order of the entries.
        ranks = np.searchsorted(-ordered, -rounded)
        total += np.where(rounded > 0, 1 / (_FUSION + 1 + ranks), 0.0)
    return np.round(total, 2 * _DIGITS)


@lru_cache(maxsize=4_096)
def _vector_of(stem: str) -> NDArray[np.float32]:
    """Return the vector of a stem. The cache is bounded: each takes a kilobyte, and a server meets
    new words as long as it runs."""
    return np.array(compute_vector(stem), dtype=np.float32)


_COMMENT = 500
"""Most characters of a comment that are used."""
_ANY = ""
"""The key of the properties that anything may have."""


class OntologyIndex:
    """A search index of an ontology; safe to share between threads."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._classes = [known for _, known in sorted(ontology.classes.items())]
        self._properties = [known for _, known in sorted(ontology.properties.items())]
        self._class_ranks = _Ranks(
            [RankedEntry(one.names, one.comment[:_COMMENT]) for one in self._classes]
        )
        self._property_ranks = _Ranks([self._make_entry(one) for one in self._properties])
        self._named = _index_by_name(self._classes)
        self._lengths = _collect_lengths(self._named)
        self._central = self._sort_by_use()
        self._places = {known.iri: place for place, known in enumerate(self._properties)}
        self._by_domain = self._group_by_domain()
        self._above: dict[str, frozenset[str]] = {}
        self._lock = Lock()

    def rank_classes(self, text: str, most: int) -> list[OntologyClass]:
        """Rank the classes that a text may mention: those it names itself first, then by score.

        If there are too many, a third of the places goes to the classes that most properties use:
        a text names persons, but rarely contains the word `person`.
        """
        stems = list_stems(text)
        rank = self._class_ranks.rank_entries(stems)
        named = self._find_named_in(stems)
        every = range(len(self._classes))
        order = sorted(every, key=lambda place: (place not in named, -rank[place], place))
        if len(order) > most:
            found = order[: max(most - most // 3, min(most, len(named)))]
            shown = set(found)
            order = found + [place for place in self._central if place not in shown]
        return [self._classes[place] for place in order[:most]]

    def rank_properties(self, text: str, types: Collection[str], most: int) -> list[Property]:
        """Rank the properties that things of these types may have, best first; no types: all.

        Among equals, those that lead to a literal or to a thing of these types come first.
        """
        rank = self._property_ranks.rank_entries(list_stems(text))
        kinds = frozenset[str]().union(*(self._ancestors_of(iri) for iri in types))
        scope = self._find_scope(kinds) if types else list(range(len(self._properties)))
        away = {place for place in scope if types and _leads_away(self._properties[place], kinds)}
        order = sorted(scope, key=lambda place: (-rank[place], place in away, place))
        return [self._properties[place] for place in order[:most]]

    def _make_entry(self, known: Property) -> RankedEntry:
        """Make the entry of a property, which is also found by the names of its parents."""
        above = (self.ontology.properties[iri].label for iri in known.parents)
        return RankedEntry(known.names, " ".join((*above, known.comment[:_COMMENT])))

    def _group_by_domain(self) -> Mapping[str, list[str]]:
        """Group the properties by domain."""
        found: dict[str, list[str]] = {}
        for known in self._properties:
            for domain in known.domains or (_ANY,):
                found.setdefault(domain, []).append(known.iri)
        return found

    def _find_scope(self, kinds: frozenset[str]) -> list[int]:
        """Find the properties of these classes, and all their parents."""
        own = {iri for domain in {_ANY, *kinds} for iri in self._by_domain.get(domain, ())}
        return [self._places[iri] for iri in _collect_above(own, self.ontology.properties)]

    def _sort_by_use(self) -> list[int]:
        """Sort the classes by the number of domains and ranges that use them."""
        uses = Counter(iri for known in self._properties for iri in {*known.domains, *known.ranges})
        every = range(len(self._classes))
        return sorted(every, key=lambda place: (-uses[self._classes[place].iri], place))

    def _ancestors_of(self, iri: str) -> frozenset[str]:
        with self._lock:
            found = self._above.get(iri)
            if found is None:
                found = _collect_above({iri}, self.ontology.classes)
                if len(found) <= MOST_KEPT_ANCESTORS:
                    self._above[iri] = found
            return found

    def _find_named_in(self, stems: list[str]) -> set[int]:
        """Find the classes whose name occurs in a text, word by word."""
        return {
            place
            for start, stem in enumerate(stems)
            for length in self._lengths.get(stem, ())
            for place in self._named.get(tuple(stems[start : start + length]), ())
        }


class _Ranks:
    def __init__(self, entries: list[RankedEntry]) -> None:
        self._words = WordRanking(entries)
        self._letters = LetterRanking(entries)

    def rank_entries(self, stems: list[str]) -> list[float]:
        telling = choose_telling_words(stems)
        scores: list[float] = fuse_scores(
            self._words.score_entries(telling), self._letters.score_entries(telling)
        ).tolist()
        return scores


def _leads_away(known: Property, kinds: frozenset[str]) -> bool:
    """Whether a property leads to things that do not occur."""
    return known.takes is Takes.ENTITY and bool(known.ranges) and kinds.isdisjoint(known.ranges)


def _index_by_name(classes: list[OntologyClass]) -> Mapping[tuple[str, ...], list[int]]:
    """Index the classes by the words of their names."""
    found: dict[tuple[str, ...], list[int]] = {}
    for place, known in enumerate(classes):
        for name in {tuple(list_stems(name)) for name in known.names}:
            found.setdefault(name, []).append(place)
    return found


def _collect_lengths(names: Iterable[tuple[str, ...]]) -> Mapping[str, set[int]]:
    """Collect the lengths in words of the names that begin with each word."""
    found: dict[str, set[int]] = {}
    for name in names:
        if name:
            found.setdefault(name[0], set()).add(len(name))
    return found


def _collect_above(
    iris: Collection[str], terms: Mapping[str, OntologyClass] | Mapping[str, Property]
) -> frozenset[str]:
    """Collect some terms and everything above them."""
    found = list(iris)
    seen = set(found)
    for one in found:
        known = terms.get(one)
        for parent in () if known is None else known.parents:
            if parent not in seen:
                seen.add(parent)
                found.append(parent)
    return frozenset(found)
