"""Pieces of unfinished work: whole or not there, and swept away when nobody comes for them."""

import errno
import os
import shutil
import time
from pathlib import Path

import pytest

from assay.errors import DiskFull
from assay.store.scratch import ScratchFolder

DAY_S = 86_400


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchFolder:
    return ScratchFolder(tmp_path / "scratch")


def age(place: Path, days: float) -> None:
    then = time.time() - days * DAY_S
    os.utime(place, (then, then))


def test_a_piece_comes_back_and_what_was_never_put_does_not(scratch: ScratchFolder) -> None:
    assert scratch.get("work", "page-1") is None
    scratch.put("work", "page-1", b"one")
    scratch.put("work", "page-1", b"once more")
    scratch.put("other", "page-1", b"")
    assert scratch.get("work", "page-1") == b"once more"
    assert scratch.get("other", "page-1") == b""
    assert scratch.get("work", "page-2") is None


def test_a_disk_that_is_full_is_told_of_and_leaves_nothing_behind(
    scratch: ScratchFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch.put("work", "page-1", b"one")

    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(DiskFull, match="saving a finished piece of work"):
            scratch.put("work", "page-1", b"two")
    assert [path.name for path in (scratch.folder / "work").iterdir()] == ["page-1"]
    assert scratch.get("work", "page-1") == b"one"


def test_a_folder_that_is_swept_while_it_is_written_to_is_made_anew(
    scratch: ScratchFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def swept(self: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "replace", replace)
        shutil.rmtree(scratch.folder / "work")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", swept)
    scratch.put("work", "page-1", b"one")
    assert scratch.get("work", "page-1") == b"one"


def test_only_work_that_nobody_touched_for_long_is_swept_away(
    scratch: ScratchFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scratch.sweep() == 0
    for work in ("old", "young", "gone"):
        scratch.put(work, "page-1", b"one")
    age(scratch.folder / "old", 8)
    age(scratch.folder / "young", 6)
    stat = Path.stat

    def elsewhere(self: Path, **more: bool) -> os.stat_result:
        if self.name == "gone":
            raise FileNotFoundError(errno.ENOENT, "another worker swept it", str(self))
        return stat(self, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", elsewhere)
        assert scratch.sweep() == 1
    assert scratch.get("old", "page-1") is None
    assert scratch.get("young", "page-1") == b"one"
    assert scratch.sweep(days=5) == 1
