"""Derived files that may be replaced, always as a whole."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from assay.errors import InvalidInput, from_os_error


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


def write_folder(folder: Path, write_files: Callable[[Path], None]) -> None:
    """Write a folder with all of its files, or nothing; `write_files` gets the folder to fill.

    It must be new or empty: exported files are never mixed with existing ones.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(
            f"{folder} already exists and is not an empty folder.", advice="Name a new folder."
        )
    draft = folder.parent / f".{folder.name}.new-{secrets.token_hex(4)}"
    try:
        draft.mkdir(parents=True)
        write_files(draft)
        draft.replace(folder)
    except OSError as error:
        raise from_os_error(error, f"writing {folder}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
