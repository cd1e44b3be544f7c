"""`assay extract`: the facts of any file, without a store."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.cli import extract as command
from assay.cli.main import program
from assay.ruling.declaration import load_facts
from assay.ruling.facts.proposals import Extractor
from tests.cli.calls import call, refusal
from tests.cli.odd_extractors import endless, proposing
from tests.spine.scans import write_scan

FOLDER = Path(command.__file__).parents[1] / "packs" / "regulatory"
RATE = "The standard rate of value added tax is 25 %."
ACT = f"""<html lang="en"><head><title>VAT Act</title></head><body><main><h1>VAT Act</h1>
<h2>Article 4</h2><p>{RATE}</p></main></body></html>"""
FIELDS = {
    "concept", "domain", "subject", "predicate", "value", "value_type", "unit", "quote", "start",
    "end", "page", "article", "confidence", "effective_from", "effective_until", "applies_when",
    "amends", "replaces", "tier",
}  # fmt: skip


@pytest.fixture
def act(tmp_path: Path) -> Path:
    file = tmp_path / "act.html"
    file.write_text(ACT, encoding="utf-8")
    return file


@pytest.fixture
def with_extractor(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Another extractor in the place of the pack's own."""

    def use(extractor: Extractor) -> None:
        pack = load_facts(FOLDER, extractor)
        monkeypatch.setattr(command, "choose_facts", lambda *_: pack)

    return use


def files(home: Path, *words: str, code: int = 0, **env: str) -> list[dict[str, Any]]:
    told = call(home, "extract", *words, "--json", env={"ASSAY_PACK": "regulatory", **env})
    assert told.exit_code == code, told.output
    found: list[dict[str, Any]] = json.loads(told.stdout)["files"]
    return found


def values(entry: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(fact["concept"], fact["value"], fact["unit"]) for fact in entry["facts"]]


def test_a_fact_comes_with_quote_and_span(home: Path, act: Path) -> None:
    (told,) = files(home, str(act), "--pack", "regulatory")
    assert (told["file"], told["language"], told["title"]) == (str(act), "en", "VAT Act")
    (fact,) = told["facts"]
    assert set(fact) == FIELDS
    assert values(told) == [("pdv.rate", "25", "%")]
    (read,) = json.loads(call(home, "read", str(act), "--json").stdout)
    assert read["text"][fact["start"] : fact["end"]] == fact["quote"] == RATE
    assert (fact["tier"], fact["applies_when"], fact["amends"]) == ("T0", {"op": "true"}, False)
    assert told["coverage"]["covered"] == told["coverage"]["relevant"] == 1
    assert told["rejected"] == []
    assert not home.exists()


def test_a_person_sees_value_quote_and_place(home: Path, act: Path) -> None:
    told = call(home, "extract", str(act), "--pack", "regulatory")
    assert told.exit_code == 0
    for words in (
        "pdv.rate: 25 %",
        f"“{RATE}”",
        "coverage  1 of 1 relevant sentence (100%), 1 of 1 value",
    ):
        assert words in told.stdout


def test_the_coverage_of_nothing_has_no_share(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("The library is open to everybody who likes to read.\n")
    (found,) = files(home, str(file), "--language", "en")
    assert (found["coverage"]["relevant"], found["coverage"]["share"]) == (0, None)
    shown = call(home, "extract", str(file), "--language", "en", "--pack", "regulatory")
    assert "coverage  – (no relevant sentences)\n" in shown.stdout


def test_every_kind_of_file_is_read(home: Path, tmp_path: Path) -> None:
    made = {
        "a.txt": f"Value added tax\n\n{RATE}\n".encode(),
        "a.xml": f"<act><title>Value added tax</title><p>{RATE}</p></act>".encode(),
        "a.json": json.dumps({"title": "Value added tax", "text": RATE}).encode(),
        "a.docx": docx(["Value added tax", RATE]),
    }
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    told = files(home, *(str(tmp_path / name) for name in made), "--language", "en")
    found = {Path(entry["file"]).name: values(entry) for entry in told}
    assert found == {name: [("pdv.rate", "25", "%")] for name in made}


def docx(paragraphs: list[str]) -> bytes:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as parts:
        parts.writestr("[Content_Types].xml", f'<Types xmlns="{types}"/>')
        parts.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>',
        )
    return kept.getvalue()


def test_a_scan_gives_facts_with_their_pages(home: Path, tmp_path: Path) -> None:
    file = write_scan(tmp_path / "scan.pdf")
    (told,) = files(home, str(file))
    rate = next(fact for fact in told["facts"] if fact["concept"] == "pdv.rate")
    assert (rate["value"], rate["page"]) == ("25", 1)


def test_what_is_piped_is_read(home: Path) -> None:
    arguments = ["--home", str(home), "extract", "-", "--pack", "regulatory", "--json"]
    told = CliRunner().invoke(program, arguments, input=ACT.encode(), catch_exceptions=False)
    assert told.exit_code == 0, told.output
    (entry,) = json.loads(told.stdout)["files"]
    assert (entry["file"], values(entry)) == ("-", [("pdv.rate", "25", "%")])


def test_one_bad_file_says_why_and_the_rest_goes_on(home: Path, act: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    told = files(home, str(tmp_path / "none.pdf"), str(picture), str(act), code=3)
    assert "No such file" in told[0]["error"]["message"]
    assert told[1]["error"]["code"] == "content_unsupported"
    assert values(told[2]) == [("pdv.rate", "25", "%")]
    shown = call(home, "extract", str(picture), str(act), "--pack", "regulatory")
    assert shown.exit_code == 3
    assert "refused" in shown.stdout
    assert "pdv.rate: 25 %" in shown.stdout


def test_a_rejected_claim_keeps_its_reason(home: Path, act: Path, with_extractor: Any) -> None:
    with_extractor(proposing)
    (told,) = files(home, str(act), "--published", "2026-01-31")
    assert values(told) == [("pdv.rate", "25", "%")]
    assert told["facts"][0]["effective_from"] == "2026-01-31"
    (refused,) = told["rejected"]
    assert (refused["reason"], refused["value"]) == ("VALUE_NOT_IN_QUOTE", "13")
    assert set(refused) == FIELDS | {"reason", "detail"}
    assert told["coverage"] == {
        "sentences": 2, "relevant": 1, "covered": 1, "share": 1.0, "values_total": 0,
        "values_found": 0,
    }  # fmt: skip
    shown = call(home, "extract", str(act))
    assert "rejected: pdv.rate: 13 %" in shown.stdout
    assert "VALUE_NOT_IN_QUOTE: '13 %' was not found in the quote." in shown.stdout


def test_a_file_that_never_ends_is_given_up(
    home: Path, act: Path, tmp_path: Path, with_extractor: Any
) -> None:
    with_extractor(endless)
    file = tmp_path / "endless.txt"
    file.write_text(f"{RATE} It holds for ever.", encoding="utf-8")
    told = files(home, str(file), str(act), code=3, ASSAY_READ_TIMEOUT_S="4")
    assert told[0]["error"]["code"] == "content_hostile"
    assert values(told[1]) == [("pdv.rate", "25", "%")]


def test_a_foreign_language_is_said(home: Path, act: Path) -> None:
    (told,) = files(home, str(act), "--language", "fr")
    assert any(
        "The language is 'fr'; pack 'regulatory' finds facts in hr, en, de" in warning
        for warning in told["warnings"]
    )


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("--pack", "none"), 3, "not_found"),
        (("--language", "Croatian"), 2, "usage"),
        (("--published", "1.1.2026"), 3, "invalid_input"),
    ],
    ids=["pack", "language", "day"],
)
def test_bad_options_are_refused(
    home: Path, act: Path, words: tuple[str, ...], code: int, error: str
) -> None:
    ended, told = refusal(home, "extract", str(act), *words)
    assert (ended, told["code"]) == (code, error)


def test_an_unknown_pack_names_the_known_ones(home: Path, act: Path) -> None:
    assert "regulatory" in refusal(home, "extract", str(act), "--pack", "none")[1]["advice"]


def test_where_several_packs_take_facts_one_must_be_named(home: Path, act: Path) -> None:
    ended, told = refusal(home, "extract", str(act))
    assert (ended, told["code"]) == (3, "invalid_input")
    assert told["message"] == "Several packs extract facts: graph, regulatory."
    assert "--pack" in told["advice"]
