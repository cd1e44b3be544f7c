"""Faults that may pass are asked about again, as late as the site wishes; others are not."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import FetchFailed
from assay.sources.fetching import Fetcher, FetchPolicy
from assay.sources.retrying import RequestFailed, compute_delay_s, parse_retry_after_s
from tests.bad_site.behaviours import refuse_times, send_raw, serve_page, take_turns
from tests.bad_site.site import BadSite, Behaviour
from tests.llm.virtual import BASE_MS, virtually
from tests.sources.sites import NameBook, TurnedLoopClock, fetcher_with, site_and_fetcher

NOW = 1_700_000_000_000  # Tue, 14 Nov 2023 22:13:20 GMT
RESET = send_raw(b"", reset=True)
CUT = send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")


async def elapsed() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 520])
@virtually
async def test_a_passing_status_is_asked_about_twice_more(status: int) -> None:
    async with site_and_fetcher({"/a": refuse_times(2, status=status)}) as (site, fetcher):
        answer = await fetcher.fetch(f"{site.url}/a")
        assert (answer.status, answer.retries) == (200, 2)
        assert 25 <= await elapsed() < 26
    async with site_and_fetcher({"/a": refuse_times(3, status=status)}) as (site, fetcher):
        with pytest.raises(FetchFailed, match=rf"^{site.url}/a answered {status}\."):
            await fetcher.fetch(f"{site.url}/a")
        assert len(site.requests_for("/a")) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 451])
@virtually
async def test_any_other_status_is_an_answer(status: int) -> None:
    async with site_and_fetcher({"/a": serve_page(b"so be it", status=status)}) as (site, fetcher):
        answer = await fetcher.fetch(f"{site.url}/a")
        assert (answer.status, answer.retries) == (status, 0)
        assert answer.is_gone is (status in (404, 410))
        assert answer.body == (b"" if answer.is_gone else b"so be it")
        assert len(site.requests_for("/a")) == 1


@pytest.mark.parametrize("fault", [RESET, CUT, send_raw(b"")], ids=["reset", "cut", "hung up"])
@virtually
async def test_a_broken_connection_is_tried_again(fault: Behaviour) -> None:
    # A connection that ends without a word is asked on once more at once, as RFC 9112 has it.
    paths = {"/a": take_turns(fault, fault, serve_page(b"whole"))}
    async with site_and_fetcher(paths) as (site, fetcher):
        answer = await fetcher.fetch(f"{site.url}/a")
        assert answer.body == b"whole"
        assert answer.retries > 0


@virtually
async def test_a_site_may_say_when_to_come_back() -> None:
    paths = {"/a": refuse_times(1, retry_after="77"), "/b": serve_page()}
    async with site_and_fetcher(paths) as (site, fetcher):
        first = asyncio.create_task(fetcher.fetch(f"{site.url}/a"))
        await asyncio.sleep(1)
        other = await fetcher.fetch(f"{site.url}/b")
        # What is asked of one is meant for all that ask this host.
        assert 77 <= await elapsed() < 78
        assert (await first).retries == 1
        assert other.retries == 0


@virtually
async def test_a_date_says_it_as_well() -> None:
    date = "Tue, 14 Nov 2023 22:14:20 GMT"
    assert parse_retry_after_s(date, BASE_MS) == 60
    async with site_and_fetcher({"/a": refuse_times(1, retry_after=date)}) as (site, fetcher):
        await fetcher.fetch(f"{site.url}/a")
        assert 59 <= await elapsed() < 62


@virtually
async def test_who_asks_for_too_long_is_left_alone_at_once() -> None:
    clock = TurnedLoopClock()
    paths = {"/a": refuse_times(9, retry_after="3600"), "/b": serve_page()}
    async with site_and_fetcher(paths, clock) as (site, fetcher):
        with pytest.raises(FetchFailed, match=r"may be asked again in 3600 s") as told:
            await fetcher.fetch(f"{site.url}/a")
        assert isinstance(told.value, RequestFailed)
        assert told.value.retry_after_s == 3600
        with pytest.raises(FetchFailed, match=r"/b is not requested: 127.0.0.1 asks for a pause"):
            await fetcher.fetch(f"{site.url}/b")
        assert len(site.requests_for("/a")) == 1
        assert site.requests_for("/b") == []
        clock.turn(3600)
        assert (await fetcher.fetch(f"{site.url}/b")).status == 200


@virtually
async def test_a_stand_in_is_not_waited_for() -> None:
    async with BadSite({"/a": refuse_times(1, status=503, retry_after="60")}) as site:
        async with fetcher_with(allow_private=False, hosts={"a.example": site.url}) as fetcher:
            with pytest.raises(FetchFailed, match="answered 503"):
                await fetcher.fetch("http://a.example/a")
            assert (await fetcher.fetch("http://a.example/a")).status == 200
            assert await elapsed() < 1


@virtually
async def test_no_retries_means_none() -> None:
    async with site_and_fetcher({"/a": refuse_times(1)}, retries=0) as (site, fetcher):
        with pytest.raises(FetchFailed):
            await fetcher.fetch(f"{site.url}/a")
        assert len(site.requests_for("/a")) == 1


@virtually
async def test_a_host_that_nobody_knows_is_not_asked_for_again() -> None:
    names = NameBook({})
    async with Fetcher(FetchPolicy(respect_robots=False), resolver=names) as fetcher:
        with pytest.raises(FetchFailed, match=r"http://nowhere.example/ is on a host that was not"):
            await fetcher.fetch("http://nowhere.example/")
    assert names.asked == ["nowhere.example"]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None), ("", None), ("0", 0), ("120", 120), (" 7 ", 7), ("-5", None), ("1.5", None),
        ("soon", None), ("9" * 5000, 86_400), ("٣", None),
        ("Tue, 14 Nov 2023 22:13:50 GMT", 30), ("Tue, 14 Nov 2023 22:00:00 GMT", 0),
        ("Tuesday, 14-Nov-23 22:13:50 GMT", 30), ("Tue, 99 Nov 2023 22:13:50 GMT", None),
    ],
)  # fmt: skip
def test_what_a_site_may_write_into_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after_s(value, NOW) == seconds


@given(st.text(max_size=60))
def test_nothing_that_it_writes_crashes(value: str) -> None:
    found = parse_retry_after_s(value, NOW)
    assert found is None or found >= 0


@given(st.floats(0, 1, exclude_max=True), st.integers(0, 5))
def test_waits_differ_by_chance_but_not_much(luck: float, retry: int) -> None:
    wanted = (5.0, 20.0)[min(retry, 1)]
    assert wanted * 0.8 <= compute_delay_s(FetchPolicy(), retry, lambda: luck) <= wanted * 1.2
