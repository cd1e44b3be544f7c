"""What people decide about rules: kept beside the machine's word, and refused where it is stale."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from assay.errors import InvalidCondition, InvalidInput, NotFound
from assay.model.records import ReviewRequest
from assay.ruling.review.decisions import approve_rule, reject_rule, withdraw_rule
from assay.ruling.review.editing import edit_rule
from assay.ruling.review.requests import answer_request
from assay.ruling.review.service import Reviewer
from assay.store import tables as t
from assay.store import truth
from assay.store.dump import dump_all
from tests.ruling.chamber import ANA, Chamber

TURNOVER = '{"op":"cmp","field":"turnover","cmp":"gt","value":"60000"}'


def everything(chamber: Chamber) -> list[bytes]:
    with chamber.app.engine.connect() as connection:
        return list(dump_all(connection))


def waiting(chamber: Chamber, **more: str) -> str:
    """A rate that waits; gives the question."""
    chamber.stated("r1", **more)
    chamber.review("r1")
    (request,) = chamber.requests("r1")
    return str(request["request_id"])


def test_an_approval_is_kept_with_all_that_it_rests_on(chamber: Chamber) -> None:
    request = waiting(chamber)
    made = approve_rule(chamber.service, "r1", ANA, request_id=request)
    rule = chamber.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"], rule["approved_ms"]) == (
        "APPROVED", "Ana", chamber.clock.now_ms(),
    )  # fmt: skip
    (decision,) = chamber.rows(truth.review_decision)
    assert decision["decision_id"] == made.decision_id
    assert (decision["person"], decision["note"]) == ("Ana", "read it")
    assert decision["machine"]["value"] == "25"
    assert len(decision["machine"]["quotes"]) == 1
    assert decision["evidence_key"] == rule["approved_key"]
    (answered,) = chamber.requests("r1", state="ANSWERED")
    assert (answered["answer"], answered["answered_by"]) == ("APPROVE", "Ana")
    assert chamber.actions("r1")[-1] == "rule_approved"
    assert chamber.audit_is_whole()


@pytest.mark.parametrize("name", ["", "   "])
def test_nobody_is_no_person(name: str) -> None:
    with pytest.raises(InvalidInput, match="name of the person"):
        Reviewer(person=name)


def test_what_cannot_be_approved_is_said_why_and_changes_nothing(bench: Chamber) -> None:
    bench.stated("gone", concept="pdv.reduced_rate")
    bench.stated("a", "25")
    bench.stated("b", "13")
    bench.conflict("a", "b")
    bench.review("gone", "a", "b")
    approve_rule(bench.service, "gone", ANA)
    bench.says("d-gone", {}, version=2)
    bench.review("gone")
    bench.stated("draft")
    before = everything(bench)
    for rule, why in {
        "draft": "not been reviewed yet",
        "gone": "no document supports it any more",
        "a": "Another rule contradicts rule a",
    }.items():
        with pytest.raises(InvalidInput, match=why):
            approve_rule(bench.service, rule, ANA)
    with pytest.raises(NotFound, match="no rule nowhere"):
        approve_rule(bench.service, "nowhere", ANA)
    assert everything(bench) == before


def test_a_question_about_words_that_have_changed_is_not_answered(bench: Chamber) -> None:
    request = waiting(bench)
    bench.says("d-r1", {"r1": "In other words, 25 %."}, version=2)
    for look in range(2):
        with pytest.raises(InvalidInput, match=r"changed since|is moot") as refused:
            approve_rule(bench.service, "r1", ANA, request_id=request)
        assert "assay review show r1" in refused.value.advice
        if look == 0:
            bench.review("r1")
    assert bench.status("r1") == "PENDING_REVIEW"
    (renewed,) = bench.requests("r1")
    approve_rule(bench.service, "r1", ANA, request_id=str(renewed["request_id"]))
    assert bench.status("r1") == "APPROVED"


def test_of_two_who_decide_at_once_one_is_told_to_look_again(chamber: Chamber) -> None:
    waiting(chamber)
    both = Barrier(2)

    def decide(person: str) -> str:
        desk = chamber.service
        both.wait()
        try:
            approve_rule(desk, "r1", Reviewer(person=person))
        except InvalidInput as error:
            return str(error)
        return person

    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(decide, ["Ana", "Bo"]))
    signed = chamber.row(truth.rule, "r1")["approved_by"]
    assert signed in told
    (refused,) = [words for words in told if words != signed]
    assert "changed while you decided" in refused or "already approved" in refused
    assert [row["person"] for row in chamber.rows(truth.review_decision)] == [signed]
    assert chamber.audit_is_whole()


def test_nobody_approves_twice(bench: Chamber) -> None:
    waiting(bench)
    approve_rule(bench.service, "r1", ANA)
    with pytest.raises(InvalidInput, match="already approved by Ana"):
        approve_rule(bench.service, "r1", Reviewer(person="Bo"))
    assert len(bench.rows(truth.review_decision)) == 1


def test_a_rejection_can_be_taken_back_by_approving(bench: Chamber) -> None:
    waiting(bench)
    reject_rule(bench.service, "r1", ANA)
    assert bench.status("r1") == "REJECTED"
    assert bench.requests("r1") == []
    with pytest.raises(InvalidInput, match="already rejected"):
        reject_rule(bench.service, "r1", ANA)
    approve_rule(bench.service, "r1", Reviewer(person="Bo"))
    assert bench.row(truth.rule, "r1")["approved_by"] == "Bo"
    bench.review("r1")
    assert bench.status("r1") == "APPROVED"


def test_rejecting_one_of_two_ends_their_conflict(bench: Chamber) -> None:
    bench.stated("a", "25")
    bench.stated("b", "13")
    key = bench.conflict("a", "b")
    bench.review("a", "b")
    reject_rule(bench.service, "a", ANA)
    assert bench.row(truth.conflict, key)["state"] == "MOOT"
    assert bench.requests(key) == []
    approve_rule(bench.service, "b", ANA)
    assert bench.status("b") == "APPROVED"
    # To approve the other as well would pass the conflict by.
    with pytest.raises(InvalidInput, match="contradicts it, still stands"):
        approve_rule(bench.service, "a", ANA)


def test_what_is_withdrawn_stays_out(bench: Chamber) -> None:
    waiting(bench)
    with pytest.raises(InvalidInput, match="Nothing to withdraw"):
        withdraw_rule(bench.service, "r1", ANA)
    approve_rule(bench.service, "r1", ANA)
    withdraw_rule(bench.service, "r1", ANA)
    bench.review("r1")
    rule = bench.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"]) == ("DEPRECATED", None)
    assert bench.actions("r1")[-1] == "rule_withdrawn"
    approve_rule(bench.service, "r1", ANA)
    assert bench.status("r1") == "APPROVED"


def test_an_edit_keeps_both_versions(bench: Chamber) -> None:
    bench.rule("r1", "25")
    bench.says("d1", {"r1": "The rate is 25 %, from 1 July 2026 it is 13 %."})
    bench.review("r1")
    edit_rule(
        bench.service, "r1", ANA,
        {"value": "13", "effective_from": "2026-07-01", "applies_when": TURNOVER},
    )  # fmt: skip
    rule = bench.row(truth.rule, "r1")
    assert (rule["value"], rule["effective_from"], rule["status"]) == ("25", None, "APPROVED")
    assert rule["person_version"]["value"] == "13"
    assert rule["person_version"]["effective_from"] == "2026-07-01"
    assert "turnover" in rule["person_version"]["applies_when"]
    (decision,) = bench.rows(truth.review_decision)
    assert (decision["decision"], decision["machine"]["value"]) == ("EDIT", "25")
    assert decision["version"] == rule["person_version"]
    # A second edit adds to the first.
    edit_rule(bench.service, "r1", ANA, {"label": "VAT", "effective_until": "2027-01-01"})
    version = bench.row(truth.rule, "r1")["person_version"]
    assert (version["value"], version["label"]) == ("13", "VAT")
    # New words: the edit rested on the old ones.
    bench.says("d1", {"r1": "The rate is 25 %."}, version=2)
    bench.review("r1")
    rule = bench.row(truth.rule, "r1")
    assert (rule["status"], rule["person_version"]) == ("PENDING_REVIEW", None)


WRONG_EDITS: list[tuple[dict[str, str | None], str]] = [
    ({}, "No change to rule"),
    ({"tier": "T3"}, "'tier' of a rule cannot"),
    ({"approved_by": "Ana"}, "cannot be edited"),
    ({"value": "26"}, "is not in any quote that supports"),
    ({"value": "2"}, "is not in any quote that supports"),
    ({"value": "25,0"}, "not a number in canonical form"),
    ({"value": ""}, "cannot be empty"),
    ({"value": "25"}, "already says that"),
    ({"effective_from": "2026-02-30"}, "not a valid date"),
    ({"effective_from": "--03-31"}, "not a valid date"),
    ({"effective_from": "2027-01-01", "effective_until": "2026-01-01"}, "before it began"),
    ({"label": "x" * 201}, "at most 200"),
]


def test_a_wrong_edit_is_refused_and_changes_nothing(bench: Chamber) -> None:
    waiting(bench)
    before = everything(bench)
    for changed, why in WRONG_EDITS:
        with pytest.raises(InvalidInput, match=why):
            edit_rule(bench.service, "r1", ANA, changed)
    assert everything(bench) == before


def test_an_invalid_condition_is_refused(bench: Chamber) -> None:
    waiting(bench)
    before = everything(bench)
    unknown = '{"op":"cmp","field":"moon","cmp":"gt","value":"1"}'
    for condition in ("true", '{"op":"perhaps"}', "{", unknown):
        with pytest.raises(InvalidCondition):
            edit_rule(bench.service, "r1", ANA, {"applies_when": condition})
    with pytest.raises(InvalidInput, match="cannot be empty"):
        edit_rule(bench.service, "r1", ANA, {"applies_when": " "})
    assert everything(bench) == before


def test_an_answer_about_evidence_is_kept(bench: Chamber) -> None:
    bench.keep(
        ReviewRequest(request_id="q1", reason="OCR_FAILED", subject_kind="evidence",
                      subject="ev1", question="Is its text right?"),
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="cannot be empty"):
        answer_request(bench.service, "q1", " ", ANA)
    answer_request(bench.service, "q1", "yes, it is", ANA)
    (request,) = bench.requests("ev1", state=None)
    assert (request["state"], request["answer"], request["answered_by"]) == (
        "ANSWERED", "yes, it is", "Ana",
    )  # fmt: skip
    assert bench.actions("ev1") == ["question_answered"]
    with pytest.raises(InvalidInput, match="nothing to answer"):
        answer_request(bench.service, "q1", "no", ANA)


def test_words_alone_approve_no_rule(bench: Chamber) -> None:
    request = waiting(bench)
    with pytest.raises(InvalidInput, match="about a rule"):
        answer_request(bench.service, request, "approve it", ANA)
    assert bench.status("r1") == "PENDING_REVIEW"


def test_an_approval_settles_a_rule_whose_values_hold_side_by_side(bench: Chamber) -> None:
    bench.stated("fine", "500", concept="pdv.penalty_max")
    bench.review("fine")
    approve_rule(bench.service, "fine", ANA)
    assert bench.status("fine") == "APPROVED"
    assert [row["state"] for row in bench.rows(t.review_request)] == ["ANSWERED"]
