"""robots.txt is asked once, obeyed, and never a way to harm Assay."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AddressRefused, FetchFailed
from assay.sources.robots import parse_robots, select_own_lines
from tests.bad_site import Exchange
from tests.bad_site.behaviours import (
    METADATA,
    redirect,
    redirect_forever,
    refuse_times,
    send_bomb,
    send_endless,
    send_raw,
    serve_page,
    serve_robots,
    take_turns,
)
from tests.bad_site.site import BadSite, Behaviour
from tests.llm.virtual import virtually
from tests.sources.sites import TurnedLoopClock, fetcher_with, site_and_fetcher


def site_with(file: Behaviour) -> dict[str, Behaviour]:
    return {"/robots.txt": file, "/open": serve_page(), "/closed/a": serve_page(b"secret")}


CLOSED = serve_robots("User-agent: *\nDisallow: /closed/\n")


@virtually
async def test_a_closed_address_is_refused_with_the_file_and_the_agent_named() -> None:
    async with site_and_fetcher(site_with(CLOSED)) as (site, fetcher):
        assert (await fetcher.fetch(f"{site.url}/open")).status == 200
        with pytest.raises(AddressRefused) as refused:
            await fetcher.fetch(f"{site.url}/closed/a")
        assert refused.value.what == (
            f"{site.url}/closed/a must not be fetched by the user agent Assay, according to "
            f"{site.url}/robots.txt."
        )
        assert site.requests_for("/closed/a") == []


@virtually
async def test_the_file_is_asked_once_a_day_however_many_ask() -> None:
    clock = TurnedLoopClock()
    async with site_and_fetcher(site_with(CLOSED), clock) as (site, fetcher):
        await asyncio.gather(*(fetcher.fetch(f"{site.url}/open") for _ in range(10)))
        assert len(site.requests_for("/robots.txt")) == 1
        assert site.seen[0].path == "/robots.txt"
        clock.turn(86_300)
        await fetcher.fetch(f"{site.url}/open")
        assert len(site.requests_for("/robots.txt")) == 1
        clock.turn(101)
        await fetcher.fetch(f"{site.url}/open")
        assert len(site.requests_for("/robots.txt")) == 2


@virtually
async def test_nothing_is_asked_where_robots_are_not_respected() -> None:
    async with site_and_fetcher(site_with(CLOSED), respect_robots=False) as (site, fetcher):
        assert (await fetcher.fetch(f"{site.url}/closed/a")).body == b"secret"
        assert site.requests_for("/robots.txt") == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
@virtually
async def test_without_a_file_everything_is_open(status: int) -> None:
    gone = serve_page(b"Disallow: /", status=status)
    async with site_and_fetcher(site_with(gone)) as (site, fetcher):
        assert (await fetcher.fetch(f"{site.url}/closed/a")).status == 200


@pytest.mark.parametrize("status", [500, 503, 429])
@virtually
async def test_while_nobody_can_tell_the_rules_everything_is_closed(status: int) -> None:
    flaky = take_turns(*[serve_page(status=status)] * 3, CLOSED)
    async with site_and_fetcher(site_with(flaky)) as (site, fetcher):
        for _ in range(3):
            with pytest.raises(FetchFailed, match=rf"robots.txt cannot be read .*{status}"):
                await fetcher.fetch(f"{site.url}/open")
        # Three requests in all: who comes within a minute learns from the first one's luck.
        assert len(site.seen) == 3
        await asyncio.sleep(60)
        assert (await fetcher.fetch(f"{site.url}/open")).status == 200


@virtually
async def test_an_older_file_is_believed_while_the_new_one_cannot_be_read() -> None:
    clock = TurnedLoopClock()
    paths = site_with(take_turns(CLOSED, serve_page(status=500)))
    async with site_and_fetcher(paths, clock) as (site, fetcher):
        await fetcher.fetch(f"{site.url}/open")
        clock.turn(100_000)
        assert (await fetcher.fetch(f"{site.url}/open")).status == 200
        with pytest.raises(AddressRefused):
            await fetcher.fetch(f"{site.url}/closed/a")


@virtually
async def test_an_unreachable_site_is_a_passing_fault() -> None:
    async with BadSite() as site, fetcher_with() as fetcher:
        url = f"{site.url}/open"
        await site.__aexit__(None, None, None)
        with pytest.raises(FetchFailed, match="could not be reached"):
            await fetcher.fetch(url)


@virtually
async def test_the_file_is_followed_through_redirects() -> None:
    paths = site_with(redirect("/moved/robots.txt", 301)) | {"/moved/robots.txt": CLOSED}
    async with site_and_fetcher(paths) as (site, fetcher):
        with pytest.raises(AddressRefused, match=r"must not be fetched by the user agent"):
            await fetcher.fetch(f"{site.url}/closed/a")


@virtually
async def test_a_file_that_is_only_redirected_to_does_not_exist() -> None:
    async with site_and_fetcher(site_with(redirect_forever())) as (site, fetcher):
        assert (await fetcher.fetch(f"{site.url}/closed/a")).status == 200


@virtually
async def test_a_file_at_a_private_address_cannot_be_read() -> None:
    async with site_and_fetcher(site_with(redirect(METADATA))) as (site, fetcher):
        with pytest.raises(FetchFailed, match=r"169\.254\.169\.254"):
            await fetcher.fetch(f"{site.url}/open")


@pytest.mark.parametrize(
    "file",
    [
        send_endless(b"# nothing\n" * 1000),
        send_bomb(),
        serve_robots(b"\x00\xff\xfe" * 1000),
        serve_robots("<html>Hi"),
    ],
    ids=["endless", "bomb", "no-text", "a-page"],
)
@virtually
async def test_a_file_of_any_size_and_kind_is_read_within_bounds(file: Behaviour) -> None:
    async with site_and_fetcher(site_with(file)) as (site, fetcher):
        assert (await fetcher.fetch(f"{site.url}/open")).status == 200


@virtually
async def test_rules_beyond_the_first_half_megabyte_are_not_read() -> None:
    long = "User-agent: *\n" + "# nothing\n" * 60_000 + "Disallow: /closed/\n"
    async with site_and_fetcher(site_with(serve_robots(long))) as (site, fetcher):
        assert (await fetcher.fetch(f"{site.url}/closed/a")).status == 200


@virtually
async def test_half_a_rule_at_the_bound_is_no_rule() -> None:
    text = "User-agent: *\nDisallow: /closed/a\nDisallow: /other\n"
    bound = text.index("other")
    async with site_and_fetcher(site_with(serve_robots(text)), robots_max_bytes=bound) as (
        site,
        fetcher,
    ):
        assert (await fetcher.fetch(f"{site.url}/open")).status == 200
        with pytest.raises(AddressRefused):
            await fetcher.fetch(f"{site.url}/closed/a")


@virtually
async def test_a_crawl_delay_is_kept_up_to_a_bound() -> None:
    slow = serve_robots("User-agent: Assay\nCrawl-delay: 7\n")
    async with site_and_fetcher(site_with(slow), host_gap_s=1.0) as (site, fetcher):
        await fetcher.fetch(f"{site.url}/open")
        before = asyncio.get_running_loop().time()
        await fetcher.fetch(f"{site.url}/open")
        assert 6.9 <= asyncio.get_running_loop().time() - before < 8
    absurd = serve_robots("User-agent: *\nCrawl-delay: 1000000\n")
    async with site_and_fetcher(site_with(absurd), max_crawl_delay_s=3.0) as (site, fetcher):
        await fetcher.fetch(f"{site.url}/open")
        before = asyncio.get_running_loop().time()
        await fetcher.fetch(f"{site.url}/open")
        assert 2.9 <= asyncio.get_running_loop().time() - before < 4


@virtually
async def test_asking_for_the_file_is_paced_like_any_request() -> None:
    async with site_and_fetcher(site_with(CLOSED), host_gap_s=5.0) as (site, fetcher):
        await fetcher.fetch(f"{site.url}/open")
        assert asyncio.get_running_loop().time() >= 5


@virtually
async def test_a_stand_in_obeys_its_robots_too() -> None:
    async with BadSite(site_with(CLOSED)) as site:
        async with fetcher_with(allow_private=False, hosts={"a.example": site.url}) as fetcher:
            assert (await fetcher.fetch("http://a.example/open")).status == 200
            assert {seen.headers["host"] for seen in site.seen} == {"a.example"}
            with pytest.raises(AddressRefused, match=r"to http://a\.example/robots\.txt"):
                await fetcher.fetch("http://a.example/closed/a")


@virtually
async def test_every_hop_obeys_the_robots_of_its_own_site() -> None:
    async with BadSite(site_with(CLOSED)) as other:
        paths = {"/go": redirect(f"{other.url}/closed/a")}
        async with site_and_fetcher(paths) as (site, fetcher):
            with pytest.raises(AddressRefused) as refused:
                await fetcher.fetch(f"{site.url}/go")
            assert f"{other.url}/robots.txt" in refused.value.what
            assert f"redirected from {site.url}/go" in refused.value.what
            assert other.requests_for("/closed/a") == []


def test_the_sitemaps_of_the_file_are_told() -> None:
    file = b"Sitemap: https://a.example/one.xml\nUser-agent: x\nsitemap:/two.xml\n"
    assert parse_robots(file).sitemaps == ("https://a.example/one.xml", "/two.xml")


def allowed(text: str, path: str = "/closed/a") -> bool:
    return parse_robots(text.encode()).allows(f"https://a.example{path}")


def test_the_group_for_assay_outranks_the_one_for_everybody() -> None:
    everybody = "User-agent: *\nDisallow: /\n\n"
    assert not allowed(everybody)
    assert allowed(everybody + "User-agent: assay\nAllow: /\n")
    assert allowed(everybody + "User-agent: ASSAY/2.0\nDisallow: /other\n")
    assert not allowed("User-agent: other\nAllow: /\nUser-agent: *\nDisallow: /closed\n")
    assert allowed("User-agent: other\nDisallow: /\n")


def test_agents_that_stand_together_share_their_rules() -> None:
    together = "User-agent: other\n# a word\n\nUser-agent: assay\nUser-agent: third\nDisallow: /\n"
    assert not allowed(together)
    assert allowed("User-agent: assay\nDisallow: /x\nUser-agent: other\nDisallow: /\n")


def test_the_longest_rule_decides_and_stars_and_ends_are_known() -> None:
    text = "\ufeffUser-agent: *\nDisallow: /closed\nAllow: /closed/a$\nDisallow: /*.pdf$\n"
    assert allowed(text)
    assert not allowed(text, "/closed/ab")
    assert not allowed(text, "/x/y.pdf")
    assert allowed(text, "/x/y.pdf?a")


@pytest.mark.parametrize("start", ["sitemap", "user agent", "disallow", "", "user-agent:"])
def test_half_a_megabyte_of_spaces_is_read_in_one_go(start: str) -> None:
    assert allowed("User-agent: *\n" + start + " " * 500_000 + "x y\n")


def test_many_agents_and_many_rules_stay_small() -> None:
    agents = "".join(f"User-agent: a{n}\n" for n in range(15_000))
    text = agents + "User-agent: *\n" + agents + "Disallow: /x\n" * 20_000
    ours, _ = select_own_lines(text)
    assert len(ours) < len(text)
    assert ours.count("User-agent") == 1
    assert not allowed(text, "/x")


@given(
    st.text(alphabet="UserAgent-:*assayDilow/ \n#$%č\x00", max_size=300), st.binary(max_size=200)
)
def test_no_file_crashes(text: str, data: bytes) -> None:
    assert parse_robots(text.encode()).allows("https://a.example/x?y=%zz") in (True, False)
    assert parse_robots(data).allows("https://a.example/\xff") in (True, False)


@virtually
async def test_a_broken_file_is_a_passing_fault() -> None:
    broken = send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *\n")
    async with site_and_fetcher(site_with(take_turns(broken, broken, broken))) as (site, fetcher):
        with pytest.raises(FetchFailed, match=r"robots.txt cannot be read .*middle of its body"):
            await fetcher.fetch(f"{site.url}/open")


@virtually
async def test_who_gives_up_waiting_for_the_file_takes_nobody_along() -> None:
    told = asyncio.Event()

    async def late(exchange: Exchange) -> None:
        await told.wait()
        await CLOSED(exchange)

    async with site_and_fetcher(site_with(late)) as (site, fetcher):
        first = asyncio.create_task(fetcher.fetch(f"{site.url}/open"))
        second = asyncio.create_task(fetcher.fetch(f"{site.url}/open"))
        await asyncio.sleep(1)
        first.cancel()
        told.set()
        assert (await second).status == 200


@virtually
async def test_a_busy_site_is_asked_for_its_file_again() -> None:
    async with site_and_fetcher(site_with(refuse_times(2, status=503, then=CLOSED))) as (
        site,
        fetcher,
    ):
        assert (await fetcher.fetch(f"{site.url}/open")).status == 200
        assert len(site.requests_for("/robots.txt")) == 3
