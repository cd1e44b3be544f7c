"""Health follows from the progress of every stage, in the transaction that stores it."""

import logging
import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.app import App
from assay.clock import TurnedClock
from assay.engine.commit import EndedAttempt
from assay.engine.contract import Failed, Outcome, Result
from assay.engine.reader import Reader
from assay.errors import ContentEmpty
from assay.governor.health import HOUR_MS, HealthLevel, find_level_in_force
from assay.governor.health_recording import record_attempts
from assay.governor.standings import pause_source, read_health, update_all_thresholds
from assay.model.bookkeeping import SourceHealth
from assay.store import tables as t
from assay.store.upserts import upsert_records
from tests.conftest import quick_settings
from tests.engine.hand import all_rows, drain
from tests.engine.toy import Named, sow, toy_pipeline
from tests.governor.conftest import NOON
from tests.waiting import PATIENCE_S

NOTHING = ("retried", "unchanged", "skipped", "gone", "noise", "refused", "blocked")
MakeApp = Callable[..., App]


def ended(note: str, source: str | None = "gazette", count: int = 1) -> list[EndedAttempt]:
    return [EndedAttempt(source, "run-1", note)] * count


def noted(engine: sa.Engine, attempts: Sequence[EndedAttempt], now_ms: int = NOON) -> None:
    with engine.begin() as connection:
        record_attempts(connection, attempts, now_ms)


def known(engine: sa.Engine, source: str = "gazette") -> SourceHealth:
    health = read_health(engine, source)
    assert health is not None
    return health


def told(engine: sa.Engine) -> list[tuple[str, str]]:
    query = sa.select(t.event.c.tag, t.event.c.source_slug).order_by(t.event.c.at_ms)
    with engine.connect() as connection:
        return [(tag, source) for tag, source in connection.execute(query)]


@pytest.fixture(autouse=True)
def _no_events(request: pytest.FixtureRequest) -> None:
    if "engine" in request.fixturenames:
        engine: sa.Engine = request.getfixturevalue("engine")
        with engine.begin() as connection:
            connection.execute(sa.delete(t.event))


def test_what_progress_says_is_counted(engine: sa.Engine) -> None:
    noted(engine, [*ended("done", count=3), *ended("empty", count=2), *ended("dead")])
    noted(engine, ended("done"))
    health = known(engine)
    assert (health.total_attempts, health.success_count) == (7, 4)
    assert (health.empty_count, health.error_count) == (2, 1)
    assert (health.total_tokens_used, health.total_items_produced) == (0, 0)


def test_tokens_and_items_are_counted_where_a_stage_tells_of_them(engine: sa.Engine) -> None:
    noted(engine, [EndedAttempt("gazette", "run-1", "done", tokens=900, items=3)])
    health = known(engine)
    assert (health.total_tokens_used, health.total_items_produced) == (900, 3)
    assert health.avg_tokens_per_item == 300.0


@pytest.mark.parametrize("note", NOTHING)
def test_what_is_no_fault_of_a_source_counts_as_nothing(engine: sa.Engine, note: str) -> None:
    noted(engine, ended(note, count=20))
    assert read_health(engine, "gazette") is None


def test_work_for_no_source_counts_for_none(engine: sa.Engine) -> None:
    noted(engine, ended("done", source=None))
    with engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(t.health)).scalar() == 0


def test_each_source_has_its_own_count(engine: sa.Engine) -> None:
    noted(engine, [*ended("done", "b", 2), *ended("dead", "a"), *ended("done", "b")])
    assert known(engine, "a").error_count == 1
    assert known(engine, "b").success_count == 3


@pytest.mark.parametrize(
    ("attempts", "level"),
    [(9, HealthLevel.FAIR), (10, HealthLevel.GOOD), (11, HealthLevel.EXCELLENT)],
)
def test_the_tenth_attempt_tells(engine: sa.Engine, attempts: int, level: HealthLevel) -> None:
    noted(engine, ended("done", count=attempts))
    assert find_level_in_force(known(engine)) is level


def test_a_change_of_level_is_told(engine: sa.Engine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "assay.governor")
    noted(engine, ended("done", count=9))
    assert told(engine) == []
    noted(engine, ended("done"))
    assert told(engine) == [("health.changed", "gazette")]
    assert "from FAIR to GOOD" in caplog.text
    with engine.connect() as connection:
        row = connection.execute(sa.select(t.event)).one()
    assert row.run_id == "run-1"
    assert row.body == {
        "source_slug": "gazette", "before": "FAIR", "after": "GOOD", "score": 0.8,
    }  # fmt: skip


@pytest.mark.parametrize(("successes", "is_paused"), [(8, False), (7, True)])
def test_a_source_is_paused_under_a_tenth_and_not_at_it(
    engine: sa.Engine, successes: int, is_paused: bool
) -> None:
    # Eight of fifteen, the rest empty, are 0.1 to the last digit.
    noted(engine, [*ended("done", count=successes), *ended("empty", count=15 - successes)])
    health = known(engine)
    assert health.is_paused is is_paused
    assert (("source.paused", "gazette") in told(engine)) is is_paused
    if is_paused:
        assert health.pause_expires_ms == NOON + 24 * HOUR_MS


def test_the_order_within_a_batch_pauses_nobody(engine: sa.Engine) -> None:
    noted(engine, [*ended("dead", count=12), *ended("done", count=400)])
    assert not known(engine).is_paused


def test_a_pause_ends_by_itself_and_that_is_told(engine: sa.Engine) -> None:
    noted(engine, ended("dead", count=10))
    noted(engine, ended("done"), NOON + 24 * HOUR_MS - 1)
    assert known(engine).is_paused
    noted(engine, ended("done"), NOON + 24 * HOUR_MS)
    health = known(engine)
    assert (health.is_paused, health.total_attempts) == (False, 1)
    assert ("source.unpaused", "gazette") in told(engine)
    noted(engine, ended("dead", count=20), NOON + 25 * HOUR_MS)
    assert known(engine).pause_expires_ms == NOON + 49 * HOUR_MS


def test_a_pause_that_begins_as_another_ends_is_told_too(engine: sa.Engine) -> None:
    noted(engine, ended("dead", count=10))
    noted(engine, ended("dead", count=10), NOON + 24 * HOUR_MS)
    assert known(engine).pause_expires_ms == NOON + 48 * HOUR_MS
    tags = [tag for tag, _ in told(engine) if tag.startswith("source.")]
    assert sorted(tags) == ["source.paused", "source.paused", "source.unpaused"]


def test_a_run_begins_with_the_threshold_of_the_level(engine: sa.Engine) -> None:
    noted(engine, [*ended("done", "good", 20), *ended("dead", "bad", 20), *ended("done", "new")])
    assert known(engine, "good").min_scout_score == 0.4
    with engine.begin() as connection:
        assert update_all_thresholds(connection) == 2
    assert known(engine, "good").min_scout_score == 0.3
    assert known(engine, "bad").min_scout_score == 0.7
    assert known(engine, "new").min_scout_score == 0.4
    with engine.begin() as connection:
        assert update_all_thresholds(connection) == 0


def test_what_a_transaction_takes_back_was_never_counted(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        transaction = connection.begin()
        record_attempts(connection, ended("done", count=5), NOON)
        transaction.rollback()
    assert read_health(engine, "gazette") is None


def test_two_workers_lose_no_count_and_never_wait_in_a_circle(engine: sa.Engine) -> None:
    """They meet the same sources, new ones too, in opposite orders."""
    rounds, failed = 15, list[BaseException]()
    start = threading.Barrier(3)

    def work(order: int) -> None:
        try:
            start.wait(PATIENCE_S)
            for number in range(rounds):
                names = ["a", "b", f"new-{number}", "z"][::order]
                noted(engine, [attempt for name in names for attempt in ended("done", name)])
        except BaseException as error:
            failed.append(error)

    def pausing() -> None:
        try:
            start.wait(PATIENCE_S)
            for _ in range(rounds):
                pause_source(engine, "b", "by hand", 1, now_ms=NOON)
                with engine.begin() as connection:
                    update_all_thresholds(connection)
        except BaseException as error:
            failed.append(error)

    threads = [
        threading.Thread(target=work, args=(1,)),
        threading.Thread(target=work, args=(-1,)),
        threading.Thread(target=pausing),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    for name in ("a", "b", "z"):
        assert known(engine, name).success_count == 2 * rounds
    assert all(known(engine, f"new-{n}").success_count == 2 for n in range(rounds))


notes = st.sampled_from(["done", "empty", "dead", "skipped"])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.lists(notes, min_size=1, max_size=8), max_size=12))
def test_however_attempts_fall_into_batches_they_are_counted_alike(
    batches: list[list[str]],
) -> None:
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    t.METADATA.create_all(engine, tables=[t.health, t.event])
    levels = [HealthLevel.FAIR]
    for batch in batches:
        noted(engine, [EndedAttempt("gazette", "r", note) for note in batch])
        found = read_health(engine, "gazette")
        if found is not None:
            levels.append(find_level_in_force(found))
            assert 0.0 <= found.health_score <= 1.0
            assert found.allow_cloud is find_level_in_force(found).allow_cloud
    whole = [note for batch in batches for note in batch]
    if not set(whole) & {"done", "empty", "dead"}:
        assert read_health(engine, "gazette") is None
        return
    health = known(engine)
    assert health.success_count == whole.count("done")
    assert health.empty_count == whole.count("empty")
    assert health.error_count == whole.count("dead")
    assert health.total_attempts == len(whole) - whole.count("skipped")
    order = list(HealthLevel)
    longest = max(len(batch) for batch in batches)
    for here, there in pairwise(levels):
        assert abs(order.index(here) - order.index(there)) <= longest
    engine.dispose()


def test_every_stage_of_a_pipeline_feeds_the_health(make_app: MakeApp, home: Path) -> None:
    async def reap(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        return [
            Failed(ContentEmpty("Nothing in it.")) if job.name < "d0003" else Outcome(note="empty")
            for job in jobs
        ]

    app = make_app(
        quick_settings(home), pipeline=toy_pipeline(reap_with=reap), clock=TurnedClock(NOON)
    )
    sow(app, 10)
    drain(app)
    (health,) = all_rows(app, t.health)
    assert health["source_slug"] == "toy"
    # Ten grown, three dead, seven empty; planting was for no source.
    assert (health["success_count"], health["error_count"], health["empty_count"]) == (10, 3, 7)


def test_health_and_results_are_stored_together_or_not_at_all(
    make_app: MakeApp, home: Path
) -> None:
    app = make_app(quick_settings(home), pipeline=toy_pipeline())
    sow(app, 3)
    with app.engine.begin() as connection:
        upsert_records(connection, [SourceHealth(source_slug="toy")])
        connection.execute(sa.text("ALTER TABLE source_health RENAME TO elsewhere"))
    with pytest.raises(Exception, match="source_health"):
        drain(app)
    assert all_rows(app, t.evidence) == []
    with app.engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE elsewhere RENAME TO source_health"))
    drain(app)
    assert len(all_rows(app, t.evidence)) == 3
    assert all_rows(app, t.health)[0]["success_count"] == 6
