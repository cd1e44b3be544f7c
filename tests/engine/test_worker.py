"""Workers on real queues: retries, priorities, timeouts, cancelling, stopping, handing on."""

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay import logs
from assay.app import App, queue_desk
from assay.app.runs import attend, list_runs, see_through
from assay.engine.contract import Failed, Outcome, Result
from assay.engine.jobs import NewJob
from assay.engine.liveness import Roster
from assay.engine.reader import Reader
from assay.engine.worker import Worker
from assay.errors import (
    AuthError,
    ContentError,
    DiskFailed,
    FetchFailed,
    InvalidSetting,
    WorkerRunning,
)
from assay.logs import Log
from assay.settings import Settings
from assay.store import tables as t
from tests.conftest import quick_settings
from tests.engine.hand import all_rows, open_batches
from tests.engine.toy import (
    RUN,
    Named,
    check_books,
    grow,
    left,
    rows,
    sow,
    toy_pipeline,
)

MakeApp = Callable[..., App]


@contextmanager
def working(app: App) -> Iterator[Worker]:
    worker = app.worker()
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()


def work_off(app: App, patience_s: float = 30.0) -> None:
    """Let a worker do everything that there is to do."""
    stop = threading.Timer(patience_s, lambda: over.set())
    over = threading.Event()
    stop.start()
    with working(app) as worker:
        assert see_through(app, worker, [RUN], stop=over), "not done in time"
    stop.cancel()


def until(true: Callable[[], bool], patience_s: float = 20.0) -> None:
    deadline = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def test_everything_is_done_once(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    sow(app, 35)
    work_off(app)
    check_books(app, 35)


def test_log_lines_carry_what_ties_them_to_their_jobs(
    settings: Settings, make_app: MakeApp
) -> None:
    seen: list[dict[str, str]] = []

    async def telling(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        Log("assay.test").info("stage_spoke", "A line from inside a stage.")
        return await grow(jobs, read)

    app = make_app(settings, pipeline=toy_pipeline(grow_with=telling))
    logs.configure("info", settings.log_file, console_level="critical")
    sow(app, 1)
    work_off(app)
    logs.configure("info", None, console_level="critical")
    for line in settings.log_file.read_text(encoding="utf-8").splitlines():
        seen.append(json.loads(line))
    (spoke,) = [line for line in seen if line["action"] == "stage_spoke"]
    assert spoke["run_id"] == RUN
    assert spoke["job_id"] == "grow.1:d0000"
    assert spoke["parent_job_id"] == "plant.1:seed-1"
    assert (spoke["source_slug"], spoke["queue"]) == ("toy", "grow")
    done = [line["queue"] for line in seen if line["action"] == "batch_done"]
    assert done == ["plant", "grow", "reap"]


def test_the_same_job_is_written_down_once_for_ever(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    sow(app, 4)
    sow(app, 4)
    work_off(app)
    sow(app, 4, run_id="another-run")
    assert left(app) == 0
    check_books(app, 4)


def test_a_transient_error_is_tried_three_times_with_growing_waits(
    settings: Settings, make_app: MakeApp
) -> None:
    tried: list[float] = []

    async def down(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        tried.append(time.monotonic())
        return [Failed(FetchFailed("The site is down.")) for _ in jobs]

    app = make_app(settings, pipeline=toy_pipeline(grow_with=down))
    sow(app, 1)
    work_off(app)
    assert len(tried) == 3
    assert tried[1] - tried[0] >= 0.2
    assert tried[2] - tried[1] >= 0.4
    (letter,) = all_rows(app, t.dead_letter)
    assert (letter["attempt"], letter["error_class"]) == (3, "TRANSIENT")
    assert "assay dead retry" in letter["error_message"]
    progress = [row for row in all_rows(app, t.progress) if row["stage"] == "grow"]
    assert sorted(row["outcome"] for row in progress) == ["dead", "retried", "retried"]
    (job,) = [row for row in all_rows(app, t.job) if row["stage"] == "grow"]
    assert job["priority"] == 100 - 2 * 20


def test_a_blip_heals_by_itself(settings: Settings, make_app: MakeApp) -> None:
    failures = [FetchFailed("A blip.")]

    async def shaky(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        if failures:
            return [Failed(failures.pop()), *(await grow(jobs[1:], read))]
        return await grow(jobs, read)

    app = make_app(settings, pipeline=toy_pipeline(grow_with=shaky))
    sow(app, 3)
    work_off(app)
    assert rows(app, t.document_source) == 3
    assert rows(app, t.dead_letter) == 0


@pytest.mark.parametrize(
    ("error", "tags"),
    [
        (ContentError("Empty."), ["job.died"]),
        (AuthError("No key."), ["circuit.tripped", "job.died"]),
    ],
)
def test_some_errors_are_not_tried_again(
    settings: Settings, make_app: MakeApp, error: Exception, tags: list[str]
) -> None:
    async def bad(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        return [Failed(error) for _ in jobs]

    app = make_app(settings, pipeline=toy_pipeline(grow_with=bad))
    sow(app, 1)
    work_off(app)
    assert all_rows(app, t.dead_letter)[0]["attempt"] == 1
    assert sorted(row["tag"] for row in all_rows(app, t.event)) == tags


def test_what_matters_more_comes_first(settings: Settings, make_app: MakeApp) -> None:
    order: list[str] = []

    async def note(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        order.extend(job.name for job in jobs)
        return [Outcome() for _ in jobs]

    one_by_one = settings.model_copy(update={"batch_size": 1})
    app = make_app(one_by_one, pipeline=toy_pipeline(grow_with=note))
    app.queues._limits["grow"] = type(app.queues._limits["grow"])(None, 60.0, 1)
    with app.engine.begin() as connection:
        for name, priority in (("low", 10), ("high", 150), ("middle", 100)):
            job = NewJob("grow", Named(name=name), RUN, priority=priority)
            app.book.schedule(connection, [job], app.clock.now_ms())
    work_off(app)
    assert order == ["high", "middle", "low"]


def test_a_job_that_takes_too_long_is_cut_off(settings: Settings, make_app: MakeApp) -> None:
    cancelled = threading.Event()

    async def endless(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return []

    short = settings.model_copy(update={"job_timeout_s": 0.3, "retry_delays_s": (0.1,)})
    app = make_app(short, pipeline=toy_pipeline(grow_with=endless))
    sow(app, 1)
    work_off(app)
    assert cancelled.is_set()
    assert all_rows(app, t.dead_letter)[0]["error_code"] == "job_timed_out"


def test_a_running_job_can_be_cancelled(settings: Settings, make_app: MakeApp) -> None:
    running, cancelled = threading.Event(), threading.Event()

    async def endless(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        running.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return []

    app = make_app(settings, pipeline=toy_pipeline(grow_with=endless))
    sow(app, 1)
    with working(app):
        assert running.wait(10)
        assert queue_desk.cancel_jobs(app, ["grow.1:d0000"]) == ["grow.1:d0000"]
        assert cancelled.wait(10)
        until(lambda: left(app) == 0)
    assert queue_desk.show_job(app, "grow.1:d0000")["state"] == "cancelled"
    assert [row["tag"] for row in all_rows(app, t.event)] == ["job.cancelled"]
    assert rows(app, t.dead_letter) == 0


def test_a_cancelled_job_of_a_batch_is_left_out(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    with app.engine.begin() as connection:
        jobs = [NewJob("grow", Named(name=f"d{n:04}"), RUN) for n in range(5)]
        app.book.schedule(connection, jobs, app.clock.now_ms())
    queue_desk.cancel_jobs(app, ["grow.1:d0002"])
    work_off(app)
    assert rows(app, t.document) == 4
    assert queue_desk.show_job(app, "grow.1:d0002")["attempts"] == []


def test_dead_letters_are_retried_or_discarded(settings: Settings, make_app: MakeApp) -> None:
    broken = [True]

    async def fixable(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        if broken[0]:
            return [Failed(ContentError("Broken.")) for _ in jobs]
        return await grow(jobs, read)

    app = make_app(settings, pipeline=toy_pipeline(grow_with=fixable))
    sow(app, 2)
    work_off(app)
    assert len(queue_desk.list_dead(app)) == 2
    assert queue_desk.discard_dead(app, ["grow.1:d0000"]) == ["grow.1:d0000"]
    broken[0] = False
    assert queue_desk.retry_jobs(app, ["grow.1:d0001"]) == 1
    work_off(app)
    assert queue_desk.list_dead(app) == []
    states = {row["job_id"]: row["state"] for row in all_rows(app, t.job)}
    assert states["grow.1:d0000"] == "discarded"
    assert states["grow.1:d0001"] == states["reap.1:d0001"] == "done"


def test_a_batch_that_kills_workers_is_taken_apart(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    with app.engine.begin() as connection:
        jobs = [NewJob("grow", Named(name=f"d{n:04}"), RUN) for n in range(5)]
        app.book.schedule(connection, jobs, app.clock.now_ms())
    ((batch_id, _),) = open_batches(app)
    worker = app.worker()
    worker._runner.run(batch_id, "grow", deaths=3)
    worker._identity.release()
    assert len(open_batches(app)) == 5
    work_off(app)
    assert rows(app, t.document) == 5


def test_a_batch_that_the_queue_gave_up_is_not_lost(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    with app.engine.begin() as connection:
        app.book.schedule(connection, [NewJob("grow", Named(name="d0000"), RUN)], 0)
    ((batch_id, _),) = open_batches(app)
    status = app.queues._status
    with app.engine.begin() as connection:
        connection.execute(
            sa.update(status)
            .where(status.c.workflow_uuid == batch_id)
            .values(status="MAX_RECOVERY_ATTEMPTS_EXCEEDED")
        )
    with working(app):
        until(lambda: rows(app, t.dead_letter) == 1)
    assert all_rows(app, t.dead_letter)[0]["error_code"] == "worker_died"


def test_a_stopping_worker_finishes_what_it_has_in_hand(
    settings: Settings, make_app: MakeApp
) -> None:
    begun = threading.Event()

    async def slow(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        begun.set()
        await asyncio.sleep(0.5)
        return await grow(jobs, read)

    app = make_app(settings, pipeline=toy_pipeline(grow_with=slow))
    sow(app, 3)
    worker = app.worker()
    worker.start()
    assert begun.wait(10)
    assert worker.stop()
    assert rows(app, t.document) == 3
    assert left(app) == 3
    work_off(app)
    check_books(app, 3)


def test_a_worker_begins_runs_on_schedule(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings.model_copy(update={"schedule": "* * * * * *"}))
    worker = app.worker()
    attend(app, worker)
    worker.start()
    until(lambda: len(list_runs(app)) >= 2, patience_s=30)
    worker.stop()
    begun = [run.run_id for run in list_runs(app)]
    assert all(run_id.endswith("Z-scheduled") for run_id in begun)
    assert len(set(begun)) == len(begun)


def test_a_schedule_stays_until_it_is_taken_away(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings)
    schema = "" if app.engine.dialect.name == "sqlite" else "dbos."

    def scheduled() -> list[str]:
        query = sa.text(f"SELECT schedule FROM {schema}workflow_schedules")
        with app.engine.connect() as connection:
            return list(connection.execute(query).scalars())

    for setting, expected in (
        ("0 5 * * *", ["0 5 * * *"]),
        (None, ["0 5 * * *"]),
        ("0 6 * * *", ["0 6 * * *"]),
        ("off", []),
    ):
        with App(settings.model_copy(update={"schedule": setting})) as other:
            worker = other.worker()
            attend(other, worker)
            worker.start()
            worker.stop()
        assert scheduled() == expected


def test_a_schedule_that_is_no_cron_line_is_refused(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings.model_copy(update={"schedule": "every now and then"}))
    worker = app.worker()
    attend(app, worker)
    with pytest.raises(InvalidSetting, match="not a cron line"):
        worker.start()
    worker.stop()


def test_a_second_worker_on_sqlite_is_told_so(app: App) -> None:
    if app.engine.dialect.name != "sqlite":
        other = App(app.settings)
        with working(app) as first, working_elsewhere(other) as second:
            assert first.worker_id != second
        other.close()
        return
    with working(app), App(app.settings) as other:
        with pytest.raises(WorkerRunning, match="already listens"):
            other.worker()


@contextmanager
def working_elsewhere(app: App) -> Iterator[str]:
    """Only the name: one process has one queue thread."""
    worker = app.worker()
    yield worker.worker_id
    worker._identity.release()


@pytest.mark.postgres
def test_a_name_is_borne_by_one_worker_at_a_time(
    home: Path, postgres_url: str, make_app: MakeApp
) -> None:
    settings = quick_settings(home, database_url=postgres_url, worker_name="w")
    app = make_app(settings, pipeline=toy_pipeline())
    worker = app.worker()
    other = make_app(settings, pipeline=toy_pipeline())
    with pytest.raises(WorkerRunning, match="called w is running"):
        other.worker()
    worker._identity.release()
    other.worker()._identity.release()


def test_a_disk_that_refuses_the_heartbeat_ends_the_worker(
    settings: Settings, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    with working(app) as worker:

        def refused(self: Roster, worker_id: str) -> str | None:
            raise sa.exc.OperationalError("beat", {}, sqlite3.OperationalError("disk I/O error"))

        monkeypatch.setattr(Roster, "beat", refused)
        until(lambda: worker.fatal is not None)
        with pytest.raises(DiskFailed, match="refuses to write"):
            sow(app, 1)
            see_through(app, worker, [RUN], stop=threading.Event())
