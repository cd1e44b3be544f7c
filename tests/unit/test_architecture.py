"""The shape of the code, held by a test: who may import whom, and how long a file may be."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src" / "assay").rglob("*.py"))
TEST_FILES = sorted((ROOT / "tests").rglob("*.py"))
MOST_LINES = 400
FORBIDDEN_NAMES = {"utils", "helpers", "manager", "common", "misc"}


def test_imports_go_one_way_and_dbos_stays_behind_one_port() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run(
        [linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_stays_readable(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    assert module.stem not in FORBIDDEN_NAMES


@pytest.mark.parametrize("file", TEST_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_test_file_stays_readable(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_only_settings_read_the_environment() -> None:
    readers = [
        path.parts[-2:] for path in MODULES if "os.environ" in path.read_text(encoding="utf-8")
    ]
    assert readers == [("settings", "loading.py")]
