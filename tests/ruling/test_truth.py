"""Reading a truth: what is wrong is named with its file and line, before anything is scored."""

import json
from pathlib import Path

import pytest

import assay
from assay.errors import InvalidInput
from assay.ruling.declaration import load_facts
from assay.ruling.evaluation.truth import load_known_documents, load_known_rules

PACK = load_facts(Path(assay.__file__).parent / "packs" / "regulatory")
FACT = {
    "value_type": "percentage",
    "value": "24",
    "unit": "%",
    "predicate": "rate",
    "subject": "pdv",
    "concept": "pdv.rate",
    "quote": "The rate is 24 %.",
}
LINE = {"document": "a.txt", "language": "en", "facts": [FACT]}


def folder_with(folder: Path, *lines: object) -> Path:
    (folder / "a.txt").write_text("The rate is 24 %.", encoding="utf-8")
    told = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "truth.jsonl").write_text("\n".join(told), encoding="utf-8")
    return folder


def test_a_truth_is_read(tmp_path: Path) -> None:
    (document,) = load_known_documents(folder_with(tmp_path, LINE, ""), PACK)
    assert document.document == "a.txt"
    assert document.facts[0].concept == "pdv.rate"


def without(name: str) -> dict[str, object]:
    return {**LINE, "facts": [{key: FACT[key] for key in FACT if key != name}]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: Invalid JSON"),
        ("[1]", "line 2: "),
        (without("quote"), "line 2: facts.1.quote: Field required"),
        (without("value"), "line 2: facts.1.value: Field required"),
        ({**LINE, "document": "b.txt", "colour": 1}, "line 2: colour: Extra inputs"),
        ({**LINE, "document": "b.txt"}, "line 2: there is no document 'b.txt'"),
        ({**LINE, "document": "../a.txt"}, "line 2: there is no document '../a.txt'"),
        (LINE, "line 2: 'a.txt' appears twice"),
        ({"document": "a.txt", "language": "en"}, "line 2: facts: Field required"),
        ({**LINE, "published": "yesterday"}, "line 2: published: String should match"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object, said: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        load_known_documents(folder_with(tmp_path, LINE, line), PACK)
    assert said in str(raised.value)
    assert "truth.jsonl" in str(raised.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"value_type": "colour"}, "line 1, fact 1: there is no value type 'colour'"),
        ({"predicate": "taste"}, "line 1, fact 1: 'taste' is not a predicate of the pack"),
    ],
)
def test_what_the_pack_does_not_know_is_named(
    tmp_path: Path, changed: dict[str, str], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        load_known_documents(folder_with(tmp_path, {**LINE, "facts": [{**FACT, **changed}]}), PACK)


def test_a_folder_without_a_truth_or_with_an_empty_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"There is no truth\.jsonl"):
        load_known_documents(tmp_path, PACK)
    with pytest.raises(InvalidInput, match="names no document"):
        load_known_documents(folder_with(tmp_path), PACK)


def test_a_truth_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "truth.jsonl").write_bytes('{"document": "š"}'.encode("cp1250"))
    with pytest.raises(InvalidInput, match="not in UTF-8"):
        load_known_documents(tmp_path, PACK)


def test_a_wrong_rule_is_named(tmp_path: Path) -> None:
    (tmp_path / "rules.jsonl").write_text(
        '{"concept": "pdv.rate", "value_type": "percentage", "value": "1", "documents": [],'
        ' "status": "maybe"}',
        encoding="utf-8",
    )
    with pytest.raises(InvalidInput, match=r"rules\.jsonl, line 1: status"):
        load_known_rules(tmp_path)
