"""Bytes stored under their own hash, each written only once."""

import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from pathlib import Path

from assay.errors import CorruptBlob, InvalidInput, from_os_error
from assay.model.hashes import content_hash

_WRITERS = 16
_HASH = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """A folder of files, each named by the hash of its content."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, hash_of_content: str) -> Path:
        return Path(self._build_path(_require_hash(hash_of_content)))

    def put(self, data: bytes) -> str:
        """Store bytes so that a crash leaves either all of them or nothing."""
        return self.put_all([data])[0]

    def put_all(self, pieces: Sequence[bytes]) -> list[str]:
        """Store many pieces; several threads wait for the disk, and each folder is synced once."""
        hashes = [content_hash(piece) for piece in pieces]
        try:
            new = {
                name: piece
                for name, piece in zip(hashes, pieces, strict=True)
                if not os.path.lexists(self._build_path(name))
            }
            if new:
                self._store(new)
        except OSError as error:
            raise from_os_error(error, "storing a document") from error
        return hashes

    def _store(self, new: Mapping[str, bytes]) -> None:
        folders = {self.folder / name[:2] for name in new}
        made = [folder for folder in folders if not folder.is_dir()]
        for folder in made:
            folder.mkdir(parents=True, exist_ok=True)
        if made:
            _sync_folder(self.folder)
        entries = list(new.items())
        if len(entries) == 1:
            self._write(*entries[0])
        else:
            shares = [entries[start::_WRITERS] for start in range(min(_WRITERS, len(entries)))]
            with ThreadPoolExecutor(len(shares), "assay-blobs") as writers:
                list(writers.map(self._write_some, shares))
        for folder in folders:
            _sync_folder(folder)

    def _write_some(self, entries: Sequence[tuple[str, bytes]]) -> None:
        for name, data in entries:
            self._write(name, data)

    def _write(self, hash_of_content: str, data: bytes) -> None:
        # Plain system calls: with thousands of small files, path objects cost as much as writing.
        file = self._build_path(hash_of_content)
        unfinished = f"{file[:-64]}.new-{secrets.token_hex(8)}"
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb", buffering=0) as opened:
                _write_all(opened, data)
                os.fchmod(handle, 0o444)
                os.fsync(handle)
            Path(unfinished).replace(file)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise

    def _build_path(self, hash_of_content: str) -> str:
        return f"{self.folder}/{hash_of_content[:2]}/{hash_of_content}"

    def get(self, hash_of_content: str) -> bytes:
        """The bytes, checked against their hash every time."""
        try:
            data = self.path(hash_of_content).read_bytes()
        except FileNotFoundError:
            raise CorruptBlob(f"The bytes stored under {hash_of_content} are gone.") from None
        if content_hash(data) != hash_of_content:
            raise CorruptBlob(f"The bytes stored under {hash_of_content} were altered.")
        return data

    def __contains__(self, hash_of_content: str) -> bool:
        return os.path.lexists(self._build_path(_require_hash(hash_of_content)))

    def hashes(self) -> Iterator[str]:
        """Every hash that has a file, sorted; unfinished files are skipped."""
        for path in sorted(self.folder.glob("??/*")):
            if len(path.name) == 64:
                yield path.name


def _require_hash(hash_of_content: str) -> str:
    """Refuse anything that is not a hash: it comes from the store, but becomes part of a path."""
    if _HASH.fullmatch(hash_of_content) is None:
        raise InvalidInput(f"{hash_of_content!r} is not a content hash.")
    return hash_of_content


def _write_all(file: FileIO, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def _sync_folder(folder: Path) -> None:
    """Make the new file name durable, not only the bytes."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
