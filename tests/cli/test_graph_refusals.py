"""What `assay graph` refuses: with what is wrong, what to do, and nothing written or paid for."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.calls import call, refusal
from tests.cli.graphs import Desk, Modelled, shape
from tests.packs.graph.provider import Script

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00"
ONTOLOGIES: dict[str, tuple[bytes | None, str, str]] = {
    "broken": (b"@prefix : <http", "is not valid Turtle: line 1", "Fix the error there"),
    "missing": (None, "cannot be read: No such file or directory", "Check that the file exists"),
    "empty": (b"", "is empty", "Use a file in Turtle"),
    "of nothing": (b"# nothing", "declares no classes and no properties", ""),
    "binary": (b"\x00\xff\xfe\x81" * 400, "not valid UTF-8", "Save it as UTF-8"),
    "a picture": (PNG, "not valid UTF-8", "Save it as UTF-8"),
}
BINARY = bytes(range(256)) * 8


@pytest.mark.parametrize("what", ONTOLOGIES)
def test_an_ontology_that_is_none_is_refused(desk: Desk, what: str) -> None:
    data, said, advice = ONTOLOGIES[what]
    file = desk.path("odd.ttl") if data is None else desk.write("odd.ttl", data)
    for words in (
        ("graph", "ontology", file),
        ("graph", "extract", desk.path("a.txt"), "--ontology", file, "--out", desk.path("g.ttl")),
    ):
        code, error = refusal(desk.home, *words)
        assert (code, error["code"]) == (3, "invalid_input"), error
        assert said in error["message"] and "odd.ttl" in error["message"]
        assert error["advice"].startswith(advice) and error["advice"]
    assert not Path(desk.path("g.ttl")).exists()


def test_a_folder_is_no_ontology(desk: Desk) -> None:
    Path(desk.path("folder")).mkdir()
    code, error = refusal(desk.home, "graph", "ontology", desk.path("folder"))
    assert (code, error["code"]) == (3, "invalid_input")
    assert "folder cannot be read: Is a directory." in error["message"]


def test_more_than_an_ontology_may_have_is_never_read_to_its_end(desk: Desk) -> None:
    code, error = refusal(desk.home, "graph", "ontology", "/dev/zero")
    assert code == 3
    assert "/dev/zero has more than 32000000 bytes." in error["message"]
    assert error["advice"] == "Use a smaller file."


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("nowhere.txt", None, "cannot be read: No such file or directory. Give a file"),
        ("empty.txt", b"", "The document is empty."),
        ("picture.png", PNG, "is a PNG picture, which Assay does not read."),
    ],
    ids=["missing", "empty", "picture"],
)
def test_a_text_that_is_none_gives_no_graph(
    desk: Desk, name: str, data: bytes | None, said: str
) -> None:
    if data is not None:
        desk.write(name, data)
    out, picture = desk.path("g.ttl"), desk.path("g.html")
    told = desk.extract(name, "--out", out, "--picture", picture)
    assert told.exit_code == 3
    assert said in told.stdout
    assert told.stdout.count("not written: nothing to write") == 2
    assert not Path(out).exists() and not Path(picture).exists()


def test_a_machine_is_told_of_each_file_that_gave_nothing(desk: Desk) -> None:
    told = desk.extract("nowhere.txt", "--out", desk.path("g.ttl"), "--json")
    assert (told.exit_code, told.stderr) == (3, "")
    value = json.loads(told.stdout)
    assert (value["out"], value["entities"]) == (None, 0)
    assert value["files"][0]["error"]["code"] == "invalid_input"


@pytest.mark.parametrize(
    ("option", "name", "said"),
    [
        ("--out", "g.doc", "must end with one of .ttl, .nt, .jsonld, .json"),
        ("--out", "g", "must end with one of .ttl, .nt, .jsonld, .json"),
        ("--picture", "g.svg", "must end with one of .html, .htm"),
    ],
)
def test_an_unknown_ending_is_a_wrong_command(
    modelled: Callable[..., Modelled], option: str, name: str, said: str
) -> None:
    desk = modelled(Script())
    words = ("graph", "extract", desk.path("a.txt"), "--ontology", desk.ontology)
    code, error = refusal(desk.home, *words, option, desk.path(name))
    assert (code, error["code"]) == (2, "usage")
    assert said in error["message"] and option in error["message"]
    assert desk.calls == 0


@pytest.mark.parametrize("option", ["--out", "--picture"])
@pytest.mark.parametrize("place", ["no folder", "a folder", "no right"])
def test_a_place_that_cannot_be_written_is_told_before_anybody_is_asked(
    modelled: Callable[..., Modelled],
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    place: str,
) -> None:
    desk = modelled(Script())
    ending = "ttl" if option == "--out" else "html"
    paths = {
        "no folder": desk.path(f"nowhere/g.{ending}"),
        "a folder": desk.path(f"folder.{ending}"),
        "no right": desk.path(f"g.{ending}"),
    }
    Path(paths["a folder"]).mkdir()
    if place == "no right":
        # Whoever is root may write everything.
        may = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and may(path, mode))
    words = ("graph", "extract", desk.path("a.txt"), "--ontology", desk.ontology)
    code, error = refusal(desk.home, *words, option, paths[place])
    assert (code, error["code"]) == (3, "invalid_input")
    assert paths[place] in error["message"] and error["advice"]
    assert desk.calls == 0


@pytest.mark.parametrize("name", ["people.ttl", "shapes.ttl", "a.ttl"])
def test_what_is_read_is_not_written_over(desk: Desk, name: str) -> None:
    desk.write("shapes.ttl", shape("birthPlace"))
    desk.write("a.ttl", "Ada Lovelace was born in London.")
    before = Path(desk.path(name)).read_bytes()
    Path(desk.path("link.ttl")).symlink_to(desk.path(name))
    for place in (name, "link.ttl"):
        code, error = refusal(
            desk.home, "graph", "extract", desk.path("a.ttl"), "--ontology", desk.ontology,
            "--shapes", desk.path("shapes.ttl"), "--out", desk.path(place),
        )  # fmt: skip
        assert (code, error["advice"]) == (3, "Choose another path for the output.")
    assert Path(desk.path(name)).read_bytes() == before


def test_a_provider_that_is_not_there_is_told_before_anything(
    desk: Desk, modelled: Callable[..., Modelled]
) -> None:
    words = ("graph", "extract", desk.path("a.txt"), "--ontology", desk.ontology, "--provider")
    code, error = refusal(desk.home, *words, "gpt")
    assert (code, error["advice"]) == (3, "Configured: none.")
    known = modelled(Script())
    code, error = refusal(known.home, *words, "gpt")
    assert (code, error["advice"]) == (3, "Configured: local.")
    code, error = refusal(known.home, *words, "local", "--no-model")
    assert (code, error["code"]) == (2, "usage")
    assert known.calls == 0


def test_a_base_that_is_none_is_refused_before_anybody_is_asked(
    modelled: Callable[..., Modelled],
) -> None:
    desk = modelled(Script())
    words = ("graph", "extract", desk.path("a.txt"), "--ontology", desk.ontology, "--base")
    for base in ("", "x y<"):
        code, error = refusal(desk.home, *words, base)
        assert (code, error["code"]) == (3, "invalid_input")
        assert f"'{base}' is not a valid base IRI" in error["message"]
    assert desk.calls == 0


def test_shapes_that_are_none_are_refused_before_anybody_is_asked(
    modelled: Callable[..., Modelled],
) -> None:
    desk = modelled(Script())
    words = ("graph", "extract", desk.path("a.txt"), "--ontology", desk.ontology, "--shapes")
    for data in (b"@prefix : <", BINARY):
        code, error = refusal(desk.home, *words, desk.write("shapes.ttl", data))
        assert (code, error["code"]) == (3, "invalid_input")
        assert "shapes" in error["message"]
    assert refusal(desk.home, *words, desk.path("nowhere.ttl"))[0] == 3
    assert desk.calls == 0


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"text": "x"}', '{"text": "x", "triples": [["a", "b"]]}', '{"triples": []}', "\0"],
)
def test_an_example_that_is_none_is_told_by_its_line(desk: Desk, line: str) -> None:
    good = '{"text": "x", "triples": []}'
    file = desk.write("examples.jsonl", f"{good}\n\n{line}\n")
    words = ("graph", "extract", desk.path("a.txt"), "--ontology", desk.ontology)
    code, error = refusal(desk.home, *words, "--examples", file)
    assert (code, error["message"]) == (3, "examples.jsonl, line 3, is not a valid example.")
    assert error["advice"].startswith('Write {"text": "…", "triples": ')


@pytest.mark.parametrize(
    ("told", "code", "said"),
    [
        ("http://example.org/rivers", 2, "is not in the form IRI=FILE"),
        ("=rivers.ttl", 2, "is not in the form IRI=FILE"),
        ("http://example.org/rivers=nowhere.ttl", 3, "nowhere.ttl cannot be read"),
    ],
)
def test_an_import_that_is_none_is_refused(desk: Desk, told: str, code: int, said: str) -> None:
    ended, error = refusal(desk.home, "graph", "ontology", desk.ontology, "--import", told)
    assert ended == code
    assert said in error["message"]


@pytest.mark.parametrize(
    ("name", "data", "code", "said"),
    [
        ("nowhere.ttl", None, 3, "cannot be read: No such file or directory."),
        ("people.ttl", None, 3, "people.ttl is not a graph written by Assay."),
        ("odd.ttl", b"<urn:assay:vocabulary#x", 3, "The graph cannot be read as turtle"),
        ("odd.doc", b"", 2, "must end with one of .ttl, .nt, .jsonld, .json"),
    ],
    ids=["missing", "another", "broken", "ending"],
)
def test_only_a_graph_of_assay_is_verified(
    desk: Desk, name: str, data: bytes | None, code: int, said: str
) -> None:
    if data is not None:
        desk.write(name, data)
    ended, error = refusal(desk.home, "graph", "verify", desk.path(name), desk.path("a.txt"))
    assert ended == code
    assert said in error["message"] or said in error["advice"]


def test_a_graph_is_not_verified_by_a_text_that_is_not_there(desk: Desk) -> None:
    graph = desk.write("g.ttl", "<urn:x> <urn:assay:vocabulary#mention> <urn:y> .")
    code, error = refusal(desk.home, "graph", "verify", graph, desk.path("nowhere.txt"))
    assert (code, error["code"]) == (3, "invalid_input")


def test_a_command_without_an_ontology_says_what_is_missing(desk: Desk) -> None:
    told = call(desk.home, "graph", "extract", desk.path("a.txt"))
    assert told.exit_code == 2
    assert "--ontology" in told.stderr
