"""How well near-copies are found: generated pairs of known likeness against the signatures."""

import random
from collections.abc import Sequence
from typing import Any

from assay.reading.page_look import look_at_page
from assay.reading.similarity import NEAR, compute_signature
from assay.reading.words import split_words
from bench.scout_corpus import demo

_LIKENESS = (0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99)
_WITHIN = 0.01


def near_figures(pairs: int) -> dict[str, Any]:
    """For each true likeness: share of pairs with a common band, and share that count as near."""
    rng = random.Random(11)
    documents = [
        words for one in demo(400) if len(words := split_words(look_at_page(one.page).text)) >= 300
    ]
    found: dict[str, Any] = {}
    for likeness in _LIKENESS:
        banded = near = 0
        for _ in range(pairs):
            words = rng.choice(documents)
            other = _changed(words, likeness, rng)
            one, two = compute_signature(words), compute_signature(other)
            banded += not set(one.compute_bands()).isdisjoint(two.compute_bands())
            near += one.similarity_to(two) >= NEAR
        found[f"{likeness:.2f}"] = f"{banded / pairs:.1%} share a band, {near / pairs:.1%} are near"
    found["strangers"] = _strangers(documents, rng, pairs)
    return found


def _strangers(documents: Sequence[list[str]], rng: random.Random, pairs: int) -> str:
    """Different documents of one gazette, which share many phrases: none may count as near."""
    banded = near = wrong = 0
    for _ in range(10 * pairs):
        first, second = rng.sample(documents, 2)
        one, two = compute_signature(first), compute_signature(second)
        banded += not set(one.compute_bands()).isdisjoint(two.compute_bands())
        if one.similarity_to(two) >= NEAR:
            near += 1
            wrong += _likeness(first, second) < NEAR - 0.05
    return f"{banded / 10 / pairs:.2%} share a band, {near} of {10 * pairs} near, {wrong} wrongly"


def _changed(words: list[str], likeness: float, rng: random.Random) -> list[str]:
    """The document with words replaced until the two share as much as wanted."""
    changed = list(words)
    places = rng.sample(range(len(words)), len(words))
    for at in places:
        if _likeness(words, changed) <= likeness + _WITHIN:
            break
        changed[at] = f"changed{rng.randrange(10**9)}x"
    return changed


def _likeness(first: Sequence[str], second: Sequence[str]) -> float:
    one, two = (
        set(zip(*(words[at:] for at in range(4)), strict=False)) for words in (first, second)
    )
    return len(one & two) / len(one | two)
