"""The promise of the demo: kill it as often as you like, run it as often as you like."""

import random
from pathlib import Path

import pytest

from assay.app import App
from assay.app.runs import verify_runs
from tests.chaos.demo import dump, killed_demo_ends_like_a_peaceful_one, play, require_same
from tests.demo.part import settings_of


@pytest.fixture(scope="module")
def peace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose demo nobody disturbed; only to be looked at."""
    home = tmp_path_factory.mktemp("peace") / "home"
    play(home)
    return home


def test_a_demo_killed_fifteen_times_ends_like_one_left_in_peace(
    tmp_path: Path, peace: Path
) -> None:
    chance = random.Random(42)
    assert killed_demo_ends_like_a_peaceful_one(peace, tmp_path / "c", chance, kills=15) == 15
    assert b'"table": "civic_motions"' in dump(peace)


def test_the_same_documents_give_the_same_bytes_and_a_second_run_changes_nothing(
    tmp_path: Path, peace: Path
) -> None:
    home = tmp_path / "home"
    play(home)
    require_same(peace, home)

    before, folders, blobs = dump(home), _names(home / "runs"), _files(home / "blobs")
    sealed = {path: path.read_bytes() for path in (home / "runs").rglob("*") if path.is_file()}
    play(home)
    assert dump(home) == before
    assert _files(home / "blobs") == blobs
    assert len(_names(home / "runs") - folders) == 1
    assert {path: path.read_bytes() for path in sealed} == sealed
    with App(settings_of(home)) as app:
        assert all(verdict.is_sound for verdict in verify_runs(app))


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_dir()}


def _files(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
