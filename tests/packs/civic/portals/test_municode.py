"""Municode Meetings: a real publish page, the API, other tables, agendas, and a local site."""

import json
from datetime import date
from typing import Any

import pytest

from assay.packs.civic.portals.listed import ListedMeeting, MeetingStatus, PaperKind
from assay.packs.civic.portals.municode import MUNICODE, MunicodeTenant, read, recover, start
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import PortalPage, PortalRequest
from tests.packs.civic.portals.generated import TODAY, find_expected, generate_meetings
from tests.packs.civic.portals.samples import (
    crawl_entries,
    list_agendas,
    list_meetings,
    needs_samples,
    read_sample,
    show_papers,
)
from tests.packs.civic.portals.sites.municode import Mode, MunicodeSite, make_guid

STORAGE = "https://mccmeetings.blob.core.usgovcloudapi.net"
API = MunicodeTenant(site="elmford-oh")
PAGE = MunicodeTenant(site="ELMFORD")
GUID = "7b1add8e8e3441b7aa5d36b337aacb2c"


def _read(
    body: bytes | str,
    step: str,
    tenant: MunicodeTenant = API,
    url: str | None = None,
    window: tuple[str, str] = ("2026-01-01", "2026-12-31"),
    **context: str,
) -> PortalPage:
    data = body.encode() if isinstance(body, str) else body
    about = {"from": window[0], "to": window[1], **context}
    return read(data, PortalRequest(url=url or f"{tenant.base}/", step=step, context=about), tenant)


def _read_api(*rows: dict[str, Any]) -> PortalPage:
    return _read(json.dumps({"Meetings": list(rows)}), "api")


def _row(number: int = 5, when: Any = None, **fields: Any) -> dict[str, Any]:
    moment = [{"FromDate": "2026-03-18 16:00:00"}] if when is None else when
    return {"MeetingID": number, "Title": "Council", "CalendarDate": moment, **fields}


# The real page.


@needs_samples
def test_publish_page_of_clovis() -> None:
    tenant = MunicodeTenant(site="CLOVIS")
    url = f"{tenant.listing}&p=1"
    body = read_sample("municode_publishpage_clovis.html")
    page = _read(body, "table", tenant, url, ("2022-01-01", "2022-12-31"))
    meetings = list_meetings(page)
    stored = f"{STORAGE}/clovis-pubu/MEET"
    assert len(meetings) == 10
    assert sum(len(meeting.papers) for meeting in meetings) == 28
    first, last = meetings[0], meetings[-1]
    assert (first.vendor_id, first.title) == (GUID, "City Council Meeting")
    assert (first.starts, first.location) == (
        "2022-08-01T18:00",
        "1033 Fifth Street, Clovis, CA 93612",
    )
    assert show_papers(first) == [
        ("agenda", f"{stored}-Agenda-{GUID}.pdf"),
        ("packet", f"{stored}-Packet-{GUID}.pdf"),
    ]
    assert first.papers[0].name == "Agenda-City Council Meeting-August 1, 2022 6.00 PM"
    assert first.video == "https://youtu.be/KRYJCbJPlA8"
    assert [m.starts[:10] for m in meetings] == [
        "2022-08-01", "2022-07-18", "2022-07-05", "2022-06-20", "2022-06-13",
        "2022-06-06", "2022-05-16", "2022-05-09", "2022-05-02", "2022-04-18",
    ]  # fmt: skip
    assert show_papers(last)[2] == (
        "minutes",
        f"{stored}-Minutes-a7fcae5b2c7c49f780b6371b0d32f10c.pdf",
    )
    assert {m.status for m in meetings} == {MeetingStatus.SCHEDULED}
    agendas = [request.url for request in page.requests if request.step == "agenda"]
    assert len(agendas) == 10
    assert agendas[0] == (
        f"https://meetings.municode.com/adaHtmlDocument/index?cc=CLOVIS&me={GUID}&ip=True"
    )
    assert page.requests[-1].url == (
        "https://meetings.municode.com/PublishPage/index?cid=CLOVIS&ppid=0&p=2"
    )


@needs_samples
def test_pages_end_with_the_window() -> None:
    tenant = MunicodeTenant(site="CLOVIS")
    body = read_sample("municode_publishpage_clovis.html")
    window = ("2022-07-01", "2022-12-31")
    page = _read(body, "table", tenant, f"{tenant.listing}&p=1", window)
    assert len(list_meetings(page)) == 3
    assert {request.step for request in page.requests} == {"agenda"}


# Requests.


def test_a_name_with_a_hyphen_has_the_api_and_a_code_has_a_page() -> None:
    today = date(2026, 6, 1)
    (api,) = start(API, today, None)
    (page,) = start(PAGE, today, None)
    assert api.url == (
        "https://elmford-oh.municodemeetings.com/api/v1/public/meeting/list.json"
        "?datefrom=2026-05-02&dateto=2026-07-31"
    )
    assert page.url == "https://meetings.municode.com/PublishPage/index?cid=ELMFORD&ppid=0&p=-1"


def test_an_address_names_the_city_and_its_page() -> None:
    tenant = MunicodeTenant(
        site="https://meetings.municode.com/PublishPage/index?cid=elmford&ppid=5d44-1e&p=3"
    )
    assert tenant.listing.endswith("?cid=ELMFORD&ppid=5d44-1e")
    assert tenant.base == "https://meetings.municode.com/ELMFORD"
    own = MunicodeTenant(site="https://www.elmford.example/", code="ELMOH")
    assert (own.base, own.city) == ("https://www.elmford.example", "ELMOH")


def test_what_is_asked_instead_of_a_failed_request() -> None:
    (api,) = start(API, date(2026, 6, 1), None)
    (page,) = start(PAGE, date(2026, 6, 1), None)
    instead = recover(api, 404, API)
    assert instead is not None
    assert instead.requests[0].url == "https://elmford-oh.municodemeetings.com/?page=0"
    smaller = recover(page, 500, PAGE)
    assert smaller is not None
    assert smaller.requests[0].url.endswith("?cid=ELMFORD&ppid=0&p=1")
    assert recover(page, 404, PAGE) is None
    assert recover(smaller.requests[0], 500, PAGE) is None


# The API.


@pytest.mark.parametrize(
    ("when", "starts"),
    [
        ([2026, 3, 18, 16, 0], "2026-03-18T16:00"),
        ([2026, 3, 18], "2026-03-18"),
        (
            [{"FromDate": "2026-03-18 16:00:00", "ToDate": "2026-03-18 18:00:00"}],
            "2026-03-18T16:00",
        ),
        ("2026-03-18T16:00:00", "2026-03-18T16:00"),
    ],
)
def test_dates_have_several_forms(when: Any, starts: str) -> None:
    (meeting,) = list_meetings(_read_api(_row(when=when)))
    assert meeting.starts == starts


def test_a_placeholder_date_is_replaced_by_the_one_in_the_title() -> None:
    far = [{"FromDate": "2099-01-01 00:00:00"}]
    page = _read_api(
        _row(1, far, Title="Work Session 1-16-2026"), _row(2, far, Title="To be announced")
    )
    assert [(m.vendor_id, m.starts) for m in list_meetings(page)] == [("1", "2026-01-16")]


def test_meetings_at_night_are_in_utc() -> None:
    rows = [
        _row(number, [{"FromDate": f"2026-06-10 0{number}:00:00"}], Title=f"Council {number}")
        for number in range(3)
    ]
    page = _read_api(*rows)
    starts = [meeting.starts for meeting in list_meetings(page)]
    assert starts == ["2026-06-09T20:00", "2026-06-09T21:00", "2026-06-09T22:00"]
    assert "UTC" in page.warnings[0]


def test_links_of_a_listed_meeting() -> None:
    stored = f"{STORAGE}/elmoh-pubu/MEET"
    page = _read_api(
        _row(
            GroupName="City Council",
            BodySummary="REVISED",
            OriginMeetingID=GUID,
            AgendaLinksURL=f"{stored}-Agenda-{GUID}.pdf",
            AgendaLinksHtmlURL=f"//meetings.municode.com/adaHtmlDocument/index?cc=ELMOH&me={GUID}",
            AgendaPacketURL=f"//meetings.municode.com/d/f?u={stored}-Packet-{GUID}.pdf&n=P 1.pdf",
            MinutesLinks=[{"MinutesLinksURL": "https://files.example/draft minutes.pdf"}],
            VideoURL="https://youtu.be/abc",
        )
    )
    (meeting,) = list_meetings(page)
    assert (meeting.vendor_id, meeting.body, meeting.notes) == ("5", "City Council", "REVISED")
    assert show_papers(meeting) == [
        ("agenda", f"{stored}-Agenda-{GUID}.pdf"),
        ("packet", f"{stored}-Packet-{GUID}.pdf"),
        ("minutes", "https://files.example/draft%20minutes.pdf"),
    ]
    assert meeting.video == "https://youtu.be/abc"
    assert [request.url for request in page.requests] == [
        f"https://meetings.municode.com/adaHtmlDocument/index?cc=ELMOH&me={GUID}"
    ]
    assert json.loads(meeting.raw)["Title"] == "Council"


def test_details_are_asked_for_where_the_list_has_no_links() -> None:
    page = _read_api(_row(RevisionID=12), _row(6, Title="Council - CANCELLED"))
    (request,) = page.requests
    assert request.url == f"{API.base}/api/v1/public/meeting/5/details.json"
    assert (request.step, request.changed) == ("details", "revision 12")


def test_details_and_agenda_are_stored_together() -> None:
    url = f"{STORAGE}/elmoh-pubu/MEET-Minutes-{GUID}.pdf"
    details = json.dumps({"Meetings": [{"MinutesLinks": [{"MinutesLinksURL": url}]}]})
    page = _read(details, "details", meeting="5", held="2026-03-18", guid="")
    (request,) = page.requests
    assert (page.items, request.step) == ((), "agenda")
    assert request.url.endswith(f"?cc=ELMOH&me={GUID}&ip=True")
    read_page = read(b"<div class=ap-agenda></div>", request, API)
    (agenda,) = list_agendas(read_page)
    assert [(paper.kind, paper.url) for paper in agenda.papers] == [(PaperKind.MINUTES, url)]
    instead = recover(request, 404, API)
    assert instead is not None
    assert list_agendas(instead)[0].papers == agenda.papers


def test_details_without_an_agenda_page() -> None:
    details = json.dumps({"Meetings": [{"AgendaLinks": [{"URL": "https://files.example/a.pdf"}]}]})
    page = _read(details, "details", meeting="5", held="2026-03-18", guid="")
    (agenda,) = list_agendas(page)
    assert [paper.kind for paper in agenda.papers] == [PaperKind.AGENDA]
    nothing = _read('{"Meetings": [{}]}', "details", meeting="5", held="2026-03-18", guid="")
    assert (nothing.items, nothing.requests) == ((), ())


@pytest.mark.parametrize(
    "body", ["<html>Log in</html>", "[]", '{"Error": "no"}', '{"Meetings": [{"id": 1}]}']
)
def test_another_answer_of_the_api_is_an_error(body: str) -> None:
    with pytest.raises(ContentBroken):
        _read(body, "api")


def test_details_of_something_else_are_an_error() -> None:
    with pytest.raises(ContentBroken, match="details"):
        _read('{"value": []}', "details", meeting="5", held="2026-03-18", guid="")


def test_an_empty_list_of_the_api() -> None:
    assert _read_api().items == []


# Tables.


def _only(page: PortalPage) -> ListedMeeting:
    (meeting,) = list_meetings(page)
    return meeting


def test_columns_are_found_by_their_headers() -> None:
    body = f"""<table><tr><th>Location</th><th>Board</th><th>Meeting Type</th><th>Meeting Date</th>
      <th>Start Time</th><th>Agenda Packet</th><th>Recording</th></tr>
      <tr><td>Hall</td><td>Zoning Board</td><td>Regular&nbsp;Meeting</td><td>3/4/26</td>
      <td>noon</td><td><a href="{STORAGE}/elm-pubu/MEET-Packet-{GUID}.pdf">PDF</a></td>
      <td><a href="https://accounts.google.com/ServiceLogin?service=youtube">Sign in</a>
      <a href="/media/9">Watch</a></td></tr></table>"""
    meeting = _only(_read(body, "table"))
    assert (meeting.title, meeting.body) == ("Regular Meeting", "Zoning Board")
    assert (meeting.starts, meeting.location) == ("2026-03-04T12:00", "Hall")
    assert [paper.kind for paper in meeting.papers] == [PaperKind.PACKET]
    assert meeting.video == f"{API.base}/media/9"


def test_a_list_that_runs_drupal() -> None:
    body = f"""<table class="views-table"><thead><tr>
      <th class="views-field views-field-field-smart-date">Date</th>
      <th class="views-field views-field-title">Meeting</th><th>Agenda</th><th></th></tr></thead>
      <tbody><tr><td class="views-field views-field-field-smart-date">Mar 24, 2026 | 6pm - 7pm</td>
      <td class="views-field views-field-title"><a href="/council/page/meeting-27">Council</a></td>
      <td class="views-field views-field-nothing">
       <a href="https://meetings.municode.com/adaHtmlDocument/index?cc=ELM&me={GUID}&ip=False">H</a>
       <a href="https://meetings.municode.com/adaHtmlDocument/index?cc=ELM&me={GUID}&ip=True">P</a>
      </td><td class="views-field views-field-nothing-1"><a href="/sites/plan.pdf">Plan</a></td>
      </tr></tbody></table>"""
    page = _read(body, "table")
    meeting = _only(page)
    ada = f"https://meetings.municode.com/adaHtmlDocument/index?cc=ELM&me={GUID}&ip"
    assert (meeting.vendor_id, meeting.starts) == (GUID, "2026-03-24T18:00")
    assert meeting.page == f"{API.base}/council/page/meeting-27"
    assert show_papers(meeting) == [
        ("other", f"{API.base}/sites/plan.pdf"),
        ("agenda", f"{ada}=False"),
        ("packet", f"{ada}=True"),
    ]
    assert [request.url for request in page.requests] == [f"{ada}=True"]


def test_a_header_of_plain_cells_in_a_table_inside_another() -> None:
    body = """<table><tr><td><table><tr><td>Date</td><td>Meeting</td><td>Minutes</td></tr>
      <tr class="canceled"><td>March 4, 2026 7:00 PM</td><td>Council</td>
      <td><a href="/minutes/4.pdf">Draft</a></td></tr></table></td></tr></table>"""
    meeting = _only(_read(body, "table"))
    assert (meeting.title, meeting.starts) == ("Council", "2026-03-04T19:00")
    assert meeting.status is MeetingStatus.CANCELLED
    assert [paper.kind for paper in meeting.papers] == [PaperKind.DRAFT_MINUTES]


def test_a_row_without_documents_has_an_id_of_its_own() -> None:
    body = """<table><tr><th>Meeting</th><th>Date</th></tr>
      <tr><td>Council - Canceled</td><td>03/04/2026</td></tr>
      <tr><td>Council</td><td>to be announced</td></tr></table>"""
    page = _read(body, "table")
    meeting = _only(page)
    assert len(meeting.vendor_id) == 16
    assert (meeting.status, page.requests) == (MeetingStatus.CANCELLED, [])


@pytest.mark.parametrize(
    "body",
    [
        "<table class=mcm><tr><th>Meeting</th><th>Date</th></tr></table>",
        "<div class=view-empty>Nothing here</div>",
        "<p>There are no upcoming meetings.</p>",
    ],
)
def test_an_empty_table(body: str) -> None:
    assert _read(body, "table").items == []


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Welcome</h1>",
        "<table><tr><td>1</td></tr></table>",
        "<table><tr><th>Name</th><th>Date</th></tr><tr><td>A</td><td>4 floréal</td></tr></table>",
    ],
)
def test_a_page_without_a_table_is_an_error(body: str) -> None:
    with pytest.raises(ContentBroken, match="not a table of Municode meetings"):
        _read(body, "table")


def test_pages_are_bounded() -> None:
    body = """<table><tr><th>Meeting</th><th>Date</th></tr><tr><td>Council</td><td>3/4/2026</td>
      </tr></table><a rel=next href="/?page=101">next</a>"""
    assert _read(body, "table", number="99").requests[-1].context["number"] == "100"
    with pytest.raises(ContentBroken, match="after 100"):
        _read(body, "table", number="100")


# Agendas.

AGENDA = """<html><body><header><h1><span>Town Council at 6:00 PM</span>
<span>Wednesday, March 18, 2026 06:00 PM</span><span>25 River Circle</span></h1></header>
<div class="ap-agenda"><section class="agenda-section"><h2 class="section-header"></h2></section>
<section class="agenda-section"><h2 class="section-header"><div><p><num>1.</num>
 <span>CALL TO ORDER</span></p></div></h2></section>
<section class="agenda-section"><h2 class="section-header"><div><p><num>2.</num>
 <b>C</b>ONSENT AGENDA<br>These items are enacted by one motion.</p></div></h2>
 <ol class="agenda-items"><li><div><p><num>a.</num><span>Minutes of the</span> <b>May</b>
 meeting</p></div></li><ul class="agenda_item_attachments"><li>
 <a href="//files.example/may 1.pdf">may.pdf</a> (0.02 MB)</li>
 <li><a href="javascript:alert(1)">bad</a></li></ul>
 <li><div><p><num>b.</num>Lease of the mill:</p><p>Ten years.</p></div></li></ol></section>
<section class="agenda-section"><h2 class="section-header">HEARINGS</h2>
 <ul class="agenda-items"><li><p><num>a.</num>Zoning of Mill Lane</p>
 <ul class="agenda_item_attachments"><li><a href="https://files.example/map.pdf">Map (1 MB)</a></li>
 </ul></li></ul></section></div></body></html>"""


def _read_agenda(body: str, **context: Any) -> PortalPage:
    return _read(body, "agenda", meeting="5", held="2026-03-18", **context)


def test_items_of_an_agenda() -> None:
    page = _read_agenda(AGENDA)
    (agenda,) = list_agendas(page)
    assert [(i.vendor_id, i.number, i.title, i.section) for i in agenda.items] == [
        ("a", "a", "Minutes of the May meeting", "CONSENT AGENDA"),
        ("b", "b", "Lease of the mill:", "CONSENT AGENDA"),
        ("a-2", "a", "Zoning of Mill Lane", "HEARINGS"),
    ]
    assert [item.consent for item in agenda.items] == [True, True, False]
    assert agenda.items[1].text == "Ten years."
    assert (agenda.starts, agenda.location) == ("2026-03-18T18:00", "25 River Circle")
    attached = [[(p.name, p.url) for p in item.attachments] for item in agenda.items]
    assert attached == [
        [("may.pdf", "https://files.example/may%201.pdf")],
        [],
        [("Map", "https://files.example/map.pdf")],
    ]
    # The documents of the minutes' item are not fetched.
    assert [item.url for item in page.items if item.content is None] == [
        "https://files.example/map.pdf"
    ]


def test_a_page_without_an_agenda_is_an_error_unless_its_address_was_a_guess() -> None:
    assert _read_agenda("<p>No document</p>", guessed="yes").items == ()
    with pytest.raises(ContentBroken, match="not a Municode agenda"):
        _read_agenda("<p>No document</p>")


# A local site.


@pytest.mark.parametrize("mode", ["api", "details", "drupal", "publish", "publish_pages"])
def test_all_meetings_of_a_local_site_are_found(mode: Mode) -> None:
    meetings = generate_meetings()
    site = MunicodeSite({"elmford-oh": meetings}, mode)
    name = "ELMFORDOH" if mode.startswith("publish") else "elmford-oh"
    crawled = crawl_entries(MUNICODE, MunicodeTenant(site=name), site, TODAY)
    expected = {f"{m.starts:%Y-%m-%dT%H:%M}": m for m in find_expected(meetings)}
    assert {m.starts for m in crawled.meetings} == set(expected)
    assert len(crawled.meetings) == len(expected) == 6
    for meeting in crawled.meetings:
        wanted = expected[meeting.starts]
        assert meeting.title.startswith(wanted.title)
        assert (meeting.status is MeetingStatus.CANCELLED) == wanted.cancelled
        assert meeting.location == (None if mode == "drupal" else wanted.location)
        assert bool(meeting.papers) == (bool(wanted.items) and mode != "details")
    ids = {m.vendor_id: expected[m.starts] for m in crawled.meetings}
    held = {number for number, m in ids.items() if m.items and not m.cancelled}
    assert set(crawled.agendas) == held
    for number, agenda in crawled.agendas.items():
        listed = [(item.number, item.title) for item in ids[number].items]
        assert [(item.number, item.title) for item in agenda.items] == listed
        assert [len(item.attachments) for item in agenda.items] == [1, 0]
    stored = {m for m in expected.values() if m.items and not m.cancelled}
    found = {url for url in crawled.documents if "MEET-Agenda" in url}
    assert {make_guid(m) for m in stored} <= {url[-36:-4] for url in found}


def test_only_the_pages_of_the_window_are_asked_for() -> None:
    site = MunicodeSite({"elmford-oh": generate_meetings(40)}, "drupal")
    tenant = MunicodeTenant(site="elmford-oh", days_ahead=700)
    crawled = crawl_entries(MUNICODE, tenant, site, TODAY)
    pages = [request.url for request in crawled.requests if request.step == "table"]
    assert len(pages) == 9
    assert len(crawled.meetings) == 35
