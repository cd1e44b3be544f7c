"""The statements of files that matter to an ontology, guarded and counted while they are read."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from pyoxigraph import BlankNode, Literal, NamedNode, QuadParser, RdfFormat, parse

from assay.packs.graph.ontology.formats import OntologySource, describe_fault
from assay.packs.graph.ontology.model import OntologyLimits, refuse_excess
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
"""A string that never ends is one too: else each quote in it would be tried anew."""
_ABOUT_STATEMENTS = 64
"""Most statements about statements: each may lie in the one before it."""
_SEVERAL_CONTEXTS = 128_000
"""The longest text with more than one context: each copies all that stand around it."""


def check_costs(source: OntologySource, limits: OntologyLimits) -> None:
    """Refuse what would take a parser far more time or memory than its length tells."""
    _CHECKS[source.format](source, limits)


def _check_xml(source: OntologySource, limits: OntologyLimits) -> None:
    _check_entities(source, limits)
    parser = expat.ParserCreate(encoding="utf-8")
    depth = 0

    def open_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.depth:
            raise _too_deep(source, limits)
        if len(attributes) > _ATTRIBUTES:
            raise refuse_excess(source.title, f"attributes in <{name[:80]}>", _ATTRIBUTES)

    def close_element(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    try:
        parser.Parse(source.text.encode(), True)
    except expat.ExpatError as error:
        raise InvalidInput(
            f"{source.title} is not valid XML: line {error.lineno}, column {error.offset + 1}:"
            f" {expat.ErrorString(error.code)}.",
            advice="Correct that place, or save the ontology again.",
        ) from None


def _check_entities(source: OntologySource, limits: OntologyLimits) -> None:
    """Refuse entities that lie elsewhere, and those that grow beyond bounds when written out."""
    sizes: dict[str, int] = {}
    declared = 0
    for found in _ENTITY.finditer(source.text):
        entity = _DECLARATION.match(source.text, found.start())
        if entity is None:
            raise InvalidInput(
                f"{source.title} declares an XML entity that is no plain text in double quotes.",
                advice="Entities of other files are never fetched: write their text into the file.",
            )
        size = _written_out(entity[2], sizes)
        sizes[entity[1]] = max(size, sizes.get(entity[1], 0))
        declared += size
        _require_within(source, declared, limits)
    if sizes:
        _require_within(source, _written_out(source.text, sizes), limits)


def _written_out(text: str, sizes: dict[str, int]) -> int:
    return len(text) + sum(sizes.get(found[1], 0) for found in _REFERENCE.finditer(text))


def _require_within(source: OntologySource, size: int, limits: OntologyLimits) -> None:
    if size > limits.bytes:
        title = f"{source.title}, its XML entities written out,"
        raise refuse_excess(title, "characters", limits.bytes, "bytes")


def _check_json(source: OntologySource, limits: OntologyLimits) -> None:
    depth = contexts = 0
    for token in _json_tokens(source.text):
        if token in "[{":
            depth += 1
            if depth > limits.depth:
                raise _too_deep(source, limits)
        elif token in "]}":
            depth -= 1
        elif _says_context(token):
            contexts += 1
    if contexts > 1 and len(source.text) > _SEVERAL_CONTEXTS:
        raise InvalidInput(
            f"{source.title} has {contexts:,} contexts, and is too long for more than one.",
            advice="Write it with one '@context' at its beginning, or save it as Turtle.",
        )


def _json_tokens(text: str) -> Iterator[str]:
    for found in _JSON_TOKEN.finditer(text):
        yield found[0]


def _says_context(token: str) -> bool:
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
        raise refuse_excess(source.title, "statements about statements (<<)", _ABOUT_STATEMENTS)


def _too_deep(source: OntologySource, limits: OntologyLimits) -> InvalidInput:
    return InvalidInput(
        f"{source.title} lies more than {limits.depth} levels deep in itself.",
        advice="Write each class by itself instead of one in another, or save it as Turtle.",
    )


_CHECKS: dict[RdfFormat, Callable[[OntologySource, OntologyLimits], None]] = {
    RdfFormat.RDF_XML: _check_xml,
    RdfFormat.JSON_LD: _check_json,
    RdfFormat.TURTLE: _check_triples,
    RdfFormat.N_TRIPLES: _check_triples,
}


BASE = "urn:assay:ontology/"
"""What addresses are relative to, in a file that does not say it."""
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]+")
_IRI_FAULT = re.compile(r"\b(?:IRI|scheme|authority|host|port|path)\b")

_RELATES = frozenset({SUBCLASS, SUBPROPERTY, SAME_CLASS, SAME_PROPERTY, INVERSE, *DOMAINS, *RANGES})
"""What only classes and properties have."""
_MEMBERS = 500
"""Most classes in one list."""

Node = str
"""An address, or `_:` and the id of a node without one."""


def is_iri(node: Node) -> bool:
    return not node.startswith("_:")


@dataclass
class _Taken:
    """What one file has given so far; thrown away if it has to be read once more."""

    triples: int
    characters: int
    """Of all files so far, this one included."""
    declared: set[str] = field(default_factory=set)
    nodes: dict[str, dict[Node, list[Node]]] = field(default_factory=dict)
    words: dict[str, dict[Node, list[LabelWords]]] = field(default_factory=dict)
    odd: dict[str, None] = field(default_factory=dict)
    """Addresses that are none."""
    known: dict[str, str | None] = field(default_factory=dict)
    """All addresses, so that each is held once; None for those that are none."""


class OntologyStatements:
    """What the files say, by predicate and subject."""

    def __init__(self, limits: OntologyLimits) -> None:
        self.limits = limits
        self.prefixes: dict[str, str] = {}
        self.warnings: list[str] = []
        self._files: list[_Taken] = []
        self._declared = 0

    def objects(self, subject: Node, *predicates: str) -> list[Node]:
        """The things that a node points at, sorted, each once."""
        found = {
            node
            for file in self._files
            for predicate in predicates
            for node in file.nodes.get(predicate, {}).get(subject, ())
        }
        return sorted(found)

    def words(self, subject: Node, *predicates: str) -> list[tuple[int, LabelWords]]:
        """The literals of a node, each with the place of its predicate among those asked for."""
        found = {
            (place, words)
            for file in self._files
            for place, predicate in enumerate(predicates)
            for words in file.words.get(predicate, {}).get(subject, ())
        }
        return sorted(found)

    def pairs(self, *predicates: str) -> Iterator[tuple[Node, Node]]:
        """Subject and object of all statements with one of these predicates."""
        for file in self._files:
            for predicate in predicates:
                for subject, nodes in file.nodes.get(predicate, {}).items():
                    for node in nodes:
                        yield subject, node

    def find_typed(self, types: Iterable[str]) -> set[Node]:
        """All nodes of one of these types."""
        wanted = frozenset(types)
        return {subject for subject, node in self.pairs(TYPE) if node in wanted}

    def list_members(self, head: Node) -> list[Node]:
        """The members of an RDF list; one that runs in a circle ends where it began."""
        found: list[Node] = []
        seen: set[Node] = set()
        todo = [head]
        while todo:
            cell = todo.pop()
            if cell in seen:
                continue
            seen.add(cell)
            if len(seen) > _MEMBERS:
                raise refuse_excess("A list of classes in the ontology", "members", _MEMBERS)
            found += self.objects(cell, FIRST)
            todo += self.objects(cell, REST)
        return found

    def read(self, source: OntologySource) -> None:
        """Take in a file; the first limit that is passed refuses it."""
        check_costs(source, self.limits)
        try:
            taken, parser = self._take_statements(source, lenient=False)
        except SyntaxError as error:
            taken, parser = self._without_odd_addresses(source, error)
        if taken.odd:
            self.warnings.append(
                f"{source.title} has addresses that are no valid IRIs ({len(taken.odd):,}); what it"
                f" says of them is left out. The first is '{next(iter(taken.odd))[:100]}'."
            )
        if not self._files:
            self.prefixes = self._kept_prefixes(source, parser.prefixes)
        taken.known.clear()
        self._declared += len(taken.declared)
        self._files.append(taken)

    def _kept_prefixes(self, source: OntologySource, prefixes: Mapping[str, str]) -> dict[str, str]:
        # A context of JSON-LD has words for whole addresses as well.
        ends = ("#", "/", ":", "_", "=") if source.format is RdfFormat.JSON_LD else ""
        return {
            prefix: iri
            for prefix, iri in sorted(prefixes.items())
            if iri.endswith(ends) and _IRI.fullmatch(iri) and len(iri) <= self.limits.iri_characters
        }

    def _without_odd_addresses(
        self, source: OntologySource, error: SyntaxError
    ) -> tuple[_Taken, QuadParser]:
        """Read a file once more without looking at addresses, if one of them was at fault."""
        if _IRI_FAULT.search(str(error.msg)):
            try:
                return self._take_statements(source, lenient=True)
            except SyntaxError as worse:
                raise describe_fault(source, worse) from None
        raise describe_fault(source, error) from None

    def _take_statements(
        self, source: OntologySource, *, lenient: bool
    ) -> tuple[_Taken, QuadParser]:
        before = self._files[-1] if self._files else None
        taken = _Taken(before.triples, before.characters) if before else _Taken(0, 0)
        quads = parse(source.text, source.format, base_iri=BASE, lenient=lenient)
        for quad in quads:
            subject, predicate, object_ = quad.subject, quad.predicate.value, quad.object
            self._count_triple(source, taken, len(predicate))
            if isinstance(subject, NamedNode | BlankNode):
                node = self._make_node(source, taken, subject)
                self._keep(source, taken, node, predicate, object_)
        return taken, quads

    def _keep(
        self,
        source: OntologySource,
        taken: _Taken,
        subject: Node | None,
        predicate: str,
        object_: object,
    ) -> None:
        if isinstance(object_, Literal):
            self._count_characters(source, taken, len(object_.value))
            if subject is not None and predicate in KEPT:
                words = _keep_words(object_, predicate)
                if words is not None:
                    taken.words.setdefault(predicate, {}).setdefault(subject, []).append(words)
        elif isinstance(object_, NamedNode | BlankNode):
            node = self._make_node(source, taken, object_)
            if subject is not None and node is not None and predicate in KEPT:
                taken.nodes.setdefault(predicate, {}).setdefault(subject, []).append(node)
                self._count_terms(source, taken, subject, predicate, node)

    def _make_node(
        self, source: OntologySource, taken: _Taken, term: NamedNode | BlankNode
    ) -> Node | None:
        """The node of a term; None where its address is no address."""
        if isinstance(term, BlankNode):
            # The same id in two files is not the same node.
            return f"_:{len(self._files)}:{term.value}"
        iri = term.value
        self._count_characters(source, taken, len(iri))
        if len(iri) > self.limits.iri_characters:
            title = f"An address in {source.title[0].lower()}{source.title[1:]}"
            raise refuse_excess(title, "characters", self.limits.iri_characters, "iri_characters")
        if iri not in taken.known:
            taken.known[iri] = iri if _IRI.fullmatch(iri) else None
            if taken.known[iri] is None:
                taken.odd[iri] = None
        return taken.known[iri]

    def _count_triple(self, source: OntologySource, taken: _Taken, characters: int) -> None:
        taken.triples += 1
        if taken.triples > self.limits.triples:
            raise refuse_excess(source.title, "triples", self.limits.triples, "triples")
        self._count_characters(source, taken, characters)

    def _count_characters(self, source: OntologySource, taken: _Taken, characters: int) -> None:
        taken.characters += characters
        if taken.characters > self.limits.characters:
            what = "characters, its prefixes written out"
            raise refuse_excess(source.title, what, self.limits.characters, "characters")

    def _count_terms(
        self, source: OntologySource, taken: _Taken, subject: Node, predicate: str, node: Node
    ) -> None:
        relates = predicate in _RELATES
        if relates or (predicate == TYPE and (node in CLASS_TYPES or node in PROPERTY_TYPES)):
            taken.declared.update(
                one for one in ((subject, node) if relates else (subject,)) if is_iri(one)
            )
            if self._declared + len(taken.declared) > self.limits.terms:
                what = "classes and properties"
                raise refuse_excess(source.title, what, self.limits.terms, "terms")


def _keep_words(literal: Literal, predicate: str) -> LabelWords | None:
    """A literal as it is kept: no longer than it is of use."""
    text = literal.value[: 2 * LONGEST_COMMENT].strip()
    if predicate not in COMMENTS:
        text = " ".join(text.split())
    return LabelWords(text, (literal.language or "").lower()) if text else None
