"""PrimeGov: lists of meetings, and agenda pages in all their forms."""

import json
from datetime import date, datetime
from typing import Any

import pytest

from assay.packs.civic.portals.listed import ListedAgendaItem, MeetingStatus, PaperKind
from assay.packs.civic.portals.primegov import PRIMEGOV, PrimegovTenant, read, recover, start
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import PortalPage, PortalRequest
from tests.packs.civic.portals.crawling import crawl
from tests.packs.civic.portals.entries import (
    SAMPLES,
    list_agendas,
    list_meetings,
    list_paper_urls,
    needs_samples,
)
from tests.packs.civic.portals.sites.cities import make_meetings
from tests.packs.civic.portals.sites.primegov import PrimeGovSite

TENANT = PrimegovTenant(site="oakmere")
BASE = "https://oakmere.primegov.com"
LIST = PortalRequest(url=f"{BASE}/api/v2/PublicPortal/ListUpcomingMeetings", step="meetings")
AGENDA = PortalRequest(
    url=f"{BASE}/Portal/Meeting?meetingTemplateId=9",
    step="agenda",
    context={"meeting": "5", "held": "2026-04-21T18:00"},
)


def _read_list(*rows: dict[str, Any]) -> PortalPage:
    return read(json.dumps(rows).encode(), LIST, TENANT)


def _row(**changes: Any) -> dict[str, Any]:
    return {"id": 5, "title": "Council", "dateTime": "2026-04-21T18:00:00"} | changes


def _document(name: str, form: int, template: int, **changes: Any) -> dict[str, Any]:
    return {"templateName": name, "compileOutputType": form, "templateId": template} | changes


def _read_page(html: str) -> list[ListedAgendaItem]:
    page = read(f"<html><body>{html}</body></html>".encode(), AGENDA, TENANT)
    return list(list_agendas(page.items)[0].items)


@needs_samples
def test_the_archive_of_clayton_county() -> None:
    tenant = PrimegovTenant(site="claytoncountyga")
    data = (SAMPLES / "primegov_listarchived_claytoncountyga.json").read_bytes()
    page = read(data, LIST, tenant)
    meetings = list_meetings(page.items)
    base = "https://claytoncountyga.primegov.com"
    pdf, html = f"{base}/Public/CompiledDocument?meetingTemplateId=", f"{base}/Portal/Meeting"
    assert [(each.vendor_id, each.starts) for each in meetings] == [
        ("554", "2026-01-06T18:00"), ("613", "2026-01-13T09:00"), ("558", "2026-01-13T17:30"),
        ("614", "2026-01-14T09:00"), ("556", "2026-01-20T18:00"), ("560", "2026-01-23T09:00"),
        ("638", "2026-01-23T12:15"), ("576", "2026-02-03T18:00"), ("577", "2026-02-10T17:30"),
        ("578", "2026-02-17T18:00"), ("579", "2026-03-03T18:00"), ("580", "2026-03-10T17:30"),
        ("640", "2026-03-17T18:00"), ("677", "2026-03-30T09:00"), ("639", "2026-04-07T18:00"),
        ("645", "2026-04-14T17:30"), ("695", "2026-04-20T09:00"), ("646", "2026-04-21T18:00"),
    ]  # fmt: skip
    known = {each.vendor_id: each for each in meetings}
    first, last = meetings[0], meetings[-1]
    assert (first.title, first.status) == ("Regular Business Meeting", MeetingStatus.HELD)
    assert first.video == "https://claytoncountyga.granicus.com/MediaPlayer.php?clip_id=34"
    assert first.page is None
    assert [(each.kind, each.name, each.url) for each in first.papers] == [
        (PaperKind.MINUTES, "Summary Minutes", f"{pdf}4414&compileOutputType=1"),
        (PaperKind.MINUTES, "Minutes", f"{pdf}4410&compileOutputType=1"),
    ]
    # Only a page, only another form than PDF, all forms of everything, and a packet.
    assert [each.url for each in known["613"].papers] == [f"{html}?meetingTemplateId=4801"]
    assert [each.url for each in known["614"].papers] == [f"{pdf}4805&compileOutputType=2"]
    assert known["614"].status is MeetingStatus.HELD
    assert [(each.kind, each.url) for each in known["558"].papers] == [
        (PaperKind.AGENDA, f"{pdf}4437&compileOutputType=1"),
        (PaperKind.MINUTES, f"{pdf}4442&compileOutputType=1"),
        (PaperKind.MINUTES, f"{pdf}4438&compileOutputType=1"),
    ]
    assert [each.kind for each in known["556"].papers] == [
        PaperKind.PACKET, PaperKind.AGENDA, PaperKind.MINUTES,
    ]  # fmt: skip
    assert known["556"].title == "Regular Business Meeting"
    assert (known["560"].video, known["560"].page) == (None, None)
    assert known["638"].title == "Special Called Meeting - Lake City Community Center"
    assert known["638"].status is MeetingStatus.SCHEDULED
    # It is still "in progress" in the system, but there are minutes.
    assert known["640"].status is MeetingStatus.HELD
    assert (last.title, last.status) == ("Regular Business Meeting", MeetingStatus.SCHEDULED)
    assert last.page == f"{html}?meetingTemplateId=5111"
    assert sum(len(each.papers) for each in meetings) == 35
    assert len(list_paper_urls(page.items)) == 34


@needs_samples
def test_every_page_of_an_agenda_of_clayton_county_is_asked_for() -> None:
    tenant = PrimegovTenant(site="claytoncountyga")
    data = (SAMPLES / "primegov_listarchived_claytoncountyga.json").read_bytes()
    requests = read(data, LIST, tenant).requests
    assert [request.context["meeting"] for request in requests] == [
        "613", "558", "556", "638", "576", "577", "578", "579", "580", "640", "677", "639", "645",
        "695", "646",
    ]  # fmt: skip
    assert requests[0].changed == "2026-01-13T16:41:41.323"


def test_the_window_decides_which_years_are_asked_for() -> None:
    tenant = PrimegovTenant(site="oakmere", days_back=30)
    requests = start(tenant, date(2026, 1, 10), None)
    assert [request.url.rpartition("/")[2] for request in requests] == [
        "ListUpcomingMeetings", "ListArchivedMeetings?year=2025", "ListArchivedMeetings?year=2026",
    ]  # fmt: skip
    rows = [_row(id=1, dateTime="2025-12-10T09:00:00"), _row(id=2, dateTime="2025-12-11T09:00:00")]
    page = read(json.dumps(rows).encode(), requests[1], tenant)
    assert [each.vendor_id for each in list_meetings(page.items)] == ["2"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"title": "Council - CANCELLED"}, MeetingStatus.CANCELLED),
        ({"title": "Summer Recess", "meetingState": 3}, MeetingStatus.CANCELLED),
        ({"title": "Council (Rescheduled)"}, MeetingStatus.POSTPONED),
        ({"meetingState": 3}, MeetingStatus.HELD),
        ({"meetingState": 2}, MeetingStatus.SCHEDULED),
    ],
)
def test_the_status_of_a_meeting(changes: dict[str, Any], status: MeetingStatus) -> None:
    assert list_meetings(_read_list(_row(**changes)).items)[0].status is status


def test_the_time_may_be_given_apart_from_the_date() -> None:
    page = _read_list(
        _row(id=1, dateTime=None, date="Jan 06, 2026", time="06:00 PM"),
        _row(id=2, dateTime="0001-01-01T00:00:00"),
    )
    assert [each.starts for each in list_meetings(page.items)] == ["2026-01-06T18:00"]
    assert page.warnings == ["Meeting 2 has no date and was left out."]


def test_copies_in_spanish_are_left_out() -> None:
    documents = [
        _document("Agenda - SAP", 3, 1),
        _document("HTM Agenda", 3, 2),
        _document("HTML Packet", 3, 3),
    ]
    page = _read_list(_row(documentList=documents))
    (meeting,) = list_meetings(page.items)
    assert [(each.kind, each.name) for each in meeting.papers] == [
        (PaperKind.AGENDA, "HTM Agenda"),
        (PaperKind.PACKET, "HTML Packet"),
    ]
    assert [each.url for each in page.requests] == [f"{BASE}/Portal/Meeting?meetingTemplateId=2"]
    assert page.requests[0].changed


def test_a_packet_is_read_where_there_is_no_page_of_the_agenda() -> None:
    documents = [_document("Agenda", 1, 1), _document("HTML Packet", 3, 3)]
    page = _read_list(_row(documentList=documents))
    assert page.requests[0].url.endswith("=3")


@pytest.mark.parametrize("body", [b'{"message": "error"}', b"<html>Sign in</html>", b"", b"null"])
def test_an_unexpected_response_is_not_an_empty_list(body: bytes) -> None:
    with pytest.raises(ContentBroken):
        read(body, LIST, TENANT)


def test_no_meetings_are_no_error() -> None:
    assert _read_list().items == []


def test_an_agenda_in_the_form_of_los_angeles() -> None:
    first, second = _read_page(
        """
        <div data-sectionid="1"><table><tr class="section-row"><td><p>Items for which Public
        Hearings Have Been Held</p></td></tr></table>
        <div class="meeting-item" data-itemid="155866" data-mig="7f-guid">
          <table class="item-table"><tr><td class="number-cell">(1)</td><td class="item-cell">
            <div class="agenda-item"><table class="forcepopulate">
              <tr><td colspan="2">25-0160-S93</td></tr>
              <tr><td>CD 10</td><td><div>HEARING PROTEST relative to the lien at 12 Elm St.</div>
                <div>Recommendation for Council action:</div><div>HEAR and CONSIDER.</div></td></tr>
            </table></div>
            <div class="item_contents" id="agenda_item_area_155866">
              <a href="/viewer/preview?id=1&amp;uid=aa-1"><span></span></a>
              <a href="/api/compilemeetingattachmenthistory/historyattachment/?historyId=aa-1">
                <span></span>&nbsp;&nbsp;Motion 10-31</a>
              <a href="/api/compilemeetingattachmenthistory/historyattachment/?historyId=aa-1">
              Again</a>
            </div></td></tr></table></div>
        <div class="meeting-item" data-itemid="155867"><div class="agenda-item">
          <table class="forcepopulate"><tr><td>Motion</td><td>Plant trees in the park.</td></tr>
          </table></div></div></div>
        """
    )
    assert (first.vendor_id, first.number, first.matter_id) == ("155866", "1", "7f-guid")
    assert (first.matter_file, first.matter_type) == ("25-0160-S93", None)
    assert first.title == "HEARING PROTEST relative to the lien at 12 Elm St."
    assert first.text == "Recommendation for Council action: HEAR and CONSIDER."
    assert first.section == "Items for which Public Hearings Have Been Held"
    assert [(each.name, each.url) for each in first.attachments] == [
        ("Motion 10-31",
         f"{BASE}/api/compilemeetingattachmenthistory/historyattachment/?historyId=aa-1"),
    ]  # fmt: skip
    assert (second.matter_type, second.title) == ("Motion", "Plant trees in the park.")
    assert second.attachments == ()


@pytest.mark.parametrize(
    "cells",
    [
        "<tr><td>25-1220</td><td>CD 8</td></tr><tr><td>REPORT on heat.</td></tr>",
        "<tr><td colspan='2'><div>25-1220</div><div>CD 8</div></td></tr>"
        "<tr><td></td><td>REPORT on heat.</td></tr>",
        "<tr><td>25-1220 CD 8</td></tr><tr><td>REPORT on heat.</td></tr>",
        "<tr><td><p>25-1220</p><p>CD 8</p><p>REPORT on heat.</p></td></tr>",
    ],
)
@pytest.mark.parametrize("name", ["forcepopulate", "other"])
def test_the_file_of_a_matter_wherever_it_is(cells: str, name: str) -> None:
    (item,) = _read_page(
        f"""<div class="meeting-item" data-itemid="1"><div class="agenda-item">
        <table class="{name}">{cells}</table></div></div>"""
    )
    assert (item.matter_file, item.title) == ("25-1220", "REPORT on heat.")
    assert (item.matter_type, item.text) == (None, None)


def test_an_item_of_few_words_has_no_type() -> None:
    (item,) = _read_page(
        """<div class="meeting-item" data-itemid="1"><div class="agenda-item">
        <table class="forcepopulate"><tr><td></td><td>Roll Call</td></tr></table></div></div>"""
    )
    assert (item.matter_type, item.title) == (None, "Roll Call")


def test_an_agenda_in_the_form_of_palo_alto() -> None:
    first, second = _read_page(
        """
        <div data-sectionid="3"><h3>CONSENT CALENDAR</h3></div>
        <div class="agenda-item" id="AgendaItem_12"><p>1. Approve the <span>mi</span>nutes</p></div>
        <div class="item_contents" id="agenda_item_area_12">
          <div class="attachment-holder"><a target="_blank" href="viewer?id=4&amp;type=2">View</a>
          <a href="/meeting/attachment/4.pdf?name=Draft minutes" title="Download Draft minutes"></a>
          </div></div>
        <div data-sectionid="4"><h3>ACTION ITEMS</h3></div>
        <div class="agenda-item" id="AgendaItem_13">Adopt the budget</div>
        """
    )
    assert (first.number, first.title) == ("1", "Approve the minutes")
    assert (first.section, first.consent) == ("CONSENT CALENDAR", True)
    assert [(each.name, each.url) for each in first.attachments] == [
        ("Draft minutes", f"{BASE}/meeting/attachment/4.pdf?name=Draft%20minutes")
    ]
    assert (second.number, second.title) == (None, "Adopt the budget")
    assert (second.section, second.consent) == ("ACTION ITEMS", False)


@pytest.mark.parametrize("cell", ["<td>", '<td class="agenda-item">'])
def test_an_agenda_in_the_form_of_boulder(cell: str) -> None:
    (item,) = _read_page(
        f"""
        <div data-sectionid="1"><strong>3. Public Hearings</strong>
        <button data-itemid="88">Comment on this item</button>
        <table data-itemid="88"><tr><td class="attachmentCell"><span>icon</span></td><td>A.</td>
        {cell}Second reading of Ordinance 8731</td><td class="optionalButtonsCell">Vote</td></tr>
        </table>
        <div id="agenda_item_area_88"><a href="https://files.example/Ordinance%208731.pdf">Text</a>
        <a href="https://example.org/about">About</a></div></div>
        """
    )
    assert (item.number, item.title) == ("A", "Second reading of Ordinance 8731")
    assert item.section == "Public Hearings"
    assert [each.url for each in item.attachments] == ["https://files.example/Ordinance%208731.pdf"]


def test_an_agenda_made_from_a_word_document() -> None:
    (item,) = _read_page(
        """
        <table class="item-table-fromdocx" data-itemid="41"><tr><td data-createdfromdocx="True">
        <p><span style="font-weight:bold">Article # 5 Bylaw on sidewalks</span></p>
        <p>To see if the Town will vote to amend the bylaws.</p>
        <div style="display:none;" class="item_contents" id="agenda_item_area_41">
        <a href="/meeting/document/9.pdf?name=Report">Report</a></div></td></tr></table>
        """
    )
    assert item.title == "Article # 5 Bylaw on sidewalks"
    assert item.text == "To see if the Town will vote to amend the bylaws."
    assert [each.name for each in item.attachments] == ["Report"]


def test_headings_are_not_items_and_numbers_are_not_part_of_them() -> None:
    (item,) = _read_page(
        """
        <div data-sectionid="1"><table><tr class="section-row"><td class="number-cell-section">I.
        </td><td class="section-heading"><p><b>Call to Order</b></p></td></tr></table></div>
        <div data-sectionid="2"><table><tr class="section-row"><td class="number-cell-section">II.
        </td><td class="section-heading"><p><b>Con</b>sent Docket</p></td></tr></table>
        <div class="meeting-item" data-itemid="7"><table><tr><td class="number-cell">B.</td>
        <td class="item-cell"><div class="agenda-item" id="AgendaItem_7"><p>Contract with A; and<br>
        2. a second one</p></div></td></tr></table></div></div>
        """
    )
    assert (item.number, item.section, item.consent) == ("B", "Consent Docket", True)
    assert item.title == "Contract with A; and 2. a second one"


def test_a_page_that_is_not_an_agenda_is_an_error() -> None:
    with pytest.raises(ContentBroken, match="not a PrimeGov agenda"):
        _read_page("<form>Sign in <input name='password'></form>")
    assert _read_page("<div data-sectionid='1'><h2>No business</h2></div>") == []


def test_a_long_agenda_is_read_to_its_end() -> None:
    inner = "<span><b><i>words</i></b></span>" * 20
    items = _read_page(
        "".join(
            f"""<div data-sectionid="s{number}"><h3>Part {number}</h3><div class="meeting-item"
            data-itemid="{number}"><table><tr><td class="number-cell">{number}.</td>
            <td class="item-cell"><div class="agenda-item"><p>Item {number} {inner}</p></div>
            </td></tr></table></div></div><div id="agenda_item_area_{number}">
            <a href="/meeting/attachment/{number}.pdf">File {number}</a></div>"""
            for number in range(600)
        )
    )
    assert [item.number for item in items] == [str(number) for number in range(600)]
    assert [item.attachments[0].name for item in items[::599]] == ["File 0", "File 599"]


def test_an_agenda_that_was_withdrawn_is_a_warning() -> None:
    found = recover(AGENDA, 404, TENANT)
    assert found is not None
    assert "not public" in found.warnings[0]
    assert recover(AGENDA, 503, TENANT) is None
    assert recover(LIST, 404, TENANT) is None


@pytest.mark.parametrize("site", ["http://oakmere.local", "http://local/oakmere"])
def test_a_local_city(site: str) -> None:
    today = date(2026, 4, 15)
    city = make_meetings(datetime(2026, 4, 15, 18, 30), 25)
    tenant = PrimegovTenant(site=site, days_back=100, days_ahead=100)
    items, requests = crawl(PRIMEGOV, tenant, PrimeGovSite({"oakmere": city}, today), today)
    meetings = sorted(list_meetings(items), key=lambda each: each.starts)
    assert [(each.vendor_id, each.title, each.starts) for each in meetings] == [
        (str(each.number), each.title, f"{each.starts:%Y-%m-%dT%H:%M}") for each in city
    ]
    assert [each.status is MeetingStatus.CANCELLED for each in meetings] == [
        each.cancelled for each in city
    ]
    agendas = {each.meeting: each for each in list_agendas(items)}
    with_items = [each for each in city if each.items]
    assert set(agendas) == {str(each.number) for each in with_items}
    for each in with_items:
        found = agendas[str(each.number)].items
        assert [(item.title, tuple(a.name for a in item.attachments)) for item in found] == [
            (item.title, item.attachments) for item in each.items
        ]
        has_files, has_numbers = each.number % 3 == 0, each.number % 3 != 1
        assert [item.matter_file for item in found] == [
            item.file if has_files else None for item in each.items
        ]
        assert [item.number for item in found] == [
            item.number if has_numbers else None for item in each.items
        ]
        assert {item.section for item in found} == {"New Business"}
    # The meeting of today is in two lists, so its agenda may be asked for twice.
    assert len({request.url for request in requests}) == 2 + len(with_items)
