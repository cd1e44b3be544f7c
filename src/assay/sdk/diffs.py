"""What differs between two texts, word by word, for a page that shows both."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["DiffPiece", "compare_words"]

_WORD = re.compile(r"\s*\S+|\s+$")
_MOST_WORDS = 3_000
"""Comparing takes a time that grows with the square of it; longer texts are shown one after the
other."""


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """Some words: in both texts, or in one of them."""

    kind: str
    """same, removed or added."""
    text: str


def compare_words(before: str, after: str) -> list[DiffPiece]:
    """The pieces of both texts in order; without the removed ones, they are the later text."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if max(len(old), len(new)) > _MOST_WORDS:
        pieces = [("removed", before), ("added", after)] if before != after else [("same", after)]
    else:
        pieces = list(_compare(old, new))
    return [DiffPiece(kind, text) for kind, text in pieces if text]


def _compare(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield "same", "".join(new[k:m])
        else:
            yield "removed", "".join(old[i:j])
            yield "added", "".join(new[k:m])
