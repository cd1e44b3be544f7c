"""Whether a text bears relations out: what a model is asked, and what its verdicts are worth.

An answer can stand under a wrong number. So a verdict counts only where its own words pick out the
relation that it is for: they stand in a sentence of it and touch its ends, and any other relation
of the batch that they may be about is upheld too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.packs.graph.asking.items import AskedVerdict
from assay.packs.graph.asking.names import cut_local_name
from assay.packs.graph.asking.quoting import (
    Place,
    are_adjacent,
    do_overlap,
    find_any_place,
    find_equal_values,
    find_places,
)
from assay.packs.graph.asking.wording import describe_end, load_prompt, shorten_words
from assay.packs.graph.ids import fold_name
from assay.packs.graph.model import Entity, Literal, Relation, RelationVerdict
from assay.packs.graph.ontology.model import Ontology
from assay.sdk.models import ModelRequest

BATCH = 5
"""Most statements of one question; a small model loses count of more."""
_LONGEST_QUOTE = 400
"""Characters of a sentence that are shown."""
_LONGEST_WORDS = 1_000
_MOST_MENTIONS = 40
_OBJECT, _SUBJECT = (6, 2), (4, 1)
"""What it is worth to have an end's words, and to stand beside them: objects differ more than
subjects in what is said of one thing, and words are nearer than their neighbours."""


@dataclass(frozen=True, slots=True)
class _Statement:
    relation: Relation
    quotes: tuple[str, ...]
    """Those that stand in the text."""
    subject: tuple[str, ...]
    """The words by which it is spoken of."""
    object: tuple[str, ...]


def batch_relations(relations: Sequence[Relation], most: int = BATCH) -> list[tuple[Relation, ...]]:
    """Relations in the batches in which they are best verified.

    Two with the same ends are not asked for together, as no words could tell them apart; the order
    is kept otherwise, in which those of one sentence stand together.
    """
    made: list[list[Relation]] = []
    for relation in relations:
        ends = _ends_of(relation)
        free = (
            batch
            for batch in made[-3:]
            if len(batch) < most and all(_ends_of(other) != ends for other in batch)
        )
        batch = next(free, None)
        if batch is None:
            made.append([relation])
        else:
            batch.append(relation)
    return [tuple(batch) for batch in made]


def build_grounding_request(
    batch: Sequence[Relation],
    entities: Mapping[str, Entity],
    ontology: Ontology,
    max_tokens: int,
) -> ModelRequest:
    """The question which of these statements their sentences say; numbered from 1."""
    quotes = dict.fromkeys(
        _shorten_quote(quote.words, relation, entities)
        for relation in batch
        for quote in sorted(relation.quotes)
    )
    statements = (
        f"{number}. {describe_end(one.subject, entities)} — {_label_property(one, ontology)}"
        f" → {_describe_object(one, entities)}"
        for number, one in enumerate(batch, start=1)
    )
    return load_prompt("grounding").build_request(
        max_tokens=max_tokens,
        values={"text": "\n".join(quotes), "statements": "\n".join(statements)},
    )


def apply_verdicts(
    batch: Sequence[Relation],
    verdicts: Sequence[AskedVerdict],
    text: str,
    entities: Mapping[str, Entity],
    threshold: float,
) -> list[Relation]:
    """The relations with their verdicts, in their order; what is not borne out is ungrounded."""
    statements = [_build_statement(one, text, entities) for one in batch]
    said: list[list[AskedVerdict]] = [
        [verdict for verdict in verdicts if verdict.n == number]
        for number in range(1, len(batch) + 1)
    ]
    standing = _find_upheld(said, statements, threshold)
    return [
        _mark_grounded(one, own) if stands else replace(one, verdict=RelationVerdict.UNGROUNDED)
        for one, own, stands in zip(batch, said, standing, strict=True)
    ]


def _find_upheld(
    said: Sequence[Sequence[AskedVerdict]], statements: Sequence[_Statement], threshold: float
) -> list[bool]:
    """Which statements have answers that all uphold them, and that are about them.

    One that falls may take others with it, which nothing but its verdict held apart from it.
    """
    reach = [[_rate_fits(answer, statements) for answer in own] for own in said]
    standing = [_is_upheld_by_all(own, threshold) for own in said]
    while True:
        left = [
            stands and all(_is_for(place, answer, standing) for answer in reach[place])
            for place, stands in enumerate(standing)
        ]
        if left == standing:
            return standing
        standing = left


def _mark_grounded(relation: Relation, said: Sequence[AskedVerdict]) -> Relation:
    confidence = min(relation.confidence, *(verdict.confidence for verdict in said))
    return replace(relation, verdict=RelationVerdict.GROUNDED, confidence=confidence)


def _is_upheld_by_all(said: Sequence[AskedVerdict], threshold: float) -> bool:
    return bool(said) and all(one.supported and one.confidence >= threshold for one in said)


def _rate_fits(answer: AskedVerdict, statements: Sequence[_Statement]) -> list[int]:
    """How well an answer fits each statement; nothing where it repeats another object, or where
    its words are in none of the sentences."""
    told = fold_name(answer.object[:_LONGEST_WORDS])
    if len(answer.words) > _LONGEST_WORDS:
        return [0] * len(statements)
    return [
        _rate_fit(answer.words, statement) if not told or _repeats_object(told, statement) else 0
        for statement in statements
    ]


def _is_for(place: int, reach: Sequence[int], standing: Sequence[bool]) -> bool:
    """Whether an answer is about the statement under whose number it stands, or, if it is about
    another, does no harm there.

    Whoever it may be about, having its object or fitting it as well, must stand too: then, however
    the numbers were mixed up, all that changed places are upheld.
    """
    own = reach[place]
    return own > 0 and all(
        standing[at]
        for at, other in enumerate(reach)
        if at != place and (other >= own or other >= _OBJECT[0])
    )


def _repeats_object(told: str, statement: _Statement) -> bool:
    """Whether it is the object of a statement that was repeated, or a part of it, or a little
    more: `Wheeler, Texas`."""
    padded = f" {told} "
    own = {f" {fold_name(words)} " for words in statement.object} - {"  "}
    return any(padded in words or words in padded.replace(",", "") for words in own)


def _rate_fit(words: str, statement: _Statement) -> int:
    """How much of a statement words touch, where they stand in a sentence of it."""
    return max(
        (
            _rate_touch(place, quote, statement.object, _OBJECT)
            + _rate_touch(place, quote, statement.subject, _SUBJECT)
            for quote in statement.quotes
            for place in find_places(words, quote)
        ),
        default=0,
    )


def _rate_touch(place: Place, quote: str, words: Sequence[str], worth: tuple[int, int]) -> int:
    """What it is worth that a stretch has any of these words, or stands beside them."""
    ends = find_any_place(words, quote)
    if any(do_overlap(place, end) for end in ends):
        # A name alone says nothing of what is said of it.
        named_only = worth is _SUBJECT and any(a <= place[0] and place[1] <= b for a, b in ends)
        return 0 if named_only else worth[0]
    return worth[1] if any(are_adjacent(place, end, quote) for end in ends) else 0


def _build_statement(relation: Relation, text: str, entities: Mapping[str, Entity]) -> _Statement:
    quotes = tuple(quote.words for quote in relation.quotes if quote.words in text)
    object_ = _words_of(relation.object, entities)
    if isinstance(relation.object, Literal):
        written = (
            quote[slice(*at)]
            for quote in quotes
            for at in find_equal_values(relation.object, quote)
        )
        object_ = (*object_, *written)
    return _Statement(
        relation,
        (*quotes, *_join_adjacent_quotes(relation, text)),
        _words_of(relation.subject, entities),
        tuple(dict.fromkeys(object_)),
    )


def _join_adjacent_quotes(relation: Relation, text: str) -> Iterator[str]:
    """Sentences that follow each other, for words that go across."""
    if len(relation.quotes) != 2:
        return
    first, last = sorted(relation.quotes)
    if first.end <= last.start and not text[first.end : last.start].strip():
        yield text[first.start : last.end]


def _words_of(end: str | Literal, entities: Mapping[str, Entity]) -> tuple[str, ...]:
    if isinstance(end, Literal):
        return tuple(dict.fromkeys((f"{end.value} {end.unit}".strip(), end.value)))
    known = entities.get(end)
    if known is None:
        return ()
    mentions = (span.words for span in known.mentions[:_MOST_MENTIONS])
    return tuple(dict.fromkeys((known.name, *mentions)))


def _shorten_quote(quote: str, relation: Relation, entities: Mapping[str, Entity]) -> str:
    """A sentence; of a very long one the part around what it is quoted for."""
    if len(quote) > _LONGEST_QUOTE:
        ends = _words_of(relation.object, entities), _words_of(relation.subject, entities)
        found = (find_any_place(words, quote) for words in ends)
        start = next((at[0][0] for at in found if at), 0) - _LONGEST_QUOTE // 2
        # From the beginning of a word.
        quote = quote if start <= 0 else "…" + quote[quote.find(" ", start) :]
    return shorten_words(quote, _LONGEST_QUOTE)


def _describe_object(relation: Relation, entities: Mapping[str, Entity]) -> str:
    """A value in the words of the text: a model copies what it is shown."""
    if isinstance(relation.object, Literal):
        for quote in sorted(relation.quotes):
            for start, end in find_equal_values(relation.object, quote.words):
                return shorten_words(quote.words[start:end])
    return describe_end(relation.object, entities)


def _label_property(relation: Relation, ontology: Ontology) -> str:
    known = ontology.properties.get(relation.predicate)
    return shorten_words(cut_local_name(relation.predicate) if known is None else known.label)


def _ends_of(relation: Relation) -> frozenset[str | Literal]:
    return frozenset((relation.subject, relation.object))
