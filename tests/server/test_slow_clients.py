"""Clients that send or read too slowly are dropped; what is malformed is one line of the log."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from assay.app import App
from assay.sdk.web import TRAFFIC, WebLimits, receive_body
from assay.sdk.web_limits import HeldBytes, SharedBuffer
from assay.server import create_app
from tests.server.hostile_requests import get, order, post
from tests.server.sites import listening
from tests.waiting import PATIENCE_S, until_async

QUICK = WebLimits(headers_s=0.2, transfer_s=0.2, connections=20)
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connected(url: str, count: int) -> AsyncIterator[list[Streams]]:
    port = int(url.rpartition(":")[2])
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
    try:
        yield opened
    finally:
        for _, writer in opened:
            writer.transport.abort()


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /hea", get(b"/health", b"X-Slow: y")[:-2], b"GET /health HTTP/1.1\r\n"],
    ids=["nothing", "half a line", "half a header", "no headers"],
)
async def test_slow_headers_are_not_waited_for(empty: App, sent: bytes) -> None:
    async with listening(create_app(empty, limits=QUICK), QUICK) as url, connected(url, 5) as all_:
        for _, writer in all_:
            writer.write(sent)
        async with asyncio.timeout(PATIENCE_S):
            assert [await reader.read() for reader, _ in all_] == [b""] * 5


async def test_slow_bodies_are_not_waited_for(empty: App) -> None:
    made = create_app(empty, limits=QUICK)
    async with listening(made, QUICK) as url, connected(url, 5) as all_:
        for _, writer in all_:
            writer.write(post(order())[:-5])
        async with asyncio.timeout(PATIENCE_S):
            for reader, _ in all_:
                answer = await reader.read()
                assert answer.startswith(b"HTTP/1.1 408") and b"request_too_slow" in answer
        assert made[TRAFFIC].buffer.held == 0


async def test_a_full_house_makes_room_for_new_clients(empty: App) -> None:
    patient = WebLimits(headers_s=PATIENCE_S, connections=10)
    made = create_app(empty, limits=patient)
    async with listening(made, patient) as url, connected(url, 25) as silent:
        async with connected(url, 1) as [(reader, writer)]:
            writer.write(get(b"/health"))
            async with asyncio.timeout(PATIENCE_S):
                assert (await reader.read()).startswith(b"HTTP/1.1 200")
        await until_async(lambda: sum(reader.at_eof() for reader, _ in silent) >= 15)


async def test_clients_that_send_bodies_slowly_make_room_for_others(empty: App) -> None:
    patient = WebLimits(transfer_s=PATIENCE_S, connections=10)
    made = create_app(empty, limits=patient)
    async with listening(made, patient) as url, connected(url, 10) as slow:
        for _, writer in slow:
            writer.write(post(order())[:-5])
        await until_async(lambda: made[TRAFFIC].buffer.held > 9 * 100)
        for _ in range(5):
            async with connected(url, 1) as [(reader, writer)]:
                writer.write(get(b"/health"))
                async with asyncio.timeout(PATIENCE_S):
                    assert (await reader.read()).startswith(b"HTTP/1.1 200")
        # Those that came first have made room.
        await until_async(lambda: slow[0][0].at_eof())
        assert not slow[-1][0].at_eof()
    assert made[TRAFFIC].busy == set()


async def test_a_request_that_is_complete_makes_no_room(empty: App) -> None:
    patient = WebLimits(connections=2)
    made = create_app(empty, limits=patient)
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        await receive_body(request, patient, HeldBytes(SharedBuffer(1000)))
        begun.set()
        await may_end.wait()
        return web.Response(text="done")

    made.router.add_post("/wait", answer)
    sent = b"POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
    async with listening(made, patient) as url, connected(url, 1) as [(reader, writer)]:
        writer.write(sent)
        await begun.wait()
        for _ in range(5):
            async with connected(url, 1) as [(other, asking)]:
                asking.write(get(b"/health"))
                async with asyncio.timeout(PATIENCE_S):
                    assert (await other.read()).startswith(b"HTTP/1.1 200")
        may_end.set()
        async with asyncio.timeout(PATIENCE_S):
            assert await reader.readuntil(b"done")


async def test_bodies_are_refused_when_too_many_bytes_are_held(empty: App) -> None:
    limits = WebLimits(buffered_bytes=1_000)
    made = create_app(empty, limits=limits)
    async with listening(made, limits) as url, connected(url, 1) as [(reader, writer)]:
        writer.write(post(order(name="x" * 999)))
        async with asyncio.timeout(PATIENCE_S):
            answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 503") and b"Try again later" in answer
        assert made[TRAFFIC].buffer.held == 0


MALFORMED = {
    "no HTTP": b"\x00\x01\x02 nothing\r\n\r\n",
    "a TLS handshake": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "an unknown version": b"GET / HTTP/9.9\r\n\r\n",
    "a header without a name": b"GET / HTTP/1.1\r\n: x\r\n\r\n",
    "two lengths": post(b"{}", b"Content-Length: 9\r\n"),
    "many headers": get(b"/health", b"X: y\r\n" * 500),
    "a broken address": b"GET http://[ HTTP/1.1\r\n\r\n",
    "a long header": get(b"/health", b"X: %b\r\n" % (b"y" * 20_000)),
}


@pytest.mark.parametrize("what", MALFORMED)
async def test_a_malformed_request_is_one_line(
    empty: App, what: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("assay"), "propagate", True)
    caplog.set_level(logging.DEBUG)
    async with listening(create_app(empty)) as url, connected(url, 1) as [(reader, writer)]:
        # A valid one first: what comes first on a connection is logged less.
        writer.write(get(b"/health", b""))
        await reader.readuntil(b"}")
        writer.write(MALFORMED[what])
        async with asyncio.timeout(PATIENCE_S):
            assert b" 400 " in await reader.read()
    told = [record for record in caplog.records if "Malformed" in record.getMessage()]
    assert len(told) == 1
    assert told[0].exc_info is None and told[0].levelno == logging.WARNING
    assert re.fullmatch(r"Malformed request: \w+: \w.+", told[0].getMessage())
    assert "400, message" not in told[0].getMessage()
    assert "\n" not in told[0].getMessage()
    assert not any(record.exc_info for record in caplog.records)
