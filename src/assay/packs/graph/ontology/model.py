"""An ontology as it is used: classes, properties, restrictions, and size limits."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from assay.sdk.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyLimits:
    """Limits of one ontology, including everything that it imports."""

    bytes: int = 32_000_000
    """Most bytes, with XML entities expanded."""
    triples: int = 500_000
    terms: int = 20_000
    """Most classes and properties."""
    characters: int = 200_000_000
    """Most characters in all triples, with prefixes expanded."""
    iri_characters: int = 2_000
    """The longest IRI."""
    depth: int = 128
    """How deeply XML elements or JSON values may be nested."""
    imports: int = 100
    """Most imported files."""


def excess_error(title: str, what: str, most: int, limit: str = "") -> InvalidInput:
    """Return the error for an ontology that exceeds a limit; a named limit can be raised."""
    raised = f", or raise the limit '{limit}'" if limit else ""
    return InvalidInput(
        f"{title} has more than {most:,} {what}.",
        advice=f"Use only the part that you need{raised}.",
    )


MOST_KEPT_ANCESTORS = 200
"""Ancestors of a class that are kept in memory; for a long chain of classes, keeping those of all
would take memory quadratic in its length."""
THING = "http://www.w3.org/2002/07/owl#Thing"
XSD = "http://www.w3.org/2001/XMLSchema#"


class Takes(StrEnum):
    """What a property points at, as its ontology declares it."""

    ENTITY = "entity"
    LITERAL = "literal"
    EITHER = "either"
    """The ontology does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyClass:
    """A kind of thing."""

    iri: str
    label: str
    """Its usual name, in English if there is one; otherwise its local name in words."""
    names: tuple[str, ...] = ()
    """All names in all languages, the usual one included, in a fixed order."""
    comment: str = ""
    parents: tuple[str, ...] = ()
    """Direct superclasses, including equivalent classes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """What can be said about a thing."""

    iri: str
    label: str
    names: tuple[str, ...] = ()
    comment: str = ""
    parents: tuple[str, ...] = ()
    takes: Takes = Takes.EITHER
    domains: tuple[str, ...] = ()
    """Classes of its subject, any of which is enough; none: anything."""
    ranges: tuple[str, ...] = ()
    """Classes of its object, any of which is enough; none: anything."""
    datatype: str | None = None
    """The XSD type of its literals; None if it takes entities, or if nothing declares it."""
    datatypes: tuple[str, ...] = ()
    """All XSD types that its literals may have, `datatype` first: something called just a date may
    also be a year."""
    inverse: str | None = None
    functional: bool = False
    """Whether a subject has at most one value."""
    symmetric: bool = False


class Bound(StrEnum):
    """How a restriction bounds a property."""

    ALL = "all"
    SOME = "some"
    MOST = "most"
    """At most this many values."""
    LEAST = "least"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restriction:
    """An OWL restriction that a class places on a property."""

    on: str
    """The class that is restricted."""
    property: str
    bound: Bound
    filler: str = ""
    """The class or datatype of its values, for ALL and SOME."""
    count: int = 0
    """For MOST and LEAST."""


@dataclass(frozen=True, kw_only=True)
class Ontology:
    """Everything that one file and its permitted imports declare."""

    key: str
    """The hash of the bytes that it was read from: equal keys are equal ontologies."""
    iri: str = ""
    title: str = ""
    version: str = ""
    classes: Mapping[str, OntologyClass] = field(default_factory=dict)
    properties: Mapping[str, Property] = field(default_factory=dict)
    restrictions: tuple[Restriction, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """prefix → namespace, as the file declares them."""
    imports: tuple[str, ...] = ()
    """Imports that were not read, by address."""
    warnings: tuple[str, ...] = ()

    def ancestors_of(self, iri: str) -> frozenset[str]:
        """Return a class and everything above it; classes in a cycle share the same ancestors."""
        found = self._above.get(iri)
        if found is None:
            found = self._collect_ancestors(iri)
            if len(found) <= MOST_KEPT_ANCESTORS:
                self._above[iri] = found
        return found

    def is_a(self, iri: str, of: str) -> bool:
        return of == THING or of in self.ancestors_of(iri)

    def match_any(self, types: Iterable[str], any_of: Iterable[str]) -> bool:
        """Whether one of the types is one of these classes; no classes: always."""
        wanted, own = tuple(any_of), tuple(types)
        if not wanted or THING in wanted:
            return bool(own) or not wanted
        return any(not self.ancestors_of(one).isdisjoint(wanted) for one in own)

    def are_compatible(self, one: Iterable[str], other: Iterable[str]) -> bool:
        """Whether one thing can have both kinds: a class of one is above or below a class of the
        other."""
        own, others = set(one), set(other)
        if not own or not others:
            return False
        if THING in own or THING in others:
            return True
        # Not pair by pair: an ontology can have many classes of one name, and a thing all of them.
        return any(not self.ancestors_of(each).isdisjoint(others) for each in own) or any(
            not self.ancestors_of(each).isdisjoint(own) for each in others
        )

    def find_above(self, types: AbstractSet[str]) -> Iterator[tuple[str, str]]:
        """Yield each of these classes with each other one of them that is above it."""
        for one in types:
            for above in {*(types & self.ancestors_of(one)), *(types & {THING})}:
                if above != one:
                    yield one, above

    def allows_relation(
        self, predicate: str, subject: Iterable[str], object_: Iterable[str]
    ) -> bool:
        """Whether a property may relate things of these types to things of those."""
        known = self.properties.get(predicate)
        if known is None or known.takes is Takes.LITERAL:
            return False
        own = tuple(subject)
        if not (self.match_any(own, known.domains) and self.match_any(object_, known.ranges)):
            return False
        return all(
            self.match_any(object_, (rule.filler,))
            for rule in self.restrictions
            if rule.bound is Bound.ALL
            and rule.property == predicate
            and self.match_any(own, (rule.on,))
        )

    def _collect_ancestors(self, iri: str) -> frozenset[str]:
        seen = {iri}
        todo = [iri]
        while todo:
            known = self.classes.get(todo.pop())
            for parent in () if known is None else known.parents:
                if parent not in seen:
                    seen.add(parent)
                    todo.append(parent)
        return frozenset(seen)

    @cached_property
    def _above(self) -> dict[str, frozenset[str]]:
        return {}
