"""Where it takes two people to approve a rule."""

from dataclasses import replace

import pytest

from assay.errors import InvalidInput
from assay.ruling.review.decisions import approve_rule, reject_rule, withdraw_rule
from assay.ruling.review.editing import edit_rule
from assay.ruling.review.judgement import AGREE
from assay.ruling.review.service import Reviewer, ReviewService
from assay.ruling.review.undoing import undo_all
from assay.store import truth
from tests.ruling.chamber import Chamber

ANA, IVO, MIA = (
    Reviewer(person=name, authenticated=True, is_person=True) for name in ("ana", "ivo", "mia")
)
LATER = "2024-01-01"


def careful(chamber: Chamber) -> ReviewService:
    """The service of a home in which T0 and T1 take two people."""
    return replace(chamber.service, two_people=frozenset({"T0", "T1"}))


def waiting(chamber: Chamber, **more: str) -> str:
    chamber.stated("r1", **more)
    chamber.review("r1")
    (request,) = chamber.requests("r1")
    return str(request["request_id"])


def state(chamber: Chamber) -> tuple[str, str]:
    rule = chamber.row(truth.rule, "r1")
    return rule["status"], rule["status_reason"]


WAITS = ("PENDING_REVIEW", "approved by ana; waits for a second person")


@pytest.mark.parametrize("tier", ["T0", "T1"])
def test_the_second_of_two_people_approves(chamber: Chamber, tier: str) -> None:
    request = waiting(chamber, tier=tier)
    first = approve_rule(careful(chamber), "r1", ANA, request_id=request)
    assert first.decision == AGREE and state(chamber) == WAITS
    assert chamber.row(truth.rule, "r1")["approved_by"] is None
    # The question stays open, and another look changes nothing.
    chamber.review("r1")
    assert state(chamber) == WAITS
    assert [each["request_id"] for each in chamber.requests("r1")] == [request]
    second = approve_rule(careful(chamber), "r1", IVO, request_id=request)
    assert second.decision == "APPROVE" and state(chamber) == ("APPROVED", "approved by ivo")
    chamber.review("r1")
    assert state(chamber)[0] == "APPROVED" and chamber.requests("r1") == []
    assert chamber.actions("r1")[-2:] == ["rule_approved_first", "rule_approved"]
    assert chamber.audit_is_whole()


def test_the_same_person_is_not_two(chamber: Chamber) -> None:
    waiting(chamber)
    approve_rule(careful(chamber), "r1", ANA)
    with pytest.raises(InvalidInput, match="waits for a second person"):
        approve_rule(careful(chamber), "r1", replace(ANA, note="again"))
    assert state(chamber) == WAITS and len(chamber.rows(truth.review_decision)) == 1


@pytest.mark.parametrize(
    "who",
    [
        Reviewer(person="ivo"),
        Reviewer(person="ivo", authenticated=False, is_person=False),
        Reviewer(person="token:ci", authenticated=True),
    ],
)
def test_only_people_who_are_logged_in_count(chamber: Chamber, who: Reviewer) -> None:
    waiting(chamber)
    with pytest.raises(InvalidInput, match="two people who are logged in"):
        approve_rule(careful(chamber), "r1", who)
    approve_rule(careful(chamber), "r1", ANA)
    with pytest.raises(InvalidInput, match="two people who are logged in"):
        approve_rule(careful(chamber), "r1", who)
    with pytest.raises(InvalidInput, match="two people who are logged in"):
        edit_rule(careful(chamber), "r1", who, {"effective_from": LATER})
    assert state(chamber) == WAITS


def test_a_rejection_between_the_two_begins_again(chamber: Chamber) -> None:
    waiting(chamber)
    approve_rule(careful(chamber), "r1", ANA)
    reject_rule(careful(chamber), "r1", MIA)
    assert state(chamber)[0] == "REJECTED"
    assert approve_rule(careful(chamber), "r1", IVO).decision == AGREE
    assert state(chamber)[0] == "REJECTED"
    assert approve_rule(careful(chamber), "r1", ANA).decision == "APPROVE"
    assert state(chamber)[0] == "APPROVED"


def test_other_words_between_the_two_begin_again(chamber: Chamber) -> None:
    waiting(chamber)
    approve_rule(careful(chamber), "r1", ANA)
    chamber.says("d-other", {"r1": "From now on the rate is 25 %."})
    chamber.review("r1")
    assert "second person" not in state(chamber)[1]
    assert approve_rule(careful(chamber), "r1", IVO).decision == AGREE
    assert approve_rule(careful(chamber), "r1", ANA).decision == "APPROVE"


def test_two_people_have_to_agree_on_the_same_edit(chamber: Chamber) -> None:
    waiting(chamber)
    assert edit_rule(careful(chamber), "r1", ANA, {"effective_from": LATER}).decision == AGREE
    # The machine's version is another one.
    assert approve_rule(careful(chamber), "r1", IVO).decision == AGREE
    assert edit_rule(careful(chamber), "r1", MIA, {"effective_from": LATER}).decision == AGREE
    assert chamber.row(truth.rule, "r1")["person_version"] is None
    assert edit_rule(careful(chamber), "r1", IVO, {"effective_from": LATER}).decision == "EDIT"
    rule = chamber.row(truth.rule, "r1")
    assert rule["person_version"] == {"effective_from": LATER} and rule["status"] == "APPROVED"


def test_an_approved_rule_stays_as_it_is_until_two_agree_on_a_change(chamber: Chamber) -> None:
    waiting(chamber)
    approve_rule(chamber.service, "r1", MIA)
    edit_rule(careful(chamber), "r1", ANA, {"effective_from": LATER})
    rule = chamber.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"]) == ("APPROVED", "mia")
    assert rule["person_version"] is None
    # Taking a rule back takes one.
    withdraw_rule(careful(chamber), "r1", IVO)
    assert state(chamber)[0] == "DEPRECATED"


def test_a_release_that_was_taken_back_asks_two_people_as_well(chamber: Chamber) -> None:
    waiting(chamber)
    approve_rule(chamber.service, "r1", MIA)
    chamber.undo_release("r1")
    chamber.review("r1")
    assert chamber.reasons("r1") == ["QUALITY"]
    assert approve_rule(careful(chamber), "r1", ANA).decision == AGREE
    assert chamber.reasons("r1") == ["QUALITY"] and state(chamber) == WAITS
    assert approve_rule(careful(chamber), "r1", IVO).decision == "APPROVE"


def test_without_the_setting_one_is_enough(chamber: Chamber) -> None:
    waiting(chamber)
    assert approve_rule(chamber.service, "r1", Reviewer(person="ana")).decision == "APPROVE"
    assert "authenticated" not in _last_body(chamber)


def test_the_audit_log_says_who_logged_in(chamber: Chamber) -> None:
    waiting(chamber)
    approve_rule(careful(chamber), "r1", ANA)
    assert _last_body(chamber)["authenticated"] is True
    approve_rule(careful(chamber), "r1", IVO)
    assert _last_body(chamber)["first_approved_by"] == "ana"


def _last_body(chamber: Chamber) -> dict[str, object]:
    entries = [
        row for row in chamber.rows(truth.audit_log) if row["action"].startswith("rule_appr")
    ]
    body: dict[str, object] = max(entries, key=lambda row: row["seq"])["body"]
    return body


@pytest.mark.parametrize("tier", ["T0", "T1"])
def test_undoing_a_withdrawal_brings_the_approval_back_past_a_first_one(
    chamber: Chamber, tier: str
) -> None:
    waiting(chamber, tier=tier)
    service = replace(chamber.service, two_people=frozenset({tier}))
    approve_rule(service, "r1", ANA)
    approve_rule(service, "r1", IVO)
    before = chamber.row(truth.rule, "r1")
    # An edit that nobody seconds changes nothing of the rule.
    assert edit_rule(service, "r1", MIA, {"effective_from": LATER}).decision == AGREE
    withdrawn = withdraw_rule(service, "r1", IVO)
    undo_all(service, [withdrawn.decision_id], MIA)
    rule = chamber.row(truth.rule, "r1")
    assert (rule["status"], rule["approved_by"]) == ("APPROVED", "ivo")
    assert rule["approved_key"] == before["approved_key"]
    assert chamber.audit_is_whole()


def test_a_program_does_not_bring_an_approval_back(chamber: Chamber) -> None:
    waiting(chamber)
    approve_rule(careful(chamber), "r1", ANA)
    approve_rule(careful(chamber), "r1", IVO)
    withdrawn = withdraw_rule(careful(chamber), "r1", IVO)
    program = Reviewer(person="token:ci", authenticated=True)
    with pytest.raises(InvalidInput, match="only a person who is logged in"):
        undo_all(careful(chamber), [withdrawn.decision_id], program)
    assert state(chamber)[0] == "DEPRECATED"
