"""The versions of the schema: creating it, upgrading it, and refusing a store that does not fit.

The core has a branch of migrations, and so does every pack that has its own tables. Each branch
has its own history and its own version in the store: packs do not have to agree on the names of
revisions, and a pack that is no longer installed causes no trouble.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from assay.errors import SchemaMissing, SchemaOutdated, SchemaTooNew, StartupRefused
from assay.store import guards
from assay.store.database import begin_writing, explain_errors, is_sqlite

VERSION_TABLE = "assay_schema"
CORE = "core"
"""The branch of Assay's own tables."""
Branches = Mapping[str, Path]
"""Each pack's folder of migrations, by the pack's name."""
Versions = dict[str, str]
"""The version of each branch; a branch without tables in the store is left out."""
NO_BRANCHES: Branches = MappingProxyType({})
_MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 4_711_000_815


def migrate(engine: sa.Engine, branches: Branches = NO_BRANCHES) -> tuple[Versions, Versions]:
    """Bring the schema up to date, all or nothing; return the versions before and after.

    The core comes first, so that a pack's migrations find its tables up to date.
    """
    with explain_errors(), engine.begin() as connection:
        # Two workers that start together must not both create the tables.
        begin_writing(connection)
        if not is_sqlite(connection):
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        before = read_versions(connection)
        folders = _list_folders(branches)
        _refuse_newer(before, folders)
        for branch, folder in folders.items():
            command.upgrade(build_branch_config(connection, branch, folder), "head")
        guards.complete_guards(connection)
        return before, read_versions(connection)


def require_current(engine: sa.Engine, branches: Branches = NO_BRANCHES) -> None:
    """Raise unless the store has exactly the version of this program and the installed packs."""
    with explain_errors(), engine.connect() as connection:
        versions = read_versions(connection)
    if CORE not in versions:
        raise SchemaMissing("This home has no store yet.")
    _refuse_newer(versions, _list_folders(branches))
    for branch, needed in find_newest_versions(branches).items():
        of_pack = "" if branch == CORE else f" of the pack '{branch}'"
        if branch not in versions:
            raise SchemaOutdated(f"The store has no tables{of_pack} yet.")
        if versions[branch] != needed:
            raise SchemaOutdated(
                f"The store has schema {versions[branch]}{of_pack}; this Assay needs {needed}."
            )


def read_versions(connection: sa.Connection) -> Versions:
    """The version of each branch in the store, including packs that are not installed."""
    names = sa.inspect(connection).get_table_names()
    branches = [CORE] if VERSION_TABLE in names else []
    branches += sorted(n.removeprefix(_PACK_PREFIX) for n in names if n.startswith(_PACK_PREFIX))
    found: Versions = {}
    for branch in branches:
        # Not through Alembic, which takes a thousand calls for it: each `/health` asks.
        query = f'SELECT version_num FROM "{version_table_of(branch)}"'
        if (version := connection.exec_driver_sql(query).scalar()) is not None:
            found[branch] = version
    return found


def find_newest_versions(branches: Branches = NO_BRANCHES) -> Versions:
    """The newest version of each branch in this program and these packs."""
    return {
        branch: _find_newest(branch, folder) for branch, folder in _list_folders(branches).items()
    }


def find_orphaned_branches(versions: Versions, branches: Branches) -> list[str]:
    """The packs that have tables in the store but are not installed."""
    return sorted(versions.keys() - branches.keys() - {CORE})


def describe_versions(versions: Mapping[str, str]) -> str:
    """The versions in short: `0006`, or `0006 (harbour 0002)`."""
    packs = ", ".join(f"{name} {version}" for name, version in versions.items() if name != CORE)
    return f"{versions[CORE]} ({packs})" if packs else versions[CORE]


_PACK_PREFIX = f"{VERSION_TABLE}_"


def version_table_of(branch: str) -> str:
    """The table in which the store keeps the version of a branch."""
    return VERSION_TABLE if branch == CORE else f"{_PACK_PREFIX}{branch}"


def build_branch_config(connection: sa.Connection, branch: str, folder: Path) -> Config:
    """Alembic's configuration for one branch, using this connection."""
    config = _build_config(folder)
    config.attributes["connection"] = connection
    config.attributes["version_table"] = version_table_of(branch)
    return config


def core_migrations_folder() -> Path:
    """The folder of the core's own migrations."""
    return _MIGRATIONS / "versions"


def _list_folders(branches: Branches) -> Branches:
    return {CORE: core_migrations_folder(), **dict(sorted(branches.items()))}


@cache
def _find_newest(branch: str, folder: Path) -> str:
    try:
        version = ScriptDirectory.from_config(_build_config(folder)).get_current_head()
    except CommandError as error:
        raise StartupRefused(
            f"The migrations of '{branch}' do not fit together: {error}"
        ) from error
    if version is None:
        raise StartupRefused(
            f"The migrations of '{branch}' are missing: {folder} has none.",
            advice="Write one that creates its tables, or do not declare a migrations folder.",
        )
    return version


@cache
def _list_revisions(folder: Path) -> frozenset[str]:
    scripts = ScriptDirectory.from_config(_build_config(folder)).walk_revisions()
    return frozenset(script.revision for script in scripts)


def require_known(versions: Mapping[str, str], branches: Branches = NO_BRANCHES) -> None:
    """Refuse versions that this program, or an installed pack, does not know."""
    _refuse_newer(dict(versions), _list_folders(branches))


def _refuse_newer(versions: Versions, folders: Branches) -> None:
    for branch, folder in folders.items():
        version = versions.get(branch)
        if version is not None and version not in _list_revisions(folder):
            who = "this Assay" if branch == CORE else f"the installed pack '{branch}'"
            raise SchemaTooNew(f"The store has schema {version}, which {who} does not know.")


def _build_config(folder: Path) -> Config:
    config = Config()
    # A newline, because any other separator may be part of a path.
    config.set_main_option("path_separator", "newline")
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("version_locations", str(folder).replace("%", "%%"))
    return config
