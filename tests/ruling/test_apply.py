"""Apply: whatever the order in which documents come, the same truth stands at the end."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from assay.app import App, runs
from assay.app.composition import init_home
from assay.engine.jobs import NewJob
from assay.engine.loop import LoopThread
from assay.packs.regulatory.extractor.subjects import load_declared_facts
from assay.ruling.payloads import ApplyJob
from assay.ruling.rules.compose import make_settling_job
from assay.settings import Settings
from assay.store import tables as t
from assay.store import truth
from tests.conftest import quick_settings
from tests.engine.hand import open_batches
from tests.ruling.statements import Bench, Says, opened, rate
from tests.spine.sites import Workplace

MakeBench = Callable[[], Any]


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("empty") / "home"
    settings = quick_settings(home)
    init_home(settings)
    with App(settings) as app:
        app.migrate()
    return home


@pytest.fixture
def fresh(empty_home: Path, tmp_path: Path, shared_workplace: Workplace) -> Callable[[], Any]:
    """Benches on SQLite, each with a store of its own."""
    made = iter(range(10_000))

    @contextmanager
    def bench() -> Iterator[Bench]:
        home = tmp_path / f"home{next(made)}"
        shutil.copytree(empty_home, home)
        with _app(quick_settings(home), shared_workplace.loop) as opened_bench:
            yield opened_bench

    return bench


@contextmanager
def _app(settings: Settings, loop: LoopThread) -> Iterator[Bench]:
    bench = opened(App, settings, loop)
    try:
        yield bench
    finally:
        bench.app.close()


@pytest.fixture
def bench(make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace) -> Bench:
    """A bench on either database."""
    return opened(make_app, settings, shared_workplace.loop)


OLD, MIDDLE, NEW = "2024-01-01", "2025-01-01", "2026-01-01"
GUIDE = Says("guide", (rate("27", NEW),), "guide")
LAW_LATER = Says("law27", (rate("27", NEW),))


def years(value: str, day: str | None = None, **more: Any) -> dict[str, Any]:
    """A fact of tier T2, whose conflicts are decided without a person."""
    told = {"concept": "pdv.retention_period", "predicate": "retention_period",
            "value_type": "count", "unit": "years"}  # fmt: skip
    return {**rate(value, day, confidence=0.99), **told, **more}


HISTORIES: dict[str, list[Says]] = {
    "a rule that comes between two others": [
        Says("a", (rate("23", OLD),)), Says("b", (rate("27", NEW),)),
        Says("c", (rate("25", MIDDLE),)),
    ],
    "law bears out what guidance said": [Says("law", (rate("25", MIDDLE),)), GUIDE, LAW_LATER],
    "two that lose to a third": [
        Says("law", (rate("25", MIDDLE),)), Says("g1", (rate("26", MIDDLE),), "guide"),
        Says("g2", (rate("27", MIDDLE),), "guide"),
    ],
    "what has no date repeats what lost": [
        Says("law", (rate("25", MIDDLE),)), Says("g1", (rate("27", MIDDLE),), "guide"),
        Says("g2", (rate("27"),), "blog"),
    ],
    "a date that is gone": [
        Says("a", (rate("27", MIDDLE),)), Says("b", (rate("27"),), "guide"),
        Says("a", (rate("24", MIDDLE),)),
    ],
    "who amends and who only says so": [
        Says("a", (rate("23", OLD),)), Says("b", (rate("25", NEW),)),
        Says("c", (rate("25", NEW, amends=True, replaces="23"),), "ministry"),
    ],
    "another source for one side": [
        Says("a", (rate("23", NEW),)), Says("b", (rate("25", NEW),), "ministry"),
        Says("c", (rate("25", NEW),)),
    ],
    "a conflict that goes and returns": [
        Says("a", (rate("23", NEW),)), Says("b", (rate("25", NEW),)),
        Says("b", (rate("23", NEW),)), Says("b", (rate("25", NEW),)),
    ],
    "a rule that gave way is borne out by law": [
        Says("law", (years("7", MIDDLE),)), Says("g", (years("9", NEW),), "guide"),
        Says("law9", (years("9", NEW),)),
    ],
    "two that give way, and one that repeats": [
        Says("law", (years("7", MIDDLE),)), Says("g1", (years("8", MIDDLE),), "guide"),
        Says("g2", (years("9", MIDDLE),), "guide"), Says("g3", (years("9"),), "blog"),
    ],
    "whom it gave way to says otherwise now": [
        Says("law", (years("7", MIDDLE),)), Says("g", (years("8", MIDDLE),), "guide"),
        Says("law", (years("8", MIDDLE),)),
    ],
    "one value in two domains": [
        Says("a", (rate("23", NEW, domain="pdv"),)), Says("b", (rate("23", NEW, domain="ostalo"),)),
    ],
}  # fmt: skip


def _kept(order: list[Says], history: list[Says]) -> list[Says]:
    waiting: dict[str, list[Says]] = {}
    for entry in history:
        waiting.setdefault(entry.document, []).append(entry)
    return [waiting[entry.document].pop(0) for entry in order]


def told(fresh: MakeBench, order: list[Says], *, at_once: bool = False, turn: int = 1) -> bytes:
    """What stands at the end of it."""
    with fresh() as bench:
        for entry in order:
            bench.say(entry)
            if at_once:
                bench.round(turn)
            else:
                bench.drain(turn)
        bench.drain(turn)
        found: bytes = bench.dump()
        return found


@pytest.mark.parametrize("name", HISTORIES)
def test_the_order_in_which_documents_come_does_not_matter(fresh: MakeBench, name: str) -> None:
    history = HISTORIES[name]
    expected = told(fresh, history)
    assert b'"table": "rules"' in expected
    assert told(fresh, _kept(history[::-1], history), at_once=True, turn=-1) == expected


def test_both_databases_hold_the_same_truth(bench: Bench, fresh: MakeBench) -> None:
    history = [entry for name in list(HISTORIES)[-5:] for entry in HISTORIES[name]]
    for entry in history:
        bench.say(entry)
        bench.round()
    bench.drain()
    assert told(fresh, history) == bench.dump()


DAYS = st.sampled_from([None, OLD, MIDDLE, NEW])
SOURCES = st.sampled_from(["gazette", "ministry", "guide", "blog"])
FACTS = st.builds(
    lambda make, value, day, replaces: make(
        value, day, amends=replaces is not None, replaces=replaces
    ),
    st.sampled_from([rate, years]),
    st.sampled_from(["7", "8", "9"]),
    DAYS,
    st.sampled_from([None, None, None, "7"]),
)
DOCUMENTS = st.lists(
    st.tuples(SOURCES, st.lists(st.lists(FACTS, min_size=1, max_size=2), min_size=1, max_size=2)),
    min_size=2,
    max_size=4,
)


@with_settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_any_documents_in_any_order_end_in_the_same_truth(
    fresh: MakeBench, documents: list[Any], chance: Any
) -> None:
    history = [
        Says(f"d{number}", tuple(facts), source)
        for number, (source, versions) in enumerate(documents)
        for facts in versions
    ]
    shuffled = history[:]
    chance.shuffle(shuffled)
    expected = told(fresh, history)
    assert told(fresh, _kept(shuffled, history), at_once=True, turn=-1) == expected


class Crash(BaseException):
    """The process is gone."""


class Crashing:
    """Every other time that a point is reached, all is over."""

    def __init__(self, point: str) -> None:
        self.point = point
        self.times = 0

    def reach(self, point: str) -> None:
        self.times += point == self.point
        if point == self.point and self.times % 2:
            raise Crash


@pytest.mark.parametrize(
    "point",
    ["batch.after_work", "commit.after_fence", "commit.after_records", "commit.after_jobs",
     "commit.before_commit", "commit.after"],
)  # fmt: skip
def test_a_crash_anywhere_loses_nothing_and_doubles_nothing(fresh: MakeBench, point: str) -> None:
    history = HISTORIES["two that give way, and one that repeats"]
    with fresh() as bench:
        bench.say(*history)
        bench.drain()
        expected, audited = bench.dump(), len(bench.rows(truth.audit_log))
    with fresh() as bench:
        faults = Crashing(point)
        bench.app._faults = faults
        bench.say(*history)
        while open_batches(bench.app):
            with suppress(Crash):
                bench.drain()
        assert faults.times > 5
        assert bench.dump() == expected
        assert len(bench.rows(truth.audit_log)) == audited


def test_a_look_at_a_concept_that_has_no_rule_yet_is_over_at_once(fresh: MakeBench) -> None:
    with fresh() as bench:
        run_id = runs.start_run(bench.app)
        job = NewJob("apply", ApplyJob(pack="regulatory", concept="pdv.rate"), run_id)
        with bench.app.engine.begin() as connection:
            bench.app.book.schedule(connection, [job], bench.app.clock.now_ms())
        bench.drain()
        assert {row["state"] for row in bench.rows(t.job)} == {"done"}
        assert bench.rows(t.job, stage="review") == []


def test_where_values_hold_side_by_side_only_the_changed_document_is_settled() -> None:
    pack = load_declared_facts()
    made = {
        concept: make_settling_job(concept, "d1", "gazette", name=pack.name, pack=pack).document
        for concept in ("pdv.rate", "pdv.penalty")
    }
    assert made == {"pdv.rate": "", "pdv.penalty": "d1"}
