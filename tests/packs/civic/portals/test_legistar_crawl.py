"""A local Legistar, read from its first page to its last detail."""

import json
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from assay.packs.civic.portals.legistar import LEGISTAR, LegistarTenant
from assay.sdk.sources import PortalRequest
from tests.packs.civic.portals.crawling import crawl
from tests.packs.civic.portals.sites.legistar import LegistarSite
from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting
from tests.packs.civic.portals.test_legistar import TENANT, TODAY, entries, papers


def make_meetings(count: int, first: datetime = datetime(2026, 5, 1, 18, 30)) -> list[SiteMeeting]:
    """Every other meeting with an agenda, every third with minutes, the fifth cancelled."""
    return [
        SiteMeeting(
            number=100 + n,
            title=f"Council {n}",
            body=f"Council {n}",
            starts=first + timedelta(days=n % 40, hours=n % 3),
            location="12 Main St & Elm",
            cancelled=n == 5,
            items=(
                SiteItem("1.", "Welcome"),
                SiteItem("2.", f"Bridge {n}", f"26-{n}A", ("Map.pdf", "Costs.pdf")),
                SiteItem("3.", f"Road {n}", f"26-{n}B"),
            )
            if n % 2
            else (),
            minutes=n % 3 == 0,
        )
        for n in range(count)
    ]


def check_crawl(
    tenant: LegistarTenant, site: LegistarSite, wanted: list[SiteMeeting]
) -> list[PortalRequest]:
    """Compare what a crawl finds with the meetings that were generated."""
    items, requests = crawl(LEGISTAR, tenant, site, TODAY)
    found = entries(items)
    meetings = [entry for entry in found if entry["kind"] == "meeting"]
    assert sorted((each["title"], each["starts"], each["location"]) for each in meetings) == sorted(
        (each.title, each.starts.strftime("%Y-%m-%dT%H:%M"), each.location) for each in wanted
    )
    assert {each["title"] for each in meetings if each["status"] == "cancelled"} == {
        each.title for each in wanted if each.cancelled
    }
    titles = {each["vendor_id"]: each["title"] for each in meetings}
    whole = {titles[each["meeting"]]: each["items"] for each in found
             if each["kind"] == "agenda" and each["part"] is None}  # fmt: skip
    parts = {(titles[each["meeting"]], part["title"]): part for each in found
             if each["kind"] == "agenda" and each["part"] for part in each["items"]}  # fmt: skip
    for each in wanted:
        if not each.items or each.cancelled:
            assert each.title not in whole
            continue
        listed = whole[each.title]
        assert [(one["number"], one["title"], one["matter_file"]) for one in listed] == [
            (one.number, one.title, one.file) for one in each.items
        ]
        assert {one["section"] for one in listed} == {"REGULAR AGENDA"}
        for one in each.items:
            plain = next(other for other in listed if other["title"] == one.title)
            full = parts.get((each.title, one.title), plain)
            assert [paper["name"] for paper in full["attachments"]] == list(one.attachments)
            votes = [(vote["member"], vote["vote"]) for vote in full["votes"]]
            is_voted = each.minutes and one.file
            assert votes == ([("Ada Moss", "yes"), ("Ben Oak", "no")] if is_voted else [])
            assert full["passed"] is (True if is_voted else None)
    urls = papers(items)
    assert len(urls) == len(set(urls))
    asked = [(request.url, json.dumps(dict(request.form or {}))) for request in requests]
    assert len(asked) == len(set(asked))
    return requests


@pytest.mark.parametrize("mode", ["json", "atom", "contract"])
def test_crawl_through_the_api(mode: str) -> None:
    meetings = make_meetings(30)
    site = LegistarSite({"elmsford": meetings}, modes={"elmsford": mode})
    requests = check_crawl(TENANT, site, meetings)
    assert {request.step for request in requests} == {"events", "items", "votes"}


def test_crawl_of_a_city_that_ignores_the_filter() -> None:
    meetings = make_meetings(30)
    old = [
        SiteMeeting(5000 + n, "Old", "Old", datetime(2026, 1, 1) - timedelta(days=n), "Hall")
        for n in range(2500)
    ]
    site = LegistarSite({"elmsford": [*old, *meetings]}, modes={"elmsford": "unfiltered"})
    requests = check_crawl(TENANT, site, meetings)
    assert sum(request.step == "events" for request in requests) == 1


def test_crawl_over_pages_that_overlap() -> None:
    meetings = make_meetings(1200)
    site = LegistarSite({"elmsford": meetings})
    quiet = LegistarTenant(site="elmsford", days_back=30, days_ahead=30, votes=False)
    items, requests = crawl(LEGISTAR, quiet, site, TODAY)
    listed = [entry["vendor_id"] for entry in entries(items) if entry["kind"] == "meeting"]
    assert sorted(listed) == sorted(str(meeting.number) for meeting in meetings)
    assert len({request.url for request in requests}) == len(requests)
    events = [request.url for request in requests if request.step == "events"]
    assert ["$skip" in url for url in events] == [False, True]


def test_crawl_with_garbage_items_uses_the_pages_of_the_meetings() -> None:
    meetings = make_meetings(12)
    site = LegistarSite({"elmsford": meetings}, modes={"elmsford": "garbage"})
    requests = check_crawl(TENANT, site, meetings)
    assert {request.step for request in requests} == {
        "events", "items", "detail", "history", "matter",
    }  # fmt: skip


@pytest.mark.parametrize("page_size", [7, 100])
def test_crawl_without_an_api(page_size: int) -> None:
    meetings = make_meetings(30)
    years = make_meetings(4, datetime(2025, 11, 1, 9, 0))
    cities = {"elmsford": [*meetings, *(
        SiteMeeting(900 + each.number, "Old", "Old", each.starts, "Hall") for each in years
    )]}  # fmt: skip
    site = LegistarSite(cities, modes={"elmsford": "off"}, today=TODAY, page_size=page_size)
    requests = check_crawl(TENANT, site, meetings)
    calendars = [request for request in requests if request.step == "calendar"]
    # This month, then the year, page by page.
    assert len(calendars) == 1 + -(-len(meetings) // page_size)
    assert all(earlier.form != later.form for earlier, later in pairwise(calendars))
