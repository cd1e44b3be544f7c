"""Values that a model tells: typed by the property, never by their look, and found in the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.packs.graph.asking.items import refused
from assay.packs.graph.asking.places import Place, places, storable
from assay.packs.graph.literals import FoundLiteral, literals_in, read_literal
from assay.packs.graph.model import Chunk, Literal, Refusal, Refused
from assay.packs.graph.ontology.model import XSD, Property, Takes

LONGEST_VALUE = 500
_STRING = XSD + "string"


@dataclass(frozen=True, slots=True)
class Valued:
    """A value, and where it stands in a chunk's own text; once at least."""

    literal: Literal
    places: tuple[Place, ...]


def literal_of(words: str, known: Property, chunk: Chunk) -> Valued | Refused:
    """What words mean as a value of a property, where the text has them.

    A model may write `1932-03-15` where the text says `March 15, 1932`: the same value, so it is
    taken from the place where it stands.
    """
    said = " ".join(words.split()) if len(words) <= LONGEST_VALUE else ""
    if not said or not storable(said):
        return refused(Refusal.NOT_VALID, "These are no words of a text.", words)
    if known.takes is Takes.ENTITY:
        detail = f"'{known.label}' leads to a thing, not to a value."
        return refused(Refusal.WRONG_RANGE, detail, words)
    datatype = known.datatype or _STRING
    said, literal = _read(said, datatype)
    own = places(said, chunk.text)
    if literal is None and own:
        type_ = datatype.removeprefix(XSD)
        return refused(Refusal.WRONG_LITERAL, f"'{said}' is no {type_}, as it must be.", words)
    valued = None
    if literal is not None:
        valued = _stated(literal, own, chunk.text, datatype)
        valued = valued or _elsewhere(literal, chunk.text, datatype)
    if valued is None:
        return refused(Refusal.NOT_IN_TEXT, f"'{said}' does not stand in the text.", words)
    return valued


def _read(said: str, datatype: str) -> tuple[str, Literal | None]:
    """The value of words, and the words that are the value: of `2,300 people` only `2,300`, if
    nothing else of it could be meant."""
    literal = read_literal(said, datatype)
    if literal is not None:
        return said, literal
    within = [(one.words, value) for one in _values_in(said) if (value := one.as_(datatype))]
    return within[0] if len(within) == 1 else (said, None)


def equal_places(literal: Literal, text: str, datatype: str | None = None) -> tuple[Place, ...]:
    """Where a text has this value, however it writes it."""
    wanted = datatype or literal.datatype
    return tuple(
        (one.start, one.end)
        for one in _values_in(text)
        if _same(literal, one.as_(wanted)) or any(_same(literal, own) for own in one.readings)
    )


def _elsewhere(literal: Literal, text: str, datatype: str) -> Valued | None:
    found = equal_places(literal, text, datatype)
    return Valued(literal, found) if found else None


def _stated(literal: Literal, own: Sequence[Place], text: str, datatype: str) -> Valued | None:
    """The value as the text has it at these places, of which a model may have told a part.

    Of `1.5 million` it says `1.5`, of `March 15, 1932` it says `15`: the whole value counts where
    it is one of the datatype, and nothing where it is none.
    """
    stated: list[tuple[Literal | None, Place]] = []
    if literal.datatype == _STRING:
        # Words are kept as the text has them, whatever a model folded.
        words = (" ".join(text[slice(*place)].split()) for place in own)
        stated = [(Literal(w, _STRING), place) for w, place in zip(words, own, strict=True)]
    else:
        stated = [_whole_value(literal, place, text, datatype) for place in own]
    chosen = _chosen(literal, [value for value, _ in stated if value is not None])
    if chosen is None or not storable(chosen.value):
        return None
    fitting = [place for value, place in stated if value == chosen]
    return Valued(chosen, tuple(fitting) or tuple(place for value, place in stated if value))


def _chosen(literal: Literal, stated: Sequence[Literal]) -> Literal | None:
    """Which of the values of several places is meant; None where nobody can know."""
    if literal in stated:
        return literal
    if len(set(stated)) == 1 or (stated and literal.datatype == _STRING):
        return stated[0]
    # Two days of a year are no reason to doubt the year.
    within = [value for value in stated if value.value.startswith(f"{literal.value}-")]
    return literal if stated and len(within) == len(stated) else None


def _whole_value(
    literal: Literal, place: Place, text: str, datatype: str
) -> tuple[Literal | None, Place]:
    start, end = place
    for one in _values_in(text):
        if one.start <= start and end <= one.end and end - start < one.end - one.start:
            return one.as_(datatype), (one.start, one.end)
    return literal, place


@lru_cache(maxsize=8)
def _values_in(text: str) -> tuple[FoundLiteral, ...]:
    """Kept for a few texts, because many values are looked for in the same one."""
    return tuple(literals_in(text))


def _same(one: Literal, other: Literal | None) -> bool:
    """Whether two values are one; a unit that one of them does not tell makes no difference."""
    if other is None or (one.value, one.datatype) != (other.value, other.datatype):
        return False
    return one.unit == other.unit or not one.unit or not other.unit


def places_of_any(words: Sequence[str], text: str) -> list[Place]:
    """Where any of these words stand, sorted."""
    return sorted({place for one in dict.fromkeys(words) for place in places(one, text)})
