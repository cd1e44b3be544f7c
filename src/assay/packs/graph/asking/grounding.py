"""Whether a text supports relations: what a model is asked, and how its verdicts are checked.

An answer can have the wrong number. A verdict therefore counts only if its own words identify the
relation: they are in one of its sentences and touch its subject or object, and any other relation
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
"""Most statements in one request; a small model loses count of more."""
_LONGEST_QUOTE = 400
"""Most characters of a sentence that are shown."""
_LONGEST_WORDS = 1_000
_MOST_MENTIONS = 40
_OBJECT, _SUBJECT = (6, 2), (4, 1)
"""Points for containing the words of an object or subject, and for being next to them: objects vary
more than subjects in what is said about one thing, and containing is better than adjoining."""


@dataclass(frozen=True, slots=True)
class _Statement:
    relation: Relation
    quotes: tuple[str, ...]
    """Those that are found in the text."""
    subject: tuple[str, ...]
    """The words that refer to it."""
    object: tuple[str, ...]


def batch_relations(relations: Sequence[Relation], most: int = BATCH) -> list[tuple[Relation, ...]]:
    """Group relations into batches for verification.

    Two with the same ends are never in one batch, because no words could tell them apart. Otherwise
    the order is kept, which keeps those of one sentence together.
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
    """Ask which of these statements their sentences support; numbered from 1."""
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
    """Return the relations with their verdicts, in order; what is not supported is ungrounded."""
    statements = [_build_statement(one, text, entities) for one in batch]
    answers: list[list[AskedVerdict]] = [
        [verdict for verdict in verdicts if verdict.n == number]
        for number in range(1, len(batch) + 1)
    ]
    standing = _find_upheld(answers, statements, threshold)
    return [
        _mark_grounded(one, own) if stands else replace(one, verdict=RelationVerdict.UNGROUNDED)
        for one, own, stands in zip(batch, answers, standing, strict=True)
    ]


def _find_upheld(
    answers: Sequence[Sequence[AskedVerdict]], statements: Sequence[_Statement], threshold: float
) -> list[bool]:
    """Find the statements whose answers all uphold them and are about them.

    One that falls may bring down others that only its verdict distinguished from it.
    """
    reach = [[_rate_fits(answer, statements) for answer in own] for own in answers]
    standing = [_is_upheld_by_all(own, threshold) for own in answers]
    while True:
        left = [
            stands and all(_is_for(place, answer, standing) for answer in reach[place])
            for place, stands in enumerate(standing)
        ]
        if left == standing:
            return standing
        standing = left


def _mark_grounded(relation: Relation, answers: Sequence[AskedVerdict]) -> Relation:
    confidence = min(relation.confidence, *(verdict.confidence for verdict in answers))
    return replace(relation, verdict=RelationVerdict.GROUNDED, confidence=confidence)


def _is_upheld_by_all(answers: Sequence[AskedVerdict], threshold: float) -> bool:
    return bool(answers) and all(one.supported and one.confidence >= threshold for one in answers)


def _rate_fits(answer: AskedVerdict, statements: Sequence[_Statement]) -> list[int]:
    """Rate how well an answer fits each statement; 0 if it repeats another object, or if its words
    are in none of the sentences."""
    repeated = fold_name(answer.object[:_LONGEST_WORDS])
    if len(answer.words) > _LONGEST_WORDS:
        return [0] * len(statements)
    return [
        _rate_fit(answer.words, statement)
        if not repeated or _repeats_object(repeated, statement)
        else 0
        for statement in statements
    ]


def _is_for(place: int, reach: Sequence[int], standing: Sequence[bool]) -> bool:
    """Whether an answer is about the statement whose number it has, or is harmless if it is about
    another.

    Every statement that it may be about, because it contains the object or fits as well, must be
    upheld too: then, however the numbers were mixed up, all swapped statements are upheld.
    """
    own = reach[place]
    return own > 0 and all(
        standing[at]
        for at, other in enumerate(reach)
        if at != place and (other >= own or other >= _OBJECT[0])
    )


def _repeats_object(repeated: str, statement: _Statement) -> bool:
    """Whether the answer repeated the object of a statement, or a part of it, or a little more:
    `Wheeler, Texas`."""
    padded = f" {repeated} "
    own = {f" {fold_name(words)} " for words in statement.object} - {"  "}
    return any(padded in words or words in padded.replace(",", "") for words in own)


def _rate_fit(words: str, statement: _Statement) -> int:
    """Rate how much of a statement the words touch in one of its sentences."""
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
    """Rate that a stretch contains any of these words, or is next to them."""
    ends = find_any_place(words, quote)
    if any(do_overlap(place, end) for end in ends):
        # A name alone says nothing about the statement.
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
    """Join two consecutive sentences, for words that cross their boundary."""
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
    """Shorten a very long sentence to the part around what it is quoted for."""
    if len(quote) > _LONGEST_QUOTE:
        ends = _words_of(relation.object, entities), _words_of(relation.subject, entities)
        found = (find_any_place(words, quote) for words in ends)
        start = next((at[0][0] for at in found if at), 0) - _LONGEST_QUOTE // 2
        # From the beginning of a word.
        quote = quote if start <= 0 else "…" + quote[quote.find(" ", start) :]
    return shorten_words(quote, _LONGEST_QUOTE)


def _describe_object(relation: Relation, entities: Mapping[str, Entity]) -> str:
    """Describe a value in the words of the text, because a model copies what it is shown."""
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
