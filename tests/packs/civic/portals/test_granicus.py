"""Granicus: the themes of its views, meetings that change their number, and agendas."""

from collections.abc import Mapping
from datetime import date

import pytest

from assay.packs.civic.portals.granicus import GRANICUS, GranicusTenant, read, recover, start
from assay.packs.civic.portals.listed import ListedMeeting
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
from tests.packs.civic.portals.sites.granicus import GranicusSite

TENANT = GranicusTenant(site="harborville", views=(2,))
HOST = "https://harborville.granicus.com"


def read_view(html: str | bytes, context: Mapping[str, str] | None = None) -> PortalPage:
    data = html.encode() if isinstance(html, str) else html
    request = PortalRequest(
        url=f"{HOST}/ViewPublisher.php?view_id=2", step="meetings", context=context or {}
    )
    return read(data, request, TENANT)


def read_agenda(html: str | bytes, url: str = f"{HOST}/AgendaViewer.php?clip_id=7") -> PortalPage:
    data = html.encode() if isinstance(html, str) else html
    context = {"meeting": "2026-03-03-city-council", "held": "2026-03-03"}
    return read(data, PortalRequest(url=url, step="agenda", context=context), TENANT)


def table(*rows: str, classes: str = "listingTable") -> str:
    return f"<html><body><table class='{classes}'>{''.join(rows)}</table></body></html>"


# Real payloads ------------------------------------------------------------------------------------


def read_real(name: str, site: str, today: str) -> tuple[PortalPage, list[ListedMeeting]]:
    tenant = GranicusTenant(site=site)
    request = PortalRequest(
        url=f"{tenant.base}/ViewPublisher.php", step="meetings", context={"today": today}
    )
    page = read(read_sample(name), request, tenant)
    return page, list_meetings(page)


@needs_samples
def test_tulsa_lists_archived_clips_in_panels_and_upcoming_events_in_a_table() -> None:
    page, meetings = read_real("granicus_viewpublisher_tulsa.html", "tulsa-ok", "2025-12-03")
    viewer = "https://tulsa-ok.granicus.com/AgendaViewer.php?view_id=4"
    player = "https://tulsa-ok.granicus.com/MediaPlayer.php?view_id=4"
    assert len(meetings) == 19
    assert sum(len(meeting.papers) for meeting in meetings) == 17
    assert not page.warnings
    first, second, last = meetings[0], meetings[1], meetings[-1]
    assert (first.title, first.body, first.starts, first.status) == (
        "Regular Council Meeting", "City Council", "2025-11-19T17:00", "held",
    )  # fmt: skip
    assert first.vendor_id == "2025-11-19-regular-council-meeting"
    assert show_papers(first) == [("agenda", f"{viewer}&clip_id=7169")]
    assert first.video == f"{player}&clip_id=7169"
    assert "November" in first.raw
    assert second.starts == "2025-11-07T08:00", "the day has a second space"
    assert (last.title, last.starts, last.status, last.papers, last.video) == (
        "Council Public Works Committee", "2026-01-14T14:30", "scheduled", (), None,
    )  # fmt: skip


@needs_samples
def test_tulsa_has_odd_rows() -> None:
    page, meetings = read_real("granicus_viewpublisher_tulsa.html", "tulsa-ok", "2025-12-03")
    found = {(meeting.title, meeting.starts): meeting for meeting in meetings}
    running = found["Council Public Works Committee", "2025-12-03"]
    assert running.video == "https://tulsa-ok.granicus.com/MediaPlayer.php?view_id=4&event_id=26737"
    assert [kind for kind, _ in show_papers(running)] == ["agenda"]
    assert running.status == "scheduled"
    commission = found["Human Rights Commission", "2025-12-11T18:00"]
    assert (commission.body, commission.papers) == (None, ())
    committee = found["Council Urban & Economic Development Committee", "2025-12-10T10:30"]
    assert show_papers(committee) == [
        ("agenda", "https://tulsa-ok.granicus.com/AgendaViewer.php?view_id=4&event_id=27139")
    ]
    assert [meeting.starts for meeting in meetings if "Emergency" in meeting.title] == [
        "2016-06-05T11:00"
    ]
    assert len(page.requests) == 17


@needs_samples
def test_tulsa_without_the_day_leaves_out_what_is_in_progress_and_says_so() -> None:
    tenant = GranicusTenant(site="tulsa-ok")
    page = read(
        read_sample("granicus_viewpublisher_tulsa.html"),
        PortalRequest(url=tenant.base, step="meetings"),
        tenant,
    )
    assert len(list_meetings(page)) == 18
    assert page.warnings == [
        "'Council Public Works Committee' has no date that can be read and is left out."
    ]


@needs_samples
def test_rta_lists_its_archive_in_boxes() -> None:
    page, meetings = read_real("granicus_viewpublisher_rta.html", "rtachicago", "2018-12-20")
    host = "http://rtachicago.granicus.com"
    assert len(meetings) == 117
    kinds = [paper.kind.value for meeting in meetings for paper in meeting.papers]
    assert (kinds.count("agenda"), kinds.count("minutes"), len(kinds)) == (116, 110, 226)
    assert all(meeting.status == "held" and meeting.video for meeting in meetings)
    first, second, last = meetings[0], meetings[1], meetings[-1]
    assert (first.title, first.body, first.starts) == (
        "Finance Committee 8:30 AM", "Finance Committee", "2018-12-13T08:30",
    )  # fmt: skip
    assert show_papers(first) == [("agenda", f"{host}/AgendaViewer.php?view_id=4&clip_id=324")]
    assert first.video == f"{host}/MediaPlayer.php?view_id=4&clip_id=324"
    assert (second.title, second.body, second.starts) == (
        "Board of Directors (following Committee meetings)", "Board of Directors", "2018-12-13",
    )  # fmt: skip
    assert (last.title, last.starts) == ("Finance Committee", "2014-12-03")
    assert show_papers(last) == [
        ("agenda", f"{host}/AgendaViewer.php?view_id=4&clip_id=2"),
        ("minutes", f"{host}/MinutesViewer.php?view_id=4&clip_id=2"),
    ]
    (bare,) = [m for m in meetings if all(p.kind != "agenda" for p in m.papers)]
    assert (bare.title, bare.starts, bare.papers) == (
        "Board Meeting (following Executive Session)", "2018-09-13", (),
    )  # fmt: skip
    assert not page.warnings


@needs_samples
def test_rta_lists_upcoming_meetings_most_of_which_have_no_link() -> None:
    _, meetings = read_real("granicus_viewpublisher_rta_upcoming.html", "rtachicago", "2018-06-01")
    host = "http://rtachicago.granicus.com"
    assert len(meetings) == 10, "one of the eleven rows is printed twice"
    assert [meeting.starts for meeting in meetings] == [
        "2018-06-21", "2018-06-21", "2018-06-21T08:30", "2018-07-19", "2018-08-23", "2018-09-13",
        "2018-10-18", "2018-11-15", "2018-11-28T09:00", "2018-12-13",
    ]  # fmt: skip
    first, audit, finance = meetings[:3]
    assert first.title == "Board of Directors on 2018-06-21 - (following Committee meetings)"
    assert (first.body, first.status, first.papers) == ("Board of Directors", "scheduled", ())
    assert show_papers(audit) == [("agenda", f"{host}/AgendaViewer.php?view_id=5&event_id=325")]
    assert show_papers(finance) == [("agenda", f"{host}/AgendaViewer.php?view_id=5&event_id=326")]
    assert meetings[-1].body == "Board of Directors"


@needs_samples
def test_a_real_meeting_keeps_its_id_when_it_is_archived() -> None:
    _, upcoming = read_real("granicus_viewpublisher_rta_upcoming.html", "rtachicago", "2018-06-01")
    _, archived = read_real("granicus_viewpublisher_rta.html", "rtachicago", "2018-12-20")
    ids = {meeting.vendor_id for meeting in upcoming} & {each.vendor_id for each in archived}
    assert {
        "2018-12-13-board-of-directors-following-committee-meetings",
        "2018-11-28-finance-committee",
    } <= ids


# Themes -------------------------------------------------------------------------------------------


def test_rows_without_classes_have_listed_items() -> None:
    page = read_view(
        table(
            "<tr><th>Name</th><th>Date</th></tr>",
            "<tr><td class='listedItem'>Town Council</td><td class='listedItem'>Mar 17, 26 - "
            "06:00 PM</td><td class='listedItem'><a "
            "href='AgendaViewer.php?view_id=2&amp;clip_id=9'>Agenda</a></td></tr>",
        )
    )
    (meeting,) = list_meetings(page)
    assert (meeting.title, meeting.starts) == ("Town Council", "2026-03-17T18:00")
    assert show_papers(meeting) == [("agenda", f"{HOST}/AgendaViewer.php?view_id=2&clip_id=9")]


def test_swapped_columns_take_the_name_from_the_panel() -> None:
    row = (
        "<tr class='even'><td class='listItem'>Tuesday, 03 / 31 / 2026</td><td class='listItem'>"
        "<a href='//harborville.granicus.com/AgendaViewer.php?view_id=2&clip_id=5'>Agenda</a></td>"
        "</tr>"
    )
    page = read_view(
        "<body><div class='CollapsiblePanel'><div class='CollapsiblePanelTab'>Planning Commission"
        f"</div><div class='CollapsiblePanelContent'>{table(row)}</div></div></body>"
    )
    (meeting,) = list_meetings(page)
    assert (meeting.title, meeting.body, meeting.starts) == (
        "Planning Commission", "Planning Commission", "2026-03-31",
    )  # fmt: skip


def test_documents_in_a_choice_are_found() -> None:
    page = read_view(
        table(
            "<tr class='odd'><td class='listItem' headers='Name'>City Council</td>"
            "<td class='listItem'>April 7, 2026 - 7:00 PM</td><td class='listItem'><select>"
            "<option value=''>Select</option>"
            "<option value='//harborville.granicus.com/AgendaViewer.php?view_id=2&amp;event_id=31'>"
            "Agenda</option><option value='https://files.example/pack 1.pdf'>Agenda Packet</option>"
            "<option value='//harborville.granicus.com/MinutesViewer.php?view_id=2&amp;clip_id=8'>"
            "Draft Minutes</option></select></td></tr>"
        )
    )
    (meeting,) = list_meetings(page)
    assert show_papers(meeting) == [
        ("agenda", f"{HOST}/AgendaViewer.php?view_id=2&event_id=31"),
        ("packet", "https://files.example/pack%201.pdf"),
        ("draft_minutes", f"{HOST}/MinutesViewer.php?view_id=2&clip_id=8"),
    ]


@pytest.mark.parametrize(
    ("cell", "starts"),
    [
        ("177489360003/30/26", "2026-03-30"),
        ("<span style='display:none'>1774893600</span>03/30/26 - 11:00 AM", "2026-03-30T11:00"),
        ("<span>1768204800</span>Jan&nbsp;12,&nbsp;2026", "2026-01-12"),
        ("1768204800", "2026-01-12"),
        ("Mar. 5, 2026 <br> 5:30&nbsp;p.m.", "2026-03-05T17:30"),
        ("Thursday, March 5, 2026 at noon", "2026-03-05T12:00"),
        ("Tue, Jun 9th, 2026 @ 6 PM", "2026-06-09T18:00"),
        ("9 de junio de 2026 - 6:00 PM", "2026-06-09T18:00"),
        ("9 juin 2026 18:30", "2026-06-09T18:30"),
        ("2026-06-11 18:00:00", "2026-06-11T18:00"),
    ],
)
def test_dates_are_read_as_printed(cell: str, starts: str) -> None:
    page = read_view(
        table(
            "<tr class='listingRow'><td class='listItem'>Parks Board</td>"
            f"<td class='listItem'>{cell}</td><td class='listItem'>"
            "<a href='/MediaPlayer.php?view_id=2&clip_id=4'>Video</a></td></tr>"
        )
    )
    (meeting,) = list_meetings(page)
    assert (meeting.title, meeting.starts) == ("Parks Board", starts)
    assert meeting.papers == ()
    assert meeting.video == f"{HOST}/MediaPlayer.php?view_id=2&clip_id=4"


def test_lists_and_cards_are_rows_too() -> None:
    page = read_view(
        "<body><h2>Upcoming Meetings</h2><ul>"
        "<li class='item'><h3>Library Board</h3><span class='event-date'>May 4, 2026 6:00 PM</span>"
        "<a href='/player/event/77'>Watch</a></li>"
        "<li class='item'><h3>Arts Board - CANCELED</h3><span class='event-date'>May 5, 2026</span>"
        "</li></ul><p>Updated May 1, 2026</p></body>"
    )
    library, arts = list_meetings(page)
    assert (library.title, library.starts, library.video) == (
        "Library Board", "2026-05-04T18:00", f"{HOST}/player/event/77",
    )  # fmt: skip
    assert (arts.title, arts.status, arts.vendor_id) == (
        "Arts Board - CANCELED", "cancelled", "2026-05-05-arts-board",
    )  # fmt: skip


def test_columns_may_be_in_any_order_and_have_a_time_and_a_place() -> None:
    page = read_view(
        table(
            "<tr class='listingRow'><td class='listItem'><a href='/AgendaViewer.php?view_id=2&"
            "event_id=3'>View</a></td><td class='listItem'>6:15 PM</td><td class='listItem' "
            "headers='Location'>Room 4</td><td class='listItem'>06/02/2026</td>"
            "<td class='listItem' headers='Name'>Zoning Board</td></tr>"
        )
    )
    (meeting,) = list_meetings(page)
    assert (meeting.title, meeting.starts, meeting.location) == (
        "Zoning Board", "2026-06-02T18:15", "Room 4",
    )  # fmt: skip


# Identity -----------------------------------------------------------------------------------------


def make_row(name: str, when: str, *links: str) -> str:
    anchors = "".join(f"<a href='/{link}'>{link.partition('Viewer')[0]}</a>" for link in links)
    return (
        f"<tr class='listingRow'><td class='listItem' headers='Name'>{name}</td>"
        f"<td class='listItem'>{when}</td><td class='listItem'>{anchors}</td></tr>"
    )


def test_a_meeting_stays_the_same_when_its_number_changes() -> None:
    before = make_row("City Council", "March 3, 2026 - 6:00 PM", "AgendaViewer.php?event_id=31")
    after = make_row(
        "City Council",
        "Mar 3, 2026",
        "AgendaViewer.php?clip_id=900",
        "MinutesViewer.php?clip_id=900",
    )
    (first,) = list_meetings(read_view(table(before)))
    (second,) = list_meetings(read_view(table(after)))
    assert first.vendor_id == second.vendor_id == "2026-03-03-city-council"
    assert (first.status, second.status) == ("scheduled", "held")


def test_the_event_and_the_clip_on_one_page_are_one_meeting() -> None:
    page = read_view(
        table(
            make_row("City Council", "March 3, 2026 - 6:00 PM", "AgendaViewer.php?event_id=31"),
            make_row("City Council", "Mar 3, 2026", "AgendaViewer.php?clip_id=900"),
            make_row("City Council", "Mar 3, 2026", "AgendaViewer.php?clip_id=900"),
        )
    )
    (meeting,) = list_meetings(page)
    assert meeting.starts == "2026-03-03T18:00"
    assert show_papers(meeting) == [("agenda", f"{HOST}/AgendaViewer.php?clip_id=900")]
    assert len(page.requests) == 1


def test_two_meetings_of_the_same_name_on_a_day_are_told_apart() -> None:
    page = read_view(
        table(
            make_row("City Council", "March 3, 2026 - 6:00 PM", "AgendaViewer.php?event_id=31"),
            make_row("City Council", "March 3, 2026 - 9:00 AM", "AgendaViewer.php?event_id=32"),
        )
    )
    found = {meeting.vendor_id: meeting.starts for meeting in list_meetings(page)}
    assert found == {
        "2026-03-03-city-council": "2026-03-03T09:00",
        "2026-03-03-city-council-2": "2026-03-03T18:00",
    }


def test_a_cancelled_meeting_keeps_its_id_and_its_agenda_is_not_asked_for() -> None:
    row = make_row("CANCELLED - City Council", "March 3, 2026", "AgendaViewer.php?event_id=31")
    page = read_view(table(row))
    (meeting,) = list_meetings(page)
    assert (meeting.vendor_id, meeting.status) == ("2026-03-03-city-council", "cancelled")
    assert page.requests == []


# Pages that list nothing, and other pages ---------------------------------------------------------


def test_an_empty_view_has_no_meetings() -> None:
    page = read_view("<body><div id='upcoming'>There are no upcoming events.</div></body>")
    assert (list(page.items), list(page.requests), list(page.warnings)) == ([], [], [])


@pytest.mark.parametrize(
    "html",
    [
        "<html><body><form><input type='password'>Sign in</form></body></html>",
        "<html><body><h1>Page not found</h1></body></html>",
        "<html><body><p><a href='/AgendaViewer.php?event_id=3'>Agenda</a> soon</p></body></html>",
    ],
)
def test_another_page_is_an_error(html: str) -> None:
    with pytest.raises(ContentBroken, match="ViewPublisher"):
        read_view(html)


def test_a_link_outside_of_all_rows_is_reported() -> None:
    row = make_row("City Council", "March 3, 2026", "AgendaViewer.php?event_id=31")
    page = read_view(f"<p><a href='/AgendaViewer.php?event_id=99'>Special</a></p>{table(row)}")
    assert page.warnings == [
        f"1 links belong to no meeting that can be read: {HOST}/AgendaViewer.php?event_id=99"
    ]


def test_meetings_outside_of_the_window_are_left_out() -> None:
    rows = [make_row("City Council", f"March {day}, 2026") for day in (1, 10, 20)]
    page = read_view(table(*rows), {"from": "2026-03-05", "to": "2026-03-15"})
    assert [meeting.starts for meeting in list_meetings(page)] == ["2026-03-10"]


def test_an_archive_of_many_years_is_read_as_far_as_the_window() -> None:
    rows = [
        make_row(f"Board {number}", f"March {number % 28 + 1}, {2026 - number // 28}")
        for number in range(2000)
    ]
    page = read_view(table(*rows), {"from": "2026-03-01", "to": "2026-03-31"})
    assert len(list_meetings(page)) == 28


def test_the_address_of_a_view_is_enough() -> None:
    tenant = GranicusTenant(site="https://harborville.granicus.com/ViewPublisher.php?view_id=12")
    (request,) = start(tenant, date(2026, 3, 1), None)
    assert request.url == f"{HOST}/ViewPublisher.php?view_id=12"
    assert request.context["today"] == "2026-03-01"


# Agendas ------------------------------------------------------------------------------------------

_META = f"{HOST}/MetaViewer.php?view_id=2&clip_id=7&meta_id="


def test_the_generated_agenda_has_sections_items_and_documents() -> None:
    page = read_agenda(
        "<html><body><strong>CITY OF HARBORVILLE</strong>"
        "<table><tr><td class='numberspace'><strong>2.</strong></td><td><strong>CONSENT CALENDAR"
        "</strong></td></tr></table>"
        "<table><tr><td class='numberspace'>2.1.</td><td>Purchase of radios <blockquote><a "
        f"href='{_META}10'>Memo</a></blockquote></td></tr>"
        "<tr><td class='numberspace'>1)</td><td>Adopt the resolution.</td></tr></table>"
        "<table><tr><td class='numberspace'>2.2.</td><td>Water pumps File ID: 2026-0012 <strong>"
        "Recommendation:</strong> Approve.</td></tr></table><blockquote>"
        f"<a href='{_META}11'>Staff report</a><a href='{_META}11'>Staff report</a></blockquote>"
        "<table><tr><td>3.</td><td>Rezoning of Pier Street</td></tr></table></body></html>"
    )
    (agenda,) = list_agendas(page)
    radios, pumps, pier = agenda.items
    assert agenda.meeting == "2026-03-03-city-council"
    assert (radios.number, radios.title, radios.section, radios.consent) == (
        "2.1", "Purchase of radios", "CONSENT CALENDAR", True,
    )  # fmt: skip
    assert [(p.kind.value, p.name, p.url) for p in radios.attachments] == [
        ("attachment", "Memo", f"{_META}10")
    ]
    assert (pumps.title, pumps.matter_file, pumps.text) == (
        "Water pumps", "2026-0012", "Recommendation: Approve.",
    )  # fmt: skip
    assert [p.url for p in pumps.attachments] == [f"{_META}11"]
    assert (pier.number, pier.section, pier.consent, pier.attachments) == ("3", None, False, ())
    assert [item.url for item in page.items if item.content is None] == [f"{_META}10", f"{_META}11"]


def test_the_grid_template_has_headings_as_items() -> None:
    page = read_agenda(
        "<div class='container'><div><h2><span>C.</span><span>Consent Items</span></h2></div>"
        "<div><h3><span>C.1</span><span><a href='https://d1.cloudfront.net/a.pdf'>Award a contract"
        "</a>(Jones)</span></h3><div><a href='https://d1.cloudfront.net/b.pdf'>Memo</a></div></div>"
        "<div><h3><span>C.2</span></h3><div><a href='https://d1.cloudfront.net/c.pdf'>Street trees"
        "</a></div></div></div>"
    )
    (agenda,) = list_agendas(page)
    assert [(item.number, item.title, len(item.attachments)) for item in agenda.items] == [
        ("C.1", "Award a contract (Jones)", 2),
        ("C.2", "Street trees", 1),
    ]
    assert {item.section for item in agenda.items} == {"Consent Items"}


def test_agenda_online_names_items_by_script() -> None:
    page = read_agenda(
        "<div class='accessible-item'><a href='#' onclick='loadAgendaItem(11,true)'>5. "
        "<span>Public Hearings</span></a></div><div class='accessible-item'>"
        "<a href='#' onclick='loadAgendaItem(12,false)'>5.A <span>Rezoning</span></a></div>"
    )
    (agenda,) = list_agendas(page)
    (item,) = agenda.items
    assert (item.vendor_id, item.number, item.title, item.section) == (
        "12", "5.A", "Rezoning", "Public Hearings",
    )  # fmt: skip


def test_a_frame_of_agenda_online_leads_to_its_accessible_agenda_once() -> None:
    frame = "<html><body><div id='app'>Loading</div></body></html>"
    url = "https://meet.harborville.example/AgendaOnline/Meetings/ViewMeeting?id=55&doctype=1"
    page = read_agenda(frame, url)
    (request,) = page.requests
    assert request.url == (
        "https://meet.harborville.example/AgendaOnline/Meetings/ViewMeetingAgenda"
        "?meetingId=55&type=agenda"
    )
    again = read(frame.encode(), request, TENANT)
    assert (list(again.requests), len(again.warnings)) == ([], 1)


def test_items_may_be_numbered_like_steps() -> None:
    page = read_agenda(
        "<table><tr><td>1)</td><td>Alder grove</td></tr><tr><td>2)</td><td>Birch lane</td></tr>"
        "</table>"
    )
    (agenda,) = list_agendas(page)
    assert [(item.number, item.title) for item in agenda.items] == [
        ("1", "Alder grove"), ("2", "Birch lane"),
    ]  # fmt: skip


def test_numbered_paragraphs_with_documents_are_items() -> None:
    page = read_agenda(
        "<p class=MsoNormal><b>CONSENT CALENDAR:</b></p><p class=MsoNormal>9. <a name='AI77_NAME'>"
        "</a><a href='Agenda/Item77/Documents.htm' target=fraDocuments>Pier lighting</a></p>"
        "<p class=MsoNormal>10. Speakers have 3 minutes.</p>"
    )
    (agenda,) = list_agendas(page)
    assert [(i.number, i.title, i.section, i.consent) for i in agenda.items] == [
        ("9", "Pier lighting", "CONSENT CALENDAR", True)
    ]
    assert [p.url for p in agenda.items[0].attachments] == [f"{HOST}/Agenda/Item77/Documents.htm"]


def test_words_in_a_first_cell_are_not_numbers() -> None:
    page = read_agenda(
        "<table><tr><td>To</td><td>All residents</td></tr><tr><td>5A.</td><td>Ferry fares</td></tr>"
        "<tr><td>VIII.</td><td>Dredging</td></tr></table>"
    )
    (agenda,) = list_agendas(page)
    assert [(item.number, item.title) for item in agenda.items] == [
        ("5A", "Ferry fares"), ("VIII", "Dredging"),
    ]  # fmt: skip


def test_a_missing_agenda_does_not_spoil_the_list() -> None:
    agenda = PortalRequest(url=f"{HOST}/AgendaViewer.php?event_id=3", step="agenda")
    page = recover(agenda, 404, TENANT)
    assert page is not None
    assert page.warnings == [f"{agenda.url} answered 404; what it lists is left out."]
    assert recover(agenda, 503, TENANT) is None
    assert recover(PortalRequest(url=HOST, step="meetings"), 404, TENANT) is None


@pytest.mark.parametrize("data", [b"%PDF-1.7 ...", b"PK\x03\x04", b"just words"])
def test_an_agenda_that_is_a_document_has_no_items_here(data: bytes) -> None:
    page = read_agenda(data)
    assert (list(page.items), list(page.warnings)) == ([], [])


def test_an_unpublished_agenda_is_not_a_warning_and_an_unknown_one_is() -> None:
    quiet = read_agenda("<body><p>This agenda is not currently published.</p></body>")
    loud = read_agenda("<body><p>Dear residents, welcome to the meeting.</p></body>")
    assert list(quiet.warnings) == []
    assert len(loud.warnings) == 1


# A local site -------------------------------------------------------------------------------------


def test_a_crawl_finds_every_meeting_of_a_generated_city() -> None:
    meetings = make_meetings()
    site = GranicusSite({"harborville": meetings})
    items, requests = crawl(GRANICUS, TENANT, site, TODAY)
    listed = list_meetings(PortalPage(items=items))
    wanted = site.find_window("harborville", TODAY, 30, 60)
    assert len(wanted) >= 5
    assert {(m.title.removeprefix("CANCELED - "), m.starts) for m in listed} == {
        (m.title, m.starts.strftime("%Y-%m-%dT%H:%M")) for m in wanted
    }
    agendas = {agenda.meeting: agenda for agenda in list_agendas(PortalPage(items=items))}
    by_id = {m.vendor_id: m for m in listed}
    for meeting in wanted:
        found = next(m for m in listed if m.starts == meeting.starts.strftime("%Y-%m-%dT%H:%M"))
        if meeting.cancelled:
            assert found.status == "cancelled"
            assert found.vendor_id not in agendas
        elif meeting.items:
            assert [(i.number, i.title) for i in agendas[found.vendor_id].items] == [
                (item.number, item.title) for item in meeting.items
            ]
            assert [len(i.attachments) for i in agendas[found.vendor_id].items] == [
                len(item.attachments) for item in meeting.items
            ]
    assert set(agendas) <= set(by_id)
    held = [m for m in wanted if not m.cancelled and m.items]
    assert len(requests) == 1 + len(held)


def test_a_crawl_after_the_meetings_are_archived_finds_the_same_ids() -> None:
    site = GranicusSite({"harborville": make_meetings()})
    before, _ = crawl(GRANICUS, TENANT, site, TODAY)
    site.today = date(2027, 12, 31)
    after, _ = crawl(GRANICUS, TENANT, site, TODAY)
    ids = [
        {m.vendor_id for m in list_meetings(PortalPage(items=items))} for items in (before, after)
    ]
    assert ids[0] == ids[1]
    assert len(ids[0]) >= 5
