"""A text in pieces: each lies in the same mentions and quotes from its start to its end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.packs.graph.model import Span

MOST_AT_ONCE = 8
"""Mentions and quotes that one piece tells of; the longest ones give way."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A place in the text that belongs to an entity or a relation, by its number."""

    start: int
    end: int
    of: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text with all that stands there, the innermost first."""

    start: int
    end: int
    entities: tuple[int, ...] = ()
    relations: tuple[int, ...] = ()


def stands_in(span: Span, text: str, document: str) -> bool:
    """Whether a place is one of this text: its words stand there, and it names no other text."""
    known = not span.document or not document or span.document == document
    return known and 0 <= span.start < span.end and text[span.start : span.end] == span.words


def pieces(length: int, mentions: Sequence[Stretch], quotes: Sequence[Stretch]) -> list[Piece]:
    """The text from 0 to its length without gap or overlap, cut wherever something begins or
    ends."""
    opened = _by_start(mentions), _by_start(quotes)
    cuts = {0, length}
    for one in (*mentions, *quotes):
        cuts.update((one.start, one.end))
    ordered = sorted(cuts)
    active: tuple[list[Stretch], list[Stretch]] = ([], [])
    found = []
    for start, end in pairwise(ordered):
        for now, fresh in zip(active, opened, strict=True):
            now[:] = [one for one in now if one.end > start] + fresh.get(start, [])
        found.append(Piece(start, end, _innermost(active[0]), _innermost(active[1])))
    return found


def _by_start(stretches: Iterable[Stretch]) -> dict[int, list[Stretch]]:
    found: dict[int, list[Stretch]] = {}
    for one in stretches:
        found.setdefault(one.start, []).append(one)
    return found


def _innermost(active: list[Stretch]) -> tuple[int, ...]:
    ranked = sorted(active, key=lambda one: (one.end - one.start, one.of))
    return tuple(dict.fromkeys(one.of for one in ranked))[:MOST_AT_ONCE]
