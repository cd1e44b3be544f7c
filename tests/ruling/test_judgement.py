"""What becomes of a rule, whatever is known of it: nothing but a person approves what is grave."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.model.rules import Conflict, ConflictSide, ReviewDecision, RuleStatus
from assay.ruling.review.judgement import (
    RuleCase,
    RuleJudgement,
    has_standing_approval,
    is_standing,
    judge_rule,
    make_evidence_key,
)
from assay.ruling.rules.rule_support import list_quote_keys
from tests.ruling.rule_makers import ALWAYS, a_pointer, a_rule

WORDS = ("The rate is 25 %.", "It is 25 %.", "Rate: 25 %.")


def a_decision(kind: str, words: list[str], at_ms: int) -> ReviewDecision:
    pointers = [a_pointer("r", quote=quote) for quote in words]
    return ReviewDecision(
        decision_id=f"rd{at_ms}",
        subject_kind="rule",
        subject="r",
        decision=kind,
        person="Ana",
        machine={"quotes": list_quote_keys(pointers)},
        evidence_key=make_evidence_key(pointers),
        at_ms=at_ms,
    )


def a_conflict(state: str) -> Conflict:
    return Conflict(
        conflict_id="c", pack="regulatory", concept="pdv.rate", value_type="percentage",
        applies_when=ALWAYS, kind="SOURCE", sign="VALUE_MISMATCH", state=state,
    )  # fmt: skip


def a_side(contested: bool, gave_way_to: str | None, holds: bool) -> ConflictSide:
    return ConflictSide(
        side_id="s", conflict_id="c", rule_id="r", contested=contested, gave_way_to=gave_way_to,
        holds=holds,
    )  # fmt: skip


DECISIONS = st.lists(
    st.tuples(
        st.sampled_from(["APPROVE", "EDIT", "REJECT", "WITHDRAW"]),
        st.lists(st.sampled_from(WORDS), max_size=3),
    ),
    max_size=3,
).map(lambda told: [a_decision(kind, words, at) for at, (kind, words) in enumerate(told)])


@st.composite
def cases(draw: st.DrawFn) -> RuleCase:
    """Any rule with any words, decisions and conflicts, likely or not."""
    decisions = draw(DECISIONS)
    approvals = [d for d in decisions if d.decision in ("APPROVE", "EDIT")]
    signed: dict[str, Any] = {}
    if draw(st.booleans()):
        key = approvals[-1].evidence_key if approvals else "of nobody"
        signed = {"approved_by": "Ana", "approved_key": key}
    rule = a_rule(
        "r",
        "25",
        tier=draw(st.sampled_from(["T0", "T1", "T2", "T3", "T5"])),
        status=draw(st.sampled_from([status.value for status in RuleStatus])),
        **signed,
    )
    quotes = draw(st.lists(st.sampled_from(WORDS), max_size=3, unique=True))
    states = st.sampled_from(["OPEN", "ESCALATED", "MOOT", "RESOLVED"])
    conflict = draw(st.none() | st.builds(a_conflict, states))
    sides = st.builds(a_side, st.booleans(), st.sampled_from(["q", None]), st.booleans())
    return RuleCase(
        rule=rule,
        pointers=tuple(
            a_pointer("r", f"d{n}", quote=quote, confidence=draw(st.sampled_from([0.8, 0.99])))
            for n, quote in enumerate(quotes)
        ),
        conflict=conflict,
        side=None if conflict is None else draw(sides),
        decisions=tuple(decisions),
    )


def after(case: RuleCase, judgement: RuleJudgement) -> RuleCase:
    """The case once the judgement is true."""
    changed: dict[str, Any] = {"status": judgement.status.value, "status_reason": judgement.reason}
    if judgement.takes_back:
        changed |= {"approved_by": None, "approved_key": None}
    rule = case.rule.model_copy(update=changed)
    return replace(case, rule=rule)


@given(cases(), st.sampled_from([0.0, 0.95, 1.0]))
def test_what_is_grave_is_approved_by_a_person_or_not_at_all(case: RuleCase, floor: float) -> None:
    judgement = judge_rule(case, floor)
    holds = judgement.status in (RuleStatus.APPROVED, RuleStatus.PUBLISHED)
    if holds and case.rule.tier not in ("T2", "T3"):
        assert case.rule.approved_by is not None
        assert has_standing_approval(case)
        assert not judgement.takes_back
    if holds:
        assert is_standing(case) and case.undecided_conflict is None and judgement.ask is None
        assert has_standing_approval(case) or judgement.confidence >= floor


@given(cases())
def test_a_second_look_says_the_same(case: RuleCase) -> None:
    first = judge_rule(case, 0.95)
    second = judge_rule(after(case, first), 0.95)
    assert (second.status, second.ask, second.reason) == (first.status, first.ask, first.reason)
    assert not second.takes_back


@given(cases())
def test_whoever_waits_is_asked_about_or_contradicted(case: RuleCase) -> None:
    judgement = judge_rule(case, 0.95)
    if judgement.status is RuleStatus.PENDING_REVIEW:
        assert judgement.ask is not None or case.undecided_conflict
    else:
        assert judgement.ask is None
