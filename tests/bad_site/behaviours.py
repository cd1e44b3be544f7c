"""What a site can do to its clients. Each function here creates one behaviour."""

import asyncio
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import parse_qs, urlsplit

from tests.bad_site.site import Behaviour, Exchange

MEGABYTE = 1 << 20
METADATA = "http://169.254.169.254/latest/meta-data/"
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_EMPTY_BLOCK = b"\x00\x00\x00\xff\xff"


def serve_page(
    body: bytes = b"<p>Good day.</p>", *, etag: str | None = None, last_modified: str | None = None,
    headers: Mapping[str, str] | None = None, status: int = 200,
) -> Behaviour:  # fmt: skip
    """A correct page that honours conditional requests."""
    marks = {"ETag": etag, "Last-Modified": last_modified}
    sent = {**{name: value for name, value in marks.items() if value}, **(headers or {})}

    async def behave(exchange: Exchange) -> None:
        asked = exchange.seen.headers
        known = etag is not None and asked.get("if-none-match") == etag
        known |= last_modified is not None and asked.get("if-modified-since") == last_modified
        await (exchange.answer(b"", 304, sent) if known else exchange.answer(body, status, sent))

    return behave


def echo() -> Behaviour:
    """Reports the request as JSON."""

    async def behave(exchange: Exchange) -> None:
        seen = exchange.seen
        request = {"method": seen.method, "path": seen.path, "headers": dict(seen.headers),
                "body": seen.body.decode()}  # fmt: skip
        await exchange.answer(json.dumps(request).encode(), headers={"Content-Type": "text/json"})

    return behave


def redirect(to: str | bytes, status: int = 302) -> Behaviour:
    """Redirects to another address, which may be invalid."""

    async def behave(exchange: Exchange) -> None:
        there = to if isinstance(to, bytes) else to.encode("utf-8")
        await exchange.send(
            b"HTTP/1.1 %d Elsewhere\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (status, there)
        )

    return behave


def redirect_forever() -> Behaviour:
    """Redirects forever, each time to a new address."""

    async def behave(exchange: Exchange) -> None:
        parts = urlsplit(exchange.seen.path)
        step = int(parse_qs(parts.query).get("n", ["0"])[0]) + 1
        await redirect(f"{parts.path}?n={step}")(exchange)

    return behave


def require_cookie() -> Behaviour:
    """Sets a cookie and redirects to itself until the cookie is sent."""

    async def behave(exchange: Exchange) -> None:
        if "cookie" in exchange.seen.headers:
            await exchange.answer(b"<p>Behind the wall.</p>")
            return
        sent = {"Location": exchange.seen.path, "Set-Cookie": "seen=1", "Content-Length": "0"}
        await exchange.send_head(302, sent)

    return behave


def refuse_times(
    times: int, *, status: int = 429, retry_after: str | None = None, then: Behaviour | None = None
) -> Behaviour:
    """Refuses a number of times, and then answers."""
    left = [times]

    async def behave(exchange: Exchange) -> None:
        if left[0] <= 0:
            await (then or serve_page())(exchange)
            return
        left[0] -= 1
        sent = {} if retry_after is None else {"Retry-After": retry_after}
        await exchange.answer(b"Later.\n", status, sent)

    return behave


def drip_body(every_s: float = 1.0, *, drip: bytes = b".") -> Behaviour:
    """Starts a body and drips it, a byte at a time, forever."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send_head(200, {"Content-Type": "text/html"}, close=True)
        while not exchange.site.closing.is_set():
            await exchange.send(drip)
            await asyncio.sleep(every_s)

    return behave


def drip_headers(every_s: float = 1.0) -> Behaviour:
    """Drips headers, and never gets to the body."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\n")
        exchange.closes = True
        while not exchange.site.closing.is_set():
            await exchange.send(b"X-A: b\r\n")
            await asyncio.sleep(every_s)

    return behave


def stall_body(begun: bytes = b"<p>Good") -> Behaviour:
    """Starts a body and then sends nothing more, without hanging up."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send_head(200, {"Content-Length": "100000"}, close=True)
        await exchange.send(begun)
        await exchange.wait_until_closed()

    return behave


def stay_silent() -> Behaviour:
    """Accepts the request and never answers."""
    return Exchange.wait_until_closed


def send_endless(piece: bytes = b"x" * 65_536) -> Behaviour:
    """A body without an end."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send_head(200, {"Transfer-Encoding": "chunked"}, close=True)
        while not exchange.site.closing.is_set():
            await exchange.send_chunk(piece)
            await asyncio.sleep(0)

    return behave


def send_bytewise(body: bytes) -> Behaviour:
    """A body in chunks of one byte, each on its own."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send_head(200, {"Transfer-Encoding": "chunked"}, close=True)
        for byte in body:
            await exchange.send_chunk(bytes([byte]))
            # Whoever reads gets a turn, and finds one byte.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        await exchange.send_chunk(b"")

    return behave


def send_packed_nothing() -> Behaviour:
    """A packed body without an end, which unpacks to nothing at all."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send_head(200, {"Content-Encoding": "gzip"}, close=True)
        await exchange.send(_GZIP_HEAD)
        while not exchange.site.closing.is_set():
            await exchange.send(_EMPTY_BLOCK * 10_000)
            await asyncio.sleep(0)

    return behave


def send_bomb(megabytes: int = 10_240, *, coding: str = "gzip", layers: int = 1) -> Behaviour:
    """A small body that unpacks to many megabytes of zeros; `gzip` or `deflate`."""

    async def behave(exchange: Exchange) -> None:
        sent = {"Content-Encoding": ", ".join([coding] * layers), "Content-Type": "text/html"}
        await exchange.send_head(200, sent, close=True)
        packed = (
            iter_gzipped_zeros(megabytes) if coding == "gzip" else _iter_deflated_zeros(megabytes)
        )
        for _ in range(layers - 1):
            packed = _pack_again(packed)
        for piece in packed:
            await exchange.send(piece)
            # A socket accepts megabytes before it reports that it is full; others wait meanwhile.
            await asyncio.sleep(0)

    return behave


def iter_gzipped_zeros(megabytes: int) -> Iterator[bytes]:
    """A valid gzip file of zeros, made as fast as it can be read."""
    zeros, check = bytes(MEGABYTE), 0
    yield _GZIP_HEAD
    for piece in _iter_zero_blocks(megabytes):
        check = zlib.crc32(zeros, check)
        yield piece
    yield b"\x03\x00" + check.to_bytes(4, "little")
    yield (megabytes * MEGABYTE % (1 << 32)).to_bytes(4, "little")


def _iter_deflated_zeros(megabytes: int) -> Iterator[bytes]:
    yield from _iter_zero_blocks(megabytes)
    yield b"\x03\x00"


def _iter_zero_blocks(megabytes: int) -> Iterator[bytes]:
    # A full flush makes each block independent, so one block can be sent again and again.
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    for _ in range(megabytes):
        yield block


def _pack_again(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for count, piece in enumerate(pieces):
        # Zeros pack so well that without a flush nothing would be sent for seconds.
        yield packer.compress(piece) + (b"" if count % 64 else packer.flush(zlib.Z_SYNC_FLUSH))
    yield packer.flush()


def send_raw(raw: bytes, *, reset: bool = False) -> Behaviour:
    """Sends exactly these bytes, whatever they are, and hangs up."""

    async def behave(exchange: Exchange) -> None:
        exchange.closes = True
        await exchange.send(raw)
        if reset:
            exchange.reset()

    return behave


def take_turns(*behaviours: Behaviour) -> Behaviour:
    """One behaviour after the other; the last one stays."""
    left = list(behaviours)

    async def behave(exchange: Exchange) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(exchange)

    return behave


def serve_robots(text: str | bytes) -> Behaviour:
    """A robots.txt."""
    data = text if isinstance(text, bytes) else text.encode()
    return serve_page(data, headers={"Content-Type": "text/plain"})


def _build_reply(headers: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + headers + b"\r\n" + body


def _compress_gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


_PACKED = _compress_gzip(b"<p>Good day.</p>" * 500)

CATALOGUE: Mapping[str, Callable[[], Behaviour]] = {
    "/good": serve_page,
    "/redirect/endless": redirect_forever,
    "/redirect/self": lambda: redirect("/redirect/self"),
    "/redirect/there": lambda: redirect("/redirect/back"),
    "/redirect/back": lambda: redirect("/redirect/there"),
    "/redirect/private": lambda: redirect(METADATA),
    "/redirect/file": lambda: redirect("file:///etc/passwd"),
    "/redirect/nowhere": lambda: send_raw(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
    "/redirect/odd": lambda: redirect(b"http://[:::/\xff\xfe"),
    "/cookie-wall": require_cookie,
    "/slow/body": drip_body,
    "/slow/headers": drip_headers,
    "/slow/stalled": stall_body,
    "/slow/silent": stay_silent,
    "/large/endless": send_endless,
    "/large/announced": lambda: send_raw(_build_reply(b"Content-Length: 99999999999\r\n", b"<p>")),
    "/bomb/gzip": send_bomb,
    "/bomb/deflate": lambda: send_bomb(coding="deflate"),
    "/bomb/nested": lambda: send_bomb(layers=2),
    "/bomb/nothing": send_packed_nothing,
    "/bomb/layers": lambda: send_bomb(1, layers=9),
    "/packed/unknown": lambda: send_raw(
        _build_reply(b"Content-Encoding: br\r\n", b"\x8b\x02\x80<p>\x03")
    ),
    "/packed/broken": lambda: send_raw(
        _build_reply(b"Content-Encoding: gzip\r\n", b"this is no gzip")
    ),
    "/packed/cut": lambda: send_raw(_build_reply(b"Content-Encoding: gzip\r\n", _PACKED[:-20])),
    "/cut/length": lambda: send_raw(_build_reply(b"Content-Length: 1000\r\n", b"<p>Good")),
    "/cut/chunked": lambda: send_raw(
        _build_reply(b"Transfer-Encoding: chunked\r\n", b"3\r\n<p>\r\n")
    ),
    "/cut/bad-chunk": lambda: send_raw(
        _build_reply(b"Transfer-Encoding: chunked\r\n", b"zz\r\n<p>\r\n0\r\n")
    ),
    "/cut/reset": lambda: send_raw(
        _build_reply(b"Content-Length: 1000\r\n", b"<p>Good"), reset=True
    ),
    "/cut/at-once": lambda: send_raw(b""),
    "/headers/huge": lambda: send_raw(_build_reply(b"X-Huge: " + b"a" * 200_000 + b"\r\n", b"<p>")),
    "/headers/many": lambda: send_raw(_build_reply(b"X-One: a\r\n" * 5_000, b"<p>")),
    "/headers/no-length": lambda: send_raw(_build_reply(b"Content-Length: many\r\n", b"<p>")),
    "/headers/two-lengths": lambda: send_raw(
        _build_reply(b"Content-Length: 3\r\nContent-Length: 5\r\n", b"<p>Go")
    ),
    "/headers/no-text": lambda: send_raw(
        _build_reply(b'ETag: "\xff\xfe"\r\nX-A: \xe8\xe6\r\nContent-Length: 3\r\n', b"<p>")
    ),
    "/headers/charset": lambda: send_raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 6\r\n\r\n"
        + "čćžšđ!".encode("cp1250")
    ),
    "/headers/none": lambda: send_raw(b"HTTP/1.1 200 OK\r\n\r\n<p>Good day.</p>"),
    "/no-http": lambda: send_raw(b"220 mail.example ESMTP ready\r\n"),
    "/busy": lambda: refuse_times(1_000_000, status=503),
    "/busy/for-a-day": lambda: refuse_times(1_000_000, retry_after="86400"),
}
"""Every misbehaviour under its own path, created anew for each site."""


def build_catalogue() -> dict[str, Behaviour]:
    """The paths of a site that shows them all."""
    return {path: make() for path, make in CATALOGUE.items()}
