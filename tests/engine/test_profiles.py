"""The queues' rates, the two profiles, and that a rate counts documents."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.contracts import list_declared_stages
from assay.engine.contract import BoundStage, Outcome, Pipeline, QueueLimits, Result, Stage
from assay.engine.jobs import NewJob
from assay.engine.profiles import choose_batch_size, compute_limits
from assay.engine.reader import Reader
from assay.errors import UnknownSetting
from assay.settings import ProviderSettings, QueueSettings, Settings, load_settings
from assay.spine.router import ROUTER
from assay.spine.scout import SCOUT
from assay.store import tables as t
from tests.engine.toy import RUN, Named
from tests.engine.workers import working
from tests.waiting import until

STAGES = {stage.name: stage for stage in list_declared_stages()}
MakeApp = Callable[..., App]
SPECIFIED = {
    "sentinel": 5,
    "scout": 20,
    "router": 20,
    "ocr": 2,
    "extract": 10,
    "compose": 5,
    "apply": 5,
    "review": 5,
    "arbiter": 3,
    "release": 2,
}


def _settings(tmp_path: Path, **given: Any) -> Settings:
    return load_settings(home=tmp_path / "home", env={}, **given)


def test_production_keeps_every_rate_of_the_specification(tmp_path: Path) -> None:
    settings = _settings(tmp_path, profile="production")
    rates = {name: compute_limits(stage, settings) for name, stage in STAGES.items()}
    assert {name: rates[name].rate for name in SPECIFIED} == SPECIFIED
    assert {rates[name].per for name in SPECIFIED} == {60}


def test_local_lifts_only_what_calls_nobody(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    lifted = {name for name in SPECIFIED if compute_limits(STAGES[name], settings).rate is None}
    asking = {"extract", "arbiter"}
    assert lifted == set(SPECIFIED) - {"sentinel"}
    with_model = _settings(tmp_path, providers={"m": ProviderSettings(kind="ollama", model="m")})
    kept = {name for name in SPECIFIED if compute_limits(STAGES[name], with_model).rate}
    assert kept == {"sentinel"} | asking


def test_a_queue_can_be_set_by_name(tmp_path: Path) -> None:
    changed = {
        "sentinel": QueueSettings(rate=0),
        "ocr": QueueSettings(rate=7, per_s=10.0, concurrency=3),
    }
    settings = _settings(tmp_path, queues=changed)
    assert compute_limits(STAGES["sentinel"], settings).rate is None
    assert compute_limits(STAGES["ocr"], settings) == QueueLimits(7, 10.0, 3)


def test_a_queue_that_does_not_exist_cannot_be_set(settings: Settings, make_app: MakeApp) -> None:
    wrong = settings.model_copy(update={"queues": {"scuot": QueueSettings(rate=1)}})
    with pytest.raises(UnknownSetting, match="the queue 'scuot'"):
        make_app(wrong).make_worker()


def test_a_queue_with_a_rate_has_no_batches(tmp_path: Path) -> None:
    for stage, documents in ((SCOUT, 200), (ROUTER, 500)):
        assert choose_batch_size(stage, _settings(tmp_path)) == documents
        assert choose_batch_size(stage, _settings(tmp_path, profile="production")) == 1


def test_no_window_holds_more_documents_than_the_rate(
    settings: Settings, make_app: MakeApp
) -> None:
    rate, per_s, count = 3, 1.5, 8
    limited = Stage(
        name="grow",
        version=1,
        payload=Named,
        queue=QueueLimits(rate, per=per_s),
        writes=frozenset(),
        batch=10,
        uses=frozenset({"http"}),
        entry=True,
    )

    async def nothing(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        return [Outcome() for _ in jobs]

    app = make_app(settings, pipeline=Pipeline([BoundStage(limited, nothing)]))
    with app.engine.begin() as connection:
        jobs = [NewJob("grow", Named(name=f"d{n}"), RUN) for n in range(count)]
        app.book.schedule(connection, jobs, app.clock.now_ms())
    with working(app):
        until(lambda: _done(app) == count)
    starts = _starts(app)
    assert len(starts) == count
    for first, later in zip(starts, starts[rate:], strict=False):
        assert later - first >= per_s * 1000


def _done(app: App) -> int:
    with app.engine.connect() as connection:
        query = sa.select(sa.func.count()).select_from(t.job).where(t.job.c.state == "done")
        return int(connection.execute(query).scalar() or 0)


def _starts(app: App) -> list[int]:
    schema = "" if app.engine.dialect.name == "sqlite" else "dbos."
    query = f"SELECT started_at_epoch_ms FROM {schema}workflow_status WHERE queue_name = 'grow'"
    with app.engine.connect() as connection:
        return sorted(connection.execute(sa.text(query)).scalars())


@pytest.mark.parametrize("priority", [0, 1, 150, 1_000_000])
def test_any_priority_can_be_queued(app: App, priority: int) -> None:
    with app.engine.begin() as connection:
        app.queues.enqueue(connection, f"scout:p{priority}", "scout", priority, 0.0)
    schema = "" if app.engine.dialect.name == "sqlite" else "dbos."
    with app.engine.connect() as connection:
        stored = connection.execute(
            sa.text(f"SELECT priority FROM {schema}workflow_status")
        ).scalar()
    assert stored == max(1, 1_000_000 - priority)
