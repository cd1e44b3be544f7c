"""`assay graph extract`, `ontology` and `verify`: what a person and a machine get of a text."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse
from typer.testing import Result

from tests.cli.calls import answer, call
from tests.cli.graphs import Desk, Modelled, shape
from tests.packs.graph.provider import CLAIMS, ONTOLOGY, TEXT, Script
from tests.providers.behaviour import Behaviour

OTHER = "Nikola Tesla was born in Smiljan. Ada Lovelace was born in London."
FORMATS = {
    ".ttl": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".jsonld": RdfFormat.JSON_LD,
}
PREFIXES = ONTOLOGY.partition("<http://example.org/people> a")[0]
BORN = "http://example.org/people#birthPlace"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A graph of the text, as it was written."""
    folder = tmp_path_factory.mktemp("written")
    return Path(Desk(folder, folder / "home").written()).read_text()


def triples(file: Path) -> set[str]:
    """What a file says, apart from blank nodes, which have other names in every file."""
    read = parse(file.read_bytes(), format=FORMATS[file.suffix.lower()])
    return {str(quad.triple) for quad in read if "_:" not in str(quad.triple)}


def test_without_a_home_nobody_is_asked_and_nothing_is_kept(desk: Desk) -> None:
    told = desk.extract("a.txt")
    assert told.exit_code == 0, told.output
    for words in (
        "result  complete, without a model",
        "Charles Babbage — birth place → Teignmouth  grounded, ",
        "  “Charles Babbage was born in Teignmouth.”",
    ):
        assert words in told.stdout
    assert "together" not in told.stdout
    assert not desk.home.exists()
    # Each stage is told of while it works, and not among the results.
    lines = told.stderr.splitlines()
    stages = [line.removeprefix(f"{desk.path('a.txt')}: ").split()[0] for line in lines]
    assert stages == [
        "chunking", "entityExtraction", "propertyScoping", "relationExtraction", "grounding",
        "serialization",
    ]  # fmt: skip
    assert all(" completed, " in line for line in lines)
    assert "completed" not in told.stdout.replace("complete,", "")


def test_several_files_are_one_graph_that_knows_both(desk: Desk) -> None:
    desk.write("b.txt", OTHER)
    told = desk.extract("a.txt", "b.txt", "--out", desk.path("g.ttl"))
    assert told.exit_code == 0, told.output
    assert "together  " in told.stdout
    assert f"graph     {desk.path('g.ttl')}" in told.stdout
    said = Path(desk.path("g.ttl")).read_text()
    assert 'rdfs:label "a.txt"' in said and 'rdfs:label "b.txt"' in said
    assert said.count('rdfs:label "Ada Lovelace"') == 1
    assert "Nikola Tesla" in said and "Charles Babbage" in said
    checked = desk.verify("g.ttl", "a.txt", "b.txt")
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert "quotes, all found in the texts word for word." in checked.stdout


def test_the_ending_tells_the_format_and_all_say_the_same(desk: Desk, graph: str) -> None:
    said = [triples(Path(desk.write("g.ttl", graph)))]
    for name in ("g.nt", "g.JSONLD"):
        told = desk.json("a.txt", "--out", desk.path(name))
        assert (told["out"], told["rdf"]) == (desk.path(name), {})
        said.append(triples(Path(desk.path(name))))
    assert said[0] and all(each == said[0] for each in said)
    assert any(BORN in each for each in said[0])
    checked = desk.verify("g.JSONLD", "a.txt")
    assert checked.exit_code == 0, checked.output


def test_a_picture_is_a_page_of_one_file_or_several(desk: Desk) -> None:
    desk.write("b.txt", OTHER)
    told = desk.extract("a.txt", "b.txt", "--picture", desk.path("g.html"))
    assert f"picture   {desk.path('g.html')}" in told.stdout
    drawn = Path(desk.path("g.html")).read_text()
    assert "Nikola Tesla" in drawn and "Babbage" in drawn
    assert desk.extract("a.txt", "--picture", desk.path("g.HTML")).exit_code == 0
    page = Path(desk.path("g.HTML")).read_text()
    assert page.startswith("<!doctype html>") and "Teignmouth" in page


def test_a_machine_gets_one_value_with_everything(desk: Desk) -> None:
    told = desk.json("a.txt")
    (file,) = told["files"]
    assert (file["file"], file["completeness"], file["by"]) == (
        desk.path("a.txt"),
        "complete",
        "deterministic@1",
    )
    quotes = [quote for each in file["graph"]["relations"] for quote in each["quotes"]]
    assert quotes
    assert all(TEXT[each["start"] : each["end"]] == each["words"] for each in quotes)
    assert told["relations"] == len(file["graph"]["relations"])
    assert (told["out"], told["picture"], told["violations"]) == (None, None, [])
    assert "birthPlace" in told["rdf"]["turtle"]


def test_what_one_file_is_refused_for_stays_with_it(desk: Desk) -> None:
    told = desk.extract("a.txt", "nowhere.txt", "--out", desk.path("g.ttl"))
    assert told.exit_code == 3
    assert "nowhere.txt cannot be read: No such file or directory." in told.stdout
    assert "Charles Babbage" in Path(desk.path("g.ttl")).read_text()


def test_a_text_does_not_steer_the_terminal_nor_its_file_s_name_the_graph(desk: Desk) -> None:
    name = os.fsdecode(b"odd\xff.txt")
    desk.write(name, "Ada Lovelace was born in \x1b[31mLondon. Ana Ban was born in Split.")
    told = desk.extract(name, "--out", desk.path("g.ttl"))
    assert told.exit_code == 0, told.output
    assert "Ana Ban — birth place → Split" in told.stdout
    assert "\x1b" not in told.stdout
    assert 'rdfs:label "odd?.txt"' in Path(desk.path("g.ttl")).read_text()
    assert desk.json(name)["files"][0]["file"] == desk.path("odd?.txt")
    title = '<http://example.org/x> a owl:Ontology ; rdfs:label "a\\u001B[31mb" . :A a owl:Class .'
    ontology = desk.write("odd.ttl", f"{PREFIXES}{title}")
    assert (
        "a\N{REPLACEMENT CHARACTER}[31mb" in call(desk.home, "graph", "ontology", ontology).stdout
    )


def test_entities_begin_with_the_base_that_was_given(desk: Desk) -> None:
    told = desk.json("a.txt", "--base", "https://graph.example/")
    assert "<https://graph.example/" in told["rdf"]["turtle"]


def test_examples_teach_how_a_property_is_said(desk: Desk) -> None:
    text = "Ana Horvat hails from Split. Ivo Babić hails from Zadar."
    desk.write("c.txt", text)
    petar = {"subject": "Petar Perić", "property": "birth place", "object": "Pula"}
    examples = [
        {"text": "Petar Perić hails from Pula.", "triples": [petar]},
        {"text": "Maja Ban hails from Krk.", "triples": [["Maja Ban", "birth place", "Krk"]]},
    ]
    lines = "\n\n".join(json.dumps(example) for example in examples)
    desk.write("examples.jsonl", lines)
    assert desk.json("c.txt")["relations"] == 0
    taught = desk.json("c.txt", "--examples", desk.path("examples.jsonl"))
    assert taught["relations"] == 2


def test_a_graph_that_keeps_to_its_shapes_is_written(desk: Desk) -> None:
    desk.write("shapes.ttl", shape("birthPlace"))
    out, shapes = desk.path("g.ttl"), desk.path("shapes.ttl")
    told = desk.extract("a.txt", "--shapes", shapes, "--out", out)
    assert told.exit_code == 0, told.output
    assert Path(out).is_file()


def test_a_graph_that_breaks_its_shapes_is_not_written_and_says_why(desk: Desk) -> None:
    desk.write("shapes.ttl", shape("birthYear"))
    out, picture = desk.path("g.ttl"), desk.path("g.html")
    options = ("--shapes", desk.path("shapes.ttl"), "--out", out, "--picture", picture)
    told = desk.extract("a.txt", *options)
    assert told.exit_code == 5
    assert "violation  Charles Babbage, birth year: it is missing" in told.stdout
    assert "graph      not written: it violates the shapes" in told.stdout
    assert not Path(out).exists()
    assert Path(picture).is_file()


def test_imports_are_given_and_never_fetched(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, place: reached.append(place))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *place, **_: reached.append(place))
    ontology = desk.importing("http://example.org/rivers")
    told = call(desk.home, "graph", "ontology", ontology)
    assert told.exit_code == 0
    assert "Imports that were not read, as nothing is fetched: http://example.org/rivers." in (
        " ".join(told.stdout.split())
    )
    warned = desk.extract("a.txt", ontology=ontology)
    assert warned.stdout.count("http://example.org/rivers") == 1
    assert reached == []
    rivers = desk.write(
        "rivers.ttl",
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "<http://example.org/rivers#River> a owl:Class .",
    )
    given = ("--import", f"http://example.org/rivers={rivers}")
    found = answer(desk.home, "graph", "ontology", ontology, *given)
    assert "http://example.org/rivers#River" in found["classes"]
    assert found["warnings"] == []


def test_an_ontology_is_shown_with_what_is_wrong_with_it(desk: Desk) -> None:
    told = call(desk.home, "graph", "ontology", desk.ontology)
    assert told.exit_code == 0
    for words in ("People and places", "classes     4", "properties  3"):
        assert words in told.stdout
    circle = desk.write(
        "circle.ttl", Path(desk.ontology).read_text() + ":Place rdfs:subClassOf :City ."
    )
    warned = call(desk.home, "graph", "ontology", circle)
    assert warned.exit_code == 0
    assert "City, Place lie above each other in a circle" in warned.stdout
    assert desk.extract("a.txt", ontology=circle).exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("born in Teignmouth", "born at Teignmouth", "a.txt' does not say 'Charles Babbage was"),
        ("rdf:predicate :birthPlace", "rdf:predicate :country", "No statement says where this is"),
        ("oa:start 0 ;", "oa:start 1 ;", "does not say 'Ada Lovelace"),
    ],
    ids=["words", "relation", "place"],
)
def test_a_graph_that_was_tampered_with_is_found_out(
    desk: Desk, graph: str, old: str, new: str, said: str
) -> None:
    assert old in graph
    altered = desk.write("altered.ttl", graph.replace(old, new))
    told = call(desk.home, "graph", "verify", altered, desk.path("a.txt"), "--json")
    assert told.exit_code == 5
    assert any(said in problem for problem in json.loads(told.stdout)["problems"])


def test_a_text_that_was_changed_is_not_the_one_of_the_graph(desk: Desk, graph: str) -> None:
    desk.write("g.ttl", graph)
    desk.write("a.txt", TEXT.replace("London", "Leeds"))
    told = desk.verify("g.ttl", "a.txt")
    assert told.exit_code == 5
    assert "was not given" in told.stdout
    assert "Give all files from which the graph was built, as they were then." in told.stdout


def test_a_model_is_asked_once_for_the_same_text(modelled: Callable[..., Modelled]) -> None:
    desk = modelled(Script())
    first = desk.extract("a.txt", "--out", desk.path("g.ttl"), "--tokens", "8000")
    assert first.exit_code == 0, first.output
    assert "result  complete, by local:m\n" in _trimmed(first)
    assert "tokens " in first.stdout and " of 8000" in first.stdout
    asked = desk.calls
    assert asked == 3
    again = desk.extract("a.txt", "--out", desk.path("h.ttl"), "--tokens", "8000")
    assert "result  complete, by local:m, from the store\n" in _trimmed(again)
    assert "tokens  none; " in again.stdout
    assert desk.calls == asked
    assert Path(desk.path("g.ttl")).read_bytes() == Path(desk.path("h.ttl")).read_bytes()
    assert len(CLAIMS) == first.stdout.count(" → ")


def test_with_no_model_nobody_is_asked(modelled: Callable[..., Modelled]) -> None:
    desk = modelled(Script())
    told = desk.extract("a.txt", "--no-model")
    assert (told.exit_code, desk.calls) == (0, 0)
    assert "complete, without a model" in told.stdout
    again = desk.extract("a.txt", "--no-model")
    assert "complete, without a model, from the store" in again.stdout


def test_a_result_that_is_not_whole_is_written_and_ends_otherwise(
    modelled: Callable[..., Modelled],
) -> None:
    desk = modelled(Script(relationExtraction=[Behaviour(text="I would rather not.")]))
    told = desk.extract("a.txt", "--out", desk.path("g.ttl"), "--tokens", "8000")
    assert told.exit_code == 5
    assert "partial (a fallback replaced a step), by " in told.stdout
    assert "what next  Run it again: " in told.stdout
    assert "relationExtraction: " in told.stdout
    assert "The model gave no relations; they were found without it." in told.stdout
    assert Path(desk.path("g.ttl")).is_file()


def _trimmed(told: Result) -> str:
    return "\n".join(line.rstrip() for line in told.stdout.splitlines()) + "\n"
