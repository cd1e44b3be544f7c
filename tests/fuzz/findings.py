"""What a fuzzer finds: one file for each place that fails, the smallest input that fails there."""

import re
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.oracles import Violation

_MOST_TRIES = 2_000


def describe_place(error: BaseException) -> str:
    """Where and how it failed, as a file name: equal names are probably one bug."""
    if isinstance(error, Violation):
        said = re.sub(r"\d+|'.*?'|\".*?\"", "", str(error))
    else:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "assay" in frame.filename] or list(frames)
        last = own[-1] if own else None
        place = f"{Path(last.filename).stem}-{last.lineno}" if last else "nowhere"
        said = f"{type(error).__name__}-{place}"
    return re.sub(r"[^A-Za-z0-9]+", "-", said).strip("-")[:80]


class Findings:
    """A folder of failing inputs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, data: bytes, error: BaseException) -> None:
        """Keep the input, unless a smaller one fails at the same place."""
        file = self._folder / describe_place(error)
        if file.exists() and file.stat().st_size <= len(data):
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        told = "".join(traceback.format_exception(error))
        file.with_suffix(".txt").write_text(told, encoding="utf-8", errors="replace")

    def list_inputs(self) -> list[Path]:
        """The files of all inputs."""
        if not self._folder.is_dir():
            return []
        return sorted(file for file in self._folder.iterdir() if file.suffix != ".txt")


def minimise(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """A smaller input that still fails: stretches are left out, first long ones, then short."""
    size, tries = max(1, len(data) // 2), 0
    while size and tries < _MOST_TRIES:
        at = 0
        while at < len(data) and tries < _MOST_TRIES:
            shorter = data[:at] + data[at + size :]
            tries += 1
            if shorter and fails(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data
