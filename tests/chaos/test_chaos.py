"""Some rounds of chaos in every test run; `make chaos` plays hundreds."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.faults import POINTS
from tests.chaos.rounds import (
    Round,
    killed_among_others,
    killed_and_restarted,
    stopped_and_woken,
)
from tests.ready import ReadyStores

MakeRound = Callable[..., Round]
STORING = ("batch.after_work", "commit.after_records", "commit.before_commit", "commit.after")


@pytest.fixture
def make_round(tmp_path: Path, ready_stores: ReadyStores) -> MakeRound:
    def make(database_url: str | None = None) -> Round:
        made = Round(tmp_path / "home", database_url)
        ready_stores.place(made.settle())
        return made

    return make


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_on_sqlite_killed_at_any_point_loses_nothing(
    make_round: MakeRound, point: str
) -> None:
    chaos = make_round()
    assert killed_and_restarted(chaos, f"{point}@2", first="w", second="w") == {}


@pytest.mark.postgres
@pytest.mark.parametrize("point", STORING)
def test_a_worker_on_postgres_comes_back_under_its_own_name(
    make_round: MakeRound, postgres_url: str, point: str
) -> None:
    chaos = make_round(postgres_url)
    assert killed_and_restarted(chaos, f"{point}@3", first="w", second="w") == {}


@pytest.mark.postgres
@pytest.mark.parametrize("point", STORING)
def test_a_dead_worker_on_postgres_is_replaced_by_another(
    make_round: MakeRound, postgres_url: str, point: str
) -> None:
    chaos = make_round(postgres_url)
    assert killed_and_restarted(chaos, f"{point}@3", first="w1", second="w2") == {}


@pytest.mark.postgres
@pytest.mark.parametrize("point", STORING)
def test_one_of_two_workers_dies_and_the_other_does_the_rest(
    make_round: MakeRound, postgres_url: str, point: str
) -> None:
    assert killed_among_others(make_round(postgres_url), f"{point}@2") == {}


@pytest.mark.postgres
@pytest.mark.parametrize("point", STORING[:3])
def test_a_worker_that_slept_finds_its_work_done(
    make_round: MakeRound, postgres_url: str, point: str
) -> None:
    assert stopped_and_woken(make_round(postgres_url), f"{point}@2") == {}
