"""Deciding conflicts, taking decisions back, and what reopens them."""

import pytest

from assay.errors import InvalidInput, NotFound
from assay.ruling.review.conflicts import resolve_conflict, undo_resolution
from assay.ruling.review.decisions import approve_rule
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
    with pytest.raises(InvalidInput, match="not one of the two"):
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
    with pytest.raises(InvalidInput, match="not the current one") as refused:
        undo_resolution(bench.service, first.resolution_id, ANA)
    assert second.resolution_id in refused.value.advice
    assert bench.row(truth.conflict, key)["winner"] == "b"


def test_a_circle_of_decisions_comes_to_rest(bench: Chamber) -> None:
    for name, value in (("a", "25"), ("b", "13"), ("c", "5")):
        bench.stated(name, value)
    keys = {pair: bench.conflict(*pair) for pair in ("ab", "bc", "ac")}
    bench.review("a", "b", "c")
    resolve_conflict(bench.service, keys["ab"], "a", ANA)
    resolve_conflict(bench.service, keys["bc"], "b", ANA)
    resolve_conflict(bench.service, keys["ac"], "c", ANA)
    bench.review("a", "b", "c")
    assert {bench.row(truth.conflict, key)["state"] for key in keys.values()} == {"RESOLVED"}
    # Nobody approves any of them by this alone.
    assert {bench.status(rule) for rule in "abc"} <= {"DEPRECATED", "PENDING_REVIEW"}
