"""The schema's version: creating it, bringing it up to date, refusing what does not fit."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from assay.errors import SchemaMissing, SchemaOutdated, SchemaTooNew
from assay.store.database import begin_writing, is_sqlite, plain_errors

VERSION_TABLE = "assay_schema"
_MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 4_711_000_815


def migrate(engine: sa.Engine) -> tuple[str | None, str]:
    """Bring the schema up to date; gives the version before and after."""
    with plain_errors(), engine.begin() as connection:
        # Two workers that start together must not both create the tables.
        begin_writing(connection)
        if not is_sqlite(connection):
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        before = current(connection)
        _refuse_newer(before)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return before, head()


def require_current(engine: sa.Engine) -> None:
    """Raise unless the store is just as new as this program."""
    with plain_errors(), engine.connect() as connection:
        version = current(connection)
    if version is None:
        raise SchemaMissing("This home has no store yet.")
    _refuse_newer(version)
    if version != head():
        raise SchemaOutdated(f"The store has schema {version}, this Assay needs {head()}.")


def current(connection: sa.Connection) -> str | None:
    """The version that the store says it has."""
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    return context.get_current_revision()


def head() -> str:
    """The version that this program knows."""
    version = ScriptDirectory.from_config(_config()).get_current_head()
    assert version is not None
    return version


def _refuse_newer(version: str | None) -> None:
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if version is not None and version not in known:
        raise SchemaTooNew(f"The store has schema {version}, which this Assay does not know.")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
