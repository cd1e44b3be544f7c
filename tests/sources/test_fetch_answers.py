"""What is asked is honest, and what is answered can be kept."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import __version__
from assay.errors import AssayError, InvalidInput
from assay.sources.fetching import Fetcher, FetchPolicy
from assay.sources.pacing import Pace
from assay.sources.responses import charset_of, clean_validator
from tests.bad_site.behaviours import echo, send_raw, serve_page
from tests.bad_site.site import BadSite
from tests.llm.virtual import virtually
from tests.sources.sites import NameBook, fetcher_with, site_and_fetcher

DATE = "Tue, 14 Nov 2023 22:13:20 GMT"


async def asked(fetcher: Fetcher, url: str, **given_: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((await fetcher.fetch(url, **given_)).body)
    return told


@virtually
async def test_the_user_agent_says_who_asks_and_where_to_complain() -> None:
    async with site_and_fetcher({"/a": echo()}, contact="https://assay.example/bot") as (
        site,
        fetcher,
    ):
        headers = (await asked(fetcher, f"{site.url}/a"))["headers"]
        assert headers["user-agent"] == f"Assay/{__version__} (+https://assay.example/bot)"
        assert "cookie" not in headers
        assert {seen.headers["user-agent"] for seen in site.seen} == {headers["user-agent"]}
    assert FetchPolicy().user_agent("1.2") == "Assay/1.2"


@pytest.mark.parametrize("etag", ['"strong"', 'W/"weak"', "unquoted", '"a b c"'])
@virtually
async def test_validators_are_sent_back_as_they_came(etag: str) -> None:
    paths = {"/a": serve_page(b"text", etag=etag, last_modified=DATE)}
    async with site_and_fetcher(paths) as (site, fetcher):
        first = await fetcher.fetch(f"{site.url}/a")
        assert (first.etag, first.last_modified, first.is_unchanged) == (etag, DATE, False)
        again = await fetcher.fetch(
            f"{site.url}/a", etag=first.etag, last_modified=first.last_modified
        )
        assert (again.is_unchanged, again.body) == (True, b"")
        sent = site.requests_for("/a")[1].headers
        assert (sent["if-none-match"], sent["if-modified-since"]) == (etag, DATE)
        by_date = await fetcher.fetch(f"{site.url}/a", last_modified=DATE)
        assert by_date.is_unchanged


@virtually
async def test_validators_that_cannot_be_sent_are_left_out() -> None:
    async with site_and_fetcher({"/a": echo()}) as (site, fetcher):
        told = await asked(fetcher, f"{site.url}/a", etag='"a"\r\nX-Evil: 1', last_modified="č")
        assert not {"if-none-match", "if-modified-since", "x-evil"} & set(told["headers"])


@virtually
async def test_a_question_may_carry_json_and_headers() -> None:
    async with site_and_fetcher({"/a": echo()}) as (site, fetcher):
        told = await asked(
            fetcher, f"{site.url}/a?x=%20y", json={"part": "SL"}, accept="application/json",
            headers={"X-Key": "k"},
        )  # fmt: skip
        assert (told["method"], told["body"]) == ("POST", '{"part": "SL"}')
        assert told["path"] == "/a?x=%20y"
        wanted = {"accept": "application/json", "x-key": "k", "content-type": "application/json"}
        assert wanted.items() <= told["headers"].items()
        empty = await asked(fetcher, f"{site.url}/a", json={})
        assert (empty["method"], empty["body"]) == ("POST", "{}")
        plain = await asked(fetcher, f"{site.url}/a")
        assert (plain["method"], plain["headers"]["accept"]) == ("GET", "*/*")


@pytest.mark.parametrize(
    "headers",
    [{"X": "a\r\nb"}, {"X\n": "a"}, {"": "a"}, {"Host": "evil"}, {"cookie": "a=b"},
     {"User-Agent": "Mozilla"}, {"X": "č"}],
)  # fmt: skip
async def test_headers_that_would_lie_or_break_are_refused(headers: dict[str, str]) -> None:
    async with fetcher_with() as fetcher:
        with pytest.raises(InvalidInput, match=r"Header .* cannot be given for http://a.example/"):
            await fetcher.fetch("http://a.example/", headers=headers)


async def test_what_is_no_json_is_refused() -> None:
    async with fetcher_with() as fetcher:
        with pytest.raises(InvalidInput, match="cannot be written as JSON"):
            await fetcher.fetch("http://a.example/", json={"a": object()})


@virtually
async def test_cookies_are_never_kept() -> None:
    paths = {"/a": serve_page(headers={"Set-Cookie": "a=b; Path=/"}), "/b": echo()}
    async with site_and_fetcher(paths) as (site, fetcher):
        await fetcher.fetch(f"{site.url}/a")
        assert "cookie" not in (await asked(fetcher, f"{site.url}/b"))["headers"]


@virtually
async def test_headers_that_are_no_text_do_no_harm() -> None:
    raw = (
        b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset="Windows-1250" \xff\r\n'
        b'ETag: "\xe8"\r\nLast-Modified: ' + b"x" * 2000 + b"\r\nContent-Length: 2\r\n\r\nok"
    )
    async with site_and_fetcher({"/a": send_raw(raw)}) as (site, fetcher):
        answer = await fetcher.fetch(f"{site.url}/a")
        assert (answer.body, answer.charset) == (b"ok", "windows-1250")
        assert (answer.etag, answer.last_modified) == (None, None)
        answer.content_type.encode()


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("", None), ("text/html", None), ("text/html; charset=utf-8", "utf-8"),
        ("text/html;CHARSET='ISO-8859-2'; x=y", "iso-8859-2"), ("text/html; charset=", None),
        ('text/html; charset="utf-8', "utf-8"), ("charset = cp1250", "cp1250"),
    ],
)  # fmt: skip
def test_a_charset_is_read_from_the_header(content_type: str, charset: str | None) -> None:
    assert charset_of(content_type) == charset


@given(st.one_of(st.none(), st.text(max_size=30)))
def test_only_what_can_be_sent_back_is_a_validator(value: str | None) -> None:
    kept = clean_validator(value)
    assert kept is None or (kept == value and kept.isascii() and kept.isprintable() and kept)


@virtually
async def test_connections_are_used_again() -> None:
    async with site_and_fetcher({"/a": serve_page(), "/b": serve_page(status=500)}, retries=0) as (
        site,
        fetcher,
    ):
        for _ in range(10):
            await fetcher.fetch(f"{site.url}/a")
        assert site.connections == 1


@virtually
async def test_a_host_has_no_more_requests_at_a_time_than_it_may() -> None:
    async def busy_page(exchange: Any) -> None:
        await asyncio.sleep(1)
        await exchange.answer(b"ok")

    async with site_and_fetcher({"/a": busy_page}, host_concurrency=3) as (site, fetcher):
        await asyncio.gather(*(fetcher.fetch(f"{site.url}/a") for _ in range(12)))
        assert site.most_open == 3


@settings(deadline=None)
@given(st.text(max_size=40))
def test_no_address_crashes_a_fetcher(text: str) -> None:
    async def ask() -> None:
        policy = FetchPolicy(allow_private=False, retries=0)
        async with Fetcher(policy, resolver=NameBook({})) as fetcher:
            with pytest.raises(AssayError):
                await fetcher.fetch(f"http://127.0.0.1{text}/")

    asyncio.run(ask())


@virtually
async def test_a_stand_in_has_no_gap_and_keeps_its_name() -> None:
    async with BadSite({"/a": echo()}) as site:
        hosts = {"Gazette.Example": site.url}
        async with fetcher_with(allow_private=False, host_gap_s=60.0, hosts=hosts) as fetcher:
            for _ in range(3):
                told = await asked(fetcher, "https://gazette.example/a")
                assert told["headers"]["host"] == "gazette.example"
            assert asyncio.get_running_loop().time() < 10


@virtually
async def test_hosts_of_one_vendor_share_a_pace() -> None:
    async with site_and_fetcher({"/": serve_page()}, respect_robots=False) as (site, fetcher):
        loop, ends = asyncio.get_running_loop(), []
        start = loop.time()

        async def ask(pace: Pace | None) -> None:
            await fetcher.fetch(f"{site.url}/", pace=pace)
            ends.append((round(loop.time() - start), pace is not None))

        await asyncio.gather(*(ask(Pace("vendor", 4.0)) for _ in range(3)), ask(None))
    assert sorted(ends) == [(0, False), (0, True), (4, True), (8, True)]
