"""Unpack bodies step by step, so a decompression bomb never grows in memory."""

import zlib
from collections.abc import Iterator, Sequence

from assay.errors import ContentBroken, ContentTooLarge, ContentUnsupported, FetchFailed

ACCEPTED_CODINGS = "gzip, deflate"
"""The codings requested: only those that can be unpacked within limits."""
STEP = 65_536
"""Most bytes that one step returns."""
MOST_LAYERS = 2
"""Some servers pack twice by mistake; more than that is not a mistake."""
_FED = 4_096
_GZIP = 16 + zlib.MAX_WBITS
_MAGIC = b"\x1f\x8b"
_PIECE = 1 << 18
_BITE = 1 << 16
_NAMES = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}


def parse_codings(*headers: str) -> list[str]:
    """The codings to undo, the outermost first, from headers in order of packing."""
    named = [part.strip().lower() for header in headers for part in header.split(",")]
    return [name for name in reversed(named) if name not in ("", "identity", "chunked")]


class BodyUnpacker:
    """Unpacks one body. It never holds or returns more than a step or two at once."""

    def __init__(self, codings: Sequence[str], label: str) -> None:
        if len(codings) > MOST_LAYERS:
            raise ContentUnsupported(f"{label} is compressed {len(codings)} times over.")
        for coding in codings:
            if coding not in _NAMES:
                raise ContentUnsupported(
                    f"{label} is packed as {coding[:40]!r}, though only {ACCEPTED_CODINGS} "
                    "was asked for."
                )
        self._label = label
        self._layers = [_GzipLayer() if _NAMES[c] == "gzip" else _DeflateLayer() for c in codings]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What these bytes unpack to, in small pieces."""
        if not self._layers:
            yield data
            return
        try:
            yield from self._unpack_from(0, data)
        except zlib.error as error:
            raise FetchFailed(f"{self._label} is not compressed correctly: {error}.") from error

    def finish(self) -> None:
        """Refuse a body that ended before its packing did."""
        if any(layer.is_amid for layer in self._layers):
            raise FetchFailed(f"{self._label} ended in the middle of its compressed body.")

    def _unpack_from(self, depth: int, data: bytes) -> Iterator[bytes]:
        if depth == len(self._layers):
            yield data
            return
        for piece in self._layers[depth].unpack(data):
            yield from self._unpack_from(depth + 1, piece)


class _GzipLayer:
    """One gzip layer of any number of members, with garbage after the last, as gzip allows."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(_GZIP)
        self._begun = False
        self._over = False
        self._held = b""

    @property
    def is_amid(self) -> bool:
        return self._begun and not self._over and not self._inner.eof

    def unpack(self, data: bytes) -> Iterator[bytes]:
        # The rest after a member is copied, so little is passed at a time.
        for start in range(0, len(data), _FED):
            yield from self._unpack_step(self._held + data[start : start + _FED])

    def _unpack_step(self, data: bytes) -> Iterator[bytes]:
        self._held = b""
        while data and not self._over:
            if self._inner.eof:
                if _MAGIC.startswith(data):
                    self._held = data
                    return
                if not data.startswith(_MAGIC):
                    self._over = True
                    return
                self._inner = zlib.decompressobj(_GZIP)
            self._begun = True
            yield from _drain(self._inner, data)
            data = self._inner.unused_data


class _DeflateLayer:
    """One deflate layer, with or without the wrapper that the standard requires."""

    def __init__(self) -> None:
        self._inner: zlib._Decompress | None = None
        self._held = b""

    @property
    def is_amid(self) -> bool:
        return bool(self._held) or (self._inner is not None and not self._inner.eof)

    def unpack(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None:
            data = self._held + data
            if len(data) < 2:
                self._held = data
                return
            self._held = b""
            wrapped = data[0] & 0x0F == 8 and int.from_bytes(data[:2]) % 31 == 0
            self._inner = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        if not self._inner.eof:
            yield from _drain(self._inner, data)


def _drain(inner: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    """Everything that these bytes unpack to, a step at a time."""
    while True:
        piece = inner.decompress(data, STEP)
        if piece:
            yield piece
        data = inner.unconsumed_tail
        # A full step may have left more inside although all input is consumed.
        if inner.eof or (not data and len(piece) < STEP):
            return


class GzipUnpacker:
    """Unpacks gzip in pieces of bounded size; plain bytes pass unchanged."""

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes
        self._max_bytes = max_bytes
        self._inflater: zlib._Decompress | None = None
        self._packed: bool | None = None
        self._held = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the unpacked bytes in pieces; each is counted before the next is made."""
        if self._packed is None:
            data, self._held = self._held + data, b""
            if len(data) < len(_MAGIC) and _MAGIC.startswith(data):
                self._held = data  # One byte is too little to recognise the format.
                return
            self._packed = data.startswith(_MAGIC)
        if not self._packed:
            yield self._count_piece(data)
            return
        # In small chunks: the rest of a chunk is copied for every piece that comes out of it.
        for at in range(0, len(data), _BITE):
            yield from self._unpack_pieces(data[at : at + _BITE])

    def _unpack_pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inflater is None:
                if not data.startswith(_MAGIC[: len(data)]):
                    return  # Padding after the last member is not data.
                self._inflater = zlib.decompressobj(wbits=31)
            try:
                piece = self._inflater.decompress(data, _PIECE)
            except zlib.error as error:
                raise ContentBroken(f"The compressed file is damaged: {error}.") from error
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
