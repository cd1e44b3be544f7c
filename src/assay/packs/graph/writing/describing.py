"""A graph in the words of RDF, PROV-O and the Web Annotation vocabulary."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, replace
from decimal import Decimal
from urllib.parse import quote

from assay.packs.graph.ids import relation_id
from assay.packs.graph.model import Attribute, Entity, Graph, Literal, Relation, Span, Verdict
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.writing.sheet import Section, Sheet, add
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
    Inner,
    Iri,
    Value,
    checked_base,
    checked_datatype,
    checked_iri,
    checked_words,
)
from assay.sdk.errors import InvalidInput
from assay.sdk.records import content_hash, derived_id

KINDS = ("entity", "relation", "document", "agent", "extraction", "ontology")
"""What stands behind the base in the IRI of a thing of Assay's own."""
_PLAIN = re.compile("[A-Za-z0-9_-]+")
_CERTAIN = Value("1.0", DECIMAL)


def described(
    graph: Graph, ontology: Ontology, *, base: str, documents: Mapping[str, str], by: str
) -> Sheet:
    """All that is told of a graph; relations that were found ungrounded are not."""
    description = _Description(base)
    kept = _kept(graph)
    read = {span.document for span in _spans(graph.entities, kept)} | set(documents)
    activity = description.extraction(ontology, read, by) if by else None
    for entity in graph.entities:
        description.entity(entity)
    for relation in kept:
        description.relation(relation, relation.by or by, activity)
    for document in read:
        description.document(document, documents.get(document, ""))
    return description.sheet


def _kept(graph: Graph) -> list[Relation]:
    """The relations, and the attributes of entities as relations of the same id."""
    stated: dict[str, list[Relation]] = {}
    for relation in graph.relations:
        if relation.verdict is not Verdict.UNGROUNDED:
            stated.setdefault(relation.id, []).append(relation)
    refuted = {relation.id for relation in graph.relations} - stated.keys()
    kept = [relation for same in stated.values() for relation in same]
    for entity in graph.entities:
        for told in entity.attributes:
            attribute = _as_relation(entity, told)
            if attribute.id not in refuted:
                # What was found both ways has the verdict of the relation, and all quotes.
                known = stated.get(attribute.id, [attribute])
                kept += [replace(each, quotes=attribute.quotes) for each in known]
    return kept


def _as_relation(entity: Entity, told: Attribute) -> Relation:
    for part in (entity.id, told.predicate, *astuple(told.value)):
        checked_words(part, f"An attribute of the entity {entity.id!r}")
    return Relation(
        id=relation_id(entity.id, told.predicate, told.value),
        subject=entity.id,
        predicate=told.predicate,
        object=told.value,
        quotes=(told.span,),
        confidence=entity.confidence,
    )


def _spans(entities: Iterable[Entity], relations: Iterable[Relation]) -> Iterable[Span]:
    for entity in entities:
        yield from entity.mentions
    for relation in relations:
        yield from relation.quotes


class _Description:
    def __init__(self, base: str) -> None:
        self.base = checked_base(base)
        # A second '#' would be no IRI. Behind the first, RFC 5147 names a stretch of a text.
        self._mark = "/" if "#" in base else "#"
        self.sheet = Sheet()
        self._known: set[str] = set()

    def named(self, kind: str, id_: str) -> str:
        """The IRI of a thing of Assay's own; whatever its id is made of, no two share one."""
        if not _PLAIN.fullmatch(id_):
            id_ = quote(checked_words(id_, f"The id of a {kind}"), safe="")
        return f"{self.base}{kind}/{id_}"

    def entity(self, entity: Entity) -> None:
        """Its kinds, its name, where it is mentioned."""
        what = f"The entity '{entity.id}'"
        said = self.sheet.about(self.named("entity", entity.id), Section.ENTITIES)
        for type_ in entity.types:
            add(said, TYPE, Iri(self._iri(type_, "The class")))
        add(said, LABEL, Value(checked_words(entity.name, f"{what}: its name")))
        for other in entity.same_as:
            add(said, SAME_AS, Iri(self.named("entity", other)))
        add(said, CONFIDENCE, _confidence(entity.confidence, what))
        for span in entity.mentions:
            add(said, MENTION, self._span(span, what))

    def relation(self, relation: Relation, by: str, activity: Iri | None) -> None:
        """The plain triple, and the statement of where it is from."""
        what = f"The relation '{relation.id}'"
        subject = self.named("entity", relation.subject)
        predicate = self._iri(relation.predicate, "The property")
        object_ = self._object(relation.object, what)
        add(self.sheet.about(subject, Section.ENTITIES), predicate, object_)
        said = self.sheet.about(self.named("relation", relation.id), Section.RELATIONS)
        add(said, TYPE, STATEMENT)
        add(said, TYPE, PROV_ENTITY)
        add(said, SUBJECT, Iri(subject))
        add(said, PREDICATE, Iri(predicate))
        add(said, OBJECT, object_)
        if isinstance(relation.object, Literal) and relation.object.unit:
            unit = checked_words(relation.object.unit, f"{what}: its unit")
            add(said, UNIT, Value(unit))
        add(said, VERDICT, Iri(f"{ASSAY}{relation.verdict}"))
        add(said, CONFIDENCE, _confidence(relation.confidence, what))
        for span in relation.quotes:
            add(said, QUOTE, self._span(span, what))
            add(said, QUOTED_FROM, Iri(self.named("document", span.document)))
        if by:
            add(said, ATTRIBUTED_TO, self._agent(by))
        if activity is not None:
            add(said, GENERATED_BY, activity)

    def document(self, document: str, name: str) -> None:
        """A text that was read."""
        said = self.sheet.about(self.named("document", document), Section.SOURCES)
        add(said, TYPE, PROV_ENTITY)
        if name:
            add(said, LABEL, Value(checked_words(name, "The name of a document")))

    def extraction(self, ontology: Ontology, read: Iterable[str], by: str) -> Iri:
        """The reading itself: what was read, with which ontology, by whom."""
        used = {Iri(self.named("document", document)) for document in read}
        used.add(self._ontology(ontology))
        agent = self._agent(by)
        id_ = derived_id("ex", ontology.key, agent.iri, *sorted(each.iri for each in used))
        iri = self.named("extraction", id_)
        said = self.sheet.about(iri, Section.SOURCES)
        add(said, TYPE, PROV_ACTIVITY)
        add(said, ASSOCIATED_WITH, agent)
        for each in used:
            add(said, USED, each)
        return Iri(iri)

    def _ontology(self, ontology: Ontology) -> Iri:
        iri = self.named("ontology", ontology.key)
        if ontology.iri:
            iri = self._iri(ontology.iri, "The ontology")
        said = self.sheet.about(iri, Section.SOURCES)
        add(said, TYPE, PROV_ENTITY)
        if ontology.title:
            add(said, LABEL, Value(checked_words(ontology.title, "The title of the ontology")))
        if ontology.version:
            version = checked_words(ontology.version, "The version of the ontology")
            add(said, VERSION, Value(version))
        return Iri(iri)

    def _agent(self, by: str) -> Iri:
        iri = self.named("agent", by)
        said = self.sheet.about(iri, Section.SOURCES)
        add(said, TYPE, PROV_AGENT)
        add(said, LABEL, Value(checked_words(by, "The name of who found it")))
        return Iri(iri)

    def _object(self, object_: str | Literal, what: str) -> Iri | Value:
        if isinstance(object_, str):
            return Iri(self.named("entity", object_))
        datatype = object_.datatype
        if datatype not in self._known:
            self._known.add(checked_datatype(datatype, "The datatype"))
        return Value(checked_words(object_.value, f"{what}: its value"), datatype)

    def _span(self, span: Span, what: str) -> Iri:
        """A stretch of a text as the Web Annotation vocabulary tells it: by place and by words."""
        document = self.named("document", span.document)
        stretch = Iri(f"{document}{self._mark}char={span.start},{span.end}")
        words = checked_words(span.words, f"{what}: a quote of it")
        said = self.sheet.about(stretch.iri, Section.QUOTES, document, span.start, span.end)
        label = _label(stretch.iri)
        if not said:
            said[TYPE] = {STRETCH}
            said[SOURCE] = {Iri(document)}
            start, end = Value(str(span.start), INTEGER), Value(str(span.end), INTEGER)
            place = Inner(f"p{label}", ((TYPE, BY_PLACE), (START, start), (END, end)))
            said[SELECTOR] = {place}
        exact = ((TYPE, BY_WORDS), (EXACT, Value(words)))
        said[SELECTOR].add(Inner(f"q{label}{_label(words)}", exact))
        return stretch

    def _iri(self, iri: str, what: str) -> str:
        if iri not in self._known:
            self._known.add(checked_iri(iri, what))
        return iri


def _label(words: str) -> str:
    return content_hash(words.encode())[:24]


def _confidence(confidence: float, what: str) -> Value:
    if confidence == 1:
        return _CERTAIN
    exact = Decimal(repr(float(confidence)))
    if not exact.is_finite():
        raise InvalidInput(f"{what}: its confidence is not a number: {confidence!r}.")
    told = format(exact, "f")
    return Value(told if "." in told else f"{told}.0", DECIMAL)
