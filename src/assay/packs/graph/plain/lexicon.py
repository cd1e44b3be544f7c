"""An ontology as words: by which nouns its classes go, and by which phrases its properties."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from assay.packs.graph.ontology.model import Ontology, OntologyClass, Property, Takes
from assay.packs.graph.plain import english
from assay.packs.graph.plain.english import listed
from assay.packs.graph.plain.phrases import Way, spoken
from assay.packs.graph.plain.words import Word, label_words

_LEADING = frozenset({"has", "have", "is", "was", "are", "the", "does"})
_PREPOSITIONS = listed("by in at for of to from with on after as into")
_NEUTRAL = listed(
    """
    date place year name of the by in at to for is has was member received held company organisation
    organization total group above sea level sports political origin number military record literary
    site astronomical astronaut current watercourse basin population first
    """
)
"""Words of a property's name that leave its meaning to the others."""
_KEPT = 16


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that tells a property."""

    words: tuple[str, ...]
    property: str
    way: Way


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun that tells a class."""

    words: tuple[str, ...]
    cls: str


_Told = TypeVar("_Told", Noun, Cue)


@dataclass(frozen=True)
class Lexicon:
    """Nouns and cues by their first word, the longest first."""

    nouns: Mapping[str, tuple[Noun, ...]]
    cues: Mapping[str, tuple[Cue, ...]]
    people: tuple[str, ...]
    """The classes of persons."""
    persons: frozenset[str]
    """Those, with all that are seen to be persons: what they do, and sub-classes."""
    values: frozenset[str]
    """Classes that stand for plain values."""

    def nouns_at(self, words: Sequence[Word], at: int) -> Iterator[Noun]:
        """The nouns of classes that begin here, the longest first."""
        for noun in self.nouns.get(words[at].low, ()):
            if _stands(words, at, noun.words):
                yield noun

    def cues_at(self, words: Sequence[Word], at: int) -> Iterator[Cue]:
        """The cues that begin here, the longest first."""
        low = words[at].low
        for cue in self.cues.get("is" if low in english.BE else low, ()):
            if _stands(words, at, cue.words):
                yield cue

    def split_cues_at(self, words: Sequence[Word], at: int) -> Iterator[tuple[Cue, int]]:
        """`written and directed by`: cues whose last word follows after others like it."""
        end = at + 1
        while end < min(at + 6, len(words)) and _is_participle_or_and(words[end].low):
            end += 1
        if end == at + 1 or end >= len(words) or words[end].low != "by":
            return
        for cue in self.cues.get(words[at].low, ()):
            if cue.words[1:] == ("by",):
                yield cue, end + 1

    def takes_value(self, told: Property) -> bool:
        """Whether a property's objects are values: by its datatype, or by the class that stands
        for one."""
        return told.takes is Takes.LITERAL or any(one in self.values for one in told.ranges)


_recent: tuple[tuple[Ontology, Lexicon], ...] = ()


def lexicon_of(ontology: Ontology) -> Lexicon:
    """The lexicon of an ontology; that of a recent one is not made again."""
    global _recent
    for known, lexicon in _recent:
        if known is ontology:
            return lexicon
    made = _made(ontology)
    _recent = ((ontology, made), *_recent[: _KEPT - 1])
    return made


def _made(ontology: Ontology) -> Lexicon:
    nouns: dict[str, dict[Noun, None]] = {}
    for _, cls in sorted(ontology.classes.items()):
        for words in _class_nouns(cls):
            nouns.setdefault(words[0], {})[Noun(words, cls.iri)] = None
    cues: dict[str, dict[Cue, None]] = {}
    for _, told in sorted(ontology.properties.items()):
        for cue in cues_of(told):
            cues.setdefault(cue.words[0], {})[cue] = None
    people = tuple(
        iri
        for iri, cls in sorted(ontology.classes.items())
        if label_words(cls.label)[-1:] in (("person",), ("human",), ("people",))
    )
    return Lexicon(
        nouns={first: _longest_first(found) for first, found in nouns.items()},
        cues={first: _longest_first(found) for first, found in cues.items()},
        people=people,
        persons=frozenset(_persons(ontology, people)),
        values=frozenset(_value_classes(ontology)),
    )


def _persons(ontology: Ontology, people: tuple[str, ...]) -> Iterator[str]:
    for iri, cls in ontology.classes.items():
        words = label_words(cls.label)
        if (people and ontology.are((iri,), people)) or (words and english.is_role(words[-1])):
            yield iri


def _value_classes(ontology: Ontology) -> Iterator[str]:
    named = {iri: cls.label for iri, cls in ontology.classes.items()}
    for told in ontology.properties.values():
        for iri in told.ranges:
            named.setdefault(iri, iri.rpartition("#")[2].rpartition("/")[2])
    for iri, label in named.items():
        words = label_words(label)
        if len(words) == 1 and words[0] in english.VALUE_WORDS:
            yield iri


def _longest_first(found: Iterable[_Told]) -> tuple[_Told, ...]:
    return tuple(sorted(found, key=lambda one: -len(one.words)))


def _class_nouns(cls: OntologyClass) -> Iterator[tuple[str, ...]]:
    for name in dict.fromkeys((cls.label, *cls.names)):
        words = label_words(name)
        if words:
            yield words
            yield (*words[:-1], plural(words[-1]))


def plural(noun: str) -> str:
    """A regular plural."""
    if noun.endswith("y") and noun[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def cues_of(told: Property) -> Iterator[Cue]:
    """The phrases that tell a property: its own names, and what English has for their words."""
    for name in dict.fromkeys((told.label, *told.names)):
        words = label_words(name)
        while len(words) > 1 and words[0] in _LEADING:
            words = words[1:]
        if not words:
            continue
        for said, way in _own(words):
            yield Cue(said, told.iri, way)
        for said, way in _by_table(words):
            yield Cue(tuple("is" if w in english.BE else w for w in said), told.iri, way)


def _own(words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Way]]:
    last = words[-1]
    if len(words) > 1 and last in _PREPOSITIONS:
        yield words, Way.FORWARD
        if last == "by":
            yield words[:-1], Way.BACKWARD
        return
    yield words, Way.NOUN
    yield (*words[:-1], plural(last)), Way.NOUN
    if words[:2] == ("number", "of") and len(words) > 2:
        yield words[2:], Way.MEASURE
        yield (*words[2:-1], plural(last)), Way.MEASURE
    if len(words) == 2:
        yield (words[1], "of", words[0]), Way.NOUN
    if len(words) > 2 and words[-2] == "of":
        yield (last, *words[:-2]), Way.NOUN
    if len(words) == 1:
        for stem in _stems(last):
            yield (stem, "by"), Way.FORWARD
            yield (stem,), Way.BACKWARD


def _stems(noun: str) -> Iterator[str]:
    """`director` → `directed`, `producer` → `produced`: the participles of a doer's verb."""
    if len(noun) > 5 and noun.endswith(("er", "or")):
        yield noun[:-2] + "ed"


def _by_table(words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Way]]:
    own = set(words) | {word.removesuffix("s") for word in words}
    said = {word for word in words if word not in _NEUTRAL}
    keys = [key for key in spoken() if key <= own]
    for key in keys:
        # Further words make it another property: `largest city` is not what `is in` says.
        further = {word for word in said if word not in key and word.removesuffix("s") not in key}
        if not further and not any(key < other for other in keys):
            yield from spoken()[key]


def _stands(words: Sequence[Word], at: int, said: tuple[str, ...]) -> bool:
    if at + len(said) > len(words):
        return False
    return all(
        words[at + step].low == word or (word == "is" and words[at + step].low in english.BE)
        for step, word in enumerate(said)
    )


def _is_participle_or_and(low: str) -> bool:
    return low in ("and", ",", "also", "then") or low.endswith(("ed", "en"))
