"""Whatever can be wrong with the input, the store or the machine: one clear message each."""

import json
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.app.installed_packs import load_pack
from assay.sdk.pack import Check
from assay.sdk.services import Services
from tests.cli.calls import PART, Called, answer, call, real, refusal
from tests.waiting import PATIENCE_S

BUSY = {"ASSAY_DATABASE_WAIT_S": "1"}


def test_an_unknown_variable_is_refused_with_a_guess(home: Path) -> None:
    code, error = refusal(home, "status", env={"ASSAY_GRACE": "3"})
    assert (code, error["code"]) == (3, "unknown_setting")
    assert "Did you mean 'ASSAY_GRACE_S'?" in error["advice"]


def test_the_list_of_settings_works_even_then(home: Path) -> None:
    result = call(home, "doctor", "--settings", env={"ASSAY_GRACE": "3"})
    assert result.exit_code == 0
    assert "grace_s" in result.stdout
    assert "ASSAY_GRACE" in result.stdout
    told = call(home, "doctor", env={"ASSAY_GRACE": "3"})
    assert told.exit_code == 5
    assert "fail settings" in told.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grace = 3", "Did you mean 'grace_s'?"),
        ("grace_s = 'long'", "cannot be 'long'"),
        ("grace_s = ", "is not valid TOML"),
        ("home = 'x'", "the home determines where this file is"),
    ],
)
def test_a_bad_settings_file_is_refused(home: Path, text: str, said: str) -> None:
    call(home, "init")
    (home / "assay.toml").write_text(text)
    code, error = refusal(home, "status")
    assert code == 3
    assert error["code"] in ("unknown_setting", "invalid_setting")
    assert said in f"{error['message']} {error['advice']}"


@pytest.mark.parametrize(
    "url", ["nonsense", "mysql://localhost/assay", "sqlite://", "sqlite:////nowhere/at/all.db"]
)
def test_a_bad_address_is_refused(home: Path, url: str) -> None:
    call(home, "init")
    code, error = refusal(home, "status", env={"ASSAY_DATABASE_URL": url})
    assert (code, error["code"]) == (3, "invalid_setting")


def test_a_missing_home_is_said_to_be_missing(home: Path) -> None:
    for arguments in (("status",), ("run",), ("worker",), ("store", "check"), ("store", "migrate")):
        code, error = refusal(home, *arguments)
        assert (code, error["code"]) == (4, "schema_missing")
        assert "assay init" in error["advice"]
    assert not home.exists()


def test_a_home_that_is_a_file_is_refused(home: Path) -> None:
    home.write_text("not a folder")
    for arguments in (("init",), ("status",), ("demo",)):
        code, error = refusal(home, *arguments)
        assert (code, error["code"]) == (3, "invalid_setting")
    assert home.read_text() == "not a folder"


def test_a_locked_database_is_waited_for_and_then_named(played: Path) -> None:
    with closing(sqlite3.connect(played / "assay.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        result = call(played, "store", "migrate", env=BUSY)
        assert result.exit_code == 4
        assert result.stderr.startswith("Error (database_busy): ")
        assert "another process" in result.stderr
        ended = real(played, "run", "--json", **dict[str, Any](BUSY))
        assert (ended.code, ended.value["error"]["code"]) == (4, "database_busy")
        assert answer(played, "status")["documents"] == 10
    assert answer(played, "store", "migrate")


def test_a_newer_store_is_left_alone(played: Path) -> None:
    with closing(sqlite3.connect(played / "assay.db")) as other:
        other.execute("UPDATE assay_schema SET version_num = 'zzzz'")
        other.commit()
    before = _dumped(played)
    for arguments in (("status",), ("init",), ("store", "migrate"), ("store", "check"), ("run",)):
        code, error = refusal(played, *arguments)
        assert (code, error["code"]) == (4, "schema_too_new")
    told = call(played, "doctor")
    assert told.exit_code == 5
    assert "fail schema" in told.stdout
    assert _dumped(played) == before


def _dumped(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "assay.db")) as other:
        return list(other.iterdump())


def test_a_store_that_was_never_made(home: Path) -> None:
    home.mkdir()
    code, error = refusal(home, "status")
    assert (code, error["code"]) == (4, "schema_missing")


@pytest.fixture
def nobody() -> str:
    """The address of a server that is not there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return f"postgresql://assay:secret@127.0.0.1:{port}/assay"


def test_a_missing_server_is_named_without_its_password(home: Path, nobody: str) -> None:
    env = {"ASSAY_DATABASE_URL": nobody, "ASSAY_DATABASE_WAIT_S": "2"}
    for arguments in (("init",), ("status",)):
        code, error = refusal(home, *arguments, env=env)
        assert (code, error["code"]) == (4, "database_unreachable")
        assert "secret" not in str(error)
    told = call(home, "doctor", env=env)
    assert told.exit_code == 5
    assert "fail database" in told.stdout
    assert "secret" not in told.output


def test_a_second_worker_is_refused(watching_home: Path) -> None:
    with _working(watching_home):
        for arguments in (("worker",), ("demo", "--days", "1")):
            ended = real(watching_home, *arguments)
            assert ended.code == 4
            assert ended.err.startswith("Error (worker_running): A worker is already running")
            assert len(ended.err.splitlines()) == 1
        code, error = refusal(watching_home, "store", "reset", "--yes")
        assert (code, error["code"]) == (4, "worker_running")
    assert call(watching_home, "store", "reset", "--yes").exit_code == 0


@pytest.fixture
def watching_home(home: Path) -> Path:
    call(home, "init")
    return home


@contextmanager
def _working(home: Path) -> Iterator[Called]:
    called = Called(home, "worker")
    called.wait_for("is running")
    try:
        yield called
    finally:
        called.process.terminate()
        assert called.end().code == 143


def test_a_corrupt_run_folder_is_named(played: Path) -> None:
    name = answer(played, "runs", "list")[0]["run_id"]
    file = played / "runs" / name / "evidence.jsonl"
    file.parent.chmod(0o755)
    file.chmod(0o644)
    file.write_text("something else")
    (file.parent / "extra").write_text("")
    for arguments in (("runs", "verify"), ("runs", "verify", name)):
        result = call(played, *arguments)
        assert result.exit_code == 5
        assert "evidence.jsonl was altered" in result.stdout
        assert "extra is not in the manifest" in result.stdout
        asked = call(played, *arguments, "--json")
        assert asked.exit_code == 5
    shutil.rmtree(file.parent)
    for arguments in (("runs", "verify"), ("runs", "verify", name)):
        result = call(played, *arguments)
        assert result.exit_code == 5
        assert "the folder is missing" in result.stdout


def test_a_damaged_database_is_named_and_left_alone(played: Path) -> None:
    file = played / "assay.db"
    with file.open("r+b") as handle:
        handle.write(b"rubbish " * 20)
    before = file.read_bytes()
    for arguments in (("status",), ("init",), ("store", "check"), ("store", "reset", "--yes")):
        code, error = refusal(played, *arguments)
        assert code == 4
        assert "damaged" in error["message"]
        assert "backup" in error["advice"]
    assert call(played, "doctor").exit_code == 5
    assert file.read_bytes() == before


def test_a_run_id_is_used_once(played: Path) -> None:
    name = answer(played, "runs", "list")[0]["run_id"]
    for used in (name, "../escape"):
        code, error = refusal(played, "run", "--run-id", used)
        assert (code, error["class"]) == (3, "VALIDATION")
    assert refusal(played, "run", "--run-id", name)[1]["code"] == "run_id_reused"
    assert len(answer(played, "runs", "list")) == 3


_FULL = """
set -e
mount -t tmpfs -o size=2400k assay "$1"
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
cd "$1"
code=0; "$2" -m tests.cli.part --home home demo >out 2>"$3/err" || code=$?
echo "$code"
mount -o remount,size=64m "$1"
"$2" -m tests.cli.part --home home demo >/dev/null
"$2" -m assay.cli --home home store check >/dev/null
"$2" -m assay.cli --home home store dump --canonical
"""


def _may_mount(folder: Path) -> bool:
    """A name space of one's own needs no root, but some machines forbid it."""
    command = ["unshare", "-Urm", "mount", "-t", "tmpfs", "probe", str(folder)]
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_full_disk_is_told_once_and_harms_nothing(played: Path, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    if not _may_mount(folder):
        pytest.skip("this machine does not let a process mount a small disk of its own")
    ended = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", _FULL, "sh", str(folder), sys.executable, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    told = (tmp_path / "err").read_text()
    assert told.startswith("Error (disk_full): ")
    assert len(told.splitlines()) == 1
    code, _, dumped = ended.stdout.partition("\n")
    assert code == "4"
    assert dumped == call(played, "store", "dump", "--canonical").stdout


def test_a_limit_on_file_size_leaves_no_half_store(home: Path) -> None:
    """What every machine can try: the making of the store fails in the middle."""
    command = f'ulimit -f 100; exec "{sys.executable}" -m assay.cli --home "{home}" init'
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert ended.returncode == 4
    assert len(ended.stderr.splitlines()) == 1
    assert "Traceback" not in ended.stderr
    assert refusal(home, "status")[1]["code"] == "schema_missing"
    assert call(home, "init").exit_code == 0
    assert call(home, "store", "check").exit_code == 0


def test_a_disk_that_refuses_in_the_middle_of_a_run_harms_nothing(
    played: Path, tmp_path: Path
) -> None:
    """The same on any machine: a limit on file size, less than the database needs in the end.

    Whichever part of the worker meets it first, the command says so and ends.
    """

    home = tmp_path / "other"
    demo = f'"{sys.executable}" -m {PART} --home "{home}" demo'
    ended = subprocess.run(
        ["bash", "-c", f"ulimit -f 1400; ASSAY_HEARTBEAT_S=0.5 exec {demo}"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 4
    assert ended.stderr.startswith("Error (disk_failed): ")
    assert len(ended.stderr.splitlines()) == 1
    subprocess.run(["bash", "-c", demo], capture_output=True, timeout=PATIENCE_S, check=True)
    assert (played / "assay.db").stat().st_size > 1400 * 1024
    assert call(home, "store", "check").exit_code == 0
    dumps = [call(folder, "store", "dump", "--canonical").stdout for folder in (home, played)]
    assert dumps[0] == dumps[1]


def test_a_check_that_fails_is_reported_under_its_pack_and_stops_no_other(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sink(services: Services) -> tuple[bool, str]:
        raise RuntimeError("the ship sank")

    checks = (
        Check(name="ships", run=sink),
        Check(name="boats", run=lambda services: (True, "2 boats")),
    )
    pack = replace(load_pack("graph"), checks=checks)
    monkeypatch.setattr("assay.cli.doctor.load_all_packs", lambda: {"graph": pack})
    result = call(played, "doctor", "--json")
    found = {entry["name"]: entry for entry in json.loads(result.stdout)}
    assert found["ships"]["level"] == "fail" and result.exit_code == 5
    assert found["ships"]["what"] == "graph: the check failed with RuntimeError: the ship sank."
    assert (found["boats"]["level"], found["boats"]["what"]) == ("ok", "graph: 2 boats")
