"""A bare store of either kind, emptied for every test, and a clock that the test turns."""

import secrets
from collections.abc import Iterator

import psycopg
import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.store import guards, schema
from assay.store import tables as t
from assay.store.database import open_engine
from assay.store.tables import spending
from tests.waiting import PATIENCE_S

NOON = 1_700_049_600_000
"""2023-11-15 12:00:00 UTC."""
MIDNIGHT = NOON + 12 * 3_600_000
_TOUCHED = (spending.call, spending.state, spending.meter, spending.ticket, spending.cooldown,
            t.health)  # fmt: skip


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[sa.Engine]:
    """A store that one module's tests share; its guards are lifted, so that it can be emptied."""
    name = f"assay_{secrets.token_hex(6)}"
    url = f"sqlite:///{tmp_path_factory.mktemp('governor') / 'store.db'}"
    if request.param == "postgres":
        server: str = request.getfixturevalue("postgres_server")
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        url = server.replace("/postgres?", f"/{name}?")
    engine = open_engine(url, wait_s=PATIENCE_S)
    schema.migrate(engine)
    with engine.begin() as connection:
        guards.lift_guards(connection)
    yield engine
    engine.dispose()
    if request.param == "postgres":
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def engine(store: sa.Engine) -> sa.Engine:
    """The store, with nothing in it."""
    with store.begin() as connection:
        for table in _TOUCHED:
            connection.execute(sa.delete(table))
    return store


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock(NOON)
