"""A database that fails while a worker works: what is repeated, and what must go on."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

import psycopg
import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.reviewing import list_open_requests
from assay.app.runs import attach_schedules, list_runs, start_run
from assay.engine.contract import Result
from assay.engine.queue_polling import WaitingQueues
from assay.engine.reader import Reader
from assay.engine.schedules import Schedule
from assay.engine.strays import StrayBatches
from assay.errors import DatabaseFailed, DatabaseUnreachable
from assay.settings import Settings
from tests.engine.hand import hand, open_batches
from tests.engine.toy import Named, check_books, grow, sow, toy_pipeline
from tests.engine.workers import MakeApp, work_off
from tests.waiting import PATIENCE_S, until


def fail_once(error: Exception, act: Callable[[], object] = lambda: None) -> Callable[[], object]:
    """A function that fails the first time."""
    errors = [error]

    def do() -> object:
        if errors:
            raise errors.pop()
        return act()

    return do


def test_work_is_ended_before_it_is_repeated(
    settings: Settings, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model call in progress must not be made a second time beside the first."""
    begun: list[str] = []
    ended: list[str] = []

    async def call(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        begun.append("call")
        assert len(begun) == len(ended) + 1, "two at the same time"
        try:
            if len(begun) == 1:
                await asyncio.sleep(PATIENCE_S)
        finally:
            ended.append("call")
        return await grow(jobs, read)

    app = make_app(settings, pipeline=toy_pipeline(grow_with=call))
    sow(app, 1)
    with hand(app) as runner:
        runner.run(*open_batches(app)[0])
        ((batch_id, stage),) = open_batches(app)
        look = runner._open_jobs
        app.outages.wait_up_to(0.2)

        def look_or_fail(batch_id: str) -> object:
            if begun and not ended:
                raise DatabaseUnreachable("gone")
            return look(batch_id)

        monkeypatch.setattr(runner, "_open_jobs", look_or_fail)
        with pytest.raises(DatabaseFailed):
            runner.run(batch_id, stage)
        until(lambda: len(ended) == len(begun))
        app.outages.wait_up_to(PATIENCE_S)
        runner.run(batch_id, stage)
    work_off(app)
    check_books(app, 1)


@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError("the connection is lost"),
        sa.exc.PendingRollbackError("Can't reconnect until invalid transaction is rolled back."),
        KeyError("a bug"),
    ],
)
def test_no_error_ends_the_threads_of_a_worker(
    settings: Settings, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    worker = app.make_worker()
    kept, beaten, looked = [], [], []
    look = WaitingQueues.look
    do_look = fail_once(error)

    def look_after_failing(queues: WaitingQueues) -> None:
        do_look()
        look(queues)
        looked.append(1)

    monkeypatch.setattr(WaitingQueues, "look", look_after_failing)
    worker.on_housekeeping = fail_once(error, lambda: kept.append(1))
    monkeypatch.setattr(worker, "_hold_name", fail_once(error, lambda: beaten.append(1)))
    worker.start()
    try:
        until(lambda: bool(kept and beaten and looked))
    finally:
        worker.stop()


@pytest.mark.parametrize(
    "act", [start_run, list_runs, lambda app: list_open_requests(app, limit=10)]
)
def test_what_is_done_around_a_run_waits_for_a_lost_database(
    settings: Settings,
    make_app: MakeApp,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[App], object],
) -> None:
    app = make_app(settings)
    app.outages.wait_up_to(PATIENCE_S)
    connect = app.engine.connect
    monkeypatch.setattr(app.engine, "connect", fail_once(DatabaseUnreachable("gone"), connect))
    act(app)
    assert app.outages.waited_s > 0
    assert app.outages.given_up == 0


def test_a_scheduled_run_that_the_database_prevented_begins_later(
    settings: Settings, make_app: MakeApp
) -> None:
    app = make_app(settings)
    worker = app.make_worker()
    attach_schedules(app, worker)
    ours, *others = worker.schedules
    asked: list[datetime] = []

    def begin(at: datetime) -> None:
        asked.append(at)
        if asked.count(asked[0]) == 1:
            raise DatabaseUnreachable("gone")
        ours.begin(at)

    worker.schedules = (Schedule("", begin, "* * * * * *"), *others)
    worker._strays = StrayBatches(app.queues, after_s=0.0)
    worker.start()
    try:
        until(lambda: asked.count(asked[0]) > 1 if asked else False)
        until(lambda: any(f"{asked[0]:%H%M%S}" in run.run_id for run in list_runs(app)))
    finally:
        worker.stop()


def test_a_claim_that_nobody_knows_of_is_released_without_counting_a_death(
    settings: Settings, make_app: MakeApp
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    sow(app, 3)
    ((batch_id, _),) = open_batches(app)
    status = app.queues._status
    is_batch = status.c.workflow_uuid == batch_id
    worker = app.make_worker()
    worker.stages = frozenset({"reap"})
    worker.start()
    try:
        with app.engine.begin() as connection:
            claimed = {"status": "PENDING", "executor_id": worker.worker_id, "owner_xid": "unseen"}
            connection.execute(
                sa.update(status).where(is_batch).values(**claimed, recovery_attempts=1)
            )
        assert StrayBatches(app.queues, after_s=0.0).requeue(worker.worker_id) == 1
        with app.engine.connect() as connection:
            row = connection.execute(
                sa.select(status.c.status, status.c.recovery_attempts).where(is_batch)
            ).one()
        assert tuple(row) == ("ENQUEUED", 0)
    finally:
        worker.stop()
    work_off(app)
    check_books(app, 3)
