"""Relations: what a model is asked, and how its answer is checked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.packs.graph.asking.items import AskedRelation, refuse_claim
from assay.packs.graph.asking.names import collect_names
from assay.packs.graph.asking.quoting import (
    PlacedValue,
    find_entity,
    find_quotes,
    is_storable,
    read_value,
)
from assay.packs.graph.asking.wording import (
    describe_example,
    describe_properties,
    fence_text,
    load_prompt,
    number_entities,
)
from assay.packs.graph.ids import derive_relation_id, fold_name
from assay.packs.graph.model import Chunk, Entity, Literal, Refusal, RefusedClaim, Relation
from assay.packs.graph.ontology.model import Ontology, Property, Takes
from assay.sdk.models import ModelRequest

REVERSED_CONFIDENCE = 0.8
"""Confidence of a relation whose ends were given the wrong way round; see `_is_reversed`."""
_LONGEST_END = 500
_NUMBERED = re.compile(r"[\[(]?\s*[Ee]\s?(\d{1,4})\b\s*[\])]?\s*[:.–—-]?\s*(.*)", re.DOTALL)
_ANOTHER = re.compile(r"\bE\d")
_BARE = re.compile(r"\d{1,4}")


@dataclass(frozen=True, slots=True)
class _Ends:
    subject: Entity
    object: Entity | PlacedValue
    confidence: float = 1.0


def build_relation_request(
    chunk: Chunk,
    entities: Sequence[Entity],
    properties: Sequence[Property],
    ontology: Ontology,
    max_tokens: int,
) -> ModelRequest:
    """Ask what a chunk says about these entities; they are numbered in this order."""
    names = collect_names(ontology)
    return load_prompt("relations").build_request(
        max_tokens=max_tokens,
        values={
            "properties": describe_properties(properties, names),
            "example": describe_example(properties, names),
            "entities": number_entities(entities, names),
            "text": fence_text(chunk.text),
        },
    )


def read_relation(
    asked: AskedRelation,
    chunk: Chunk,
    entities: Sequence[Entity],
    ontology: Ontology,
    document: str,
    by: str,
    properties: Sequence[Property] = (),
) -> Relation | RefusedClaim:
    """Read the relation of an item, or why there is none.

    The entities are those of the request, in its order; the properties are those that it showed. A
    name is looked up among them before the whole ontology is searched.
    """
    claim = (asked.subject, asked.property, asked.object)
    if any(len(part) > _LONGEST_END or not is_storable(part) for part in claim):
        return refuse_claim(Refusal.NOT_VALID, "These are not words of a text.", *claim)
    made = _build_relation(asked, chunk, entities, ontology, document, by, properties)
    return (
        refuse_claim(made.reason, made.detail, *claim) if isinstance(made, RefusedClaim) else made
    )


def _build_relation(
    asked: AskedRelation,
    chunk: Chunk,
    entities: Sequence[Entity],
    ontology: Ontology,
    document: str,
    by: str,
    properties: Sequence[Property],
) -> Relation | RefusedClaim:
    found = collect_names(ontology).properties.find(asked.property, {one.iri for one in properties})
    if found.iri is None:
        near = f"; near are {', '.join(found.near)}" if found.near else ""
        detail = f"'{asked.property[:80]}' is not a property of the ontology{near}."
        return refuse_claim(Refusal.UNKNOWN_PROPERTY, detail)
    known = ontology.properties[found.iri]
    ends = _resolve_ends(asked, known, entities, chunk, ontology)
    if isinstance(ends, RefusedClaim):
        return ends
    object_: str | Literal
    if isinstance(ends.object, PlacedValue):
        object_, objects = ends.object.literal, list(ends.object.places)
    else:
        object_, objects = ends.object.id, find_entity(ends.object, chunk)
    subjects = find_entity(ends.subject, chunk)
    if not subjects or not objects:
        gone = asked.object if subjects else ends.subject.name
        return refuse_claim(Refusal.NOT_IN_TEXT, f"'{gone}' was not found in this text.")
    return Relation(
        id=derive_relation_id(ends.subject.id, known.iri, object_),
        subject=ends.subject.id,
        predicate=known.iri,
        object=object_,
        quotes=find_quotes(
            asked.quote, chunk, subjects, objects, (known.label, *known.names), document
        ),
        confidence=ends.confidence,
        by=by,
    )


def _resolve_ends(
    asked: AskedRelation,
    known: Property,
    entities: Sequence[Entity],
    chunk: Chunk,
    ontology: Ontology,
) -> _Ends | RefusedClaim:
    subject = _resolve_entity(asked.subject, entities, bare=True)
    if isinstance(subject, RefusedClaim):
        return subject
    # A bare number may be a value rather than the number of an entity.
    object_ = _resolve_entity(asked.object, entities, bare=known.takes is Takes.ENTITY)
    if isinstance(object_, Entity) and known.takes is not Takes.LITERAL:
        return _connect_entities(subject, known, object_, ontology)
    if isinstance(object_, RefusedClaim) and not _may_be_value(asked.object, known, entities):
        return object_
    if not ontology.match_any(subject.types, known.domains):
        return _refuse_domain(known, subject)
    # A model that lists a date among the things means the date.
    words = object_.name if isinstance(object_, Entity) else asked.object
    value = read_value(words, known, chunk)
    return value if isinstance(value, RefusedClaim) else _Ends(subject, value)


def _may_be_value(words: str, known: Property, entities: Sequence[Entity]) -> bool:
    """Whether words that match no single entity can be a value; the name of two entities cannot."""
    if known.takes is Takes.EITHER:
        return not known.ranges and not _find_named(words, entities)
    return known.takes is Takes.LITERAL


def _connect_entities(
    subject: Entity, known: Property, object_: Entity, ontology: Ontology
) -> _Ends | RefusedClaim:
    """Make two entities the ends of a property, if the ontology allows it."""
    if subject.id == object_.id:
        return refuse_claim(Refusal.NOT_VALID, f"'{subject.name}' is related to itself.")
    if ontology.allows_relation(known.iri, subject.types, object_.types):
        return _Ends(subject, object_)
    if _is_reversed(subject, known, object_, ontology):
        return _Ends(object_, subject, REVERSED_CONFIDENCE)
    if not ontology.match_any(subject.types, known.domains):
        return _refuse_domain(known, subject)
    return refuse_claim(
        Refusal.WRONG_RANGE, f"'{known.label}' does not lead to things like '{object_.name}'."
    )


def _is_reversed(subject: Entity, known: Property, object_: Entity, ontology: Ontology) -> bool:
    """Whether a claim can only have been meant the other way round.

    "Wheeler, birth place, Alan Bean" has only one meaning in an ontology where only persons have a
    birth place and only places are one. If domain and range share a class, or one of them is open,
    either order makes sense, and the claim is judged as it was made. A reversed relation is less
    certain, and the text must still support it.
    """
    return (
        bool(known.domains and known.ranges)
        and not ontology.are_compatible(known.domains, known.ranges)
        and not ontology.match_any(subject.types, known.domains)
        and not ontology.match_any(object_.types, known.ranges)
        and ontology.allows_relation(known.iri, object_.types, subject.types)
    )


def _refuse_domain(known: Property, subject: Entity) -> RefusedClaim:
    detail = f"'{known.label}' does not apply to things like '{subject.name}'."
    return refuse_claim(Refusal.WRONG_DOMAIN, detail)


def _resolve_entity(words: str, entities: Sequence[Entity], *, bare: bool) -> Entity | RefusedClaim:
    """Resolve a number or a name to an entity; a bare number only if it cannot be a value."""
    words = words.strip()
    matches = _find_named(words, entities)
    match = _NUMBERED.fullmatch(words)
    number = int(match[1]) if match else int(words) if bare and _BARE.fullmatch(words) else 0
    if 1 <= number <= len(entities):
        meant = entities[number - 1]
        rest = match[2] if match else ""
        others = (*(matches if match else ()), *_find_named(rest, entities))
        # `E4` can be the name of a road, and `E2 Alan Bean` can be neither of the two.
        if all(one.id == meant.id for one in others) and not _ANOTHER.search(rest):
            return meant
        return refuse_claim(Refusal.NO_SUCH_ENTITY, f"'{words}' could mean several things.")
    if len(matches) == 1:
        return matches[0]
    many = "means several things" if matches else "is none of the things that were listed"
    return refuse_claim(Refusal.NO_SUCH_ENTITY, f"'{words[:80]}' {many}.")


def _find_named(words: str, entities: Sequence[Entity]) -> list[Entity]:
    """Find every listed entity with that name."""
    folded = fold_name(words)
    if not folded:
        return []
    own = [one for one in entities if fold_name(one.name) == folded]
    return own or [
        one for one in entities if folded in {fold_name(span.words) for span in one.mentions}
    ]
