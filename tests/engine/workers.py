"""Workers that a test starts, and waiting for what they do."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from assay.app import App
from assay.app.runs import wait_for_runs
from assay.engine.worker import Worker
from tests.engine.toy import RUN
from tests.waiting import PATIENCE_S

MakeApp = Callable[..., App]


@contextmanager
def working(app: App) -> Iterator[Worker]:
    worker = app.make_worker()
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()


def work_off(app: App, patience_s: float = PATIENCE_S, run: str = RUN) -> None:
    """Let a worker do everything that there is to do."""
    stop = threading.Timer(patience_s, lambda: over.set())
    over = threading.Event()
    stop.start()
    with working(app) as worker:
        assert wait_for_runs(app, worker, [run], stop=over), "not done in time"
    stop.cancel()
