"""Deciding conflicts, taking decisions back, and what reopens them."""

import pytest

from assay.errors import InvalidInput, NotFound
from assay.ruling.review.conflicts import resolve_conflict, undo_resolution
from assay.ruling.review.decisions import approve_rule, reject_rule
from assay.store import tables as t
from assay.store import truth
from tests.ruling.chamber import ANA, Chamber


def disputed(chamber: Chamber) -> str:
    chamber.stated("a", "25", source="gazette")
    chamber.stated("b", "13", source="blog")
    key = chamber.conflict("a", "b")
    chamber.review("a", "b")
    return key


def test_a_person_decides_and_takes_it_back(chamber: Chamber) -> None:
    key = disputed(chamber)
    resolution = resolve_conflict(chamber.service, key, "b", ANA)
    conflict = chamber.row(truth.conflict, key)
    assert (conflict["state"], conflict["winner"], conflict["ground"]) == (
        "RESOLVED", "b", "person",
    )  # fmt: skip
    assert (chamber.status("a"), chamber.status("b")) == ("DEPRECATED", "PENDING_REVIEW")
    assert chamber.reasons("a") == []
    (answered,) = chamber.requests(key, state="ANSWERED")
    assert answered["answer"] == "RESOLVE b"
    # To prevail is not to be approved.
    approve_rule(chamber.service, "b", ANA)
    undone = undo_resolution(chamber.service, key, ANA)
    assert undone.undoes == resolution.resolution_id
    conflict = chamber.row(truth.conflict, key)
    assert (conflict["state"], conflict["winner"]) == ("ESCALATED", None)
    assert [chamber.status(rule) for rule in "ab"] == ["PENDING_REVIEW", "PENDING_REVIEW"]
    assert len(chamber.requests(key)) == 1
    with pytest.raises(InvalidInput, match="contradicts"):
        approve_rule(chamber.service, "a", ANA)
    assert chamber.actions(key) == [
        "conflict_escalated", "conflict_resolved", "resolution_undone",
    ]  # fmt: skip
    # The machine does not decide again what a person took back.
    chamber.review("a", "b")
    assert chamber.row(truth.conflict, key)["state"] == "ESCALATED"
    resolve_conflict(chamber.service, key, "a", ANA)
    assert (chamber.status("a"), chamber.status("b")) == ("PENDING_REVIEW", "DEPRECATED")
    assert chamber.audit_is_whole()


def test_what_the_machine_decided_can_be_taken_back(bench: Chamber) -> None:
    bench.stated("a", "25", tier="T2", source="gazette")
    bench.stated("b", "13", tier="T2", source="blog")
    key = bench.conflict("a", "b")
    bench.review("a", "b")
    (resolution,) = bench.rows(truth.conflict_resolution)
    undo_resolution(bench.service, resolution["resolution_id"], ANA)
    assert [bench.status(rule) for rule in "ab"] == ["PENDING_REVIEW", "PENDING_REVIEW"]
    bench.review("a", "b")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["recommendation"]) == ("ESCALATED", "a")
    assert bench.reasons(key) == ["CONFLICT"]


def test_a_decision_of_a_person_is_kept_until_new_words_come(bench: Chamber) -> None:
    key = disputed(bench)
    resolve_conflict(bench.service, key, "b", ANA)
    # Better evidence in the same words overrules nobody.
    bench.says("copy", {"a": "The rate is 25 %."}, source="ministry")
    bench.review("a")
    assert bench.row(truth.conflict, key)["winner"] == "b"
    bench.says("amendment", {"a": "From 2027 on the rate is 25 %."}, source="gazette")
    bench.review("a")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["recommendation"]) == ("ESCALATED", "a")
    assert bench.status("a") == "PENDING_REVIEW"
    assert bench.reasons(key) == ["CONFLICT"]


def test_what_is_wrong_with_a_decision_is_said(bench: Chamber) -> None:
    key = disputed(bench)
    with pytest.raises(InvalidInput, match="not one of the rules"):
        resolve_conflict(bench.service, key, "c", ANA)
    with pytest.raises(InvalidInput, match="no resolution to undo"):
        undo_resolution(bench.service, key, ANA)
    with pytest.raises(NotFound, match="no conflict and no resolution"):
        undo_resolution(bench.service, "nowhere", ANA)
    with pytest.raises(NotFound, match="no conflict nowhere"):
        resolve_conflict(bench.service, "nowhere", "a", ANA)
    first = resolve_conflict(bench.service, key, "a", ANA)
    with pytest.raises(InvalidInput, match="is decided for a"):
        resolve_conflict(bench.service, key, "b", ANA)
    undo_resolution(bench.service, first.resolution_id, ANA)
    second = resolve_conflict(bench.service, key, "b", ANA)
    with pytest.raises(InvalidInput, match="no longer stands") as refused:
        undo_resolution(bench.service, first.resolution_id, ANA)
    assert second.resolution_id in refused.value.advice
    assert bench.row(truth.conflict, key)["winner"] == "b"


def two_disputes_in_one(chamber: Chamber) -> str:
    """Of one case: a and b contradict each other until 2021, c and d from 2022 on."""
    once = {"effective_from": "2020-01-01", "effective_until": "2021-01-01"}
    chamber.stated("a", "25", source="gazette", **once)
    chamber.stated("b", "13", source="blog", **once)
    chamber.stated("c", "7", source="gazette", effective_from="2022-01-01")
    chamber.stated("d", "8", source="blog", effective_from="2022-01-01")
    key = chamber.conflict("a", "b", "c", "d")
    chamber.review("a", "b", "c", "d")
    return key


def look_at(chamber: Chamber, key: str) -> tuple[str, list[str]]:
    """The state of the conflict, and the rules that gave way."""
    gone = [rule for rule in "abcd" if chamber.status(rule) == "DEPRECATED"]
    return chamber.row(truth.conflict, key)["state"], gone


@pytest.mark.parametrize("by_resolution", [False, True])
def test_a_decision_that_leaves_other_sides_can_be_undone(
    chamber: Chamber, by_resolution: bool
) -> None:
    key = two_disputes_in_one(chamber)
    first = resolve_conflict(chamber.service, key, "b", ANA)
    assert look_at(chamber, key) == ("ESCALATED", ["a"])
    undo_resolution(chamber.service, first.resolution_id if by_resolution else key, ANA)
    assert look_at(chamber, key) == ("ESCALATED", [])
    with pytest.raises(InvalidInput, match="no resolution to undo"):
        undo_resolution(chamber.service, key, ANA)
    assert chamber.audit_is_whole()


def test_decisions_about_different_sides_are_undone_in_any_order(chamber: Chamber) -> None:
    key = two_disputes_in_one(chamber)
    first = resolve_conflict(chamber.service, key, "b", ANA)
    chamber.clock.turn(seconds=1)
    resolve_conflict(chamber.service, key, "c", ANA)
    assert look_at(chamber, key) == ("RESOLVED", ["a", "d"])
    undo_resolution(chamber.service, first.resolution_id, ANA)
    assert look_at(chamber, key) == ("ESCALATED", ["d"])
    chamber.clock.turn(seconds=1)
    undo_resolution(chamber.service, key, ANA)
    assert look_at(chamber, key) == ("ESCALATED", [])
    chamber.review("a", "b", "c", "d")
    assert look_at(chamber, key) == ("ESCALATED", [])


def crowded(chamber: Chamber, *days: str | None) -> str:
    """Rules r0, r1, … with a value each, from these days on."""
    names = [
        chamber.stated(f"r{number}", str(number + 5), source="guide", effective_from=day)
        for number, day in enumerate(days)
    ]
    key = chamber.conflict(*names)
    chamber.review(*names)
    return key


def test_many_rules_are_one_conflict_one_question_and_one_decision(bench: Chamber) -> None:
    key = crowded(bench, *([None] * 12))
    assert [row["subject"] for row in bench.rows(t.review_request)] == [key]
    (asked,) = bench.requests(key)
    assert "12 rules" in asked["question"] and "And 4 more" in asked["question"]
    assert "may be about different things" in asked["question"]
    resolve_conflict(bench.service, key, "r3", ANA)
    assert bench.status("r3") == "PENDING_REVIEW" and bench.reasons("r3") == ["TIER_T0"]
    others = [f"r{number}" for number in range(12) if number != 3]
    assert {bench.status(rule) for rule in others} == {"DEPRECATED"}
    assert {bench.row(truth.rule, rule)["status_reason"] for rule in others} == {"gave way to r3"}
    undo_resolution(bench.service, key, ANA)
    assert {row["status"] for row in bench.rows(truth.rule)} == {"PENDING_REVIEW"}
    assert [row["request_id"] for row in bench.requests(key)] == [asked["request_id"]]


def test_a_new_side_reopens_the_conflict_and_leaves_what_gave_way(bench: Chamber) -> None:
    key = crowded(bench, None, None, None)
    resolve_conflict(bench.service, key, "r0", ANA)
    bench.stated("new", "24", source="guide")
    bench.conflict("new")
    bench.review("new")
    assert bench.row(truth.conflict, key)["state"] == "ESCALATED"
    assert {rule: bench.status(rule) for rule in ("r0", "r1", "r2", "new")} == {
        "r0": "PENDING_REVIEW", "r1": "DEPRECATED", "r2": "DEPRECATED", "new": "PENDING_REVIEW",
    }  # fmt: skip
    (asked,) = bench.requests(key)
    assert "these 2 rules" in asked["question"] and "24 %" in asked["question"]
    assert len(bench.requests(key, state=None)) == 1
    with pytest.raises(InvalidInput, match="'r1' is not one of the rules"):
        resolve_conflict(bench.service, key, "r1", ANA)
    resolve_conflict(bench.service, key, "new", ANA)
    assert [bench.status(rule) for rule in ("r0", "r1", "new")] == [
        "DEPRECATED", "DEPRECATED", "PENDING_REVIEW",
    ]  # fmt: skip


def test_rules_about_different_things_stand_side_by_side_until_new_words_come(
    bench: Chamber,
) -> None:
    key = crowded(bench, None, None, None)
    resolve_conflict(bench.service, key, "different", ANA)
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["resolution"]) == ("RESOLVED", "DIFFERENT_THINGS")
    for rule in ("r0", "r1", "r2"):
        approve_rule(bench.service, rule, ANA)
    bench.says("copy", {"r1": "The rate is 6 %."}, source="ministry")
    bench.review("r1")
    assert bench.row(truth.conflict, key)["state"] == "RESOLVED"
    bench.says("other", {"r1": "All of them pay 6 %."}, source="ministry")
    bench.review("r1")
    assert bench.row(truth.conflict, key)["state"] == "ESCALATED"
    assert {bench.status(rule) for rule in ("r0", "r1", "r2")} == {"PENDING_REVIEW"}


def test_rules_may_hold_in_turn_if_a_person_says_so(bench: Chamber) -> None:
    key = crowded(bench, "2024-01-01", "2025-01-01", "2026-01-01")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["recommendation"]) == ("ESCALATED", "in-turn")
    assert bench.rows(truth.rule_edge) == []
    resolve_conflict(bench.service, key, "in-turn", ANA)
    edges = {(row["from_rule"], row["to_rule"]) for row in bench.rows(truth.rule_edge)}
    assert edges == {("r1", "r0"), ("r2", "r1"), ("r2", "r0")}
    for rule in ("r0", "r1", "r2"):
        approve_rule(bench.service, rule, ANA)
    undo_resolution(bench.service, key, ANA)
    assert {row["holds"] for row in bench.rows(truth.rule_edge)} == {False}
    assert {row["status"] for row in bench.rows(truth.rule)} == {"PENDING_REVIEW"}


def test_rules_that_begin_on_one_day_or_on_none_cannot_hold_in_turn(bench: Chamber) -> None:
    key = crowded(bench, "2024-01-01", None, "2026-01-01")
    assert bench.row(truth.conflict, key)["recommendation"] is None
    with pytest.raises(InvalidInput, match="r1 has no first day"):
        resolve_conflict(bench.service, key, "in-turn", ANA)
    reject_rule(bench.service, "r1", ANA)
    assert bench.row(truth.conflict, key)["state"] == "ESCALATED"
    (asked,) = bench.requests(key)
    assert "these 2 rules" in asked["question"] and "Ana refused r1" in asked["question"]
    resolve_conflict(bench.service, key, "in-turn", ANA)
    assert bench.row(truth.conflict, key)["resolution"] == "IN_TURN"


def test_refusing_the_rule_that_prevailed_asks_about_the_others(bench: Chamber) -> None:
    key = crowded(bench, None, None, None)
    resolve_conflict(bench.service, key, "r0", ANA)
    reject_rule(bench.service, "r0", ANA)
    assert (bench.row(truth.conflict, key)["state"], len(bench.requests(key))) == ("ESCALATED", 1)
    assert [bench.status(rule) for rule in ("r0", "r1", "r2")] == [
        "REJECTED", "PENDING_REVIEW", "PENDING_REVIEW",
    ]  # fmt: skip
    reject_rule(bench.service, "r1", ANA)
    assert bench.row(truth.conflict, key)["state"] == "MOOT"
    assert (bench.requests(key), bench.reasons("r2")) == ([], ["TIER_T0"])
    with pytest.raises(InvalidInput, match="still stands"):
        approve_rule(bench.service, "r1", ANA)


def test_a_side_that_says_the_same_as_the_winner_does_not_give_way(bench: Chamber) -> None:
    for name, value in (("a", "25"), ("b", "13"), ("c", "25")):
        bench.stated(name, value, effective_from="2026-01-01" if name == "c" else "2025-01-01")
    key = bench.conflict("a", "b", "c")
    bench.review("a")
    resolve_conflict(bench.service, key, "a", ANA)
    assert [bench.status(rule) for rule in "abc"] == [
        "PENDING_REVIEW", "DEPRECATED", "PENDING_REVIEW",
    ]  # fmt: skip


def test_what_does_not_contradict_the_winner_is_still_to_be_decided(bench: Chamber) -> None:
    past = {"effective_from": "2010-01-01", "effective_until": "2012-01-01"}
    bench.stated("a", "25", **past)
    bench.stated("b", "13", **past)
    bench.stated("c", "5", effective_from="2020-01-01")
    bench.stated("d", "7", effective_from="2020-01-01")
    key = bench.conflict("a", "b", "c", "d")
    bench.review("a")
    resolve_conflict(bench.service, key, "a", ANA)
    assert bench.row(truth.conflict, key)["state"] == "ESCALATED"
    assert [bench.status(rule) for rule in "abcd"] == [
        "PENDING_REVIEW", "DEPRECATED", "PENDING_REVIEW", "PENDING_REVIEW",
    ]  # fmt: skip
    (asked,) = bench.requests(key)
    assert "these 2 rules" in asked["question"]
    approve_rule(bench.service, "a", ANA)
    resolve_conflict(bench.service, key, "d", ANA)
    assert bench.row(truth.conflict, key)["state"] == "RESOLVED"
    assert [bench.status(rule) for rule in "abcd"] == [
        "APPROVED", "DEPRECATED", "DEPRECATED", "PENDING_REVIEW",
    ]  # fmt: skip
    bench.review("a")
    assert bench.row(truth.conflict, key)["state"] == "RESOLVED"
    undo_resolution(bench.service, key, ANA)
    assert [bench.status(rule) for rule in "abcd"] == [
        "APPROVED", "DEPRECATED", "PENDING_REVIEW", "PENDING_REVIEW",
    ]  # fmt: skip
