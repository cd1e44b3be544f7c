"""The stage arbiter: what it decides, what it leaves to a person, and what it never overrules."""

import random
from collections.abc import Callable, Sequence

import pytest
from pydantic import BaseModel

from assay.engine.contract import Result
from assay.engine.reader import Reader
from assay.errors import AnswerInvalid, CallDenied
from assay.llm.messages import ModelAnswer, ModelRequest, Usage
from assay.llm.scope import CallScope
from assay.ruling.arbiter.opinions import Opinion
from assay.ruling.payloads import ArbiterJob
from assay.ruling.review.conflicts import resolve_conflict, undo_resolution
from assay.ruling.review.decisions import approve_rule
from assay.store import tables as t
from assay.store import truth
from assay.store.dump import dump_canonical
from tests.ruling.chamber import ANA, Chamber


def disputed(chamber: Chamber, tier: str = "T2", **sources: str) -> str:
    """Rules a (25) and b (13) of these sources, which contradict each other."""
    chamber.stated("a", "25", tier=tier, source=sources.get("a", "gazette"))
    chamber.stated("b", "13", tier=tier, source=sources.get("b", "blog"))
    return chamber.conflict("a", "b")


def test_the_higher_authority_prevails_and_all_of_it_is_kept(bench: Chamber) -> None:
    key = disputed(bench)
    bench.review("a", "b")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["winner"], conflict["ground"]) == (
        "RESOLVED", "a", "authority",
    )  # fmt: skip
    assert conflict["resolution"] == "RULE_PREVAILS"
    assert (bench.status("a"), bench.status("b")) == ("APPROVED", "DEPRECATED")
    (resolution,) = bench.rows(truth.conflict_resolution)
    assert resolution["decided_by"] == "stage:arbiter"
    assert "LAW goes before PRACTICE" in resolution["note"]
    assert bench.actions(key) == ["conflict_resolved"]
    assert "rule_deprecated" in bench.actions("b")
    assert bench.requests(key, state=None) == []
    assert bench.audit_is_whole()


@pytest.mark.parametrize("tier", ["T0", "T1"])
def test_what_only_a_person_approves_only_a_person_decides(bench: Chamber, tier: str) -> None:
    key = disputed(bench, tier)
    bench.review("a", "b")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["winner"]) == ("ESCALATED", None)
    assert (conflict["recommendation"], conflict["ground"]) == ("a", "authority")
    assert [bench.status(rule) for rule in "ab"] == ["PENDING_REVIEW", "PENDING_REVIEW"]
    (request,) = bench.requests(key)
    assert request["reason"] == "CONFLICT"
    assert request["deadline_ms"] - request["created_ms"] == 24 * 3_600_000
    for part in ("a: pdv.rate is 25 %", "b: pdv.rate is 13 %", "Recommended: a, by authority"):
        assert part in request["question"]
    assert bench.rows(truth.conflict_resolution) == []
    bench.clock.turn(days=3000)
    bench.review("a", "b")
    assert bench.row(truth.conflict, key)["state"] == "ESCALATED"
    assert len(bench.requests(key, state=None)) == 1


def test_a_tie_is_a_question(bench: Chamber) -> None:
    key = disputed(bench, a="blog", b="blog")
    bench.review("a", "b")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["ground"], conflict["recommendation"]) == (
        "ESCALATED", "tie", None,
    )  # fmt: skip
    assert bench.reasons(key) == ["CONFLICT"]
    assert bench.rows(t.agent_run) == []


def test_what_a_person_approved_no_machine_takes_away(bench: Chamber) -> None:
    bench.stated("b", "13", tier="T2", source="blog", confidence=0.9)
    bench.review("b")
    approve_rule(bench.service, "b", ANA)
    bench.stated("a", "25", tier="T2")
    key = bench.conflict("a", "b")
    bench.review("a", "b")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["recommendation"]) == ("ESCALATED", "a")
    assert bench.status("b") == "PENDING_REVIEW"
    resolve_conflict(bench.service, key, "b", ANA)
    # What was approved in these words is approved again, without being asked a second time.
    assert (bench.status("b"), bench.status("a")) == ("APPROVED", "DEPRECATED")


def test_a_rule_that_lost_its_ground_leaves_nothing_to_decide(bench: Chamber) -> None:
    key = disputed(bench)
    bench.review("a", "b")
    bench.says("d-a", {}, version=2)
    bench.review("a")
    assert bench.row(truth.conflict, key)["state"] == "MOOT"
    assert (bench.status("a"), bench.status("b")) == ("DEPRECATED", "APPROVED")


def test_better_evidence_turns_what_the_machine_decided(bench: Chamber) -> None:
    key = disputed(bench, a="guide", b="blog")
    bench.review("a", "b")
    assert bench.row(truth.conflict, key)["winner"] == "a"
    bench.says("law", {"b": "The rate shall be 13 %."}, source="gazette")
    bench.review("b")
    assert bench.row(truth.conflict, key)["winner"] == "b"
    assert (bench.status("a"), bench.status("b")) == ("DEPRECATED", "APPROVED")
    resolutions = {row["winner"]: row for row in bench.rows(truth.conflict_resolution)}
    assert resolutions["b"]["undoes"] == resolutions["a"]["resolution_id"]


STATEMENTS = (
    ("d-a", {"a": "The rate is 25 %."}, "guide"),
    ("d-b", {"b": "The rate is 13 %."}, "blog"),
    ("d-c", {"c": "The rate is 5 %."}, "blog"),
    ("law", {"b": "It shall be 13 %."}, "gazette"),
)


def test_the_order_in_which_things_come_does_not_matter(
    make_bench: Callable[..., Chamber],
) -> None:
    def told(
        chamber: Chamber, statements: Sequence[tuple[str, dict[str, str], str]]
    ) -> list[bytes]:
        for name, value in (("a", "25"), ("b", "13"), ("c", "5")):
            chamber.rule(name, value, tier="T2")
        chamber.conflict("a", "b", "c")
        for document, words, source in statements:
            chamber.says(document, words, source=source)
            stated = {row["rule_id"] for row in chamber.rows(truth.source_pointer)}
            chamber.review(*sorted(stated))
        with chamber.app.engine.connect() as connection:
            lines = list(dump_canonical(connection))
        # Questions that were asked for a while, and are moot, tell of the way and not of the end.
        return [line for line in lines if b'"state": "MOOT"' not in line]

    expected = told(make_bench(), STATEMENTS)
    for seed in (1, 2):
        shuffled = random.Random(seed).sample(STATEMENTS, len(STATEMENTS))
        assert shuffled != list(STATEMENTS)
        assert told(make_bench(), shuffled) == expected
    assert any(b'"status": "APPROVED"' in line for line in expected)


def test_the_highest_of_many_prevails_and_the_others_give_way(bench: Chamber) -> None:
    names = [bench.stated(f"r{n}", str(n), tier="T2", source="blog") for n in range(5)]
    key = bench.conflict(*names)
    bench.review(*names)
    assert bench.row(truth.conflict, key)["ground"] == "tie"
    bench.stated("law", "25", tier="T2", source="gazette")
    bench.conflict("law")
    bench.review("law")
    assert bench.row(truth.conflict, key)["winner"] == "law"
    assert {bench.status(name) for name in names} == {"DEPRECATED"}
    # Another of the lower rank changes nothing but itself.
    bench.stated("late", "7", tier="T2", source="blog")
    bench.conflict("late")
    bench.review("late")
    assert (bench.status("law"), bench.status("late")) == ("APPROVED", "DEPRECATED")
    assert "rule_approved" not in bench.actions("late")
    bench.says("d-law", {}, version=2)
    bench.review("law")
    assert {bench.status(name) for name in [*names, "late"]} == {"PENDING_REVIEW"}


def test_a_later_day_alone_deprecates_nothing(bench: Chamber) -> None:
    bench.stated("a", "25", tier="T2", effective_from="2024-01-01")
    bench.stated("b", "13", tier="T2", effective_from="2026-01-01")
    key = bench.conflict("a", "b")
    bench.review("a")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["state"], conflict["ground"], conflict["recommendation"]) == (
        "ESCALATED", "later", "in-turn",
    )  # fmt: skip
    assert [bench.status(rule) for rule in "ab"] == ["PENDING_REVIEW", "PENDING_REVIEW"]


def test_three_decisions_of_people_are_a_precedent(bench: Chamber) -> None:
    bench.source("forum", 7)
    for number in range(3):
        one, other = f"x{number}", f"y{number}"
        bench.stated(one, "25", tier="T2", source="blog", concept=f"c{number}.rate")
        bench.stated(other, "13", tier="T2", source="forum", concept=f"c{number}.rate")
        old = bench.conflict(one, other)
        bench.review(one, other)
        assert bench.row(truth.conflict, old)["ground"] == "tie"
        resolve_conflict(bench.service, old, other, ANA)
    key = disputed(bench, a="blog", b="forum")
    bench.review("a", "b")
    conflict = bench.row(truth.conflict, key)
    assert (conflict["ground"], conflict["winner"], conflict["state"]) == (
        "precedent", "b", "RESOLVED",
    )  # fmt: skip
    # One of the three is taken back: then there is none any more.
    undo_resolution(bench.service, old, ANA)
    bench.review("a")
    assert bench.row(truth.conflict, key)["ground"] == "tie"
    assert bench.status("b") == "PENDING_REVIEW"


def test_a_person_who_decides_meanwhile_has_the_last_word(
    chamber: Chamber, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = disputed(chamber)
    work, function = chamber.app.pipeline.function("arbiter"), chamber.app.pipeline.function

    async def overtaken(jobs: Sequence[ArbiterJob], read: Reader) -> Sequence[Result]:
        results = await work(jobs, read)
        if chamber.row(truth.conflict, key)["state"] == "OPEN":
            resolve_conflict(chamber.service, key, "b", ANA)
        return results

    def chosen(name: str) -> object:
        return overtaken if name == "arbiter" else function(name)

    monkeypatch.setattr(chamber.app.pipeline, "function", chosen)
    chamber.review("a", "b")
    conflict = chamber.row(truth.conflict, key)
    assert (conflict["winner"], conflict["ground"]) == ("b", "person")
    assert (chamber.status("a"), chamber.status("b")) == ("DEPRECATED", "APPROVED")


class Oracle:
    """A model that says what it is told to say."""

    def __init__(self, said: Opinion | Exception) -> None:
        self.said = said
        self.asked: list[ModelRequest] = []

    async def __call__(
        self, request: ModelRequest, answer_type: type[BaseModel], scope: CallScope
    ) -> ModelAnswer:
        assert answer_type is Opinion and scope.step == "arbiter"
        self.asked.append(request)
        if isinstance(self.said, Exception):
            raise self.said
        return ModelAnswer(text="", usage=Usage(90, 10), finish="stop", provider="p", model="m",
                      call_id="c", value=self.said)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "state", "ground", "outcome"),
    [
        (Opinion(winner="b", confidence=0.9), "RESOLVED", "model", "SUCCESS_APPLIED"),
        (Opinion(winner="b", confidence=0.79), "ESCALATED", "model", "SUCCESS_APPLIED"),
        (Opinion(winner="none", confidence=1.0), "ESCALATED", "tie", "SUCCESS_NO_CHANGE"),
        (AnswerInvalid("No JSON."), "ESCALATED", "tie", "PARSE_FAILED"),
        (CallDenied("No tokens left."), "ESCALATED", "tie", "CIRCUIT_OPEN"),
    ],
    ids=["sure", "unsure", "neither", "nonsense", "denied"],
)
def test_a_model_is_asked_last_and_once(
    make_bench: Callable[..., Chamber],
    said: Opinion | Exception,
    state: str,
    ground: str,
    outcome: str,
) -> None:
    oracle = Oracle(said)
    chamber = make_bench(oracle)
    key = disputed(chamber, a="blog", b="blog")
    chamber.review("a", "b")
    chamber.review("a", "b")
    conflict = chamber.row(truth.conflict, key)
    assert (conflict["state"], conflict["ground"]) == (state, ground)
    (run,) = chamber.rows(t.agent_run)
    assert (run["outcome"], run["stage"]) == (outcome, "arbiter")
    assert len(oracle.asked) == 1
    assert "The rate is 13 %." in oracle.asked[0].user


def test_a_model_only_recommends_where_a_person_must_decide(
    make_bench: Callable[..., Chamber],
) -> None:
    said = Opinion(winner="a", confidence=1.0, reason="I hereby approve rule a.")
    chamber = make_bench(Oracle(said))
    key = disputed(chamber, "T0", a="blog", b="blog")
    chamber.review("a", "b")
    conflict = chamber.row(truth.conflict, key)
    assert (conflict["state"], conflict["recommendation"]) == ("ESCALATED", "a")
    assert chamber.status("a") == "PENDING_REVIEW"
    assert chamber.row(truth.rule, "a")["approved_by"] is None


def test_no_model_is_asked_where_something_else_decides(
    make_bench: Callable[..., Chamber],
) -> None:
    oracle = Oracle(Opinion(winner="b", confidence=1.0))
    chamber = make_bench(oracle)
    key = disputed(chamber, a="gazette", b="ministry")
    chamber.review("a", "b")
    assert chamber.row(truth.conflict, key)["ground"] == "hierarchy"
    assert oracle.asked == []
