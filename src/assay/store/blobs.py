"""Bytes under their own hash. What is stored once is never written again."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay.errors import CorruptBlob, InvalidInput, from_os_error
from assay.model.hashes import content_hash


class BlobStore:
    """A folder of files named by the hash of what they hold."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, hash_of_content: str) -> Path:
        if len(hash_of_content) != 64 or not set(hash_of_content) <= set("0123456789abcdef"):
            raise InvalidInput(f"{hash_of_content!r} is not a content hash.")
        return self.folder / hash_of_content[:2] / hash_of_content

    def put(self, data: bytes) -> str:
        """Store bytes so that a crash leaves either all of them or nothing."""
        hash_of_content = content_hash(data)
        path = self.path(hash_of_content)
        if path.exists():
            return hash_of_content
        try:
            if not path.parent.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
                _sync_folder(self.folder)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).chmod(0o444)
                Path(name).replace(path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
            _sync_folder(path.parent)
        except OSError as error:
            raise from_os_error(error, "storing a document") from error
        return hash_of_content

    def get(self, hash_of_content: str) -> bytes:
        """The bytes, checked against their hash each time."""
        try:
            data = self.path(hash_of_content).read_bytes()
        except FileNotFoundError:
            raise CorruptBlob(f"The bytes stored under {hash_of_content} are gone.") from None
        if content_hash(data) != hash_of_content:
            raise CorruptBlob(f"The bytes stored under {hash_of_content} were altered.")
        return data

    def __contains__(self, hash_of_content: str) -> bool:
        return self.path(hash_of_content).exists()

    def hashes(self) -> Iterator[str]:
        """Every hash that has a file, sorted; unfinished files are passed over."""
        for path in sorted(self.folder.glob("??/*")):
            if len(path.name) == 64:
                yield path.name


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable, not only the bytes behind it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
