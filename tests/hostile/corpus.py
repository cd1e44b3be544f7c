"""The corpus of bad input: `python -m tests.hostile.corpus FOLDER` writes it.

The same bytes every time. All of it has some gigabytes; `--scale 0.02` makes small copies.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.hostile import markup, packed, pdfs, texts
from tests.hostile.case import Case

CASES: tuple[Case, ...] = (*pdfs.CASES, *packed.CASES, *markup.CASES, *texts.CASES)


def chosen(words: Sequence[str] = (), *, heavy: bool = True) -> list[Case]:
    """The cases whose names have one of these words in them; all, if there are no words."""
    return [
        case
        for case in CASES
        if (heavy or not case.heavy) and (not words or any(word in case.name for word in words))
    ]


def written(case: Case, folder: Path, scale: float = 1.0) -> Path:
    """The file of a case."""
    file = folder / case.file_name
    with file.open("wb") as sink:
        case.write(sink, scale)
    return file


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.corpus")
    parser.add_argument("folder", type=Path)
    parser.add_argument("words", nargs="*", help="only cases with such a word in their names")
    parser.add_argument("--scale", type=float, default=1.0, help="1 for the full sizes")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for case in chosen(given.words):
        began = time.monotonic()
        file = written(case, given.folder, given.scale)
        took_s, size = time.monotonic() - began, file.stat().st_size
        sys.stdout.write(f"{size:>13,} bytes  {took_s:6.1f} s  {file.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
