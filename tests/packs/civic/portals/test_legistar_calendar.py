"""Legistar's calendars: those of real cities, and the themes and errors that they do not show."""

import json
from datetime import date
from html import escape
from typing import Any

import pytest

from assay.packs.civic.portals.legistar import LegistarTenant, read
from assay.packs.civic.portals.legistar_calendar import request_calendar
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import PortalPage, PortalRequest
from tests.packs.civic.portals.test_legistar import SAMPLES, entries, needs_samples, papers

TODAY = date(2026, 5, 15)
TENANT = LegistarTenant(site="elmsford", days_back=10, days_ahead=10)
BASE = "https://elmsford.legistar.com/"


def read_sample(name: str, site: str, today: date, **window: Any) -> PortalPage:
    tenant = LegistarTenant(site=site, **window)
    return read((SAMPLES / name).read_bytes(), request_calendar(tenant, today), tenant)


def list_papers(meeting: dict[str, Any]) -> list[tuple[str, str]]:
    return [(paper["kind"], paper["url"]) for paper in meeting["papers"]]


# The samples


@needs_samples
def test_calendar_of_chicago() -> None:
    page = read_sample(
        "legistar_calendar_chicago.html", "chicago", date(2019, 1, 1), days_back=0, days_ahead=30
    )
    found = entries(list(page.items))
    assert [(each["vendor_id"], each["title"], each["starts"]) for each in found] == [
        ("web-658900", "City Council", "2019-01-23T10:00"),
        ("web-670179", "Committee on Budget and Government Operations", "2019-01-22T10:00"),
        ("web-662068", "Committee on Pedestrian and Traffic Safety", "2019-01-17T12:30"),
        ("web-661615", "Committee on Transportation and Public Way", "2019-01-17T11:00"),
        ("web-654141", "Committee on Zoning, Landmarks and Building Standards", "2019-01-17T10:00"),
        ("web-661162", "Committee on License and Consumer Protection", "2019-01-16T11:00"),
        ("web-668022", "Committee on Human Relations", "2019-01-15T10:00"),
        ("web-668019", "Committee on Human Relations", "2019-01-08T10:00"),
    ]
    first, second, *_, last = found
    assert first["papers"] == []
    assert (first["location"], first["notes"], first["video"], first["status"]) == (
        "Council Chambers -- City Hall -- Chicago, Illinois", None, None, "scheduled",
    )  # fmt: skip
    assert first["page"] == (
        "https://chicago.legistar.com/MeetingDetail.aspx"
        "?ID=658900&GUID=A957AB4C-4D34-43F6-BF76-01A7B2DFB491&Options=info&Search="
    )
    media = "http://media.legistar.com/chic/meetings"
    assert list_papers(second) == [
        (
            "other",
            f"{media}/A38C4B2D-70A8-4B77-BC69-484466C45925/"
            "Budget%20Notice%2001-22_20190103120024.pdf",
        )
    ]
    assert (last["status"], last["notes"], last["location"]) == (
        "cancelled", "CANCELLED", "Council Chambers -- City Hall -- Chicago, Illinois",
    )  # fmt: skip
    guid = "91489BEA-87E0-42E1-8D86-743C2F7138A6"
    assert list_papers(last) == [
        ("other", f"{media}/{guid}/Human%20Rel%201-08-19_20181226115903.pdf"),
        ("agenda", f"{media}/{guid}/agenda%20hum%20rel.jan8_20190104101632.pdf"),
    ]
    assert [len(each["papers"]) for each in found] == [0, 1, 1, 1, 1, 1, 1, 2]
    assert len(papers(list(page.items))) == 8
    # All but the one that is cancelled.
    assert [request.url for request in page.requests] == [each["page"] for each in found[:-1]]
    assert last["raw"].startswith("<tr ")
    assert "CANCELLED" in last["raw"]


@needs_samples
def test_calendar_of_chicago_shows_too_little() -> None:
    page = read_sample("legistar_calendar_chicago.html", "chicago", date(2019, 1, 10))
    assert not page.items
    assert [request.context["year"] for request in page.requests] == ["2018", "2019"]
    request = page.requests[1]
    assert request.url == "https://chicago.legistar.com/Calendar.aspx"
    assert request.form is not None
    state = "ctl00_ContentPlaceHolder1_lstYears_ClientState"
    assert request.form[state] == '{"value":"2019"}'
    assert request.form["__EVENTTARGET"] == "ctl00$ContentPlaceHolder1$lstYears"
    assert request.form["__VIEWSTATE"].startswith("al2ROXeFuiKzeKj")
    assert set(request.form) == {
        "__VIEWSTATE", "__VIEWSTATEGENERATOR", "__EVENTVALIDATION", "__EVENTTARGET",
        "__EVENTARGUMENT", state,
    }  # fmt: skip


@needs_samples
def test_calendar_of_la_metro() -> None:
    page = read_sample(
        "legistar_calendar_lametro.html", "metro", date(2019, 1, 1), days_back=0, days_ahead=30
    )
    found = entries(list(page.items))
    # Fourteen rows, of which every other is the same meeting with interpretation in Spanish.
    assert [(each["vendor_id"], each["title"], each["starts"]) for each in found] == [
        ("web-642142", "Board of Directors - Regular Board Meeting", "2019-01-24T09:30"),
        ("web-642111", "Executive Management Committee", "2019-01-17T11:30"),
        ("web-642110", "Construction Committee", "2019-01-17T10:15"),
        ("web-642109", "Operations, Safety, and Customer Experience Committee", "2019-01-17T09:00"),
        ("web-642108", "Planning and Programming Committee", "2019-01-16T14:00"),
        ("web-642107", "Finance, Budget and Audit Committee", "2019-01-16T12:00"),
        ("web-642106", "Ad Hoc Congestion, Highway and Roads Committee", "2019-01-16T11:00"),
    ]
    place = "One Gateway Plaza, Los Angeles, CA 90012, 3rd Floor, Metro Board Room"
    assert {each["location"] for each in found} == {place}
    assert all(
        (each["papers"], each["video"], each["page"], each["status"])
        == ([], None, None, "scheduled")
        for each in found
    )
    assert not page.requests


@needs_samples
def test_calendar_row_of_charlotte() -> None:
    page = read_sample("legistar_calendar_charlotte_snippet.html", "charlottenc", date(2024, 7, 1))
    (found,) = entries(list(page.items))
    known = "ID=1146416&GUID=904C52E8-783F-4DD4-AA0A-BD638847ABA5"
    base = "https://charlottenc.legistar.com/"
    assert (found["vendor_id"], found["title"], found["body"], found["starts"]) == (
        "web-1146416", "City Council Business Meeting", "City Council Business Meeting",
        "2024-06-24T17:00",
    )  # fmt: skip
    assert (found["location"], found["notes"], found["status"]) == ("Council Chamber", None, "held")
    assert list_papers(found) == [
        ("agenda", f"{base}View.ashx?M=A&{known}"),
        ("minutes", f"{base}View.ashx?M=M&{known}"),
    ]
    assert found["video"] == f"{base}Video.aspx?Mode=Granicus&ID1=3496&Mode2=Video"
    assert found["page"] == f"{base}MeetingDetail.aspx?{known}&Options=info|&Search="
    assert [request.url for request in page.requests] == [found["page"]]
    # A piece of a page has no form for other years.
    assert page.warnings == [f"{base}Calendar.aspx cannot be asked for other years"]


def draw_cell(value: Any) -> str:
    """A cell as the site has it, from one that another program had read."""
    if isinstance(value, dict):
        return f'<a href="{escape(value["url"])}">{escape(value.get("label", ""))}</a>'
    place, *remarks = str(value).split("--em--")
    return escape(place) + f"<br><em>{escape(remarks[0] if remarks else '')}</em>"


@needs_samples
def test_calendar_rows_of_chicago_parks() -> None:
    rows = json.loads((SAMPLES / "legistar_calendar_rows_chiparks.json").read_text())
    headers = list(rows[0])
    drawn = draw_grid(headers, [[draw_cell(row[name]) for name in headers] for row in rows])
    tenant = LegistarTenant(site="chicagoparkdistrict", days_back=365)
    page = read(drawn, request_calendar(tenant, date(2017, 12, 31)), tenant)
    found = entries(list(page.items))
    assert len(found) == 19
    first, last = found[0], found[-1]
    assert (first["vendor_id"], first["title"], first["starts"], first["location"]) == (
        "web-521452", "Board of Commissioners", "2017-12-13T15:30", "8TH FLOOR BOARD ROOM",
    )  # fmt: skip
    assert first["papers"] == []
    assert first["notes"].startswith("ADMINISTRATION BUILDING AT 541 NORTH FAIRBANKS COURT, CHI")
    assert (last["vendor_id"], last["starts"], last["location"], last["status"]) == (
        "web-526773", "2017-01-11T15:30", None, "held",
    )  # fmt: skip
    assert [paper["kind"] for paper in last["papers"]] == ["minutes", "agenda"]
    (off,) = [each for each in found if each["status"] == "cancelled"]
    assert (off["vendor_id"], off["location"]) == ("web-521432", None)
    assert off["notes"].startswith("PARK NO. 571 (ELEANOR STREET BOAT HOUSE)")
    assert sum(len(each["papers"]) for each in found) == 22
    assert sum(each["video"] is not None for each in found) == 10
    assert sum(each["status"] == "held" for each in found) == 7
    # Those with a page that can be viewed, without the cancelled one.
    assert len(page.requests) == 15


# Calendars


def draw_grid(headers: list[str], rows: list[list[str]], extra: str = "") -> bytes:
    head = "".join(f'<th class="rgHeader">{header}</th>' for header in headers)
    body = "".join(
        '<tr class="rgRow">' + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    body = body or '<tr class="rgNoRecords"><td>No records to display.</td></tr>'
    return (
        f'<html><body><form action="./Calendar.aspx">{extra}<table class="rgMasterTable">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></form></body></html>"
    ).encode()


def draw_years(shown: str, *years: str, state: str = "abc") -> str:
    return (
        f'<input name="__VIEWSTATE" value="{state}"><input name="ctl00$lstYears" value="{shown}">'
        '<input name="ctl00_lstYears_ClientState"><div id="lstYears_DropDown">'
        f"<ul>{''.join(f'<li>{year}</li>' for year in years)}</ul></div>"
    )


HEADERS = ["Name", "Meeting Date", "Meeting Time", "Meeting Location"]


def row(day: str, name: str = "City Council", number: int = 1) -> list[str]:
    return [name, day, "6:00 PM", f'Hall <a href="View.ashx?M=IC&amp;ID={number}">ics</a>']


def read_calendar(data: bytes, tenant: LegistarTenant = TENANT, **context: str) -> PortalPage:
    asked = request_calendar(tenant, TODAY)
    request = PortalRequest(url=asked.url, step="calendar", context={**asked.context, **context})
    return read(data, request, tenant)


def read_row(headers: list[str], cells: list[str]) -> dict[str, Any]:
    (found,) = entries(list(read_calendar(draw_grid(headers, [cells])).items))
    return found


def test_columns_in_another_order_with_other_names() -> None:
    found = read_row(
        ["Draft Minutes", "Agenda Packet", "Date", "Committee", "Webcast", "Where", "Time"],
        [
            '<a href="View.ashx?M=M&amp;ID=4&amp;GUID=G">View</a>',
            '<a href="//cdn.example/p 4.pdf">Packet</a>',
            "5/20/26",
            "Parks&nbsp;Board",
            "<a href='#' onclick=\"window.open('Video.aspx?ID1=9','v');return false;\">Watch</a>",
            "Hall<br><em>Rescheduled from May 6</em>",
            "noon",
        ],
    )
    assert (found["vendor_id"], found["title"], found["starts"]) == (
        "web-4", "Parks Board", "2026-05-20T12:00",
    )  # fmt: skip
    assert list_papers(found) == [
        ("draft_minutes", f"{BASE}View.ashx?M=M&ID=4&GUID=G"),
        ("packet", "https://cdn.example/p%204.pdf"),
    ]
    assert (found["video"], found["location"], found["notes"], found["status"]) == (
        f"{BASE}Video.aspx?ID1=9", "Hall", "Rescheduled from May 6", "scheduled",
    )  # fmt: skip


def test_a_renamed_column_keeps_its_control() -> None:
    found = read_row(
        ["Name", "Meeting Date", "Summary", "Journal", "Meeting Topic"],
        [
            "Council", "5/20/2026",
            '<a id="x_hypMinutes" href="https://f/s.pdf">Summary</a>',
            '<a id="x_hypExtra1" href="https://f/j.pdf">Journal</a>',
            "Parking",
        ],
    )  # fmt: skip
    assert list_papers(found) == [("minutes", "https://f/s.pdf"), ("other", "https://f/j.pdf")]
    assert (found["starts"], found["notes"]) == ("2026-05-20", "Parking")
    assert found["vendor_id"].startswith("row-")


def test_the_accessible_agenda_stands_in_for_a_missing_one() -> None:
    links = [f'<a href="View.ashx?M={code}&amp;ID=4">Agenda</a>' for code in ("AADA", "A")]
    headers = ["Name", "Meeting Date", "Accessible Agenda", "Agenda"]
    both = read_row(headers, ["Council", "5/20/2026", *links])
    assert list_papers(both) == [("agenda", f"{BASE}View.ashx?M=A&ID=4")]
    only = read_row(headers, ["Council", "5/20/2026", links[0], "Not&nbsp;available"])
    assert list_papers(only) == [("agenda", f"{BASE}View.ashx?M=AADA&ID=4")]


def test_a_meeting_known_only_by_its_event() -> None:
    found = read_row(
        ["Name", "Meeting Date", "eComment"],
        ["Council", "5/20/2026", '<a data-event-id="4F74-AB" link="#">Not&nbsp;available</a>'],
    )
    assert found["vendor_id"] == "event-4f74-ab"


def test_two_grids_with_the_same_meeting() -> None:
    upcoming = draw_grid(HEADERS, [row("5/20/2026", number=2)]).decode()
    data = draw_grid(HEADERS, [row("5/20/2026", number=2), row("5/10/2026")], upcoming)
    found = entries(list(read_calendar(data).items))
    assert [each["vendor_id"] for each in found] == ["web-2", "web-1"]


def test_grouped_rows_have_cells_without_a_meaning() -> None:
    data = draw_grid(HEADERS, [row("5/20/2026")]).decode()
    data = data.replace("<thead><tr>", '<thead><tr><th class="rgGroupCol"></th>')
    data = data.replace(
        '<tr class="rgRow">',
        '<tr class="rgGroupHeader"><td colspan="5">Name: City Council</td></tr>'
        '<tr class="rgRow"><td class="rgGroupCol"></td>',
    )
    (found,) = entries(list(read_calendar(data.encode()).items))
    assert (found["title"], found["starts"]) == ("City Council", "2026-05-20T18:00")


def test_a_pager_above_the_headers_is_not_a_column() -> None:
    data = draw_grid(HEADERS, [row("5/20/2026")]).decode()
    pager = '<tr class="rgPager"><td><table><tr><th scope="col">Data pager</th></tr></table></td>'
    data = data.replace("<thead>", f"<thead>{pager}</tr>")
    (found,) = entries(list(read_calendar(data.encode()).items))
    assert (found["title"], found["starts"]) == ("City Council", "2026-05-20T18:00")
    assert found["location"].startswith("Hall")


def test_an_empty_calendar_has_no_meetings() -> None:
    page = read_calendar(draw_grid(HEADERS, [], draw_years("2026", "2026")))
    assert (list(page.items), list(page.requests), list(page.warnings)) == ([], [], [])


@pytest.mark.parametrize(
    "data",
    [
        b'<html><body><form action="./Error.aspx">Sorry</form></body></html>',
        b"<html><body><h1>Sign in</h1></body></html>",
        b"<html><body>This record no longer exists. It might have been deleted.</body></html>",
        b'[{"EventId": 1}]',
        b"",
    ],
)
def test_other_pages_are_errors(data: bytes) -> None:
    with pytest.raises(ContentBroken):
        read_calendar(data)


def test_a_redirect_to_the_error_page_is_an_error() -> None:
    request = PortalRequest(
        url=f"{BASE}Error.aspx", step="calendar", context={"today": TODAY.isoformat()}
    )
    with pytest.raises(ContentBroken, match="error page"):
        read(draw_grid(HEADERS, []), request, TENANT)


@pytest.mark.parametrize(
    ("shown", "today", "years"),
    [
        ("All Years", TODAY, []),
        ("2026", TODAY, []),
        ("This Year", TODAY, []),
        ("This Month", TODAY, []),
        ("This Month", date(2026, 5, 28), ["2026"]),
        ("This Week", TODAY, ["2026"]),
        ("2025", TODAY, ["2026"]),
        ("This Year", date(2025, 12, 28), ["2026"]),
        ("This Month", date(2025, 12, 28), ["2026"]),
        ("This Week", date(2025, 12, 28), ["2025", "2026"]),
        # A year that is not offered has no meetings.
        ("This Year", date(2026, 12, 28), []),
    ],
)
def test_years_that_the_window_needs(shown: str, today: date, years: list[str]) -> None:
    data = draw_grid(HEADERS, [], draw_years(shown, "2026", "2025", "This Month"))
    page = read(data, request_calendar(TENANT, today), TENANT)
    assert [request.context["year"] for request in page.requests] == years
    assert all(request.form and request.form["__VIEWSTATE"] == "abc" for request in page.requests)


def test_a_year_that_was_not_shown_is_reported() -> None:
    data = draw_grid(HEADERS, [row("5/20/2026")], draw_years("This Month", "2026"))
    page = read_calendar(data, year="2026", state="s")
    assert page.warnings == [f"{BASE}Calendar.aspx shows 'This Month' instead of 2026"]
    assert len(entries(list(page.items))) == 1


PAGER = (
    '<a class="rgCurrentPage" href="#">1</a>'
    "<a href=\"javascript:__doPostBack('ctl00%24grid%24ctl05','')\">2</a>"
)


@pytest.mark.parametrize(
    ("days", "turns"),
    [
        (["5/20/2026", "5/10/2026"], True),
        (["5/20/2026", "1/10/2026"], False),
        (["1/10/2026", "5/10/2026"], True),
        (["5/20/2026", "9/10/2026"], False),
        (["5/20/2026", "1/10/2026", "5/10/2026"], True),
        ([], True),
    ],
)
def test_pages_are_turned_within_the_window(days: list[str], turns: bool) -> None:
    rows = [row(day, number=n) for n, day in enumerate(days)]
    page = read_calendar(
        draw_grid(HEADERS, rows, draw_years("2026") + PAGER), year="2026", state="years"
    )
    assert [request.form for request in page.requests] == [
        {
            "__VIEWSTATE": "abc", "__EVENTTARGET": "ctl00$grid$ctl05", "__EVENTARGUMENT": "",
            "years": '{"value":"2026"}',
        }
    ] * turns  # fmt: skip


def test_pages_are_turned_beside_another_year() -> None:
    today = date(2026, 1, 5)
    rows = [row("1/8/2026", number=2), row("1/6/2026")]
    data = draw_grid(HEADERS, rows, draw_years("This Year", "2026", "2025") + PAGER)
    page = read(data, request_calendar(TENANT, today), TENANT)
    assert len(entries(list(page.items))) == 2
    year, further = page.requests
    assert (year.context["year"], "year" in further.context) == ("2025", False)
    data = draw_grid(HEADERS, [row("1/2/2026")], draw_years("This Year", "2026", "2025"))
    page = read(data, further, TENANT)
    assert (len(entries(list(page.items))), list(page.requests)) == (1, [])


def test_pages_are_limited() -> None:
    data = draw_grid(HEADERS, [row("5/20/2026")], draw_years("2026") + PAGER)
    with pytest.raises(ContentBroken, match="more than 100 pages"):
        read_calendar(data, number="100")
