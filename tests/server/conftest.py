"""The server over real HTTP, on a store with two releases."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.clock import TurnedClock
from tests.conftest import quick_settings
from tests.server.sites import Asked, serving
from tests.server.stored import LINES, OLD, publish


@pytest.fixture(scope="session")
def migrated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with an empty store; tests get copies of it, since making one takes its time."""
    settings = quick_settings(tmp_path_factory.mktemp("migrated") / "home")
    init_home(settings)
    with App(settings) as app:
        app.migrate()
    return settings.home


@pytest.fixture
def empty(migrated_once: Path, tmp_path: Path) -> Iterator[App]:
    """A store without anything, on SQLite; the clock stands at 2023-11-14."""
    shutil.copytree(migrated_once, tmp_path / "home")
    with App(quick_settings(tmp_path / "home"), clock=TurnedClock()) as app:
        yield app


@pytest.fixture
def published(empty: App) -> App:
    publish(empty, OLD)
    publish(empty, *LINES, version="2.0.0", number=2)
    return empty


@pytest.fixture
async def site(published: App) -> AsyncIterator[Asked]:
    async with serving(published) as url, aiohttp.ClientSession(url) as session:
        yield Asked(session)
