"""What a graph is made of: chunks, mentions, entities, literals, relations. Values only.

Every place counts in characters of the text that was given: `text[start:end]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class TextSpan:
    """A stretch of a text, in its own words: `text[start:end] == words`."""

    start: int
    end: int
    words: str
    document: str = ""
    """The hash of the text that it stands in."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of whole sentences that is read at a time."""

    index: int
    start: int
    end: int
    text: str
    sentences: tuple[tuple[int, int], ...] = ()
    """Where each sentence begins and ends, counted in the whole text."""


@dataclass(frozen=True, slots=True, order=True)
class Literal:
    """A value with its type, which the ontology or the words beside it tell; never its look."""

    value: str
    """In the canonical form of its datatype: `2001-05-03`, `250`, `39.5`, or words."""
    datatype: str
    """The IRI of an XSD type."""
    unit: str = ""
    """As it is written in UCUM or ISO 4217 where it is known (`m`, `km2`, `EUR`), else in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A typed value that was told of an entity together with it."""

    predicate: str
    value: Literal
    span: TextSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing that the text speaks of."""

    id: str
    """Follows from its name and types, see `ids.entity_id`."""
    name: str
    """Its fullest mention, white space folded."""
    types: tuple[str, ...]
    """IRIs of its classes, the most specific ones, sorted; one at least."""
    mentions: tuple[TextSpan, ...]
    """Sorted; one at least."""
    attributes: tuple[Attribute, ...] = ()
    same_as: tuple[str, ...] = ()
    """Other entities that are taken for the same thing and kept apart."""
    confidence: float = 1.0


class RelationVerdict(StrEnum):
    """Whether the text bears a relation out."""

    GROUNDED = "grounded"
    UNGROUNDED = "ungrounded"
    """It was checked and not found, or the check did not speak of it."""
    UNVERIFIED = "unverified"
    """Nobody has checked it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What the text says of an entity."""

    id: str
    """Follows from subject, predicate and object, see `ids.relation_id`."""
    subject: str
    """The id of an entity."""
    predicate: str
    """The IRI of a property of the ontology."""
    object: str | Literal
    """The id of an entity, or a typed value."""
    quotes: tuple[TextSpan, ...]
    """The sentences that state it, sorted; one at least."""
    verdict: RelationVerdict = RelationVerdict.UNVERIFIED
    confidence: float = 1.0
    by: str = ""
    """Who found it: `deterministic@1`, or the provider and model."""


class Refusal(StrEnum):
    """Why a claim of an extractor is not in the graph."""

    NOT_VALID = "NOT_VALID"
    """It does not have the shape that was asked for."""
    UNKNOWN_CLASS = "UNKNOWN_CLASS"
    UNKNOWN_PROPERTY = "UNKNOWN_PROPERTY"
    NO_SUCH_ENTITY = "NO_SUCH_ENTITY"
    NOT_IN_TEXT = "NOT_IN_TEXT"
    """Its words do not stand in the text."""
    WRONG_DOMAIN = "WRONG_DOMAIN"
    WRONG_RANGE = "WRONG_RANGE"
    WRONG_LITERAL = "WRONG_LITERAL"
    """The value is none of the type that the property takes."""
    ONE_ENTITY = "ONE_ENTITY"
    """Its two ends turned out to be one and the same thing."""


@dataclass(frozen=True, slots=True, order=True)
class RefusedClaim:
    """A claim that was turned away, in its own words."""

    reason: Refusal
    detail: str
    """One sentence."""
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphConflict:
    """Two things in the graph that cannot both hold, or that could not be told apart."""

    kind: str
    """`types`: one name, kinds that exclude each other. `values`: a property that has one value
    at most has several. `ambiguous`: a mention that could be either of two things."""
    subject: str
    predicate: str = ""
    between: tuple[str, ...] = ()
    """Ids of entities or of relations."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Entities and relations, each sorted by id, with what was turned away."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    refused: tuple[RefusedClaim, ...] = ()
    conflicts: tuple[GraphConflict, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)
    """Ids that were given up for others when entities were found to be the same: old → new."""
    before: "Graph | None" = None
    """What a merge changed, as it was: a later merge, which knows more, decides anew."""


DETERMINISTIC = "deterministic@1"
"""The extractor that asks no model; raised with whatever makes it find something else."""
