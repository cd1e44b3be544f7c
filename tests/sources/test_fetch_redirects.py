"""Redirects: bounded, checked at each hop, and told."""

import json
from collections.abc import Mapping

import pytest

from assay.errors import AddressRefused, FetchFailed, InvalidInput
from assay.sources.redirects import RedirectChain
from tests.bad_site.behaviours import (
    echo,
    redirect,
    redirect_forever,
    require_cookie,
    send_raw,
    serve_page,
)
from tests.bad_site.site import BadSite
from tests.llm.virtual import virtually
from tests.sources.sites import fetcher_with, site_and_fetcher


def journey(url: str, validators: Mapping[str, str] | None = None) -> RedirectChain:
    return RedirectChain(
        url, headers={}, validators=validators or {}, own_headers={}, body=None, max_redirects=5
    )


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@virtually
async def test_a_redirect_is_followed_and_told(status: int) -> None:
    paths = {"/old/a": redirect("../new?x=1#part", status), "/new": serve_page(b"here", etag='"n"')}
    async with site_and_fetcher(paths) as (site, fetcher):
        answer = await fetcher.fetch(f"{site.url}/old/a")
        assert (answer.status, answer.body, answer.etag) == (200, b"here", '"n"')
        assert answer.url == f"{site.url}/old/a"
        assert answer.final_url == f"{site.url}/new?x=1"
        assert (answer.redirects, answer.downgraded) == (1, False)


@virtually
async def test_five_hops_are_followed_and_a_sixth_is_not() -> None:
    paths = {f"/{n}": redirect(f"/{n + 1}") for n in range(5)} | {"/5": serve_page(b"there")}
    async with site_and_fetcher(paths) as (site, fetcher):
        answer = await fetcher.fetch(f"{site.url}/0")
        assert (answer.body, answer.redirects) == (b"there", 5)
    async with site_and_fetcher({"/a": redirect_forever()}) as (site, fetcher):
        with pytest.raises(FetchFailed, match=r"/a redirects more than 5 times, .*n=6"):
            await fetcher.fetch(f"{site.url}/a")
        assert len(site.requests_for("/a")) == 6


@virtually
async def test_a_circle_is_found_at_once() -> None:
    paths = {"/a": redirect("/b"), "/b": redirect("/a"), "/self": redirect("#again")}
    async with site_and_fetcher(paths | {"/wall": require_cookie()}) as (site, fetcher):
        with pytest.raises(FetchFailed, match=r"/a redirects in a circle, back to .*/a\."):
            await fetcher.fetch(f"{site.url}/a")
        with pytest.raises(FetchFailed, match=r"/self redirects in a circle"):
            await fetcher.fetch(f"{site.url}/self")
        with pytest.raises(FetchFailed, match=r"circle.* cookies, which Assay never keeps"):
            await fetcher.fetch(f"{site.url}/wall")
        assert len(site.seen) == 5  # with the robots.txt


@pytest.mark.parametrize(
    "there",
    [
        "http://169.254.169.254/latest/meta-data/", "http://127.0.0.2/", "http://[::1]/",
        "http://localhost/", "http://2130706433/", "file:///etc/passwd", "ftp://a.example/",
        "gopher://a.example/", "javascript:alert(1)", "http://u:p@a.example/",
        "http://a.example:22/", "http://blocked.example/", "//[::ffff:10.0.0.1]/",
    ],
)  # fmt: skip
@virtually
async def test_a_redirect_leads_nowhere_that_a_request_may_not_go(there: str) -> None:
    async with site_and_fetcher({"/a": redirect(there)}, blocked_hosts=("blocked.example",)) as (
        site,
        fetcher,
    ):
        with pytest.raises(AddressRefused) as refused:
            await fetcher.fetch(f"{site.url}/a")
        assert f"{site.url}/a" in refused.value.what
        assert "u:p" not in refused.value.what


@virtually
async def test_a_redirect_to_nothing_is_a_fault() -> None:
    paths = {
        "/a": send_raw(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
        "/b": redirect(""),
        "/c": redirect(b"http://[\xff"),
        "/d": redirect(b"/\xe8\xe6?\xff"),
        "/%E8%E6?%FF": serve_page(),
    }
    async with site_and_fetcher(paths) as (site, fetcher):
        for path in ("/a", "/b"):
            with pytest.raises(FetchFailed, match=r"answered 302 without saying where to go"):
                await fetcher.fetch(f"{site.url}{path}")
        with pytest.raises(FetchFailed, match="redirects to something that is not an address"):
            await fetcher.fetch(f"{site.url}/c")
        assert (await fetcher.fetch(f"{site.url}/d")).final_url == f"{site.url}/%E8%E6?%FF"


@virtually
async def test_statuses_that_send_nowhere_are_answers() -> None:
    async with site_and_fetcher({"/a": serve_page(status=300), "/b": serve_page(status=305)}) as (
        site,
        fetcher,
    ):
        assert (await fetcher.fetch(f"{site.url}/a")).status == 300
        assert (await fetcher.fetch(f"{site.url}/b")).status == 305


@virtually
async def test_what_is_meant_for_one_site_is_not_told_to_the_next() -> None:
    async with BadSite({"/b": echo()}) as other:
        paths = {"/a": redirect(f"{other.url}/b"), "/c": redirect("/d"), "/d": echo()}
        async with site_and_fetcher(paths) as (site, fetcher):
            key = {"X-Key": "secret"}
            elsewhere = await fetcher.fetch(f"{site.url}/a", headers=key, etag='W/"1"')
            told = json.loads(elsewhere.body)["headers"]
            assert not {"x-key", "if-none-match"} & set(told)
            same = await fetcher.fetch(f"{site.url}/c", headers=key, etag='W/"1"')
            told = json.loads(same.body)["headers"]
            assert (told["x-key"], told["if-none-match"]) == ("secret", 'W/"1"')


@virtually
async def test_validators_are_for_the_site_that_gave_them() -> None:
    """A site must not learn what another one says of its page, nor speak for it."""
    date = "Wed, 01 Jul 2026 10:00:00 GMT"
    async with BadSite({"/b": serve_page(b"there", etag='"b"', last_modified=date)}) as other:
        async with site_and_fetcher({"/a": redirect(f"{other.url}/b")}) as (site, fetcher):
            first = await fetcher.fetch(f"{site.url}/a")
            assert (first.etag, first.last_modified) == (None, None)
            again = await fetcher.fetch(f"{site.url}/a", etag='"b"', last_modified=date)
            assert (again.status, again.body, again.is_unchanged) == (200, b"there", False)
            asked = {"if-none-match", "if-modified-since"}
            assert [asked & set(seen.headers) for seen in other.requests_for("/b")] == [set()] * 2
            # A way back does not bring them back.
            site.paths["/c"] = redirect(f"{other.url}/d")
            site.paths["/e"] = echo()
            other.paths["/d"] = redirect(f"{site.url}/e")
            back = await fetcher.fetch(f"{site.url}/c", etag='"a"')
            assert "if-none-match" not in json.loads(back.body)["headers"]


@virtually
async def test_only_a_site_that_was_asked_can_say_that_nothing_changed() -> None:
    async with BadSite({"/b": serve_page(b"", status=304)}) as other:
        paths = {"/a": redirect(f"{other.url}/b"), "/c": serve_page(b"", status=304)}
        async with site_and_fetcher(paths) as (site, fetcher):
            elsewhere = await fetcher.fetch(f"{site.url}/a", etag='"a"')
            assert (elsewhere.status, elsewhere.is_unchanged) == (304, False)
            assert not (await fetcher.fetch(f"{site.url}/c")).is_unchanged
            assert (await fetcher.fetch(f"{site.url}/c", etag='"a"')).is_unchanged


@pytest.mark.parametrize(
    ("start", "there", "kept"),
    [
        ("http://a.example/", "https://a.example/x", True),
        ("http://a.example:8080/", "https://a.example/x", False),
        ("http://a.example/", "https://a.example:8443/x", False),
        ("http://a.example/", "https://b.example/x", False),
        ("https://a.example/", "http://a.example/x", False),
        ("https://a.example/", "https://a.example:443/x", True),
    ],
)
def test_validators_stay_with_a_host_that_moves_to_https(
    start: str, there: str, kept: bool
) -> None:
    way = journey(start, {"If-None-Match": '"1"'})
    way.follow(there, 301)
    assert ("If-None-Match" in way.build_headers()) is way.is_conditional is kept
    assert way.has_left_site is not kept


@pytest.mark.parametrize(("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"),
                                                (307, "POST"), (308, "POST")])  # fmt: skip
@virtually
async def test_a_question_with_a_body_keeps_it_only_where_it_must(status: int, method: str) -> None:
    paths = {"/a": redirect("/b", status), "/b": echo()}
    async with site_and_fetcher(paths) as (site, fetcher):
        told = json.loads((await fetcher.fetch(f"{site.url}/a", json={"page": 1})).body)
        assert told["method"] == method
        assert told["body"] == ('{"page": 1}' if method == "POST" else "")
        assert ("content-type" in told["headers"]) is (method == "POST")


def test_a_step_down_from_https_is_taken_and_told() -> None:
    way = journey("https://a.example/")
    way.follow("http://a.example/", 302)
    assert way.downgraded
    way.follow("https://a.example/b", 302)
    assert way.downgraded
    other = journey("http://a.example/")
    other.follow("https://a.example/", 301)
    assert not other.downgraded


@virtually
async def test_a_stand_in_may_send_to_itself_but_not_to_its_inner_address() -> None:
    async with BadSite({"/b": serve_page()}) as site:
        site.paths["/a"] = redirect("http://a.example/b")
        site.paths["/c"] = redirect(f"{site.url}/b")
        async with fetcher_with(allow_private=False, hosts={"a.example": site.url}) as fetcher:
            assert (await fetcher.fetch("https://a.example/a")).final_url == "http://a.example/b"
            with pytest.raises(AddressRefused, match="a loopback address"):
                await fetcher.fetch("http://a.example/c")


async def test_an_address_that_is_none_is_invalid_input() -> None:
    async with fetcher_with() as fetcher:
        for url in ("", "nonsense", "ftp://a.example/", "http://[", "http://a.example/\ud800"):
            with pytest.raises(InvalidInput):
                await fetcher.fetch(url)
