"""CivicWeb: meetings, their documents and videos, agendas from Word, and the pages instead."""

import json
from datetime import date, datetime
from typing import Any

import pytest

from assay.packs.civic.portals.civicweb import CIVICWEB, CivicwebTenant, read, recover, start
from assay.packs.civic.portals.listed import ListedAgenda, MeetingStatus, PaperKind
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
from tests.packs.civic.portals.sites.civicweb import CivicWebSite

TENANT = CivicwebTenant(site="stonebrook")
BASE = "https://stonebrook.civicweb.net"
SERVICE = f"{BASE}/Services/MeetingsService.svc/meetings"
CONTEXT = {"meeting": "40", "held": "2026-04-20T18:00"}
LIST = PortalRequest(url=SERVICE, step="meetings")
DOCUMENTS = PortalRequest(url=f"{SERVICE}/40/meetingDocuments", step="documents", context=CONTEXT)
VIDEO = PortalRequest(url=f"{BASE}/api/videolink/40", step="video", changed="s", context=CONTEXT)
PAGES = PortalRequest(url=f"{BASE}/Portal/MeetingTypeList.aspx", step="list")
PAGE = PortalRequest(
    url=f"{BASE}/Portal/MeetingInformation.aspx?Id=40", step="page", context=CONTEXT
)


def _read_list(*rows: dict[str, Any], today: str | None = None) -> PortalPage:
    context = {"today": today} if today else {}
    request = PortalRequest(url=SERVICE, step="meetings", context=context)
    return read(json.dumps(rows).encode(), request, TENANT)


def _row(**changes: Any) -> dict[str, Any]:
    return {
        "Id": 40, "Name": "Council - Apr 20 2026", "MeetingDateTime": "2026-04-20 18:00",
        "Published": True, "VideoIcon": "",
    } | changes  # fmt: skip


def _read_documents(answer: Any) -> ListedAgenda:
    page = read(json.dumps(answer).encode(), DOCUMENTS, TENANT)
    return list_agendas(page.items)[0]


def _document(**changes: Any) -> dict[str, Any]:
    return {"Id": 9, "Type": 1, "DocumentType": 1, "IsPublic": True, "Name": "Council"} | changes


@needs_samples
def test_the_meetings_of_las_cruces() -> None:
    tenant = CivicwebTenant(site="lascruces")
    page = read((SAMPLES / "civicweb_meetings_lascruces.json").read_bytes(), LIST, tenant)
    meetings = list_meetings(page.items)
    assert [(each.vendor_id, each.title, each.starts) for each in meetings] == [
        ("11014", "Agenda Setting Meeting", "2026-10-26T17:00"),
        ("10738", "ASCMV Closed Meeting", "2024-06-27T09:00"),
        ("11025", "Work Session - CIAC", "2026-01-22T14:00"),
        ("10853", "Special City Council Meeting", "2025-01-13T09:00"),
        ("11053", "Closed Meeting", "2026-04-20T10:00"),
        ("10784", "Planning & Zoning", "2024-10-22T18:00"),
        ("10777", "Press Conferences & Forums", "2024-08-30T09:00"),
        ("10669", "Work Session", "2024-08-26T13:00"),
        ("11023", "Tax Increment Development District Board Meeting", "2026-10-26T13:00"),
        ("11052", "Utilities - Regular Meeting", "2026-04-09T15:00"),
    ]
    assert {each.status for each in meetings} == {MeetingStatus.SCHEDULED}
    assert meetings[2].location == "Utilities"
    assert meetings[-1].location == "680 N. Motel Blvd."
    assert meetings[0].page == (
        "https://lascruces.civicweb.net/Portal/MeetingInformation.aspx?Org=Cal&Id=11014"
    )
    assert [(each.step, each.context["meeting"]) for each in page.requests] == [
        ("documents", "10738"), ("documents", "11025"), ("video", "10853"), ("documents", "10777"),
        ("documents", "10669"),
    ]  # fmt: skip


@needs_samples
def test_the_documents_of_a_cancelled_meeting_of_las_cruces() -> None:
    tenant = CivicwebTenant(site="lascruces")
    data = (SAMPLES / "civicweb_meetingdocuments_lascruces.json").read_bytes()
    page = read(data, DOCUMENTS, tenant)
    (agenda,) = list_agendas(page.items)
    base = "https://lascruces.civicweb.net/document"
    assert agenda.status is MeetingStatus.CANCELLED
    # The two other documents are not public.
    assert [(each.kind, each.name, each.url) for each in agenda.papers] == [
        (PaperKind.AGENDA, "Work Session - Aug 26 2024", f"{base}/202869/?printPdf=true")
    ]
    assert [(each.vendor_id, each.number, each.title, each.section) for each in agenda.items] == [
        ("202864", "3.1", "CITY STRATEGIC PLAN REPORT.", "AGENDA ITEM"),
        ("202866", "3.2", "6TH SEMI-ANNUAL POLICE AUDIT REPORT PRESENTED BY THE OIR GROUP.",
         "AGENDA ITEM"),
    ]  # fmt: skip
    assert [(each.name, each.url) for item in agenda.items for each in item.attachments] == [
        ("WS #24-035 - Pdf", f"{base}/202803/CITY%20STRATEGIC%20PLAN%20REPORT..pdf"
         "?handle=0248814C7FF248A7A0F924C3A08C8DC9"),
        ("WS #24-045 - Pdf", f"{base}/200805/6TH%20SEMI-ANNUAL%20POLICE%20AUDIT%20REPORT%20"
         "PRESENTED%20B.pdf?handle=AC40D0441F1C4C45BDE8B02B30EE702C"),
    ]  # fmt: skip
    assert {each.text for each in agenda.items} == {None}
    assert len(list_paper_urls(page.items)) == 3


@needs_samples
def test_the_video_of_las_cruces() -> None:
    data = (SAMPLES / "civicweb_videolink_lascruces.json").read_bytes()
    page = read(data, VIDEO, TENANT)
    (request,) = page.requests
    assert (request.url, request.step, request.changed) == (DOCUMENTS.url, "documents", "s")
    assert request.context["video"] == "https://www.youtube.com/watch?v=SHlqV-UB5wc"
    answer = read(b"[]", request, TENANT)
    assert list_agendas(answer.items)[0].video == request.context["video"]


def test_the_window_is_asked_for_in_one_request() -> None:
    tenant = CivicwebTenant(site="https://stonebrook.diligent.community", days_back=5, days_ahead=9)
    (request,) = start(tenant, date(2026, 4, 15), None)
    assert request.url == (
        "https://stonebrook.diligent.community/Services/MeetingsService.svc/meetings"
        "?from=2026-04-10&to=2026-04-24"
    )
    rows = [_row(Id=1), _row(Id=2, MeetingDateTime="2026-04-25 09:00")]
    page = read(json.dumps(rows).encode(), request, tenant)
    assert [each.vendor_id for each in list_meetings(page.items)] == ["1"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Council - 22 Sep 2026", "Council"),
        ("Council Meeting- Jun 27 2024", "Council Meeting"),
        ("Council, September 22, 2026", "Council"),
        ("Water Agency - May 27 2026 - NO MEETING", "Water Agency - NO MEETING"),
        ("Budget 2026 Workshop", "Budget 2026 Workshop"),
        ("May Day Committee", "May Day Committee"),
    ],
)
def test_the_date_is_not_part_of_the_title(name: str, title: str) -> None:
    assert list_meetings(_read_list(_row(Name=name)).items)[0].title == title


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("Water Agency - May 27 2026 - NO MEETING", MeetingStatus.CANCELLED),
        ("***CANCELLED*** Council - 22 Sep 2026", MeetingStatus.CANCELLED),
        ("Council - Rescheduled - 22 Sep 2026", MeetingStatus.POSTPONED),
        ("Council - 22 Sep 2026", MeetingStatus.SCHEDULED),
    ],
)
def test_the_status_is_in_the_name(name: str, status: MeetingStatus) -> None:
    assert list_meetings(_read_list(_row(Name=name)).items)[0].status is status


def test_the_names_of_diligent_community() -> None:
    row = _row(CleanName="Regular Meeting", MeetingTypeName="Board of Education")
    (meeting,) = list_meetings(_read_list(row).items)
    assert (meeting.title, meeting.body) == ("Regular Meeting", "Board of Education")


def test_dates_may_be_given_in_several_ways() -> None:
    page = _read_list(
        _row(Id=1, MeetingDateTime="", MeetingDate="2026-04-20", MeetingTime="05:30 PM"),
        _row(Id=2, MeetingDateTime=None),
        _row(Id=3, MeetingDateTime="2026-04-20 00:00"),
        _row(Id=4, MeetingDateTime=None, Name="Council"),
    )
    assert [each.starts for each in list_meetings(page.items)] == [
        "2026-04-20T17:30", "2026-04-20", "2026-04-20",
    ]  # fmt: skip
    assert page.warnings == ["Meeting 4 has no date and was left out."]


def test_the_draft_of_a_published_meeting_is_left_out() -> None:
    page = _read_list(_row(Id=1, Published=False), _row(Id=2), _row(Id=3, Name="Other"))
    assert [each.vendor_id for each in list_meetings(page.items)] == ["2", "3"]


def test_documents_are_asked_for_only_where_there_may_be_some() -> None:
    page = _read_list(_row(Published=False), _row(Id=41, Name="Fair", ExternalCalendar=True))
    assert len(list_meetings(page.items)) == 2
    assert page.requests == []


@pytest.mark.parametrize(
    ("days", "is_same"),
    [
        (("2026-04-20", "2026-04-20"), True),
        (("2026-04-19", "2026-04-20"), False),
        (("2026-04-27", "2026-05-03"), True),
        (("2026-05-03", "2026-05-04"), False),
        (("2026-09-01", "2026-10-01"), True),
    ],
)
def test_how_often_documents_are_asked_for(days: tuple[str, str], is_same: bool) -> None:
    first, second = (_read_list(_row(), today=day).requests[0].changed for day in days)
    assert (first == second) is is_same


@pytest.mark.parametrize(
    "body",
    [b'{"Message": "no"}', b"<html>Sign in</html>", b"", b"null"],
)
@pytest.mark.parametrize("request_", [LIST, DOCUMENTS])
def test_an_unexpected_response_is_not_an_empty_list(body: bytes, request_: PortalRequest) -> None:
    with pytest.raises(ContentBroken):
        read(body, request_, TENANT)


def test_no_meetings_are_no_error() -> None:
    page = _read_list()
    assert (page.items, page.requests) == ([], [])


@pytest.mark.parametrize(
    ("answer", "video"),
    [
        (
            [{"ShowVideoLink": True, "VideoUrl": "https://video.example/1"}],
            "https://video.example/1",
        ),
        ([{"ShowVideoLink": False, "YouTubeEventId": "x"}], None),
        ([{"YouTube": True, "Event": {"eventId": "q1"}}], "https://www.youtube.com/watch?v=q1"),
        ("", None),
        ("[]", None),
    ],
)
def test_the_address_of_a_video(answer: Any, video: str | None) -> None:
    page = read(json.dumps(answer).encode(), VIDEO, TENANT)
    assert page.requests[0].context.get("video") == video


def test_the_kinds_of_documents() -> None:
    agenda = _read_documents(
        {
            "MeetingDateFormatted": "x",
            "Documents": [
                _document(),
                _document(Id=10, DocumentType=4),
                _document(Id=11, Type=2, Name="Draft Minutes"),
                _document(Id=12, Type=2),
                _document(Id=13, Type=7, Name="Notice"),
                _document(Id=14, IsPublic=False),
                _document(Id=9),
            ],
        }
    )
    assert [(each.url.split("/")[-2], each.kind) for each in agenda.papers] == [
        ("9", PaperKind.AGENDA),
        ("10", PaperKind.PACKET),
        ("11", PaperKind.DRAFT_MINUTES),
        ("12", PaperKind.MINUTES),
        ("13", PaperKind.OTHER),
    ]
    assert (agenda.items, agenda.status) == ((), None)


def test_an_agenda_from_word() -> None:
    html = """
        <p>Council of Stonebrook</p><p>If this meeting is cancelled, a notice is posted at the hall
        and on the web, as required by law.</p>
        <p><a name="AgendaHeading1"></a></p><p>4.</p><p>CONSENT AGENDA</p>
        <table><tr><td><p><a name="AgendaItem21"></a>4.a)</p></td>
        <td><p>Plan<span>ning</span> of the quay&nbsp;</p><p>Second paragraph.</p>
        <p>See <a href="//files.example/document/77/Quay map.pdf?handle=A">Map</a> enclosed</p></td>
        <td><p>3 - 17</p></td></tr></table>
        <p><a name="AgendaItem22"></a></p>
        <ul><li><p><a href="/document/78/x.pdf">Fees By-law</a></p></li></ul>
        <p><a name="AgendaHeading2"></a></p><p>5. REPORTS</p>
        <p><a href="/document/79/y.pdf">All reports</a></p>
        <p><a name="AgendaItem23"></a></p><p>Adjourn</p>
        <p><a name="AgendaItem24"></a></p><p>&nbsp;</p>
    """
    agenda = _read_documents([_document(Html=html)])
    assert [(e.vendor_id, e.number, e.title, e.section, e.consent) for e in agenda.items] == [
        ("21", "4.a", "Planning of the quay", "CONSENT AGENDA", True),
        ("22", None, "Fees By-law", "CONSENT AGENDA", True),
        ("2", "5", "REPORTS", "CONSENT AGENDA", True),
        ("23", None, "Adjourn", "REPORTS", False),
    ]
    assert agenda.items[0].text == "Second paragraph. See enclosed"
    assert [(each.name, each.url) for item in agenda.items for each in item.attachments] == [
        ("Map", "https://files.example/document/77/Quay%20map.pdf?handle=A"),
        ("Fees By-law", f"{BASE}/document/78/x.pdf"),
        ("All reports", f"{BASE}/document/79/y.pdf"),
    ]
    assert agenda.status is None


def test_a_long_agenda_is_read_to_its_end() -> None:
    html = "".join(
        f"<p><a name='AgendaItem{number}'></a></p><table><tr><td><p>{number}.</p></td><td><p>Item "
        f"{number}</p>{'<p><span>word</span></p>' * 20}</td></tr></table>"
        for number in range(600)
    )
    agenda = _read_documents([_document(Html=html)])
    assert [item.title for item in agenda.items] == [f"Item {number}" for number in range(600)]


def test_the_cover_may_cancel_a_meeting() -> None:
    cover = "<table><tr><td><p>WORK <b>SESSION</b></p><p>POSTPONED</p></td></tr></table>"
    agenda = _read_documents([_document(Html="<p>Agenda</p>", AgendaCover=cover)])
    assert agenda.status is MeetingStatus.POSTPONED


def test_what_is_asked_for_after_an_error() -> None:
    instead = recover(LIST, 404, TENANT)
    assert instead is not None
    assert instead.requests[0].url == PAGES.url
    without_video = recover(VIDEO, 500, TENANT)
    assert without_video is not None
    assert without_video.requests[0].url == DOCUMENTS.url
    gone = recover(DOCUMENTS, 404, TENANT)
    assert gone is not None
    assert "not public" in gone.warnings[0]
    assert recover(DOCUMENTS, 503, TENANT) is None
    assert recover(LIST, 503, TENANT) is None


def test_the_page_of_meetings_by_body() -> None:
    html = """<html><form><a href="/Portal/MeetingInformation.aspx?type=3">City&nbsp;Council</a>
        <a href="/Portal/MeetingInformation.aspx?Org=Cal&amp;Id=7">City Council - 18 Mar 2026</a>
        <a href="MeetingInformation.aspx?Id=7">City Council - 18 Mar 2026</a>
        <a href="MeetingInformation.aspx?Id=8">***CANCELLED*** Council Retreat - 20 Mar 2026</a>
        <a href="MeetingInformation.aspx?type=4">Parks Board</a>
        <a href="MeetingInformation.aspx?Id=9">Parks Board - Mar 31 2026</a>
        <a href="MeetingInformation.aspx?Id=10">About us</a></form></html>"""
    page = read(html.encode(), PAGES, TENANT)
    meetings = list_meetings(page.items)
    assert [(e.vendor_id, e.body, e.starts, e.status) for e in meetings] == [
        ("7", "City Council", "2026-03-18", MeetingStatus.SCHEDULED),
        ("8", "City Council", "2026-03-20", MeetingStatus.CANCELLED),
        ("9", "Parks Board", "2026-03-31", MeetingStatus.SCHEDULED),
    ]
    assert meetings[0].title == "City Council"
    assert [request.url for request in page.requests] == [
        f"{BASE}/Portal/MeetingInformation.aspx?Org=Cal&Id=7",
        f"{BASE}/Portal/MeetingInformation.aspx?Id=8",
        f"{BASE}/Portal/MeetingInformation.aspx?Id=9",
    ]
    with pytest.raises(ContentBroken, match="not a CivicWeb page"):
        read(b"<html><body>Down for maintenance</body></html>", PAGES, TENANT)


def test_the_page_of_a_meeting() -> None:
    html = """<html><form><a href="/document/5/Agenda.pdf?handle=A">Agenda - Pdf</a>
        <a href="/document/5/Agenda.docx?handle=A">Agenda - Word</a>
        <a href="/document/6/Minutes.pdf?handle=B" title="Minutes"></a></form></html>"""
    (agenda,) = list_agendas(read(html.encode(), PAGE, TENANT).items)
    assert [(each.kind, each.url) for each in agenda.papers] == [
        (PaperKind.AGENDA, f"{BASE}/document/5/Agenda.pdf?handle=A"),
        (PaperKind.MINUTES, f"{BASE}/document/6/Minutes.pdf?handle=B"),
    ]
    with pytest.raises(ContentBroken, match="not a CivicWeb page"):
        read(b"<html><body>Down for maintenance</body></html>", PAGE, TENANT)


@pytest.mark.parametrize("site", ["http://stonebrook.local", "http://local/stonebrook"])
@pytest.mark.parametrize("is_closed", [False, True])
def test_a_local_city(site: str, is_closed: bool) -> None:
    city = make_meetings(datetime(2026, 4, 15, 18, 30), 20)
    tenant = CivicwebTenant(site=site, days_back=100, days_ahead=100)
    local = CivicWebSite({"stonebrook": city}, ["stonebrook"] if is_closed else [])
    items, requests = crawl(CIVICWEB, tenant, local, date(2026, 4, 15))
    meetings = sorted(list_meetings(items), key=lambda each: each.starts)
    form = "%Y-%m-%d" if is_closed else "%Y-%m-%dT%H:%M"
    assert [(each.vendor_id, each.title, each.body, each.starts) for each in meetings] == [
        (str(each.number), each.title, each.body, f"{each.starts:{form}}") for each in city
    ]
    assert [each.status is MeetingStatus.CANCELLED for each in meetings] == [
        each.cancelled for each in city
    ]
    agendas = {each.meeting: each for each in list_agendas(items)}
    with_items = [each for each in city if each.items]
    for each in with_items:
        agenda = agendas[str(each.number)]
        assert [
            (item.number, item.title, tuple(paper.name for paper in item.attachments))
            for item in agenda.items
        ] == [(item.number, item.title, item.attachments) for item in each.items]
        assert PaperKind.AGENDA in [paper.kind for paper in agenda.papers]
        if not is_closed:
            has_minutes = PaperKind.MINUTES in [paper.kind for paper in agenda.papers]
            assert (has_minutes, bool(agenda.video)) == (each.minutes, each.minutes)
    videos = sum(each.minutes for each in city)
    expected = 2 + len(city) if is_closed else 1 + len(with_items) + videos
    assert len(requests) == expected
