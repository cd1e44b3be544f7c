"""Relations of a graph as proposed facts, which pass every gate like those of any other pack."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from assay.packs.graph.model import (
    DETERMINISTIC,
    Entity,
    Graph,
    Literal,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.predicates import (
    DATE,
    NAME,
    NUMBER,
    YEAR,
    name_predicates,
    slug_of,
    type_of,
)
from assay.sdk.facts import ProposedFact, format_number, is_date, is_value_in_quote

DOMAIN = "graph"
MOST_UNVERIFIED = 0.84
"""The highest confidence of an unverified model claim: whatever further sources add, it stays below
the level at which no review is needed."""

_TIMES = {"h": "hours", "d": "days", "wk": "weeks", "mo": "months", "a": "years"}
"""Time units as the gates name them."""
_DURATION = re.compile(r"P(?:([0-9]+)Y|([0-9]+)M|([0-9]+)W|([0-9]+)D|T([0-9]+)H)")
_DURATION_UNITS = ("years", "months", "weeks", "days", "hours")


def propose_facts(graph: Graph, ontology: Ontology, text: str) -> list[ProposedFact]:
    """Propose a fact for each relation that is not ungrounded, for each sentence that states it.

    The value is written as in the quote: if a sentence has only a pronoun for it, another sentence
    must support the relation.
    """
    predicates = name_predicates(ontology)
    entities = {entity.id: entity for entity in graph.entities}
    found: list[ProposedFact] = []
    for relation in graph.relations:
        predicate = predicates.get(relation.predicate)
        subject = entities.get(relation.subject)
        if relation.verdict is RelationVerdict.UNGROUNDED or predicate is None or subject is None:
            continue
        claims = list(_propose_from_relation(relation, subject, predicate, entities, text))
        quoted = [claim for claim in claims if _is_in_quote(claim)]
        # If no quote contains the value, propose it once anyway: the gates record the reason.
        found += quoted or claims[:1]
    return found


def _propose_from_relation(
    relation: Relation,
    subject: Entity,
    predicate: str,
    entities: Mapping[str, Entity],
    text: str,
) -> Iterator[ProposedFact]:
    for quote in relation.quotes:
        words = text[quote.start : quote.end]
        converted = _convert_value(relation.object, entities, quote, words)
        if converted is None:
            continue
        value, value_type, unit = converted
        yield ProposedFact(
            domain=DOMAIN,
            subject=slug_of(subject.name),
            predicate=predicate,
            value=value,
            value_type=value_type,
            unit=unit,
            quote=words,
            start=quote.start,
            confidence=_rate_confidence(relation),
        )


def _is_in_quote(claim: ProposedFact) -> bool:
    return is_value_in_quote(claim.value, claim.value_type, claim.unit, claim.quote)


def _rate_confidence(relation: Relation) -> float:
    if relation.verdict is RelationVerdict.GROUNDED or relation.by == DETERMINISTIC:
        return relation.confidence
    return min(relation.confidence, MOST_UNVERIFIED)


def _convert_value(
    value: str | Literal, entities: Mapping[str, Entity], quote: TextSpan, words: str
) -> tuple[str, str, str] | None:
    """Return value, type and unit as the gates expect them."""
    if isinstance(value, Literal):
        return _convert_literal(value)
    entity = entities.get(value)
    return None if entity is None else (_choose_name(entity, quote, words), NAME, "")


def _choose_name(entity: Entity, quote: TextSpan, words: str) -> str:
    """Choose its usual name if the quote contains it, otherwise its longest mention there."""
    here = {
        " ".join(mention.words.split())
        for mention in entity.mentions
        if mention.document == quote.document
        and quote.start <= mention.start
        and mention.end <= quote.end
    }
    for name in (entity.name, *sorted(here, key=lambda name: (-len(name), name))):
        if is_value_in_quote(name, NAME, "", words):
            return name
    return entity.name


def _convert_literal(literal: Literal) -> tuple[str, str, str]:
    kind = type_of(literal.datatype)
    if kind == DATE and is_date(literal.value[:10]):
        return literal.value[:10], DATE, ""
    if kind == YEAR:
        return literal.value, YEAR, ""
    if kind == NUMBER and (duration := _DURATION.fullmatch(literal.value)) is not None:
        ((amount, unit),) = (
            (given, name)
            for given, name in zip(duration.groups(), _DURATION_UNITS, strict=True)
            if given is not None
        )
        return str(int(amount)), NUMBER, unit
    if kind == NUMBER:
        try:
            number = format_number(Decimal(literal.value))
        except InvalidOperation:
            return literal.value, NAME, ""
        return number, NUMBER, _TIMES.get(literal.unit, "_".join(literal.unit.split()))
    return " ".join(literal.value.split()), NAME, ""
