"""BoardDocs: real lists and details, agendas in both forms, and a local site."""

import json
from datetime import date
from typing import Any

import pytest

from assay.packs.civic.portals.boarddocs import BOARDDOCS, BoarddocsTenant, read, recover, start
from assay.packs.civic.portals.listed import MeetingStatus, VoteValue
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import PortalPage, PortalRequest
from tests.packs.civic.portals.generated import TODAY, find_expected, generate_meetings
from tests.packs.civic.portals.samples import (
    crawl_entries,
    list_agendas,
    list_meetings,
    needs_samples,
    read_sample,
)
from tests.packs.civic.portals.sites.boarddocs import BoarddocsSite

TENANT = BoarddocsTenant(site="oh/elmford")
BASE = "https://go.boarddocs.com/oh/elmford/Board.nsf"
MEETING: dict[str, Any] = {
    "meeting": "CYXL4V54CB3F",
    "committee": "A4EP6J588C05",
    "held": "2024-01-22",
}


def _read(
    answer: bytes | str,
    step: str,
    window: tuple[str, str] = ("2026-01-01", "2026-12-31"),
    **context: str,
) -> PortalPage:
    data = answer.encode() if isinstance(answer, str) else answer
    about = {"from": window[0], "to": window[1], "today": "2026-06-01", **context}
    return read(data, PortalRequest(url=BASE, step=step, context=about), TENANT)


def _read_rows(*rows: Any) -> PortalPage:
    return _read(json.dumps(list(rows)), "meetings", committee="C", body="Board")


# Real answers.


@needs_samples
def test_list_of_central_valley() -> None:
    answer = read_sample("boarddocs_meetinglist_cvsd.json")
    page = _read(
        answer,
        "meetings",
        ("2000-01-01", "2030-01-01"),
        committee="A4EP6J588C05",
        body="School Board",
    )
    meetings = list_meetings(page)
    assert len(meetings) == 664
    assert sum(len(meeting.papers) for meeting in meetings) == 0
    first, last = meetings[0], meetings[-1]
    assert (first.vendor_id, first.title) == ("CYXL4V54CB3F", "Regular Board Meeting")
    assert (first.starts, first.body) == ("2024-01-22", "School Board")
    assert first.page == f"{BASE}/goto?open&id=CYXL4V54CB3F"
    assert first.status is MeetingStatus.SCHEDULED
    assert meetings[1].title == "Special Board Meeting │ Executive Session"
    assert (meetings[3].starts, meetings[3].status) == ("2023-12-28", MeetingStatus.CANCELLED)
    assert (last.vendor_id, last.starts) == ("86CEMV5EF207", "2002-02-01")
    assert last.title == "Minutes from February 2002 through December 2002"
    cancelled = [m for m in meetings if m.status is MeetingStatus.CANCELLED]
    assert len(cancelled) == 30
    assert len(page.requests) == 664 - 30
    asked = page.requests[0]
    assert asked.url == f"{BASE}/PRINT-AgendaDetailed?open"
    assert asked.form == {"id": "CYXL4V54CB3F", "current_committee_id": "A4EP6J588C05"}
    assert json.loads(first.raw)["unid"] == "7CA336C6423222B285258A930054CB3F"


@needs_samples
def test_list_within_a_window() -> None:
    body = read_sample("boarddocs_meetinglist_cvsd.json")
    page = _read(body, "meetings", ("2024-01-01", "2024-01-31"))
    assert [m.starts for m in list_meetings(page)] == ["2024-01-22", "2024-01-17", "2024-01-08"]


@needs_samples
def test_detail_of_central_valley() -> None:
    page = _read(read_sample("boarddocs_meeting_detail_cvsd.html"), "detail", **MEETING)
    (request,) = page.requests
    assert (request.url, request.step) == (f"{BASE}/BD-GetAgenda?open", "outline")
    assert request.context["starts"] == "2024-01-22T18:30"
    assert request.context["location"] == (
        "Learning and Teaching Center, 2218 N Molter Rd Liberty Lake WA"
    )


# Requests.


@pytest.mark.parametrize(
    ("site", "base"),
    [
        ("oh/elmford", BASE),
        ("/OH/Elmford/", BASE),
        ("https://go.boarddocs.com/oh/elmford/Board.nsf/Public#tab", BASE),
        ("https://pub.example/oh/elmford", "https://pub.example/oh/elmford/Board.nsf"),
    ],
)
def test_a_site_is_a_path_or_an_address(site: str, base: str) -> None:
    assert BoarddocsTenant(site=site).base == base


def test_committees_are_found_on_the_public_page() -> None:
    (request,) = start(TENANT, date(2026, 6, 1), None)
    assert request.url == f"{BASE}/Public"
    page = _read(
        '<a class="committee-trigger" committeeid="AAAAAAAAAA01" aria-label="Board"></a>'
        '<select name="committeeid"><option value="">All</option>'
        '<option value="AAAAAAAAAA01">Board</option><option value="BBBBBBBBBB02">Finance</option>'
        "</select>",
        "public",
    )
    assert [each.form for each in page.requests] == [
        {"current_committee_id": "AAAAAAAAAA01"},
        {"current_committee_id": "BBBBBBBBBB02"},
    ]
    assert [each.context["body"] for each in page.requests] == ["Board", "Finance"]
    assert page.requests[0].headers["Referer"] == f"{BASE}/Public"


def test_known_committees_need_no_public_page() -> None:
    tenant = BoarddocsTenant(site="oh/elmford", committees={"AAAAAAAAAA01": "Board"})
    (request,) = start(tenant, date(2026, 6, 1), None)
    assert (request.step, request.context["body"]) == ("meetings", "Board")


@pytest.mark.parametrize("body", ["<h1>Forbidden</h1>", "<p>Nothing</p>"])
def test_a_public_page_without_committees_is_an_error(body: str) -> None:
    with pytest.raises(ContentBroken, match="committees"):
        _read(body, "public")


def test_without_a_public_page_the_list_for_search_engines_is_read() -> None:
    (request,) = start(TENANT, date(2026, 6, 1), None)
    page = recover(request, 404, TENANT)
    assert page is not None
    assert page.requests[0].url == f"{BASE}/BD-GETMeetingsListForSEO?open"
    listed = _read_rows(
        {"Name": "Board", "Description": "6 PM", "Unique": "X1", "Date": "2026-05-13T00:00:00Z"}
    )
    (meeting,) = list_meetings(listed)
    assert (meeting.vendor_id, meeting.starts, meeting.notes) == ("X1", "2026-05-13", "6 PM")
    assert recover(request, 403, TENANT) is None


def test_a_recent_agenda_is_asked_for_once_a_day_and_an_old_one_once() -> None:
    recent = {"unique": "A", "name": "Board", "numberdate": "20260525"}
    old = {"unique": "B", "name": "Board", "numberdate": "20260325"}
    first, second = _read_rows(recent, old).requests
    assert (first.changed or "").endswith(" 2026-06-01")
    assert len(second.changed or "") == 64


@pytest.mark.parametrize("body", ["<html>Log in</html>", '{"error": 1}', "", '[{"id": 1}]'])
def test_another_answer_than_a_list_is_an_error(body: str) -> None:
    with pytest.raises(ContentBroken):
        _read(body, "meetings")


def test_an_empty_list() -> None:
    assert _read_rows({}).items == []


# Agendas.

PRINTED = """<html><body><div id="print-top-meeting-info">
<div class="print-meeting-date">Wednesday, May 13, 2026</div>
<div class="print-meeting-name">Regular Meeting</div>
<div class="print-meeting-description">ELMFORD SCHOOLS<br>12 Main St.<br>6:00PM</div></div>
<div role="heading" aria-level="1">A. OPENING</div>
<div class="container item agendaorder"><div><dl class="row"><dt class="col">Subject</dt>
 <dd class="col">1. Call to Order</dd></dl></div>
 <dl><dt>Category</dt><dd>A. OPENING</dd></dl><dl><dt>Type</dt><dd>Procedural</dd></dl></div>
<div style="font-weight: bold; border-bottom: 2px solid #000;">B. CONTRACTS</div>
<div class="container item agendaorder"><dl><dt>Subject</dt><dd>2.13 Renew the bus contract</dd>
 </dl><dl><dt>Type</dt><dd>Action (Consent)</dd></dl>
 <dl><dt>Recommended Action</dt><dd>Approve it.</dd></dl>
 <div class="itembody"><p>Three years.</p></div>
 <div>Motion &amp; Voting</div><div>Motion by Ann Lee, second by Bo Ray.</div>
 <div>Final Resolution: Motion Carries</div><div>Yes: Ann Lee, Bo Ray</div><div>No: Cy Fox</div>
 <div>Not Present at Vote: Di Orr</div>
 <div class="print-files"><div class="public-file print-file" unique="F1">
 <a href="/oh/elmford/Board.nsf/files/F1/$file/Bus plan.pdf"> Bus plan.pdf (109 KB)</a></div>
 <a class="public-file print-file" href="/oh/elmford/Board.nsf/files/F2/$file/b.pdf">B (1.2 MB)</a>
 </div></div>
<div class="container item agendaorder"><dl><dt>Subject</dt><dd>3 Years of Taxes</dd></dl></div>
</body></html>"""


def test_a_printed_agenda() -> None:
    (agenda,) = list_agendas(_read(PRINTED, "agenda", **MEETING))
    assert (agenda.starts, agenda.location) == ("2026-05-13T18:00", "12 Main St.")
    first, bus, budget = agenda.items
    assert (first.number, first.title, first.section) == ("1", "Call to Order", "A. OPENING")
    assert (first.matter_type, first.consent, first.votes) == ("Procedural", False, ())
    assert (bus.number, bus.title) == ("2.13", "Renew the bus contract")
    assert (bus.section, bus.matter_type, bus.consent) == (
        "B. CONTRACTS",
        "Action (Consent)",
        True,
    )
    assert bus.text == "Approve it. Three years."
    assert (bus.mover, bus.seconder) == ("Ann Lee", "Bo Ray")
    assert (bus.action, bus.passed) == ("Motion Carries", True)
    assert [(vote.member, vote.vote) for vote in bus.votes] == [
        ("Ann Lee", VoteValue.YES),
        ("Bo Ray", VoteValue.YES),
        ("Cy Fox", VoteValue.NO),
        ("Di Orr", VoteValue.ABSENT),
    ]
    files = "https://go.boarddocs.com/oh/elmford/Board.nsf/files"
    assert [(paper.name, paper.url) for paper in bus.attachments] == [
        ("Bus plan.pdf", f"{files}/F1/$file/Bus%20plan.pdf"),
        ("B", f"{files}/F2/$file/b.pdf"),
    ]
    assert (budget.number, budget.title) == (None, "3 Years of Taxes")


@pytest.mark.parametrize(
    ("block", "votes"),
    [
        (
            "Motion by Ann Lee, second by Bo Ray. Final Resolution: Motion Carried. "
            "Yes: Ann Lee, Bo Ray, Jr. and Cy Fox. No: None",
            {"Ann Lee": "yes", "Bo Ray, Jr": "yes", "Cy Fox": "yes"},
        ),
        (
            "<p>A motion was made.</p><p>Yea: Fox</p><p>Motion by Ann Lee, second by Bo Ray.</p>"
            "<p>Final Resolution: Motion Fails</p><p>Yea: Ann Lee</p><p>Nay: Bo Ray</p>"
            "<p>A motion was made to table it.</p><p>Motion by Cy Fox, second by Ann Lee.</p>"
            "<p>Final Resolution: Motion Carries</p><p>Yea: Cy Fox</p>",
            {"Ann Lee": "yes", "Bo Ray": "no"},
        ),
        ("<p>Motion by Ann Lee, second by Bo Ray.</p><p>Motion carried.</p>", {}),
    ],
)
def test_votes_on_the_first_motion(block: str, votes: dict[str, str]) -> None:
    body = f"""<div class="container item agendaorder"><dl><dt>Subject</dt><dd>1. Taxes</dd></dl>
      <div class="motion">{block}</div></div>"""
    (agenda,) = list_agendas(_read(body, "agenda", **MEETING))
    (item,) = agenda.items
    assert (item.mover, item.seconder) == ("Ann Lee", "Bo Ray")
    assert {vote.member: vote.vote.value for vote in item.votes} == votes


def test_a_printed_agenda_without_items_still_has_a_time() -> None:
    top = PRINTED.partition('<div role="heading"')[0]
    (agenda,) = list_agendas(_read(top, "agenda", **MEETING))
    assert (agenda.items, agenda.starts) == ((), "2026-05-13T18:00")


@pytest.mark.parametrize("step", ["agenda", "outline", "detail"])
def test_another_page_than_an_agenda_is_an_error(step: str) -> None:
    with pytest.raises(ContentBroken, match="not a BoardDocs"):
        _read("<h1>Something went wrong</h1>", step, **MEETING)


OUTLINE = """<div style="display: none;" id="agenda-numbering">2</div>
<dl role="heading" aria-level="2" class="wrap-category"><dt class="category agendaorder"
 unique="K1"><span class="order">1. </span><span class="category-name">Convene</span></dt></dl>
<li class="ui-corner-all item prevnext agendaorder public" unique="I1">
 <div class="actiontype">Information<span class="comma">, </span> Presentation<span class="comma">,
 </span></div><span class="order">1.1 </span><span class="title">Roll Call</span></li>
<dl class="wrap-category"><dt class="category agendaorder">2. Empty</dt></dl>"""


def test_an_outline() -> None:
    page = _read(OUTLINE, "outline", **MEETING, starts="2024-01-22T18:30", location="Hall")
    (agenda,) = list_agendas(page)
    (item,) = agenda.items
    assert (item.vendor_id, item.number, item.title) == ("I1", "1.1", "Roll Call")
    assert (item.section, item.matter_type) == ("1. Convene", "Information, Presentation")
    assert (agenda.starts, agenda.location) == ("2024-01-22T18:30", "Hall")


# A local site.


@pytest.mark.parametrize("can_print", [True, False])
def test_all_meetings_of_a_local_site_are_found(can_print: bool) -> None:
    meetings = generate_meetings()
    site = BoarddocsSite({"oh/elmford": meetings}, can_print=can_print)
    crawled = crawl_entries(BOARDDOCS, TENANT, site, TODAY)
    expected = {f"DQ3VPX{m.number:06d}": m for m in find_expected(meetings)}
    assert len(crawled.meetings) == len(expected) == 6
    for meeting in crawled.meetings:
        wanted = expected[meeting.vendor_id]
        assert (meeting.starts, meeting.body) == (f"{wanted.starts:%Y-%m-%d}", wanted.body)
        assert (meeting.status is MeetingStatus.CANCELLED) == wanted.cancelled
    held = {number for number, m in expected.items() if not m.cancelled}
    assert set(crawled.agendas) == held
    for number, agenda in crawled.agendas.items():
        wanted = expected[number]
        assert agenda.starts == f"{wanted.starts:%Y-%m-%dT%H:%M}"
        assert agenda.location == wanted.location
        titles = [(item.number, item.title) for item in agenda.items]
        assert titles == [(item.number, item.title) for item in wanted.items]
        if can_print and wanted.items:
            assert [len(item.attachments) for item in agenda.items] == [1, 0]
    assert len(crawled.requests) == 1 + 2 + len(held) * (1 if can_print else 3)
