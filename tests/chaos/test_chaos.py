"""Some rounds of chaos in every test run; `make chaos` plays hundreds."""

from pathlib import Path

import pytest

from assay.engine.faults import POINTS
from tests.chaos.rounds import (
    Round,
    killed_among_others,
    killed_and_restarted,
    stopped_and_woken,
)

STORING = ("batch.after_work", "commit.after_records", "commit.before_commit", "commit.after")


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_on_sqlite_killed_at_any_point_loses_nothing(tmp_path: Path, point: str) -> None:
    chaos = Round(tmp_path / "home")
    assert killed_and_restarted(chaos, f"{point}@2", first="w", second="w") == {}


@pytest.mark.postgres
@pytest.mark.parametrize("point", STORING)
def test_a_worker_on_postgres_comes_back_under_its_own_name(
    tmp_path: Path, postgres_url: str, point: str
) -> None:
    chaos = Round(tmp_path / "home", postgres_url)
    assert killed_and_restarted(chaos, f"{point}@3", first="w", second="w") == {}


@pytest.mark.postgres
@pytest.mark.parametrize("point", STORING)
def test_a_dead_worker_on_postgres_is_replaced_by_another(
    tmp_path: Path, postgres_url: str, point: str
) -> None:
    chaos = Round(tmp_path / "home", postgres_url)
    assert killed_and_restarted(chaos, f"{point}@3", first="w1", second="w2") == {}


@pytest.mark.postgres
@pytest.mark.parametrize("point", STORING)
def test_one_of_two_workers_dies_and_the_other_does_the_rest(
    tmp_path: Path, postgres_url: str, point: str
) -> None:
    assert killed_among_others(Round(tmp_path / "home", postgres_url), f"{point}@2") == {}


@pytest.mark.postgres
@pytest.mark.parametrize("point", STORING[:3])
def test_a_worker_that_slept_finds_its_work_done(
    tmp_path: Path, postgres_url: str, point: str
) -> None:
    assert stopped_and_woken(Round(tmp_path / "home", postgres_url), f"{point}@2") == {}
