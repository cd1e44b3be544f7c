"""The contents of a page: numbered entities and relations, and which of them are drawn."""

import json
from collections import Counter
from dataclasses import dataclass
from math import isfinite

from assay.packs.graph.model import Entity, Literal, Relation, RelationVerdict, TextSpan
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.picture.words import (
    count_things,
    fold_line,
    replace_unshowable,
    shorten_line,
)
from assay.packs.graph.results import GraphResult

MOST_NODES = 150
MOST_LINES = 400
"""Where the picture stops being readable; the lists have everything."""
COLOURS = 11
"""How many kinds have their own colour; the others share one."""
_AROUND = 32
"""Characters of the text that are shown on each side of a mention."""
_QUOTE = 600
"""Most characters of a quote that are shown outside of the text."""
_LABEL = 40
"""Most characters of a name in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEntity:
    """An entity of the page."""

    entity: Entity
    name: str
    kinds: tuple[str, ...]
    colour: int
    here: tuple[TextSpan, ...]
    """Its mentions in this text."""
    elsewhere: int
    """How many it has in other texts."""
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRelation:
    """A relation of the page."""

    relation: Relation
    subject: int | None
    """The number of its entity; None if the graph does not have it."""
    subject_name: str
    says: str
    object: int | None
    value: str
    """Its typed value, or the name of the entity."""
    here: tuple[TextSpan, ...]
    """Its quotes in this text."""

    @property
    def sentence(self) -> str:
        """The relation in words."""
        return f"{self.subject_name} · {self.says} · {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPart:
    """What the picture shows, by number, and how much it leaves out."""

    entities: frozenset[int]
    relations: frozenset[int]
    same: tuple[tuple[int, int], ...]
    """Pairs of entities that may be one thing."""
    left_out: str
    """What is missing, in words; empty if nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContents:
    """All of a page."""

    text: str
    entities: tuple[PageEntity, ...]
    relations: tuple[PageRelation, ...]
    drawn: DrawnPart

    def count_kinds(self) -> list[tuple[int, str, int]]:
        """Colour, label and number of drawn entities of each kind, for the legend."""
        shown = [self.entities[at] for at in sorted(self.drawn.entities)]
        counts = Counter(one.colour for one in shown)
        labels = {one.colour: one.kinds[0] for one in shown} | {COLOURS: "other kinds"}
        return [(colour, labels[colour], counts[colour]) for colour in sorted(counts)]


def collect_contents(result: GraphResult, ontology: Ontology, text: str) -> PageContents:
    """Number everything that a page shows."""
    numbers = {entity.id: at for at, entity in enumerate(result.entities)}
    colours = _choose_colours(result.entities)
    entities = tuple(
        _describe_entity(one, result, ontology, text, colours) for one in result.entities
    )
    relations = tuple(
        _describe_relation(one, numbers, entities, ontology, text, result.document)
        for one in result.relations
    )
    drawn = _choose_drawn(result, numbers)
    return PageContents(text=text, entities=entities, relations=relations, drawn=drawn)


def label_term(iri: str, ontology: Ontology) -> str:
    """Return the ontology's label for a class or a property; otherwise the end of its IRI."""
    known = ontology.classes.get(iri) or ontology.properties.get(iri)
    label = fold_line(known.label) if known is not None else ""
    end = iri.rstrip("/#").rsplit("/", 1)[-1].rsplit("#", 1)[-1]
    return label or fold_line(end) or fold_line(iri) or "?"


def is_quoted_here(span: TextSpan, text: str, document: str) -> bool:
    """Whether a span belongs to this text: its words are there, and it names no other text."""
    known = not span.document or not document or span.document == document
    return known and 0 <= span.start < span.end and text[span.start : span.end] == span.words


def _describe_value(value: Literal) -> str:
    return fold_line(f"{value.value} {value.unit}")


def _first_class_of(entity: Entity) -> str:
    return entity.types[0] if entity.types else ""


def _choose_colours(entities: tuple[Entity, ...]) -> dict[str, int]:
    """A colour for each first class, the most frequent ones first; the rest share the last."""
    counts = Counter(_first_class_of(entity) for entity in entities)
    ranked = sorted(counts, key=lambda iri: (-counts[iri], iri))
    return {iri: min(rank, COLOURS) for rank, iri in enumerate(ranked)}


def _describe_entity(
    entity: Entity, result: GraphResult, ontology: Ontology, text: str, colours: dict[str, int]
) -> PageEntity:
    here = tuple(one for one in entity.mentions if is_quoted_here(one, text, result.document))
    return PageEntity(
        entity=entity,
        name=fold_line(entity.name) or "?",
        kinds=tuple(label_term(iri, ontology) for iri in entity.types) or ("?",),
        colour=colours[_first_class_of(entity)],
        here=here,
        elsewhere=len(entity.mentions) - len(here),
        attributes=tuple(
            f"{label_term(one.predicate, ontology)}: {_describe_value(one.value)}"
            for one in entity.attributes
        ),
    )


def _describe_relation(
    one: Relation,
    numbers: dict[str, int],
    entities: tuple[PageEntity, ...],
    ontology: Ontology,
    text: str,
    document: str,
) -> PageRelation:
    def name(id_: str) -> str:
        return entities[numbers[id_]].name if id_ in numbers else fold_line(id_)

    is_value = isinstance(one.object, Literal)
    return PageRelation(
        relation=one,
        subject=numbers.get(one.subject),
        subject_name=name(one.subject),
        says=label_term(one.predicate, ontology),
        object=None if is_value else numbers.get(str(one.object)),
        value=_describe_value(one.object) if isinstance(one.object, Literal) else name(one.object),
        here=tuple(span for span in one.quotes if is_quoted_here(span, text, document)),
    )


def _choose_drawn(result: GraphResult, numbers: dict[str, int]) -> DrawnPart:
    """The best-connected entities, and the relations between them that the text supports."""
    supported = [
        at
        for at, one in enumerate(result.relations)
        if one.verdict is not RelationVerdict.UNGROUNDED
    ]
    between = [at for at in supported if isinstance(result.relations[at].object, str)]
    ends = Counter(
        end
        for one in map(result.relations.__getitem__, between)
        if one.object != one.subject
        for end in (one.subject, one.object)
    )
    ranked = sorted(result.entities, key=lambda one: (-ends[one.id], -len(one.mentions), one.id))
    drawn = {one.id for one in ranked[:MOST_NODES]}
    lines = [
        at
        for at in sorted(between, key=lambda at: _rank_relation(result.relations[at]))
        if drawn >= {result.relations[at].subject, result.relations[at].object}
    ][:MOST_LINES]
    same = {
        (min(numbers[one.id], numbers[other]), max(numbers[one.id], numbers[other]))
        for one in ranked[:MOST_NODES]
        for other in one.same_as
        if other in drawn and other != one.id
    }
    return DrawnPart(
        entities=frozenset(numbers[id_] for id_ in drawn),
        relations=frozenset(lines),
        same=tuple(sorted(same)),
        left_out=_describe_rest(
            len(numbers) - len(drawn),
            len(between) - len(lines),
            len(result.relations) - len(supported),
        ),
    )


def _rank_relation(relation: Relation) -> tuple[bool, float, str]:
    return relation.verdict is not RelationVerdict.GROUNDED, -relation.confidence, relation.id


def _describe_rest(entities: int, relations: int, ungrounded: int) -> str:
    parts = []
    if entities:
        parts.append(f"and {count_things(entities, 'more entity', 'more entities')}")
    if relations:
        parts.append(f"and {count_things(relations, 'more relation', 'more relations')}")
    if ungrounded:
        verb = "is" if ungrounded == 1 else "are"
        number = count_things(ungrounded, "relation", "relations")
        parts.append(f"{number} that the text does not support {verb} left out")
    return ", ".join(parts)


def build_values(contents: PageContents) -> dict[str, object]:
    """The contents as the script of the page reads them."""
    drawn = contents.drawn
    return {
        "entities": [
            _dump_entity(one, contents.text, at in drawn.entities)
            for at, one in enumerate(contents.entities)
        ],
        "relations": [
            _dump_relation(one, at in drawn.relations) for at, one in enumerate(contents.relations)
        ],
        "same": drawn.same,
    }


def dump_contents(contents: PageContents) -> str:
    """Write the contents as JSON that can be part of a page."""
    # Escaped, no character can end the surrounding element or begin another.
    return (
        json.dumps(build_values(contents), ensure_ascii=True, separators=(",", ":"))
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
    )


def _dump_entity(one: PageEntity, text: str, is_drawn: bool) -> dict[str, object]:
    return {
        "id": replace_unshowable(one.entity.id),
        "name": one.name,
        "label": shorten_line(one.name, _LABEL),
        "kinds": one.kinds,
        "colour": one.colour,
        "drawn": is_drawn,
        "mentions": [_dump_mention(span, text) for span in one.here],
        "elsewhere": one.elsewhere,
        "attributes": one.attributes,
    }


def _dump_mention(span: TextSpan, text: str) -> tuple[int, int, str, str, str]:
    before = text[max(0, span.start - _AROUND) : span.start]
    after = text[span.end : span.end + _AROUND]
    # On one line, but keep a space before or after the mention.
    left = fold_line(before) + (" " if before[-1:].isspace() else "")
    right = (" " if after[:1].isspace() else "") + fold_line(after)
    return span.start, span.end, left, fold_line(span.words)[:200], right


def _dump_relation(one: PageRelation, is_drawn: bool) -> dict[str, object]:
    here = set(one.here)
    confidence = one.relation.confidence
    return {
        "id": replace_unshowable(one.relation.id),
        "s": one.subject,
        "subject": one.subject_name,
        "p": one.says,
        "label": shorten_line(one.says, _LABEL),
        "o": one.object,
        "value": one.value,
        "drawn": is_drawn,
        "verdict": one.relation.verdict.value,
        # JSON has no infinity.
        "confidence": round(confidence, 2) if isfinite(confidence) else None,
        "by": fold_line(one.relation.by),
        "quotes": [
            [span.start if span in here else -1, span.end, fold_line(span.words)[:_QUOTE]]
            for span in one.relation.quotes
        ],
    }
