"""Workers on real queues: everything once, schedules, stopping, dying, and one at a time."""

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay import logs
from assay.app import App
from assay.app.runs import attach_schedules, list_runs, wait_for_runs
from assay.engine.contract import Result
from assay.engine.jobs import NewJob
from assay.engine.liveness import WorkerRoster
from assay.engine.reader import Reader
from assay.engine.worker import Worker
from assay.errors import DiskFailed, InvalidSetting, UnknownSetting, WorkerRunning
from assay.logs import Log
from assay.sdk.pack import Pack, PackSchedule
from assay.settings import Settings
from assay.store import tables as t
from tests.conftest import quick_settings
from tests.engine.hand import all_rows, open_batches
from tests.engine.toy import RUN, Named, check_books, grow, left, rows, sow, toy_pipeline
from tests.engine.workers import MakeApp, work_off, working
from tests.waiting import PATIENCE_S, until, until_async


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


def test_a_batch_that_kills_workers_is_taken_apart(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    with app.engine.begin() as connection:
        jobs = [NewJob("grow", Named(name=f"d{n:04}"), RUN) for n in range(5)]
        app.book.schedule(connection, jobs, app.clock.now_ms())
    ((batch_id, _),) = open_batches(app)
    worker = app.make_worker()
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
        # Until nobody claims the next stage's batch any more.
        await until_async(lambda: not _is_claiming("reap"))
        return await grow(jobs, read)

    app = make_app(settings, pipeline=toy_pipeline(grow_with=slow))
    sow(app, 3)
    worker = app.make_worker()
    worker.start()
    assert begun.wait(PATIENCE_S)
    assert worker.stop()
    assert rows(app, t.document) == 3
    assert left(app) == 3
    work_off(app)
    check_books(app, 3)


def _is_claiming(queue: str) -> bool:
    return any(thread.name == f"queue-worker-{queue}" for thread in threading.enumerate())


def test_a_worker_begins_runs_on_schedule(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings.model_copy(update={"schedule": "* * * * * *"}))
    worker = app.make_worker()
    attach_schedules(app, worker)
    worker.start()
    until(lambda: len(list_runs(app)) >= 2)
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
        packs = ("civic.sync", "civic.models", "literature.resolve")
        given = {"schedule": setting, "schedules": dict.fromkeys(packs, "off")}
        with App(settings.model_copy(update=given)) as other:
            worker = other.make_worker()
            attach_schedules(other, worker)
            worker.start()
            worker.stop()
        assert scheduled() == expected


def test_a_schedule_that_is_no_cron_line_is_refused(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings.model_copy(update={"schedule": "every now and then"}))
    worker = app.make_worker()
    attach_schedules(app, worker)
    with pytest.raises(InvalidSetting, match="not a valid cron expression"):
        worker.start()
    worker.stop()


def test_a_schedule_that_no_pack_declares_is_refused(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings.model_copy(update={"schedules": {"ferries.regrade": "off"}}))
    app.packs._installed = {}
    with pytest.raises(
        UnknownSetting, match=r"the schedule 'ferries\.regrade', which no"
    ) as refused:
        app.make_worker()
    assert refused.value.advice == "Remove it."
    daily = PackSchedule(name="daily", cron="0 4 * * *", start=lambda services: [])
    app.packs._installed = {"toy": Pack(name="toy", version="1", title="Toy", schedules=(daily,))}
    with pytest.raises(UnknownSetting) as refused:
        app.make_worker()
    assert refused.value.advice == "The schedules are toy.daily."


def test_a_second_worker_on_sqlite_is_told_so(app: App) -> None:
    if app.engine.dialect.name != "sqlite":
        other = App(app.settings)
        with working(app) as first, working_elsewhere(other) as second:
            assert first.worker_id != second
        other.close()
        return
    with working(app), App(app.settings) as other:
        with pytest.raises(WorkerRunning, match="already running"):
            other.make_worker()


@contextmanager
def working_elsewhere(app: App) -> Iterator[str]:
    """Only the name: one process has one queue thread."""
    worker = app.make_worker()
    yield worker.worker_id
    worker._identity.release()


@pytest.mark.postgres
def test_a_name_is_borne_by_one_worker_at_a_time(
    home: Path, postgres_url: str, make_app: MakeApp
) -> None:
    settings = quick_settings(home, database_url=postgres_url, worker_name="w")
    app = make_app(settings, pipeline=toy_pipeline())
    worker = app.make_worker()
    other = make_app(settings, pipeline=toy_pipeline())
    with pytest.raises(WorkerRunning, match="called w is already running"):
        other.make_worker()
    worker._identity.release()
    other.make_worker()._identity.release()


def test_a_disk_that_refuses_the_heartbeat_ends_the_worker(
    settings: Settings, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    with working(app) as worker:

        def refused(self: WorkerRoster, worker_id: str) -> str | None:
            raise sa.exc.OperationalError("beat", {}, sqlite3.OperationalError("disk I/O error"))

        monkeypatch.setattr(WorkerRoster, "beat", refused)
        until(lambda: worker.fatal is not None)
        with pytest.raises(DiskFailed, match="refused a write"):
            sow(app, 1)
            wait_for_runs(app, worker, [RUN], stop=threading.Event())


def test_a_finished_run_is_noticed_while_the_worker_runs_batches_of_another(
    settings: Settings, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    with working(app) as worker:
        monkeypatch.setattr(Worker, "is_busy", True)
        assert wait_for_runs(app, worker, [RUN], stop=threading.Event())
