"""Bare stores on both databases: the tables without the queue's."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from assay.store import schema
from assay.store.database import open_engine


@pytest.fixture
def empty(store_url: str) -> Iterator[sa.Engine]:
    """A database in which nothing was made yet."""
    engine = open_engine(store_url, wait_s=10.0)
    yield engine
    engine.dispose()


@pytest.fixture
def engine(empty: sa.Engine) -> sa.Engine:
    """A store with Assay's tables."""
    schema.migrate(empty)
    return empty


@pytest.fixture
def connection(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A connection whose work is undone at the end."""
    with engine.connect() as opened:
        yield opened
        opened.rollback()
