"""`review` and `conflicts`: what waits is shown, decided in a person's name, and taken back."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.model.hashes import content_hash
from assay.model.records import Artifact, ReviewRequest
from assay.settings import Settings
from assay.store import truth
from tests.cli.calls import answer, call, refusal
from tests.conftest import quick_settings
from tests.ruling.chamber import Chamber, opened
from tests.ruling.rule_makers import a_pointer

TEXT = "Article 4. The rate is 25 %. It applies to goods."
QUOTE = "The rate is 25 %."


def _open(settings: Settings, **parts: Any) -> App:
    app = App(settings, **parts)
    app.migrate()
    return app


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rate with its text, two thresholds that contradict each other, and a scan."""
    home = tmp_path_factory.mktemp("filled") / "home"
    settings = quick_settings(home)
    init_home(settings)
    chamber = opened(_open, settings)
    chamber.rule("rl_rate", "25")
    chamber.says("d1", {})
    data = TEXT.encode()
    chamber.app.blobs.put(data)
    start = TEXT.index(QUOTE)
    chamber.keep(
        Artifact(artifact_id="ar1", evidence_id="ev-d1-1", kind="HTML_CLEANED",
                 content_hash=content_hash(data), length=len(TEXT)),
        a_pointer("rl_rate", "d1", evidence_id="ev-d1-1", artifact_id="ar1", quote=QUOTE,
                  start=start, end=start + len(QUOTE), source_slug="gazette", confidence=0.97),
        ReviewRequest(request_id="rq_scan", reason="OCR_FAILED", subject_kind="evidence",
                      subject="ev9", question="Is its text right?",
                      deadline_ms=chamber.clock.now_ms() + 10**12),
    )  # fmt: skip
    chamber.stated("rl_low", "30", tier="T1", concept="pdv.threshold")
    chamber.stated("rl_high", "60", tier="T1", concept="pdv.threshold", source="blog")
    chamber.conflict("rl_low", "rl_high")
    chamber.review("rl_rate", "rl_low", "rl_high")
    chamber.app.close()
    return home


@pytest.fixture
def office(filled_once: Path, home: Path) -> Iterator[Chamber]:
    shutil.copytree(filled_once, home)
    chamber = opened(_open, quick_settings(home))
    yield chamber
    chamber.app.close()


def request_id(office: Chamber, subject: str) -> str:
    (request,) = office.requests(subject)
    return str(request["request_id"])


def conflict_id(office: Chamber) -> str:
    (conflict,) = office.rows(truth.conflict)
    return str(conflict["conflict_id"])


def test_what_waits_is_listed_with_its_tier_and_what_is_overdue(
    office: Chamber, home: Path
) -> None:
    found = answer(home, "review", "list")
    assert (found[0]["subject"], found[0]["tier"], found[0]["overdue"]) == ("rl_rate", "T0", True)
    by_reason = {q["reason"]: q for q in found}
    assert by_reason["CONFLICT"]["tier"] == "T1"
    assert by_reason["OCR_FAILED"]["tier"] is None
    assert [q["subject"] for q in answer(home, "review", "list", "--tier", "T0")] == ["rl_rate"]
    overdue = {q["reason"] for q in answer(home, "review", "list", "--overdue")}
    assert overdue == {"TIER_T0", "CONFLICT"}
    told = call(home, "review", "list", "--limit", "2").stdout
    assert "1 more" in told
    assert "(overdue)" in told and "pdv.rate is 25 %" in told
    # Years over, and nothing has happened to it but that it is shown.
    assert office.status("rl_rate") == "PENDING_REVIEW"


def test_a_rule_is_shown_with_its_words_in_context(office: Chamber, home: Path) -> None:
    found = answer(home, "review", "show", request_id(office, "rl_rate"))
    assert found == answer(home, "review", "show", "rl_rate")
    (quote,) = found["quotes"]
    assert (quote["before"], quote["quote"], quote["after"]) == (
        "Article 4. ", QUOTE, " It applies to goods.",
    )  # fmt: skip
    assert quote["authority"] == "LAW"
    told = call(home, "review", "show", "rl_rate").stdout
    assert "… Article 4. “The rate is 25 %.” It applies to goods. …" in told
    assert "the machine's version" in told
    assert answer(home, "review", "show", "rq_scan")["question"] == "Is its text right?"


@pytest.mark.parametrize(
    "arguments",
    [
        ("review", "approve", "rl_rate"),
        ("review", "reject", "rl_rate", "--by", "  "),
        ("review", "withdraw", "rl_rate"),
        ("review", "edit", "rl_rate", "value=25"),
        ("review", "answer", "rq_scan", "yes"),
        ("conflicts", "resolve", "cf", "a"),
        ("conflicts", "undo", "cf"),
    ],
)
def test_nobody_decides_in_nobodys_name(home: Path, arguments: tuple[str, ...]) -> None:
    code, error = refusal(home, *arguments)
    assert (code, error["code"]) == (3, "invalid_input")
    assert "name of the person" in error["message"]
    assert "kept with the decision" in error["advice"]


def test_approving_and_withdrawing(office: Chamber, home: Path) -> None:
    asked = request_id(office, "rl_rate")
    (made,) = answer(home, "review", "approve", asked, "--by", "Ana", "--note", "seen")
    assert (made["person"], made["decision"], made["note"]) == ("Ana", "APPROVE", "seen")
    assert office.row(truth.rule, "rl_rate")["approved_by"] == "Ana"
    code, error = refusal(home, "review", "approve", asked, "--by", "Ana")
    assert code == 3 and "is answered" in error["message"]
    told = call(home, "review", "withdraw", "rl_rate", "--by", "Ana").stdout
    assert told.strip() == "1 rule withdrawn by Ana."
    assert office.status("rl_rate") == "DEPRECATED"


def test_several_at_once_say_how_far_it_came(office: Chamber, home: Path) -> None:
    _, error = refusal(home, "review", "approve", "rl_low", "rl_rate", "--by", "Ana")
    assert "contradicts" in error["message"]
    assert office.status("rl_rate") == "PENDING_REVIEW"
    result = call(home, "review", "approve", "rl_rate", "rl_low", "--by", "Ana")
    assert result.exit_code == 3
    assert "Already decided: rl_rate." in result.stderr
    assert office.status("rl_rate") == "APPROVED"


def test_editing_keeps_both_versions(office: Chamber, home: Path) -> None:
    for changes, why in {
        ("value=26",): "is not in any quote that supports",
        ("value",): "is not a change",
        ("value=25", "value=26"): "changed twice",
        ("tier=T3",): "cannot be edited",
        ("applies_when={}",): "",
    }.items():
        code, error = refusal(home, "review", "edit", "rl_rate", *changes, "--by", "Ana")
        assert code == 3 and why in error["message"]
    (made,) = answer(
        home, "review", "edit", "rl_rate", "effective_from=2026-01-01", "--by", "Ana"
    )  # fmt: skip
    assert made["version"] == {"effective_from": "2026-01-01"}
    assert made["machine"]["effective_from"] is None
    found = answer(home, "review", "show", "rl_rate")
    assert found["effective_from"] is None
    assert found["person_version"] == {"effective_from": "2026-01-01"}
    assert [d["decision"] for d in found["decisions"]] == ["EDIT"]


def test_rejecting_and_answering(office: Chamber, home: Path) -> None:
    answer(home, "review", "reject", "rl_rate", "--by", "Ana")
    assert office.status("rl_rate") == "REJECTED"
    answer(home, "review", "answer", "rq_scan", "it is", "--by", "Ana")
    assert "rq_scan" not in {q["request_id"] for q in answer(home, "review", "list")}
    _, error = refusal(home, "review", "approve", "rq_scan", "--by", "Ana")
    assert "is about evidence ev9" in error["message"]
    _, error = refusal(home, "review", "show", "nothing")
    assert error["code"] == "not_found"


def test_a_conflict_is_shown_decided_and_taken_back(office: Chamber, home: Path) -> None:
    key = conflict_id(office)
    (listed,) = answer(home, "conflicts", "list")
    assert (listed["conflict_id"], listed["state"], listed["sides"]) == (key, "ESCALATED", 2)
    shown = answer(home, "conflicts", "show", key)
    assert {side["rule_id"] for side in shown["sides"]} == {"rl_high", "rl_low"}
    assert answer(home, "review", "show", request_id(office, key)) == shown
    told = call(home, "conflicts", "show", key).stdout
    assert "rl_high, T1, PENDING_REVIEW: pdv.threshold is" in told
    _, error = refusal(home, "review", "approve", request_id(office, key), "--by", "Ana")
    assert "conflicts resolve" in error["advice"]
    made = answer(home, "conflicts", "resolve", key, "rl_low", "--by", "Ana", "--note", "the law")
    assert (made["winner"], made["decided_by"]) == ("rl_low", "Ana")
    assert answer(home, "conflicts", "list") == []
    assert len(answer(home, "conflicts", "list", "--all")) == 1
    assert office.status("rl_high") == "DEPRECATED"
    undone = answer(home, "conflicts", "undo", made["resolution_id"], "--by", "Bo")
    assert undone["undoes"] == made["resolution_id"]
    assert office.status("rl_high") == "PENDING_REVIEW"
    (listed,) = answer(home, "conflicts", "list")
    assert listed["state"] == "ESCALATED"


def test_a_decision_is_undone_by_another_and_both_are_shown(office: Chamber, home: Path) -> None:
    (made,) = answer(home, "review", "approve", "rl_rate", "--by", "Ana")
    (undone,) = answer(home, "review", "undo", made["decision_id"], "--by", "Bo")
    assert (undone["decision"], undone["version"]) == ("UNDO", {"undoes": made["decision_id"]})
    assert office.status("rl_rate") == "PENDING_REVIEW"
    assert made["decision_id"] in call(home, "review", "show", "rl_rate").stdout
    _, again = refusal(home, "review", "undo", made["decision_id"], "--by", "Bo")
    assert "already been undone" in again["message"]
    _, unknown = refusal(home, "review", "undo", "rd_x", "--by", "Bo")
    assert unknown["code"] == "not_found"
