"""How the train split writes its objects, so that a value can be written in the same way.

A text says `in 1962` where the gold triples of one data set say `01 January 1962` and those of the
other `1962-01-01`, `1962.0` or `"1962"`. Whoever is shown an example can see that, and the models
of the baselines were shown one. The way of each relation is the one that most of its objects in
the train split have; nothing of the test split is looked at.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Final

from assay.packs.graph.literals import find_literals, read_literal
from assay.packs.graph.model import Literal
from assay.packs.graph.ontology.model import XSD
from bench.text2kg_data import Taught

_YEAR: Final = """
January February March April May June July August September October November December
"""
_MONTHS: Final = tuple(_YEAR.split())
_LONG: Final = re.compile(rf"\d\d? (?:{'|'.join(_MONTHS)}) \d{{1,4}}")
_ISO: Final = re.compile(r"-?\d{4}-\d\d-\d\d")
_DECIMAL: Final = re.compile(r"-?\d+\.\d+")
_PARTS: Final = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_QUALIFIED: Final = re.compile(r"\s*\([^()]*\)$")


class Way(Enum):
    """How an object is written."""

    AS_IT_IS = "as it is"
    QUOTED = "quoted"
    LONG_DATE = "long date"
    ISO_DATE = "ISO date"
    DECIMAL = "decimal"


def way_of(words: str) -> Way:
    """How these words of the train split are written."""
    if len(words) > 1 and words.startswith('"') and words.endswith('"'):
        return Way.QUOTED
    for way, pattern in ((Way.LONG_DATE, _LONG), (Way.ISO_DATE, _ISO), (Way.DECIMAL, _DECIMAL)):
        if pattern.fullmatch(words):
            return way
    return Way.AS_IT_IS


class Writing:
    """The way of each relation of an ontology."""

    def __init__(self, train: Iterable[Taught]) -> None:
        seen: dict[str, Counter[Way]] = {}
        for taught in train:
            for _, relation, words in taught.triples:
                seen.setdefault(relation.strip(), Counter())[way_of(words)] += 1
        self.ways: Mapping[str, Way] = {
            relation: way
            for relation, counted in seen.items()
            for way, count in counted.items()
            if 2 * count > counted.total()
        }

    def written(self, relation: str, words: str, literal: Literal | None = None) -> str:
        """An object of a relation as the train split would write it; as it is where that fails."""
        write = _WRITE.get(self.ways.get(relation.strip(), Way.AS_IT_IS))
        return words if write is None else write(words, literal) or words

    def example(self, taught: Taught) -> Taught:
        """A sentence of the train split whose triples are in the words of its text."""
        return Taught(
            taught.text,
            tuple(
                (
                    in_words(subject, taught.text),
                    relation,
                    self._said(relation, object_, taught.text) or in_words(object_, taught.text),
                )
                for subject, relation, object_ in taught.triples
            ),
        )

    def _said(self, relation: str, object_: str, text: str) -> str | None:
        """The words of the text that would be written as this object."""
        if self.ways.get(relation.strip()) not in (Way.LONG_DATE, Way.ISO_DATE, Way.DECIMAL):
            return None
        for found in find_literals(text):
            words = text[found.start : found.end]
            if self.written(relation, words) == object_:
                return words
        return None


def in_words(name: str, text: str) -> str:
    """A name of the train split in words: without `_`, quote marks, and what tells it apart from
    its namesakes, unless that stands in the text."""
    words = " ".join(name.replace("_", " ").split())
    if way_of(words) is Way.QUOTED:
        words = words[1:-1].strip()
    short = _QUALIFIED.sub("", words)
    return short if short and words not in text and short in text else words


def _quoted(words: str, literal: Literal | None) -> str:
    return f'"{words}"'


def _long_date(words: str, literal: Literal | None) -> str | None:
    date = _date(words, literal)
    return None if date is None else f"{date[2]:02d} {_MONTHS[date[1] - 1]} {date[0]:04d}"


def _iso_date(words: str, literal: Literal | None) -> str | None:
    date = _date(words, literal)
    return None if date is None else f"{date[0]:04d}-{date[1]:02d}-{date[2]:02d}"


def _date(words: str, literal: Literal | None) -> tuple[int, int, int] | None:
    """Year, month and day; a month or a day that nobody tells is the first."""
    read = read_literal(words, f"{XSD}date") or literal
    told = None if read is None else _PARTS.fullmatch(read.value)
    return None if told is None else (int(told[1]), int(told[2] or 1), int(told[3] or 1))


def _decimal(words: str, literal: Literal | None) -> str | None:
    read = literal or read_literal(words, f"{XSD}decimal")
    if read is None:
        return None
    return f"{read.value}.0" if read.value.lstrip("-").isdigit() else read.value


_WRITE: Final[Mapping[Way, Callable[[str, Literal | None], str | None]]] = {
    Way.QUOTED: _quoted,
    Way.LONG_DATE: _long_date,
    Way.ISO_DATE: _iso_date,
    Way.DECIMAL: _decimal,
}
