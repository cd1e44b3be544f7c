"""Bytes under their own hash: whole, unaltered, or an error that says so."""

import errno
import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import CorruptBlob, DiskFull, InternalError, InvalidInput
from assay.model.hashes import content_hash
from assay.store.blobs import BlobStore


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")


def files(blobs: BlobStore) -> list[Path]:
    return [path for path in blobs.folder.rglob("*") if path.is_file()]


@settings(
    derandomize=True,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.binary(max_size=2000))
def test_what_is_put_comes_back_under_its_hash(blobs: BlobStore, data: bytes) -> None:
    key = blobs.put(data)
    assert key == content_hash(data)
    assert blobs.get(key) == data
    assert key in blobs


def test_hashes_are_listed_in_order_and_unfinished_files_passed_over(blobs: BlobStore) -> None:
    assert list(blobs.hashes()) == []
    kept = [blobs.put(data) for data in (b"a", b"b", b"c", b"")]
    (blobs.path(kept[0]).parent / ".new-unfinished").write_bytes(b"half")
    assert list(blobs.hashes()) == sorted(kept)


def test_a_stored_file_cannot_be_written(blobs: BlobStore) -> None:
    mode = blobs.path(blobs.put(b"data")).stat().st_mode
    assert stat.S_IMODE(mode) == 0o444


def test_putting_again_does_not_write_again(
    blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = blobs.path(blobs.put(b"data"))
    os.utime(path, ns=(1, 1))
    before = path.stat()

    def refuse(*_arguments: object) -> None:
        raise AssertionError("a stored file was written again")

    monkeypatch.setattr(os, "fsync", refuse)
    assert blobs.put(b"data") == content_hash(b"data")
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, 1)
    assert len(files(blobs)) == 1


@pytest.mark.parametrize("crash", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize(("whose", "where"), [(Path, "replace"), (os, "fchmod")])
def test_a_crash_before_the_end_leaves_nothing(
    blobs: BlobStore,
    monkeypatch: pytest.MonkeyPatch,
    whose: object,
    where: str,
    crash: type[BaseException],
) -> None:
    def crashing(*_arguments: object) -> None:
        raise crash

    with monkeypatch.context() as patched:
        patched.setattr(whose, where, crashing)
        with pytest.raises(crash):
            blobs.put(b"data")
    assert files(blobs) == []
    assert content_hash(b"data") not in blobs
    assert blobs.get(blobs.put(b"data")) == b"data"


def test_a_process_killed_while_writing_leaves_nothing_under_the_hash(
    blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    blobs.path(content_hash(b"data")).parent.mkdir(parents=True)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", killed)
        patched.setattr(Path, "unlink", killed)  # the dead do not tidy up
        with pytest.raises(KeyboardInterrupt):
            blobs.put(b"data")
    assert [path.name.startswith(".new-") for path in files(blobs)] == [True]
    assert list(blobs.hashes()) == []
    with pytest.raises(CorruptBlob):
        blobs.get(content_hash(b"data"))
    assert blobs.get(blobs.put(b"data")) == b"data"


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.ENOSPC, DiskFull), (errno.EIO, InternalError)]
)
def test_a_disk_that_takes_no_more_is_said_so_and_nothing_is_left(
    blobs: BlobStore,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    expected: type[Exception],
) -> None:
    def failing(*_arguments: object) -> None:
        raise OSError(number, "as the system says")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(expected, match="storing a document"):
        blobs.put(b"data")
    assert files(blobs) == []


@pytest.mark.parametrize("altered", [b"dato", b"dat", b"data\n", b""])
def test_an_altered_file_is_never_handed_out(blobs: BlobStore, altered: bytes) -> None:
    key = blobs.put(b"data")
    blobs.path(key).chmod(0o644)
    blobs.path(key).write_bytes(altered)
    with pytest.raises(CorruptBlob, match=f"{key} were altered"):
        blobs.get(key)


def test_a_missing_file_is_said_to_be_gone(blobs: BlobStore) -> None:
    key = blobs.put(b"data")
    blobs.path(key).unlink()
    assert key not in blobs
    with pytest.raises(CorruptBlob, match=f"{key} are gone"):
        blobs.get(key)


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "abc",
        "a" * 63,
        "a" * 65,
        "A" * 64,
        "g" * 64,
        "../" * 21 + "a",
        "/" + "a" * 63,
        "a" * 63 + "\n",
        "a" * 63 + "١",
    ],
)
def test_what_is_no_hash_is_refused_before_the_disk_is_touched(blobs: BlobStore, odd: str) -> None:
    with pytest.raises(InvalidInput, match="is not a content hash"):
        blobs.get(odd)
    with pytest.raises(InvalidInput, match="is not a content hash"):
        assert odd not in blobs
    assert not blobs.folder.exists()


def test_many_pieces_are_stored_together_and_equal_ones_once(blobs: BlobStore) -> None:
    known = blobs.put(b"known")
    pieces = [b"a", b"known", b"b", b"a", *(bytes([n]) * n for n in range(2, 40)), b""]
    keys = blobs.put_all(pieces)
    assert keys == [content_hash(piece) for piece in pieces]
    assert [blobs.get(key) for key in keys] == pieces
    assert len(files(blobs)) == len(set(pieces))
    assert known in keys
    assert blobs.put_all([]) == []


@pytest.mark.parametrize("what", ["fchmod", "open", "mkdir"])
def test_one_piece_that_the_disk_does_not_take_is_told_of_and_the_others_stay_whole(
    blobs: BlobStore, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    pieces = [bytes([n]) * 10 for n in range(40)]
    act = getattr(os, what)
    calls = iter(range(1000))

    def failing(*arguments: object, **more: object) -> object:
        if next(calls) == 7:
            raise OSError(errno.EIO, "as the system says")
        return act(*arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(os, what, failing)
        with pytest.raises(InternalError, match="storing a document"):
            blobs.put_all(pieces)
    for key in blobs.hashes():
        assert content_hash(blobs.get(key)) == key
    assert [path for path in files(blobs) if path.name.startswith(".new-")] == []
    assert [blobs.get(key) for key in blobs.put_all(pieces)] == pieces
