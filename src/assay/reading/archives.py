"""Packed documents: their parts, unpacked with a limit on how much comes out.

The sizes that an archive declares are not trusted: the unpacked bytes are counted.
"""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from assay.errors import ContentBroken, ContentEncrypted, ContentHostile, ContentTooLarge
from assay.reading.limits import ReadLimits

_CHUNK: Final = 256 * 1024
_ENTRY: Final = b"PK\x01\x02"
_IS_ENCRYPTED: Final = 0x1
_FREE: Final = 1_000_000
"""Bytes that any part may unpack to, however small it is."""


class Archive:
    """An archive with a limit on how much is unpacked, all parts together."""

    def __init__(self, data: bytes, limits: ReadLimits) -> None:
        self._limits = limits
        self._room = limits.max_unpacked_bytes
        # Count the entries before building the directory, which takes a hundred times the memory.
        entries = data.count(_ENTRY)
        if entries > limits.max_parts:
            raise ContentTooLarge(
                f"The document consists of {entries:,} files; at most {limits.max_parts:,} are "
                "read.",
                advice="Find out what made it: documents have a few dozen.",
            )
        with _translate_errors():
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        self._parts = {
            info.filename.replace("\\", "/").lstrip("/").lower(): info
            for info in self._archive.infolist()
        }

    @property
    def names(self) -> list[str]:
        """The names of its parts, in lower case."""
        return list(self._parts)

    def read_part(self, name: str) -> bytes | None:
        """One part, unpacked; None if there is no such part."""
        if name.lower() not in self._parts:
            return None
        return b"".join(self._read_chunks(name.lower()))

    def iter_chunks(self, name: str) -> Iterator[bytes]:
        """The chunks of a part, for a caller that only scans it."""
        return self._read_chunks(name.lower())

    def _read_chunks(self, name: str) -> Iterator[bytes]:
        info = self._parts[name]
        if info.flag_bits & _IS_ENCRYPTED:
            raise ContentEncrypted("The document is password-protected.")
        most = max(_FREE, info.compress_size * self._limits.max_unpacked_ratio)
        unpacked = 0
        with _translate_errors(), self._archive.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                unpacked += len(chunk)
                self._room -= len(chunk)
                if self._room < 0:
                    most_bytes = self._limits.max_unpacked_bytes
                    raise ContentTooLarge(
                        f"The document unpacks to more than {most_bytes:,} bytes.",
                        advice="Do not open it unless you trust its author.",
                    )
                if unpacked > most:
                    raise ContentHostile(
                        f"The part {info.filename[:80]} unpacks to more than "
                        f"{self._limits.max_unpacked_ratio} times its size, as bombs do.",
                        advice="Do not open it unless you trust its author.",
                    )
                yield chunk


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn every error of unpacking into one of Assay's."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        OSError,
        IndexError,
        OverflowError,
        UnicodeError,
    ) as error:
        # zipfile raises all of these, depending on the damage.
        raise ContentBroken(f"The document is damaged: it cannot be unpacked ({error}).") from error
