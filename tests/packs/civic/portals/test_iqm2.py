"""IQM2: the calendar, the outline of a meeting, and the pages of matters."""

from collections.abc import Mapping
from datetime import date

import pytest

from assay.packs.civic.portals.iqm2 import IQM2, Iqm2Tenant, read, recover, start
from assay.packs.civic.portals.listed import ListedAgendaItem
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import PortalPage, PortalRequest
from tests.packs.civic.portals.crawling import crawl
from tests.packs.civic.portals.samples import (
    list_agendas,
    list_meetings,
    needs_samples,
    read_sample,
    show_papers,
)
from tests.packs.civic.portals.sites.generated_civic import TODAY, make_meetings
from tests.packs.civic.portals.sites.iqm2 import Iqm2Site

TENANT = Iqm2Tenant(site="harborville")
HOST = "https://harborville.iqm2.com/Citizens"
_CONTEXT = {"from": "2026-05-16", "to": "2026-08-14", "today": "2026-06-15"}


def read_calendar(html: str, context: Mapping[str, str] = _CONTEXT) -> PortalPage:
    request = PortalRequest(url=f"{HOST}/Calendar.aspx", step="calendar", context=context)
    return read(html.encode(), request, TENANT)


def read_meeting(html: str, tenant: Iqm2Tenant = TENANT) -> PortalPage:
    request = PortalRequest(
        url=f"{HOST}/Detail_Meeting.aspx?ID=7",
        step="meeting",
        context={"meeting": "7", "held": "2026-06-02"},
    )
    return read(html.encode(), request, tenant)


def make_row(number: int, when: str, title: str, rest: str = "", status: str = "Scheduled") -> str:
    tooltip = (
        f"{when.upper()}&#13;&#13;Board:&#09;Harbor Board&#13;Type:&#09;Special&#13;"
        f"Status:&#09;{status}&#13;&#13;&#09;Hall&#13;&#09;5 Quay Street"
    )
    return (
        "<div class='Row MeetingRow'><div class='RowLink'><a href='/Citizens/Detail_Meeting.aspx"
        f'?ID={number}\' title="{tooltip}">{when}</a></div>{rest}'
        f"<div class='MainScreenText RowDetails'>{title}</div></div>"
    )


# The real payload ---------------------------------------------------------------------------------


@needs_samples
def test_norcross_lists_upcoming_and_past_meetings() -> None:
    tenant = Iqm2Tenant(site="norcrossga")
    host = "https://norcrossga.iqm2.com/Citizens"
    request = PortalRequest(url=f"{host}/Default.aspx", step="calendar")
    page = read(read_sample("iqm2_calendar_norcross.html"), request, tenant)
    meetings = list_meetings(page)
    assert [(meeting.vendor_id, meeting.starts) for meeting in meetings] == [
        ("2365", "2022-09-06T18:30"), ("2431", "2022-09-07T18:00"), ("2413", "2022-09-12T18:00"),
        ("2422", "2022-09-14T10:00"), ("2459", "2022-09-15T17:00"), ("2376", "2022-09-19T18:30"),
        ("2470", "2022-09-21T18:30"), ("2402", "2022-09-27T18:30"), ("2491", "2022-08-24T18:30"),
        ("2401", "2022-08-23T18:30"), ("2458", "2022-08-18T17:00"), ("2469", "2022-08-17T18:30"),
    ]  # fmt: skip
    first, last = meetings[0], meetings[-1]
    assert (first.title, first.body, first.status) == (
        "Mayor and Council - Regular Meeting", "Mayor and Council", "scheduled",
    )  # fmt: skip
    assert first.location == "Council Chambers, 65 Lawrenceville Street, Norcross, GA 30071"
    assert (first.papers, first.video) == ((), None), "all its links are hidden"
    assert first.page == f"{host}/Detail_Meeting.aspx?ID=2365"
    assert [show_papers(meeting) for meeting in meetings[8:]] == [
        [("packet", f"{host}/FileOpen.aspx?Type=1&ID={number}&Inline=True")]
        for number in (2307, 2310, 2306, 2309)
    ]
    assert last.body == "Norcross Development Authority"
    assert "WEDNESDAY, AUGUST 17, 2022" in last.raw
    assert len(page.requests) == 12


# The calendar -------------------------------------------------------------------------------------


def test_the_window_is_asked_for_in_one_request() -> None:
    (request,) = start(TENANT, date(2026, 6, 15), None)
    assert request.url == (
        f"{HOST}/Calendar.aspx?Frame=Yes&View=List&From=5%2F16%2F2026&To=8%2F14%2F2026"
    )


def test_a_site_may_be_an_address() -> None:
    tenant = Iqm2Tenant(site="https://Agenda.Harborville.example/Citizens/Default.aspx")
    assert tenant.base == "https://Agenda.Harborville.example/Citizens"


def test_a_row_has_documents_a_video_and_a_status() -> None:
    links = (
        "<div class='MeetingLinks'><a href='FileOpen.aspx?Type=14&ID=3&Inline=True'>Agenda</a>"
        "<a href='' class='HiddenDocumentLink'>Agenda Packet</a>"
        "<a href='FileOpen.aspx?Type=5&ID=4'>Summary</a>"
        "<a href='FileOpen.aspx?Type=15&ID=5'>Draft Minutes</a>"
        "<a href='FileOpen.aspx?Type=12&ID=6'><img alt=''></a>"
        "<a href='#' onclick=\"window.open('SplitView.aspx?Mode=Video&MeetingID=7')\">Video</a>"
        "</div>"
    )
    row = make_row(7, "Jun 2, 2026 6:30 PM", "Harbor Board - Special", links, "Closed")
    (meeting,) = list_meetings(read_calendar(row))
    assert (meeting.status, meeting.location) == ("held", "Hall, 5 Quay Street")
    assert show_papers(meeting) == [
        ("agenda", f"{HOST}/FileOpen.aspx?Type=14&ID=3&Inline=True"),
        ("other", f"{HOST}/FileOpen.aspx?Type=5&ID=4&Inline=True"),
        ("draft_minutes", f"{HOST}/FileOpen.aspx?Type=15&ID=5&Inline=True"),
        ("minutes", f"{HOST}/FileOpen.aspx?Type=12&ID=6&Inline=True"),
    ]
    assert meeting.video == f"{HOST}/SplitView.aspx?Mode=Video&MeetingID=7"


@pytest.mark.parametrize(
    ("rest", "status", "found"),
    [
        ("<span class='MeetingCancelled'>Cancelled</span>", "Scheduled", "cancelled"),
        ("", "Canceled", "cancelled"),
        ("", "Postponed", "postponed"),
        ("<span class='MeetingCancelled'>Rescheduled</span>", "Scheduled", "postponed"),
    ],
)
def test_a_meeting_that_does_not_take_place_is_not_asked_for(
    rest: str, status: str, found: str
) -> None:
    page = read_calendar(make_row(7, "Jun 2, 2026 6:30 PM", "Harbor Board", rest, status))
    (meeting,) = list_meetings(page)
    assert meeting.status == found
    assert page.requests == []


def test_a_meeting_without_documents_is_asked_for_daily_when_it_is_near() -> None:
    rows = make_row(7, "Jun 20, 2026 6:30 PM", "Near") + make_row(8, "Aug 1, 2026 6 PM", "Far")
    page = read_calendar(rows)
    tomorrow = read_calendar(rows, {**_CONTEXT, "today": "2026-06-16"})
    assert [request.url for request in page.requests] == [f"{HOST}/Detail_Meeting.aspx?ID=7"]
    assert page.requests[0].changed != tomorrow.requests[0].changed
    assert len(list_meetings(page)) == 2


def test_other_markup_is_read_by_its_links() -> None:
    page = read_calendar(
        "<div id='Calendar'><table><tr><td>Harbor Board</td><td>6/2/2026 7:00 PM</td><td>"
        "<a href='Detail_Meeting.aspx?Frame=Yes&ID=7'>Details</a></td></tr></table></div>"
    )
    (meeting,) = list_meetings(page)
    assert (meeting.vendor_id, meeting.starts, meeting.body) == ("7", "2026-06-02T19:00", None)
    assert meeting.title == "Harbor Board"


def test_a_meeting_that_is_listed_twice_counts_once() -> None:
    row = make_row(7, "Jun 2, 2026 6:30 PM", "Harbor Board")
    assert len(list_meetings(read_calendar(row + row))) == 1


def test_an_empty_calendar_has_no_meetings() -> None:
    page = read_calendar("<body><div id='MeetingListCalendar'>No meetings</div></body>")
    assert (list(page.items), list(page.requests)) == ([], [])


@pytest.mark.parametrize(
    "html",
    [
        "<html><body><form>Log in <input type='password'></form></body></html>",
        "<html><body>An error occurred.</body></html>",
        "<div class='MeetingRow'><a href='/Citizens/Detail_Meeting.aspx?ID=9'>soon</a></div>",
    ],
)
def test_another_page_is_an_error(html: str) -> None:
    with pytest.raises(ContentBroken, match="not a calendar"):
        read_calendar(html)


def test_the_home_page_helps_where_there_is_no_calendar() -> None:
    (request,) = start(TENANT, date(2026, 6, 15), None)
    page = recover(request, 404, TENANT)
    assert page is not None
    (home,) = page.requests
    assert (home.url, home.context) == (f"{HOST}/Default.aspx", request.context)
    assert recover(home, 404, TENANT) is None
    assert recover(request, 403, TENANT) is None


def test_a_missing_meeting_does_not_spoil_the_calendar() -> None:
    request = PortalRequest(url=f"{HOST}/Detail_Meeting.aspx?ID=7", step="meeting")
    page = recover(request, 404, TENANT)
    assert page is not None
    assert (list(page.requests), len(page.warnings)) == ([], 1)


# The outline --------------------------------------------------------------------------------------

_OUTLINE = """<div id="ContentPlaceholder1_pnlDownloads">
<a id="ContentPlaceholder1_hlPublicAgendaFile" href="FileOpen.aspx?Type=14&amp;ID=3">Agenda</a>
<a id="ContentPlaceholder1_hlFullAgendaFile" href="FileOpen.aspx?Type=1&amp;ID=3">Agenda Packet</a>
</div><span id="ContentPlaceholder1_lblOutline"><table id="MeetingDetail">
<tr><td class="Num"><strong>I.</strong></td>
<td class="Title"><strong>Call to Order</strong></td></tr>
<tr><td></td><td class="Num"></td><td class="Title">Roll Call</td></tr>
<tr><td class="Num"><strong>II.</strong></td>
<td class="Title"><strong>Consent Agenda</strong></td></tr>
<tr><td></td><td class="Num">1. </td><td class="Title"><a class="AgendaOutlineLink"
 href="Detail_LegiFile.aspx?Frame=&amp;MeetingID=7&amp;ID=501&amp;CssClass=">RES 2026 #14 : Lease of
 the boat shed</a> <span class="ItemVoteResult">ADOPTED [6 TO 1]</span></td></tr>
<tr><td></td><td></td><td class="Comments">The lease runs for five years.</td></tr>
<tr><td></td><td></td><td class="Num"><img alt="document"></td><td class="Title">
<a href="FileOpen.aspx?Type=30&amp;ID=601">Lease Printout</a></td></tr>
<tr><td></td><td></td><td class="Num">a. </td><td class="Title">
<a href="FileOpen.aspx?Type=4&amp;ID=602">Map</a></td></tr>
<tr><td></td><td class="Num">2. </td><td class="Title"><a
 href="Detail_LegiFile.aspx?MeetingID=7&amp;ID=502">Repair the crane</a></td></tr>
<tr><td class="Num"><strong>III.</strong></td><td class="Title"><strong>Reports</strong></td></tr>
<tr><td></td><td class="Num">3. </td><td class="Title">Harbor master's report</td></tr>
</table></span>"""


def test_the_outline_has_sections_items_documents_and_results() -> None:
    page = read_meeting(_OUTLINE)
    (agenda,) = list_agendas(page)
    roll, lease, crane, report = agenda.items
    assert (roll.title, roll.section, roll.number) == ("Roll Call", "Call to Order", None)
    assert (lease.vendor_id, lease.matter_id, lease.number) == ("501", "501", "1")
    assert lease.title == "RES 2026 #14 : Lease of the boat shed"
    assert (lease.matter_file, lease.section, lease.consent) == (
        "RES 2026 #14", "Consent Agenda", True,
    )  # fmt: skip
    assert (lease.action, lease.tally, lease.passed) == ("ADOPTED", "6 TO 1", True)
    assert lease.text == "The lease runs for five years."
    assert [(paper.name, paper.url) for paper in lease.attachments] == [
        ("Lease Printout", f"{HOST}/FileOpen.aspx?Type=30&ID=601"),
        ("Map", f"{HOST}/FileOpen.aspx?Type=4&ID=602"),
    ]
    assert (crane.title, crane.matter_file, crane.attachments) == ("Repair the crane", None, ())
    assert (report.title, report.section, report.consent) == (
        "Harbor master's report", "Reports", False,
    )  # fmt: skip
    assert [(paper.kind.value, paper.url) for paper in agenda.papers] == [
        ("agenda", f"{HOST}/FileOpen.aspx?Type=14&ID=3&Inline=True"),
        ("packet", f"{HOST}/FileOpen.aspx?Type=1&ID=3&Inline=True"),
    ], "the addresses are those of the calendar"


def test_the_page_of_a_matter_is_asked_for_only_if_the_outline_names_no_documents() -> None:
    page = read_meeting(_OUTLINE)
    assert [(request.step, request.url) for request in page.requests] == [
        ("matter", f"{HOST}/Detail_LegiFile.aspx?MeetingID=7&ID=502")
    ]


def test_without_these_requests_the_page_of_the_matter_is_a_document() -> None:
    page = read_meeting(_OUTLINE, Iqm2Tenant(site="harborville", documents=False))
    (agenda,) = list_agendas(page)
    assert page.requests == []
    assert [paper.url for paper in agenda.items[2].attachments] == [
        f"{HOST}/Detail_LegiFile.aspx?MeetingID=7&ID=502"
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<p>The meeting is not available at this time, please check back later</p>",
        "<span id='ContentPlaceholder1_lblOutline'></span>",
    ],
)
def test_a_meeting_without_an_agenda_yet_has_none(html: str) -> None:
    page = read_meeting(html)
    assert (list(page.items), list(page.requests)) == ([], [])


def test_another_page_instead_of_a_meeting_is_an_error() -> None:
    with pytest.raises(ContentBroken, match="not a meeting"):
        read_meeting("<html><body>Log in</body></html>")


# Matters ------------------------------------------------------------------------------------------

_MATTER = """<table id="tblLegiFileInfo"><tr><th>Department:</th><td>Port</td>
<th>Sponsors:</th><td>A. Reyes, B. Stone</td></tr>
<tr><th>Category:</th><td>Contract</td></tr></table>
<div id="divAttachments"><a href="FileOpen.aspx?Type=4&amp;ID=9">Quote</a></div>
<div id="ContentPlaceholder1_divBody">Whereas the crane is old.</div>
<div id="ContentPlaceholder1_divHistory"><table>
<tr><td class="Date">May 5, 2026 6:30 PM</td></tr><tr><td><table>
<tr><td>RESULT:</td><td>TABLED [UNANIMOUS]</td></tr></table></td></tr>
<tr><td class="Date">Jun 2, 2026 6:30 PM</td></tr><tr><td><table>
<tr><td>RESULT:</td><td class="Result">FAILED [1 TO 2]</td></tr>
<tr><td>MOVER:</td><td>A. Reyes</td></tr><tr><td>SECONDER:</td><td>C. Lund</td></tr>
<tr><td>AYES:</td><td>A. Reyes</td></tr><tr><td>NAYS:</td><td>B. Stone, C. Lund</td></tr>
<tr><td>EXCUSED:</td><td>D. Okoro</td></tr></table></td></tr></table></div>"""


def read_matter_page(html: str) -> PortalPage:
    item = ListedAgendaItem(vendor_id="502", sequence=3, title="Repair the crane", number="2")
    request = PortalRequest(
        url=f"{HOST}/Detail_LegiFile.aspx?MeetingID=7&ID=502",
        step="matter",
        context={"meeting": "7", "held": "2026-06-02", "item": item.model_dump_json()},
    )
    return read(html.encode(), request, TENANT)


def test_the_page_of_a_matter_completes_its_item() -> None:
    page = read_matter_page(_MATTER)
    (part,) = list_agendas(page)
    (item,) = part.items
    assert (part.meeting, part.part) == ("7", "502")
    assert (item.vendor_id, item.number, item.title) == ("502", "2", "Repair the crane")
    assert (item.matter_type, item.sponsors) == ("Contract", ("A. Reyes", "B. Stone"))
    assert item.text == "Whereas the crane is old."
    assert [paper.url for paper in item.attachments] == [f"{HOST}/FileOpen.aspx?Type=4&ID=9"]
    assert (item.action, item.tally, item.passed) == ("FAILED", "1 TO 2", False)
    assert (item.mover, item.seconder) == ("A. Reyes", "C. Lund")
    assert [(vote.member, vote.vote.value) for vote in item.votes] == [
        ("A. Reyes", "yes"), ("B. Stone", "no"), ("C. Lund", "no"), ("D. Okoro", "absent"),
    ]  # fmt: skip
    assert [each.url for each in page.items if each.content is None] == [
        f"{HOST}/FileOpen.aspx?Type=4&ID=9"
    ]


def test_another_page_instead_of_a_matter_is_an_error() -> None:
    with pytest.raises(ContentBroken, match="not a matter"):
        read_matter_page("<html><body>This record no longer exists</body></html>")


# A local site -------------------------------------------------------------------------------------


def test_a_crawl_finds_every_meeting_item_and_document_of_a_generated_city() -> None:
    meetings = make_meetings()
    items, requests = crawl(IQM2, TENANT, Iqm2Site({"harborville": meetings}), TODAY)
    page = PortalPage(items=items)
    wanted = [m for m in meetings if date(2026, 5, 16) <= m.starts.date() <= date(2026, 8, 14)]
    assert [(m.vendor_id, m.title, m.body, m.starts, m.location) for m in list_meetings(page)] == [
        (str(m.number), m.title, m.body, m.starts.strftime("%Y-%m-%dT%H:%M"), m.location)
        for m in wanted
    ]
    found = list_agendas(page)
    agendas = {agenda.meeting: agenda for agenda in found if agenda.part is None}
    held = [m for m in wanted if m.items and not m.cancelled]
    assert set(agendas) == {str(m.number) for m in held}
    for meeting in held:
        assert [
            (item.number, item.matter_file, len(item.attachments))
            for item in agendas[str(meeting.number)].items
        ] == [(item.number, item.file, len(item.attachments)) for item in meeting.items]
    parts = [agenda for agenda in found if agenda.part is not None]
    assert {part.items[0].matter_type for part in parts} == {"Contract"}
    near = [m for m in wanted if not m.items and not m.cancelled]
    assert len(requests) == 1 + len(held) + len(near) + len(parts)
    assert [m.vendor_id for m in list_meetings(page) if m.status == "cancelled"] == ["105"]
