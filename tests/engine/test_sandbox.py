"""What a process that reads documents can still do once a document has taken it over."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay.app.tools import build_bounds
from assay.engine.pool_worker import describe_confinement
from assay.engine.process_pool import PoolLimits, ProcessPool
from assay.engine.sandbox import scrub_environment
from assay.errors import (
    AssayError,
    ContentBroken,
    ContentHostile,
    ContentTooLarge,
    CorruptBlob,
    InvalidInput,
    StageCrashed,
)
from assay.settings import Settings
from tests.engine.probing import (
    SECRET,
    forge_error,
    forge_reply,
    forge_size,
    forge_type,
    forge_verdict,
    return_much,
    stay_behind,
    try_everything,
    try_what_is_needed,
)
from tests.reading.odd_work import double
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux can confine a process in this way"
)
PATIENT = PoolLimits(timeout_s=PATIENCE_S)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A store, and a document beside it."""
    store, documents = tmp_path / "assay.db", tmp_path / "blobs"
    store.write_bytes(b"facts")
    documents.mkdir()
    (documents / "document").write_text("An act.")
    return store, documents / "document"


async def test_everything_an_exploited_parser_tries_is_refused(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, document = places
    monkeypatch.setenv("ASSAY_OPENAI_KEY", SECRET)
    with socket.create_server(("127.0.0.1", 0)) as server:
        async with ProcessPool(1, PATIENT, [document.parent]) as pool:
            assert (await pool.run(describe_confinement)).missing == {}
            tried = await pool.run(
                try_everything, os.getpid(), store, document, server.getsockname()[1]
            )
            needed = await pool.run(try_what_is_needed, document)
    assert len(tried) == 33
    assert {name: attempt for name, attempt in tried.items() if not attempt.error} == {}
    assert {name: attempt.error for name, attempt in needed.items() if attempt.error} == {}
    assert store.read_bytes() == b"facts"
    assert document.read_text() == "An act."


@pytest.mark.parametrize("forge", [forge_size, forge_type, forge_verdict])
async def test_a_forged_reply_costs_only_its_process(forge: object) -> None:
    async with ProcessPool(1, PATIENT) as pool:
        with pytest.raises(ContentHostile, match="crashes the process"):
            await pool.run(forge)  # type: ignore[arg-type]
        assert await pool.run(double, 4) == 8


async def test_a_pickled_reply_runs_nothing(tmp_path: Path) -> None:
    async with ProcessPool(1, PATIENT) as pool:
        with pytest.raises(ContentHostile):
            await pool.run(forge_reply, tmp_path / "executed")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    "code", ["database_failed", "transient", "call_denied", "disk_full", "auth", "no_such_code"]
)
async def test_an_error_that_no_document_causes_is_a_crash_of_the_reader(code: str) -> None:
    """A worker waits for a lost database: a document must not be able to claim that it is lost."""
    async with ProcessPool(1, PATIENT) as pool:
        with pytest.raises(StageCrashed) as caught:
            await pool.run(forge_error, [code, "transient", "error"], "It is lost.")
    assert type(caught.value) is StageCrashed
    assert caught.value.what == "It is lost."


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (["content_broken", "content", "error"], ContentBroken),
        (["not_found", "invalid_input", "error"], InvalidInput),
        (["corrupt_blob", "internal", "error"], CorruptBlob),
    ],
)
async def test_what_a_document_or_its_source_causes_keeps_its_class(
    codes: list[str], kind: type[AssayError]
) -> None:
    async with ProcessPool(1, PATIENT) as pool:
        with pytest.raises(kind) as caught:
            await pool.run(forge_error, codes, "It is broken.")
    assert type(caught.value) is kind


async def test_a_forged_message_is_cut_and_cannot_steer_a_terminal() -> None:
    async with ProcessPool(1, PATIENT) as pool:
        with pytest.raises(ContentBroken) as caught:
            await pool.run(
                forge_error,
                ["content_broken"],
                "\x1b[2Jgone\nERROR all is lost \u202e" + "x" * 10**6,
            )
    for text in (caught.value.what, caught.value.advice):
        assert text.startswith("\\u001b[2Jgone ERROR all is lost \\u202e")
        assert len(text) < 2100 and text.endswith("x…")


async def test_an_answer_has_a_size_limit_of_its_own() -> None:
    async with ProcessPool(1, replace(PATIENT, reply_mb=1)) as pool:
        with pytest.raises(ContentTooLarge, match=r"takes 3 MB, more than the allowed 1 MB"):
            await pool.run(return_much, 2_000_000)
        assert len(await pool.run(return_much, 500_000)) == 500_000


def test_whoever_allows_longer_texts_allows_longer_answers() -> None:
    assert build_bounds(Settings()).reply_mb == 64
    assert build_bounds(Settings(read_max_characters=20_000_000)).reply_mb == 240
    assert build_bounds(Settings(fetch_max_bytes=100_000_000)).reply_mb == 200


async def test_nothing_outlives_its_task() -> None:
    async with ProcessPool(1, PATIENT) as pool:
        assert await pool.run(stay_behind, 1) == -1


def test_keys_and_settings_do_not_reach_the_reading_process() -> None:
    scrubbed = scrub_environment(
        {"ASSAY_KEY": SECRET, "OPENAI_API_KEY": SECRET, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    )
    assert SECRET not in scrubbed.values()
    assert (scrubbed["LANG"], scrubbed["LC_ALL"]) == ("C.UTF-8", "C.UTF-8")


def test_nothing_needs_user_namespaces(places: tuple[Path, Path]) -> None:
    """The same answers where the kernel gives nobody a namespace of their own."""
    assert _probe_elsewhere(places, _NO_NAMESPACES) == {"missing": {}, "gained": []}


def test_a_missing_measure_is_named(places: tuple[Path, Path]) -> None:
    """On a kernel without Landlock, the rest still applies, and the doctor can say what is open."""
    found = _probe_elsewhere(places, _NO_LANDLOCK)
    assert list(found["missing"]) == ["landlock"]
    gained = set(found["gained"])
    assert {"read the store", "read the list of users"} <= gained
    assert not gained & {"connect by TCP", "fork", "read the key", "write a gigabyte"}
    # Nor what only later versions of Landlock refuse.
    assert not gained & {"cut off the store", "signal the parent through a pipe"}


_NO_NAMESPACES = """
import ctypes, os, pathlib
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000) != 0:
    print("no namespaces here at all", file=__import__("sys").stderr)
else:
    pathlib.Path("/proc/sys/user/max_user_namespaces").write_text("0")
    assert libc.unshare(0x10000000) != 0
"""
_NO_LANDLOCK = """
import ctypes, struct
load, equal, answer = 0x20, 0x15, 0x06
steps = [(load, 0, 0, 0), (equal, 0, 1, 444), (answer, 0, 0, 0x50026), (answer, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, struct.pack("@HxxxxxxP", 4, ctypes.addressof(code)), 0, 0) == 0
"""
_PROBE = """
import asyncio, json, os, sys
from pathlib import Path
from assay.engine.pool_worker import describe_confinement
from assay.engine.process_pool import ProcessPool
from tests.engine.probing import try_everything

async def main():
    store, document = Path(sys.argv[1]), Path(sys.argv[2])
    async with ProcessPool(1, readable=[document.parent]) as pool:
        missing = (await pool.run(describe_confinement)).missing
        tried = await pool.run(try_everything, os.getpid(), store, document, 9)
    gained = [name for name, attempt in tried.items() if not attempt.error]
    print(json.dumps({"missing": dict(missing), "gained": gained}))

asyncio.run(main())
"""


def _probe_elsewhere(places: tuple[Path, Path], prepare: str) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", prepare + _PROBE, *map(str, places)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_the_folder_it_was_started_in_may_be_gone(tmp_path: Path) -> None:
    script = """
import asyncio, os, sys
os.rmdir(os.getcwd())
sys.path.insert(0, "")
from assay.engine.process_pool import ProcessPool
from tests.reading.odd_work import double

async def main():
    async with ProcessPool(1) as pool:
        print(await pool.run(double, 4))

asyncio.run(main())
"""
    started_in = tmp_path / "gone"
    started_in.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=started_in,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (done.stdout, done.stderr) == ("8\n", "")


async def test_a_task_that_cannot_be_loaded_says_why() -> None:
    async with ProcessPool(1, PATIENT) as pool:
        results = await pool.run_each(double, [(Unloadable(),), (Unloadable(),)])
        assert await pool.run(double, 4) == 8
    assert [type(each) for each in results] == [StageCrashed] * 2
    assert all("cannot be loaded: PermissionError" in str(each) for each in results)


class Unloadable:
    """Reads a file that a confined process may not read, as libraries do when imported."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _read_secret, ("/etc/passwd",)


def _read_secret(path: str) -> str:
    return Path(path).read_text()
