"""CivicPlus AgendaCenter: real pages, themes and quirks, and a local site."""

from datetime import date, datetime

import pytest

from assay.packs.civic.portals.civicplus import CIVICPLUS, CivicplusTenant, read, recover, start
from assay.packs.civic.portals.listed import ListedMeeting, MeetingStatus, PaperKind
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
from tests.packs.civic.portals.sites.civicplus import CivicplusSite

TENANT = CivicplusTenant(site="www.elmford.example")
BASE = "https://www.elmford.example/AgendaCenter"


def _read(
    body: bytes | str,
    step: str = "search",
    tenant: CivicplusTenant = TENANT,
    window: tuple[str, str] = ("2026-01-01", "2026-12-31"),
    **context: str,
) -> PortalPage:
    data = body.encode() if isinstance(body, str) else body
    about = {"from": window[0], "to": window[1], **context}
    request = PortalRequest(url=f"{tenant.base}/AgendaCenter", step=step, context=about)
    return read(data, request, tenant)


def _row(inner: str, number: int = 7) -> str:
    return f'<tr id="row{number}0a1b2c3d" class="catAgendaRow">{inner}</tr>'


def _page(*rows: str, heading: str = "City Council") -> str:
    table = f"<table><tbody>{''.join(rows)}</tbody></table>"
    return (
        f'<div id="AgendaCenterContent"><div class="listing" id="cat4"><h2>► {heading}</h2>'
        f"{table}</div></div>"
    )


def _simple(title: str, day: str = "03042026", number: int = 7) -> str:
    link = f"/AgendaCenter/ViewFile/Agenda/_{day}-{number}"
    return _row(f'<td><p><a href="{link}">{title}</a></p></td>', number)


# Real pages.


@needs_samples
def test_index_of_chowchilla() -> None:
    tenant = CivicplusTenant(site="https://www.cityofchowchilla.org/AgendaCenter")
    page = _read(
        read_sample("civicplus_agendacenter_chowchilla.html"),
        "index",
        tenant,
        ("2018-01-01", "2022-12-31"),
    )
    meetings = list_meetings(page)
    files = "https://www.cityofchowchilla.org/AgendaCenter/ViewFile"
    assert len(meetings) == 41
    assert sum(len(meeting.papers) for meeting in meetings) == 45
    by_id = {meeting.vendor_id: meeting for meeting in meetings}
    first, last = meetings[0], meetings[-1]
    assert (first.vendor_id, first.title, first.body) == (
        "482",
        "City Council Meeting",
        "City Council",
    )
    assert (first.starts, first.status) == ("2022-08-23", MeetingStatus.SCHEDULED)
    assert show_papers(first) == [("agenda", f"{files}/Agenda/_08232022-482")]
    assert first.papers[0].changed == "2022-08-19T16:55"
    assert (last.vendor_id, last.starts) == ("216", "2018-01-25")
    assert last.body == "Redevelopment Successor Agency Oversight Board (Former)"
    assert show_papers(by_id["449"]) == [
        ("agenda", f"{files}/Agenda/_02222022-449"),
        ("minutes", f"{files}/Minutes/_02222022-449"),
    ]
    cancelled = [m.vendor_id for m in meetings if m.status is MeetingStatus.CANCELLED]
    assert cancelled == ["474", "456", "475", "466", "457", "448", "445", "232", "227", "228"]
    assert by_id["460"].title.startswith("Public Safety Sales Transactions & Use Tax Citizen's")
    assert by_id["471"].title == "Proposed 2022/23 Fiscal Year Budget"
    assert page.requests == []


@needs_samples
def test_index_asks_for_a_year_that_it_does_not_show() -> None:
    tenant = CivicplusTenant(site="www.cityofchowchilla.org")
    page = _read(
        read_sample("civicplus_agendacenter_chowchilla.html"),
        "search",
        tenant,
        ("2021-12-01", "2021-12-31"),
    )
    assert page.items == []
    assert [request.form for request in page.requests] == [
        {"year": "2021", "catID": number} for number in ("2", "3", "5", "15")
    ]


@needs_samples
def test_search_of_las_cruces() -> None:
    tenant = CivicplusTenant(site="nm-lascruces")
    body = read_sample("civicplus_search_results.html")
    page = _read(body, "search", tenant, ("2020-11-08", "2020-12-15"))
    meetings = list_meetings(page)
    files = "https://nm-lascruces.civicplus.com/AgendaCenter/ViewFile"
    assert len(meetings) == 28
    assert sum(len(meeting.papers) for meeting in meetings) == 60
    by_id = {meeting.vendor_id: meeting for meeting in meetings}
    first = meetings[0]
    assert first.title == "Airport Advisory Board Meeting Agenda for November 19, 2020"
    assert (first.body, first.starts) == ("Airport Advisory Board", "2020-11-19")
    assert first.page == f"{files}/Agenda/_11192020-808?html=true"
    assert show_papers(first) == [
        ("agenda", f"{files}/Agenda/_11192020-808"),
        ("packet", f"{files}/Agenda/_11192020-808?packet=true"),
    ]
    utilities = by_id["791"]
    assert [paper.kind for paper in utilities.papers] == [
        PaperKind.MINUTES,
        PaperKind.AGENDA,
        PaperKind.PACKET,
    ]
    assert utilities.papers[0].changed is None
    assert utilities.papers[1].changed == "2020-11-02T16:29"
    assert utilities.video == (
        "https://publicrecords.las-cruces.org/WebLink/Browse.aspx?id=2049915&dbid=0&repo=Live"
    )
    assert by_id["812"].title == "DOÑA ANA COUNTY JUVENILE JUSTICE CONTINUUM BOARD AGENDA"
    assert (by_id["810"].starts, by_id["589"].body) == ("2020-11-17", "Transit Advisory Board")
    cancelled = {m.vendor_id for m in meetings if m.status is MeetingStatus.CANCELLED}
    assert cancelled == {"817", "798", "806", "807", "822", "792", "819"}
    last = meetings[-1]
    assert (last.vendor_id, last.starts) == ("819", "2020-12-07")
    assert last.body == "University District Citizen's Design Review Board"
    assert len(page.requests) == 21
    assert {request.step for request in page.requests} == {"agenda"}
    assert '<tr id="row808' in first.raw


@needs_samples
def test_category_of_anthony() -> None:
    tenant = CivicplusTenant(site="www.cityofanthonynm.gov")
    body = read_sample("civicplus_updatecategorylist_anthony.html")
    page = _read(body, "category", tenant, category="3")
    files = "https://www.cityofanthonynm.gov/AgendaCenter/ViewFile"
    first, second = list_meetings(page)
    assert (first.vendor_id, first.title) == ("178", "BOT Regular Meeting")
    assert (first.body, first.starts) == ("Board of Trustees", "2026-03-04")
    assert show_papers(first) == [
        ("minutes", f"{files}/Minutes/_03042026-178"),
        ("agenda", f"{files}/Agenda/_03042026-178"),
        ("packet", f"{files}/Agenda/_03042026-178?packet=true"),
    ]
    assert first.video == "https://teams.microsoft.com/meet/29567477667675?p=I7giktUP7es5EHA9dH"
    assert first.page == f"{files}/Agenda/_03042026-178?html=true"
    assert (second.title, second.starts) == ("Notice of Potential Quorum.", "2026-02-18")
    assert show_papers(second) == [("agenda", f"{files}/Agenda/_02182026-168")]
    assert [request.context for request in page.requests] == [
        {"meeting": "178", "held": "2026-03-04"}
    ]


# Requests.


@pytest.mark.parametrize(
    ("site", "base"),
    [
        ("elmford", "https://elmford.civicplus.com"),
        ("www.elmford.example", "https://www.elmford.example"),
        ("https://elmford.example/agendacenter/", "https://elmford.example"),
    ],
)
def test_a_site_is_a_name_a_domain_or_an_address(site: str, base: str) -> None:
    assert CivicplusTenant(site=site).base == base


def test_each_year_of_the_window_is_searched_once() -> None:
    requests = start(TENANT, date(2026, 12, 10), None)
    assert [request.url for request in requests] == [
        f"{BASE}/Search/?term=&CIDs=all&startDate=11/10/2026&endDate=12/31/2026"
        "&dateRange=&dateSelector=",
        f"{BASE}/Search/?term=&CIDs=all&startDate=01/01/2027&endDate=02/08/2027"
        "&dateRange=&dateSelector=",
    ]


def test_without_a_search_the_whole_center_is_asked_for() -> None:
    search = start(TENANT, date(2026, 6, 1), None)[0]
    page = recover(search, 404, TENANT)
    assert page is not None
    assert [(each.url, each.context) for each in page.requests] == [
        (f"{BASE}?year=2026", search.context)
    ]
    assert recover(search, 403, TENANT) is None


# Rows.


def _only(page: PortalPage) -> ListedMeeting:
    (meeting,) = list_meetings(page)
    return meeting


def test_a_date_in_another_language_is_read_from_the_link() -> None:
    row = _row(
        '<td><h3><strong aria-label="Ordre du jour du 4 floréal">4 floréal</strong></h3>'
        '<p><a href="/AgendaCenter/ViewFile/Agenda/_03042026-7">Conseil</a></p></td>'
    )
    assert _only(_read(_page(row))).starts == "2026-03-04"


def test_a_time_in_the_title_is_used_and_a_fiscal_year_is_not_one() -> None:
    timed = _simple("Council Workshop 5:30 PM")
    plain = _simple("2026/27 Budget 12:30", number=8)
    starts = [meeting.starts for meeting in list_meetings(_read(_page(timed, plain)))]
    assert starts == ["2026-03-04T17:30", "2026-03-04"]


def test_an_agenda_and_a_packet_in_two_rows_are_one_meeting() -> None:
    page = _read(
        _page(
            _simple("City Council Meeting Agenda Packet", number=8),
            _simple("City Council Meeting Agenda", number=7),
            _simple("City Council Meeting Agenda", number=9),
        )
    )
    first, second = list_meetings(page)
    assert (first.vendor_id, second.vendor_id) == ("7", "9")
    assert show_papers(first) == [
        ("agenda", f"{BASE}/ViewFile/Agenda/_03042026-7"),
        ("packet", f"{BASE}/ViewFile/Agenda/_03042026-8"),
    ]


def test_previous_versions_and_empty_links_are_not_documents() -> None:
    row = _row(
        '<td><p><a href="/AgendaCenter/ViewFile/Agenda/_03042026-7">Council</a></p></td>'
        '<td class="downloads"><a href="">Download</a><a href="#">x</a>'
        '<a href="/AgendaCenter/PreviousVersions/_03042026-7">Previous</a>'
        '<a href="/AgendaCenter/ViewFile/ArchivedAgenda/_03042026-7">Old</a>'
        '<a href="//files.example/My Plan.pdf">Plan</a></td>'
    )
    assert show_papers(_only(_read(_page(row)))) == [
        ("agenda", f"{BASE}/ViewFile/Agenda/_03042026-7"),
        ("other", "https://files.example/My%20Plan.pdf"),
    ]


def test_an_agenda_that_is_only_a_page_is_its_document() -> None:
    row = _row(
        '<td><p><a href="/AgendaCenter/ViewFile/Agenda/_03042026-7?html=true">Council</a></p></td>'
    )
    page = _read(_page(row))
    url = f"{BASE}/ViewFile/Agenda/_03042026-7?html=true"
    assert show_papers(_only(page)) == [("agenda", url)]
    assert [request.url for request in page.requests] == [url]


def test_a_row_without_documents_is_a_meeting() -> None:
    row = _row('<td><a name="_03042026-7"></a><p>Joint Session</p></td>')
    meeting = _only(_read(_page(row)))
    assert (meeting.vendor_id, meeting.title, meeting.papers) == ("7", "Joint Session", ())


def test_meetings_outside_the_window_are_left_out() -> None:
    page = _read(_page(_simple("Council", day="03042025")))
    assert page.items == []


def test_an_empty_search_lists_nothing() -> None:
    page = _read('<div id="AgendaCenterContent"><p>No agendas match your search.</p></div>')
    assert (page.items, page.requests) == ([], [])


@pytest.mark.parametrize(
    "body",
    [
        "<html><title>Sign In</title><form><input type=password></form></html>",
        "<html><h1>Page Not Found</h1></html>",
        "<p>We moved to a new website.</p>",
    ],
)
def test_another_page_is_an_error(body: str) -> None:
    with pytest.raises(ContentBroken, match="not a CivicPlus AgendaCenter"):
        _read(body)


def test_an_answer_about_a_category_with_the_whole_page_lists_nothing() -> None:
    assert _read(_page(_simple("Council")), "category", category="9").items == []


# Agendas.

AGENDA = """<html><body><div id="divItems">
<div class="item level1"><div class="bullet"><span>1.</span></div><div class="title">CALL TO ORDER
</div></div>
<div class="item level1"><div class="bullet"><span>2.</span></div>
 <div class="title">CONSENT AGENDA</div></div>
<div class="item level2"><div class="bullet"><span>2.A.</span></div><div class="title">Consent A
 </div><div class="desc"><p>Renew the lease of the old mill.</p><p>Staff agrees.</p></div>
 <div class="documents"><a class="file" href="/AgendaCenter/ViewFile/Item/31?fileID=5">Lease</a>
 <a class="file" href="/AgendaCenter/ViewFile/Item/31?fileID=5">Lease</a></div></div>
<div class="item level1"><div class="bullet"><span>3.</span></div>
 <div class="title">NEW BUSINESS</div></div>
<div class="item level2"><div class="title">RESOLUTIONS</div></div>
<div class="item level3"><div class="bullet"><span>3.A.1.</span></div>
 <div class="title">Resolution on trees</div></div>
<div class="item level1"><div class="bullet"><span>4.</span></div>
 <div class="title">Appoint the city attorney</div></div>
</div></body></html>"""


def _read_agenda(body: bytes | str) -> PortalPage:
    return _read(body, "agenda", meeting="7", held="2026-03-04")


def test_items_of_an_agenda() -> None:
    page = _read_agenda(AGENDA)
    (agenda,) = list_agendas(page)
    assert agenda.meeting == "7"
    assert [(item.number, item.title, item.section) for item in agenda.items] == [
        ("2.A", "Renew the lease of the old mill.", "CONSENT AGENDA"),
        ("3.A.1", "Resolution on trees", "NEW BUSINESS > RESOLUTIONS"),
        ("4", "Appoint the city attorney", None),
    ]
    assert [item.consent for item in agenda.items] == [True, False, False]
    lease = agenda.items[0]
    assert lease.text == "Renew the lease of the old mill. Staff agrees."
    url = f"{BASE}/ViewFile/Item/31?fileID=5"
    assert [(paper.name, paper.url) for paper in lease.attachments] == [("Lease", url)]
    assert [item.url for item in page.items if item.content is None] == [url]
    assert agenda.raw.startswith('<div id="divItems">')


def test_a_flat_agenda_has_only_items() -> None:
    body = "".join(
        f'<div class="item level1"><span class="title">{title}</span><span class="file">'
        f'<a class="file" href="/AgendaCenter/ViewFile/Item/{number}">Report.pdf</a></span></div>'
        for number, title in enumerate(("DRAINS", "DRAINS"), 1)
    )
    (agenda,) = list_agendas(_read_agenda(f"<body>{body}</body>"))
    assert [(item.vendor_id, item.title) for item in agenda.items] == [
        ("1", "DRAINS"),
        ("2", "DRAINS"),
    ]


def test_an_item_inside_another_keeps_its_own_files() -> None:
    body = """<div class="item level1"><div class="title">Hearings</div>
      <div class="item level2"><div class="title">Zoning of Mill Lane</div>
      <a class="file" href="/AgendaCenter/ViewFile/Item/4">Map</a></div></div>"""
    (agenda,) = list_agendas(_read_agenda(body))
    assert [(item.title, item.section, len(item.attachments)) for item in agenda.items] == [
        ("Zoning of Mill Lane", "Hearings", 1)
    ]


@pytest.mark.parametrize(
    "body", [b"%PDF-1.7 agenda", f"<body><p>{'Typed agenda. ' * 20}</p></body>".encode()]
)
def test_an_agenda_without_separate_items_is_only_a_document(body: bytes) -> None:
    page = _read_agenda(body)
    assert page.items == ()
    assert "no separate items" in page.warnings[0]


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>Page Not Found</h1><p>{'Sorry. ' * 20}</p>",
        f'<div id="AgendaCenterContent">{"All agendas. " * 20}</div>',
        '{"error": "This agenda is not available at the moment."}',
    ],
)
def test_something_else_instead_of_an_agenda_is_an_error(body: str) -> None:
    with pytest.raises(ContentBroken, match="not an agenda"):
        _read_agenda(body)


def test_rows_of_an_unknown_theme_are_an_error() -> None:
    with pytest.raises(ContentBroken, match="known theme"):
        _read(_page('<tr class="catAgendaRow"><td>Council, March 4</td></tr>'))


def test_a_missing_agenda_page_is_no_loss() -> None:
    request = PortalRequest(url=BASE, step="agenda", context={"meeting": "7"})
    assert recover(request, 404, TENANT) == PortalPage()


# A local site.


@pytest.mark.parametrize("quirk", ["", "ignores_dates", "no_search"])
def test_all_meetings_of_a_local_site_are_found(quirk: str) -> None:
    meetings = generate_meetings()
    site = CivicplusSite(
        {"elmford": meetings},
        ignores_dates=quirk == "ignores_dates",
        has_search=quirk != "no_search",
    )
    crawled = crawl_entries(CIVICPLUS, CivicplusTenant(site="elmford"), site, TODAY)
    expected = find_expected(meetings)
    found = {meeting.vendor_id: meeting for meeting in crawled.meetings}
    assert len(crawled.meetings) == len(found) == len(expected) == 6
    for wanted in expected:
        meeting = found[str(wanted.number)]
        assert meeting.starts == f"{wanted.starts:%Y-%m-%d}"
        assert meeting.body == wanted.body
        assert meeting.title.startswith(wanted.title)
        assert (meeting.status is MeetingStatus.CANCELLED) == wanted.cancelled
        kinds = {paper.kind for paper in meeting.papers}
        assert (PaperKind.MINUTES in kinds) == wanted.minutes
    held = {str(m.number): m for m in expected if m.items and not m.cancelled}
    assert set(crawled.agendas) == set(held)
    for number, agenda in crawled.agendas.items():
        titles = [(item.number, item.title) for item in agenda.items]
        assert titles == [(item.number, item.title) for item in held[number].items]
        assert [len(item.attachments) for item in agenda.items] == [1, 0]
    if not quirk:
        assert len(crawled.requests) == 2 + len(held)


def test_an_unchanged_agenda_keeps_its_stamp() -> None:
    meetings = generate_meetings()
    site = CivicplusSite({"elmford": meetings})
    tenant = CivicplusTenant(site="elmford")
    first, second = (
        [request.changed for request in crawl_entries(CIVICPLUS, tenant, site, TODAY).requests]
        for _ in range(2)
    )
    assert first == second
    assert all(first[2:])
    assert meetings[0].starts > datetime(2026, 8, 1)
