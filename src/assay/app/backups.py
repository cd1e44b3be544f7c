"""Backs up a home while its workers continue, and restores one into a new home."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, SecretStr

from assay import __version__
from assay.app.composition import App
from assay.app.installed_packs import branches_of, load_all_packs
from assay.clock import utc_stamp
from assay.errors import InvalidInput, SchemaMissing
from assay.settings import FILE_NAME, Settings, load_settings, read_environment
from assay.store import schema
from assay.store.backups import (
    DATABASE,
    HOME,
    Backup,
    BackupDraft,
    BackupManifest,
    copy_home,
    require_intact,
    write_backup,
)
from assay.store.database import explain_errors, is_sqlite, open_engine
from assay.store.database_copies import (
    POSTGRES_COPY,
    SQLITE_COPY,
    check_sqlite_copy,
    copy_database,
    copy_sqlite,
    require_empty_database,
    restore_postgres,
)
from assay.store.runs import RunFolders
from assay.store.snapshots import write_folder

_SQLITE, _POSTGRES = "sqlite", "postgres"
_NOT_KEPT: Final = ("logs", "repositories", "scratch")
_BLOBS: Final = "blobs"
_RUNS: Final = "runs"
_DATABASE_FILE: Final = "assay.db"
_JOURNALS: Final = ("-wal", "-shm", "-journal")
_SQLITE_MAGIC: Final = b"SQLite format 3\x00"
_ASSIGNMENT: Final = re.compile(r"""^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=""")


@dataclass(frozen=True)
class BackupResult:
    """A backup that was made."""

    backup: Backup
    linked: int
    """How many of its files are links to those of the backup before it."""


def create_backup(app: App, parent: Path) -> BackupResult:
    """Back up the store and the home into a new folder in `parent`.

    The database comes first: bytes are stored before the rows that refer to them, so what is copied
    after it has everything that it refers to.
    """
    home = app.settings.home.resolve()
    if parent.resolve().is_relative_to(home):
        raise InvalidInput(
            f"{parent} is inside the home, which it should outlast.",
            advice="Name a folder elsewhere, best on another disk.",
        )
    backup, draft = write_backup(parent, app.clock.now_ms(), partial(_fill_backup, app))
    return BackupResult(backup, draft.linked)


def restore_backup(backup: Backup, settings: Settings) -> None:
    """Restore a backup into a home that is new or empty; the store is not yet brought up to date.

    Everything is checked first, and a home that could not be restored completely does not exist.
    """
    manifest = backup.manifest
    require_intact(backup)
    _require_database(manifest, settings)
    schema.require_known(manifest.versions, branches_of(load_all_packs()))
    write_folder(settings.home, partial(_restore_into, backup, settings))
    folders = RunFolders(settings.runs)
    for run_id in folders.run_ids():
        if folders.is_sealed(run_id):
            folders.path(run_id).chmod(0o555)


def _fill_backup(app: App, draft: BackupDraft) -> BackupManifest:
    kind = _SQLITE if is_sqlite(app.engine) else _POSTGRES
    name = SQLITE_COPY if kind == _SQLITE else POSTGRES_COPY
    with explain_errors(), app.engine.connect() as connection:
        versions = schema.read_versions(connection)
    env = read_environment()
    draft.write(f"{DATABASE}/{name}", lambda file: copy_database(app.engine, env, file))
    left_out: list[str] = []
    for path, source in _list_home_files(app.settings.home):
        if path == FILE_NAME:
            left_out += _add_settings(draft, source)
        elif path.startswith(f"{_BLOBS}/"):
            draft.add(f"{HOME}/{path}", source, source.name)
        elif _is_sqlite_file(source):
            draft.write(f"{HOME}/{path}", partial(copy_sqlite, source))
        else:
            draft.add(f"{HOME}/{path}", source)
    return BackupManifest(
        made=utc_stamp(app.clock.now_ms()),
        program=__version__,
        database=kind,
        versions=versions,
        left_out=tuple(left_out),
        folders=tuple(f"{_RUNS}/{run_id}" for run_id in app.folders.run_ids()),
        files=draft.files,
    )


def _list_home_files(home: Path) -> Iterator[tuple[str, Path]]:
    """The files to keep: not the database, logs, work in progress, and files of a moment."""
    for entry in sorted(home.iterdir()):
        if entry.name in _NOT_KEPT or entry.name.startswith(_DATABASE_FILE):
            continue
        files = sorted(entry.rglob("*")) if entry.is_dir() else [entry]
        for file in files:
            if ".new-" in file.name or file.name.endswith(_JOURNALS) or not file.is_file():
                continue
            yield file.relative_to(home).as_posix(), file


def _is_sqlite_file(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC


def _add_settings(draft: BackupDraft, file: Path) -> list[str]:
    """The settings without keys, and without the address of this database."""
    text, left_out = remove_secrets(file)
    if text is None:
        return [FILE_NAME]
    draft.write(f"{HOME}/{FILE_NAME}", lambda target: _write_private(target, text))
    return left_out


def _write_private(target: Path, text: str) -> None:
    target.touch(mode=0o600)
    target.write_text(text, encoding="utf-8")


def remove_secrets(file: Path) -> tuple[str | None, list[str]]:
    """The text of a settings file without its secrets, and the names of what was left out.

    None if they cannot be taken out line by line.
    """
    settings = load_settings(home=file.parent, env={})
    secrets = set(_find_secrets(settings))
    lines, left_out = [], []
    for line in file.read_text(encoding="utf-8").splitlines():
        told = _ASSIGNMENT.match(line)
        name = told[1] if told else ""
        if name == "database_url" or any(secret in line for secret in secrets):
            left_out.append(name or "a comment")
            lines.append(f"# {name or 'a comment'} was left out of the backup")
        else:
            lines.append(line)
    text = "\n".join([*lines, ""])
    try:
        kept = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None, [FILE_NAME]
    # A value may be written with escapes, which only a parser sees through.
    words = {leaf for leaf in _list_leaves(kept) if isinstance(leaf, str)}
    if "database_url" in kept or any(secret in word for secret in secrets for word in words):
        return None, [FILE_NAME]
    return text, left_out


def _find_secrets(settings: Settings) -> Iterator[str]:
    for leaf in _list_leaves(settings):
        if isinstance(leaf, SecretStr):
            yield leaf.get_secret_value()


def _list_leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, tuple | list):
        for each in value:
            yield from _list_leaves(each)
    else:
        yield value


def _require_database(manifest: BackupManifest, settings: Settings) -> None:
    """Refuse a database of the other kind, or one that is not empty."""
    if manifest.database == _SQLITE:
        if settings.database_url is not None:
            raise InvalidInput(
                "This is the backup of a store in SQLite, but ASSAY_DATABASE_URL is set.",
                advice="Unset it; the database is restored into the home.",
            )
        return
    if settings.database_url is None:
        raise InvalidInput(
            "This is the backup of a store on Postgres.",
            advice="Create an empty database, and set ASSAY_DATABASE_URL to it.",
        )
    engine = open_engine(settings.database, wait_s=settings.database_wait_s, pool_size=1)
    try:
        if is_sqlite(engine):
            raise InvalidInput(
                "This is the backup of a store on Postgres, but ASSAY_DATABASE_URL is a file.",
                advice="Create an empty Postgres database, and set ASSAY_DATABASE_URL to it.",
            )
        require_empty_database(engine)
    finally:
        engine.dispose()


def _restore_into(backup: Backup, settings: Settings, home: Path) -> None:
    copy_home(backup, home)
    for folder in (settings.blobs, settings.runs, settings.log_file.parent):
        (home / folder.relative_to(settings.home)).mkdir(exist_ok=True)
    if not (home / FILE_NAME).exists():
        (home / FILE_NAME).touch(mode=0o600)
    copies = backup.folder / DATABASE
    if backup.manifest.database == _POSTGRES:
        engine = open_engine(settings.database, pool_size=1)
        engine.dispose()
        restore_postgres(copies / POSTGRES_COPY, engine.url, read_environment())
        return
    check_sqlite_copy(copies / SQLITE_COPY)
    copy_sqlite(copies / SQLITE_COPY, home / _DATABASE_FILE)


def require_store(app: App) -> None:
    """Refuse to back up anything but a store; an older one is backed up as it is."""
    with explain_errors(), app.engine.connect() as connection:
        if schema.CORE not in schema.read_versions(connection):
            raise SchemaMissing("This home has no store yet.")
