"""Finds words, values and the sentences that state a relation in a text."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.packs.graph.asking.items import refuse_claim
from assay.packs.graph.asking.names import fold_term_name
from assay.packs.graph.literals import FoundLiteral, find_literals, read_literal
from assay.packs.graph.model import Chunk, Entity, Literal, Refusal, RefusedClaim, TextSpan
from assay.packs.graph.ontology.model import XSD, Property, Takes
from assay.sdk.facts import find_occurrences, fold_quote

Place = tuple[int, int]

LONGEST = 2_000
"""Most characters that are searched for; anything longer is not searched for at all."""
_EDGES = " \t\r\n\"'`´‘’“”„«»‹›…"
_STOPS = ".,;:!?"
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f]"
)
"""Scripts that do not separate words, or that attach endings to names."""


def is_storable(words: str) -> bool:
    """Whether words can be stored: no NUL and no lone surrogate."""
    return "\x00" not in words and not any("\ud800" <= character <= "\udfff" for character in words)


def find_places(words: str, text: str) -> list[Place]:
    """Find every occurrence of words as whole words; in order, without overlaps."""
    if not words.strip() or len(words) > LONGEST:
        return []
    for sought in dict.fromkeys((words, words.strip(_EDGES), words.strip(_EDGES + _STOPS))):
        if sought and (found := _find_whole_places(sought, text)):
            return found
    return []


def find_loose_places(words: str, text: str) -> list[Place]:
    """Find a name: in several words the case may differ, and an article may be missing."""
    found = find_places(words, text)
    if found or len(words) > LONGEST:
        return found
    bare = re.sub(r"^(?:the|an?)\s+", "", words.strip(_EDGES), flags=re.IGNORECASE)
    if bare != words and (found := find_places(bare, text)):
        return found
    # A single word in another case may be another word: `Turkey` and `turkey`, `US` and `us`.
    if not re.search(r"\w\s+\w", bare):
        return []
    pattern = r"\s+".join(map(re.escape, bare.split()))
    return [
        m.span() for m in re.finditer(pattern, text, re.IGNORECASE) if is_whole(text, *m.span())
    ]


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether a stretch begins and ends at word boundaries."""
    return (
        start < end
        and not (start > 0 and _are_one_word(text[start - 1], text[start]))
        and not (end < len(text) and _are_one_word(text[end - 1], text[end]))
        and not (end < len(text) and unicodedata.combining(text[end]))
    )


def do_overlap(one: Place, other: Place) -> bool:
    """Whether two stretches share a character."""
    return one[0] < other[1] and other[0] < one[1]


def are_adjacent(one: Place, other: Place, text: str) -> bool:
    """Whether there is nothing but white space between two stretches."""
    first, second = sorted((one, other))
    return not text[first[1] : second[0]].strip()


def list_sentences(chunk: Chunk) -> Sequence[Place]:
    """List the sentences of a chunk, as positions in its own text."""
    own = [(a - chunk.start, b - chunk.start) for a, b in chunk.sentences]
    kept = [(a, b) for a, b in own if 0 <= a < b <= len(chunk.text)]
    return kept or [(0, len(chunk.text))]


def make_span(chunk: Chunk, place: Place, document: str) -> TextSpan:
    """Convert a stretch of a chunk to a span of the whole text."""
    start, end = place
    return TextSpan(chunk.start + start, chunk.start + end, chunk.text[start:end], document)


def _find_whole_places(words: str, text: str) -> list[Place]:
    found = [(place.start, place.end) for place in find_occurrences(words, text)]
    if not found and len(fold_quote(words)) < 5:
        found = [match.span() for match in re.finditer(re.escape(words), text)]
    return [place for place in found if is_whole(text, *place)]


def _are_one_word(one: str, other: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    spaceless = _SPACELESS.match(one) or _SPACELESS.match(other)
    return not spaceless and (one.isalnum() or one == "_") and (other.isalnum() or other == "_")


MOST_QUOTES = 2
"""How many sentences with both ends are kept; those with the property's own words come first."""
_LONGEST_QUOTE = 1_500


def find_entity(entity: Entity, chunk: Chunk) -> list[Place]:
    """Find an entity in a chunk's own text: by its mentions, otherwise by its name."""
    own = [
        (span.start - chunk.start, span.end - chunk.start)
        for span in entity.mentions
        if chunk.start <= span.start < span.end <= chunk.end
        and chunk.text[span.start - chunk.start : span.end - chunk.start] == span.words
    ]
    return sorted(own) or find_loose_places(entity.name, chunk.text)


def find_quotes(
    quote: str,
    chunk: Chunk,
    subjects: Sequence[Place],
    objects: Sequence[Place],
    names: Sequence[str],
    document: str,
) -> tuple[TextSpan, ...]:
    """Find the sentences that state it: those of the model's own quote, if it has both ends; those
    with both ends; or the nearest two with one each. At least one is returned."""
    sentences = list_sentences(chunk)
    quoted = _choose_sentences_at(_find_quoted(quote, chunk, subjects, objects), sentences)
    chosen = quoted or _choose_with_both(chunk, sentences, subjects, objects, names)
    chosen = chosen or _choose_nearest(sentences, subjects, objects)
    return tuple(sorted(make_span(chunk, place, document) for place in set(chosen)))


def _find_quoted(
    quote: str, chunk: Chunk, subjects: Sequence[Place], objects: Sequence[Place]
) -> list[Place]:
    if not quote or len(quote) > _LONGEST_QUOTE:
        return []
    return [
        place
        for place in find_places(quote, chunk.text)
        if _contains_any(place, objects)
        and (_contains_any(place, subjects) or _is_named_before(place, subjects))
    ]


def _is_named_before(place: Place, ends: Sequence[Place]) -> bool:
    """Whether it is mentioned earlier: the quote may say `he`."""
    return any(end <= place[0] for _, end in ends)


def _choose_sentences_at(found: Sequence[Place], sentences: Sequence[Place]) -> list[Place]:
    return [one for one in sentences if any(do_overlap(one, place) for place in found)]


def _choose_with_both(
    chunk: Chunk,
    sentences: Sequence[Place],
    subjects: Sequence[Place],
    objects: Sequence[Place],
    names: Sequence[str],
) -> list[Place]:
    both = [
        one for one in sentences if _contains_any(one, subjects) and _contains_any(one, objects)
    ]
    stems = {word[:4] for name in names for word in fold_term_name(name).split() if len(word) > 3}

    def count_stems(sentence: Place) -> int:
        words = fold_term_name(chunk.text[slice(*sentence)]).split()
        return len({word[:4] for word in words} & stems)

    return sorted(both, key=lambda one: (-count_stems(one), one))[:MOST_QUOTES]


def _choose_nearest(
    sentences: Sequence[Place], subjects: Sequence[Place], objects: Sequence[Place]
) -> list[Place]:
    """Choose the sentence of the object with the last one before it that has the subject, otherwise
    the next one; an end that crosses sentences counts for all of them."""
    pairs = [
        (abs(a - b), a > b, b, a)
        for a, one in enumerate(sentences)
        if _touches_any(one, subjects)
        for b, other in enumerate(sentences)
        if _touches_any(other, objects)
    ]
    if not pairs:
        return [sentences[0]]
    _, _, b, a = min(pairs)
    return [sentences[a], sentences[b]]


def _contains_any(place: Place, ends: Sequence[Place]) -> bool:
    return any(place[0] <= start and end <= place[1] for start, end in ends)


def _touches_any(place: Place, ends: Sequence[Place]) -> bool:
    return any(do_overlap(place, end) for end in ends)


LONGEST_VALUE = 500
_STRING = XSD + "string"


@dataclass(frozen=True, slots=True)
class PlacedValue:
    """A value and its positions in a chunk's own text; at least one."""

    literal: Literal
    places: tuple[Place, ...]


def read_value(words: str, known: Property, chunk: Chunk) -> PlacedValue | RefusedClaim:
    """Read words as a value of a property, if the text contains the value.

    A model may write `1932-03-15` where the text says `March 15, 1932`: the same value, so it is
    taken from its position in the text.
    """
    plain = " ".join(words.split()) if len(words) <= LONGEST_VALUE else ""
    if not plain or not is_storable(plain):
        return refuse_claim(Refusal.NOT_VALID, "These are not words of a text.", words)
    if known.takes is Takes.ENTITY:
        detail = f"'{known.label}' leads to a thing, not to a value."
        return refuse_claim(Refusal.WRONG_RANGE, detail, words)
    datatype = known.datatype or _STRING
    plain, literal = _read_one_value(plain, datatype)
    own = find_places(plain, chunk.text)
    if literal is None and own:
        type_ = datatype.removeprefix(XSD)
        return refuse_claim(Refusal.WRONG_LITERAL, f"'{plain}' is not a valid {type_}.", words)
    valued = None
    if literal is not None:
        valued = _find_stated(literal, own, chunk.text, datatype)
        valued = valued or _find_elsewhere(literal, chunk.text, datatype)
    if valued is None:
        return refuse_claim(Refusal.NOT_IN_TEXT, f"'{plain}' was not found in the text.", words)
    return valued


def _read_one_value(plain: str, datatype: str) -> tuple[str, Literal | None]:
    """Return the words that are the value, and the value: of `2,300 people` only `2,300`, if it is
    the only candidate."""
    literal = read_literal(plain, datatype)
    if literal is not None:
        return plain, literal
    within = [
        (one.words, value) for one in _find_values(plain) if (value := one.fit_datatype(datatype))
    ]
    return within[0] if len(within) == 1 else (plain, None)


def find_equal_values(
    literal: Literal, text: str, datatype: str | None = None
) -> tuple[Place, ...]:
    """Find this value in a text, however it is written."""
    sought = datatype or literal.datatype
    return tuple(
        (one.start, one.end)
        for one in _find_values(text)
        if _is_same_value(literal, one.fit_datatype(sought))
        or any(_is_same_value(literal, own) for own in one.readings)
    )


def _find_elsewhere(literal: Literal, text: str, datatype: str) -> PlacedValue | None:
    found = find_equal_values(literal, text, datatype)
    return PlacedValue(literal, found) if found else None


def _find_stated(
    literal: Literal, own: Sequence[Place], text: str, datatype: str
) -> PlacedValue | None:
    """Find the value as the text has it at these places; a model may have given only a part.

    Of `1.5 million` it says `1.5`, of `March 15, 1932` it says `15`: the whole value counts if it
    has the datatype; otherwise nothing does.
    """
    stated: list[tuple[Literal | None, Place]] = []
    if literal.datatype == _STRING:
        # Words are kept as the text has them, whatever the model changed.
        words = (" ".join(text[slice(*place)].split()) for place in own)
        stated = [(Literal(w, _STRING), place) for w, place in zip(words, own, strict=True)]
    else:
        stated = [_widen_value(literal, place, text, datatype) for place in own]
    chosen = _choose_value(literal, [value for value, _ in stated if value is not None])
    if chosen is None or not is_storable(chosen.value):
        return None
    fitting = [place for value, place in stated if value == chosen]
    return PlacedValue(chosen, tuple(fitting) or tuple(place for value, place in stated if value))


def _choose_value(literal: Literal, stated: Sequence[Literal]) -> Literal | None:
    """Choose which of the values at several places is meant; None if it is unclear."""
    if literal in stated:
        return literal
    if len(set(stated)) == 1 or (stated and literal.datatype == _STRING):
        return stated[0]
    # Two days in one year do not make the year doubtful.
    within = [value for value in stated if value.value.startswith(f"{literal.value}-")]
    return literal if stated and len(within) == len(stated) else None


def _widen_value(
    literal: Literal, place: Place, text: str, datatype: str
) -> tuple[Literal | None, Place]:
    start, end = place
    for one in _find_values(text):
        if one.start <= start and end <= one.end and end - start < one.end - one.start:
            return one.fit_datatype(datatype), (one.start, one.end)
    return literal, place


@lru_cache(maxsize=8)
def _find_values(text: str) -> tuple[FoundLiteral, ...]:
    """Cached for a few texts, because many values are searched for in the same one."""
    return tuple(find_literals(text))


def _is_same_value(one: Literal, other: Literal | None) -> bool:
    """Whether two values are equal; a unit that only one of them has makes no difference."""
    if other is None or (one.value, one.datatype) != (other.value, other.datatype):
        return False
    return one.unit == other.unit or not one.unit or not other.unit


def find_any_place(words: Sequence[str], text: str) -> list[Place]:
    """Find all places of any of these words, sorted."""
    return sorted({place for one in dict.fromkeys(words) for place in find_places(one, text)})
