"""Chambers on both databases, or on SQLite alone where the database makes no difference."""

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.ruling.arbiter.opinions import AskArbiterModel
from assay.settings import Settings
from tests.conftest import quick_settings
from tests.ruling import publishing
from tests.ruling.chamber import Chamber, opened


@pytest.fixture
def chamber(make_app: Callable[..., App], settings: Settings) -> Chamber:
    return opened(make_app, settings)


@pytest.fixture(scope="session")
def migrated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with an empty store; tests get copies of it."""
    home = tmp_path_factory.mktemp("migrated") / "home"
    settings = quick_settings(home)
    init_home(settings)
    with App(settings) as app:
        app.migrate()
    return home


@pytest.fixture
def make_bench(
    make_app: Callable[..., App], migrated_once: Path, tmp_path: Path
) -> Callable[..., Chamber]:
    """Chambers on SQLite, each in a home of its own, with a model or without."""
    numbers = itertools.count()

    def make(ask: AskArbiterModel | None = None) -> Chamber:
        home = tmp_path / f"home{next(numbers)}"
        shutil.copytree(migrated_once, home)
        return opened(make_app, quick_settings(home), ask)

    return make


@pytest.fixture
def bench(make_bench: Callable[..., Chamber]) -> Chamber:
    """A chamber on SQLite."""
    return make_bench()


@pytest.fixture
def press(make_app: Callable[..., App], settings: Settings) -> publishing.Press:
    """A store that can be released from, on both databases."""
    return publishing.opened(make_app, settings)


@pytest.fixture
def desk(make_app: Callable[..., App], home: Path) -> publishing.Press:
    """The same on SQLite, where the database makes no difference."""
    return publishing.opened(make_app, quick_settings(home))
