"""Bare stores on both databases: the tables without the queue's."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from assay.store.database import open_engine
from tests.ready import ReadyStores
from tests.waiting import PATIENCE_S


@pytest.fixture
def empty(store_url: str) -> Iterator[sa.Engine]:
    """A database in which nothing was made yet."""
    engine = open_engine(store_url, wait_s=PATIENCE_S)
    yield engine
    engine.dispose()


@pytest.fixture
def engine(store_url: str, empty: sa.Engine, ready_stores: ReadyStores) -> sa.Engine:
    """A store with Assay's tables."""
    ready_stores.place_tables(store_url)
    return empty


@pytest.fixture
def connection(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A connection whose work is undone at the end."""
    with engine.connect() as opened:
        yield opened
        opened.rollback()
