"""Old Office files: streams in one file that is organized like a disk."""

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import olefile

from assay.errors import ContentBroken, ContentEncrypted
from assay.reading.result import clean_title

MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Compound:
    """An open file of streams."""

    def __init__(self, data: bytes) -> None:
        with _translate_errors():
            self._file = olefile.OleFileIO(io.BytesIO(data))

    def has_stream(self, name: str) -> bool:
        """Whether the file has this stream."""
        with _translate_errors():
            return bool(self._file.exists(name))

    def read_stream(self, name: str) -> bytes | None:
        """The bytes of a stream; None if there is no such stream."""
        if not self.has_stream(name):
            return None
        with _translate_errors():
            return bytes(self._file.openstream(name).read())

    def read_title(self) -> str | None:
        """The title in its properties."""
        try:
            with _translate_errors():
                found = self._file.get_metadata().title
        except ContentBroken:
            return None
        if isinstance(found, bytes):
            found = found.decode("cp1252", errors="replace")
        return clean_title(str(found)) if found else None

    def refuse_encrypted(self) -> None:
        """Raise if the file only wraps another one that is protected by a password."""
        if self.has_stream("EncryptedPackage") or self.has_stream("EncryptionInfo"):
            raise ContentEncrypted("The Office document is password-protected.")


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn every error of a damaged file into one of Assay's."""
    try:
        yield
    except (
        OSError,
        ValueError,
        struct.error,
        IndexError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        # olefile follows whatever a damaged file says, and can fail in all of these ways.
        raise ContentBroken(
            "The Office document is damaged: its streams cannot be read."
        ) from error
