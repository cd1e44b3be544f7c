"""Stores that are migrated once and then copied: to migrate takes longer than many a test."""

import secrets
import shutil
from pathlib import Path

import psycopg
import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.settings import Settings
from assay.store.schema import VERSION_TABLE
from tests.postgres import server_url

_FILE = "assay.db"


class ReadyStores:
    """One migrated store of each kind, for one process of a test run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: Path | None = None
        self._database: str | None = None

    def place(self, settings: Settings) -> bool:
        """Put a migrated store where the settings want one and there is none yet."""
        if settings.database_url is None:
            return self._place_file(settings)
        if not settings.database_url.startswith("postgresql"):
            return False
        return self._place_database(settings)

    def _place_file(self, settings: Settings) -> bool:
        wanted = settings.home / _FILE
        if wanted.exists():
            return False
        if self._file is None:
            made = Settings(home=self._folder / "sqlite")
            self._migrate(made)
            self._file = made.home / _FILE
        shutil.copyfile(self._file, wanted)
        return True

    def _place_database(self, settings: Settings) -> bool:
        assert settings.database_url is not None
        server = server_url()
        before, after = server.split("/postgres?")
        name = settings.database_url.removeprefix(f"{before}/").removesuffix(f"?{after}")
        if not name.isidentifier() or _has_store(settings.database_url):
            return False
        with psycopg.connect(server, autocommit=True) as connection:
            if self._database is None:
                database = f"ready_{secrets.token_hex(6)}"
                connection.execute(f'CREATE DATABASE "{database}"')
                url = server.replace("/postgres?", f"/{database}?")
                self._migrate(Settings(home=self._folder / "postgres", database_url=url))
                self._database = database
            connection.execute(f'DROP DATABASE "{name}"')
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{self._database}"')
        return True

    def _migrate(self, settings: Settings) -> None:
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            if settings.database_url is None:
                # All of it into the one file, which is what is copied.
                with app.engine.connect() as connection:
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _has_store(url: str) -> bool:
    with psycopg.connect(url) as connection:
        found = connection.execute(
            str(sa.text("SELECT to_regclass(%s)")), (VERSION_TABLE,)
        ).fetchone()
    return found is not None and found[0] is not None
