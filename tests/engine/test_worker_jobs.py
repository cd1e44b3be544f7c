"""What becomes of a worker's jobs: retries, priorities, timeouts, cancelling, dead letters."""

import asyncio
import threading
import time
from collections.abc import Sequence

import pytest

from assay.app import job_admin as queue_desk
from assay.engine.contract import Failed, Outcome, Result
from assay.engine.jobs import NewJob
from assay.engine.reader import Reader
from assay.errors import AuthError, ContentError, FetchFailed
from assay.settings import Settings
from assay.store import tables as t
from tests.engine.hand import all_rows
from tests.engine.toy import RUN, Named, grow, left, rows, sow, toy_pipeline
from tests.engine.workers import MakeApp, work_off, working
from tests.waiting import AGES_S, PATIENCE_S, until


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
            await asyncio.sleep(AGES_S)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return []

    short = settings.model_copy(update={"job_timeout_s": 0.3, "retry_delays_s": (0.1,)})
    app = make_app(short, pipeline=toy_pipeline(grow_with=endless))
    # Only the job that never ends: any other might be too slow on a busy machine.
    with app.engine.begin() as connection:
        app.book.schedule(connection, [NewJob("grow", Named(name="d0000"), RUN)], 0)
    work_off(app)
    assert cancelled.is_set()
    assert all_rows(app, t.dead_letter)[0]["error_code"] == "job_timed_out"


def test_a_running_job_can_be_cancelled(settings: Settings, make_app: MakeApp) -> None:
    running, cancelled = threading.Event(), threading.Event()

    async def endless(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        running.set()
        try:
            await asyncio.sleep(AGES_S)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return []

    app = make_app(settings, pipeline=toy_pipeline(grow_with=endless))
    sow(app, 1)
    with working(app):
        assert running.wait(PATIENCE_S)
        assert queue_desk.cancel_jobs(app, ["grow.1:d0000"]) == ["grow.1:d0000"]
        assert cancelled.wait(PATIENCE_S)
        until(lambda: left(app) == 0)
    assert queue_desk.describe_job(app, "grow.1:d0000")["state"] == "cancelled"
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
    assert queue_desk.describe_job(app, "grow.1:d0002")["attempts"] == []


def test_dead_letters_are_retried_or_discarded(settings: Settings, make_app: MakeApp) -> None:
    broken = [True]

    async def fixable(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        if broken[0]:
            return [Failed(ContentError("Broken.")) for _ in jobs]
        return await grow(jobs, read)

    app = make_app(settings, pipeline=toy_pipeline(grow_with=fixable))
    sow(app, 2)
    work_off(app)
    assert len(queue_desk.list_dead_letters(app)[0]) == 2
    assert queue_desk.discard_dead_letters(app, ["grow.1:d0000"]) == ["grow.1:d0000"]
    broken[0] = False
    assert queue_desk.retry_jobs(app, ["grow.1:d0001"]) == 1
    work_off(app)
    assert queue_desk.list_dead_letters(app)[0] == []
    states = {row["job_id"]: row["state"] for row in all_rows(app, t.job)}
    assert states["grow.1:d0000"] == "discarded"
    assert states["grow.1:d0001"] == states["reap.1:d0001"] == "done"
