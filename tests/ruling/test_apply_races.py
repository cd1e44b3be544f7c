"""Apply while others write: whoever read too early sets it right, on either database."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from assay.app import App
from assay.engine.contract import Result
from assay.engine.reader import Reader
from assay.ruling.payloads import ApplyJob
from assay.ruling.rules.apply import apply
from assay.settings import Settings
from assay.store import audit, truth
from tests.engine.hand import open_batches
from tests.ruling.statements import PACKS, Bench, Says, opened, rate
from tests.spine.sites import Workplace
from tests.waiting import PATIENCE_S

OLD, NEW = "2024-01-01", "2026-01-01"


@dataclass
class Held:
    """The stage, whose next results wait between reading and storing."""

    armed: bool = False
    read: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    async def work(self, jobs: Sequence[ApplyJob], read: Reader) -> Sequence[Result]:
        results = await apply(PACKS)(jobs, read)
        if self.armed:
            self.armed = False
            self.read.set()
            await asyncio.to_thread(self.go.wait, 30)
        return results


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def bench(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace, held: Held
) -> Bench:
    return opened(make_app, settings, shared_workplace.loop, held.work)


@pytest.fixture
def aside() -> Iterator[Callable[..., "Future[None]"]]:
    """Does something in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit


def late(bench: Bench, held: Held, aside: Callable[..., Any]) -> "Future[None]":
    """The one batch that waits, of apply, held back after it has read."""
    held.armed = True
    ((batch, stage),) = open_batches(bench.app)
    assert stage == "apply"
    runner = bench.app.make_runner(bench.app.make_committer(), bench.loop)
    running: Future[None] = aside(runner.run, batch, stage)
    assert held.read.wait(PATIENCE_S)
    return running


def test_a_look_that_was_late_takes_back_what_no_longer_follows(
    bench: Bench, held: Held, aside: Callable[..., Any]
) -> None:
    bench.say(Says("a", (rate("23", OLD),)))
    bench.drain()
    bench.say(Says("c", (rate("27", NEW),)))
    bench.round()
    bench.round()
    # It has seen that 27 contradicts 23, and has not said so yet.
    running = late(bench, held, aside)
    waiting = open_batches(bench.app)
    bench.say(Says("c", (rate("27", NEW, replaces="23"),)))
    runner = bench.app.make_runner(bench.app.make_committer(), bench.loop)
    for _ in range(20):
        for batch, stage in open_batches(bench.app):
            if (batch, stage) not in waiting:
                runner.run(batch, stage)
    held.go.set()
    running.result(30)
    assert [row["state"] for row in bench.rows(truth.conflict)] == ["OPEN"]
    bench.drain()
    assert [row["state"] for row in bench.rows(truth.conflict)] == ["MOOT"]
    assert {row["holds"] for row in bench.rows(truth.conflict_side)} == {False}
    values = {row["rule_id"]: row["value"] for row in bench.rows(truth.rule)}
    assert [
        (values[edge["from_rule"]], edge["kind"], values[edge["to_rule"]])
        for edge in bench.rows(truth.rule_edge, holds=True)
    ] == [("27", "AMENDS", "23")]


def test_two_that_write_at_one_moment_find_their_conflict(
    bench: Bench, held: Held, aside: Callable[..., Any]
) -> None:
    one, other = Says("a", (rate("23", NEW),)), Says("b", (rate("25", NEW),))
    bench.say(one)
    bench.round()
    running = late(bench, held, aside)
    (waiting,) = open_batches(bench.app)
    bench.say(other)
    runner = bench.app.make_runner(bench.app.make_committer(), bench.loop)
    for _ in range(20):
        for batch, stage in open_batches(bench.app):
            if (batch, stage) != waiting:
                runner.run(batch, stage)
    assert len(bench.rows(truth.rule)) == 1 and bench.rows(truth.conflict) == []
    held.go.set()
    running.result(30)
    bench.drain()
    (conflict,) = bench.rows(truth.conflict)
    assert conflict["state"] == "ESCALATED"
    assert len(bench.rows(truth.conflict_side, holds=True, contested=True)) == 2
    assert {row["status"] for row in bench.rows(truth.rule)} == {"PENDING_REVIEW"}
    actions = [row["action"] for row in bench.rows(truth.audit_log)]
    assert actions.count("conflict_found") == 1 and actions.count("rule_created") == 2
    with bench.app.engine.connect() as connection:
        assert audit.verify_chain(connection).ok
