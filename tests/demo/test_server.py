"""The demo server answers as a good site does, and misbehaves as told."""

from __future__ import annotations

import asyncio
import http.client
import socket
import time
import urllib.error
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio

from assay.demo import DemoServer, SiteFault, serve_in_thread
from tests.gazette.world import World
from tests.waiting import AGES_S, PATIENCE_S, until_async

SITEMAP = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
CONTACT = "/info/kontakt.html"


@pytest_asyncio.fixture
async def server() -> AsyncIterator[DemoServer]:
    async with DemoServer(World()) as running:
        yield running


@pytest_asyncio.fixture
async def client(server: DemoServer) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(server.base_url) as session:
        yield session


async def test_every_page_is_served_byte_for_byte(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    pages = server.site.build_pages()
    for path, page in pages.items():
        async with client.get(path) as answer:
            assert answer.status == 200
            assert await answer.read() == page.with_base(server.base_url).body
            assert answer.headers["Content-Type"] == page.content_type
            assert answer.headers["ETag"] == page.etag
            assert answer.headers["Last-Modified"] == page.last_modified
    assert server.requests == len(pages)


async def test_absolute_addresses_follow_the_host_header(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    for host in ("gazette.example", "gazette.example:8080"):
        async with client.get("/sitemap.xml", headers={"Host": host}) as answer:
            root = ET.fromstring(await answer.text())
        addresses = [loc.text or "" for loc in root.iterfind("s:url/s:loc", SITEMAP)]
        assert len(addresses) == 60
        assert all(address.startswith(f"http://{host}/") for address in addresses)
        async with client.get("/robots.txt", headers={"Host": host}) as answer:
            assert f"Sitemap: http://{host}/sitemap.xml" in await answer.text()


async def test_addresses_in_the_sitemap_lead_somewhere(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    async with client.get("/sitemap.xml") as answer:
        root = ET.fromstring(await answer.text())
    for loc in root.iterfind("s:url/s:loc", SITEMAP):
        async with client.get(loc.text or "") as answer:
            assert answer.status == 200


async def test_a_host_that_is_no_host_is_refused(client: aiohttp.ClientSession) -> None:
    async with client.get("/sitemap.xml", headers={"Host": "<evil>"}) as answer:
        assert answer.status == 400


@pytest.mark.parametrize("pattern", ["{}", "W/{}", '"other", {}', "*"])
async def test_a_known_tag_is_answered_with_304(
    client: aiohttp.ClientSession, pattern: str
) -> None:
    etag = World().build_pages()[CONTACT].etag
    headers = {"If-None-Match": pattern.format(etag)}
    async with client.get(CONTACT, headers=headers) as answer:
        assert answer.status == 304
        assert await answer.read() == b""
        assert answer.headers["ETag"] == etag


async def test_an_unknown_tag_outranks_a_known_date(client: aiohttp.ClientSession) -> None:
    modified = World().build_pages()[CONTACT].last_modified
    headers = {"If-None-Match": '"other"', "If-Modified-Since": modified}
    async with client.get(CONTACT, headers=headers) as answer:
        assert answer.status == 200


async def test_dates_decide_when_there_is_no_tag(client: aiohttp.ClientSession) -> None:
    modified = World().build_pages()[CONTACT].last_modified
    for since, status in (
        (modified, 304),
        ("Mon, 01 Jan 2001 00:00:00 GMT", 200),
        ("not a date", 200),
    ):
        async with client.get(CONTACT, headers={"If-Modified-Since": since}) as answer:
            assert answer.status == status


async def test_unknown_addresses_and_methods(client: aiohttp.ClientSession) -> None:
    async with client.get("/acts/1999/0001.html") as answer:
        assert answer.status == 404
    async with client.post("/") as answer:
        assert answer.status == 405
    async with client.head("/") as answer:
        assert answer.status == 200
        assert int(answer.headers["Content-Length"]) > 0


async def test_show_changes_the_world_while_serving(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    before, after = World().build_pages(), World(day=2)
    changes = after.changes()
    server.show(after)
    expected = dict.fromkeys(changes.added, 200) | dict.fromkeys(changes.removed, 404)
    for path in (*changes.amended, *changes.noisy):
        expected[path] = 200
    for path, status in expected.items():
        tag = before[path].etag if path in before else '"none"'
        async with client.get(path, headers={"If-None-Match": tag}) as answer:
            assert answer.status == status


async def test_a_fault_ends_after_its_times(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    server.faults[CONTACT] = SiteFault(status=503, times=2, retry_after_s=7)
    seen = []
    for _ in range(3):
        async with client.get(CONTACT) as answer:
            seen.append((answer.status, answer.headers.get("Retry-After")))
        async with client.get("/") as other:
            assert other.status == 200
    assert seen == [(503, "7"), (503, "7"), (200, None)]
    assert server.faults == {}


async def test_a_fault_without_times_stays(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    server.faults["/nowhere"] = SiteFault(status=410)
    for _ in range(3):
        async with client.get("/nowhere") as answer:
            assert answer.status == 410


async def test_a_late_answer_is_late_and_whole(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    server.faults["/"] = SiteFault(delay_s=0.2, times=1)
    started = time.monotonic()
    async with client.get("/") as answer:
        assert await answer.read() == server.site.build_pages()["/"].body
    assert time.monotonic() - started >= 0.2


async def test_a_very_late_answer_does_not_hold_up_the_end() -> None:
    async with asyncio.timeout(PATIENCE_S):
        async with DemoServer(World()) as server, aiohttp.ClientSession(server.base_url) as client:
            server.faults["/"] = SiteFault(delay_s=AGES_S, times=1)
            asking = asyncio.create_task(client.get("/"))
            await until_async(lambda: not server.faults)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
    assert server.requests == 1


async def test_a_cut_answer_promises_more_than_it_sends(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    server.faults[CONTACT] = SiteFault(cut_after=100, times=1)
    whole = server.site.build_pages()[CONTACT].body
    async with client.get(CONTACT) as answer:
        assert answer.status == 200
        assert int(answer.headers["Content-Length"]) == len(whole)
        with pytest.raises(aiohttp.ClientPayloadError):
            await answer.read()
    async with client.get(CONTACT) as answer:
        assert await answer.read() == whole


async def test_a_cut_answer_sends_exactly_its_bytes(server: DemoServer) -> None:
    server.faults[CONTACT] = SiteFault(cut_after=100)
    address = urlsplit(server.base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(f"GET {CONTACT} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
    raw = await reader.read()
    writer.close()
    await writer.wait_closed()
    assert raw.partition(b"\r\n\r\n")[2] == server.site.build_pages()[CONTACT].body[:100]


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": 42},
        {"times": 0},
        {"delay_s": -1.0},
        {"cut_after": -1},
        {"retry_after_s": 5},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"fault|cannot|needs a status"):
        SiteFault(**wrong)  # type: ignore[arg-type]


def test_only_loopback_is_served() -> None:
    with pytest.raises(ValueError, match="loopback"):
        DemoServer(World(), host="0.0.0.0")


async def test_the_socket_is_bound_to_loopback_alone(server: DemoServer) -> None:
    address = urlsplit(server.base_url)
    assert address.hostname == "127.0.0.1"
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.2", address.port or 0)) != 0


def test_there_is_no_address_before_the_context() -> None:
    with pytest.raises(RuntimeError, match="enter its context"):
        _ = DemoServer(World()).base_url


def test_serves_from_a_thread_and_shows_another_day() -> None:
    with serve_in_thread(World()) as server:
        added = World(day=2).changes().added[0]
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(server.base_url + added)
        assert refused.value.code == 404
        refused.value.close()
        server.show(World(day=2))
        with urllib.request.urlopen(server.base_url + added) as answer:
            assert answer.read() == World(day=2).build_pages()[added].body
        server.faults["/"] = SiteFault(cut_after=10, times=1)
        with urllib.request.urlopen(server.base_url) as answer:
            with pytest.raises(http.client.IncompleteRead):
                answer.read()
        assert server.requests == 3
        address = urlsplit(server.base_url)
    with socket.socket() as probe:
        assert probe.connect_ex((str(address.hostname), address.port or 0)) != 0


def test_a_thread_that_cannot_serve_says_so() -> None:
    with serve_in_thread(World()) as server:
        taken = urlsplit(server.base_url).port or 0
        with pytest.raises(OSError), serve_in_thread(World(), port=taken):
            pass
