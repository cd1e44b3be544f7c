"""Every misbehaviour of the catalogue ends in bounded time with one clear error, or an answer."""

import asyncio

import pytest

from assay.errors import AddressRefused, AssayError, ContentError, ContentTooLarge, FetchFailed
from assay.sources.fetching import Fetcher, FetchPolicy
from tests.bad_site.behaviours import (
    CATALOGUE,
    build_catalogue,
    drip_body,
    drip_headers,
    send_bytewise,
    send_endless,
    send_packed_nothing,
    send_raw,
    serve_page,
    stall_body,
    stay_silent,
    take_turns,
)
from tests.bad_site.site import BadSite, Behaviour, serve_in_thread
from tests.llm.virtual import others, virtually
from tests.sources.sites import fetcher_with, site_and_fetcher

ANSWERED = {"/good", "/headers/none", "/headers/no-text", "/headers/charset"}


@pytest.mark.parametrize("path", sorted(CATALOGUE))
@virtually
async def test_every_misbehaviour_ends_in_an_answer_or_one_clear_error(path: str) -> None:
    async with site_and_fetcher(build_catalogue(), max_bytes=1_000_000, timeout_s=12.0) as (
        site,
        fetcher,
    ):
        url = f"{site.url}{path}"
        if path in ANSWERED:
            assert (await fetcher.fetch(url)).status == 200
        else:
            with pytest.raises((FetchFailed, ContentError, AddressRefused)) as told:
                await fetcher.fetch(url)
            assert url in told.value.what
            assert "\n" not in str(told.value)
            assert len(str(told.value)) < 600
        assert asyncio.get_running_loop().time() < 150
        # The fetcher lives.
        if "for-a-day" not in path:
            assert (await fetcher.fetch(f"{site.url}/good")).status == 200


@virtually
async def test_a_body_that_drips_is_given_up_after_ten_seconds() -> None:
    async with site_and_fetcher({"/a": drip_body()}, retries=0) as (site, fetcher):
        before = asyncio.get_running_loop().time()
        with pytest.raises(FetchFailed, match=r"/a came too slowly: \d+ bytes in 10 s"):
            await fetcher.fetch(f"{site.url}/a")
        assert 9 <= asyncio.get_running_loop().time() - before <= 12


@virtually
async def test_a_body_that_comes_steadily_has_its_whole_time() -> None:
    steady = drip_body(2.0, drip=b"x" * 1_000)
    async with site_and_fetcher({"/a": steady}, retries=0) as (site, fetcher):
        before = asyncio.get_running_loop().time()
        with pytest.raises(FetchFailed, match=r"/a was not complete after 30 s"):
            await fetcher.fetch(f"{site.url}/a")
        assert 29 <= asyncio.get_running_loop().time() - before <= 31


@virtually
async def test_a_body_that_stops_is_given_up() -> None:
    async with site_and_fetcher({"/a": stall_body()}, retries=0) as (site, fetcher):
        with pytest.raises(FetchFailed, match=r"/a came too slowly: 0 bytes in 10 s"):
            await fetcher.fetch(f"{site.url}/a")


@pytest.mark.parametrize("behaviour", [stay_silent(), drip_headers()], ids=["silent", "dripping"])
@virtually
async def test_headers_have_the_time_of_a_request(behaviour: Behaviour) -> None:
    async with site_and_fetcher({"/a": behaviour}, retries=0, timeout_s=20) as (site, fetcher):
        before = asyncio.get_running_loop().time()
        with pytest.raises(FetchFailed, match=r"/a did not answer in time"):
            await fetcher.fetch(f"{site.url}/a")
        assert 19 <= asyncio.get_running_loop().time() - before <= 22


@virtually
async def test_size_is_counted_as_it_comes_and_refused_as_it_is_announced() -> None:
    paths = {
        "/endless": send_endless(),
        "/announced": send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5001\r\n\r\n" + b"x" * 5001),
        "/most": serve_page(b"x" * 5000),
    }
    async with site_and_fetcher(paths, max_bytes=5000) as (site, fetcher):
        with pytest.raises(ContentTooLarge, match=r"/endless has more than 5000 bytes"):
            await fetcher.fetch(f"{site.url}/endless")
        with pytest.raises(ContentTooLarge, match=r"/announced announces 5001 bytes"):
            await fetcher.fetch(f"{site.url}/announced")
        assert len((await fetcher.fetch(f"{site.url}/most")).body) == 5000


@virtually
async def test_half_a_body_is_never_an_answer() -> None:
    halves = {
        "/length": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "/chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "/in-chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf",
        "/size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n-5\r\n",
    }
    async with site_and_fetcher({path: send_raw(raw) for path, raw in halves.items()}) as (
        site,
        fetcher,
    ):
        for path in halves:
            with pytest.raises(FetchFailed):
                await fetcher.fetch(f"{site.url}{path}")
            with pytest.raises(FetchFailed):
                async with fetcher.stream(f"{site.url}{path}") as stream:
                    async for _ in stream:
                        pass


@virtually
async def test_a_stream_gives_the_body_in_pieces_within_its_own_bounds() -> None:
    paths = {
        "/a": serve_page(b"x" * 300_000, etag='"1"'),
        "/b": send_endless(),
        "/c": take_turns(stay_silent(), serve_page()),
    }
    async with site_and_fetcher(paths, max_bytes=10, stream_max_bytes=400_000) as (site, fetcher):
        async with fetcher.stream(f"{site.url}/a") as stream:
            assert (stream.head.status, stream.head.etag) == (200, '"1"')
            assert b"".join([chunk async for chunk in stream]) == b"x" * 300_000
        async with fetcher.stream(f"{site.url}/a", etag='"1"') as stream:
            assert stream.head.is_unchanged
            assert [chunk async for chunk in stream] == []
        async with fetcher.stream(f"{site.url}/b") as stream:
            with pytest.raises(ContentTooLarge, match="more than 400000 bytes"):
                async for _ in stream:
                    pass
        before = asyncio.get_running_loop().time()
        async with fetcher.stream(f"{site.url}/c") as stream:
            assert stream.head.retries == 1
        # The headers of a stream have no more time than those of any request.
        assert 30 < asyncio.get_running_loop().time() - before < 40


@virtually
async def test_a_stream_in_chunks_of_one_byte_is_read_in_whole_pieces() -> None:
    """A reader does some work for each piece: a site must not choose how often."""
    body = bytes(range(256)) * 300
    async with site_and_fetcher({"/a": send_bytewise(body)}) as (site, fetcher):
        async with fetcher.stream(f"{site.url}/a") as stream:
            pieces = [piece async for piece in stream]
        assert b"".join(pieces) == body
        assert len(pieces) == 2
        assert (await fetcher.fetch(f"{site.url}/a")).body == body


@virtually
async def test_a_packed_stream_without_an_end_is_counted_as_it_comes() -> None:
    async with site_and_fetcher({"/a": send_packed_nothing()}, stream_max_bytes=400_000) as (
        site,
        fetcher,
    ):
        async with fetcher.stream(f"{site.url}/a") as stream:
            with pytest.raises(ContentTooLarge, match="more than 400000 bytes"):
                async for _ in stream:
                    pass


@virtually
async def test_a_reader_of_a_stream_may_take_its_time() -> None:
    async with site_and_fetcher({"/a": serve_page(b"x" * 3_000_000)}) as (site, fetcher):
        size = 0
        async with fetcher.stream(f"{site.url}/a") as stream:
            async for chunk in stream:
                size += len(chunk)
                await asyncio.sleep(60)
        assert size == 3_000_000


@virtually
async def test_a_stream_that_is_left_early_closes_its_connection_and_its_turn() -> None:
    async with site_and_fetcher({"/a": send_endless()}, host_concurrency=1) as (site, fetcher):
        for _ in range(3):
            async with fetcher.stream(f"{site.url}/a") as stream:
                async for _chunk in stream:
                    break
        with pytest.raises(KeyError):
            async with fetcher.stream(f"{site.url}/a") as stream:
                raise KeyError("the reader's own fault")
        assert len(site.requests_for("/a")) == 4
    assert others() == []


@virtually
async def test_a_request_that_is_cancelled_leaves_nothing_behind() -> None:
    async with site_and_fetcher({"/a": stay_silent(), "/b": serve_page()}, host_concurrency=1) as (
        site,
        fetcher,
    ):
        task = asyncio.create_task(fetcher.fetch(f"{site.url}/a"))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await fetcher.fetch(f"{site.url}/b")).status == 200


def test_a_fetcher_outlives_an_event_loop() -> None:
    with serve_in_thread({"/a": serve_page()}) as site:

        async def both() -> list[int]:
            url = f"{site.url}/a"
            answers = await asyncio.gather(*(fetcher.fetch(url) for _ in range(5)))
            await fetcher.close()
            return [answer.status for answer in answers]

        fetcher = Fetcher(FetchPolicy(allow_private=True, host_gap_s=0.0))
        assert asyncio.run(both()) == asyncio.run(both()) == [200] * 5


@virtually
async def test_a_site_that_is_closed_is_an_error_with_its_address() -> None:
    async with BadSite() as site, fetcher_with(respect_robots=False) as fetcher:
        await site.__aexit__(None, None, None)
        with pytest.raises(AssayError, match=rf"^{site.url}/a could not be reached") as told:
            await fetcher.fetch(f"{site.url}/a")
        assert isinstance(told.value, FetchFailed)
