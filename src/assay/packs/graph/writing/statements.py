"""A graph as RDF statements, with the terms of RDF, PROV-O and the Web Annotation vocabulary."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, replace
from decimal import Decimal
from enum import IntEnum
from urllib.parse import quote

from pyoxigraph import BlankNode, NamedNode, Triple
from pyoxigraph import Literal as RdfLiteral

from assay.packs.graph.ids import derive_relation_id
from assay.packs.graph.model import (
    Attribute,
    Entity,
    Graph,
    Literal,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.writing.terms import (
    ASSAY,
    ASSOCIATED_WITH,
    ATTRIBUTED_TO,
    BY_PLACE,
    BY_WORDS,
    CONFIDENCE,
    DECIMAL,
    END,
    EXACT,
    GENERATED_BY,
    INTEGER,
    LABEL,
    MENTION,
    OBJECT,
    PREDICATE,
    PROV_ACTIVITY,
    PROV_AGENT,
    PROV_ENTITY,
    QUOTE,
    QUOTED_FROM,
    SAME_AS,
    SELECTOR,
    SOURCE,
    START,
    STATEMENT,
    STRETCH,
    SUBJECT,
    TYPE,
    UNIT,
    USED,
    VERDICT,
    VERSION,
    check_base,
    check_datatype,
    check_iri,
    check_words,
    make_node,
    make_value,
)
from assay.sdk.errors import InvalidInput
from assay.sdk.records import content_hash, derive_id

KINDS = ("entity", "relation", "document", "agent", "extraction", "ontology")
"""What follows the base in the IRIs that Assay makes."""
_PLAIN = re.compile("[A-Za-z0-9_-]+")


_CERTAIN = make_value("1.0", DECIMAL)
_FIRST = (TYPE, LABEL, SUBJECT, PREDICATE, OBJECT, UNIT, SOURCE, SELECTOR, START, END)
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

_Node = NamedNode | BlankNode | RdfLiteral


class Section(IntEnum):
    """The parts of a file, in the order in which a reader wants them."""

    ENTITIES = 0
    RELATIONS = 1
    QUOTES = 2
    SOURCES = 3


_Place = tuple[Section, str, int, int]
_NOWHERE: _Place = (Section.ENTITIES, "", 0, 0)


def describe_graph(
    graph: Graph, ontology: Ontology, *, base: str, documents: Mapping[str, str], by: str
) -> list[Triple]:
    """List all statements of a graph in one order; ungrounded relations are left out."""
    description = _Description(base)
    kept = _list_stated(graph)
    read = {span.document for span in _list_spans(graph.entities, kept)} | set(documents)
    activity = description.add_extraction(ontology, read, by) if by else None
    for entity in graph.entities:
        description.add_entity(entity)
    for relation in kept:
        description.add_relation(relation, relation.by or by, activity)
    for document in read:
        description.add_document(document, documents.get(document, ""))
    return description.list_triples()


def _list_stated(graph: Graph) -> list[Relation]:
    """List the relations, and the attributes of entities as relations with the same id."""
    stated: dict[str, list[Relation]] = {}
    for relation in graph.relations:
        if relation.verdict is not RelationVerdict.UNGROUNDED:
            stated.setdefault(relation.id, []).append(relation)
    refuted = {relation.id for relation in graph.relations} - stated.keys()
    kept = [relation for same in stated.values() for relation in same]
    for entity in graph.entities:
        for told in entity.attributes:
            attribute = _make_relation(entity, told)
            if attribute.id not in refuted:
                # What was found both ways gets the verdict of the relation and all quotes.
                known = stated.get(attribute.id, [attribute])
                kept += [replace(each, quotes=attribute.quotes) for each in known]
    return kept


def _make_relation(entity: Entity, told: Attribute) -> Relation:
    for part in (entity.id, told.predicate, *astuple(told.value)):
        check_words(part, f"An attribute of the entity {entity.id!r}")
    return Relation(
        id=derive_relation_id(entity.id, told.predicate, told.value),
        subject=entity.id,
        predicate=told.predicate,
        object=told.value,
        quotes=(told.span,),
        confidence=entity.confidence,
    )


def _list_spans(entities: Iterable[Entity], relations: Iterable[Relation]) -> Iterable[TextSpan]:
    for entity in entities:
        yield from entity.mentions
    for relation in relations:
        yield from relation.quotes


class _Description:
    """A set of statements that is always listed in the same order."""

    def __init__(self, base: str) -> None:
        self.base = check_base(base)
        # A second '#' would make the IRI invalid. After the first, RFC 5147 names a text range.
        self._mark = "/" if "#" in base else "#"
        self._triples: set[Triple] = set()
        self._places: dict[str, _Place] = {}
        self._known: set[str] = set()

    def list_triples(self) -> list[Triple]:
        """List the statements by section and subject, the objects of a predicate by place."""
        about: dict[NamedNode | BlankNode, list[Triple]] = {}
        for triple in self._triples:
            assert isinstance(triple.subject, NamedNode | BlankNode)
            about.setdefault(triple.subject, []).append(triple)
        # Many small sorts: one large one would keep all other threads waiting.
        return [
            triple
            for subject in sorted(about, key=self._rank_subject)
            for triple in sorted(about[subject], key=self._rank_statement)
        ]

    def name_thing(self, kind: str, id_: str) -> str:
        """Return the IRI of something that Assay names; different ids never share one."""
        if not _PLAIN.fullmatch(id_):
            id_ = quote(check_words(id_, f"The id of a {kind}"), safe="")
        return f"{self.base}{kind}/{id_}"

    def add_entity(self, entity: Entity) -> None:
        """Add its kinds, its name, and where it is mentioned."""
        what = f"The entity '{entity.id}'"
        node = self._place_node(self.name_thing("entity", entity.id), Section.ENTITIES)
        for type_ in entity.types:
            self._add_triple(node, TYPE, self._check_node(type_, "The class"))
        self._add_triple(node, LABEL, make_value(check_words(entity.name, f"{what}: its name")))
        for other in entity.same_as:
            self._add_triple(node, SAME_AS, make_node(self.name_thing("entity", other)))
        self._add_triple(node, CONFIDENCE, _write_confidence(entity.confidence, what))
        for span in entity.mentions:
            self._add_triple(node, MENTION, self._add_span(span, what))

    def add_relation(self, relation: Relation, by: str, activity: NamedNode | None) -> None:
        """Add the plain triple, and the statement with its provenance."""
        what = f"The relation '{relation.id}'"
        subject = self._place_node(self.name_thing("entity", relation.subject), Section.ENTITIES)
        predicate = self._check_node(relation.predicate, "The property")
        object_ = self._make_object(relation.object, what)
        self._triples.add(Triple(subject, predicate, object_))
        node = self._place_node(self.name_thing("relation", relation.id), Section.RELATIONS)
        self._add_triple(node, TYPE, STATEMENT)
        self._add_triple(node, TYPE, PROV_ENTITY)
        self._add_triple(node, SUBJECT, subject)
        self._add_triple(node, PREDICATE, predicate)
        self._add_triple(node, OBJECT, object_)
        if isinstance(relation.object, Literal) and relation.object.unit:
            unit = check_words(relation.object.unit, f"{what}: its unit")
            self._add_triple(node, UNIT, make_value(unit))
        self._add_triple(node, VERDICT, NamedNode(f"{ASSAY}{relation.verdict}"))
        self._add_triple(node, CONFIDENCE, _write_confidence(relation.confidence, what))
        for span in relation.quotes:
            self._add_triple(node, QUOTE, self._add_span(span, what))
            self._add_triple(
                node, QUOTED_FROM, make_node(self.name_thing("document", span.document))
            )
        if by:
            self._add_triple(node, ATTRIBUTED_TO, self._add_agent(by))
        if activity is not None:
            self._add_triple(node, GENERATED_BY, activity)

    def add_document(self, document: str, name: str) -> None:
        """Add a text that was read."""
        node = self._place_node(self.name_thing("document", document), Section.SOURCES)
        self._add_triple(node, TYPE, PROV_ENTITY)
        if name:
            self._add_triple(node, LABEL, make_value(check_words(name, "The name of a document")))

    def add_extraction(self, ontology: Ontology, read: Iterable[str], by: str) -> NamedNode:
        """Add the reading itself: what was read, with which ontology, by whom."""
        used = {make_node(self.name_thing("document", document)) for document in read}
        used.add(self._add_ontology(ontology))
        agent = self._add_agent(by)
        id_ = derive_id("ex", ontology.key, agent.value, *sorted(each.value for each in used))
        node = self._place_node(self.name_thing("extraction", id_), Section.SOURCES)
        self._add_triple(node, TYPE, PROV_ACTIVITY)
        self._add_triple(node, ASSOCIATED_WITH, agent)
        for each in used:
            self._add_triple(node, USED, each)
        return node

    def _add_ontology(self, ontology: Ontology) -> NamedNode:
        iri = self.name_thing("ontology", ontology.key)
        if ontology.iri:
            iri = check_iri(ontology.iri, "The ontology")
        node = self._place_node(iri, Section.SOURCES)
        self._add_triple(node, TYPE, PROV_ENTITY)
        if ontology.title:
            title = check_words(ontology.title, "The title of the ontology")
            self._add_triple(node, LABEL, make_value(title))
        if ontology.version:
            version = check_words(ontology.version, "The version of the ontology")
            self._add_triple(node, VERSION, make_value(version))
        return node

    def _add_agent(self, by: str) -> NamedNode:
        node = self._place_node(self.name_thing("agent", by), Section.SOURCES)
        self._add_triple(node, TYPE, PROV_AGENT)
        self._add_triple(node, LABEL, make_value(check_words(by, "The name of the reader")))
        return node

    def _add_span(self, span: TextSpan, what: str) -> NamedNode:
        """Add a stretch of a text as the Web Annotation vocabulary describes it: by place and by
        words. The names of the two selectors follow from what they say."""
        document = self.name_thing("document", span.document)
        iri = f"{document}{self._mark}char={span.start},{span.end}"
        words = check_words(span.words, f"{what}: a quote of it")
        node = self._place_node(iri, Section.QUOTES, document, span.start, span.end)
        label = _label_node(iri)
        self._add_triple(node, TYPE, STRETCH)
        self._add_triple(node, SOURCE, make_node(document))
        by_place, by_words = BlankNode(f"p{label}"), BlankNode(f"q{label}{_label_node(words)}")
        for selector, kind in ((by_place, BY_PLACE), (by_words, BY_WORDS)):
            self._places[selector.value] = (Section.QUOTES, document, span.start, span.end)
            self._add_triple(node, SELECTOR, selector)
            self._add_triple(selector, TYPE, kind)
        self._add_triple(by_place, START, make_value(str(span.start), INTEGER))
        self._add_triple(by_place, END, make_value(str(span.end), INTEGER))
        self._add_triple(by_words, EXACT, make_value(words))
        return node

    def _make_object(self, object_: str | Literal, what: str) -> NamedNode | RdfLiteral:
        if isinstance(object_, str):
            return make_node(self.name_thing("entity", object_))
        datatype = object_.datatype
        if datatype not in self._known:
            self._known.add(check_datatype(datatype, "The datatype"))
        return make_value(check_words(object_.value, f"{what}: its value"), datatype)

    def _check_node(self, iri: str, what: str) -> NamedNode:
        if iri not in self._known:
            self._known.add(check_iri(iri, what))
        return make_node(iri)

    def _place_node(self, iri: str, section: Section, within: str = "", *at: int) -> NamedNode:
        """Give a subject its place in the file: by its name, or by `within` and two numbers."""
        first, second = at or (0, 0)
        place = (section, within or iri, first, second)
        known = self._places.get(iri)
        if known is None or place < known:
            self._places[iri] = place
        return make_node(iri)

    def _add_triple(self, subject: NamedNode | BlankNode, predicate: str, object_: _Node) -> None:
        self._triples.add(Triple(subject, NamedNode(predicate), object_))

    def _rank_subject(self, subject: NamedNode | BlankNode) -> tuple[object, ...]:
        # A blank node follows the node that leads to it: 'True' sorts last.
        is_inner = isinstance(subject, BlankNode)
        return self._places.get(subject.value, _NOWHERE), is_inner, subject.value

    def _rank_statement(self, triple: Triple) -> tuple[object, ...]:
        predicate, object_ = triple.predicate.value, triple.object
        rank = _RANKS.get(predicate, _MIDDLE)
        order = (1, _NOWHERE, str(object_))
        if isinstance(object_, NamedNode):
            order = (0, self._places.get(object_.value, _NOWHERE), object_.value)
        return rank, predicate, order


def _label_node(words: str) -> str:
    return content_hash(words.encode())[:24]


def _write_confidence(confidence: float, what: str) -> RdfLiteral:
    if confidence == 1:
        return _CERTAIN
    exact = Decimal(repr(float(confidence)))
    if not exact.is_finite():
        raise InvalidInput(f"{what}: its confidence is not a number: {confidence!r}.")
    written = format(exact, "f")
    return make_value(written if "." in written else f"{written}.0", DECIMAL)
