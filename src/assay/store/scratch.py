"""Finished pieces of unfinished work. Losing them costs time, and nothing else."""

import shutil
import tempfile
import time
from pathlib import Path

_DAY_S = 86_400


class Scratch:
    """A folder of pieces that an attempt after a crash may pick up again.

    What is here is not known to the store: a piece is good because its name says exactly what it
    was made of, and whoever finds none makes it anew.
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
        """Keep a piece; half a one is never seen."""
        place = self.folder / work
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, prefix=".new-", delete=False) as file:
            file.write(data)
        Path(file.name).replace(place / piece)

    def sweep(self, days: float = 7.0) -> int:
        """Take away work that nobody touched for so long; gives how much there was."""
        if not self.folder.is_dir():
            return 0
        oldest = time.time() - days * _DAY_S
        old = [place for place in self.folder.iterdir() if place.stat().st_mtime < oldest]
        for place in old:
            shutil.rmtree(place, ignore_errors=True)
        return len(old)
