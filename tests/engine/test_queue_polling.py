"""Polling: empty queues cost one query for all of them, and full ones are asked as before."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import sqlalchemy as sa

from assay.app import App
from assay.engine.queue_polling import WaitingQueues
from assay.settings import Settings
from assay.store.database import is_sqlite
from tests.engine.toy import sow, toy_pipeline
from tests.engine.workers import MakeApp


class _Database:
    """Stands in for the part of DBOS that claims batches."""

    def __init__(self) -> None:
        self.claimed: list[str] = []
        self.loaded: list[str] = []

    def start_queued_workflows(
        self, queue: Any, worker: str, *_given: object
    ) -> tuple[list[str], None]:
        self.claimed.append(queue.name)
        return [f"{queue.name} by {worker}"], None

    def get_queue(self, name: str) -> str:
        self.loaded.append(name)
        return name


def test_only_queues_with_batches_are_asked(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    database = _Database()
    polling = WaitingQueues(app.engine, 1.0, rest_s=0.0)
    polling.attach(database)
    queues = [SimpleNamespace(name=name) for name in ("plant", "grow", "unknown")]

    def poll() -> list[list[str]]:
        polling.look()
        return [cast(Any, database).start_queued_workflows(each, "w")[0] for each in queues]

    assert poll() == [[], [], []]
    sow(app, 1)
    assert poll() == [["plant by w"], [], []]
    assert database.claimed == ["plant"]


def test_settings_of_a_queue_are_not_read_at_every_poll(
    settings: Settings, make_app: MakeApp
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    database = _Database()
    polling = WaitingQueues(app.engine, 1.0, reload_s=3600)
    polling.attach(database)
    assert [cast(Any, database).get_queue("plant") for _ in range(3)] == ["plant"] * 3
    assert database.loaded == ["plant"]


def test_a_queue_that_runs_as_many_batches_as_it_may_is_not_asked(
    settings: Settings, make_app: MakeApp
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    database = _Database()
    polling = WaitingQueues(app.engine, 1.0, rest_s=0.0)
    polling.attach(database)
    queue = SimpleNamespace(name="plant", _worker_concurrency=2)

    def poll(running: int) -> list[str]:
        answer = cast(Any, database).start_queued_workflows(queue, "w", "1", None, running)
        return cast(list[str], answer[0])

    assert poll(0) == []
    sow(app, 1)
    polling.look()
    assert [poll(running) for running in (2, 1)] == [[], ["plant by w"]]


def test_a_thread_that_waits_for_batches_wakes_up_when_there_are_some_and_at_the_end(
    settings: Settings, make_app: MakeApp
) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    database = _Database()
    polling = WaitingQueues(app.engine, 0.01, rest_s=60.0)
    polling.attach(database)
    polling.start()
    with ThreadPoolExecutor(2) as threads:
        claims = [
            threads.submit(
                cast(Any, database).start_queued_workflows, SimpleNamespace(name=name), "w"
            )
            for name in ("plant", "grow")
        ]
        sow(app, 1)
        assert claims[0].result(timeout=30)[0] == ["plant by w"]
        polling.stop()
        assert claims[1].result(timeout=30)[0] == []


def test_a_look_reads_no_batch_that_has_ended(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    database = _Database()
    polling = WaitingQueues(app.engine, 1.0, rest_s=0.0)
    polling.attach(database)
    for name in ("grow", "plant"):
        cast(Any, database).start_queued_workflows(SimpleNamespace(name=name), "w")
    _queue_batches(app, ended=400, waiting=80)
    statements = _record_statements(app)
    polling.look()
    (look,) = statements
    with app.engine.connect() as connection:
        explain = "EXPLAIN QUERY PLAN" if is_sqlite(app.engine) else "EXPLAIN"
        rows = connection.exec_driver_sql(f"{explain} {look[0]}", look[1]).all()
    plan = "\n".join(str(row[-1]) for row in rows)
    assert "idx_workflow_status_in_flight" in plan
    assert "Seq Scan" not in plan and "SCAN batch" not in plan


def _queue_batches(app: App, *, ended: int, waiting: int) -> None:
    """Batches of one queue, of which the first have ended."""
    table = "workflow_status" if is_sqlite(app.engine) else "dbos.workflow_status"
    with app.engine.begin() as connection:
        ids = [f"plant:{number:05}" for number in range(ended + waiting)]
        app.queues.enqueue_many(connection, ids, "plant", 100)
        done = sa.text(f"UPDATE {table} SET status = 'SUCCESS' WHERE workflow_uuid < :first")
        connection.execute(done, {"first": ids[ended]})
        connection.exec_driver_sql(f"ANALYZE {table}")


def _record_statements(app: App) -> list[tuple[str, Any]]:
    """Every statement from now on, with its parameters, as the driver gets it."""
    found: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, statement: str, given: Any, *_other: Any) -> None:
        found.append((statement, given))

    sa.event.listen(app.engine, "before_cursor_execute", note)
    return found
