"""An ontology as words: the nouns of its classes, and the phrases of its properties."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Generic, TypeVar
from weakref import ref

from assay.packs.graph.ontology.model import Ontology, OntologyClass, Property, Takes
from assay.packs.graph.pattern_extractor import english
from assay.packs.graph.pattern_extractor.english import SentenceWord, read_word_list, split_label


class Way(StrEnum):
    """The order of subject and object around a phrase."""

    FORWARD = "forward"
    """The subject first: `film directed by person`."""
    BACKWARD = "backward"
    """The object first: `person directed film`."""
    MEASURE = "measure"
    """A value right before it: `250 metres long`."""
    NOUN = "noun"
    """The name of the property: `the capital of country is city`."""


_SPOKEN = """
abbreviation: abbreviated as | abbreviated | abbreviated to
affiliation: affiliated with | affiliated to
alma mater: studied at | educated at | graduated from | attended | alumnus of
alternative: also known as | also called | known as | aka
architect: designed by | <designed | built by
area: covers | #square kilometres
artist: by | recorded by | performed by | sung by | released by
assembly: assembled in | made in | built in | manufactured in | assembled at
author: written by | authored by | penned by | <wrote | <is the author of | by
award: won | received | awarded | winner of | recipient of | earned
based: based on | adaptation of | adapted from | inspired by
battle: fought in | fought at
birth date: born on | born | date of birth
birth place: born | born in | born at | was born on the | <birthplace of | native of
birth year: born in
branch: served in | officer of | general of | joined | general in | career in | officer in |
  enlisted in
broadcasted: broadcast by | aired on | shown on
budget: budget of
cast: starring | stars | starred | <starred in | <stars in | <appeared in | features | featuring
cause: died of | died from | caused by
champion: won by | <won | <champions of
character: character | features
child: father of | mother of | parent of | <son of | <daughter of | son | daughter
citizenship: citizen of | is from
city: located in | is in | serves the city of | serves | situated in | based in
club: plays for | played for | player for | plays with | played with | belongs to | represented |
  signed for | joined
coach: coached by | <coaches | <coached
completion: completed in | completed on | finished in
composer: composed by | music by | <composed | written by
conflict: fought in | served in | served during
cost: budget of | cost
country: located in | dish from | found in the country of | popular in | is in | is from | comes
  from | originates from | found in
creator: created by | <created | made by | invented by
crew: crew member of | <flew on
death cause: died of | died from
death date: died on | died | passed away on
death place: died in | died at | passed away in
density: #inhabitants per square kilometre
designer: designed by | <designed
developer: developed by | created by | <developed
discoverer: discovered by | <discovered
discovery: discovered at
dish: dish of | <dish is
distributor: distributed by | <distributed
drainage: drains into | flows into
educated: studied at | graduated from | attended | educated at
education: studied at | educated at | graduated from | attended | degree from
elevation: #above sea level | #above the sea level | altitude of | #high
employees: employs | #employees
employer: works for | worked for | employed by | works at | worked at | <employs
established: established in | established on | founded in | created in | opened in
father: son of | daughter of
filming location: filmed in | shot in | filmed at | filming took place in
floor: #floors | #storeys | #stories
followed: followed by | precedes
founded: founded in | founded on | established in | created in | formed in
founder: founded by | established by | started by | <founded | <established
founding: founded in | founded on | established in | established on
full name: full name of | full name is
genre: plays | performs
ground: play at | plays at | <home ground of | play their home games at
headquarter: headquartered in | headquartered at | based in | headquarters in | headquarters are
  in
height: #tall | #high
ideology: advocates | supports | committed to | based on
illustrator: illustrated by | drawn by | <illustrated
inception: founded in | established in | created in | formed in | begun in | started in | since
influenced: influenced by | <influenced
ingredient: made from | made with | contains | consists of | includes | <ingredient in
isbn: isbn number of | isbn of | isbn is
label: released by | signed to | signed with | released through | released via
language: written in | <spoken in | language is
leader: led by | <leads | headed by | <president of | <prime minister of | <mayor of
league: plays in | club in | team in | compete in | competes in | play in | played in
length: #long
location: located in | located at | is in | situated in | lies in | found in | based in | stands
  in | is at
lyrics: lyrics by | lyrics were written by | lyrics written by | <wrote the lyrics for
manager: managed by | <manages | <managed | coached by
manufacturer: made by | built by | manufactured by | produced by | <manufactures | <makes
material: made of | made from | built of
member: member of | members of | joined | belongs to
members: #members
mission: flew on | crew member of | member of the crew of | commanded | flew aboard | took part in
  | crew of
mother: son of | daughter of
mouth: flows into | empties into | joins | tributary of
named: named after | named for | named in honour of
narrative location: set in | takes place in | took place in
nationality: is from | citizen of | national of | comes from
nickname: nicknamed | known as
nominated: nominated for | nomination for | nominations for
occupation: works as | worked as | served as
office: served as | elected as | elected | worked as | appointed
operating: operated by | run by | <operates | <runs
operator: operated by | run by | <operates | <operated | <runs
origin: rises in | originates in | flows from | originates from
owner: owned by | <owns | belongs to | property of
pages: #pages
parent company: owned by | subsidiary of | division of
parent taxon: species of | genus of | family of | in the family | in the genus | of the family |
  of the genus | belongs to
parent: son of | daughter of | child of | born to
part: part of | is in | belongs to
party: member of | politician of | politician for | representing | belongs to | affiliated with |
  represents
performer: by | recorded by | performed by | sung by
platform: ported to | released for | runs on | developed for | available for | available on
population: #inhabitants | #residents | home to | <people living in
position: served as | plays as | elected
preceded: preceded by | follows | sequel to
predecessor: preceded by | succeeded | replaced
product: produces | makes | manufactures | sells
production: produced by | production of | <produced
publication date: published in | published on | released in | released on | first published in
publisher: published by | <published | <publishes
rank: promoted to | rank of
region: located in | dish from | found in | popular in | from the region of | is in | is from |
  comes from
release date: released in | released on | came out in | premiered on
religion: adheres to | follows | is a member of
residence: lives in | resides in | lived in | resided in | resides at
river: flows into | river
runtime: runs for | lasts | #minutes | running time of
screenwriter: written by | screenplay by | <wrote the screenplay for | <wrote the script for
season: plays in | played in | competed in | participated in
sibling: brother of | sister of | brother | sister
spouse: married to | married | <wife of | <husband of | wife | husband | wed
staff: #employees
starring: starring | stars | starred | <starred in | <stars in | <appeared in
state: located in | is in
students: #students
subject: about | deals with
subsidiary: <owned by | <subsidiary of | owns
successor: succeeded by | followed by | replaced by | <succeeded | <replaced
team: plays for | played for | player for | plays with | represented | joined | member of
tenant: <tenants of | <tenant of | occupied by
tracklist: contains | includes | <track from | <song from | <single from
translator: translated by | <translated
tributary: <tributary of | <flows into
writer: written by | <wrote | <writes
"""
"""Words of a property's name: phrases that say it; `<` for BACKWARD and `#` for MEASURE."""


@cache
def list_phrases() -> dict[frozenset[str], tuple[tuple[tuple[str, ...], Way], ...]]:
    """Map the words of a property's name → phrases that state it, with their direction."""
    found: dict[frozenset[str], tuple[tuple[tuple[str, ...], Way], ...]] = {}
    for line in _SPOKEN.replace("\n  ", " ").strip().splitlines():
        name, _, phrases = line.partition(": ")
        found[frozenset(name.split())] = tuple(map(_parse_phrase, phrases.split(" | ")))
    return found


def _parse_phrase(said: str) -> tuple[tuple[str, ...], Way]:
    if said.startswith("<"):
        return tuple(said[1:].split()), Way.BACKWARD
    if said.startswith("#"):
        return tuple(said[1:].split()), Way.MEASURE
    return tuple(said.split()), Way.FORWARD


_LEADING = frozenset({"has", "have", "is", "was", "are", "the", "does"})
_PREPOSITIONS = read_word_list("by in at for of to from with on after as into")
_NEUTRAL = read_word_list(
    """
    date place year name of the by in at to for is has was member received held company organisation
    organization total group above sea level sports political origin number military record literary
    site astronomical astronaut current watercourse basin population first
    """
)
"""Words of a property's name that do not determine its meaning."""
_KEPT = 16
MOST_MEANINGS = 50
"""Classes or properties that the same words can mean; with so many, words say nothing anyway."""
_LONGEST_NAME = 30
"""More words than this are a description, not a name."""
_PLACED = (("located", "in"), ("is", "in"))
"""Phrases that state where a thing is."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that states a property."""

    words: tuple[str, ...]
    property: str
    way: Way


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun that names a class."""

    words: tuple[str, ...]
    cls: str


_Entry = TypeVar("_Entry", Noun, Cue)


class PhraseIndex(Generic[_Entry]):
    """Finds nouns or cues by their words, however many begin with the same word."""

    def __init__(self, entries: Iterable[_Entry]) -> None:
        found: dict[tuple[str, ...], dict[_Entry, None]] = {}
        lengths: dict[str, set[int]] = {}
        for entry in entries:
            known = found.setdefault(_normalise_words(entry.words), {})
            if len(entry.words) <= _LONGEST_NAME and len(known) < MOST_MEANINGS:
                known[entry] = None
                lengths.setdefault(entry.words[0], set()).add(len(entry.words))
        self._found: dict[tuple[str, ...], tuple[_Entry, ...]] = {
            words: tuple(known) for words, known in found.items()
        }
        self._lengths: dict[str, list[int]] = {
            first: sorted(own, reverse=True) for first, own in lengths.items()
        }

    def get_all(self, words: tuple[str, ...]) -> tuple[_Entry, ...]:
        """Return the entries with these words."""
        return self._found.get(_normalise_words(words), ())

    def find_at(self, words: Sequence[SentenceWord], at: int, first: str) -> Iterator[_Entry]:
        """Find the entries that begin here with that word, the longest first."""
        for length in self._lengths.get(first, ()):
            if at + length > len(words):
                continue
            said = [word.low for word in words[at : at + length]]
            said[0] = first
            for entry in self._found.get(_normalise_words(said), ()):
                if _matches_at(words, at, entry.words):
                    yield entry


def _normalise_words(words: Sequence[str]) -> tuple[str, ...]:
    """The same for words that `_matches_at` may take for each other."""
    return (words[0], *("is" if word in english.BE else word for word in words[1:]))


@dataclass(frozen=True)
class Lexicon:
    """The nouns of an ontology's classes, and the cues of its properties."""

    nouns: PhraseIndex[Noun]
    cues: PhraseIndex[Cue]
    places: frozenset[str]
    """Properties that state where a thing is."""
    people: tuple[str, ...]
    """The classes of persons."""
    persons: frozenset[str]
    """Those, with all classes that are recognizably persons: roles and subclasses."""
    values: frozenset[str]
    """Classes that represent plain values."""

    def find_nouns_at(self, words: Sequence[SentenceWord], at: int) -> Iterator[Noun]:
        """Find the class nouns that begin here, the longest first."""
        return self.nouns.find_at(words, at, words[at].low)

    def find_cues_at(self, words: Sequence[SentenceWord], at: int) -> Iterator[Cue]:
        """Find the cues that begin here, the longest first."""
        low = words[at].low
        return self.cues.find_at(words, at, "is" if low in english.BE else low)

    def find_split_cues_at(
        self, words: Sequence[SentenceWord], at: int
    ) -> Iterator[tuple[Cue, int]]:
        """Find cues with other participles before their last word: `written and directed by`."""
        end = at + 1
        while end < min(at + 6, len(words)) and _is_participle_or_and(words[end].low):
            end += 1
        if end == at + 1 or end >= len(words) or words[end].low != "by":
            return
        for cue in self.cues.get_all((words[at].low, "by")):
            yield cue, end + 1

    def takes_value(self, prop: Property) -> bool:
        """Whether a property's objects are values: by its datatype, or by a class that represents
        values."""
        return prop.takes is Takes.LITERAL or any(one in self.values for one in prop.ranges)


_recent: tuple[tuple[ref[Ontology], Lexicon], ...] = ()


def build_lexicon(ontology: Ontology) -> Lexicon:
    """Build the lexicon of an ontology; recent ones are cached as long as their ontologies are in
    use elsewhere."""
    global _recent
    for known, lexicon in _recent:
        if known() is ontology:
            return lexicon
    made = _make_lexicon(ontology)
    _recent = ((ref(ontology, _forget_lexicon), made), *_recent[: _KEPT - 1])
    return made


def _forget_lexicon(gone: ref[Ontology]) -> None:
    global _recent
    _recent = tuple(each for each in _recent if each[0] is not gone)


def _make_lexicon(ontology: Ontology) -> Lexicon:
    cues = PhraseIndex(
        cue for _, prop in sorted(ontology.properties.items()) for cue in list_cues(prop)
    )
    people = tuple(
        iri
        for iri, cls in sorted(ontology.classes.items())
        if split_label(cls.label)[-1:] in (("person",), ("human",), ("people",))
    )
    return Lexicon(
        nouns=PhraseIndex(
            Noun(words, cls.iri)
            for _, cls in sorted(ontology.classes.items())
            for words in _list_class_nouns(cls)
        ),
        cues=cues,
        places=frozenset(cue.property for words in _PLACED for cue in cues.get_all(words)),
        people=people,
        persons=frozenset(_list_persons(ontology, people)),
        values=frozenset(_list_value_classes(ontology)),
    )


def _list_persons(ontology: Ontology, people: tuple[str, ...]) -> Iterator[str]:
    for iri, cls in ontology.classes.items():
        words = split_label(cls.label)
        if (people and ontology.match_any((iri,), people)) or (
            words and english.is_role(words[-1])
        ):
            yield iri


def _list_value_classes(ontology: Ontology) -> Iterator[str]:
    named = {iri: cls.label for iri, cls in ontology.classes.items()}
    for prop in ontology.properties.values():
        for iri in prop.ranges:
            named.setdefault(iri, iri.rpartition("#")[2].rpartition("/")[2])
    for iri, label in named.items():
        words = split_label(label)
        if len(words) == 1 and words[0] in english.VALUE_WORDS:
            yield iri


def _list_class_nouns(cls: OntologyClass) -> Iterator[tuple[str, ...]]:
    for name in dict.fromkeys((cls.label, *cls.names)):
        words = split_label(name)
        if words:
            yield words
            yield (*words[:-1], make_plural(words[-1]))


def make_plural(noun: str) -> str:
    """Form a regular plural."""
    if noun.endswith("y") and noun[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def list_cues(prop: Property) -> Iterator[Cue]:
    """List the phrases that state a property: its names, and English phrases for their words."""
    for name in dict.fromkeys((prop.label, *prop.names)):
        words = split_label(name)
        while len(words) > 1 and words[0] in _LEADING:
            words = words[1:]
        if not words:
            continue
        for said, way in _list_own_phrases(words):
            yield Cue(said, prop.iri, way)
        for said, way in _list_table_phrases(words):
            yield Cue(tuple("is" if w in english.BE else w for w in said), prop.iri, way)


def _list_own_phrases(words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Way]]:
    last = words[-1]
    if len(words) > 1 and last in _PREPOSITIONS:
        yield words, Way.FORWARD
        if last == "by":
            yield words[:-1], Way.BACKWARD
        return
    yield words, Way.NOUN
    yield (*words[:-1], make_plural(last)), Way.NOUN
    if words[:2] == ("number", "of") and len(words) > 2:
        yield words[2:], Way.MEASURE
        yield (*words[2:-1], make_plural(last)), Way.MEASURE
    if len(words) == 2:
        yield (words[1], "of", words[0]), Way.NOUN
    if len(words) > 2 and words[-2] == "of":
        yield (last, *words[:-2]), Way.NOUN
    if len(words) == 1:
        for stem in _list_participles(last):
            yield (stem, "by"), Way.FORWARD
            yield (stem,), Way.BACKWARD


def _list_participles(noun: str) -> Iterator[str]:
    """List the participles of an agent noun: `director` → `directed`, `producer` → `produced`."""
    if len(noun) > 5 and noun.endswith(("er", "or")):
        yield noun[:-2] + "ed"


def _list_table_phrases(words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Way]]:
    own = set(words) | {word.removesuffix("s") for word in words}
    said = {word for word in words if word not in _NEUTRAL}
    keys = [key for key in list_phrases() if key <= own]
    for key in keys:
        # Further words make it another property: `largest city` is not what `is in` says.
        further = {word for word in said if word not in key and word.removesuffix("s") not in key}
        if not further and not any(key < other for other in keys):
            yield from list_phrases()[key]


def _matches_at(words: Sequence[SentenceWord], at: int, said: tuple[str, ...]) -> bool:
    if at + len(said) > len(words):
        return False
    return all(
        words[at + step].low == word or (word == "is" and words[at + step].low in english.BE)
        for step, word in enumerate(said)
    )


def _is_participle_or_and(low: str) -> bool:
    return low in ("and", ",", "also", "then") or low.endswith(("ed", "en"))
