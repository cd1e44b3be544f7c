"""What will be written: subjects in their order, each with what is said of it."""

from collections.abc import Iterator
from enum import IntEnum

from assay.packs.graph.writing.terms import (
    ATTRIBUTED_TO,
    CONFIDENCE,
    GENERATED_BY,
    LABEL,
    MENTION,
    OBJECT,
    PREDICATE,
    QUOTE,
    QUOTED_FROM,
    SAME_AS,
    SELECTOR,
    SOURCE,
    SUBJECT,
    TYPE,
    UNIT,
    VERDICT,
    Inner,
    Iri,
    Term,
    Value,
)

Said = dict[str, set[Term]]
"""Predicate → objects."""

_FIRST = (
    TYPE,
    LABEL,
    SUBJECT,
    PREDICATE,
    OBJECT,
    UNIT,
    SOURCE,
    SELECTOR,
)
_LAST = (
    SAME_AS,
    VERDICT,
    CONFIDENCE,
    MENTION,
    QUOTE,
    QUOTED_FROM,
    ATTRIBUTED_TO,
    GENERATED_BY,
)
_RANKS = {p: (-1, i) for i, p in enumerate(_FIRST)} | {p: (1, i) for i, p in enumerate(_LAST)}
_MIDDLE = (0, 0)


class Section(IntEnum):
    """The parts of a file, in the order in which a reader wants them."""

    ENTITIES = 0
    RELATIONS = 1
    QUOTES = 2
    SOURCES = 3


Place = tuple[Section, str, int, int]
_NOWHERE: Place = (Section.ENTITIES, "", 0, 0)


class Sheet:
    """Statements without order or repetition, told in one order only."""

    def __init__(self) -> None:
        self._said: dict[str, Said] = {}
        self._places: dict[str, Place] = {}

    def about(self, subject: str, section: Section, within: str = "", *at: int) -> Said:
        """What is said of a subject so far, to add to; it stands by its name, or by `within` and
        the two numbers of `at`."""
        first, second = at or (0, 0)
        place = (section, within or subject, first, second)
        known = self._places.get(subject)
        if known is None or place < known:
            self._places[subject] = place
        return self._said.setdefault(subject, {})

    def told(self) -> Iterator[tuple[Section, str, list[tuple[str, list[Term]]]]]:
        """Section, subject, and its predicates with their objects, everything in order."""
        places = self._places
        for subject in sorted(self._said, key=lambda iri: (places[iri], iri)):
            said = self._said[subject]
            ordered = [
                (predicate, self._in_order(said[predicate]))
                for predicate in sorted(said, key=lambda p: (_RANKS.get(p, _MIDDLE), p))
            ]
            yield places[subject][0], subject, ordered

    def iris(self) -> set[str]:
        """Every IRI in it, but those of the usual vocabularies that selectors are told with."""
        found = set(self._said)
        for said in self._said.values():
            found.update(said)
            for objects in said.values():
                for term in objects:
                    if isinstance(term, Iri):
                        found.add(term.iri)
                    elif isinstance(term, Value):
                        found.add(term.datatype)
        return found

    def links(self) -> set[str]:
        """Predicates that lead to named things alone."""
        others = {
            predicate
            for said in self._said.values()
            for predicate, objects in said.items()
            if not all(isinstance(term, Iri) for term in objects)
        }
        return {predicate for said in self._said.values() for predicate in said} - others

    def _in_order(self, objects: set[Term]) -> list[Term]:
        return list(objects) if len(objects) == 1 else sorted(objects, key=self._order)

    def _order(self, term: Term) -> tuple[int, Place, str, str]:
        """Things first, in the order in which they are told themselves; then values; then what has
        no name."""
        if isinstance(term, Iri):
            place = self._places.get(term.iri, _NOWHERE)
            return 0, place, term.iri, ""
        if isinstance(term, Inner):
            return 2, _NOWHERE, term.label, ""
        return 1, _NOWHERE, term.text, term.datatype


def add(said: Said, predicate: str, term: Term) -> None:
    """One more object of a predicate."""
    objects = said.get(predicate)
    if objects is None:
        said[predicate] = {term}
    else:
        objects.add(term)
