"""Stores that are migrated once and then copied: to migrate takes longer than many a test."""

import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

import psycopg
import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.settings import Settings
from assay.store import schema
from assay.store.database import is_sqlite, open_engine
from tests.postgres import server_url

_SQLITE = "sqlite:///"
Migrate = Callable[[str, Path], None]
"""Makes the tables at an address; the folder is free to use."""


_PROMISED: set[str] = set()
"""Databases that are not made yet, because a ready store is likely to be placed there."""


def promise_database(name: str) -> None:
    """Make a database when a store is placed in it, or at the latest when the test begins."""
    _PROMISED.add(name)


def make_promised_databases() -> None:
    """Make those that no fixture has placed a store in; they are empty."""
    while _PROMISED:
        with psycopg.connect(server_url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{_PROMISED.pop()}"')


class ReadyStores:
    """One migrated store of each kind, for one process of a test run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[tuple[Migrate, str], str] = {}

    def place(self, settings: Settings) -> bool:
        """Put an application's store where there is none; False where there is one already."""
        return self._place(settings.database, _whole)

    def place_tables(self, url: str) -> bool:
        """The same without the tables of the queue."""
        return self._place(url, _bare)

    def _place(self, url: str, migrate: Migrate) -> bool:
        if url.startswith(_SQLITE):
            return self._place_file(Path(url.removeprefix(_SQLITE)), migrate)
        return self._place_database(url, migrate)

    def _place_file(self, wanted: Path, migrate: Migrate) -> bool:
        if wanted.exists():
            return False
        key = (migrate, "sqlite")
        if key not in self._made:
            folder = self._folder / secrets.token_hex(4)
            folder.mkdir()
            file = folder / "assay.db"
            migrate(f"{_SQLITE}{file}", folder)
            self._made[key] = str(file)
        shutil.copyfile(self._made[key], wanted)
        return True

    def _place_database(self, url: str, migrate: Migrate) -> bool:
        server, name = server_url(), _name_of(url)
        if not name.isidentifier() or (name not in _PROMISED and _has_store(url)):
            return False
        key = (migrate, "postgres")
        with psycopg.connect(server, autocommit=True) as connection:
            if key not in self._made:
                database = f"ready_{secrets.token_hex(6)}"
                connection.execute(f'CREATE DATABASE "{database}"')
                migrate(server.replace("/postgres?", f"/{database}?"), self._folder / database)
                self._made[key] = database
            if name not in _PROMISED:
                connection.execute(f'DROP DATABASE "{name}"')
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{self._made[key]}"')
            _PROMISED.discard(name)
        return True


def _whole(url: str, folder: Path) -> None:
    settings = Settings(home=folder, database_url=url)
    init_home(settings)
    with App(settings) as app:
        app.migrate()
        _into_one_file(app.engine)


def _bare(url: str, folder: Path) -> None:
    engine = open_engine(url)
    schema.migrate(engine)
    _into_one_file(engine)
    engine.dispose()


def _into_one_file(engine: sa.Engine) -> None:
    """All of it into the one file, which is what is copied."""
    if is_sqlite(engine):
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _name_of(url: str) -> str:
    before, after = server_url().split("/postgres?")
    return url.removeprefix(f"{before}/").removesuffix(f"?{after}")


def _has_store(url: str) -> bool:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT to_regclass(%s)", (schema.VERSION_TABLE,)).fetchone()
    return found is not None and found[0] is not None
