"""Shorter forms of longer names: last names of people, acronyms, companies without their form."""

import re
from collections.abc import Iterable

from assay.packs.graph.ids import folded_name
from assay.packs.graph.model import Entity
from assay.packs.graph.ontology.model import Ontology


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TITLES = _words(
    """
    dr mr mrs ms miss prof professor sir dame lord lady rev president king queen prince princess
    pope saint st general gen captain colonel senator judge justice minister gospodin gospođa gđa
    herr frau
    """
)
_GENERATIONS = _words("jr sr ii iii iv junior senior")
_LEGAL_FORMS = _words(
    """
    inc ltd corp co llc plc gmbh ag sa nv bv doo dd limited corporation company incorporated kg se
    """
)
_PEOPLE = _words(
    """
    person human people man woman politician actor actress artist musician singer writer author
    athlete player scientist astronaut comedian director osoba mensch
    """
)
"""The last words of names of classes whose things have last names."""
_ARTICLES = ("the ", "a ", "an ", "The ", "A ", "An ")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.?){2,10}")
_TOKEN = re.compile(r"[^\s.,()]+")
_LONGEST = 8
"""More words than this are a description and no name."""


def classes_of_people(ontology: Ontology) -> frozenset[str]:
    """The classes of an ontology whose things are people."""
    named = {
        iri
        for iri, known in ontology.classes.items()
        if any(_last_word(name) in _PEOPLE for name in (known.label, *known.names))
    }
    return frozenset(iri for iri in ontology.classes if ontology.ancestors(iri) & named)


def short_keys(entity: Entity) -> tuple[str, ...]:
    """Under what a longer form of this name would be found; nothing where it is no name."""
    acronym = acronym_of(entity.name)
    if acronym is not None:
        return (acronym,)
    if not entity.name[:1].isupper() or entity.name.startswith(_ARTICLES):
        return ()
    tokens = _tokens(entity.name)
    bare = _without_titles(tokens)
    return tuple(dict.fromkeys(" ".join(each) for each in (tokens, bare) if each))


def long_keys(entity: Entity, *, person: bool) -> frozenset[str]:
    """All shorter forms under which a thing may be spoken of."""
    tokens = _tokens(entity.name)
    if not tokens or len(tokens) > _LONGEST:
        return frozenset()
    found = set(_aliases(entity))
    if tokens[-1] in _LEGAL_FORMS and len(tokens) > 1:
        found.add(" ".join(tokens[:-1]))
    if person:
        found |= _of_a_person(tokens)
    initials = _initials(entity.name)
    if initials:
        found.add(initials)
    return frozenset(found - {" ".join(tokens)})


def length(entity: Entity) -> tuple[int, int, int]:
    """How long a name is: in words without titles, in words, in characters."""
    tokens = _tokens(entity.name)
    return len(_without_titles(tokens)), len(tokens), len(entity.name)


def acronym_of(name: str) -> str | None:
    """The key of a name that is an acronym: `U.N.` is `=UN`."""
    plain = _without_article(name)
    letters = plain.replace(".", "")
    if _ACRONYM.fullmatch(plain) is None or not letters.isupper():
        return None
    return f"={letters}"


def _initials(name: str) -> str | None:
    """The acronym that the capitals of a name make."""
    words = [word for word in re.findall(r"[^\W\d_]+", _without_article(name)) if word[0].isupper()]
    return f"={''.join(word[0] for word in words)}" if len(words) > 1 else None


def _aliases(entity: Entity) -> Iterable[str]:
    """Other names among its mentions; `the college` is none."""
    for words in {mention.words for mention in entity.mentions}:
        acronym = acronym_of(" ".join(words.split()))
        if acronym is not None:
            yield acronym
        elif words[:1].isupper() and not words.startswith(_ARTICLES):
            yield " ".join(_tokens(words))


def _of_a_person(tokens: list[str]) -> set[str]:
    named = _without_titles(tokens)
    while len(named) > 1 and named[-1] in _GENERATIONS:
        named = named[:-1]
    last = named[-1:]
    found = {" ".join(named[place:]) for place in range(len(named))}
    if len(named) > 1:
        first, middle = named[0], named[1:-1]
        initials = [word[0] for word in middle]
        found |= {" ".join([start, *last]) for start in (first, first[0])}
        found |= {" ".join([start, *initials, *last]) for start in (first, first[0])}
    return found


def _tokens(name: str) -> list[str]:
    return _TOKEN.findall(folded_name(name))


def _without_titles(tokens: list[str]) -> list[str]:
    place = 0
    while place < len(tokens) - 1 and tokens[place] in _TITLES:
        place += 1
    return tokens[place:]


def _without_article(name: str) -> str:
    article = next((each for each in _ARTICLES if name.startswith(each)), "")
    return name[len(article) :]


def _last_word(name: str) -> str:
    tokens = _tokens(name)
    return tokens[-1] if tokens else ""
