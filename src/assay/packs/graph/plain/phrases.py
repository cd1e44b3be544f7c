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
