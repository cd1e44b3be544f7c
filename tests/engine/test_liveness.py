"""What Assay asks of DBOS without a public name for it, and how workers are found dead."""

from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.engine.liveness import LOST, WorkerIdentity, WorkerRoster
from assay.settings import Settings
from assay.store import tables as t
from tests.conftest import quick_settings
from tests.engine.hand import all_rows, open_batches
from tests.engine.toy import check_books, left, rows, sow, toy_pipeline
from tests.engine.workers import work_off, working
from tests.waiting import AGES_S, until

MakeApp = Callable[..., App]


def _hold(app: App, worker_id: str) -> int:
    """Make it look as if a worker had died with every open batch in hand."""
    status = app.queues._status
    with app.engine.begin() as connection:
        held = connection.execute(
            sa.update(status)
            .where(status.c.workflow_uuid.in_([batch for batch, _ in open_batches(app)]))
            .values(status="PENDING", executor_id=worker_id)
        )
        schema = "" if app.engine.dialect.name == "sqlite" else "dbos."
        connection.execute(sa.text(f"UPDATE {schema}workflow_status SET application_version='1'"))
    return held.rowcount


def test_batches_of_a_dead_worker_are_handed_on(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    sow(app, 5)
    assert _hold(app, "a-worker-that-died") == 1
    work_off(app)
    assert rows(app, t.document) == 5
    lost = [row for row in all_rows(app, t.event) if row["tag"] == "worker.lost"]
    assert [row["body"] for row in lost] == [{"worker_id": "a-worker-that-died", "batches": 1}]


def test_batches_of_ones_own_name_are_taken_up_at_the_start(home: Path, make_app: MakeApp) -> None:
    app = make_app(quick_settings(home, worker_name="w"), pipeline=toy_pipeline())
    sow(app, 5)
    assert _hold(app, "w") == 1
    work_off(app)
    check_books(app, 5)


@pytest.mark.postgres
def test_a_worker_that_holds_its_lock_and_its_lease_is_left_alone(
    home: Path, postgres_url: str, make_app: MakeApp
) -> None:
    settings = quick_settings(home, database_url=postgres_url)
    app = make_app(settings, pipeline=toy_pipeline())
    sow(app, 3)
    # In a process of its own, it would have sessions of its own, which are ended with it.
    elsewhere = make_app(settings, pipeline=toy_pipeline())
    other = WorkerIdentity(elsewhere.engine, "alive-and-well")
    roster = WorkerRoster(app.engine, AGES_S)
    roster.beat("alive-and-well")
    _hold(app, "alive-and-well")
    with working(app) as worker:
        assert worker.recover_lost_batches() == 0
        assert left(app) == 1
        with app.engine.begin() as connection:
            connection.execute(
                sa.update(t.worker)
                .where(t.worker.c.worker_id == "alive-and-well")
                .values(heartbeat_ms=0)
            )
        until(lambda: left(app) == 0)
        assert worker.worker_id != "alive-and-well"
    states = {row["worker_id"]: row["state"] for row in all_rows(app, t.worker)}
    assert states["alive-and-well"] == LOST
    other.release()


def test_an_idle_worker_looks_less_often_and_a_busy_one_more(
    settings: Settings, make_app: MakeApp
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    with working(app) as worker:
        assert app.queues.polling_s == settings.polling_s
        worker._quiet_since -= 60
        until(lambda: app.queues.polling_s == 1.0)
        sow(app, 3)
        until(lambda: app.queues.polling_s == settings.polling_s)
        until(lambda: left(app) == 0)


def test_finished_batches_are_forgotten_and_jobs_are_not(
    settings: Settings, make_app: MakeApp
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    sow(app, 25)
    work_off(app)
    jobs = rows(app, t.job)
    with working(app):
        assert app.queues.delete_finished_batches(before_ms=0) == 0
        assert app.queues.delete_finished_batches(before_ms=app.clock.now_ms() + 1000) == 1 + 3 + 3
    assert rows(app, t.job) == jobs
    sow(app, 25)
    assert left(app) == 0
    check_books(app, 25)


def test_many_batches_are_queued_as_one_would_be(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings.model_copy(update={"batch_size": 1}), pipeline=toy_pipeline())
    with app.engine.begin() as connection:
        app.queues.enqueue(connection, "grow:alone", "grow", 100, 0.0)
        app.queues.enqueue_many(connection, ["grow:first", "grow:copy"], "grow", 100)
    schema = "" if app.engine.dialect.name == "sqlite" else "dbos."
    query = sa.text(f"SELECT * FROM {schema}workflow_status ORDER BY workflow_uuid")
    own = {"workflow_uuid", "created_at", "updated_at", "creator_xid"}
    with app.engine.connect() as connection:
        found = [
            {name: value for name, value in row.items() if name not in own}
            for row in connection.execute(query).mappings()
        ]
    assert len(found) == 3
    assert found[0] == found[1] == found[2]
