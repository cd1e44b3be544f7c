"""The sentences of a chunk that state a relation."""

from collections.abc import Sequence

from assay.packs.graph.asking.names import key_of
from assay.packs.graph.asking.places import (
    Place,
    loose_places,
    overlap,
    places,
    sentences_of,
    span_of,
)
from assay.packs.graph.model import Chunk, Entity, Span

MOST_QUOTES = 2
"""Sentences with both ends that are kept, those that have the property's own words first."""
_LONGEST_QUOTE = 1_500


def ends_of(entity: Entity, chunk: Chunk) -> list[Place]:
    """Where an entity stands in a chunk's own text: by its mentions, else by its name."""
    own = [
        (span.start - chunk.start, span.end - chunk.start)
        for span in entity.mentions
        if chunk.start <= span.start < span.end <= chunk.end
        and chunk.text[span.start - chunk.start : span.end - chunk.start] == span.words
    ]
    return sorted(own) or loose_places(entity.name, chunk.text)


def quotes_of(
    quote: str,
    chunk: Chunk,
    subjects: Sequence[Place],
    objects: Sequence[Place],
    names: Sequence[str],
    document: str,
) -> tuple[Span, ...]:
    """The sentences that state it: those of the model's own quote, where it has both ends; those
    with both ends; or the nearest two with one each. There is one at least."""
    sentences = sentences_of(chunk)
    told = _sentences_at(_quoted(quote, chunk, subjects, objects), sentences)
    chosen = told or _with_both(chunk, sentences, subjects, objects, names)
    chosen = chosen or _nearest(sentences, subjects, objects)
    return tuple(sorted(span_of(chunk, place, document) for place in set(chosen)))


def _quoted(
    quote: str, chunk: Chunk, subjects: Sequence[Place], objects: Sequence[Place]
) -> list[Place]:
    if not quote or len(quote) > _LONGEST_QUOTE:
        return []
    return [
        place
        for place in places(quote, chunk.text)
        if _has(place, objects) and (_has(place, subjects) or _before(place, subjects))
    ]


def _before(place: Place, ends: Sequence[Place]) -> bool:
    """Whether it is spoken of earlier: the quote may say `he`."""
    return any(end <= place[0] for _, end in ends)


def _sentences_at(found: Sequence[Place], sentences: Sequence[Place]) -> list[Place]:
    return [one for one in sentences if any(overlap(one, place) for place in found)]


def _with_both(
    chunk: Chunk,
    sentences: Sequence[Place],
    subjects: Sequence[Place],
    objects: Sequence[Place],
    names: Sequence[str],
) -> list[Place]:
    both = [one for one in sentences if _has(one, subjects) and _has(one, objects)]
    stems = {word[:4] for name in names for word in key_of(name).split() if len(word) > 3}

    def told(sentence: Place) -> int:
        words = key_of(chunk.text[slice(*sentence)]).split()
        return len({word[:4] for word in words} & stems)

    return sorted(both, key=lambda one: (-told(one), one))[:MOST_QUOTES]


def _nearest(
    sentences: Sequence[Place], subjects: Sequence[Place], objects: Sequence[Place]
) -> list[Place]:
    """The sentence of the object, with the last one before it that has the subject, else the
    next; an end that crosses sentences is in all that it touches."""
    pairs = [
        (abs(a - b), a > b, b, a)
        for a, one in enumerate(sentences)
        if _touched(one, subjects)
        for b, other in enumerate(sentences)
        if _touched(other, objects)
    ]
    if not pairs:
        return [sentences[0]]
    _, _, b, a = min(pairs)
    return [sentences[a], sentences[b]]


def _has(place: Place, ends: Sequence[Place]) -> bool:
    return any(place[0] <= start and end <= place[1] for start, end in ends)


def _touched(place: Place, ends: Sequence[Place]) -> bool:
    return any(overlap(place, end) for end in ends)
