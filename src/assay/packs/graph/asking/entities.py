"""Which things a text speaks of: what a model is asked, and what its answer is worth."""

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
"""Characters of a name; a whole sentence names nothing."""
MOST_MENTIONS = 200
"""Places of one name in one chunk that are kept."""
_PRONOUNS = frozenset(
    {"he", "him", "himself", "his", "her", "herself", "i", "it", "its", "itself", "me", "my", "one"}
    | {"our", "she", "that", "their", "them", "themselves", "these", "they", "this", "those", "us"}
    | {"we", "which", "who", "you", "your"}
)


@dataclass(frozen=True, slots=True)
class EntityReading:
    """What an item was worth: an entity or none, and whatever of it was turned away."""

    entity: Entity | None
    refused: tuple[RefusedClaim, ...] = ()


def build_entity_request(
    chunk: Chunk, classes: Sequence[OntologyClass], ontology: Ontology, max_tokens: int
) -> ModelRequest:
    """The question which things of these classes a chunk names."""
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
    """The entity of an item, or why there is none. See `entity_told` for what was left out."""
    told = read_entity_parts(asked, chunk, ontology, document)
    return told.refused[0] if told.entity is None else told.entity


def read_entity_parts(
    asked: AskedEntity, chunk: Chunk, ontology: Ontology, document: str
) -> EntityReading:
    """The entity of an item as far as it holds, with every part of it that does not."""
    said = asked.mention.strip()
    claim = (said, ", ".join(asked.type))
    wrong = _explain_bad_name(said)
    if wrong is not None:
        return EntityReading(None, (refuse_claim(Refusal.NOT_VALID, wrong, *claim),))
    spans = _find_mentions(said, chunk, document)
    if not spans:
        detail = f"'{said}' does not stand in the text."
        return EntityReading(None, (refuse_claim(Refusal.NOT_IN_TEXT, detail, *claim),))
    types, unknown = _resolve_types(asked.type, said, ontology)
    if not types:
        return EntityReading(None, unknown)
    name = " ".join(spans[0].words.split())
    attributes: list[Attribute] = []
    turned_away: list[RefusedClaim] = []
    for told in asked.attributes:
        made = _read_attribute(told, types, name, chunk, ontology, document)
        if isinstance(made, Attribute):
            attributes.append(made)
        else:
            turned_away.append(made)
    entity = Entity(
        id=derive_entity_id(name, types),
        name=name,
        types=types,
        mentions=spans,
        attributes=tuple(
            sorted(set(attributes), key=lambda one: (one.predicate, one.span, one.value))
        ),
    )
    return EntityReading(entity, (*unknown, *turned_away))


def _explain_bad_name(said: str) -> str | None:
    """Why words cannot be a name; None where they can."""
    if len(said) > LONGEST_MENTION:
        return f"A name has at most {LONGEST_MENTION} characters."
    if not is_storable(said) or not fold_name(said) or not any(map(str.isalnum, said)):
        return "These are no words of a text."
    # `IT` and `US` are names.
    if said.lower() in _PRONOUNS and not (said.isupper() and len(said) > 1):
        return f"'{said}' names nothing by itself."
    return None


def _find_mentions(said: str, chunk: Chunk, document: str) -> tuple[TextSpan, ...]:
    found: list[Place] = find_loose_places(said, chunk.text)[:MOST_MENTIONS]
    spans = (make_span(chunk, place, document) for place in found)
    return tuple(sorted(span for span in spans if is_storable(span.words)))


def _resolve_types(
    told: Sequence[str], said: str, ontology: Ontology
) -> tuple[tuple[str, ...], tuple[RefusedClaim, ...]]:
    """The most specific of the classes, sorted, and those that the ontology does not have."""
    names = collect_names(ontology).classes
    known: set[str] = set()
    unknown: list[RefusedClaim] = []
    for name in told:
        found = names.find(name)
        if found.iri is not None:
            known.add(found.iri)
            continue
        near = f"; near are {', '.join(found.near)}" if found.near else ""
        detail = f"'{name[:80]}' is no class of the ontology{near}."
        unknown.append(refuse_claim(Refusal.UNKNOWN_CLASS, detail, said, name))
    return tuple(sorted(_list_most_specific(known, ontology))), tuple(unknown)


def _list_most_specific(types: set[str], ontology: Ontology) -> Iterator[str]:
    for own in types:
        below = (one for one in types if one != own and ontology.is_a(one, own))
        # Of classes that are one and the same, one is kept.
        if not any(not ontology.is_a(own, one) or one < own for one in below):
            yield own


def _read_attribute(
    told: AskedAttribute,
    types: Sequence[str],
    name: str,
    chunk: Chunk,
    ontology: Ontology,
    document: str,
) -> Attribute | RefusedClaim:
    claim = (name, told.property, told.value)
    found = collect_names(ontology).properties.find(told.property)
    if found.iri is None:
        near = f"; near are {', '.join(found.near)}" if found.near else ""
        detail = f"'{told.property[:80]}' is no property of the ontology{near}."
        return refuse_claim(Refusal.UNKNOWN_PROPERTY, detail, *claim)
    known = ontology.properties[found.iri]
    if not ontology.match_any(types, known.domains):
        detail = f"'{known.label}' is not said of things like '{name}'."
        return refuse_claim(Refusal.WRONG_DOMAIN, detail, *claim)
    value = read_value(told.value, known, chunk)
    if isinstance(value, RefusedClaim):
        return refuse_claim(value.reason, value.detail, *claim)
    span = make_span(chunk, value.places[0], document)
    return Attribute(predicate=known.iri, value=value.literal, span=span)
