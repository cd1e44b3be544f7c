"""Leaves out relations that the text denies, supposes, reports, asks or wishes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from assay.packs.graph.asking.items import refuse_claim
from assay.packs.graph.asking.quoting import find_equal_values, find_places
from assay.packs.graph.model import Entity, Literal, Refusal, RefusedClaim, Relation, TextSpan
from assay.sdk.reading import STATEMENT_LANGUAGES, identify_language, judge_quote


@lru_cache(maxsize=8)
def choose_language(text: str) -> str:
    """The language whose cues are used; a text too short to tell is read as English, like the
    labels of most ontologies."""
    found = identify_language(text).code
    return found if found in STATEMENT_LANGUAGES or found != "und" else "en"


def split_asserted(
    relations: Iterable[Relation], entities: Sequence[Entity], text: str, document: str
) -> tuple[tuple[Relation, ...], tuple[RefusedClaim, ...]]:
    """The relations with the quotes that assert them, and those that no quote asserts."""
    by_id = {entity.id: entity for entity in entities}
    language = choose_language(text)
    kept: list[Relation] = []
    refused: list[RefusedClaim] = []
    for relation in relations:
        cues = [_find_cue(relation, quote, by_id, text, language) for quote in relation.quotes]
        quotes = tuple(
            quote
            for quote, cue in zip(relation.quotes, cues, strict=True)
            if not cue or quote.document != document
        )
        if quotes or not relation.quotes:
            kept.append(replace(relation, quotes=quotes))
            continue
        claim = (_name(relation.subject, by_id), relation.predicate, _name(relation.object, by_id))
        detail = f"The text does not assert it ({cues[0]})."
        refused.append(refuse_claim(Refusal.NOT_ASSERTED, detail, *claim))
    return tuple(kept), tuple(refused)


def _find_cue(
    relation: Relation,
    quote: TextSpan,
    entities: Mapping[str, Entity],
    text: str,
    language: str,
) -> str:
    """What shows that a quote does not assert a relation; empty if it does."""
    found = judge_quote(
        text, quote.start, quote.end, _list_object_places(relation, quote, entities), language
    )
    return "" if found.is_asserted else f"{found.mode.value}: '{found.cue}'"


def _list_object_places(
    relation: Relation, quote: TextSpan, entities: Mapping[str, Entity]
) -> list[tuple[int, int]]:
    """Where a quote has the object; if it does not, where it has the subject."""
    if isinstance(relation.object, Literal):
        own = find_equal_values(relation.object, quote.words)
        own = own or tuple(find_places(relation.object.value, quote.words))
        if own:
            return [(quote.start + start, quote.start + end) for start, end in own]
    ends = (relation.object, relation.subject)
    for entity in (entities.get(end) for end in ends if isinstance(end, str)):
        here = [
            (span.start, span.end)
            for span in (entity.mentions if entity else ())
            if span.document == quote.document
            and quote.start <= span.start
            and span.end <= quote.end
        ]
        if here:
            return here
    # Neither end is known by a name of its own: what the quote ends with decides.
    return [(max(quote.start, quote.end - 2), quote.end)]


def _name(end: str | Literal, entities: Mapping[str, Entity]) -> str:
    if isinstance(end, Literal):
        return end.value
    return entities[end].name if end in entities else end
