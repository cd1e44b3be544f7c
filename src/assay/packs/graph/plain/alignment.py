"""Where the words of an example's triple stand in its text."""

from collections.abc import Sequence
from functools import lru_cache

from assay.packs.graph.ids import folded_name
from assay.packs.graph.literals import literals_in
from assay.packs.graph.plain.lines import NAMED, Line
from assay.packs.graph.plain.mentions import Kind, Mention
from assay.packs.graph.plain.words import label_words

_ENOUGH = 0.5


def plain_words(words: str) -> str:
    """The words of a triple without marks: underscores, quotes, what stands in brackets."""
    told = words.replace("_", " ").strip().strip('"').strip()
    cut = told.find(" (")
    return told[:cut] if cut > 0 and told.endswith(")") else told


def aligned(words: str, lines: Sequence[Line], *, subject: bool = False) -> list[tuple[int, int]]:
    """The mentions that words of a triple stand for, as line and index; best ones only."""
    wanted = folded_name(plain_words(words))
    values = _values(plain_words(words))
    best = 0.0
    found: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        for index, mention in enumerate(line.mentions):
            if subject and mention.kind not in NAMED and mention.kind is not Kind.TERM:
                continue
            likeness = _likeness(wanted, values, mention)
            if likeness > best:
                best, found = likeness, []
            if likeness and likeness == best:
                found.append((at, index))
    return found if best >= _ENOUGH else []


def _likeness(wanted: str, values: frozenset[str], mention: Mention) -> float:
    if mention.kind is Kind.STAND_IN:
        return 0.9 if mention.of == wanted else 0.0
    own = folded_name(mention.words)
    if own == wanted:
        return 1.0
    if mention.kind is Kind.VALUE:
        return _value_likeness(values, mention)
    if mention.kind is Kind.ADJECTIVE:
        return 0.6 if len(own) > 3 and own[:4] == wanted[:4] else 0.0
    one, other = set(own.split()), set(wanted.split())
    shared = len(one & other)
    if not shared or (mention.kind in (Kind.COMMON, Kind.TERM) and shared < len(other)):
        return 0.0
    return shared / len(one | other) * 0.85 + (0.1 if one <= other or other <= one else 0.0)


@lru_cache(maxsize=4096)
def _values(words: str) -> frozenset[str]:
    """All that words can mean as a value, years of dates included."""
    found: set[str] = set()
    for value in literals_in(words):
        for reading in value.readings:
            found.add(_number(reading.value))
            if reading.value.endswith("-01-01"):
                found.add(reading.value[:4])
    return frozenset(found)


def _value_likeness(values: frozenset[str], mention: Mention) -> float:
    own = _values(mention.words)
    if own & values:
        return 0.95
    return 0.0


def _number(value: str) -> str:
    return value.removesuffix(".0")


def label_key(label: str) -> str:
    """A property's label as it is looked up: its words alone."""
    return " ".join(label_words(label))
