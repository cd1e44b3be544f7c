"""What a page holds, numbered: entities and relations with their places, for text and tables."""

import json
from dataclasses import dataclass
from math import isfinite

from assay.packs.graph.model import Entity, Literal, Relation, Span
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.picture.scene import colours_of, label_of, value_words
from assay.packs.graph.picture.spans import Stretch, stands_in
from assay.packs.graph.picture.words import line, showable
from assay.packs.graph.results import GraphResult

_AROUND = 32
"""Characters of the text that are shown on each side of a mention."""
_QUOTE = 600
"""Most characters of a quote that are shown outside of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """An entity of the page."""

    entity: Entity
    name: str
    kinds: tuple[str, ...]
    colour: int
    here: tuple[Span, ...]
    """Its mentions in this text."""
    elsewhere: int
    """How many it has in other texts."""
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A relation of the page."""

    relation: Relation
    subject: int | None
    """The number of its entity; None where the graph does not have it."""
    says: str
    object: int | None
    value: str
    """Its typed value, where it has no entity; else the name of the entity."""
    here: tuple[Span, ...]
    """Its quotes in this text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All of a page."""

    text: str
    things: tuple[Thing, ...]
    statements: tuple[Statement, ...]

    @property
    def mentions(self) -> list[Stretch]:
        return [
            Stretch(span.start, span.end, at)
            for at, thing in enumerate(self.things)
            for span in thing.here
        ]

    @property
    def quotes(self) -> list[Stretch]:
        return [
            Stretch(span.start, span.end, at)
            for at, one in enumerate(self.statements)
            for span in one.here
        ]

    def subject(self, one: Statement) -> str:
        return line(one.relation.subject) if one.subject is None else self.things[one.subject].name

    def sentence(self, one: Statement) -> str:
        """A relation in words."""
        return f"{self.subject(one)} · {one.says} · {one.value}"


def contents_of(result: GraphResult, ontology: Ontology, text: str) -> Contents:
    """Number everything that a page shows."""
    numbers = {entity.id: at for at, entity in enumerate(result.entities)}
    colours = colours_of(result.entities)
    things = tuple(_thing(one, result, ontology, text, colours) for one in result.entities)
    statements = tuple(
        _statement(one, numbers, things, ontology, text, result.document)
        for one in result.relations
    )
    return Contents(text=text, things=things, statements=statements)


def _thing(
    entity: Entity, result: GraphResult, ontology: Ontology, text: str, colours: dict[str, int]
) -> Thing:
    here = tuple(one for one in entity.mentions if stands_in(one, text, result.document))
    return Thing(
        entity=entity,
        name=line(entity.name) or "?",
        kinds=tuple(label_of(iri, ontology) for iri in entity.types) or ("?",),
        colour=colours[entity.types[0] if entity.types else ""],
        here=here,
        elsewhere=len(entity.mentions) - len(here),
        attributes=tuple(
            f"{label_of(one.predicate, ontology)}: {value_words(one.value)}"
            for one in entity.attributes
        ),
    )


def _statement(
    one: Relation,
    numbers: dict[str, int],
    things: tuple[Thing, ...],
    ontology: Ontology,
    text: str,
    document: str,
) -> Statement:
    target: int | None = None
    if isinstance(one.object, Literal):
        value = value_words(one.object)
    else:
        target = numbers.get(one.object)
        value = line(one.object) if target is None else things[target].name
    return Statement(
        relation=one,
        subject=numbers.get(one.subject),
        says=label_of(one.predicate, ontology),
        object=target,
        value=value,
        here=tuple(span for span in one.quotes if stands_in(span, text, document)),
    )


def data(contents: Contents) -> str:
    """The contents as JSON that can stand in a page."""
    told = {
        "entities": [_told_thing(one, contents.text) for one in contents.things],
        "relations": [_told_statement(one, contents) for one in contents.statements],
    }
    # No character of it can end the element that it stands in, or begin another.
    return (
        json.dumps(told, ensure_ascii=True, separators=(",", ":"))
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
    )


def _told_thing(thing: Thing, text: str) -> dict[str, object]:
    return {
        "id": showable(thing.entity.id),
        "name": thing.name,
        "kinds": thing.kinds,
        "colour": thing.colour,
        "mentions": [_told_mention(span, text) for span in thing.here],
        "elsewhere": thing.elsewhere,
        "attributes": thing.attributes,
    }


def _told_mention(span: Span, text: str) -> tuple[int, int, str, str, str]:
    before, after = (
        text[max(0, span.start - _AROUND) : span.start],
        text[span.end : span.end + _AROUND],
    )
    # On one line, but a mention that begins after a space still does.
    led = line(before) + (" " if before[-1:].isspace() else "")
    followed = (" " if after[:1].isspace() else "") + line(after)
    return span.start, span.end, led, line(span.words)[:200], followed


def _number(value: float) -> float | None:
    """For JSON, which knows no infinity."""
    return round(value, 2) if isfinite(value) else None


def _told_statement(one: Statement, contents: Contents) -> dict[str, object]:
    here = set(one.here)
    return {
        "id": showable(one.relation.id),
        "s": one.subject,
        "subject": contents.subject(one),
        "p": one.says,
        "o": one.object,
        "value": one.value,
        "verdict": one.relation.verdict.value,
        "confidence": _number(one.relation.confidence),
        "by": line(one.relation.by),
        "quotes": [
            [span.start if span in here else -1, span.end, line(span.words)[:_QUOTE]]
            for span in one.relation.quotes
        ],
    }
