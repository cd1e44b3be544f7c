"""The properties of an ontology, and the restrictions that classes place on them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from assay.packs.graph.ontology.model import Bound, Property, Restriction, Takes
from assay.packs.graph.ontology.statements import Node, OntologyStatements, is_iri
from assay.packs.graph.ontology.terms import ANYTHING, OntologyTerms, name_some
from assay.packs.graph.ontology.vocabulary import (
    ALL_VALUES,
    ANNOTATION_PROPERTY,
    DATATYPE_PROPERTY,
    DOMAINS,
    EXACT,
    FUNCTIONAL,
    INTERSECTION,
    INVERSE,
    LEAST,
    MOST,
    OBJECT_TYPES,
    ON_CLASS,
    ON_DATA_RANGE,
    ON_PROPERTY,
    PROPERTY_TYPES,
    RANGES,
    SAME_CLASS,
    SAME_PROPERTY,
    SOME_VALUES,
    SUBCLASS,
    SUBPROPERTY,
    SYMMETRIC,
    TYPE,
    guess_types_by_ending,
    is_built_in,
    order_types,
    split_name,
)


@dataclass(frozen=True, slots=True)
class _Reach:
    """What a property may point at, as far as its ranges say."""

    is_stated: bool = False
    """Whether there is a range at all."""
    classes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    things: bool = False
    literals: bool = False


class Properties:
    """Builds properties, including what they inherit from others."""

    def __init__(self, terms: OntologyTerms) -> None:
        self.terms = terms
        self.statements: OntologyStatements = terms.statements
        self.warnings: list[str] = []
        # Many properties share one long list of classes.
        self._own_reach: dict[tuple[Node, ...], _Reach] = {}
        self._own_domains: dict[tuple[Node, ...], tuple[str, ...]] = {}

    def build_all(self) -> dict[str, Property]:
        """Build all properties, by IRI."""
        odd: list[str] = []
        found = {}
        for iri in sorted(self._declared):
            found[iri] = self._build_property(iri)
            if self._types[iri] & {DATATYPE_PROPERTY} and self._find_reach(iri).things:
                odd.append(iri)
        if odd:
            self.warnings.append(
                f"Declared as datatype properties, with a class as their range; they are taken to"
                f" hold literals: {name_some(odd)}."
            )
        return found

    def _build_property(self, iri: str) -> Property:
        label, names, comment = self.terms.find_names(iri)
        reach = self._inherit_reach(iri)
        takes = self._decide_takes(iri, reach)
        types = reach.types
        if takes is Takes.EITHER and not reach.is_stated:
            types = guess_types_by_ending(split_name(label))
        literal = takes is not Takes.ENTITY
        return Property(
            iri=iri,
            label=label,
            names=names,
            comment=comment,
            parents=self._parents.get(iri, ()),
            takes=takes,
            domains=self._inherit_domains(iri),
            ranges=() if takes is Takes.LITERAL else reach.classes,
            datatype=types[0] if types and literal else None,
            datatypes=types if literal else (),
            inverse=next(iter(self._inverses.get(iri, ())), None),
            functional=FUNCTIONAL in self._types[iri],
            symmetric=SYMMETRIC in self._types[iri],
        )

    def _decide_takes(self, iri: str, reach: _Reach) -> Takes:
        if DATATYPE_PROPERTY in self._types[iri]:
            return Takes.LITERAL
        if reach.is_stated:
            if reach.things and reach.literals:
                return Takes.EITHER
            return Takes.LITERAL if reach.literals else Takes.ENTITY
        between_things = bool(self._types[iri] & OBJECT_TYPES)
        return Takes.ENTITY if between_things and self._tells_apart else Takes.EITHER

    @cached_property
    def _tells_apart(self) -> bool:
        """Whether the ontology declares any datatype properties.

        Many files declare every property as an object property, even dates and numbers; there, the
        declaration says nothing about a property without a range.
        """
        return any(DATATYPE_PROPERTY in types for types in self._types.values())

    def _find_reach(self, iri: str) -> _Reach:
        """Find what the property's own ranges say."""
        nodes = tuple(self.statements.list_objects(iri, *RANGES))
        if nodes not in self._own_reach:
            self._own_reach[nodes] = self._compute_reach(nodes)
        return self._own_reach[nodes]

    def _compute_reach(self, nodes: tuple[Node, ...]) -> _Reach:
        members = [member for node in nodes for member in self.terms.list_members(node)]
        kinds = {member: self.terms.find_literal_types(member) for member in members}
        types = [kind for kind in kinds.values() if kind is not None]
        things = [member for member, kind in kinds.items() if kind is None]
        anything = any(self.terms.is_anything(thing) for thing in things)
        return _Reach(
            is_stated=bool(kinds),
            classes=() if anything else tuple(sorted(things)),
            types=order_types(types),
            things=bool(things),
            literals=bool(types),
        )

    def _inherit_reach(self, iri: str) -> _Reach:
        source = self._ranged.get(iri)
        if source is not None:
            return self._find_reach(source)
        for other in self._inverses.get(iri, ()):
            classes = self._find_domains(other)
            if classes:
                return _Reach(is_stated=True, classes=classes, things=True)
        return _Reach()

    def _inherit_domains(self, iri: str) -> tuple[str, ...]:
        source = self._bounded_by.get(iri)
        if source is not None:
            return self._find_domains(source)
        return next((self._find_reach(other).classes for other in self._inverses.get(iri, ())), ())

    def _find_domains(self, iri: str) -> tuple[str, ...]:
        """Find the property's own domains."""
        nodes = tuple(self.statements.list_objects(iri, *DOMAINS))
        if nodes not in self._own_domains:
            found = {member for node in nodes for member in self.terms.list_members(node)}
            anything = any(self.terms.is_anything(member) for member in found)
            kept = () if anything else (one for one in found if not self._is_literal(one))
            self._own_domains[nodes] = tuple(sorted(kept))
        return self._own_domains[nodes]

    def _is_literal(self, iri: str) -> bool:
        return self.terms.find_literal_types(iri) is not None

    @cached_property
    def _ranged(self) -> Mapping[str, str]:
        return self._find_nearest(subject for subject, _ in self.statements.list_pairs(*RANGES))

    @cached_property
    def _bounded_by(self) -> Mapping[str, str]:
        return self._find_nearest(subject for subject, _ in self.statements.list_pairs(*DOMAINS))

    def _find_nearest(self, sources: Iterable[str]) -> Mapping[str, str]:
        """Find the source from which each property inherits: itself, or the nearest above it."""
        below: dict[str, list[str]] = {}
        for child, parents in sorted(self._parents.items()):
            for parent in parents:
                below.setdefault(parent, []).append(child)
        found = {source: source for source in sorted(set(sources))}
        todo = list(found)
        for one in todo:
            for child in below.get(one, ()):
                if child not in found:
                    found[child] = found[one]
                    todo.append(child)
        return found

    @cached_property
    def _types(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for node, type_ in self.statements.list_pairs(TYPE):
            if type_ in PROPERTY_TYPES or type_ == ANNOTATION_PROPERTY:
                found.setdefault(node, set()).add(type_)
        return {
            iri: frozenset(found.get(iri, ())) for iri in {*found, *self._bounded, *self._linked}
        }

    @cached_property
    def _bounded(self) -> set[Node]:
        """Everything that has a domain or a range."""
        return {subject for subject, _ in self.statements.list_pairs(*DOMAINS, *RANGES)}

    @cached_property
    def _linked(self) -> set[Node]:
        """Everything declared as a subproperty, equivalent or inverse of another property."""
        kinds = self.statements.list_pairs(SUBPROPERTY, SAME_PROPERTY)
        return {subject for subject, _ in kinds} | {
            node for pair in self.statements.list_pairs(INVERSE) for node in pair
        }

    @cached_property
    def _declared(self) -> set[str]:
        """Real properties: annotation properties only count if they have a domain or range."""
        return {
            iri
            for iri, types in self._types.items()
            if is_iri(iri)
            and not is_built_in(iri)
            and (types != {ANNOTATION_PROPERTY} or iri in self._bounded)
        }

    @cached_property
    def _parents(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, set[str]] = {}
        for child, parent in self.statements.list_pairs(SUBPROPERTY, SAME_PROPERTY):
            found.setdefault(child, set()).add(parent)
        for other, iri in self.statements.list_pairs(SAME_PROPERTY):
            found.setdefault(iri, set()).add(other)
        return {
            iri: tuple(sorted((above - {iri}) & self._declared)) for iri, above in found.items()
        }

    @cached_property
    def _inverses(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, set[str]] = {}
        for one, other in self.statements.list_pairs(INVERSE):
            if is_iri(one) and is_iri(other):
                found.setdefault(one, set()).add(other)
                found.setdefault(other, set()).add(one)
        return {iri: tuple(sorted(others)) for iri, others in found.items()}


_COUNTS = (
    (Bound.MOST, (*MOST, *EXACT)),
    (Bound.LEAST, (*LEAST, *EXACT)),
)
_HIGHEST = 1_000_000


def list_restrictions(
    terms: OntologyTerms, classes: Collection[str], properties: Collection[str]
) -> tuple[Restriction, ...]:
    """List all restrictions of named classes on named properties, in a fixed order."""
    found = {
        rule
        for iri in classes
        for node in _list_expressions(terms, iri)
        for name in terms.statements.list_objects(node, ON_PROPERTY)
        if name in properties
        for rule in _list_bounds(terms, iri, name, node)
    }
    return tuple(
        sorted(found, key=lambda one: (one.on, one.property, one.bound, one.filler, one.count))
    )


def _list_expressions(terms: OntologyTerms, iri: str) -> Iterator[Node]:
    """List the anonymous classes above a class, and the parts of their intersections."""
    seen: set[Node] = set()
    todo = terms.statements.list_objects(iri, SUBCLASS, SAME_CLASS)
    for head in terms.statements.list_objects(iri, INTERSECTION):
        todo += terms.statements.read_list(head)
    while todo:
        node = todo.pop()
        if is_iri(node) or node in seen:
            continue
        seen.add(node)
        yield node
        for head in terms.statements.list_objects(node, INTERSECTION):
            todo += terms.statements.read_list(head)


def _list_bounds(terms: OntologyTerms, iri: str, name: str, node: Node) -> Iterator[Restriction]:
    for bound, predicate in ((Bound.ALL, ALL_VALUES), (Bound.SOME, SOME_VALUES)):
        filler = _find_filler(terms, node, predicate)
        if filler:
            yield Restriction(on=iri, property=name, bound=bound, filler=filler)
    qualified = bool(terms.statements.list_objects(node, ON_CLASS, ON_DATA_RANGE))
    filler = _find_filler(terms, node, ON_CLASS, ON_DATA_RANGE)
    if qualified and filler is None:
        return
    for bound, predicates in _COUNTS:
        for _, words in terms.statements.list_words(node, *predicates):
            # A number too large to check against a text is not a real limit.
            if words.text.isdecimal() and len(words.text) < 8 and int(words.text) <= _HIGHEST:
                yield Restriction(
                    on=iri, property=name, bound=bound, filler=filler or "", count=int(words.text)
                )


def _find_filler(terms: OntologyTerms, node: Node, *predicates: str) -> str | None:
    """Find the one class or datatype of a restriction; empty if it is anything, None if it is one
    of several."""
    fillers = {
        member
        for expression in terms.statements.list_objects(node, *predicates)
        for member in terms.list_members(expression)
    }
    if not fillers:
        return None
    if len(fillers) > 1:
        return None
    only = fillers.pop()
    types = terms.find_literal_types(only)
    if types is not None:
        return types[0] if types else None
    return "" if only in ANYTHING else only
