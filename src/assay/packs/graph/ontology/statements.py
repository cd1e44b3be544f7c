"""The statements that matter to an ontology, checked and counted while they are read."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from pyoxigraph import BlankNode, Literal, NamedNode, QuadParser, RdfFormat, parse

from assay.packs.graph.ontology.formats import OntologySource, describe_fault
from assay.packs.graph.ontology.model import OntologyLimits, excess_error
from assay.packs.graph.ontology.vocabulary import (
    CLASS_TYPES,
    COMMENTS,
    DOMAINS,
    FIRST,
    INVERSE,
    KEPT,
    LONGEST_COMMENT,
    PROPERTY_TYPES,
    RANGES,
    REST,
    SAME_CLASS,
    SAME_PROPERTY,
    SUBCLASS,
    SUBPROPERTY,
    TYPE,
    LabelWords,
)
from assay.sdk.errors import InvalidInput

_ENTITY = re.compile(r"<!ENTITY")
_DECLARATION = re.compile(r'<!ENTITY\s+(?:%\s*)?([^\s"&;<>%]{1,100})\s+"([^"<]*)"\s*>')
_REFERENCE = re.compile(r"&([^\s&;#]{1,100});")
_ATTRIBUTES = 1_000
_JSON_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
"""Includes unterminated strings: otherwise each quote in one would be tried again."""
_ABOUT_STATEMENTS = 64
"""Most statements about statements: each may be nested in the previous one."""
_SEVERAL_CONTEXTS = 128_000
"""The longest text with more than one context: each copies all surrounding ones."""


def check_costs(source: OntologySource, limits: OntologyLimits) -> None:
    """Refuse what would cost a parser far more time or memory than its length suggests."""
    _CHECKS[source.format](source, limits)


def _check_xml(source: OntologySource, limits: OntologyLimits) -> None:
    _check_entities(source, limits)
    parser = expat.ParserCreate(encoding="utf-8")
    depth = 0

    def enter_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.depth:
            raise _depth_error(source, limits)
        if len(attributes) > _ATTRIBUTES:
            raise excess_error(source.title, f"attributes in <{name[:80]}>", _ATTRIBUTES)

    def leave_element(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler = enter_element
    parser.EndElementHandler = leave_element
    try:
        parser.Parse(source.text.encode(), True)
    except expat.ExpatError as error:
        raise InvalidInput(
            f"{source.title} is not valid XML: line {error.lineno}, column {error.offset + 1}:"
            f" {expat.ErrorString(error.code)}.",
            advice="Fix the error there, or save the ontology again.",
        ) from None


def _check_entities(source: OntologySource, limits: OntologyLimits) -> None:
    """Refuse external entities, and those that exceed the limits when expanded."""
    sizes: dict[str, int] = {}
    declared = 0
    for found in _ENTITY.finditer(source.text):
        entity = _DECLARATION.match(source.text, found.start())
        if entity is None:
            raise InvalidInput(
                f"{source.title} declares an XML entity that is not plain text in double quotes.",
                advice="External entities are never fetched: include their text in the file.",
            )
        size = _measure_expanded(entity[2], sizes)
        sizes[entity[1]] = max(size, sizes.get(entity[1], 0))
        declared += size
        _check_size(source, declared, limits)
    if sizes:
        _check_size(source, _measure_expanded(source.text, sizes), limits)


def _measure_expanded(text: str, sizes: dict[str, int]) -> int:
    return len(text) + sum(sizes.get(found[1], 0) for found in _REFERENCE.finditer(text))


def _check_size(source: OntologySource, size: int, limits: OntologyLimits) -> None:
    if size > limits.bytes:
        title = f"{source.title}, with its XML entities expanded,"
        raise excess_error(title, "characters", limits.bytes, "bytes")


def _check_json(source: OntologySource, limits: OntologyLimits) -> None:
    depth = contexts = 0
    for token in _scan_json(source.text):
        if token in "[{":
            depth += 1
            if depth > limits.depth:
                raise _depth_error(source, limits)
        elif token in "]}":
            depth -= 1
        elif _is_context(token):
            contexts += 1
    if contexts > 1 and len(source.text) > _SEVERAL_CONTEXTS:
        raise InvalidInput(
            f"{source.title} has {contexts:,} contexts, but is too long for more than one.",
            advice="Use a single '@context' at the beginning, or save it as Turtle.",
        )


def _scan_json(text: str) -> Iterator[str]:
    for found in _JSON_TOKEN.finditer(text):
        yield found[0]


def _is_context(token: str) -> bool:
    if "\\" not in token:
        return token == '"@context"'
    if len(token) > 100:
        return False
    try:
        return bool(json.loads(token, strict=False) == "@context")
    except ValueError:
        return False


def _check_triples(source: OntologySource, limits: OntologyLimits) -> None:
    if source.text.count("<<") > _ABOUT_STATEMENTS:
        raise excess_error(source.title, "statements about statements (<<)", _ABOUT_STATEMENTS)


def _depth_error(source: OntologySource, limits: OntologyLimits) -> InvalidInput:
    return InvalidInput(
        f"{source.title} is nested more than {limits.depth} levels deep.",
        advice="Write each class separately instead of nesting them, or save it as Turtle.",
    )


_CHECKS: dict[RdfFormat, Callable[[OntologySource, OntologyLimits], None]] = {
    RdfFormat.RDF_XML: _check_xml,
    RdfFormat.JSON_LD: _check_json,
    RdfFormat.TURTLE: _check_triples,
    RdfFormat.N_TRIPLES: _check_triples,
}


BASE = "urn:assay:ontology/"
"""The base IRI of a file that does not declare one."""
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]+")
_IRI_FAULT = re.compile(r"\b(?:IRI|scheme|authority|host|port|path)\b")

_RELATES = frozenset({SUBCLASS, SUBPROPERTY, SAME_CLASS, SAME_PROPERTY, INVERSE, *DOMAINS, *RANGES})
"""Predicates that only classes and properties have."""
_MEMBERS = 500
"""Most classes in one list."""

Node = str
"""An IRI, or `_:` and the id of a blank node."""


def is_iri(node: Node) -> bool:
    return not node.startswith("_:")


@dataclass
class _ParsedFile:
    """What was read from one file so far; discarded if the file has to be read again."""

    triples: int
    characters: int
    """Of all files so far, this one included."""
    declared: set[str] = field(default_factory=set)
    nodes: dict[str, dict[Node, list[Node]]] = field(default_factory=dict)
    words: dict[str, dict[Node, list[LabelWords]]] = field(default_factory=dict)
    odd: dict[str, None] = field(default_factory=dict)
    """Invalid IRIs."""
    known: dict[str, str | None] = field(default_factory=dict)
    """All IRIs, to hold each only once; None for invalid ones."""


class OntologyStatements:
    """The statements of the files, by predicate and subject."""

    def __init__(self, limits: OntologyLimits) -> None:
        self.limits = limits
        self.prefixes: dict[str, str] = {}
        self.warnings: list[str] = []
        self._files: list[_ParsedFile] = []
        self._declared = 0

    def list_objects(self, subject: Node, *predicates: str) -> list[Node]:
        """List the nodes that a node points at, sorted, each once."""
        found = {
            node
            for file in self._files
            for predicate in predicates
            for node in file.nodes.get(predicate, {}).get(subject, ())
        }
        return sorted(found)

    def list_words(self, subject: Node, *predicates: str) -> list[tuple[int, LabelWords]]:
        """List the literals of a node, each with the position of its predicate in the arguments."""
        found = {
            (place, words)
            for file in self._files
            for place, predicate in enumerate(predicates)
            for words in file.words.get(predicate, {}).get(subject, ())
        }
        return sorted(found)

    def list_pairs(self, *predicates: str) -> Iterator[tuple[Node, Node]]:
        """Yield subject and object of all statements with one of these predicates."""
        for file in self._files:
            for predicate in predicates:
                for subject, nodes in file.nodes.get(predicate, {}).items():
                    for node in nodes:
                        yield subject, node

    def find_typed(self, types: Iterable[str]) -> set[Node]:
        """Find all nodes of one of these types."""
        wanted = frozenset(types)
        return {subject for subject, node in self.list_pairs(TYPE) if node in wanted}

    def read_list(self, head: Node) -> list[Node]:
        """Read the members of an RDF list; a cyclic one ends where it began."""
        found: list[Node] = []
        seen: set[Node] = set()
        todo = [head]
        while todo:
            cell = todo.pop()
            if cell in seen:
                continue
            seen.add(cell)
            if len(seen) > _MEMBERS:
                raise excess_error("A list of classes in the ontology", "members", _MEMBERS)
            found += self.list_objects(cell, FIRST)
            todo += self.list_objects(cell, REST)
        return found

    def add_source(self, source: OntologySource) -> None:
        """Read a file; exceeding any limit refuses it."""
        check_costs(source, self.limits)
        try:
            taken, parser = self._parse_source(source, lenient=False)
        except SyntaxError as error:
            taken, parser = self._parse_leniently(source, error)
        if taken.odd:
            first = next(iter(taken.odd))[:100].replace("\x00", "\N{REPLACEMENT CHARACTER}")
            self.warnings.append(
                f"{source.title} contains addresses that are not valid IRIs"
                f" ({len(taken.odd):,}); statements about them are left out."
                f" The first is '{first}'."
            )
        if not self._files:
            self.prefixes = self._choose_prefixes(source, parser.prefixes)
        taken.known.clear()
        self._declared += len(taken.declared)
        self._files.append(taken)

    def _choose_prefixes(
        self, source: OntologySource, prefixes: Mapping[str, str]
    ) -> dict[str, str]:
        # A JSON-LD context also has terms for whole IRIs.
        ends = ("#", "/", ":", "_", "=") if source.format is RdfFormat.JSON_LD else ""
        return {
            prefix: iri
            for prefix, iri in sorted(prefixes.items())
            if iri.endswith(ends) and _IRI.fullmatch(iri) and len(iri) <= self.limits.iri_characters
        }

    def _parse_leniently(
        self, source: OntologySource, error: SyntaxError
    ) -> tuple[_ParsedFile, QuadParser]:
        """Read a file again without checking IRIs, if one of them caused the error."""
        if _IRI_FAULT.search(str(error.msg)):
            try:
                return self._parse_source(source, lenient=True)
            except SyntaxError as worse:
                raise describe_fault(source, worse) from None
        raise describe_fault(source, error) from None

    def _parse_source(
        self, source: OntologySource, *, lenient: bool
    ) -> tuple[_ParsedFile, QuadParser]:
        before = self._files[-1] if self._files else None
        taken = _ParsedFile(before.triples, before.characters) if before else _ParsedFile(0, 0)
        quads = parse(source.text, source.format, base_iri=BASE, lenient=lenient)
        for quad in quads:
            subject, predicate, object_ = quad.subject, quad.predicate.value, quad.object
            self._count_triple(source, taken, len(predicate))
            if isinstance(subject, NamedNode | BlankNode):
                node = self._make_node(source, taken, subject)
                self._keep_statement(source, taken, node, predicate, object_)
        return taken, quads

    def _keep_statement(
        self,
        source: OntologySource,
        taken: _ParsedFile,
        subject: Node | None,
        predicate: str,
        object_: object,
    ) -> None:
        if isinstance(object_, Literal):
            self._count_characters(source, taken, len(object_.value))
            if subject is not None and predicate in KEPT:
                words = _trim_literal(object_, predicate)
                if words is not None:
                    taken.words.setdefault(predicate, {}).setdefault(subject, []).append(words)
        elif isinstance(object_, NamedNode | BlankNode):
            node = self._make_node(source, taken, object_)
            if subject is not None and node is not None and predicate in KEPT:
                taken.nodes.setdefault(predicate, {}).setdefault(subject, []).append(node)
                self._count_terms(source, taken, subject, predicate, node)

    def _make_node(
        self, source: OntologySource, taken: _ParsedFile, term: NamedNode | BlankNode
    ) -> Node | None:
        """Return the node of a term; None if its IRI is invalid."""
        if isinstance(term, BlankNode):
            # The same id in two files is not the same node.
            return f"_:{len(self._files)}:{term.value}"
        iri = term.value
        self._count_characters(source, taken, len(iri))
        if len(iri) > self.limits.iri_characters:
            title = f"An IRI in {source.title[0].lower()}{source.title[1:]}"
            raise excess_error(title, "characters", self.limits.iri_characters, "iri_characters")
        if iri not in taken.known:
            taken.known[iri] = iri if _IRI.fullmatch(iri) else None
            if taken.known[iri] is None:
                taken.odd[iri] = None
        return taken.known[iri]

    def _count_triple(self, source: OntologySource, taken: _ParsedFile, characters: int) -> None:
        taken.triples += 1
        if taken.triples > self.limits.triples:
            raise excess_error(source.title, "triples", self.limits.triples, "triples")
        self._count_characters(source, taken, characters)

    def _count_characters(
        self, source: OntologySource, taken: _ParsedFile, characters: int
    ) -> None:
        taken.characters += characters
        if taken.characters > self.limits.characters:
            what = "characters, with its prefixes expanded"
            raise excess_error(source.title, what, self.limits.characters, "characters")

    def _count_terms(
        self, source: OntologySource, taken: _ParsedFile, subject: Node, predicate: str, node: Node
    ) -> None:
        relates = predicate in _RELATES
        if relates or (predicate == TYPE and (node in CLASS_TYPES or node in PROPERTY_TYPES)):
            taken.declared.update(
                one for one in ((subject, node) if relates else (subject,)) if is_iri(one)
            )
            if self._declared + len(taken.declared) > self.limits.terms:
                what = "classes and properties"
                raise excess_error(source.title, what, self.limits.terms, "terms")


def _trim_literal(literal: Literal, predicate: str) -> LabelWords | None:
    """Trim a literal to the length that is useful."""
    text = literal.value[: 2 * LONGEST_COMMENT].strip()
    if predicate not in COMMENTS:
        text = " ".join(text.split())
    return LabelWords(text, (literal.language or "").lower()) if text else None
