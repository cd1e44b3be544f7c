"""Running batches by hand, one after the other, without a queue in between."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from assay.app import App
from assay.engine.loop import LoopThread
from assay.engine.runner import Runner
from assay.store import tables as t
from tests.waiting import PATIENCE_S


@contextmanager
def hand(app: App) -> Iterator[Runner]:
    """A runner with a loop of its own."""
    loop = LoopThread()
    loop.start()
    try:
        yield app.make_runner(app.make_committer(), loop)
    finally:
        loop.submit(app.tools.close()).result(timeout=PATIENCE_S)
        loop.stop()


def drain(app: App, *, rounds: int = 100) -> int:
    """Run batch after batch until none is left, delays or not; gives how many were run."""
    done = 0
    with hand(app) as runner:
        for _ in range(rounds):
            batches = open_batches(app)
            if not batches:
                return done
            for batch_id, stage in batches:
                runner.run(batch_id, stage)
                done += 1
    raise AssertionError("there is always another batch")


def open_batches(app: App) -> list[tuple[str, str]]:
    query = (
        sa.select(t.job.c.batch_id, t.job.c.stage)
        .where(t.job.c.state == "queued")
        .distinct()
        .order_by(t.job.c.batch_id)
    )
    with app.engine.connect() as connection:
        return [(row[0], row[1]) for row in connection.execute(query)]


def all_rows(app: App, table: sa.Table) -> list[dict[str, Any]]:
    """Every row of a table, in the order of its key."""
    query = sa.select(table).order_by(*table.primary_key.columns)
    with app.engine.connect() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]
