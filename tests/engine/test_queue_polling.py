"""Polling: empty queues cost one query for all of them, and full ones are asked as before."""

from types import SimpleNamespace
from typing import Any, cast

from assay.engine.queue_polling import WaitingQueues
from assay.settings import Settings
from tests.engine.toy import sow, toy_pipeline
from tests.engine.workers import MakeApp


class _Database:
    """Stands in for the part of DBOS that claims batches."""

    def __init__(self) -> None:
        self.claimed: list[str] = []
        self.loaded: list[str] = []

    def start_queued_workflows(self, queue: Any, worker: str) -> tuple[list[str], None]:
        self.claimed.append(queue.name)
        return [f"{queue.name} by {worker}"], None

    def get_queue(self, name: str) -> str:
        self.loaded.append(name)
        return name


def test_only_queues_with_batches_are_asked(settings: Settings, make_app: MakeApp) -> None:
    app = make_app(settings, pipeline=toy_pipeline())
    database = _Database()
    WaitingQueues(app.engine, fresh_s=0.0).attach(database)
    queues = [SimpleNamespace(name=name) for name in ("plant", "grow", "unknown")]

    def poll() -> list[list[str]]:
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
    polling = WaitingQueues(app.engine, fresh_s=0.0, reload_s=3600)
    polling.attach(database)
    assert [cast(Any, database).get_queue("plant") for _ in range(3)] == ["plant"] * 3
    assert database.loaded == ["plant"]
