"""A store with the control plane's tables, on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.store import schema
from assay.store.database import open_engine


@pytest.fixture
def engine(store_url: str) -> Iterator[sa.Engine]:
    """A store on either database."""
    engine = open_engine(store_url, wait_s=10.0)
    schema.migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def sqlite_engine(tmp_path: Path) -> Iterator[sa.Engine]:
    """A store in a file, where the database makes no difference."""
    engine = open_engine(f"sqlite:///{tmp_path / 'store.db'}", wait_s=10.0)
    schema.migrate(engine)
    yield engine
    engine.dispose()
