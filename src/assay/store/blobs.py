"""Bytes under their own hash. What is stored once is never written again."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay.errors import CorruptBlob, InvalidInput, from_os_error
from assay.model.hashes import content_hash

_WRITERS = 16


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
        return self.put_all([data])[0]

    def put_all(self, pieces: Sequence[bytes]) -> list[str]:
        """Store many pieces; the disk is waited for by several at a time, and once per folder."""
        hashes = [content_hash(piece) for piece in pieces]
        try:
            new = {
                name: piece
                for name, piece in zip(hashes, pieces, strict=True)
                if not self.path(name).exists()
            }
            if not new:
                return hashes
            folders = {self.path(name).parent for name in new}
            made = [folder for folder in folders if not folder.is_dir()]
            for folder in made:
                folder.mkdir(parents=True, exist_ok=True)
            if made:
                _sync_folder(self.folder)
            if len(new) == 1:
                self._write(*new.popitem())
            else:
                with ThreadPoolExecutor(min(_WRITERS, len(new)), "assay-blobs") as writers:
                    list(writers.map(self._write, new.keys(), new.values()))
            for folder in folders:
                _sync_folder(folder)
        except OSError as error:
            raise from_os_error(error, "storing a document") from error
        return hashes

    def _write(self, hash_of_content: str, data: bytes) -> None:
        path = self.path(hash_of_content)
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
