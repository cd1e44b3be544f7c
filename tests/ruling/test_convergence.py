"""One rule of convergence: a look that changes nothing ends it, and what never rests is asked."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from assay.engine.contract import Change, Outcome, Result
from assay.engine.reader import Reader
from assay.model.rules import Rule
from assay.ruling.convergence import MAX_LOOKS
from assay.ruling.payloads import ReviewJob
from assay.ruling.review import review as stage
from assay.ruling.review.conflicts import resolve_conflict, undo_resolution
from assay.ruling.review.consequences import Consequences
from assay.ruling.review.decisions import approve_rule
from assay.store import tables as t
from assay.store import truth
from tests.ruling.chamber import ANA, Chamber


def jobs(chamber: Chamber, name: str) -> int:
    return sum(row["stage"] == name for row in chamber.rows(t.job))


def test_a_crowd_of_contradictions_takes_a_handful_of_jobs(bench: Chamber) -> None:
    names = [bench.stated(f"r{value}", str(value)) for value in range(12)]
    pairs = [(one, other) for one in names for other in names if one < other]
    keys = [bench.conflict(*pair) for pair in pairs]
    bench.review(*names)
    assert {bench.row(truth.conflict, key)["state"] for key in keys} == {"ESCALATED"}
    assert len(bench.rows(t.review_request)) == len(keys) + len(names)
    # Look, decide, look at what was decided; and each that changed something looked again.
    assert (jobs(bench, "review"), jobs(bench, "arbiter")) == (2, 1)
    bench.review(*names)
    assert (jobs(bench, "review"), jobs(bench, "arbiter")) == (3, 2)


def test_what_never_comes_to_rest_is_a_question(
    bench: Chamber, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[str] = []

    def restless(*_: object) -> Consequences:
        turns.append("look")
        reason = f"look {len(turns)}"
        before = bench.row(truth.rule, "r1")["status_reason"]
        change = Change(
            record=Rule, key="r1", when={"status_reason": before}, to={"status_reason": reason}
        )
        return Consequences(changes=(change,))

    monkeypatch.setattr(stage, "judge_concept", restless)
    bench.stated("r1")
    bench.review("r1")
    assert len(turns) == MAX_LOOKS + 1
    (asked,) = bench.rows(t.review_request)
    assert (asked["reason"], asked["subject_kind"]) == ("QUALITY", "concept")
    assert asked["subject"] == "regulatory/pdv.rate"
    assert asked["deadline_ms"] > asked["created_ms"]
    assert f"{MAX_LOOKS} times in a row" in asked["question"]


def test_a_circle_of_decisions_waits_for_a_person(bench: Chamber) -> None:
    for name, value in (("r1", "25"), ("r2", "13"), ("r3", "5")):
        bench.stated(name, value, tier="T2")
    decided = {("r1", "r2"): "r1", ("r2", "r3"): "r2", ("r1", "r3"): "r3"}
    keys = {pair: bench.conflict(*pair) for pair in decided}
    bench.review("r1")
    for pair, winner in decided.items():
        resolve_conflict(bench.service, keys[pair], winner, ANA)
    for rule in ("r1", "r2", "r3"):
        reason = bench.row(truth.rule, rule)["status_reason"]
        assert reason == "its conflicts were decided in a circle"
        assert (bench.status(rule), bench.reasons(rule)) == ("PENDING_REVIEW", ["QUALITY"])
    entries = len(bench.rows(truth.audit_log))
    bench.review("r1")
    assert len(bench.rows(truth.audit_log)) == entries
    # Another decision breaks the circle: r3 beats the two others, and nobody need be asked.
    undo_resolution(bench.service, keys["r2", "r3"], ANA)
    resolve_conflict(bench.service, keys["r2", "r3"], "r3", ANA)
    assert [bench.status(rule) for rule in ("r1", "r2", "r3")] == [
        "DEPRECATED", "DEPRECATED", "APPROVED",
    ]  # fmt: skip
    assert [bench.reasons(rule) for rule in ("r1", "r2", "r3")] == [[], [], []]


def test_a_chain_of_rules_is_judged_in_one_look(bench: Chamber) -> None:
    """Each beats the next: every other one stands."""
    names = [f"r{number:02}" for number in range(14)]
    for number, name in enumerate(names):
        bench.stated(name, str(number), tier="T2", effective_from="2026-01-01")
    pairs = list(pairwise(names))
    keys = [bench.conflict(*pair) for pair in pairs]
    bench.review("r00")
    for key, (winner, _) in zip(keys, pairs, strict=True):
        resolve_conflict(bench.service, key, winner, ANA)
    assert [bench.status(name) for name in names] == ["APPROVED", "DEPRECATED"] * 7


def test_a_decision_leaves_alone_what_nobody_has_judged(bench: Chamber) -> None:
    bench.stated("r1")
    bench.review("r1")
    bench.stated("new", "13", tier="T3", confidence=1.0)
    approve_rule(bench.service, "r1", ANA)
    # Whether it contradicts another is not settled yet.
    assert bench.status("new") == "DRAFT"
    bench.review("new")
    assert bench.status("new") == "APPROVED"


def test_only_the_rules_of_a_document_are_looked_at_where_many_hold(
    bench: Chamber, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        bench.stated(f"r{number}", str(number), concept="pdv.penalty_max")
    seen: list[int] = []
    work = bench.app.pipeline.function("review")

    async def watched(jobs: Sequence[ReviewJob], read: Reader) -> Sequence[Result]:
        results = await work(jobs, read)
        seen.extend(len(r.changes) for r in results if isinstance(r, Outcome))
        return results

    monkeypatch.setattr(bench.app.pipeline, "function", lambda _name: watched)
    bench.look(ReviewJob(pack="regulatory", concept="pdv.penalty_max", document="d-r2"))
    assert [bench.status(f"r{number}") for number in range(4)] == [
        "DRAFT", "DRAFT", "PENDING_REVIEW", "DRAFT",
    ]  # fmt: skip
    assert len(seen) == 2 and seen[-1] == 0


def test_a_rule_whose_release_was_rolled_back_is_asked_about_once(bench: Chamber) -> None:
    bench.stated("r1")
    bench.review("r1")
    approve_rule(bench.service, "r1", ANA)
    bench.undo_release("r1")
    for _ in range(2):
        bench.review("r1")
        assert (bench.status("r1"), bench.reasons("r1")) == ("PENDING_REVIEW", ["QUALITY"])
