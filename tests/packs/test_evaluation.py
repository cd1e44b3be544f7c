"""Evaluating a pack: parts, what cannot be read, what the gates turn away, and the screen."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import assay
from assay.app.evaluation import evaluate_facts, evaluate_rules, find_corpus, load_corpus_parts
from assay.app.installed_packs import load_pack
from assay.app.tools import build_tools
from assay.cli import evaluate as command
from assay.cli.session import Session
from assay.errors import InvalidInput
from assay.ruling.declaration import load_facts
from assay.ruling.evaluation.rule_scoring import ScoredRule
from assay.ruling.evaluation.scoring import FactTally
from assay.sdk.pack import Pack
from assay.settings import load_settings
from tests.packs.toy import toy

PACK = replace(load_facts(Path(assay.__file__).parent / "packs" / "regulatory"), extractor=toy)
TEXTS = {
    "a.txt": "The general rate is 24 % for all goods.\nAnother rate is 99 % they say.\n",
    "b.txt": "Nothing to see here, only words about bread and wine in the old town.\n",
    "c.pdf": "%PDF-1.7 and then nothing that a reader could use",
}


def known(value: str, quote: str) -> dict[str, str]:
    return {
        "value_type": "percentage",
        "value": value,
        "unit": "%",
        "predicate": "rate",
        "subject": "pdv",
        "concept": "pdv.rate",
        "quote": quote,
    }


def filled(folder: Path) -> Path:
    folder.mkdir(parents=True)
    truth: dict[str, list[dict[str, str]]] = {
        **{name: [] for name in TEXTS},
        "a.txt": [known("24", "The general rate is 24 % for all goods.")],
        "c.pdf": [known("7", "The rate is 7 %.")],
    }
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    lines = [
        json.dumps({"document": name, "language": "en", "facts": facts})
        for name, facts in truth.items()
    ]
    (folder / "truth.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = logging.raiseExceptions
    yield
    logging.raiseExceptions = before


async def test_facts_are_found_gated_and_compared(tmp_path: Path) -> None:
    tools = build_tools(load_settings(home=tmp_path / "home"))
    try:
        (told,) = await evaluate_facts(
            load_corpus_parts(PACK, filled(tmp_path / "mine")), PACK, tools
        )
    finally:
        await tools.close()
    assert told.score.overall == FactTally(known=2, found=1, matched=1, named=1)
    assert [entry.document for entry in told.unread] == ["c.pdf"]
    assert told.rejected == {"NO_QUOTE_MATCH": 1}
    assert [miss.document for miss in told.score.misses] == ["c.pdf"]
    values = told.values()
    assert (values["part"], values["documents"]) == ("mine", 3)
    assert values["overall"]["recall"] == 0.5
    assert values["misses"][0]["quote"] == "The rate is 7 %."


def test_parts_are_the_folders_with_a_truth(tmp_path: Path) -> None:
    filled(tmp_path / "one")
    filled(tmp_path / "two")
    (tmp_path / "three").mkdir()
    assert [part.name for part in load_corpus_parts(PACK, tmp_path)] == ["one", "two"]
    assert [part.name for part in load_corpus_parts(PACK, tmp_path, "two")] == ["two"]
    with pytest.raises(InvalidInput, match="no part 'three'"):
        load_corpus_parts(PACK, tmp_path, "three")


def test_a_corpus_without_a_truth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no truth\.jsonl"):
        load_corpus_parts(PACK, tmp_path)
    with pytest.raises(InvalidInput, match="There is no folder"):
        load_corpus_parts(PACK, tmp_path / "nowhere")


def test_the_packs_own_corpus_is_the_default() -> None:
    corpus = find_corpus(load_pack("regulatory"))
    assert [part.name for part in load_corpus_parts(PACK, corpus)] == ["seen", "unseen"]
    with pytest.raises(InvalidInput, match="'graph' has no data") as refused:
        find_corpus(load_pack("graph"))
    assert "--corpus" in (refused.value.advice or "")


def test_released_rules_are_compared_with_those_of_the_part() -> None:
    (part,) = load_corpus_parts(PACK, find_corpus(load_pack("regulatory")), "seen")
    right = ScoredRule(
        concept="pdv.rate",
        value_type="percentage",
        value="24",
        unit="%",
        documents=frozenset({"pdv-zakon.html"}),
    )
    wrong = replace(
        right,
        concept="pdv.threshold",
        value_type="threshold",
        value="50000",
        unit="EUR",
        documents=frozenset({"pdv-pitanja.html"}),
    )
    told = evaluate_rules(part, [right, wrong])
    assert told.overall.right_by_name == 1
    assert [known.status for _, known in told.forbidden] == ["loses"]


def called(monkeypatch: pytest.MonkeyPatch, home: Path, *arguments: str) -> Any:
    def load_toy(_name: str) -> Pack:
        return Pack(name="toy", version="1", title="Toy", facts=PACK)

    monkeypatch.setattr(command, "load_pack", load_toy)
    program = typer.Typer()
    program.command("eval")(command.evaluation)
    session = Session(home=home)
    return CliRunner().invoke(program, ["regulatory", *arguments], obj=session)


def test_the_screen_shows_figures_unread_documents_and_misses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = filled(tmp_path / "mine")
    ended = called(monkeypatch, tmp_path, "--corpus", str(corpus), "--misses")
    assert ended.exit_code == 0, ended.output
    assert "mine: 3 documents, 1 unreadable" in ended.output
    assert "c.pdf: " in ended.output
    (line,) = [line for line in ended.output.splitlines() if "all facts" in line]
    assert line.split()[2:8] == ["mine", "2", "1", "1.000", "0.500", "0.667"]
    assert "The rate is 7 %." in ended.output


def test_a_machine_gets_one_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = filled(tmp_path / "mine")
    ended = called(monkeypatch, tmp_path, "--corpus", str(corpus), "--json")
    (told,) = json.loads(ended.stdout)
    assert told["overall"]["matched"] == 1
    assert told["by_language"]["en"]["known"] == 2
