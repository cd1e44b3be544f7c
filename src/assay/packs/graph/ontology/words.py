"""Words of names and texts as they are compared: folded, cut at humps, without their endings."""

import re
import unicodedata
from functools import lru_cache

from assay.packs.graph.ontology.names import parts_of

_RUN = re.compile(r"[^\W_]+")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_SHORTEST = 3
"""What is left of a word, at least."""
_STOP = frozenset(
    _RUN.findall(
        "a an and are as at be been but by can for from had has have he her his if in is it its of"
        " on or she that the their they this to was were which who will with"
    )
)
"""Words that stand in every text and say nothing about it."""


def stems_of(text: str) -> list[str]:
    """The words of a text in their order, each without its ending."""
    return [stem for run in _RUN.findall(text) for stem in _stems(run)]


def telling(stems: list[str]) -> list[str]:
    """The words that tell something; all of them, if none does."""
    return [stem for stem in stems if stem not in _STOP] or stems


@lru_cache(maxsize=8_192)
def _stems(run: str) -> tuple[str, ...]:
    return tuple(_stem(_folded(part)) for part in parts_of(run[:100]))


def _folded(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _stem(word: str) -> str:
    """A word without its English ending of number or time; others are left as they are."""
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
