"""Undoing a decision: recorded as one of its own, and refused where it is too late."""

import pytest
import sqlalchemy as sa

from assay.errors import InvalidInput, QuestionChanged
from assay.model.records import ReviewRequest
from assay.model.rules import Release, ReleasedRule
from assay.ruling.review.decisions import (
    SeenRule,
    approve_rule,
    decide_rules,
    reject_rule,
    withdraw_rule,
)
from assay.ruling.review.editing import edit_rule
from assay.ruling.review.judgement import APPROVE, REJECT, make_case_version
from assay.ruling.review.lookup import read_case
from assay.ruling.review.requests import answer_request
from assay.ruling.review.service import Reviewer
from assay.ruling.review.undoing import find_undo_obstacle, undo_all
from assay.store import tables as t
from assay.store import truth
from tests.ruling.chamber import ANA, PACKS, Chamber

BO = Reviewer(person="Bo", note="too quick")


def waiting(chamber: Chamber, **more: str) -> str:
    """A rate that waits; gives the question."""
    chamber.stated("r1", **more)
    chamber.review("r1")
    (request,) = chamber.requests("r1")
    return str(request["request_id"])


def undo(chamber: Chamber, decision_id: str) -> None:
    undo_all(chamber.service, [decision_id], BO)


def publish(chamber: Chamber, *rule_ids: str, number: int = 1) -> None:
    """A release with these rules."""
    release = Release(
        release_id=f"re-{number}", pack="regulatory", version=f"{number}.0.0", number=number,
        manifest_hash="0" * 64, content_hash="0" * 64, rule_count=len(rule_ids),
        created_ms=chamber.clock.now_ms(),
    )  # fmt: skip
    chamber.keep(
        release,
        *(
            ReleasedRule(release_id=release.release_id, rule_id=rule_id, concept="pdv.rate")
            for rule_id in rule_ids
        ),
    )
    with chamber.app.engine.begin() as connection:
        rule = truth.rule
        change = sa.update(rule).where(rule.c.rule_id.in_(rule_ids))
        connection.execute(change.values(status="PUBLISHED"))


def test_an_approval_that_is_undone_waits_again_and_both_decisions_are_kept(
    chamber: Chamber,
) -> None:
    request = waiting(chamber)
    made = approve_rule(chamber.service, "r1", ANA, request_id=request)
    assert find_undo_obstacle(chamber.service, made.decision_id, BO) == ""
    undo(chamber, made.decision_id)
    rule = chamber.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"], rule["approved_key"]) == (
        "PENDING_REVIEW", None, None,
    )  # fmt: skip
    (asked,) = chamber.requests("r1")
    assert asked["request_id"] == request, "the same question waits again"
    assert (asked["answer"], asked["answered_by"], asked["reason"]) == (None, None, "TIER_T0")
    decided = sorted(chamber.rows(truth.review_decision), key=lambda row: row["at_ms"])
    assert [(row["decision"], row["person"]) for row in decided] == [
        ("APPROVE", "Ana"), ("UNDO", "Bo"),
    ]  # fmt: skip
    assert decided[1]["version"] == {"undoes": made.decision_id}
    assert "decision_undone" in chamber.actions("r1")
    assert chamber.audit_is_whole()
    # A later look of the machine does not bring the approval back.
    chamber.review("r1")
    assert chamber.status("r1") == "PENDING_REVIEW"
    approve_rule(chamber.service, "r1", BO, request_id=request)
    assert chamber.row(truth.rule, "r1")["approved_by"] == "Bo"


def test_a_rejection_that_is_undone_waits_again(chamber: Chamber) -> None:
    waiting(chamber)
    made = reject_rule(chamber.service, "r1", ANA)
    undo(chamber, made.decision_id)
    chamber.review("r1")
    assert chamber.status("r1") == "PENDING_REVIEW"
    assert chamber.reasons("r1") == ["TIER_T0"]


def test_an_undone_correction_restores_the_approval_before_it(bench: Chamber) -> None:
    waiting(bench)
    first = approve_rule(bench.service, "r1", ANA)
    made = edit_rule(bench.service, "r1", BO, {"effective_until": "2030-01-01"})
    undo(bench, made.decision_id)
    rule = bench.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"], rule["person_version"]) == (
        "APPROVED", "Ana", None,
    )  # fmt: skip
    undo(bench, first.decision_id)
    assert bench.status("r1") == "PENDING_REVIEW"


def test_an_undone_withdrawal_is_published_as_before(bench: Chamber) -> None:
    waiting(bench)
    approve_rule(bench.service, "r1", ANA)
    publish(bench, "r1")
    made = withdraw_rule(bench.service, "r1", ANA)
    undo(bench, made.decision_id)
    rule = bench.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"]) == ("PUBLISHED", "Ana")


def test_what_is_too_late_to_undo_is_refused_with_the_reason(bench: Chamber) -> None:
    waiting(bench)
    approved = approve_rule(bench.service, "r1", ANA)
    publish(bench, "r1")
    withdrawn_later = "in a release"
    with pytest.raises(InvalidInput, match=withdrawn_later) as refused:
        undo(bench, approved.decision_id)
    assert refused.value.advice == "Withdraw the rule."
    assert withdrawn_later in find_undo_obstacle(bench.service, approved.decision_id, BO)
    withdrawn = withdraw_rule(bench.service, "r1", ANA)
    with pytest.raises(InvalidInput, match="Ana has decided about the rule since"):
        undo(bench, approved.decision_id)
    publish(bench, number=2)
    with pytest.raises(InvalidInput, match="not the latest one"):
        undo(bench, withdrawn.decision_id)
    assert [row["decision"] for row in bench.rows(truth.review_decision)].count("UNDO") == 0


def test_a_decision_is_undone_once(bench: Chamber) -> None:
    waiting(bench)
    made = approve_rule(bench.service, "r1", ANA)
    undo(bench, made.decision_id)
    with pytest.raises(InvalidInput, match="already been undone"):
        undo(bench, made.decision_id)


def test_an_approval_that_lost_its_words_is_not_undone(bench: Chamber) -> None:
    waiting(bench)
    made = approve_rule(bench.service, "r1", ANA)
    bench.says("d-r1", {"r1": "In other words, 25 %."}, version=2)
    bench.review("r1")
    with pytest.raises(InvalidInput, match="the rule has changed since"):
        undo(bench, made.decision_id)
    assert bench.reasons("r1") == ["EVIDENCE_CHANGED"]


def test_a_rejected_side_does_not_come_back_beside_the_one_that_stands(bench: Chamber) -> None:
    bench.stated("a", "25")
    bench.stated("b", "13")
    bench.conflict("a", "b")
    bench.review("a", "b")
    made = reject_rule(bench.service, "a", ANA)
    with pytest.raises(InvalidInput, match="which contradicts"):
        undo(bench, made.decision_id)


def test_an_answer_in_words_is_taken_back(bench: Chamber) -> None:
    bench.keep(
        ReviewRequest(
            request_id="rq-1",
            reason="OCR_FAILED",
            subject_kind="evidence",
            subject="ev-1",
            question="Page 1 could not be read.",
        )
    )
    made = answer_request(bench.service, "rq-1", "it is blank", ANA)
    undo(bench, made.decision_id)
    row = bench.row(t.review_request, "rq-1")
    assert (row["state"], row["answer"], row["answered_by"]) == ("OPEN", None, None)
    answer_request(bench.service, "rq-1", "page 1 is an advertisement", ANA)


def test_what_was_not_seen_is_not_decided(chamber: Chamber) -> None:
    request = waiting(chamber)
    with chamber.app.engine.connect() as connection:
        version = make_case_version(read_case(connection, "r1", PACKS))
    seen = SeenRule(rule_id="r1", request_id=request, version=version)
    chamber.says("d-r1", {"r1": "In other words, 25 %."}, version=2)
    for _ in range(2):
        with pytest.raises(QuestionChanged):
            decide_rules(chamber.service, APPROVE, [seen], ANA)
        chamber.review("r1")
    assert chamber.rows(truth.review_decision) == []


def test_several_are_decided_together_or_not_at_all(chamber: Chamber) -> None:
    for name in ("r1", "r2", "r3"):
        chamber.stated(name, "25", concept=f"{name}.rate")
    chamber.review("r1", "r2", "r3")
    with chamber.app.engine.connect() as connection:
        seen = [
            SeenRule(rule_id=name, version=make_case_version(read_case(connection, name, PACKS)))
            for name in ("r1", "r2", "r3")
        ]
    reject_rule(chamber.service, "r3", Reviewer(person="Bo"))
    with pytest.raises(QuestionChanged, match="Rule r3 changed"):
        decide_rules(chamber.service, APPROVE, seen, ANA)
    assert [chamber.status(name) for name in ("r1", "r2")] == ["PENDING_REVIEW"] * 2
    made = decide_rules(chamber.service, REJECT, seen[:2], ANA)
    assert len({decision.decision_id for decision in made}) == 2
    assert [chamber.status(name) for name in ("r1", "r2")] == ["REJECTED"] * 2
    undone = undo_all(chamber.service, [each.decision_id for each in made], BO)
    assert len(undone) == 2
    assert [chamber.status(name) for name in ("r1", "r2")] == ["PENDING_REVIEW"] * 2
    assert chamber.audit_is_whole()
