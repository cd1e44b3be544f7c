"""The promise of the demo: kill it as often as you like, run it as often as you like."""

import json
import random
import subprocess
from pathlib import Path

from tests.chaos.demo import assay, dump, killed_demo_ends_like_a_peaceful_one, manifest, play


def test_a_demo_killed_ten_times_ends_like_one_left_in_peace(tmp_path: Path) -> None:
    hits = killed_demo_ends_like_a_peaceful_one(tmp_path, random.Random(42), kills=10)
    assert hits == 10


def test_the_same_documents_give_the_same_bytes_and_a_second_run_changes_nothing(
    tmp_path: Path,
) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    assert play(home) == play(other)
    assert dump(home) == dump(other)
    assert manifest(home) == manifest(other)

    before, folders, blobs = dump(home), _names(home / "runs"), _files(home / "blobs")
    sealed = {path: path.read_bytes() for path in (home / "runs").rglob("*") if path.is_file()}
    play(home)
    assert dump(home) == before
    assert _files(home / "blobs") == blobs
    assert len(_names(home / "runs") - folders) == 1
    assert {path: path.read_bytes() for path in sealed} == sealed
    verified = subprocess.run(
        assay(home, "runs", "verify", "--json"), capture_output=True, timeout=60
    )
    assert verified.returncode == 0
    assert json.loads(verified.stdout)


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_dir()}


def _files(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
