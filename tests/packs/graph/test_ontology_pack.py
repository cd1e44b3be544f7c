"""An ontology is a pack: what it declares, how it reads, and what a broken one does to others."""

import pickle
from pathlib import Path

import pytest

from assay.app.extracting import choose_facts
from assay.app.installed_packs import HomePacks, PackFacts, load_facts_of
from assay.app.known_sources import find_source_folder
from assay.errors import InvalidInput, NotFound
from assay.model.content import ContentClass
from assay.model.rules import PERSON_TIERS
from assay.packs.graph.home_ontologies import find_ontologies
from assay.packs.graph.ontology_pack import build_graph_facts
from assay.reading.result import Reading
from assay.ruling.declaration import Facts
from assay.ruling.facts.extraction import ExtractionResult, extract_facts
from assay.ruling.facts.proposals import Passage
from assay.settings import Settings
from tests.cli.calls import call
from tests.conftest import quick_settings

SHIPS = """
@prefix : <urn:ships#> . @prefix v: <urn:assay:vocabulary#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:ships> a owl:Ontology ; rdfs:label "Ships" ; owl:versionInfo "7" .
:Ship a owl:Class ; rdfs:label "ship" . :Harbour a owl:Class ; rdfs:label "harbour" .
:homePort a owl:ObjectProperty, owl:FunctionalProperty ; rdfs:label "home port" ;
  rdfs:domain :Ship ; rdfs:range :Harbour ; v:tier "T0" .
:launched a owl:DatatypeProperty ; rdfs:label "launched in" ;
  rdfs:domain :Ship ; rdfs:range xsd:gYear .
"""
TEXT = (
    "Ivana Horvat was born in Zagreb. Acme Systems was founded in 1998. Nothing else is known.\n\n"
    "Acme Systems is led by Marko Babić."
)


def read_text(text: str, known: Facts) -> ExtractionResult:
    reading = Reading(content_class=ContentClass.HTML, text=text, pages=())
    return extract_facts(Passage(reading=reading, language="en"), known)


@pytest.fixture
def own(home: Path) -> Settings:
    """A home with a folder for ontologies."""
    (home / "ontologies").mkdir(parents=True)
    return quick_settings(home)


def put_ontology(settings: Settings, name: str, content: str) -> None:
    (settings.home / "ontologies" / name).write_text(content, encoding="utf-8")


def test_the_pack_that_comes_with_assay() -> None:
    own = load_facts_of("graph")
    assert (own.name, list(own.domains)) == ("graph", ["graph"])
    assert 25 <= len(own.predicates) <= 35
    assert own.tier_of("birth_date") in PERSON_TIERS
    assert own.tier_of("led_by") == "T2"
    assert not own.predicates["birth_place"].many
    assert own.predicates["member_of"].many
    assert own.predicates["employees"].value_types == ("number",)
    assert own.predicates["founded_in"].value_types == ("year",)
    assert own.predicates["led_by"].labels == {"en": "led by"}


def test_its_reader_goes_to_another_process_and_finds_the_same() -> None:
    own = load_facts_of("graph")
    found = read_text(TEXT, own)
    assert {(a.proposed.concept, a.proposed.value) for a in found.accepted} >= {
        ("ivana_horvat.birth_place", "Zagreb"),
        ("acme_systems.founded_in", "1998"),
        ("acme_systems.led_by", "Marko Babić"),
    }
    assert all(TEXT[a.start : a.end] == a.quote for a in found.accepted)
    assert read_text(TEXT, pickle.loads(pickle.dumps(own))) == found


def test_a_sentence_that_names_two_things_is_one_to_be_covered() -> None:
    found = read_text(TEXT, load_facts_of("graph"))
    named = [TEXT[s.start : s.end] for s in found.sentences if s.is_relevant]
    assert named == ["Ivana Horvat was born in Zagreb.", "Acme Systems is led by Marko Babić."]
    assert found.coverage.covered == 2
    assert len(found.sentences) == 4


def test_a_text_in_which_nothing_is_said() -> None:
    found = read_text(" \n", load_facts_of("graph"))
    assert (found.accepted, found.rejected, found.sentences) == ((), (), ())


def test_any_ontology_is_a_pack() -> None:
    ships = build_graph_facts("ships", SHIPS.encode(), file="ships.ttl")
    assert (ships.version, ships.title) == ("7", "Ships")
    assert {name: (p.tier, p.many, p.value_types) for name, p in ships.predicates.items()} == {
        "home_port": ("T0", False, ("name",)),
        "launched_in": ("T2", True, ("year",)),
    }


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("Ships", SHIPS, "not a valid pack name"),
        (
            "ships",
            "@prefix : <urn:x#> . :A a <http://www.w3.org/2002/07/owl#Class> .",
            "no properties",
        ),
        ("ships", SHIPS.replace('"T0"', '"T9"'), "tier 'T9'"),
        ("ships", "no turtle at all {", "ontology"),
    ],
    ids=["name", "no property", "tier", "broken"],
)
def test_what_is_no_pack_is_refused(name: str, content: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        build_graph_facts(name, content.encode(), file="ships.ttl")


def test_the_ontologies_of_a_home_are_packs(own: Settings) -> None:
    put_ontology(own, "Great Ships.ttl", SHIPS)
    put_ontology(own, "7.ttl", SHIPS)
    put_ontology(own, "notes.txt", "no ontology")
    packs = HomePacks(own.home)
    assert packs.names() == [
        "civic", "graph", "great_ships", "literature", "ontology_7", "regulatory",
    ]  # fmt: skip
    assert PackFacts(packs)["great_ships"].predicates.keys() == {"home_port", "launched_in"}
    assert len(packs) == 6
    assert packs.faults() == []
    assert choose_facts(own, "great_ships").name == "great_ships"


def test_without_a_name_the_settings_name_the_pack(own: Settings) -> None:
    put_ontology(own, "ships.ttl", SHIPS)
    with pytest.raises(InvalidInput, match="graph, regulatory, ships") as refused:
        choose_facts(own, None)
    assert "--pack" in refused.value.advice
    assert choose_facts(own.model_copy(update={"pack": "ships"}), None).name == "ships"
    with pytest.raises(NotFound):
        choose_facts(own, "none")


def test_a_broken_ontology_is_told_and_stops_no_other(own: Settings) -> None:
    put_ontology(own, "ships.ttl", SHIPS)
    put_ontology(own, "ships.owl", SHIPS)
    put_ontology(own, "broken.ttl", "no turtle at all {")
    put_ontology(own, "regulatory.ttl", SHIPS)
    packs = HomePacks(own.home)
    assert "broken" not in packs
    assert packs.get("broken") is None
    assert set(packs) == {"civic", "graph", "literature", "regulatory", "ships", "ships_ttl"}
    assert PackFacts(packs)["regulatory"].domains.keys() != {"graph"}
    assert [fault.file.name for fault in packs.faults()] == ["broken.ttl", "regulatory.ttl"]
    with pytest.raises(InvalidInput, match=r"broken\.ttl: "):
        packs.require_pack("broken")
    with pytest.raises(NotFound, match="ships_ttl"):
        packs.require_pack("none")


def test_doctor_tells_of_ontologies(own: Settings) -> None:
    put_ontology(own, "ships.ttl", SHIPS)
    said = call(own.home, "doctor").output
    assert "ok   packs: civic, graph, literature, regulatory, ships" in said
    put_ontology(own, "broken.ttl", "no turtle at all {")
    said = call(own.home, "doctor").output
    assert "warn packs: broken.ttl: " in said


def test_a_home_without_ontologies_has_none(home: Path) -> None:
    assert find_ontologies(home) == {}
    assert HomePacks(home).names() == ["civic", "graph", "literature", "regulatory"]


def test_a_source_may_belong_to_an_ontology_of_the_home(own: Settings, tmp_path: Path) -> None:
    put_ontology(own, "ships.ttl", SHIPS)
    folder = tmp_path / "harbour-news"
    folder.mkdir()
    assert find_source_folder(str(folder), "ships", find_ontologies(own.home)) == folder
    with pytest.raises(NotFound, match="no pack 'boats'"):
        find_source_folder(str(folder), "boats", find_ontologies(own.home))
