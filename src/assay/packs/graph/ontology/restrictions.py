"""The restrictions of classes on properties, as far as they bound what a property may hold."""

from collections.abc import Collection, Iterator

from assay.packs.graph.ontology.model import Bound, Restriction
from assay.packs.graph.ontology.statements import Node, is_iri
from assay.packs.graph.ontology.terms import ANYTHING, Terms
from assay.packs.graph.ontology.vocabulary import (
    ALL_VALUES,
    EXACT,
    INTERSECTION,
    LEAST,
    MOST,
    ON_CLASS,
    ON_DATA_RANGE,
    ON_PROPERTY,
    SAME_CLASS,
    SOME_VALUES,
    SUBCLASS,
)

_COUNTS = (
    (Bound.MOST, (*MOST, *EXACT)),
    (Bound.LEAST, (*LEAST, *EXACT)),
)
_HIGHEST = 1_000_000


def restrictions_of(
    terms: Terms, classes: Collection[str], properties: Collection[str]
) -> tuple[Restriction, ...]:
    """All restrictions of named classes on named properties, in a fixed order."""
    found = {
        rule
        for iri in classes
        for node in _expressions(terms, iri)
        for name in terms.said.objects(node, ON_PROPERTY)
        if name in properties
        for rule in _bounds(terms, iri, name, node)
    }
    return tuple(
        sorted(found, key=lambda one: (one.on, one.property, one.bound, one.filler, one.count))
    )


def _expressions(terms: Terms, iri: str) -> Iterator[Node]:
    """The nameless classes above a class, and what they are all of at once."""
    seen: set[Node] = set()
    todo = terms.said.objects(iri, SUBCLASS, SAME_CLASS)
    for head in terms.said.objects(iri, INTERSECTION):
        todo += terms.said.listed(head)
    while todo:
        node = todo.pop()
        if is_iri(node) or node in seen:
            continue
        seen.add(node)
        yield node
        for head in terms.said.objects(node, INTERSECTION):
            todo += terms.said.listed(head)


def _bounds(terms: Terms, iri: str, name: str, node: Node) -> Iterator[Restriction]:
    for bound, predicate in ((Bound.ALL, ALL_VALUES), (Bound.SOME, SOME_VALUES)):
        filler = _filler(terms, node, predicate)
        if filler:
            yield Restriction(on=iri, property=name, bound=bound, filler=filler)
    qualified = bool(terms.said.objects(node, ON_CLASS, ON_DATA_RANGE))
    filler = _filler(terms, node, ON_CLASS, ON_DATA_RANGE)
    if qualified and filler is None:
        return
    for bound, predicates in _COUNTS:
        for _, words in terms.said.words(node, *predicates):
            # A number that nobody can hold against a text bounds nothing.
            if words.text.isdecimal() and len(words.text) < 8 and int(words.text) <= _HIGHEST:
                yield Restriction(
                    on=iri, property=name, bound=bound, filler=filler or "", count=int(words.text)
                )


def _filler(terms: Terms, node: Node, *predicates: str) -> str | None:
    """The one class or datatype of a restriction; nothing where it is any thing, None where it
    is one of several."""
    fillers = {
        member
        for expression in terms.said.objects(node, *predicates)
        for member in terms.members(expression)
    }
    if not fillers:
        return None
    if len(fillers) > 1:
        return None
    only = fillers.pop()
    types = terms.literal_types(only)
    if types is not None:
        return types[0] if types else None
    return "" if only in ANYTHING else only
