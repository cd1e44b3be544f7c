"""A store with the control plane's tables, on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.store.database import open_engine
from tests.ready import ReadyStores
from tests.waiting import PATIENCE_S


@pytest.fixture
def engine(store_url: str, ready_stores: ReadyStores) -> Iterator[sa.Engine]:
    """A store on either database."""
    ready_stores.place_tables(store_url)
    engine = open_engine(store_url, wait_s=PATIENCE_S)
    yield engine
    engine.dispose()


@pytest.fixture
def sqlite_engine(tmp_path: Path, ready_stores: ReadyStores) -> Iterator[sa.Engine]:
    """A store in a file, where the database makes no difference."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    ready_stores.place_tables(url)
    engine = open_engine(url, wait_s=PATIENCE_S)
    yield engine
    engine.dispose()
