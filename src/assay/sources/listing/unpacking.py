"""Gzip as it arrives, with a limit on what it unpacks to."""

import zlib
from collections.abc import Iterator

from assay.errors import ContentBroken, ContentTooLarge

GZIP = b"\x1f\x8b"
_PIECE = 1 << 18
_BITE = 1 << 16


class GzipUnpacker:
    """Unpacks gzip in pieces of bounded size; plain bytes pass unchanged."""

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes
        self._max_bytes = max_bytes
        self._inflater: zlib._Decompress | None = None
        self._packed: bool | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the unpacked bytes in pieces; each is counted before the next is made."""
        if self._packed is None and data:
            self._packed = data.startswith(GZIP)
        if not self._packed:
            yield self._count_piece(data)
            return
        # In small chunks: the rest of a chunk is copied for every piece that comes out of it.
        for at in range(0, len(data), _BITE):
            yield from self._unpack_pieces(data[at : at + _BITE])

    def _unpack_pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inflater is None:
                if not data.startswith(GZIP[: len(data)]):
                    return  # Padding after the last member is not data.
                self._inflater = zlib.decompressobj(wbits=31)
            try:
                piece = self._inflater.decompress(data, _PIECE)
            except zlib.error as error:
                raise ContentBroken(f"The packed file is damaged: {error}.") from error
            if piece:
                yield self._count_piece(piece)
            data = self._inflater.unconsumed_tail
            if self._inflater.eof:
                data = self._inflater.unused_data
                self._inflater = None

    @property
    def is_cut(self) -> bool:
        """Whether a packed file is truncated."""
        return self._inflater is not None

    def _count_piece(self, piece: bytes) -> bytes:
        self._left -= len(piece)
        if self._left < 0:
            raise ContentTooLarge(f"The listing is larger than {self._max_bytes:,} bytes.")
        return piece
