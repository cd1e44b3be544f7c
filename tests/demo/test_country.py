"""The country serves the corpus byte for byte, under the names of its publishers, day by day."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime

import aiohttp
import pytest
import pytest_asyncio

from assay.demo import DemoServer
from assay.errors import InvalidInput
from assay.packs.regulatory import CORPUS
from assay.packs.regulatory.demo import build_country_demo
from assay.packs.regulatory.demo.country import LAST_DAY, PACK, Country, load_publishers

INTEREST = "ministry.demo.test/objave/zatezne-kamate"


@pytest_asyncio.fixture
async def server() -> AsyncIterator[DemoServer]:
    async with DemoServer(Country()) as running:
        yield running


@pytest_asyncio.fixture
async def client(server: DemoServer) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(server.base_url) as session:
        yield session


def feed_of(country: Country, host: str) -> list[ET.Element]:
    page = country.build_pages()[f"{host}/feed.xml"].with_base(f"http://{host}")
    return ET.fromstring(page.body).findall("channel/item")


def test_every_publisher_has_a_name_a_rank_and_a_feed() -> None:
    assert len(build_country_demo().hosts) == len(load_publishers()) >= 10
    assert all(entry.source.packs == [PACK] for entry in load_publishers())
    ranks = {entry.slug: entry.source.hierarchy for entry in load_publishers()}
    assert (ranks["gazette"], ranks["news"]) == (1, 7)
    for entry in load_publishers():
        assert entry.endpoint.source_slug == entry.source.source_slug
        assert entry.endpoint.url == f"http://{entry.host}/feed.xml"
        assert entry.endpoint.url.startswith(entry.source.base_url)


def test_on_the_last_day_every_document_that_was_not_replaced_is_served() -> None:
    country = Country(LAST_DAY)
    served = {one.document for entry in load_publishers() for one in country.list_served(entry)}
    replaced = {one.replaces for entry in load_publishers() for one in entry.documents} - {None}
    listed = {one.document for entry in load_publishers() for one in entry.documents}
    assert served == listed - replaced
    assert replaced
    files = {
        f"{path.parent.name}/{path.name}"
        for part in ("seen", "unseen")
        for path in (CORPUS / part).iterdir()
        if path.suffix != ".jsonl"
    }
    assert listed == files


def test_documents_are_served_byte_for_byte() -> None:
    country = Country(LAST_DAY)
    pages = country.build_pages()
    for entry in load_publishers():
        for one in country.list_served(entry):
            page = pages[f"{entry.host}{one.path}"].with_base(f"http://{entry.host}")
            assert page.body == (CORPUS / one.document).read_bytes()


def test_the_second_day_adds_and_changes_and_later_days_change_nothing() -> None:
    first, second = Country(1).build_pages(), Country(2).build_pages()
    assert set(first) < set(second)
    assert first[INTEREST].etag != second[INTEREST].etag
    assert first[INTEREST].last_modified != second[INTEREST].last_modified
    assert Country(9).build_pages() == second


def test_a_feed_tells_what_was_published_and_when() -> None:
    for entry in load_publishers():
        items = feed_of(Country(LAST_DAY), entry.host)
        served = {f"http://{entry.host}{one.path}": one for one in entry.list_documents(LAST_DAY)}
        assert {item.findtext("link") for item in items} == set(served)
        for item in items:
            one = served[item.findtext("link") or ""]
            told = parsedate_to_datetime(item.findtext("pubDate") or "")
            assert told.date() == one.published
            title = item.findtext("title") or ""
            assert re.search(r"\w", title)
            assert "\ufffd" not in title


def test_a_part_of_the_country() -> None:
    country = Country(2, frozenset({"seen/pdv-zakon.html"}))
    documents = [path for path in country.build_pages() if not path.endswith("/feed.xml")]
    assert documents == ["gazette.demo.test/sluzbeni/2024/88/1412.html"]
    assert feed_of(country, "news.demo.test") == []
    with pytest.raises(InvalidInput, match=r"no-such\.html"):
        Country(1, frozenset({"seen/no-such.html"}))
    with pytest.raises(ValueError, match="day 0"):
        Country(0)


async def test_one_server_serves_every_site_under_its_own_name(
    server: DemoServer, client: aiohttp.ClientSession
) -> None:
    for key, page in server.site.build_pages().items():
        host = key.partition("/")[0]
        async with client.get(page.path, headers={"Host": host}) as answer:
            assert answer.status == 200
            assert await answer.read() == page.with_base(f"http://{host}").body
            assert answer.headers["Content-Type"] == page.content_type
        known = {"Host": f"{host.upper()}:80", "If-None-Match": page.etag}
        async with client.get(page.path, headers=known) as answer:
            assert answer.status == 304


async def test_a_page_of_one_site_is_on_no_other(client: aiohttp.ClientSession) -> None:
    for host in ("news.demo.test", "other.test", "127.0.0.1"):
        headers = {"Host": host}
        async with client.get("/objave/zatezne-kamate", headers=headers) as answer:
            assert answer.status == 404
