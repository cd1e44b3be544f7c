"""Derived files that may be replaced, always as a whole."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from assay.errors import from_os_error


def replace_snapshot(path: Path, chunks: Iterable[bytes]) -> Path:
    """Replace the old version with a new one in one step; readers see one or the other."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "wb") as file:
                for chunk in chunks:
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise from_os_error(error, f"writing {path.name}") from error
    return path
