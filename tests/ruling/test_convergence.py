"""One rule of convergence: a look that changes nothing ends it, and what never rests is asked."""

from collections.abc import Sequence

import pytest

from assay.engine.contract import Change, Outcome, Result
from assay.engine.reader import Reader
from assay.model.rules import Rule
from assay.ruling.convergence import MAX_LOOKS
from assay.ruling.payloads import ReviewJob
from assay.ruling.review import review as stage
from assay.ruling.review.consequences import Consequences
from assay.ruling.review.decisions import approve_rule
from assay.store import tables as t
from assay.store import truth
from tests.ruling.chamber import ANA, Chamber


def jobs(chamber: Chamber, name: str) -> int:
    return sum(row["stage"] == name for row in chamber.rows(t.job))


def test_a_crowd_of_contradictions_takes_a_handful_of_jobs(bench: Chamber) -> None:
    names = [bench.stated(f"r{value}", str(value)) for value in range(12)]
    key = bench.conflict(*names)
    bench.review(*names)
    assert bench.row(truth.conflict, key)["state"] == "ESCALATED"
    assert [row["subject"] for row in bench.rows(t.review_request)] == [key]
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


def test_a_decision_leaves_alone_what_nobody_has_judged(bench: Chamber) -> None:
    bench.stated("r1")
    bench.review("r1")
    bench.stated("new", "25", tier="T3", confidence=1.0)
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
