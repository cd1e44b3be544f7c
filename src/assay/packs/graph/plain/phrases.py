"""How English speaks of properties: phrases for the words that ontologies name them with."""

from enum import StrEnum
from functools import cache


class Way(StrEnum):
    """Where subject and object stand around a phrase."""

    FORWARD = "forward"
    """The subject first: `film directed by person`."""
    BACKWARD = "backward"
    """The object first: `person directed film`."""
    MEASURE = "measure"
    """A value right before it: `250 metres long`."""
    NOUN = "noun"
    """The name of what is told: `the capital of country is city`."""


_SPOKEN = """
author: written by | authored by | penned by | <wrote | <is the author of | by
writer: written by | <wrote | <writes
screenwriter: written by | screenplay by | <wrote the screenplay for | <wrote the script for
artist: by | recorded by | performed by | sung by | released by
performer: by | recorded by | performed by | sung by
composer: composed by | music by | <composed | written by
cast: starring | stars | starred | <starred in | <stars in | <appeared in | features | featuring
starring: starring | stars | starred | <starred in | <stars in | <appeared in
birth: born
birth place: born | born in | born at | was born on the | <birthplace of | native of
birth date: born on | born | date of birth
birth year: born in | born
death place: died in | died at | passed away in
death date: died on | died | passed away on
death cause: died of | died from
location: located in | located at | is in | situated in | lies in | found in | based in | stands
  in | is at
country: located in | is in | is from | comes from | originates from | found in
city: located in | is in | serves the city of | serves | situated in | based in
state: located in | is in
region: located in | is in | is from | comes from
headquarter: headquartered in | headquartered at | based in | headquarters in | headquarters are
  in
part: part of | is in | belongs to
leader: led by | <leads | headed by | <president of | <prime minister of | <mayor of
spouse: married to | married | <wife of | <husband of | wife | husband | wed
child: father of | mother of | parent of | <son of | <daughter of | son | daughter
parent: son of | daughter of | child of | born to
father: son of | daughter of
mother: son of | daughter of
sibling: brother of | sister of | brother | sister
founder: founded by | established by | started by | <founded | <established
founded: founded in | founded on | established in | created in | formed in
founding: founded in | founded on | established in | established on
established: established in | established on | founded in | created in | opened in
inception: founded in | established in | created in | formed in | begun in | started in | since
publisher: published by | <published | <publishes
publication date: published in | published on | released in | released on | first published in
release date: released in | released on | came out in | premiered on
genre: plays | performs
height: #tall | #high
elevation: #above sea level | #above the sea level | altitude of | #high
length: #long
area: covers | #square kilometres
population: #inhabitants | #residents | home to | <people living in
creator: created by | <created | made by | invented by
manager: managed by | <manages | <managed | coached by
coach: coached by | <coaches | <coached
club: plays for | played for | player for | plays with | played with | belongs to | represented |
  signed for | joined
team: plays for | played for | player for | plays with | represented | joined | member of
league: plays in | compete in | competes in | play in | played in
member: member of | members of | joined | belongs to
party: member of | belongs to | affiliated with | represents
employer: works for | worked for | employed by | works at | worked at | <employs
education: studied at | educated at | graduated from | attended | degree from
educated: studied at | graduated from | attended | educated at
alma mater: studied at | educated at | graduated from | attended | alumnus of
award: won | received | awarded | winner of | recipient of | earned
nominated: nominated for | nomination for | nominations for
based: based on | adaptation of | adapted from | inspired by
successor: succeeded by | followed by | replaced by | <succeeded | <replaced
predecessor: preceded by | succeeded | replaced
preceded: preceded by | follows | sequel to
followed: followed by | precedes
owner: owned by | <owns | belongs to | property of
operator: operated by | run by | <operates | <operated | <runs
operating: operated by | run by | <operates | <runs
architect: designed by | <designed | built by
designer: designed by | <designed
manufacturer: made by | built by | manufactured by | produced by | <manufactures | <makes
developer: developed by | created by | <developed
production: produced by | production of | <produced
label: released by | signed to | released on | signed with
language: written in | <spoken in | language is
ingredient: made from | made with | contains | consists of | includes | <ingredient in
cost: budget of | cost
budget: budget of
runtime: runs for | lasts | #minutes | running time of
nationality: is from | citizen of | national of | comes from
citizenship: citizen of | is from
residence: lives in | resides in | lived in | resided in | resides at
ground: play at | plays at | <home ground of | play their home games at
discoverer: discovered by | <discovered
occupation: works as | worked as | served as
position: served as | plays as | elected
river: flows into | river
mouth: flows into | empties into | joins | tributary of
tributary: <tributary of | <flows into
named: named after | named for | named in honour of
alternative: also known as | also called | known as | aka
nickname: nicknamed | known as
character: character | features
subject: about | deals with
conflict: fought in | served in | served during
battle: fought in | fought at
branch: served in | officer in | enlisted in
product: produces | makes | manufactures | sells
affiliation: affiliated with | affiliated to
tenant: <tenants of | <tenant of | occupied by
completion: completed in | completed on | finished in
employees: employs | #employees
students: #students
staff: #employees
floor: #floors | #storeys | #stories
"""
"""Words of a property's name: phrases that say it; `<` for BACKWARD and `#` for MEASURE."""


@cache
def spoken() -> dict[frozenset[str], tuple[tuple[tuple[str, ...], Way], ...]]:
    """The words of a property's name → phrases that say it, and which way they lead."""
    found: dict[frozenset[str], tuple[tuple[tuple[str, ...], Way], ...]] = {}
    for line in _SPOKEN.replace("\n  ", " ").strip().splitlines():
        name, _, phrases = line.partition(": ")
        found[frozenset(name.split())] = tuple(map(_phrase, phrases.split(" | ")))
    return found


def _phrase(said: str) -> tuple[tuple[str, ...], Way]:
    if said.startswith("<"):
        return tuple(said[1:].split()), Way.BACKWARD
    if said.startswith("#"):
        return tuple(said[1:].split()), Way.MEASURE
    return tuple(said.split()), Way.FORWARD
