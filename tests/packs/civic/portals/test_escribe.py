"""eSCRIBE: the calendar, nested agendas, minutes with votes, and cities with two languages."""

import json
from datetime import date, datetime
from typing import Any

import pytest

from assay.packs.civic.portals.escribe import ESCRIBE, EscribeTenant, read, recover, start
from assay.packs.civic.portals.listed import (
    ListedAgendaItem,
    ListedMeeting,
    ListedVote,
    MeetingStatus,
    PaperKind,
    VoteValue,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import PortalPage, PortalRequest
from tests.packs.civic.portals.crawling import crawl
from tests.packs.civic.portals.entries import list_agendas, list_meetings, list_paper_urls
from tests.packs.civic.portals.sites.cities import make_meetings
from tests.packs.civic.portals.sites.escribe import EscribeSite, make_id

TENANT = EscribeTenant(site="pinewater")
BASE = "https://pub-pinewater.escribemeetings.com"
LIST = PortalRequest(url=f"{BASE}/MeetingsCalendarView.aspx/GetCalendarMeetings", step="meetings")
AGENDA = PortalRequest(
    url=f"{BASE}/Meeting.aspx?Id=a1&Agenda=Agenda&lang=English",
    step="agenda",
    context={"meeting": "a1", "held": "2026-09-24T19:00"},
)


def _read_list(*rows: dict[str, Any], tenant: EscribeTenant = TENANT) -> PortalPage:
    return read(json.dumps({"d": rows}).encode(), LIST, tenant)


def _read_one(tenant: EscribeTenant = TENANT, **changes: Any) -> ListedMeeting:
    return list_meetings(_read_list(_row(**changes), tenant=tenant).items)[0]


def _row(**changes: Any) -> dict[str, Any]:
    return {
        "ID": "a1", "MeetingName": "Regular Council", "MeetingType": "City Council",
        "StartDate": "2026/09/24 19:00:00", "Url": "", "HasAgenda": False,
    } | changes  # fmt: skip


def _link(kind: str, form: str, title: str, url: str, **more: Any) -> dict[str, Any]:
    return {"Type": kind, "Format": form, "Title": title, "Url": url} | more


def _container(number: str, title: str, inner: str = "", item_id: int | None = None) -> str:
    """A container as the vendor writes it: upper-case tags, single quotes, a class with the id."""
    name = f"AgendaItem AgendaItem{item_id}" if item_id else "AgendaItem"
    return (
        f"<DIV class='AgendaItemContainer indent'><DIV class='{name}'>"
        f"<DIV class='AgendaItemTitleRow'><H3><DIV class='AgendaItemCounter'>{number}</DIV>"
        f"<DIV class='AgendaItemTitle'><a href='javascript:void(0)'>{title}</a></DIV></H3></DIV>"
        f"{inner}</DIV></DIV>"
    )


def _file(number: int, name: str) -> str:
    return (
        "<DIV class='AgendaItemAttachment'>"
        f"<a class='Link' href='filestream.ashx?DocumentId={number}'>{name}</a></DIV>"
    )


def _read_page(html: str) -> list[ListedAgendaItem]:
    body = f"<html><body><DIV class='AgendaItems'>{html}</DIV></body></html>"
    page = read(body.encode(), AGENDA, TENANT)
    return list(list_agendas(page.items)[0].items)


def test_the_window_is_asked_for_by_post() -> None:
    tenant = EscribeTenant(site="pub-pinewater", days_back=5, days_ahead=10)
    (request,) = start(tenant, date(2026, 9, 20), None)
    assert request.url == LIST.url
    assert json.loads(request.body or "") == {
        "calendarStartDate": "2026-09-15",
        "calendarEndDate": "2026-10-01",
    }
    rows = [_row(ID="in", StartDate="2026/09/30 23:00:00"), _row(StartDate="2026/10/01 00:00:00")]
    page = read(json.dumps({"d": rows}).encode(), request, tenant)
    assert [each.vendor_id for each in list_meetings(page.items)] == ["in"]


def test_a_meeting() -> None:
    meeting = _read_one(
        Location="Town Hall", Description="<p>Town&nbsp;Hall</p>", Url="./Meeting.aspx?Id=a1"
    )
    assert (meeting.vendor_id, meeting.title, meeting.body) == (
        "a1", "Regular Council", "City Council",
    )  # fmt: skip
    assert (meeting.starts, meeting.location, meeting.notes) == (
        "2026-09-24T19:00", "Town Hall", None,
    )  # fmt: skip
    assert meeting.page == f"{BASE}/Meeting.aspx?Id=a1"
    assert _read_one().page == f"{BASE}/Meeting.aspx?Id=a1&lang=English"
    assert json.loads(meeting.raw)["MeetingName"] == "Regular Council"


@pytest.mark.parametrize(
    ("given", "written", "starts"),
    [
        ("2026/09/24 19:00:00", None, "2026-09-24T19:00"),
        ("2026/09/24 00:00:00", None, "2026-09-24"),
        ("2026-07-15T18:30:00", None, "2026-07-15T18:30"),
        ("/Date(1790290800000)/", "Thursday, September 24, 2026 @ 7:00 PM", "2026-09-24T19:00"),
        ("/Date(1790290800000)/", None, "2026-09-24T19:00"),
        (None, "Thursday, September 24, 2026 @ 7:00 PM", "2026-09-24T19:00"),
    ],
)
def test_times_are_local(given: str | None, written: str | None, starts: str) -> None:
    meeting = _read_one(
        EscribeTenant(site="pinewater", timezone="America/Toronto"),
        StartDate=given, FormattedStart=written,
    )  # fmt: skip
    assert meeting.starts == starts


def test_a_meeting_without_a_date_is_a_warning() -> None:
    page = _read_list(_row(StartDate="0001/01/01 00:00:00"), _row(ID="b2"))
    assert [each.vendor_id for each in list_meetings(page.items)] == ["b2"]
    assert page.warnings == ["Meeting a1 has no date and was left out."]


@pytest.mark.parametrize(
    ("title", "status"),
    [
        ("Council (CANCELLED)", MeetingStatus.CANCELLED),
        ("Réunion du Conseil - ANNULÉE", MeetingStatus.CANCELLED),
        ("Réunion du Conseil (reportée)", MeetingStatus.POSTPONED),
        ("Council - Rescheduled", MeetingStatus.POSTPONED),
        ("Council", MeetingStatus.SCHEDULED),
    ],
)
def test_the_status_is_in_the_title(title: str, status: MeetingStatus) -> None:
    assert _read_one(MeetingName=title).status is status


def test_one_paper_of_each_type_in_the_language_of_the_tenant() -> None:
    page = "Meeting.aspx?Id=a1"
    links = [
        _link("Agenda", "HTML", "Agenda (HTML)", f"{page}&Agenda=Agenda&lang=English"),
        _link("Agenda", "HTML", "Ordre du jour (HTML)", f"{page}&Agenda=Agenda&lang=French"),
        _link("Agenda", ".pdf", "Agenda (PDF)", "/FileStream.ashx?DocumentId=1", LanguageCode="en"),
        _link("Agenda", ".pdf", "Ordre", "FileStream.ashx?DocumentId=2", LanguageCode="fr-CA"),
        _link("PostMinutes", "HTML", "Post", f"{page}&Agenda=PostMinutes&lang=English"),
        _link("Merged", ".pdf", "Revised", "FileStream.ashx?DocumentId=3"),
        _link("AgendaPackage", ".pdf", "Agenda Package (PDF)", "FileStream.ashx?DocumentId=4"),
        _link("Addendum", ".pdf", "Addendum", "FileStream.ashx?DocumentId=5"),
        _link("Video", "Video", "Video", "Players/ISIStandAlonePlayer.aspx?Id=a1"),
        _link("Agenda", ".pdf", "No address", ""),
    ]
    meeting = _read_one(MeetingDocumentLink=links)
    assert [(each.kind, each.url.removeprefix(BASE)) for each in meeting.papers] == [
        (PaperKind.AGENDA, "/FileStream.ashx?DocumentId=1"),
        (PaperKind.AGENDA, "/FileStream.ashx?DocumentId=3"),
        (PaperKind.PACKET, "/FileStream.ashx?DocumentId=4"),
        (PaperKind.OTHER, "/FileStream.ashx?DocumentId=5"),
        (PaperKind.MINUTES, "/Meeting.aspx?Id=a1&Agenda=PostMinutes&lang=English"),
    ]
    assert meeting.status is MeetingStatus.HELD
    assert meeting.video == f"{BASE}/Players/ISIStandAlonePlayer.aspx?Id=a1"
    french = _read_one(
        EscribeTenant(site="pinewater", language="French"), MeetingDocumentLink=links
    )
    assert [paper.name for paper in french.papers][:2] == ["Ordre", "Revised"]


def test_the_video_of_a_meeting() -> None:
    assert _read_one(HasVideo=True).video == f"{BASE}/Players/ISIStandAlonePlayer.aspx?Id=a1"
    assert _read_one(VideoUrl="//video.example/1").video == "https://video.example/1"
    assert _read_one(HasVideo=False).video is None


def test_the_best_page_is_asked_for_its_items() -> None:
    agenda = _link("Agenda", "HTML", "Agenda", "Meeting.aspx?Id=a1&Agenda=Agenda&lang=English")
    merged = _link("Merged", "HTML", "Revised", "Meeting.aspx?Id=a1&Agenda=Merged&lang=English")
    minutes = _link("PostMinutes", "HTML", "Minutes", "Meeting.aspx?Id=a1&Agenda=PostMinutes")
    asked = [
        _read_list(_row(HasAgenda=True, MeetingDocumentLink=links)).requests[0]
        for links in ([], [agenda], [agenda, merged], [minutes, agenda, merged])
    ]
    assert [request.url.partition("&Agenda=")[2] for request in asked] == [
        "Merged&lang=English", "Agenda&lang=English", "Merged&lang=English", "PostMinutes",
    ]  # fmt: skip
    assert len({request.changed for request in asked}) == 4
    assert _read_list(_row()).requests == []


@pytest.mark.parametrize(
    "body", [b'{"Message": "failed"}', b"<html>Error</html>", b"", b'{"d": null}', b"[]"]
)
def test_an_unexpected_response_is_not_an_empty_list(body: bytes) -> None:
    with pytest.raises(ContentBroken):
        read(body, LIST, TENANT)


@pytest.mark.parametrize("body", [b'{"d": []}', b'{"d": "[]"}'])
def test_no_meetings_are_no_error(body: bytes) -> None:
    assert read(body, LIST, TENANT).items == []


def test_nested_items_and_their_headings() -> None:
    inner = _container(
        "7.1", "BOA-0039-2025: 6 Sandy <b>Fo</b>rks Road", _file(90, "Report.pdf"), 31
    ) + _container("7.2", "Plan of the quay", _file(91, "") + _file(91, "Again"), 32)
    items = _read_page(
        _container("1.", "Call to Order", item_id=10)
        + _container("7.", "Consent Items", inner, 30)
        + _container("8.", "Reports", _file(95, "All") + _container("8.1", "Wells", item_id=41), 40)
    )
    assert [(e.sequence, e.vendor_id, e.number, e.title, e.section) for e in items] == [
        (1, "10", "1", "Call to Order", None),
        (2, "31", "7.1", "BOA-0039-2025: 6 Sandy Forks Road", "Consent Items"),
        (3, "32", "7.2", "Plan of the quay", "Consent Items"),
        (4, "40", "8", "Reports", None),
        (5, "41", "8.1", "Wells", "Reports"),
    ]
    assert [each.matter_file for each in items] == [None, "BOA-0039-2025", None, None, None]
    assert [each.consent for each in items] == [False, True, True, False, False]
    assert [[(a.name, a.url) for a in each.attachments] for each in items] == [
        [],
        [("Report.pdf", f"{BASE}/filestream.ashx?DocumentId=90")],
        [("Document 91", f"{BASE}/filestream.ashx?DocumentId=91")],
        [("All", f"{BASE}/filestream.ashx?DocumentId=95")],
        [],
    ]


def test_a_header_is_for_the_items_after_it() -> None:
    header = "<DIV class='AgendaItemHeader'>BUDGET DEPARTMENT</DIV>"
    text = "<DIV class='AgendaItemDescription RichText'><p>Receive</p><p>the report.</p></DIV>"
    inner = (
        _container("4.1", "First", header + text, 1)
        + _container("4.2", "Second", "", 2)
        + _container("4.3", "Third", header.replace("BUDGET", "WATER"), 3)
    )
    items = _read_page(_container("4.", "New Business", inner, 9) + _container("5.", "End"))
    assert [each.section for each in items] == [
        "BUDGET DEPARTMENT", "BUDGET DEPARTMENT", "WATER DEPARTMENT", None,
    ]  # fmt: skip
    assert items[0].text == "Receive the report."


def test_items_without_ids_or_with_the_same_id() -> None:
    selected = "<a onclick='SelectItem(77);'>open</a>"
    items = _read_page(
        _container("1.", "First", selected)
        + _container("2.", "Second")
        + _container("", "Third")
        + _container("4.", "Fourth", selected)
        + _container("1.", "First", selected)
        + _container("5.", "")
    )
    assert [(each.vendor_id, each.title) for each in items] == [
        ("77", "First"), ("2", "Second"), ("item-3", "Third"), ("77-4", "Fourth"),
    ]  # fmt: skip


def test_minutes_have_motions_and_votes() -> None:
    def motion(mover: str, result: str, rows: str) -> str:
        return (
            f"<DIV class='MovedBy'><SPAN class='Label'>Moved by:</SPAN><SPAN class='Value'>{mover}"
            "</SPAN></DIV><DIV class='SecondedBy'>Seconded by: S. Lewis</DIV>"
            "<DIV class='MotionText RichText'><p>That it be received.</p></DIV>"
            f"<TABLE class='MotionVoters'>{rows}</TABLE><DIV class='MotionResult'>{result}</DIV>"
        )

    rows = (
        "<TR><TD class='VoterVote'>Yeas: (2)</TD><TD>Mayor E. Holder, and M. van Holst</TD></TR>"
        "<TR><TD class='VoterVote'>Nays: (1)</TD><TD>S. Lewis</TD></TR>"
        "<TR><TD class='VoterVote'>Absent: (1)</TD><TD>A. Hopkins</TD></TR>"
        "<TR><TD class='VoterVote'>Conflict (1)</TD><TD>J. Morgan</TD></TR>"
    )
    motions = motion("X. Other", "Motion Lost (1 to 4)", "") + motion(
        "P. Cuddy", "Motion Passed (2 to 1)", rows
    )
    (item,) = _read_page(_container("6.", "Budget", motions, 5))
    assert (item.mover, item.seconder) == ("P. Cuddy", "S. Lewis")
    assert (item.action, item.passed, item.tally) == ("Motion Passed (2 to 1)", True, "2-1")
    assert item.text == "That it be received."
    assert item.votes == (
        ListedVote(member="Mayor E. Holder", vote=VoteValue.YES),
        ListedVote(member="M. van Holst", vote=VoteValue.YES),
        ListedVote(member="S. Lewis", vote=VoteValue.NO),
        ListedVote(member="A. Hopkins", vote=VoteValue.ABSENT),
        ListedVote(member="J. Morgan", vote=VoteValue.ABSTAIN),
    )


@pytest.mark.parametrize(
    ("minutes", "passed", "tally"),
    [
        ("Approved 9-0", True, "9-0"),
        ("Motion defeated", False, None),
        ("Bring back in 1 week", None, None),
    ],
)
def test_the_words_of_the_minutes(minutes: str, passed: bool | None, tally: str | None) -> None:
    html = f"<DIV class='AgendaItemMinutes RichText'><p>{minutes}</p></DIV>"
    (item,) = _read_page(_container("6.", "Budget", html))
    assert (item.action, item.passed, item.tally) == (minutes, passed, tally)


def test_a_long_and_deep_agenda_is_read_to_its_end() -> None:
    deep = _container("9.", "Deepest", _file(1, "Plan"), 1)
    for number in range(40):
        deep = _container("9.", f"Level {number}", deep, 2 + number)
    flat = "".join(_container(f"{n}.", f"Item {n}", _file(n, "x"), n) for n in range(1000, 2000))
    items = _read_page(deep + flat)
    assert (items[0].title, items[0].section) == ("Deepest", "Level 0")
    assert len(items) == 1001


def test_a_page_that_is_not_an_agenda_is_an_error() -> None:
    with pytest.raises(ContentBroken, match="not an eSCRIBE agenda"):
        read(b"<html><body><form>Sign in</form></body></html>", AGENDA, TENANT)
    page = read(b"<html><div class='AgendaHeaderTitle'>Agenda</div></html>", AGENDA, TENANT)
    assert list_agendas(page.items)[0].items == ()


def test_an_agenda_that_was_withdrawn_is_a_warning() -> None:
    found = recover(AGENDA, 410, TENANT)
    assert found is not None
    assert "not public" in found.warnings[0]
    assert recover(AGENDA, 500, TENANT) is None
    assert recover(LIST, 404, TENANT) is None


@pytest.mark.parametrize("site", ["http://pub-pinewater.local", "http://local/pinewater"])
def test_a_local_city(site: str) -> None:
    city = make_meetings(datetime(2026, 4, 15, 18, 30), 25)
    tenant = EscribeTenant(site=site, days_back=100, days_ahead=100)
    items, requests = crawl(ESCRIBE, tenant, EscribeSite({"pinewater": city}), date(2026, 4, 15))
    meetings = list_meetings(items)
    assert [(e.vendor_id, e.title, e.body, e.starts, e.location) for e in meetings] == [
        (make_id("pinewater", e), e.title, e.body, f"{e.starts:%Y-%m-%dT%H:%M}", e.location)
        for e in city
    ]
    assert [each.status is MeetingStatus.CANCELLED for each in meetings] == [
        each.cancelled for each in city
    ]
    agendas = {each.meeting: each for each in list_agendas(items)}
    with_items = [each for each in city if each.items]
    assert set(agendas) == {make_id("pinewater", each) for each in with_items}
    for each in with_items:
        assert [
            (item.number, item.matter_file, tuple(paper.name for paper in item.attachments))
            for item in agendas[make_id("pinewater", each)].items
        ] == [
            (item.number, f"20{item.file}" if item.file else None, item.attachments)
            for item in each.items
        ]
        titles = [item.title for item in agendas[make_id("pinewater", each)].items]
        assert all(item.title in title for item, title in zip(each.items, titles, strict=True))
    assert len(requests) == 1 + len(with_items)
    attached = sum(len(item.attachments) for each in city for item in each.items)
    papers = len(with_items) + sum(each.minutes for each in city)
    assert len(list_paper_urls(items)) == attached + papers
