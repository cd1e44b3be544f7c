"""A running server of batches, and a bench with it on either database or on SQLite alone."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.store import schema
from assay.store.database import open_engine
from tests.llm.batches.desks import KEY, Bench
from tests.providers.batch_server import BatchServer


@pytest.fixture
async def server() -> AsyncIterator[BatchServer]:
    async with BatchServer(key=KEY) as running:
        yield running


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite store as it is after `assay init`, made once and copied by each test."""
    file = tmp_path_factory.mktemp("batches") / "store.db"
    made = open_engine(f"sqlite:///{file}")
    schema.migrate(made)
    made.dispose()
    return file


@pytest.fixture
def lite(empty_store: Path, tmp_path: Path) -> Iterator[sa.Engine]:
    """SQLite alone, where the database is not what is tested."""
    shutil.copy(empty_store, tmp_path / "store.db")
    opened = open_engine(f"sqlite:///{tmp_path / 'store.db'}")
    yield opened
    opened.dispose()


@pytest.fixture
def engine(database_url: str | None, request: pytest.FixtureRequest) -> Iterator[sa.Engine]:
    if database_url is None:
        yield request.getfixturevalue("lite")
        return
    opened = open_engine(database_url)
    schema.migrate(opened)
    yield opened
    opened.dispose()


@pytest.fixture
async def bench(server: BatchServer, engine: sa.Engine) -> AsyncIterator[Bench]:
    made = Bench(server, engine)
    yield made
    for provider in made.made:
        await provider.close()


@pytest.fixture
async def small(server: BatchServer, lite: sa.Engine) -> AsyncIterator[Bench]:
    made = Bench(server, lite)
    yield made
    for provider in made.made:
        await provider.close()
