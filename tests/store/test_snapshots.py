"""Derived files are replaced whole, or stay as they were."""

import errno
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import DiskFull, InvalidInput
from assay.store.snapshots import replace_snapshot, write_folder


def test_a_snapshot_is_written_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "out" / "deep" / "tierA.txt"
    assert replace_snapshot(path, [b"a\n", b"b\n"]) == path
    assert path.read_bytes() == b"a\nb\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_new_version_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    replace_snapshot(path, [b"a long first version"])
    replace_snapshot(path, [b"short"])
    assert path.read_bytes() == b"short"
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    size = 200_000
    replace_snapshot(path, [b"0" * size])
    seen: set[bytes] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            data = path.read_bytes()
            seen.add(data[:1] if data == data[:1] * size else b"half")

    reader = threading.Thread(target=read)
    reader.start()
    try:
        number = 0
        # On a busy machine the reader may come late; it must have seen some change.
        while number < 60 or (len(seen) < 3 and number < 5000):
            digit = str(number % 10).encode()
            replace_snapshot(path, [digit * (size // 100)] * 100)
            number += 1
    finally:
        done.set()
        reader.join()
    assert b"half" not in seen
    assert len(seen) >= 3


def test_the_old_file_stays_open_to_who_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    replace_snapshot(path, [b"old"])
    with path.open("rb") as reader:
        replace_snapshot(path, [b"new"])
        assert reader.read() == b"old"


@pytest.mark.parametrize("crash", [KeyboardInterrupt, ValueError])
def test_a_failure_in_the_middle_leaves_the_old_one(
    tmp_path: Path, crash: type[BaseException]
) -> None:
    path = tmp_path / "s.txt"
    replace_snapshot(path, [b"old"])

    def broken() -> Iterator[bytes]:
        yield b"half of the new "
        raise crash

    with pytest.raises(crash):
        replace_snapshot(path, broken())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_one_and_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = tmp_path / "s.txt"
    replace_snapshot(path, [b"old"])

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os if where == "fsync" else Path, where, full)
        with pytest.raises(DiskFull, match=r"writing s\.txt"):
            replace_snapshot(path, [b"new"])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_written_as_a_whole_and_never_mixed_with_other_files(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"

    def write_half(draft: Path) -> None:
        (draft / "a").write_bytes(b"a")
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(DiskFull):
        write_folder(folder, write_half)
    assert list((tmp_path / "new").iterdir()) == []
    write_folder(folder, lambda draft: None)
    write_folder(folder, lambda draft: (draft / "b").touch())
    assert [file.name for file in folder.iterdir()] == ["b"]
    with pytest.raises(InvalidInput, match="not an empty folder"):
        write_folder(folder, write_half)
