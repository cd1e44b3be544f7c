"""`assay ask`, `assay serve` and the looks into the rule book."""

import json
import shutil
import socket
import urllib.request
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.asking import ask, read_exported_rules
from assay.app.composition import init_home
from assay.errors import ContentBroken, NotFound
from assay.model.facts import CandidateFact, CoverageReport, ExtractionRejected
from assay.model.records import ReviewRequest
from assay.settings import load_settings
from assay.store.upserts import upsert_records
from tests.cli.calls import Called, answer, call, refusal
from tests.ruling.published import BOOKS, line, manifest
from tests.server.stored import LINES, publish

DAY = ("--as-of", "2026-01-01")


@pytest.fixture(scope="module")
def published_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("published") / "home"
    settings = load_settings(home=home, env={})
    init_home(settings)
    with App(settings) as app:
        app.migrate()
        publish(app, *LINES)
    return home


@pytest.fixture
def published(published_once: Path, home: Path) -> Path:
    shutil.copytree(published_once, home)
    return home


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "manifest.jsonl").write_bytes(manifest(*LINES))
    return folder


def test_a_person_sees_value_rule_quote_source_and_release(published: Path) -> None:
    told = call(published, "ask", *DAY, "activity=bread", "pdv.rate")
    assert told.exit_code == 0, told.output
    for words in (
        "value added tax: rate, on 2026-01-01",
        "25 %",
        "rl_general (T0)",
        "from 2025-01-01 on",
        "always",
        "“The rate of value added tax is 25 %.”",
        "Gazette, Article 4, page 3, https://gazette.example/acts/1",
        "ana",
        "Release 1.0.0 of regulatory",
    ):
        assert words in told.stdout
    assert "23 %" not in told.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("pdv.rate", "activity=books"),
        ("activity=books", "pdv.rate"),
        ("PDV: stopa", "activity=Books"),
    ],
    ids=["first", "last", "alias"],
)
def test_the_concept_stands_anywhere_under_any_of_its_names(
    published: Path, words: tuple[str, ...]
) -> None:
    told = answer(published, "ask", *DAY, *words)
    assert [found["display"] for found in told["answers"]] == ["5 %"]
    assert told["concept"] == "pdv.rate"


def test_what_would_decide_more_is_told(published: Path) -> None:
    told = call(published, "ask", *DAY, "pdv.rate")
    assert "25 %" in told.stdout
    assert "5 % (activity is “books”): needs: activity" in told.stdout
    assert "Add: assay ask activity=… pdv.rate" in told.stdout


def test_none_says_why_and_ends_otherwise(published: Path) -> None:
    told = call(published, "ask", "--as-of", "2011-12-31", "pdv.rate")
    assert told.exit_code == 6
    assert "No rule in the release applies." in told.stdout
    assert "23 % (always): it is in force only from 2012-01-01" in told.stdout
    asked = call(published, "ask", "--as-of", "2011-12-31", "pdv.rate", "--json")
    assert (asked.exit_code, json.loads(asked.stdout)["state"]) == (6, "NONE")


def test_several_are_told_and_end_otherwise(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "manifest.jsonl"
    file.write_bytes(manifest(line("a"), line("b", "13")))
    told = call(home, "ask", "--from", str(file), *DAY, "pdv.rate")
    assert told.exit_code == 6
    assert "2 different values apply" in told.stdout
    assert "13 %" in told.stdout
    assert "25 %" in told.stdout


def test_a_doubt_is_told_in_words_and_as_json(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "manifest.jsonl"
    doubt = {"from": "2026-01-01", "why": "the words were not found", "quote": "“24 %” becomes"}
    file.write_bytes(manifest(line("a", doubts=[doubt])))
    told = call(home, "ask", "--from", str(file), *DAY, "pdv.rate")
    assert told.exit_code == 6
    assert "May have changed from 2026-01-01: ““24 %” becomes” was not applied." in told.stdout
    told = call(home, "ask", "--from", str(file), *DAY, "pdv.rate", "--json")
    said = json.loads(told.stdout)
    assert (told.exit_code, said["state"]) == (6, "UNCERTAIN")
    assert [found["doubt"] for found in said["answers"]] == [doubt]
    before = call(home, "ask", "--from", str(file), "--as-of", "2025-12-31", "pdv.rate", "--json")
    assert (before.exit_code, json.loads(before.stdout)["answers"][0]["doubt"]) == (0, None)


def test_a_bundle_needs_no_store(home: Path, bundle: Path) -> None:
    told = call(home, "ask", "--from", str(bundle), *DAY, "activity=books", "VAT: rate")
    assert told.exit_code == 0, told.output
    assert "5 %" in told.stdout
    assert not home.exists()


def test_a_bundle_says_that_it_cannot_know_what_has_changed(home: Path, bundle: Path) -> None:
    told = call(home, "ask", "--from", str(bundle), *DAY, "activity=books", "pdv.rate")
    assert "An exported release cannot know whether its rules have changed since" in told.stdout
    told = call(home, "ask", "--from", str(bundle), *DAY, "activity=books", "pdv.rate", "--json")
    assert json.loads(told.stdout)["freshness"] == "UNKNOWN"


def test_a_stale_answer_says_what_is_newer_and_ends_otherwise(
    published: Path, opened: Callable[[Path], App]
) -> None:
    with opened(published).engine.begin() as connection:
        connection.execute(
            sa.text(
                "UPDATE rules SET status = 'PENDING_REVIEW', status_reason = 'the words have "
                "changed' WHERE rule_id = 'rl_general'"
            )
        )
        request = ReviewRequest(
            request_id="rq_1",
            reason="EVIDENCE_CHANGED",
            subject_kind="rule",
            subject="rl_general",
            question="Does 25 % still hold?",
        )
        upsert_records(connection, [request])
    told = call(published, "ask", *DAY, "activity=bread", "pdv.rate")
    assert told.exit_code == 7, told.output
    assert "Stale: something has changed since release 1.0.0; see below." in told.stdout
    assert "Stale: it is under review: the words have changed." in told.stdout
    assert "rq_1: Does 25 % still hold?" in told.stdout
    told = call(published, "ask", *DAY, "activity=bread", "pdv.rate", "--json")
    assert (told.exit_code, json.loads(told.stdout)["freshness"]) == (7, "STALE")
    other = call(published, "ask", *DAY, "activity=books", "pdv.rate")
    assert (other.exit_code, "Stale" in other.stdout) == (0, False)


@pytest.mark.parametrize("name", ["VAT rate", "vat.rate", "stopa PDV-a", "our rate"])
def test_english_names_words_and_aliases_find_the_concept(
    published: Path, bundle: Path, name: str
) -> None:
    (published / "assay.toml").write_text('[aliases]\n"our rate" = "pdv.rate"\n')
    asked = (*DAY, "activity=books", name)
    assert answer(published, "ask", *asked)["concept"] == "pdv.rate"
    assert answer(published, "ask", "--from", str(bundle), *asked)["concept"] == "pdv.rate"
    assert len(answer(published, "rules", "list", "--concept", name)) == 3
    assert answer(published, "rules", "list", "--concept", "pdv.threshold") == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("turnover=abc", "'turnover=abc' has the wrong type: turnover is a number, such as 50000."),
        ("income=2026-01-01", "'income=2026-01-01' has the wrong type: income is a number"),
        ("resident=5", "'resident=5' has the wrong type: resident is true or false."),
        ("colour=red", "No rule asks about 'colour'."),
    ],
    ids=["text", "date", "number", "unknown"],
)
def test_a_wrong_type_is_refused_with_what_is_expected(
    published: Path, given: str, message: str
) -> None:
    code, told = refusal(published, "ask", *DAY, "pdv.rate", given)
    assert (code, told["code"]) == (3, "invalid_input")
    assert message in told["message"]
    assert "income (number)" in told["advice"]
    assert "resident (boolean)" in told["advice"]


def test_the_same_from_python(published: Path, bundle: Path, opened: Callable[[Path], App]) -> None:
    sources = (opened(published), bundle, read_exported_rules(bundle))
    told = [ask(source, "pdv.rate", {"activity": "books"}, date(2026, 1, 1)) for source in sources]
    assert {reply.answer.found[0].value for reply in told} == {"5"}
    assert len({reply.release.manifest_hash for reply in told}) == 1
    with pytest.raises(NotFound):
        ask(bundle, "pdv.rate", release="9.0.0")


def test_an_altered_bundle_is_refused(bundle: Path) -> None:
    file = bundle / "manifest.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"value":"5"', b'"value":"6"'))
    with pytest.raises(ContentBroken, match="do not match its header"):
        read_exported_rules(bundle)


def test_penalties_hold_side_by_side(tmp_path: Path) -> None:
    file = tmp_path / "manifest.jsonl"
    told = {"concept": "pdv.penalty", "value_type": "currency", "unit": "EUR"}
    file.write_bytes(
        manifest(line("a", "500", **told), line("b", "900", applies_when=BOOKS, **told))
    )
    reply = ask(file, "pdv.penalty", {"activity": "books"}, date(2026, 1, 1))
    assert [found.value for found in reply.answer.found] == ["900", "500"]


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("activity=books",), 2, "usage"),
        (("pdv.rate", "pdv.threshold"), 2, "usage"),
        (("pdv.rte",), 3, "not_found"),
        (("pdv.rate", "Activity=x"), 3, "invalid_input"),
        (("pdv.rate", "colour=red"), 3, "invalid_input"),
        (("pdv.rate", "--as-of", "31.1.2026"), 3, "invalid_input"),
        (("pdv.rate", "--release", "7.0.0"), 3, "not_found"),
        (("pdv.rate", "--from", "nowhere"), 3, "invalid_input"),
    ],
    ids=["none", "two", "unknown", "case", "field", "day", "release", "folder"],
)
def test_bad_questions_are_refused(
    published: Path, words: tuple[str, ...], code: int, error: str
) -> None:
    ended, told = refusal(published, "ask", *words)
    assert (ended, told["code"]) == (code, error), told


def test_rules_are_listed_and_shown(published: Path) -> None:
    assert [r["rule_id"] for r in answer(published, "rules", "list")] == [
        "rl_old", "rl_books", "rl_general",
    ]  # fmt: skip
    assert answer(published, "rules", "list", "--status", "DRAFT") == []
    told = call(published, "rules", "list", "--limit", "1")
    assert "from 2012-01-01 until 2025-01-01 (not included)" in told.stdout
    assert "2 more; --limit shows them." in told.stdout
    shown = call(published, "rules", "show", "rl_old")
    assert "rl_general SUPERSEDES rl_old (later)" in shown.stdout
    assert "“The rate of value added tax is 23 %.”" in shown.stdout
    assert refusal(published, "rules", "show", "rl_non")[1]["code"] == "not_found"


def test_facts_rejected_claims_and_coverage_are_shown(
    published: Path, opened: Callable[[Path], App]
) -> None:
    proposal = {"subject": "pdv", "predicate": "rate", "value": "250", "unit": "%"}
    with opened(published).engine.begin() as connection:
        upsert_records(connection, [
            CandidateFact(
                fact_id="fa_1", pack="regulatory", evidence_id="ev_1", artifact_id="ar_1",
                doc_id="do_1", source_slug="gazette", domain="pdv", concept="pdv.rate",
                subject="pdv", predicate="rate", value="25", value_type="percentage", unit="%",
                quote="Stopa iznosi 25 %.", start=4, end=22, page=2, confidence=0.9,
                applies_when='{"op":"true"}', extractor="deterministic@1",
            ),
            ExtractionRejected(
                rejected_id="rj_1", pack="regulatory", evidence_id="ev_1", source_slug="gazette",
                reason="OUT_OF_RANGE", detail="250 is not between 0 and 100.", proposal=proposal,
                extractor="deterministic@1",
            ),
            CoverageReport(
                evidence_id="ev_1", pack="regulatory", artifact_id="ar_1", sentences=9,
                relevant=4, covered=3, values_total=6, values_found=4, facts=1, rejected=1,
                share=0.75, extractor="deterministic@1",
            ),
        ])  # fmt: skip
    facts = call(published, "facts", "list", "--concept", "pdv.rate")
    assert "page 2, characters 4 to 22" in facts.stdout
    assert answer(published, "facts", "list", "--source", "other") == []
    rejected = call(published, "facts", "rejected", "--reason", "OUT_OF_RANGE")
    assert "250 is not between 0 and 100." in rejected.stdout
    assert "pdv.rate: 250 %" in rejected.stdout
    covered = call(published, "coverage")
    told = "3 of 4 relevant sentences in 1 document (75%), 4 of 6 values; 1 fact, 1 rejected."
    assert told in covered.stdout
    assert answer(published, "coverage")["share"] == 0.75


def test_the_server_answers_until_it_is_stopped(published: Path) -> None:
    program = Called(published, "serve", "--port", "0")
    url = f"{program.served_url()}/api/ask?concept=pdv.rate&as_of=2026-01-01"
    with urllib.request.urlopen(url) as got:
        assert json.load(got)["answers"][0]["value"] == "25"
    program.process.terminate()
    ended = program.end()
    assert ended.code == 143, ended


def test_a_port_that_is_taken_is_said(published: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, told = refusal(published, "serve", "--port", str(port))
    assert (code, told["message"]) == (3, f"Port {port} on 127.0.0.1 is already in use.")
