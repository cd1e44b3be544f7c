"""Run folders: made once, closed with a manifest, and never what they were not."""

import errno
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.errors import DiskFull, InvalidInput, NotFound, RunIdReused
from assay.model.hashes import content_hash
from assay.store.runs import MANIFEST, RunFolders

FILES = {"run.json": [b"{}\n"], "events.jsonl": [b"1\n", b"2\n"], "empty.jsonl": []}
RUN = "20260101T000000Z-abc123"


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[RunFolders]:
    made = RunFolders(tmp_path / "runs")
    yield made
    for path in tmp_path.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)


@pytest.fixture
def sealed(folders: RunFolders) -> Path:
    path = folders.reserve(RUN)
    folders.seal(RUN, FILES)
    return path


def opened(path: Path) -> Path:
    """The path, with rights that its folder and itself had lost."""
    path.parent.chmod(0o755)
    if path.exists():
        path.chmod(0o644)
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_run_id_is_reserved_once_for_ever(folders: RunFolders) -> None:
    path = folders.reserve(RUN)
    assert path.is_dir()
    with pytest.raises(RunIdReused, match=f"{RUN} has already been used"):
        folders.reserve(RUN)
    folders.seal(RUN, FILES)
    with pytest.raises(RunIdReused):
        folders.reserve(RUN)
    assert folders.run_ids() == [RUN]


def test_a_file_in_the_place_of_a_folder_counts_as_used(folders: RunFolders) -> None:
    folders.folder.mkdir()
    (folders.folder / RUN).write_text("")
    with pytest.raises(RunIdReused):
        folders.reserve(RUN)


@pytest.mark.parametrize(
    "odd",
    ["", ".", "..", "../x", "a/b", "/abs", "a\\b", ".hidden", "a b", "a\n", "a\0b", "č", "x" * 81],
)
def test_an_odd_run_id_is_refused_everywhere(folders: RunFolders, odd: str) -> None:
    acts: list[Callable[[], Any]] = [
        lambda: folders.reserve(odd),
        lambda: folders.seal(odd, FILES),
        lambda: folders.verify(odd),
        lambda: folders.is_sealed(odd),
        lambda: folders.manifest_hash(odd),
    ]
    for act in acts:
        with pytest.raises(InvalidInput, match="is not a valid run id"):
            act()
    assert not folders.folder.exists()


@pytest.mark.parametrize("plain", [RUN, "a", "x" * 80, "a..b", "A-1_2.z"])
def test_a_plain_run_id_lies_in_the_folder(folders: RunFolders, plain: str) -> None:
    assert folders.reserve(plain).parent == folders.folder


def test_sealing_writes_every_file_and_a_manifest_of_their_hashes(
    folders: RunFolders, sealed: Path
) -> None:
    assert {path.name: path.read_bytes() for path in sealed.iterdir() if path.name != MANIFEST} == {
        name: b"".join(chunks) for name, chunks in FILES.items()
    }
    raw = (sealed / MANIFEST).read_bytes()
    assert json.loads(raw) == {
        "run_id": RUN,
        "files": {
            name: {"sha256": content_hash(b"".join(chunks)), "bytes": len(b"".join(chunks))}
            for name, chunks in FILES.items()
        },
    }
    assert folders.manifest_hash(RUN) == content_hash(raw)
    assert folders.is_sealed(RUN)


def test_a_sealed_folder_and_its_files_are_read_only(sealed: Path) -> None:
    assert mode(sealed) == 0o555
    assert {mode(path) for path in sealed.iterdir()} == {0o444}


def test_sealing_again_gives_the_same_hash_and_writes_nothing(
    folders: RunFolders, sealed: Path
) -> None:
    before = {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in sealed.iterdir()}
    again = folders.seal(RUN, {"other.jsonl": [b"never written"]})
    assert again == content_hash((sealed / MANIFEST).read_bytes())
    assert before == {
        path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in sealed.iterdir()
    }


def test_the_manifest_does_not_depend_on_when_or_where(tmp_path: Path) -> None:
    hashes: set[str] = set()
    for name in ("one", "two"):
        folders = RunFolders(tmp_path / name)
        folders.reserve(RUN)
        hashes.add(folders.seal(RUN, dict(reversed(FILES.items())) if hashes else FILES))
    assert len(hashes) == 1


class _Killed(BaseException):
    """What a kill -9 looks like from inside: nothing that follows is done, not even tidying."""


class _Killer:
    """Lets a number of disk operations happen, and none after that."""

    def __init__(self, patched: pytest.MonkeyPatch, after: int) -> None:
        self.left = after
        for owner, name in [
            (os, "fsync"),
            (os, "link"),
            (Path, "unlink"),
            (Path, "chmod"),
            (Path, "open"),
        ]:
            patched.setattr(owner, name, self._guarded(getattr(owner, name)))

    def _guarded(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def act(*arguments: Any, **options: Any) -> Any:
            if self.left <= 0:
                raise _Killed
            self.left -= 1
            return real(*arguments, **options)

        return act


def kill_while_sealing(folders: RunFolders, after: int, files: dict[str, list[bytes]]) -> bool:
    """Whether the sealing was killed before it ended."""
    with pytest.MonkeyPatch.context() as patched:
        _Killer(patched, after)
        try:
            folders.seal(RUN, files)
        except _Killed:
            return True
    return False


def test_a_seal_killed_at_any_moment_is_completed_by_sealing_again(tmp_path: Path) -> None:
    whole = RunFolders(tmp_path / "whole")
    whole.reserve(RUN)
    expected = whole.seal(RUN, FILES)
    moments = 0
    killed = True
    while killed:
        folders = RunFolders(tmp_path / f"killed-{moments}")
        path = folders.reserve(RUN)
        killed = kill_while_sealing(folders, moments, FILES)
        if not folders.is_sealed(RUN):
            assert folders.verify(RUN).sealed is False
        assert folders.seal(RUN, FILES) == expected, moments
        verdict = folders.verify(RUN, expected)
        assert (verdict.sealed, verdict.faults) == (True, ()), moments
        assert {entry.name for entry in path.iterdir()} == {*FILES, MANIFEST}, moments
        assert mode(path) == 0o555, moments
        assert {mode(entry) for entry in path.iterdir()} == {0o444}, moments
        moments += 1
    # Each of the four files passes five moments, and the folder has its own.
    assert moments > 5 * (len(FILES) + 1)


def test_a_killed_seal_does_not_hold_the_run_to_what_the_store_knew_then(
    tmp_path: Path,
) -> None:
    grown = {**FILES, "run.json": [b'{"later": 1}\n'], "events.jsonl": [b"1\n", b"2\n", b"3\n"]}
    for moment in range(60):
        folders = RunFolders(tmp_path / f"killed-{moment}")
        path = folders.reserve(RUN)
        if not kill_while_sealing(folders, moment, FILES):
            break
        was_sealed = folders.is_sealed(RUN)
        manifest_hash = folders.seal(RUN, grown)
        assert folders.verify(RUN, manifest_hash).faults == ()
        lines = (path / "events.jsonl").read_bytes()
        assert lines == (b"1\n2\n" if was_sealed else b"1\n2\n3\n")
    else:
        pytest.fail("the sealing never ended")


def test_a_full_disk_is_said_so_and_sealing_goes_on_later(
    folders: RunFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders.reserve(RUN)

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(DiskFull, match=f"sealing run {RUN}"):
            folders.seal(RUN, FILES)
    assert not folders.is_sealed(RUN)
    assert folders.verify(RUN, folders.seal(RUN, FILES)).is_sound


def test_a_sound_folder_is_found_sound(folders: RunFolders, sealed: Path) -> None:
    verdict = folders.verify(RUN, folders.manifest_hash(RUN))
    assert (verdict.run_id, verdict.sealed, verdict.files) == (RUN, True, len(FILES))
    assert verdict.is_sound


def test_an_open_folder_is_sound_but_not_sealed(folders: RunFolders) -> None:
    folders.reserve(RUN)
    verdict = folders.verify(RUN)
    assert (verdict.sealed, verdict.is_sound, verdict.files) == (False, True, 0)
    assert folders.manifest_hash(RUN) is None


def altered(path: Path) -> str:
    opened(path / "events.jsonl").write_bytes(b"1\nX\n")
    return "events.jsonl was altered"


def emptied(path: Path) -> str:
    opened(path / "run.json").write_bytes(b"")
    return "run.json was altered"


def missing(path: Path) -> str:
    opened(path / "events.jsonl").unlink()
    return "events.jsonl is missing"


def replaced_by_a_folder(path: Path) -> str:
    opened(path / "events.jsonl").unlink()
    (path / "events.jsonl").mkdir()
    return "events.jsonl is missing"


def added(path: Path) -> str:
    opened(path / "more.txt").write_bytes(b"x")
    return "more.txt is not in the manifest"


def hidden(path: Path) -> str:
    opened(path / ".more").write_bytes(b"x")
    return ".more is not in the manifest"


def without_manifest(path: Path) -> str:
    opened(path / MANIFEST).unlink()
    return "the manifest is missing"


@pytest.mark.parametrize(
    "harm", [altered, emptied, missing, replaced_by_a_folder, added, hidden, without_manifest]
)
def test_any_harm_to_a_sealed_folder_is_found(
    folders: RunFolders, sealed: Path, harm: Callable[[Path], str]
) -> None:
    kept = folders.manifest_hash(RUN)
    fault = harm(sealed)
    verdict = folders.verify(RUN, kept)
    assert verdict.faults == (fault,)
    assert not verdict.is_sound


def test_a_forged_manifest_is_found_by_the_hash_that_the_store_keeps(
    folders: RunFolders, sealed: Path
) -> None:
    kept = folders.manifest_hash(RUN)
    opened(sealed / "events.jsonl").write_bytes(b"forged\n")
    forged = json.loads((sealed / MANIFEST).read_bytes())
    forged["files"]["events.jsonl"]["sha256"] = content_hash(b"forged\n")
    opened(sealed / MANIFEST).write_text(json.dumps(forged))
    assert folders.verify(RUN).is_sound, "without the store's hash a forgery cannot be seen"
    assert folders.verify(RUN, kept).faults == (
        "the manifest is not the one recorded in the store",
    )


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"run_id": "x"}',
        b'{"files": []}',
        b'{"files": "all"}',
        b'{"files": {"run.json": 1}}',
        b'{"files": {"run.json": null}}',
    ],
)
def test_a_manifest_that_cannot_be_read_is_a_fault_and_no_crash(
    folders: RunFolders, sealed: Path, raw: bytes
) -> None:
    opened(sealed / MANIFEST).write_bytes(raw)
    assert "the manifest cannot be read" in folders.verify(RUN).faults


def test_a_run_that_never_was_is_not_found(folders: RunFolders) -> None:
    with pytest.raises(NotFound, match="There is no run"):
        folders.verify(RUN)
    assert folders.run_ids() == []


def test_folders_that_are_no_runs_are_not_taken_for_runs(folders: RunFolders) -> None:
    folders.reserve("b")
    folders.reserve("a")
    (folders.folder / "lost+found").mkdir()
    (folders.folder / ".Trash").mkdir()
    (folders.folder / "note.txt").write_text("")
    assert folders.run_ids() == ["a", "b"]


def test_a_folder_that_was_taken_away_is_not_found(folders: RunFolders, sealed: Path) -> None:
    opened(sealed / MANIFEST)
    shutil.rmtree(sealed)
    with pytest.raises(NotFound):
        folders.verify(RUN)
