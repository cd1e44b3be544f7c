"""Small ontologies in the shapes of those that extraction is measured on.

Most of those declare every property an object property, numbers and dates included, whose range is
then a class called `number` or `Date` that nothing declares; others have numbers for names, and
leave the range out.
"""

import pytest

from assay.packs.graph.ontology.model import XSD, Ontology, Takes
from assay.packs.graph.ontology.reading import read_ontology

HEAD = """
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/ontology> a owl:Ontology ; rdfs:label "{0} ontology" ;
    dc:creator <http://example.org/0000−0001−0002> ; rdfs:comment "Made by hand." .
"""
BASE = "http://example.org/shapes/"
ENTITY, EITHER = "entity", "either"

SPOKEN = {
    "university": "rectorName>Person=entity students>number=decimal crest>-=either"
    " opened>date=date nickname>string=string",
    "musicwork": "singer>Person=entity length>number=decimal issued>Date=date style>Style=entity",
    "airport": "serves>City=entity runwayLength>number=decimal code>string=string"
    " openedIn>Year=gYear surface>1stSurfaceKind=entity",
    "building": "architect>Person=entity floors>number=decimal finished>Date=date begun>Year=gYear",
    "athlete": "club>Club=entity weight>number=decimal draftYear>Year=gYear born>Date=date",
    "politician": "party>Party=entity tookOffice>Date=date electedIn>Year=gYear wife>Person=entity",
    "company": "founder>Person=entity revenue>number=decimal founded>Date=date motto>string=string",
    "celestialbody": "mass>number=decimal finder>Person=entity found>Date=date epoch>string=string",
    "astronaut": "mission>Mission=entity timeAbove>string=string selected>number=decimal"
    " born>Date=date leader>leader=entity",
    "comicsfigure": "drawnBy>Person=entity otherName>string=string firstSeen>Date=date",
    "vehicle": "maker>Company=entity topSpeed>number=decimal launched>Date=date since>Year=gYear"
    " width>beamWidth=entity kind>Class=entity",
    "monument": "sculptor>Person=entity unveiled>Date=date inscription>string=string",
    "food": "ingredient>Ingredient=entity protein>number=decimal servedAs>string=string",
    "writtenwork": "writer>Person=entity pages>number=decimal printed>Date=date firstIn>Year=gYear",
    "sportsteam": "coach>Person=entity members>number=decimal fullName>string=string",
    "city": "mayor>Person=entity people>number=decimal postcode>string=string",
    "artist": "genre>Genre=entity activeSince>Year=gYear born>Date=date albums>number=decimal",
    "scientist": "field>Field=entity knownFor>Thing=entity died>Date=date citations>number=decimal"
    " graduated>Year=gYear remark>string=string",
    "film": "director>Person=entity budget>number=decimal shown>Date=date madeIn>Year=gYear",
}
"""What is asked of a property: `name>range=what it takes`."""

NUMBERED = {
    "movie": "P1:actor>Q5:human=entity P2:release date>-=date P3:price>-=either",
    "music": "P1:player>Q5:human=entity P2:instrument>-=either P3:part of>Q7:album=entity",
    "sport": "P1:league>Q8:sports league=entity P2:weight class>-=either",
    "book": "P1:author>Q5:human=entity P2:publication date>-=date P3:shows>-=either",
    "military": "P1:fought in>Q9:battle=entity P2:wing shape>-=either",
    "computer": "P1:runs on>Q10:machine=entity P2:named for>-=either",
    "space": "P1:orbits>Q11:body=entity P2:spacecraft landing/launch date>-=date",
    "politics": "P1:chair>Q5:human=entity P2:elected in>Q12:election=entity",
    "nature": "P1:flows into>Q13:body of water=entity P2:common name>-=either",
    "culture": "P1:spoken in>Q14:country=entity P2:start time>-=date P3:beginning>-=either",
}


def ontology_of(name: str, classes: str, properties: list[tuple[str, str, str]]) -> Ontology:
    said = [HEAD.format(name), classes]
    for local, label, range_ in properties:
        bound = f"; rdfs:range <{BASE}{name}/concepts#{range_}>" if range_ != "-" else ""
        said.append(
            f'<{BASE}{name}/relations#{local}> a owl:ObjectProperty ; rdfs:label "{label}" ;'
            f" rdfs:domain <{BASE}{name}/concepts#Main> {bound} ."
        )
    return read_ontology("\n".join(said).encode(), name=f"{name}.ttl")


def check_properties(ontology: Ontology, name: str, expected: dict[str, str]) -> None:
    found = {}
    for iri, known in ontology.properties.items():
        assert known.domains == (f"{BASE}{name}/concepts#Main",)
        told = (known.datatype or known.takes).removeprefix(XSD)
        found[iri.rpartition("#")[2]] = told
        literal = told not in (ENTITY, EITHER)
        assert (known.takes is not Takes.ENTITY) == (literal or told == EITHER)
    assert found == expected


@pytest.mark.parametrize("name", sorted(SPOKEN))
def test_ranges_that_are_datatypes_by_name(name: str) -> None:
    rows = [one.replace("=", ">").split(">") for one in SPOKEN[name].split()]
    main = f'<{BASE}{name}/concepts#Main> a owl:Class ; rdfs:label "{name.title()}" .'
    declared = f'<{BASE}{name}/concepts#Person> a owl:Class ; rdfs:label "Person" .'
    ontology = ontology_of(name, main + declared, [(local, local, to) for local, to, _ in rows])

    check_properties(ontology, name, {local: told for local, _, told in rows})
    things = {to for _, to, told in rows if told == ENTITY} - {"Thing"} | {"Main", "Person"}
    assert {iri.rpartition("#")[2] for iri in ontology.classes} == things
    assert ontology.title == f"{name} ontology"
    # The address with odd dashes is one.
    assert not any("IRI" in warning for warning in ontology.warnings)


@pytest.mark.parametrize("name", sorted(NUMBERED))
def test_numbers_for_names_and_ranges_left_out(name: str) -> None:
    rows = []
    for one in NUMBERED[name].split(" P"):
        head, _, told = one.rpartition("=")
        (local, label), range_ = head.partition(">")[0].split(":"), head.partition(">")[2]
        rows.append((f"P{local.removeprefix('P')}", label, range_.partition(":"), told))
    named = {to[0]: to[2] for _, _, to, _ in rows if to[2]} | {"Main": name}
    classes = " ".join(
        f'<{BASE}{name}/concepts#{local}> a owl:Class ; rdfs:label "{label}" .'
        for local, label in named.items()
    )
    ontology = ontology_of(name, classes, [(local, label, to[0]) for local, label, to, _ in rows])

    check_properties(ontology, name, {local: told for local, _, _, told in rows})
    assert {known.label for known in ontology.classes.values()} == set(named.values())
    assert {known.label for known in ontology.properties.values()} == {
        label for _, label, *_ in rows
    }
    assert ontology.warnings == ()


def test_there_are_as_many_shapes_as_are_measured() -> None:
    assert (len(SPOKEN), len(NUMBERED)) == (19, 10)
