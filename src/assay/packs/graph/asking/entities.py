"""Entities: what a model is asked, and how its answer is checked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.packs.graph.asking.items import AskedAttribute, AskedEntity, refuse_claim
from assay.packs.graph.asking.names import collect_names
from assay.packs.graph.asking.quoting import (
    Place,
    find_loose_places,
    is_storable,
    make_span,
    read_value,
)
from assay.packs.graph.asking.wording import describe_classes, fence_text, load_prompt
from assay.packs.graph.ids import derive_entity_id, fold_name
from assay.packs.graph.model import Attribute, Chunk, Entity, Refusal, RefusedClaim, TextSpan
from assay.packs.graph.ontology.model import Ontology, OntologyClass
from assay.sdk.models import ModelRequest

LONGEST_MENTION = 200
"""Most characters of a name; a whole sentence is not a name."""
MOST_MENTIONS = 200
"""Most positions of one name that are kept per chunk."""
_PRONOUNS = frozenset(
    {"he", "him", "himself", "his", "her", "herself", "i", "it", "its", "itself", "me", "my", "one"}
    | {"our", "she", "that", "their", "them", "themselves", "these", "they", "this", "those", "us"}
    | {"we", "which", "who", "you", "your"}
)


@dataclass(frozen=True, slots=True)
class EntityReading:
    """What an item gave: an entity or none, and the parts of it that were refused."""

    entity: Entity | None
    refused: tuple[RefusedClaim, ...] = ()


def build_entity_request(
    chunk: Chunk, classes: Sequence[OntologyClass], ontology: Ontology, max_tokens: int
) -> ModelRequest:
    """Ask which things of these classes a chunk names."""
    return load_prompt("entities").build_request(
        max_tokens=max_tokens,
        values={
            "classes": describe_classes(classes, collect_names(ontology)),
            "text": fence_text(chunk.text),
        },
    )


def read_entity(
    asked: AskedEntity, chunk: Chunk, ontology: Ontology, document: str
) -> Entity | RefusedClaim:
    """Read the entity of an item, or why there is none; `read_entity_parts` also reports what was
    left out."""
    reading = read_entity_parts(asked, chunk, ontology, document)
    return reading.refused[0] if reading.entity is None else reading.entity


def read_entity_parts(
    asked: AskedEntity, chunk: Chunk, ontology: Ontology, document: str
) -> EntityReading:
    """Read the entity of an item as far as it is valid, with every part that is not."""
    words = asked.mention.strip()
    claim = (words, ", ".join(asked.type))
    wrong = _explain_bad_name(words)
    if wrong is not None:
        return EntityReading(None, (refuse_claim(Refusal.NOT_VALID, wrong, *claim),))
    spans = _find_mentions(words, chunk, document)
    if not spans:
        detail = f"'{words}' was not found in the text."
        return EntityReading(None, (refuse_claim(Refusal.NOT_IN_TEXT, detail, *claim),))
    types, unknown = _resolve_types(asked.type, words, ontology)
    if not types:
        return EntityReading(None, unknown)
    name = " ".join(spans[0].words.split())
    attributes: list[Attribute] = []
    refused: list[RefusedClaim] = []
    for attribute in asked.attributes:
        made = _read_attribute(attribute, types, name, chunk, ontology, document)
        if isinstance(made, Attribute):
            attributes.append(made)
        else:
            refused.append(made)
    entity = Entity(
        id=derive_entity_id(name, types),
        name=name,
        types=types,
        mentions=spans,
        attributes=tuple(
            sorted(set(attributes), key=lambda one: (one.predicate, one.span, one.value))
        ),
    )
    return EntityReading(entity, (*unknown, *refused))


def _explain_bad_name(words: str) -> str | None:
    """Explain why words cannot be a name; None if they can."""
    if len(words) > LONGEST_MENTION:
        return f"A name has at most {LONGEST_MENTION} characters."
    if not is_storable(words) or not fold_name(words) or not any(map(str.isalnum, words)):
        return "These are not words of a text."
    # `IT` and `US` are names.
    if words.lower() in _PRONOUNS and not (words.isupper() and len(words) > 1):
        return f"'{words}' names nothing by itself."
    return None


def _find_mentions(words: str, chunk: Chunk, document: str) -> tuple[TextSpan, ...]:
    found: list[Place] = find_loose_places(words, chunk.text)[:MOST_MENTIONS]
    spans = (make_span(chunk, place, document) for place in found)
    return tuple(sorted(span for span in spans if is_storable(span.words)))


def _resolve_types(
    given: Sequence[str], words: str, ontology: Ontology
) -> tuple[tuple[str, ...], tuple[RefusedClaim, ...]]:
    """Return the most specific classes, sorted, and those that the ontology does not have."""
    names = collect_names(ontology).classes
    known: set[str] = set()
    unknown: list[RefusedClaim] = []
    for name in given:
        found = names.find(name)
        if found.iri is not None:
            known.add(found.iri)
            continue
        near = f"; near are {', '.join(found.near)}" if found.near else ""
        detail = f"'{name[:80]}' is not a class of the ontology{near}."
        unknown.append(refuse_claim(Refusal.UNKNOWN_CLASS, detail, words, name))
    return tuple(sorted(_list_most_specific(known, ontology))), tuple(unknown)


def _list_most_specific(types: set[str], ontology: Ontology) -> Iterator[str]:
    for own in types:
        below = (one for one in types if one != own and ontology.is_a(one, own))
        # Of equivalent classes, one is kept.
        if not any(not ontology.is_a(own, one) or one < own for one in below):
            yield own


def _read_attribute(
    given: AskedAttribute,
    types: Sequence[str],
    name: str,
    chunk: Chunk,
    ontology: Ontology,
    document: str,
) -> Attribute | RefusedClaim:
    claim = (name, given.property, given.value)
    found = collect_names(ontology).properties.find(given.property)
    if found.iri is None:
        near = f"; near are {', '.join(found.near)}" if found.near else ""
        detail = f"'{given.property[:80]}' is not a property of the ontology{near}."
        return refuse_claim(Refusal.UNKNOWN_PROPERTY, detail, *claim)
    known = ontology.properties[found.iri]
    if not ontology.match_any(types, known.domains):
        detail = f"'{known.label}' does not apply to things like '{name}'."
        return refuse_claim(Refusal.WRONG_DOMAIN, detail, *claim)
    value = read_value(given.value, known, chunk)
    if isinstance(value, RefusedClaim):
        return refuse_claim(value.reason, value.detail, *claim)
    span = make_span(chunk, value.places[0], document)
    return Attribute(predicate=known.iri, value=value.literal, span=span)
