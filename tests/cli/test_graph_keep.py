"""`assay graph keep`: files become evidence, and their facts go the way of all facts."""

from pathlib import Path

import pytest

from tests.cli.calls import answer, call, refusal
from tests.packs.graph.provider import ONTOLOGY

TEXT = "Ada Lovelace was born in London. Charles Babbage was born in Teignmouth.\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    text, ontology = tmp_path / "lives.txt", tmp_path / "people.ttl"
    text.write_text(TEXT)
    ontology.write_text(ONTOLOGY)
    return text, ontology


def test_what_a_file_says_becomes_facts_and_rules(home: Path, files: tuple[Path, Path]) -> None:
    text, ontology = files
    assert call(home, "init").exit_code == 0
    told = answer(home, "graph", "keep", str(text), "--ontology", str(ontology))
    assert told["pack"] == "people"
    assert (home / "ontologies" / "people.ttl").read_text() == ONTOLOGY
    assert call(home, "run").exit_code == 0
    facts = answer(home, "facts", "list")
    assert {(fact["concept"], fact["value"]) for fact in facts} >= {
        ("ada_lovelace.birth_place", "London"),
        ("charles_babbage.birth_place", "Teignmouth"),
    }
    assert all(TEXT[fact["start"] : fact["end"]] == fact["quote"] for fact in facts)
    again = answer(home, "graph", "keep", str(text), "--pack", "people")
    assert again["evidence"] == told["evidence"]


def test_another_ontology_under_a_known_name_is_refused(
    home: Path, files: tuple[Path, Path]
) -> None:
    text, ontology = files
    call(home, "init")
    call(home, "graph", "keep", str(text), "--ontology", str(ontology))
    ontology.write_text(f"{ONTOLOGY}\n# changed\n")
    code, told = refusal(home, "graph", "keep", str(text), "--ontology", str(ontology))
    assert code == 3
    assert "a different ontology named people.ttl" in told["message"]


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ((), 2, "either --ontology or --pack"),
        (("--pack", "nosuch"), 3, "no pack 'nosuch'"),
        (("--ontology", "missing.ttl"), 3, "missing.ttl"),
    ],
)
def test_bad_input_is_refused(
    home: Path, files: tuple[Path, Path], given: tuple[str, ...], code: int, said: str
) -> None:
    call(home, "init")
    got, told = refusal(home, "graph", "keep", str(files[0]), *given)
    assert got == code
    assert said in told["message"]
