"""Evaluating excerpts: both halves are measured, and only one shows its single errors."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import assay
from assay.app.excerpt_evaluation import ExcerptEvaluation, evaluate_excerpts
from assay.app.tools import build_tools
from assay.cli.evaluate_excerpts import evaluate_with_texts, render_excerpts
from assay.cli.session import Session
from assay.ruling.declaration import load_facts
from assay.ruling.evaluation.excerpts import TEXTS, Half, half_of
from assay.settings import load_settings
from tests.packs.toy import toy

PACK = replace(load_facts(Path(assay.__file__).parent / "packs" / "regulatory"), extractor=toy)
NAMES = {half: next(f"{n}.txt" for n in range(99) if half_of(f"{n}.txt") is half) for half in Half}


def annotate(name: str, at: str) -> str:
    def fact(value: str, words: str) -> dict[str, object]:
        return {
            "at": words,
            "value": value,
            "unit": "%",
            "predicates": ["rate"],
            "about": ["pdv"],
            "provision": ["sec_1"],
        }

    return json.dumps(
        {
            "document": name,
            "language": "en",
            "jurisdiction": "uk",
            "instrument": ["VAT Act"],
            "source": {"repository": "a/b", "commit": "c", "path": "d", "licence": "e"},
            "facts": [fact("24", "24 %"), fact("7", at)],
            "not_facts": [{"at": "8 %", "why": "a value of the past"}],
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / TEXTS).mkdir()
    for half, name in NAMES.items():
        line = annotate(name, f"{half.value} 7 percent")
        (tmp_path / f"{half.value}.jsonl").write_text(line + "\n", encoding="utf-8")
        (tmp_path / TEXTS / name).write_text(
            f"The rate of the tax is 24 % here.\nThe rate was 8 % before.\n{half.value} 7 percent\n"
        )
    return tmp_path


async def evaluate(folder: Path) -> ExcerptEvaluation:
    tools = build_tools(load_settings(home=folder / "home"))
    try:
        return await evaluate_excerpts(folder, PACK, tools)
    finally:
        await tools.close()


async def test_both_halves_are_measured_and_only_one_lists_single_errors(folder: Path) -> None:
    found = await evaluate(folder)
    for score in found.halves.values():
        assert (score.known, score.matched, score.found, score.sprung) == (2, 1, 2, 1)
    console = Console(width=200)
    with console.capture() as capture:
        console.print(render_excerpts(found, misses=True))
    shown = capture.get()
    assert "tuning 7 percent" in shown
    assert "held-out 7 percent" not in shown
    assert NAMES[Half.HELD_OUT] not in shown
    assert "(1 of 2)" in shown
    assert NAMES[Half.HELD_OUT] not in json.dumps(found.values())


async def test_an_excerpt_without_a_text_counts_as_missed(folder: Path) -> None:
    (folder / TEXTS / NAMES[Half.TUNING]).unlink()
    found = await evaluate(folder)
    assert found.unread == {NAMES[Half.TUNING]: "its text is not here"}
    assert found.halves[Half.TUNING].matched == 0


def test_without_texts_the_excerpts_are_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate_with_texts(Session(home=tmp_path), tmp_path, PACK) is None
    assert "Skipping real law" in capsys.readouterr().err
