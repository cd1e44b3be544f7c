"""Scouting in which some documents kill the process that reads them."""

import signal
from pathlib import Path

from assay.spine.scouting.task import ScoutedDocument, ScoutOptions
from assay.spine.scouting.task import scout_file as really

KILLER = b"kill the process that reads this"


def scout_file(
    file: Path, hash_of_content: str, charset: str | None, options: ScoutOptions
) -> ScoutedDocument:
    if KILLER in file.read_bytes():
        signal.raise_signal(signal.SIGKILL)
    return really(file, hash_of_content, charset, options)
