"""The server over real HTTP, on a store with two releases."""

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


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[App]:
    """A store without anything, on SQLite; the clock stands at 2023-11-14."""
    settings = quick_settings(tmp_path / "home")
    init_home(settings)
    with App(settings, clock=TurnedClock()) as app:
        app.migrate()
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
