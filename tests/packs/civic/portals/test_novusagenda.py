"""NovusAgenda: grids in several forms, agendas, cover sheets, and pages of a grid."""

from collections.abc import Mapping
from datetime import date

import pytest

from assay.packs.civic.portals.listed import ListedAgendaItem
from assay.packs.civic.portals.novusagenda import (
    NOVUSAGENDA,
    NovusAgendaTenant,
    read,
    recover,
    start,
)
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
from tests.packs.civic.portals.sites.novusagenda import NovusAgendaSite

TENANT = NovusAgendaTenant(site="harborville")
HOST = "https://harborville.novusagenda.com/agendapublic"


def read_list(html: str, context: Mapping[str, str] | None = None) -> PortalPage:
    request = PortalRequest(url=f"{HOST}/", step="meetings", context=context or {})
    return read(html.encode(), request, TENANT)


def read_agenda(html: str, tenant: NovusAgendaTenant = TENANT) -> PortalPage:
    request = PortalRequest(
        url=f"{HOST}/MeetingView.aspx?MeetingID=9&doctype=Agenda",
        step="agenda",
        context={"meeting": "9", "held": "2026-06-02"},
    )
    return read(html.encode(), request, tenant)


# The real payload ---------------------------------------------------------------------------------


@needs_samples
def test_dinuba_lists_meetings_beside_a_grid_of_items() -> None:
    tenant = NovusAgendaTenant(site="dinuba")
    host = "https://dinuba.novusagenda.com/agendapublic"
    page = read(
        read_sample("novusagenda_list_dinuba.html"),
        PortalRequest(url=f"{host}/meetingsgeneral.aspx?MeetingType=1&Date=6ms", step="meetings"),
        tenant,
    )
    meetings = list_meetings(page)
    assert [(meeting.vendor_id, meeting.starts) for meeting in meetings] == [
        ("365", "2022-09-27"), ("354", "2022-09-13"), ("353", "2022-08-09"), ("352", "2022-07-12"),
    ]  # fmt: skip
    first, last = meetings[0], meetings[-1]
    assert {(m.title, m.body, m.location, m.status) for m in meetings} == {
        ("Council Meeting", "Council Meeting", "405 E El Monte Way, Dinuba CA 93618", "scheduled")
    }
    assert show_papers(first) == [("agenda", f"{host}/DisplayAgendaPDF.ashx?MeetingID=365")]
    assert first.page == (
        f"{host}/MeetingView.aspx?MeetingID=365&MinutesMeetingID=302&doctype=Agenda"
    )
    assert show_papers(last) == [
        ("agenda", f"{host}/DisplayAgendaPDF.ashx?MeetingID=352"),
        ("minutes", f"{host}/DisplayAgendaPDF.ashx?MinutesMeetingID=297"),
    ]
    assert len(show_papers(meetings[1])) == 1
    assert [request.step for request in page.requests] == ["agenda"] * 4, (
        "items are paged, not they"
    )
    assert page.requests[0].url == first.page


# Grids --------------------------------------------------------------------------------------------


def test_another_order_of_columns_is_read_by_their_names() -> None:
    page = read_list(
        "<table class='rgMasterTable'><tr><th></th><th>Location</th><th>Board</th><th>Time</th>"
        "<th>Date</th><th>Packet</th><th>Draft Minutes</th></tr><tr class='rgRow'><td></td>"
        "<td>Hall</td><td>Harbor Board - Cancelled</td><td>6:30 PM</td><td>6/2/2026</td>"
        "<td><a href='DisplayAgendaPDF.ashx?MeetingID=9'>PDF</a></td>"
        "<td><a href='DisplayAgendaPDF.ashx?MinutesMeetingID=4'>PDF</a></td></tr></table>"
    )
    (meeting,) = list_meetings(page)
    assert (meeting.vendor_id, meeting.title, meeting.starts, meeting.location) == (
        "9", "Harbor Board - Cancelled", "2026-06-02T18:30", "Hall",
    )  # fmt: skip
    assert meeting.status == "cancelled"
    assert [kind for kind, _ in show_papers(meeting)] == ["packet", "draft_minutes"]


def test_the_responsive_list_has_no_names_and_repeats_rows_for_telephones() -> None:
    cells = (
        "<td></td><td>06/02/26</td><td><label>Select Board</label></td><td>Town Hall</td>"
        "<td><a onclick=\"window.open('MeetingView.aspx?MeetingID=9&amp;MinutesMeetingID=-1&amp;"
        "doctype=Agenda','x')\">Online Agenda</a></td>"
    )
    page = read_list(
        f"<div id='myTabContent'><table><tr>{cells}</tr><tr class='collapse'>{cells}</tr></table>"
        "</div>"
    )
    (meeting,) = list_meetings(page)
    assert (meeting.title, meeting.location, meeting.starts) == (
        "Select Board", "Town Hall", "2026-06-02",
    )  # fmt: skip
    view = f"{HOST}/MeetingView.aspx?MeetingID=9&MinutesMeetingID=-1&doctype=Agenda"
    assert (meeting.page, show_papers(meeting)) == (view, [("agenda", view)])


def test_a_meeting_without_links_has_an_id_from_its_day_and_name() -> None:
    page = read_list(
        "<table><tr><th>Date</th><th>Type</th></tr><tr><td>06/02/26</td><td>Harbor Board</td></tr>"
        "</table>"
    )
    (meeting,) = list_meetings(page)
    assert (meeting.vendor_id, meeting.papers) == ("2026-06-02-harbor-board", ())
    assert page.requests == []


def test_a_time_is_found_beside_empty_cells() -> None:
    page = read_list(
        "<table><tr><td></td><td>06/02/26</td><td>Harbor Board</td><td></td><td>7:00 PM</td></tr>"
        "</table>"
    )
    assert [meeting.starts for meeting in list_meetings(page)] == ["2026-06-02T19:00"]


def test_an_empty_grid_has_no_meetings() -> None:
    page = read_list(
        "<div id='x_radGridMeetings'><table><tr class='rgNoRecords'><td>None</td></tr></table>"
        "</div>"
    )
    assert (list(page.items), list(page.requests)) == ([], [])


@pytest.mark.parametrize(
    "html", ["<html><body>Server Error in '/' Application.</body></html>", "<form>Sign in</form>"]
)
def test_another_page_is_an_error(html: str) -> None:
    with pytest.raises(ContentBroken, match="no list of meetings"):
        read_list(html)


def make_paged(*days: str) -> str:
    rows = "".join(f"<tr class='rgRow'><td>{day}</td><td>Board</td></tr>" for day in days)
    return (
        "<input type='hidden' name='__VIEWSTATE' value='abc'><select name='range'>"
        "<option value='lmn'>x</option><option value='6ms' selected>y</option></select>"
        "<table class='rgMasterTable'><tr class='rgPager'><td>"
        "<a class='rgCurrentPage' href='#'>1</a>"
        f"<a href=\"javascript:__doPostBack('g$2','')\">2</a></td><td></td></tr>{rows}</table>"
    )


def test_the_next_page_is_asked_for_by_its_form() -> None:
    window = {"from": "2026-05-01", "to": "2026-07-01"}
    (request,) = read_list(make_paged("06/20/26", "06/10/26"), window).requests
    assert request.form == {
        "__VIEWSTATE": "abc", "range": "6ms", "__EVENTTARGET": "g$2", "__EVENTARGUMENT": "",
    }  # fmt: skip
    assert request.context == {**window, "page": "2"}


@pytest.mark.parametrize("days", [("06/20/26", "04/10/26"), ("06/20/26", "07/10/26")])
def test_no_page_is_asked_for_beyond_the_window(days: tuple[str, ...]) -> None:
    page = read_list(make_paged(*days), {"from": "2026-05-01", "to": "2026-07-01"})
    assert page.requests == []


def test_pages_without_end_are_an_error() -> None:
    with pytest.raises(ContentBroken, match="more than 100 pages"):
        read_list(make_paged("06/20/26"), {"page": "100"})


def test_further_pages_and_other_addresses_can_be_named() -> None:
    tenant = NovusAgendaTenant(
        site="https://agenda.harborville.example/AgendaPublic/",
        pages=("meetingsresponsive.aspx?MeetingType=50",),
    )
    (request,) = start(tenant, date(2026, 6, 15), None)
    assert request.url == (
        "https://agenda.harborville.example/AgendaPublic/meetingsresponsive.aspx?MeetingType=50"
    )


# Agendas and cover sheets -------------------------------------------------------------------------

_AGENDA = """<table><tr><td><table>
<tr><td colspan="3"><b>DEPARTMENT REPORTS</b></td></tr>
<tr><td id="column2">4</td><td id="column3">C.</td><td id="column4">
<a href="CoverSheet.aspx?ItemID=2537&amp;MeetingID=9">Pool fund</a></td></tr>
<tr><td></td><td>5.</td><td>Visit of the mayor</td></tr>
<tr><td></td><td><a href="Coversheet.aspx?ItemID=2538&amp;MeetingID=9">Crane repair</a>
<a href="AttachmentViewer.ashx?AttachmentID=1&amp;ItemID=2538">Map.pdf</a></td></tr>
<tr><td>6.</td><td><a href="CoverSheet.aspx?ItemID=2539&amp;MeetingID=9">Approval of minutes</a>
</td></tr></table></td></tr></table>"""


def test_an_agenda_has_items_and_asks_for_their_cover_sheets() -> None:
    page = read_agenda(_AGENDA)
    (agenda,) = list_agendas(page)
    assert [(item.vendor_id, item.number, item.title, item.section) for item in agenda.items] == [
        ("2537", "4C", "Pool fund", "DEPARTMENT REPORTS"),
        ("5", "5", "Visit of the mayor", "DEPARTMENT REPORTS"),
        ("2538", None, "Crane repair", "DEPARTMENT REPORTS"),
        ("2539", "6", "Approval of minutes", "DEPARTMENT REPORTS"),
    ]
    assert [paper.name for paper in agenda.items[2].attachments] == ["Map.pdf"]
    assert [request.url for request in page.requests] == [
        f"{HOST}/CoverSheet.aspx?ItemID=2537&MeetingID=9",
        f"{HOST}/Coversheet.aspx?ItemID=2538&MeetingID=9",
    ]


def test_without_these_requests_the_cover_sheets_are_documents() -> None:
    page = read_agenda(_AGENDA, NovusAgendaTenant(site="harborville", documents=False))
    (agenda,) = list_agendas(page)
    assert page.requests == []
    assert [paper.url for paper in agenda.items[0].attachments] == [
        f"{HOST}/CoverSheet.aspx?ItemID=2537&MeetingID=9"
    ]


def test_a_cover_sheet_completes_its_item() -> None:
    item = ListedAgendaItem(vendor_id="2537", sequence=1, title="Pool fund", number="4C")
    page = read(
        b"<div id='ns-ContentArea'><p>Staff proposes a fund.</p>"
        b"<a href='AttachmentViewer.ashx?AttachmentID=3&amp;ItemID=2537'>Plan.pdf</a>"
        b"<a href='AttachmentViewer.ashx?AttachmentID=3&amp;ItemID=2537'>Plan.pdf</a></div>",
        PortalRequest(
            url=f"{HOST}/CoverSheet.aspx?ItemID=2537&MeetingID=9",
            step="item",
            context={"meeting": "9", "held": "2026-06-02", "item": item.model_dump_json()},
        ),
        TENANT,
    )
    (part,) = list_agendas(page)
    assert (part.meeting, part.part) == ("9", "2537")
    assert (part.items[0].title, part.items[0].number) == ("Pool fund", "4C")
    assert part.items[0].text is not None
    assert part.items[0].text.startswith("Staff proposes a fund.")
    assert [each.url for each in page.items if each.content is None] == [
        f"{HOST}/AttachmentViewer.ashx?AttachmentID=3&ItemID=2537"
    ]


def test_an_unpublished_agenda_has_no_items_and_an_unknown_one_is_reported() -> None:
    quiet = read_agenda("<body>This Agenda is not available.</body>")
    loud = read_agenda("<body>Welcome to our town.</body>")
    assert (list(quiet.items), list(quiet.warnings)) == ([], [])
    assert (list(loud.items), len(loud.warnings)) == ([], 1)


def test_a_missing_cover_sheet_does_not_spoil_the_list() -> None:
    sheet = PortalRequest(url=f"{HOST}/CoverSheet.aspx?ItemID=1", step="item")
    page = recover(sheet, 404, TENANT)
    assert page is not None
    assert len(page.warnings) == 1
    assert recover(PortalRequest(url=HOST, step="meetings"), 404, TENANT) is None


# A local site -------------------------------------------------------------------------------------


def test_a_crawl_finds_every_meeting_item_and_document_of_a_generated_city() -> None:
    meetings = make_meetings()
    items, requests = crawl(NOVUSAGENDA, TENANT, NovusAgendaSite({"harborville": meetings}), TODAY)
    page = PortalPage(items=items)
    wanted = [m for m in meetings if date(2026, 5, 16) <= m.starts.date() <= date(2026, 8, 14)]
    listed = {(m.starts, m.title.removesuffix(" - CANCELLED")) for m in list_meetings(page)}
    assert listed == {(m.starts.strftime("%Y-%m-%dT%H:%M"), m.title) for m in wanted}
    found = list_agendas(page)
    held = [m for m in wanted if m.items and not m.cancelled]
    assert {agenda.meeting for agenda in found} == {str(m.number) for m in held}
    parts = {agenda.items[0].title: agenda.items[0] for agenda in found if agenda.part is not None}
    assert {title: [p.name for p in item.attachments] for title, item in parts.items()} == {
        item.title: list(item.attachments) for m in held for item in m.items
    }
    steps = [request.step for request in requests]
    assert steps.count("agenda") == len(held)
    assert steps.count("item") == sum(len(m.items) for m in held)
    assert steps.count("meetings") == 4, "the last page is older than the window"
