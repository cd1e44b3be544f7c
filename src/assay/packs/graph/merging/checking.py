"""The check of a relation without a model: its words stand where they should, and it may be."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from assay.packs.graph.chunking import sentences
from assay.packs.graph.literals import fitted, literals_in
from assay.packs.graph.literals.datatypes import STRING
from assay.packs.graph.model import Entity, Literal, Relation, Span, Verdict
from assay.packs.graph.ontology.model import Ontology, Takes
from assay.sdk.facts import folded


def checked(
    relation: Relation,
    entities: Mapping[str, Entity],
    ontology: Ontology,
    texts: Mapping[str, str],
) -> Relation:
    """The relation with its verdict.

    It is grounded where every quote stands in its text, what it is about is spoken of in one of
    them, and the ontology allows it. One end may be spoken of in the sentence before or after.
    `texts` has each document by its hash.
    """
    subject = entities.get(relation.subject)
    grounded = (
        subject is not None
        and bool(relation.quotes)
        and all(_stands(quote, texts) for quote in relation.quotes)
        and _allowed(relation, subject, entities, ontology)
        and any(_speaks(quote, relation, subject, entities, texts) for quote in relation.quotes)
    )
    verdict = Verdict.GROUNDED if grounded else Verdict.UNGROUNDED
    return replace(relation, verdict=verdict)


def _stands(quote: Span, texts: Mapping[str, str]) -> bool:
    text = texts.get(quote.document)
    return text is not None and bool(quote.words) and text[quote.start : quote.end] == quote.words


def _allowed(
    relation: Relation, subject: Entity, entities: Mapping[str, Entity], ontology: Ontology
) -> bool:
    told = relation.object
    if isinstance(told, str):
        object_ = entities.get(told)
        return object_ is not None and ontology.fits(
            relation.predicate, subject.types, object_.types
        )
    known = ontology.properties.get(relation.predicate)
    if known is None or known.takes is Takes.ENTITY:
        return False
    if not ontology.are(subject.types, known.domains):
        return False
    if known.datatype is None:
        return True
    fits = fitted((told,), told.value, known.datatype)
    return fits is not None and fits.datatype == told.datatype


def _speaks(
    quote: Span,
    relation: Relation,
    subject: Entity,
    entities: Mapping[str, Entity],
    texts: Mapping[str, str],
) -> bool:
    """Whether a quote speaks of both ends, one of them perhaps in a sentence beside it."""
    start, end = _with_neighbours(texts[quote.document], quote.start, quote.end)
    wide = replace(quote, start=start, end=end)
    if isinstance(relation.object, Literal):
        return _tells(quote.words, relation.object) and _mentions(subject, wide)
    ends = (subject, entities[relation.object])
    return any(_mentions(one, quote) for one in ends) and all(_mentions(one, wide) for one in ends)


def _mentions(entity: Entity, stretch: Span) -> bool:
    return any(
        mention.document == stretch.document
        and stretch.start <= mention.start
        and mention.end <= stretch.end
        for mention in entity.mentions
    )


def _tells(words: str, literal: Literal) -> bool:
    """Whether the value stands in the words."""
    if literal.datatype == STRING:
        value = re.escape(folded(literal.value).casefold())
        return re.search(rf"(?<!\w){value}(?!\w)", folded(words).casefold()) is not None
    return any(
        read.value == literal.value and literal.unit in ("", read.unit)
        for found in literals_in(words)
        for read in (found.as_(literal.datatype), *found.readings)
        if read is not None and read.datatype == literal.datatype
    )


def _with_neighbours(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch with the sentence before it and the one after it."""
    starts, ends = _sentences_of(text)
    first = max(0, bisect_right(starts, start) - 2)
    last = min(len(ends) - 1, bisect_left(ends, end) + 1)
    return min(start, starts[first]), max(end, ends[last])


@lru_cache(maxsize=8)
def _sentences_of(text: str) -> tuple[list[int], list[int]]:
    found: Iterable[tuple[int, int]] = sentences(text)
    starts, ends = zip(*found, strict=True) if found else ((0,), (0,))
    return list(starts), list(ends)
