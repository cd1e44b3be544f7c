"""Finished pieces of unfinished work. Losing them costs time and nothing else."""

import os
import shutil
import tempfile
import time
from pathlib import Path

from assay.errors import from_os_error

_DAY_S = 86_400


class ScratchFolder:
    """A folder of pieces that the next attempt can reuse after a crash.

    The store does not know about them. A piece can be trusted because its name says exactly what
    it was made from; a missing piece is simply made again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, work: str, piece: str) -> bytes | None:
        """A piece, if it was finished."""
        try:
            return (self.folder / work / piece).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def put(self, work: str, piece: str, data: bytes) -> None:
        """Keep a piece; readers never see half of one."""
        try:
            try:
                self._write(work, piece, data)
            except FileNotFoundError:
                # Another worker swept the folder away between two steps.
                self._write(work, piece, data)
        except OSError as error:
            raise from_os_error(error, "saving a finished piece of work") from error

    def _write(self, work: str, piece: str, data: bytes) -> None:
        place = self.folder / work
        place.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(place / piece)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def sweep(self, days: float = 7.0) -> int:
        """Delete work that was not touched for this many days; return how much there was."""
        oldest = time.time() - days * _DAY_S
        places = list(self.folder.iterdir()) if self.folder.is_dir() else []
        old = [place for place in places if _read_mtime(place) < oldest]
        for place in old:
            shutil.rmtree(place, ignore_errors=True)
        return len(old)


def _read_mtime(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except FileNotFoundError:
        # Another worker is sweeping too.
        return time.time()
