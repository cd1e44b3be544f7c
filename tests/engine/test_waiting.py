"""Jobs of which one waits for each subject: no change goes unseen, and none piles up."""

import random
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.engine.contract import BoundStage, Failed, NextJob, Outcome, Pipeline, Result
from assay.engine.faults import POINTS
from assay.engine.jobs import NewJob
from assay.engine.loop import LoopThread
from assay.engine.reader import Reader
from assay.errors import FetchFailed
from assay.model.records import Document
from assay.settings import Settings
from assay.store import tables as t
from assay.store.upserts import upsert_records
from tests.engine.hand import all_rows, drain, hand, open_batches
from tests.engine.toy import GROW, RUN, Named
from tests.engine.workers import MakeApp

LOOK = replace(
    GROW,
    name="look",
    once="waiting",
    entry=True,
    reads=frozenset({Document}),
    writes=frozenset({Document}),
    next=frozenset({"look"}),
    batch=2,
)


class Looks:
    """A stage that remembers which documents each look has seen."""

    def __init__(self) -> None:
        self.seen: list[frozenset[str]] = []
        self.last: dict[str, frozenset[str]] = {}
        """subject → what the last look at it has seen."""
        self.failures = 0
        self.again = 0

    async def work(self, jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        found = await read.find_where(Document, "source_slug", ["toy"])
        self.seen.append(frozenset(entry.doc_id for entry in found))
        self.last.update(dict.fromkeys((job.name for job in jobs), self.seen[-1]))
        if self.failures:
            self.failures -= 1
            return [Failed(FetchFailed("A blip.")) for _ in jobs]
        if self.again:
            self.again -= 1
            return [Outcome(next=(NextJob("look", job),)) for job in jobs]
        return [Outcome() for _ in jobs]


@pytest.fixture
def looks() -> Looks:
    return Looks()


@pytest.fixture
def app(settings: Settings, make_app: MakeApp, looks: Looks) -> App:
    return make_app(settings, pipeline=Pipeline([BoundStage(LOOK, looks.work)], given=(Document,)))


def changed(app: App, name: str, *subjects: str, run_id: str = RUN) -> int:
    """A change, and the wish that someone looks at it, in one transaction."""
    jobs = [NewJob("look", Named(name=subject), run_id) for subject in subjects]
    with app.engine.begin() as connection:
        upsert_records(
            connection, [Document(doc_id=name, source_slug="toy", url=f"http://x.test/{name}")]
        )
        return app.book.schedule(connection, jobs, 0)


def test_one_job_waits_for_a_subject_however_often_it_is_asked_for(app: App, looks: Looks) -> None:
    assert changed(app, "d1", "a", "b") == 2
    assert changed(app, "d2", "b", "a", "c", "a") == 1
    assert len(open_batches(app)) == 2
    drain(app)
    assert looks.seen == [{"d1", "d2"}] * 2
    # What is done waits no longer: the next change is looked at, under another id.
    assert changed(app, "d3", "a") == 1
    drain(app)
    jobs = all_rows(app, t.job)
    assert [job["subject"] for job in jobs] == ["a", "a", "b", "c"]
    assert all(job["job_id"].startswith(f"look.1:{job['subject']}@") for job in jobs)
    assert {job["waiting_key"] for job in jobs} == {None}


def test_a_job_that_has_begun_is_not_waited_for(app: App) -> None:
    changed(app, "d1", "a")
    ((batch, _),) = open_batches(app)
    with app.engine.begin() as connection:
        app.book.begin(connection, batch)
    assert changed(app, "d2", "a") == 1
    assert len(open_batches(app)) == 2


def test_the_jobs_of_another_run_are_its_own(app: App) -> None:
    changed(app, "d1", "a")
    assert changed(app, "d2", "a", run_id="other-run") == 1
    assert changed(app, "d3", "a", run_id="other-run") == 0


def test_a_look_may_ask_for_another_one(app: App, looks: Looks) -> None:
    looks.again = 3
    changed(app, "d1", "a")
    drain(app)
    assert len(looks.seen) == 4


def test_what_is_tried_again_is_not_waited_for(app: App, looks: Looks) -> None:
    looks.failures = 1
    changed(app, "d1", "a")
    with hand(app) as runner:
        runner.run(*open_batches(app)[0])
    assert changed(app, "d2", "a") == 1
    drain(app)
    assert len(looks.seen) == 3
    assert {job["state"] for job in all_rows(app, t.job)} == {"done"}


def test_what_is_cancelled_waits_no_longer(app: App) -> None:
    changed(app, "d1", "a")
    (job,) = all_rows(app, t.job)
    with app.engine.begin() as connection:
        app.book.close(connection, [job["job_id"]], state="cancelled", now_ms=1)
    assert changed(app, "d2", "a") == 1


class Crash(BaseException):
    """The process is gone."""


class CrashOnce:
    def __init__(self, point: str) -> None:
        self.point: str | None = point

    def reach(self, point: str) -> None:
        if point == self.point:
            self.point = None
            raise Crash


@pytest.mark.parametrize("point", POINTS)
def test_a_crash_anywhere_leaves_the_last_change_seen(app: App, looks: Looks, point: str) -> None:
    faults = CrashOnce(point)
    app._faults = faults
    looks.again = 1
    changed(app, "d1", "a", "b")
    with pytest.raises(Crash):
        drain(app)
    changed(app, "d2", "a", "b")
    drain(app)
    assert faults.point is None
    assert looks.seen[-1] == {"d1", "d2"}
    jobs = all_rows(app, t.job)
    assert {job["state"] for job in jobs} == {"done"}
    assert {job["waiting_key"] for job in jobs} == {None}
    ended = [row["job_id"] for row in all_rows(app, t.progress)]
    assert sorted(ended) == sorted(job["job_id"] for job in jobs)


def test_whoever_changes_something_holds_back_the_job_that_waits(app: App, looks: Looks) -> None:
    """The batch begins only when the change is committed, and then sees it."""
    changed(app, "d1", "a")
    ((batch, stage),) = open_batches(app)
    ran = threading.Event()

    def run() -> None:
        with hand(app) as runner:
            runner.run(batch, stage)
        ran.set()

    with ThreadPoolExecutor(1) as pool:
        with app.engine.begin() as connection:
            job = NewJob("look", Named(name="a"), RUN)
            assert app.book.schedule(connection, [job], 0) == 0
            running = pool.submit(run)
            assert not ran.wait(0.5)
            upsert_records(
                connection, [Document(doc_id="d2", source_slug="toy", url="http://x.test/d2")]
            )
        running.result(60)
    assert looks.seen == [{"d1", "d2"}]
    assert open_batches(app) == []


def test_no_change_goes_unseen_while_two_write_and_one_looks(app: App, looks: Looks) -> None:
    subjects, rounds = ("a", "b", "c"), 25
    done = threading.Event()
    wanted: dict[str, set[str]] = {subject: set() for subject in subjects}

    def write(writer: int) -> None:
        chance = random.Random(writer)
        for number in range(rounds):
            name, concerned = f"w{writer}-{number:02}", chance.sample(subjects, 2)
            for subject in concerned:
                wanted[subject].add(name)
            changed(app, name, *concerned)

    def look() -> None:
        loop = LoopThread()
        loop.start()
        runner = app.make_runner(app.make_committer(), loop)
        try:
            while not done.is_set() or open_batches(app):
                for batch, stage in open_batches(app):
                    runner.run(batch, stage)
        finally:
            loop.stop()

    with ThreadPoolExecutor(3) as pool:
        looking = pool.submit(look)
        for writing in [pool.submit(write, writer) for writer in (1, 2)]:
            writing.result(120)
        done.set()
        looking.result(120)
    assert all(wanted[subject] <= looks.last[subject] for subject in subjects)
    with app.engine.connect() as connection:
        waiting = sa.select(sa.func.count()).where(t.job.c.waiting_key.is_not(None))
        assert connection.execute(waiting).scalar_one() == 0
    assert {job["state"] for job in all_rows(app, t.job)} == {"done"}
