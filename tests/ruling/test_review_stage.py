"""The stage review: who is asked, what is approved, what loses its ground."""

from collections.abc import Sequence

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from assay.engine.contract import Change, Outcome, Result
from assay.engine.reader import Reader
from assay.errors import ContentBroken, ContractViolation, ErrorClass
from assay.model.records import ReviewRequest
from assay.model.rules import Rule
from assay.ruling.payloads import ReviewJob
from assay.ruling.review.consequences import ask_once
from assay.ruling.review.decisions import approve_rule, reject_rule
from assay.ruling.review.review import REVIEW
from assay.store import tables as t
from assay.store import truth
from assay.store.dump import dump_canonical
from tests.ruling.chamber import ANA, Chamber


def test_a_rate_waits_for_a_person_however_sure_and_however_late(chamber: Chamber) -> None:
    chamber.stated("r1", confidence=1.0)
    chamber.review("r1")
    for _ in range(3):
        chamber.clock.turn(days=1000)
        chamber.review("r1")
    assert chamber.status("r1") == "PENDING_REVIEW"
    assert chamber.row(truth.rule, "r1")["approved_by"] is None
    (request,) = chamber.requests("r1", state=None)
    assert (request["state"], request["reason"]) == ("OPEN", "TIER_T0")
    assert request["deadline_ms"] < chamber.clock.now_ms()
    assert request["deadline_ms"] - request["created_ms"] == 4 * 3_600_000


def test_the_database_itself_refuses_an_approval_without_a_person(chamber: Chamber) -> None:
    for tier in ("T0", "T1"):
        chamber.stated(f"r{tier}", tier=tier)
        for status in ("APPROVED", "PUBLISHED"):
            told = f"UPDATE rules SET status = '{status}' WHERE rule_id = 'r{tier}'"
            with pytest.raises(IntegrityError), chamber.app.engine.begin() as connection:
                connection.execute(sa.text(told))
        assert chamber.status(f"r{tier}") == "DRAFT"


def test_no_stage_can_sign_for_a_person(bench: Chamber) -> None:
    for field in ("approved_by", "approved_ms", "approved_key", "person_version"):
        change = Change(record=Rule, key="r1", when={}, to={field: "x"})
        with pytest.raises(ContractViolation):
            bench.app.pipeline.check(REVIEW, Outcome(changes=(change,)))


@pytest.mark.parametrize(
    ("tier", "confidence", "status", "reasons"),
    [
        ("T2", 0.95, "APPROVED", []),
        ("T3", 1.0, "APPROVED", []),
        ("T2", 0.94, "PENDING_REVIEW", ["LOW_CONFIDENCE"]),
        ("T1", 1.0, "PENDING_REVIEW", ["TIER_T1"]),
        ("T9", 1.0, "PENDING_REVIEW", ["TIER_T0"]),
    ],
)
def test_the_tier_decides_who_may_approve(
    bench: Chamber, tier: str, confidence: float, status: str, reasons: list[str]
) -> None:
    bench.stated("r1", tier=tier, confidence=confidence)
    bench.review("r1")
    assert (bench.status("r1"), bench.reasons("r1")) == (status, reasons)
    rule = bench.row(truth.rule, "r1")
    assert rule["confidence"] == confidence
    assert rule["approved_by"] is None
    assert "policy" in rule["status_reason"] or status != "APPROVED"


def test_the_question_tells_all_that_one_must_know(bench: Chamber) -> None:
    bench.stated("r1", "25", effective_from="2026-01-01")
    bench.review("r1")
    (request,) = bench.requests("r1")
    for part in ("pdv.rate is 25 %", "from 2026-01-01", "The rate is 25 %.", "Gazette", "LAW"):
        assert part in request["question"]


def test_a_second_look_changes_nothing(bench: Chamber) -> None:
    bench.stated("r1")
    bench.stated("r2", "13", tier="T2")
    bench.review("r1", "r2")

    def state() -> list[bytes]:
        with bench.app.engine.connect() as connection:
            return list(dump_canonical(connection))

    before, entries = state(), len(bench.rows(truth.audit_log))
    bench.review("r1", "r2")
    assert state() == before
    assert len(bench.rows(truth.audit_log)) == entries


def test_an_approval_survives_words_that_say_the_same(bench: Chamber) -> None:
    bench.stated("r1")
    bench.review("r1")
    approve_rule(bench.service, "r1", ANA)
    bench.says("d-r1", {"r1": "The  rate\nis 25 %."}, version=2)
    bench.review("r1")
    rule = bench.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"]) == ("APPROVED", "Ana")
    assert bench.requests("r1") == []


def test_an_approval_is_taken_back_when_the_words_are_others(chamber: Chamber) -> None:
    chamber.stated("r1")
    chamber.review("r1")
    approve_rule(chamber.service, "r1", ANA)
    chamber.says("d-r1", {"r1": "Until 1990 the rate was 25 %."}, version=2)
    chamber.review("r1")
    rule = chamber.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"], rule["approved_key"]) == (
        "PENDING_REVIEW", None, None,
    )  # fmt: skip
    assert chamber.reasons("r1") == ["EVIDENCE_CHANGED"]
    (request,) = chamber.requests("r1")
    assert request["deadline_ms"] - request["created_ms"] == 4 * 3_600_000
    assert "rule_held_for_review" in chamber.actions("r1")
    # The words come back: what was taken back is asked for again, and never given by itself.
    chamber.says("d-r1", {"r1": "The rate is 25 %."}, version=3)
    chamber.review("r1")
    assert chamber.status("r1") == "PENDING_REVIEW"
    approve_rule(chamber.service, "r1", ANA)
    assert chamber.status("r1") == "APPROVED"
    assert chamber.requests("r1") == []


def test_further_words_take_no_approval_away(bench: Chamber) -> None:
    bench.stated("r1")
    bench.review("r1")
    approve_rule(bench.service, "r1", ANA)
    bench.says("d2", {"r1": "VAT: 25 per cent."}, source="blog")
    bench.review("r1")
    assert bench.status("r1") == "APPROVED"


def test_a_rule_that_no_document_states_any_more(bench: Chamber) -> None:
    for name, tier in (("kept", "T0"), ("never", "T0"), ("policy", "T2")):
        bench.stated(name, tier=tier)
    bench.review("kept", "never", "policy")
    assert bench.status("policy") == "APPROVED"
    approve_rule(bench.service, "kept", ANA)
    for name in ("kept", "never", "policy"):
        bench.says(f"d-{name}", {}, version=2)
    for _ in range(2):
        bench.review("kept", "never", "policy")
        assert bench.status("kept") == "PENDING_REVIEW"
        assert bench.reasons("kept") == ["EVIDENCE_CHANGED"]
        assert bench.row(truth.rule, "kept")["approved_by"] is None
        assert (bench.status("never"), bench.status("policy")) == ("DEPRECATED", "DEPRECATED")
        assert bench.requests("never") == []
    assert bench.actions("policy")[-1] == "rule_deprecated"
    # A person rejects it, and it stays so.
    reject_rule(bench.service, "kept", ANA)
    bench.review("kept")
    assert bench.status("kept") == "REJECTED"


def test_what_comes_back_is_looked_at_again(bench: Chamber) -> None:
    bench.stated("r1")
    bench.review("r1")
    bench.says("d-r1", {}, version=2)
    bench.review("r1")
    assert bench.status("r1") == "DEPRECATED"
    bench.says("d-r1", {"r1": "The rate is 25 %."}, version=3)
    bench.review("r1")
    assert bench.status("r1") == "PENDING_REVIEW"
    (request,) = bench.requests("r1", state=None)
    assert request["state"] == "OPEN"


def test_what_was_rejected_stays_so_until_it_is_said_in_new_words(bench: Chamber) -> None:
    bench.stated("r1", tier="T2")
    bench.review("r1")
    reject_rule(bench.service, "r1", ANA)
    bench.says("d-r1", {"r1": "The rate is 25 %."}, version=2)
    bench.review("r1")
    assert bench.status("r1") == "REJECTED"
    bench.says("d-r1", {"r1": "From now on the rate is 25 %."}, version=3)
    bench.review("r1")
    # Though its tier and its confidence would do: a person has spoken, and is asked again.
    assert bench.status("r1") == "PENDING_REVIEW"
    assert bench.reasons("r1") == ["EVIDENCE_CHANGED"]


def test_a_late_look_takes_back_no_approval(
    chamber: Chamber, monkeypatch: pytest.MonkeyPatch
) -> None:
    chamber.stated("r1")
    chamber.review("r1")
    work = chamber.app.pipeline.function("review")

    async def overtaken(jobs: Sequence[ReviewJob], read: Reader) -> Sequence[Result]:
        results = await work(jobs, read)
        # Before it is stored, the words are there again, and a person approves them.
        chamber.says("d-r1", {"r1": "The rate is 25 %."}, version=3)
        approve_rule(chamber.service, "r1", ANA)
        return results

    chamber.says("d-r1", {}, version=2)
    monkeypatch.setattr(chamber.app.pipeline, "function", lambda _name: overtaken)
    chamber.review("r1")
    rule = chamber.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"]) == ("APPROVED", "Ana")
    assert "rule_deprecated" not in chamber.actions("r1")


def test_a_rule_without_pointers_is_refused_by_the_gate(bench: Chamber) -> None:
    bench.rule("r1")
    bench.review("r1")
    (dead,) = bench.rows(t.dead_letter)
    assert "rule_has_pointers" in dead["error_message"]
    assert bench.status("r1") == "DRAFT"


def test_more_independent_sources_make_it_surer(bench: Chamber) -> None:
    bench.stated("r1", tier="T2", confidence=0.9)
    bench.review("r1")
    assert bench.reasons("r1") == ["LOW_CONFIDENCE"]
    bench.says("d2", {"r1": "The rate is 25 %."}, source="guide", confidence=0.9)
    bench.says("d3", {"r1": "The rate is 25 %."}, source="blog", confidence=0.9)
    bench.review("r1")
    assert bench.row(truth.rule, "r1")["confidence"] == 0.96
    assert bench.status("r1") == "APPROVED"
    assert bench.requests("r1") == []
    assert [row["state"] for row in bench.requests("r1", state=None)] == ["MOOT"]


def test_an_equal_value_with_a_date_takes_nothing_from_the_one_without(bench: Chamber) -> None:
    bench.stated("undated", "25")
    bench.stated("dated", "25", effective_from="2026-01-01")
    bench.review("undated", "dated")
    assert [bench.status(rule) for rule in ("undated", "dated")] == ["PENDING_REVIEW"] * 2
    approve_rule(bench.service, "undated", ANA)
    bench.review("undated", "dated")
    assert bench.status("undated") == "APPROVED"


def test_what_cannot_be_judged_is_a_question(bench: Chamber) -> None:
    handler = REVIEW.on_error[ErrorClass.CONTENT]
    assert callable(handler)
    outcome = handler(
        ReviewJob(pack="regulatory", concept="pdv.rate"), ContentBroken("Its words are garbled.")
    )
    bench.app.pipeline.check(REVIEW, outcome)
    (request,) = outcome.records
    assert isinstance(request, ReviewRequest)
    assert (request.reason, request.subject, request.state) == (
        "QUALITY", "regulatory/pdv.rate", "OPEN",
    )  # fmt: skip
    assert "Its words are garbled." in request.question


def test_an_unknown_pack_is_said_and_approves_nothing(bench: Chamber) -> None:
    bench.stated("r1", tier="T3", pack="elsewhere")
    bench.review("r1")
    (dead,) = bench.rows(t.dead_letter)
    assert "pack 'elsewhere', which is not installed" in dead["error_message"]
    assert bench.status("r1") == "DRAFT"


def test_an_open_question_names_the_source_that_is_left_when_a_copy_was_recognized() -> None:
    asked = ReviewRequest(request_id="rq_1", reason="TIER_T0", subject_kind="rule", subject="rl_1",
                          source_slug="chamber", question="Does this hold?")  # fmt: skip
    again = asked.model_copy(update={"source_slug": "town"})
    assert ask_once(again, [asked], 1) == ([again], [])
    assert ask_once(asked, [asked], 1) == ([], [])
