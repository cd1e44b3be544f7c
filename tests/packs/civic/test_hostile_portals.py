"""Portals that answer with errors, garbage, endless lists and giant files."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.engine.process_pool import ProcessPool
from assay.errors import AssayError, FetchFailed
from assay.model.records import Endpoint, Source
from assay.packs.civic import pack
from assay.packs.civic.jobs import make_endpoint_id
from assay.packs.civic.portals import PORTALS
from assay.packs.civic.records import City, SyncResult
from assay.sources.fetching import Fetcher, FetchPolicy
from assay.sources.portals import LONGEST_CHAIN, Portal, build_first_requests, read_portal_answer
from assay.spine.listing_fetcher import ListingFetcher
from assay.store import tables as t
from tests.bad_site import serve_in_thread
from tests.bad_site.behaviours import serve_page
from tests.bad_site.site import Behaviour, Exchange
from tests.conftest import quick_settings
from tests.packs.civic.portals.sites.model import SiteMeeting
from tests.packs.civic.springfield import stored
from tests.packs.civic.vendor_sites import VENDORS, VendorServer, make_meetings, serve_vendors
from tests.spine.sites import Watch, Workplace, watching

TODAY = date(2023, 11, 14)
"""The day of the test's clock."""
PORTAL_OF: Mapping[str, Portal] = {portal.name: portal for portal in PORTALS}
MOST_BYTES = 300_000


@contextmanager
def cities_of(
    vendors: Mapping[str, Mapping[str, list[SiteMeeting]]],
    make_app: Callable[..., App],
    home: Path,
    workplace: Workplace,
    **changed: Any,
) -> Iterator[tuple[Watch, VendorServer]]:
    """An application that watches these cities."""
    packs: dict[str, Any] = {"civic": pack()}
    with serve_vendors(TODAY, vendors) as server:
        given = {"hosts": server.stand_ins, **changed}
        settings = quick_settings(home)
        with watching(make_app, settings, workplace, packs=packs, **given) as watch:
            for vendor, cities in vendors.items():
                for city in cities:
                    store_city(watch, vendor, city)
            yield watch, server


def store_city(watch: Watch, vendor: str, city: str) -> None:
    banana, options = f"{city}{vendor}OH", {"site": VENDORS[vendor].site.format(city)}
    url = f"https://{VENDORS[vendor].hosts[0].format(city)}/{city}"
    watch.store(
        Source(source_slug=banana, name=city, base_url=url, packs=["civic"]),
        Endpoint(
            endpoint_id=make_endpoint_id(banana), source_slug=banana, url=url, strategy=vendor,
            options=options,
        ),
        City(banana=banana, name=city, state="OH", vendor=vendor, site=city, timezone="UTC"),
    )  # fmt: skip


def read_results(watch: Watch) -> dict[str, SyncResult]:
    return {row.banana: row for row in stored(watch, SyncResult)}


BAD_ANSWERS = {
    "an error": serve_page(b"<h1>Server Error</h1>", status=500),
    "a page without content": serve_page(
        b"<html><title>Maintenance</title><body><p>We are back soon.</p></body></html>"
    ),
    "nothing": serve_page(b""),
}


@pytest.mark.parametrize("what", BAD_ANSWERS)
def test_a_bad_answer_fails_one_city_and_no_other(
    what: str, make_app: Callable[..., App], home: Path, shared_workplace: Workplace
) -> None:
    vendors = {
        vendor: {city: make_meetings(TODAY, 1) for city in ("fine", "broken")} for vendor in VENDORS
    }
    with cities_of(vendors, make_app, home, shared_workplace) as (watch, server):
        server.instead["broken"] = BAD_ANSWERS[what]
        watch.run()
        results = read_results(watch)
        assert len(results) == 2 * len(VENDORS)
        for vendor in VENDORS:
            fine, broken = results[f"fine{vendor}OH"], results[f"broken{vendor}OH"]
            assert (fine.status, fine.found, fine.error) == ("COMPLETED", 1, None), vendor
            assert (broken.status, broken.found) == ("FAILED", 0), vendor
            # It says what happened, where, and what to do.
            assert broken.error and "http" in broken.error and broken.error.count(". ") >= 1, vendor
            asked = [
                url for url in server.asked if "broken" in "".join(url) and _is_of(vendor, url)
            ]
            assert len(asked) <= 4, (vendor, asked)
        letters = Counter(row["source_slug"] for row in watch.rows(t.dead_letter))
        assert letters.keys() == {f"broken{vendor}OH" for vendor in VENDORS}
        assert max(letters.values()) <= 2, letters


def _is_of(vendor: str, asked: tuple[str, str]) -> bool:
    return any(asked[0].endswith(host.replace("{}", "")) for host in VENDORS[vendor].hosts)


@pytest.mark.parametrize(
    ("vendor", "options", "most"),
    [("civicclerk", {}, 100), ("novusagenda", {}, 100), ("legistar", {"most_pages": 1}, 1)],
)
def test_a_list_without_end_is_given_up(
    vendor: str, options: dict[str, Any], most: int, shared_workplace: Workplace
) -> None:
    """Every page leads to another one, with meetings that were not seen before."""
    held = [
        SiteMeeting(number, f"Meeting {number}", "Council", datetime(2023, 11, 20, 18), "Hall")
        for number in range(1000, 2200)
    ]
    with serve_vendors(TODAY, {vendor: {"elm1": held}}) as server:
        fetcher = Fetcher(FetchPolicy(hosts=server.stand_ins))
        reader = ListingFetcher(fetcher, shared_workplace.pool, portals=PORTAL_OF)
        endpoint = Endpoint(
            endpoint_id="e", source_slug="s", url="https://elm1.test/", strategy=vendor,
            options={"site": "elm1", **options},
        )  # fmt: skip

        async def follow() -> str:
            left = build_first_requests(PORTAL_OF[vendor], endpoint.options, TODAY, None)
            step = left[0].step
            try:
                while left:
                    page = await reader.fetch_page(
                        endpoint, reader.parse_options(endpoint), left.pop()
                    )
                    left += [part for part in page.listing.parts if part.step == step]
            except AssayError as error:
                return str(error)
            finally:
                await fetcher.close()
            return "it came to an end"

        said = shared_workplace.loop.submit(follow()).result()
        assert "more than" in said and len(server.asked) == most
        assert "days_back" in said or "api: false" in said


def test_no_vendor_is_followed_from_page_to_page_for_ever() -> None:
    portal, options = PORTAL_OF["primegov"], {"site": "elm1"}
    (first, *_) = build_first_requests(portal, options, TODAY, None)
    meeting = {
        "id": 7, "dateTime": "2023-11-20T19:00:00", "title": "City Council",
        "documentList": [{"templateId": 70, "templateName": "HTML Agenda", "compileOutputType": 3}],
    }  # fmt: skip
    body = json.dumps([meeting]).encode()
    deep = replace(first, number=LONGEST_CHAIN)
    found = read_portal_answer(portal, options, body, first.url, first)
    assert found is not None and found.parts, "the test needs a page that leads to another"
    with pytest.raises(AssayError, match="does not come to an end"):
        read_portal_answer(portal, options, body, first.url, deep)


class GiantFile:
    """A file of two gigabytes that is made while it is sent."""

    def __init__(self, headers: Mapping[str, str], *, chunked: bool = False) -> None:
        self._headers = headers
        self._chunked = chunked
        self.sent = 0

    async def behave(self, exchange: Exchange) -> None:
        await exchange.send_head(
            200, {"Content-Type": "application/pdf", **self._headers}, close=True
        )
        send = exchange.send_chunk if self._chunked else exchange.send
        await send(b"%PDF-1.4\n")
        while self.sent < 2_000_000_000:
            await send(b"x" * 65_536)
            self.sent += 65_536


GIANTS = {
    "a true length": ({"Content-Length": "2000000009"}, False),
    "no length": ({}, False),
    "chunks": ({"Transfer-Encoding": "chunked"}, True),
    "a length that is too small": ({"Content-Length": "90"}, False),
}


@pytest.mark.parametrize("kind", GIANTS)
def test_a_giant_attachment_is_left_out_and_the_rest_is_read(
    kind: str, make_app: Callable[..., App], home: Path, shared_workplace: Workplace
) -> None:
    headers, chunked = GIANTS[kind]
    giant = GiantFile(headers, chunked=chunked)
    behave: Behaviour = giant.behave
    held = {"legistar": {"elm1": make_meetings(TODAY, 1)}}
    limit = {"fetch_max_bytes": MOST_BYTES}
    with cities_of(held, make_app, home, shared_workplace, **limit) as (watch, server):
        server.instead["Report.pdf"] = behave
        watch.run()
        (result,) = read_results(watch).values()
        assert (result.status, result.found) == ("COMPLETED", 1)
        # What is under way when the connection ends has been sent, but not read.
        assert giant.sent < MOST_BYTES + 20_000_000
        fetched = watch.rows(t.evidence)
        assert all(row["size"] <= MOST_BYTES for row in fetched)
        assert any("_A.pdf" in row["url"] for row in fetched), "the agenda was not fetched"
        if kind != "a length that is too small":
            (letter,) = watch.dead()
            assert "Report.pdf" in letter and f"{MOST_BYTES}" in letter, letter


async def test_a_request_is_sent_three_times_before_the_city_fails() -> None:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    with serve_in_thread({"/v1/Events": serve_page(b"", status=503)}) as site:
        policy = FetchPolicy(allow_private=True, host_gap_s=0.0, respect_robots=False)
        portal = replace(PORTAL_OF["civicclerk"], pace_s=None, recover=None)
        reader = ListingFetcher(
            Fetcher(policy, sleep=wait), ProcessPool(1), portals={portal.name: portal}
        )
        endpoint = Endpoint(
            endpoint_id="e", source_slug="s", url=site.url, strategy=portal.name,
            options={"site": site.url},
        )  # fmt: skip
        (first,) = build_first_requests(portal, endpoint.options, TODAY, None)
        async with reader.fetcher:
            with pytest.raises(FetchFailed, match="answered 503") as told:
                await reader.fetch_page(endpoint, reader.parse_options(endpoint), first)
        assert len(site.seen) == 3
    assert told.value.final, "the job would send it again"
    soon, later = waits
    assert 4 <= soon <= 6 and 16 <= later <= 24
