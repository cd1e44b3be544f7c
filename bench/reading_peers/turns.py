"""A process that reads the same files again and again, and tells what that cost.

It is told on its input, a line for each turn: `time PART HOW` reads all files of a part and
answers with the CPU seconds; `texts PART FILE` writes what it read, by name. Only the standard
library is imported here, so that every environment can.
"""

import gc
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

Reader: TypeAlias = Callable[[bytes], object]


def take_turns(folder: Path, readers: Mapping[str, Reader], text_of: Reader) -> None:
    """Answer until the input ends. `readers` are the ways that can be timed, by name."""
    parts = {
        part.name: {file.name: file.read_bytes() for file in sorted(part.iterdir())}
        for part in sorted(folder.iterdir())
        if part.is_dir()
    }
    # Modules and files stay for good; nobody's reading is to pay for looking through them.
    gc.collect()
    gc.freeze()
    _tell({"ready": True})
    for line in sys.stdin:
        order, part, what = line.split(maxsplit=2)
        files = parts[part]
        if order == "time":
            _tell({"cpu_seconds": _cpu_seconds(readers[what.strip()], files)})
        else:
            texts = {name: text_of(data) or "" for name, data in files.items()}
            Path(what.strip()).write_text(json.dumps(texts), "utf-8")
            _tell({"files": len(texts)})


def _cpu_seconds(reader: Reader, files: Mapping[str, bytes]) -> float:
    # What other turns left behind must not be cleaned up on this one's account.
    gc.collect()
    began = time.process_time()
    for data in files.values():
        reader(data)
    return time.process_time() - began


def _tell(figures: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()
