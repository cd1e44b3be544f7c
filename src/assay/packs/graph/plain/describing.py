"""What a description says by itself: `is a 1999 film`, `is a Finnish swimmer`."""

from collections.abc import Iterator

from assay.packs.graph.ontology.model import Property
from assay.packs.graph.plain import english
from assay.packs.graph.plain.cueing import Claim, Cueing
from assay.packs.graph.plain.kinds import REACH, after_brackets, describes
from assay.packs.graph.plain.lines import NAMED
from assay.packs.graph.plain.mentions import Kind
from assay.packs.graph.plain.words import label_words

_DATED = frozenset({"publication", "release", "released", "published"})
_CALLED = frozenset({"occupation", "profession"})
_PLACED = frozenset({("located", "in"), ("is", "in")})
"""What is said of a thing that lies somewhere."""
_SURE = 0.6


def described(reading: Cueing) -> Iterator[Claim]:
    """The claims of descriptions, for the properties that they can tell."""
    dated = [one for one in reading.properties.values() if _speaks_of(one, _DATED)]
    called = [one for one in reading.properties.values() if _speaks_of(one, _CALLED)]
    placed = [one for one in reading.properties.values() if _places(reading, one)]
    if not dated and not called and not placed:
        return
    for subject, mention in enumerate(reading.line.mentions):
        at = _description(reading, mention.last) if mention.kind in NAMED else 0
        if not at:
            continue
        for told in dated:
            yield from _year(reading, told, subject, at)
        for told in called:
            yield from _role(reading, told, subject, at)
        for told in placed:
            yield from _place(reading, told, subject, at)


def _speaks_of(told: Property, words: frozenset[str]) -> bool:
    return any(words & set(label_words(name)) for name in (told.label, *told.names))


def _places(reading: Cueing, told: Property) -> bool:
    cues = (*reading.lexicon.cues.get("located", ()), *reading.lexicon.cues.get("is", ()))
    return any(cue.property == told.iri and cue.words in _PLACED for cue in cues)


def _description(reading: Cueing, at: int) -> int:
    """Where the words of a description begin after its article; 0: there is none."""
    line = reading.line
    at = after_brackets(line, at)
    is_told = line.low(at) in english.BE and line.low(at + 1) in ("a", "an")
    return at + 2 if is_told and at + 2 < len(line.words) else 0


def _year(reading: Cueing, told: Property, subject: int, at: int) -> Iterator[Claim]:
    index = reading.line.at[at]
    if index < 0 or reading.line.mentions[index].kind is not Kind.VALUE:
        return
    words = reading.line.mentions[index].words
    year = len(words) == 4 and words.isdigit()
    if year and reading.fits_subject(told, subject) and reading.fits_object(told, index):
        yield Claim(subject, told.iri, index, _SURE)


def _role(reading: Cueing, told: Property, subject: int, at: int) -> Iterator[Claim]:
    line = reading.line
    end = at
    while end < min(at + REACH, len(line.words)) and describes(line, end):
        end += 1
    index = line.at[end - 1] if end > at else -1
    if index < 0 or not english.is_role(line.low(end - 1)):
        return
    if reading.fits_subject(told, subject) and reading.fits_object(told, index):
        yield Claim(subject, told.iri, index, _SURE)


def _place(reading: Cueing, told: Property, subject: int, at: int) -> Iterator[Claim]:
    """`is a city in England`; what is of the same class as the place is not told of it."""
    line = reading.line
    end = at
    while end < min(at + REACH, len(line.words)) and describes(line, end):
        end += 1
    if line.low(end) != "in" or end == at:
        return
    place = end + (2 if line.low(end + 1) == "the" else 1)
    index = line.at[place] if place < len(line.words) else -1
    if index < 0 or line.mentions[index].kind is not Kind.NAME:
        return
    if told.ranges and reading.types_of(subject) == told.ranges != told.domains:
        return
    if reading.fits_subject(told, subject) and reading.fits_object(told, index):
        yield Claim(subject, told.iri, index, _SURE)
