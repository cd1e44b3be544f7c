"""Gigabytes in kilobytes: one block, packed once and used as often as it is wanted."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from tests.bad_site.behaviours import MEGABYTE


@dataclass(frozen=True, slots=True)
class Bulk:
    """So many times one piece, up to a megabyte at a time."""

    piece: bytes
    megabytes: int

    @property
    def block(self) -> bytes:
        return self.piece * (MEGABYTE // len(self.piece))

    @property
    def size(self) -> int:
        """How large it is unpacked."""
        return len(self.block) * self.megabytes

    def deflated(self) -> bytes:
        """Bare deflate, as packages have it."""
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        # After a full flush a block stands for itself, so one can be used again and again.
        packed = packer.compress(self.block) + packer.flush(zlib.Z_FULL_FLUSH)
        return packed * self.megabytes + b"\x03\x00"

    def zlib(self) -> bytes:
        """With the frame that PDF wants."""
        check = 1
        for block in self._blocks():
            check = zlib.adler32(block, check)
        return b"\x78\xda" + self.deflated() + check.to_bytes(4, "big")

    def crc(self) -> int:
        """The check that packages have."""
        check = 0
        for block in self._blocks():
            check = zlib.crc32(block, check)
        return check

    def _blocks(self) -> Iterator[bytes]:
        block = self.block
        for _ in range(self.megabytes):
            yield block
