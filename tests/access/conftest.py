"""Stores in which people and programs may log in."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from assay.app import App, access
from assay.clock import TurnedClock
from assay.settings import Settings
from tests.conftest import quick_settings
from tests.server.conftest import migrated_once

__all__ = ["migrated_once"]

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real hashes, which take a thousandth of the time."""
    monkeypatch.setattr(
        access, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    )


@pytest.fixture
def app(settings: Settings, make_app: Callable[..., App]) -> App:
    """A store without anything, on either database."""
    return make_app(settings, clock=TurnedClock())


@pytest.fixture
def lone(migrated_once: Path, tmp_path: Path) -> Iterator[App]:
    """A store without anything, on SQLite."""
    shutil.copytree(migrated_once, tmp_path / "home")
    with App(quick_settings(tmp_path / "home"), clock=TurnedClock()) as app:
        yield app
