"""The parts of a graph: chunks, mentions, entities, literals, relations. Values only.

Every position counts characters of the original text: `text[start:end]`.
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
    """The hash of the text that contains it."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole sentences that is read in one go."""

    index: int
    start: int
    end: int
    text: str
    sentences: tuple[tuple[int, int], ...] = ()
    """Where each sentence begins and ends, as positions in the whole text."""


@dataclass(frozen=True, slots=True, order=True)
class Literal:
    """A value with its type, which comes from the ontology or the words next to it, never from how
    the value looks."""

    value: str
    """In the canonical form of its datatype: `2001-05-03`, `250`, `39.5`, or words."""
    datatype: str
    """The IRI of an XSD type."""
    unit: str = ""
    """In UCUM or ISO 4217 if it is known (`m`, `km2`, `EUR`), otherwise in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A typed value that was reported together with its entity."""

    predicate: str
    value: Literal
    span: TextSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing that the text mentions."""

    id: str
    """Derived from its name and types; see `ids.derive_entity_id`."""
    name: str
    """Its fullest mention, with white space collapsed."""
    types: tuple[str, ...]
    """IRIs of its most specific classes, sorted; at least one."""
    mentions: tuple[TextSpan, ...]
    """Sorted; at least one."""
    attributes: tuple[Attribute, ...] = ()
    same_as: tuple[str, ...] = ()
    """Other entities that are probably the same thing but are kept separate."""
    confidence: float = 1.0


class RelationVerdict(StrEnum):
    """Whether the text supports a relation."""

    GROUNDED = "grounded"
    UNGROUNDED = "ungrounded"
    """It was checked and not found, or the check did not cover it."""
    UNVERIFIED = "unverified"
    """Nobody has checked it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What the text says of an entity."""

    id: str
    """Derived from subject, predicate and object; see `ids.derive_relation_id`."""
    subject: str
    """The id of an entity."""
    predicate: str
    """The IRI of a property of the ontology."""
    object: str | Literal
    """The id of an entity, or a typed value."""
    quotes: tuple[TextSpan, ...]
    """The sentences that state it, sorted; at least one."""
    verdict: RelationVerdict = RelationVerdict.UNVERIFIED
    confidence: float = 1.0
    by: str = ""
    """What found it: `deterministic@1`, or the provider and model."""


class Refusal(StrEnum):
    """Why an extractor's claim is not in the graph."""

    NOT_VALID = "NOT_VALID"
    """It does not have the requested shape."""
    UNKNOWN_CLASS = "UNKNOWN_CLASS"
    UNKNOWN_PROPERTY = "UNKNOWN_PROPERTY"
    NO_SUCH_ENTITY = "NO_SUCH_ENTITY"
    NOT_IN_TEXT = "NOT_IN_TEXT"
    """Its words are not found in the text."""
    WRONG_DOMAIN = "WRONG_DOMAIN"
    WRONG_RANGE = "WRONG_RANGE"
    WRONG_LITERAL = "WRONG_LITERAL"
    """The value does not have the type that the property takes."""
    NOT_ASSERTED = "NOT_ASSERTED"
    """Its sentences deny, suppose, report, ask or wish it."""
    ONE_ENTITY = "ONE_ENTITY"
    """Its subject and object turned out to be the same thing."""


@dataclass(frozen=True, slots=True, order=True)
class RefusedClaim:
    """A rejected claim, in its own words."""

    reason: Refusal
    detail: str
    """One sentence."""
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphConflict:
    """Two things in the graph that cannot both be true, or that could not be distinguished."""

    kind: str
    """`types`: one name with mutually exclusive kinds. `values`: several values of a property that
    allows at most one. `ambiguous`: a mention that could be either of two things."""
    subject: str
    predicate: str = ""
    between: tuple[str, ...] = ()
    """Ids of entities or of relations."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Entities and relations, each sorted by id, with the claims that were rejected."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    refused: tuple[RefusedClaim, ...] = ()
    conflicts: tuple[GraphConflict, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)
    """Ids that were replaced when entities were found to be the same: old → new."""
    before: "Graph | None" = None
    """The originals of what a merge changed: a later merge, which knows more, decides again."""


DETERMINISTIC = "deterministic@1"
"""The extractor that asks no model. Raise the version whenever a change affects what it finds."""
