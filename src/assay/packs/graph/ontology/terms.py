"""The classes and datatypes in the statements of an ontology."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from assay.packs.graph.ontology.model import THING, OntologyClass, excess_error
from assay.packs.graph.ontology.statements import Node, OntologyStatements, is_iri
from assay.packs.graph.ontology.vocabulary import (
    ALL_VALUES,
    CLASS_TYPES,
    COMMENTS,
    DATATYPE_TYPES,
    DOMAINS,
    INTERSECTION,
    LABELS,
    LONGEST_NAME,
    ON_CLASS,
    ON_DATATYPE,
    RANGES,
    RDFS,
    SAME_CLASS,
    SOME_VALUES,
    STRING,
    SUBCLASS,
    UNION,
    choose_comment,
    choose_usual_name,
    cut_local_name,
    find_declared_types,
    guess_types_by_name,
    is_built_in,
    split_name,
)

Graph = Mapping[str, Sequence[str]]


def find_circles(above: Graph) -> list[tuple[str, ...]]:
    """Find the cycles of a graph, each sorted: groups of nodes that are all above each other."""
    below: dict[str, list[str]] = {}
    for node, parents in above.items():
        for parent in parents:
            below.setdefault(parent, []).append(node)
    done: set[str] = set()
    found: list[tuple[str, ...]] = []
    # Kosaraju's algorithm: in the reverse of the order in which nodes were finished going up, what
    # can be reached going down and is not yet taken is both above and below.
    for node in reversed(_list_finished(above)):
        group = _collect_reached(node, below, done)
        if len(group) > 1 or node in above.get(node, ()):
            found.append(tuple(sorted(group)))
    return sorted(found)


def _list_finished(above: Graph) -> list[str]:
    """List all nodes, each after everything that is first reached from it."""
    order: list[str] = []
    seen: set[str] = set()
    for start in above:
        if start in seen:
            continue
        seen.add(start)
        path: list[tuple[str, Iterator[str]]] = [(start, iter(above.get(start, ())))]
        while path:
            node, further = path[-1]
            following = next((other for other in further if other not in seen), None)
            if following is None:
                order.append(node)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(above.get(following, ()))))
    return order


def _collect_reached(start: str, steps: Graph, done: set[str]) -> list[str]:
    """Collect what is reachable from a node and not done yet, and mark it as done."""
    if start in done:
        return []
    done.add(start)
    found = [start]
    for node in found:
        for other in steps.get(node, ()):
            if other not in done:
                done.add(other)
                found.append(other)
    return found


_MEMBERS = 1_000
"""Most parts of one class expression."""
_CIRCLES = _SHOWN = 5
"""How many a message names."""
ANYTHING = frozenset({THING, f"{RDFS}Resource"})


class OntologyTerms:
    """Distinguishes classes from datatypes."""

    def __init__(self, statements: OntologyStatements) -> None:
        self.statements = statements
        self.warnings: list[str] = []
        self._members: dict[Node, list[Node]] = {}
        self._anything: dict[str, bool] = {}

    def find_names(self, iri: str) -> tuple[str, tuple[str, ...], str]:
        """Find the usual name of a term, all its names, and its comment."""
        labels = [
            (kind, words)
            for kind, words in self.statements.list_words(iri, *LABELS)
            if len(words.text) <= LONGEST_NAME
        ]
        label, names = choose_usual_name(labels, iri)
        return label, names, choose_comment(self.statements.list_words(iri, *COMMENTS))

    def list_members(self, node: Node) -> list[Node]:
        """List the named classes and datatypes of a class expression, sorted."""
        if is_iri(node):
            return [node]
        if node not in self._members:
            self._members[node] = self._unfold_expression(node, UNION, INTERSECTION)
        return self._members[node]

    def _unfold_expression(self, node: Node, *through: str) -> list[Node]:
        found: set[Node] = set()
        seen: set[Node] = set()
        todo = [node]
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            if len(seen) > _MEMBERS:
                raise excess_error("A class expression of the ontology", "parts", _MEMBERS)
            if is_iri(one):
                found.add(one)
                continue
            todo += self.statements.list_objects(one, ON_DATATYPE)
            for head in self.statements.list_objects(one, *through):
                todo += self.statements.read_list(head)
        return sorted(found)

    def find_literal_types(self, iri: str) -> tuple[str, ...] | None:
        """Find the XSD types of a datatype; None for a class."""
        own = self._datatypes.get(iri)
        return own if own is not None else find_declared_types(iri)

    @cached_property
    def classes(self) -> dict[str, OntologyClass]:
        """All classes, by IRI."""
        parents = {
            iri: self._find_parents(iri, SUBCLASS, SAME_CLASS) for iri in sorted(self._mentioned)
        }
        for other, iri in self.statements.list_pairs(SAME_CLASS):
            # Equivalence holds in both directions, whichever one is stated.
            if other in parents and iri in parents and other != iri:
                parents[iri] = tuple(sorted({*parents[iri], other}))
        for iri, member in self._list_union_members():
            if iri in parents and member in parents and member != iri:
                parents[member] = tuple(sorted({*parents[member], iri}))
        found = {}
        for iri, above in parents.items():
            label, names, comment = self.find_names(iri)
            found[iri] = OntologyClass(
                iri=iri, label=label, names=names, comment=comment, parents=above
            )
        self._warn_of_circles()
        self._warn_of_undeclared()
        return found

    def _list_union_members(self) -> Iterator[tuple[str, str]]:
        """List classes that are unions of others, with each member."""
        for iri in sorted(self._mentioned):
            nameless = [
                node for node in self.statements.list_objects(iri, SAME_CLASS) if not is_iri(node)
            ]
            heads = [
                head
                for node in (iri, *nameless)
                for head in self.statements.list_objects(node, UNION)
            ]
            for expression in (one for head in heads for one in self.statements.read_list(head)):
                yield from ((iri, member) for member in self.list_members(expression))

    @cached_property
    def _in_ranges(self) -> set[str]:
        """What is used as the range of a property or the filler of a restriction."""
        nodes = {node for _, node in self.statements.list_pairs(*RANGES, ALL_VALUES, SOME_VALUES)}
        return {member for node in nodes for member in self.list_members(node)}

    @cached_property
    def _declared(self) -> set[str]:
        return {iri for iri in self.statements.find_typed(CLASS_TYPES) if is_iri(iri)}

    @cached_property
    def _candidates(self) -> set[str]:
        """Everything used as a class, including datatypes by name."""
        found = set(self._declared)
        for child, parent in self.statements.list_pairs(SUBCLASS, SAME_CLASS):
            found.update((child, *self.list_members(parent)))
        for node in {node for _, node in self.statements.list_pairs(*DOMAINS, ON_CLASS)}:
            found.update(self.list_members(node))
        found |= self._in_ranges | {node for node, _ in self.statements.list_pairs(UNION)}
        return {iri for iri in found if is_iri(iri) and not is_built_in(iri)}

    @cached_property
    def _mentioned(self) -> set[str]:
        return {
            iri
            for iri in self._candidates
            if self.find_literal_types(iri) is None and not self.is_anything(iri)
        }

    def is_anything(self, iri: str) -> bool:
        """Whether a class restricts nothing: `Thing`, even if the ontology does not declare it."""
        if iri not in self._anything:
            known = iri in self._declared or iri in self._related
            unknown_thing = not known and split_name(cut_local_name(iri)) == "thing"
            self._anything[iri] = iri in ANYTHING or unknown_thing
        return self._anything[iri]

    @cached_property
    def _related(self) -> set[Node]:
        """Everything that has, or is, a superclass."""
        return {node for pair in self.statements.list_pairs(SUBCLASS, SAME_CLASS) for node in pair}

    @cached_property
    def _datatypes(self) -> dict[str, tuple[str, ...]]:
        """The datatypes that the ontology declares, and classes that are datatypes by name."""
        found: dict[str, tuple[str, ...]] = {}
        todo = sorted(self.statements.find_typed(DATATYPE_TYPES))
        below: dict[str, list[str]] = {}
        for child, parent in self.statements.list_pairs(SUBCLASS):
            below.setdefault(parent, []).append(child)
        while todo:
            iri = todo.pop()
            if iri not in found and is_iri(iri) and not is_built_in(iri):
                found[iri] = self._find_base_types(iri)
                todo += below.get(iri, ())
        return {**self._find_by_name(), **found}

    def _find_by_name(self) -> dict[str, tuple[str, ...]]:
        """Find classes that are used only as ranges and named like a datatype."""
        domains = {node for _, node in self.statements.list_pairs(*DOMAINS)}
        used = self._kin.union(*(self.list_members(node) for node in domains))
        return {
            iri: types
            for iri in self._in_ranges - used
            if find_declared_types(iri) is None
            and (types := guess_types_by_name(split_name(self.find_names(iri)[0]))) is not None
        }

    @cached_property
    def _kin(self) -> set[Node]:
        """What is part of a hierarchy and is therefore a class, whatever its name."""
        return {
            node
            for pair in self.statements.list_pairs(SUBCLASS, SAME_CLASS)
            if pair[0] != pair[1] and not ANYTHING.intersection(pair)
            for node in pair
        }

    def _find_base_types(self, iri: str) -> tuple[str, ...]:
        """Find what a declared datatype is based on, as far as it is stated."""
        known = find_declared_types(iri)
        if known is not None:
            return known
        for node in (iri, *self.statements.list_objects(iri, SAME_CLASS, SUBCLASS)):
            for base in self.statements.list_objects(node, ON_DATATYPE) or [node]:
                types = find_declared_types(base) if is_iri(base) else None
                if types:
                    return types
        return guess_types_by_name(split_name(self.find_names(iri)[0])) or (STRING,)

    def _find_parents(self, iri: str, *predicates: str) -> tuple[str, ...]:
        found = {
            member
            for node in self.statements.list_objects(iri, *predicates)
            # A member of a union need not belong to each of its classes.
            for member in self._unfold_expression(node, INTERSECTION)
        }
        return tuple(sorted((found - {iri}) & self._mentioned))

    def _warn_of_circles(self) -> None:
        above = {iri: self._find_parents(iri, SUBCLASS) for iri in sorted(self._mentioned)}
        found = find_circles(above)
        for group in found[:_CIRCLES]:
            self.warnings.append(
                f"{name_some(group)} lie above each other in a circle, and count as the same kind."
            )
        if len(found) > _CIRCLES:
            self.warnings.append(f"There are {len(found) - _CIRCLES:,} more such circles.")

    def _warn_of_undeclared(self) -> None:
        missing = sorted(self._mentioned - self._declared - self._related)
        if missing:
            self.warnings.append(f"Used as a class and not declared: {name_some(missing)}.")


def name_some(iris: Iterable[str]) -> str:
    """Name the first few of many for a message."""
    names = [cut_local_name(iri) for iri in iris]
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
