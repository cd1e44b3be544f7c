"""Legistar's Web API: events, items and votes in all dialects, and what happens without it."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from assay.packs.civic.portals.legistar import LegistarTenant, read, recover, start
from assay.packs.civic.portals.legistar_agendas import find_note_status, find_vote
from assay.packs.civic.portals.listed import MeetingStatus, VoteValue
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import PortalItem, PortalPage, PortalRequest

_SHARED = [folder / "shared/samples/civic" for folder in Path(__file__).parents]
SAMPLES = next((folder for folder in _SHARED if folder.is_dir()), _SHARED[-1])
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="there is no ../shared/samples")
TODAY = date(2026, 5, 15)
TENANT = LegistarTenant(site="Elmsford", days_back=30, days_ahead=30)


def entries(items: list[PortalItem]) -> list[dict[str, Any]]:
    """The meetings and agendas among the items."""
    return [json.loads(item.content) for item in items if item.content is not None]


def papers(items: list[PortalItem]) -> list[str]:
    """The addresses of the documents among the items."""
    return [item.url for item in items if item.content is None]


def event(number: int = 7, **fields: Any) -> dict[str, Any]:
    return {
        "EventId": number, "EventBodyName": "City Council", "EventDate": "2026-05-20T00:00:00",
        "EventTime": "6:30 PM", **fields,
    }  # fmt: skip


def read_events(rows: Any, tenant: LegistarTenant = TENANT, **context: str) -> PortalPage:
    request = start(tenant, TODAY, None)[0]
    asked = PortalRequest(url=request.url, step="events", context={**request.context, **context})
    return read(rows if isinstance(rows, bytes) else json.dumps(rows).encode(), asked, tenant)


def read_one_meeting(**fields: Any) -> dict[str, Any]:
    return entries(list(read_events([event(**fields)]).items))[0]


def item(number: int, title: str, **fields: Any) -> dict[str, Any]:
    return {
        "EventItemId": number, "EventItemAgendaSequence": number, "EventItemTitle": title,
        **{f"EventItem{name}": value for name, value in fields.items()},
    }  # fmt: skip


def items_request(page: str = "https://elmsford.legistar.com/MeetingDetail.aspx?LEGID=7") -> Any:
    return PortalRequest(
        url="https://webapi.legistar.com/v1/elmsford/Events/7/EventItems",
        step="items",
        changed="v1",
        context={"meeting": "7", "held": "2026-05-20T18:30", "page": page, "papers": ""},
    )


def read_items(
    rows: list[dict[str, Any]], tenant: LegistarTenant = TENANT
) -> tuple[list[dict[str, Any]], PortalPage]:
    page = read(json.dumps(rows).encode(), items_request(), tenant)
    return entries(list(page.items))[0]["items"], page


# The samples


@needs_samples
def test_events_of_mecklenburg() -> None:
    tenant = LegistarTenant(site="mecklenburg", days_back=600)
    request = start(tenant, date(2026, 4, 1), None)[0]
    data = (SAMPLES / "legistar_api_events_mecklenburg_trimmed.json").read_bytes()
    page = read(data, request, tenant)
    first, last = entries(list(page.items))
    assert (first["vendor_id"], first["title"], first["body"]) == (
        "1802", "Budget Public Policy", "Budget Public Policy",
    )  # fmt: skip
    assert (first["starts"], first["status"], first["location"]) == (
        "2025-01-14T14:30", "scheduled", None,
    )  # fmt: skip
    assert first["notes"] == "REVISED AGENDA Charlotte-Mecklenburg Government Center - Room 267"
    assert first["page"] == (
        "https://mecklenburg.legistar.com/MeetingDetail.aspx"
        "?LEGID=1802&GID=194&G=9CAF76CE-14E5-4AB9-8178-ECFA61E02FDA"
    )
    assert [(paper["kind"], paper["url"]) for paper in first["papers"]] == [
        (
            "agenda",
            "https://legistar1.granicus.com/Mecklenburg/meetings/2025/1/"
            "1802_A_Budget_Public_Policy_25-01-14_Meeting_Agenda.pdf",
        )
    ]
    assert (last["vendor_id"], last["title"], last["starts"], last["notes"]) == (
        "1895", "Board of Commissioners", "2026-04-07T17:00", "REVISED AGENDA",
    )  # fmt: skip
    assert first["video"] is None
    assert last["video"] is None
    assert len(papers(list(page.items))) == 2
    assert [request.step for request in page.requests] == ["items", "items"]
    assert json.loads(first["raw"])["EventComment"].startswith("REVISED AGENDA\r\n")


@needs_samples
@pytest.mark.parametrize(
    "name", ["legistar_api_matterhistories_chicago.json", "legistar_api_matterindexes_metro.json"]
)
def test_rows_of_another_kind_are_not_events(name: str) -> None:
    with pytest.raises(ContentBroken, match="not a list of Legistar events"):
        read_events((SAMPLES / name).read_bytes())


# Events


def test_start_asks_for_the_window_as_json() -> None:
    (request,) = start(TENANT, TODAY, None)
    assert request.url == (
        "https://webapi.legistar.com/v1/elmsford/Events"
        "?$filter=EventDate%20ge%20datetime'2026-04-15'%20and%20"
        "EventDate%20lt%20datetime'2026-06-15'&$orderby=EventDate%20desc"
    )
    assert request.headers == {"Accept": "application/json"}


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({"site": "https://elmsford.legistar.com/"}, "https://webapi.legistar.com/v1/elmsford/E"),
        ({"site": "a", "client": "b"}, "https://webapi.legistar.com/v1/b/E"),
        ({"site": "a", "api_base": "http://localhost:1/v1/"}, "http://localhost:1/v1/a/E"),
        ({"site": "a", "api": False}, "https://a.legistar.com/Calendar.aspx"),
        ({"site": "https://legistar.council.gov"}, "https://legistar.council.gov/Calendar.aspx"),
    ],
)
def test_start_finds_the_api_or_the_pages(settings: dict[str, Any], url: str) -> None:
    (request,) = start(LegistarTenant(**settings), TODAY, None)
    assert request.url.startswith(url)


def test_a_meeting_has_its_papers_video_and_page() -> None:
    found = read_one_meeting(
        EventLocation="Hall\u00a0A ",
        EventAgendaFile="https://files/A 7.pdf",
        EventAgendaLastPublishedUTC="2026-05-10T10:00:00.1",
        EventMinutesFile="View.ashx?M=M&ID=7",
        EventMinutesStatusName="Draft",
        EventMedia="3496",
        EventInSiteURL="https://elmsford.legistar.com/MeetingDetail.aspx?LEGID=7",
    )
    assert found["location"] == "Hall A"
    assert [(paper["kind"], paper["url"], paper["changed"]) for paper in found["papers"]] == [
        ("agenda", "https://files/A%207.pdf", "2026-05-10T10:00:00.1"),
        ("draft_minutes", "https://elmsford.legistar.com/View.ashx?M=M&ID=7", None),
    ]
    assert found["video"] == (
        "https://elmsford.legistar.com/Video.aspx?Mode=Granicus&ID1=3496&Mode2=Video"
    )
    assert found["page"] == "https://elmsford.legistar.com/MeetingDetail.aspx?LEGID=7"
    assert found["status"] == "scheduled"


@pytest.mark.parametrize(
    ("fields", "starts"),
    [
        ({}, "2026-05-20T18:30"),
        ({"EventTime": None}, "2026-05-20"),
        ({"EventTime": "Immediately after the Council"}, "2026-05-20"),
        ({"EventTime": "12:00 AM"}, "2026-05-20"),
        ({"EventTime": None, "EventDate": "2026-05-20T09:00:00"}, "2026-05-20T09:00"),
        ({"EventDate": "2026-05-20T00:00:00Z"}, "2026-05-20T18:30"),
    ],
)
def test_times_are_local(fields: dict[str, Any], starts: str) -> None:
    assert read_one_meeting(**fields)["starts"] == starts


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"EventAgendaStatusName": "Canceled"}, "cancelled"),
        ({"EventBodyName": "City Council - CANCELLED"}, "cancelled"),
        ({"EventComment": "CANCELLED\r\nRoom 2"}, "cancelled"),
        ({"EventTime": "POSTPONED"}, "postponed"),
        ({"EventComment": "Postponed to June 3"}, "postponed"),
        ({"EventComment": "Rescheduled from May 13"}, "scheduled"),
        ({"EventComment": "Starts at 6. Replaces the cancelled meeting."}, "scheduled"),
        ({"EventComment": "Recess from 7 to 8 PM"}, "scheduled"),
        ({"EventComment": "There will be no meeting on May 27."}, "scheduled"),
        ({"EventComment": "NO MEETING"}, "cancelled"),
        ({"EventMinutesFile": "https://f/m.pdf", "EventMinutesStatusName": "Final"}, "held"),
    ],
)
def test_status(fields: dict[str, Any], status: str) -> None:
    assert read_one_meeting(**fields)["status"] == status


def test_remarks_may_mention_other_meetings() -> None:
    assert find_note_status(None, "") is MeetingStatus.SCHEDULED
    assert find_note_status("Room 2", "Meeting cancelled") is MeetingStatus.CANCELLED


def test_rows_outside_the_window_are_left_out_whatever_the_server_sends() -> None:
    rows = [
        event(1, EventDate="2026-06-15T00:00:00"),
        event(2, EventDate="2026-06-14T00:00:00"),
        event(3, EventDate="2026-04-15T00:00:00"),
        event(4, EventDate="2026-04-14T00:00:00"),
        event(5, EventDate="1900-01-01T00:00:00"),
        event(6, EventDate=None),
    ]
    assert [found["vendor_id"] for found in entries(list(read_events(rows).items))] == ["2", "3"]


def test_a_meeting_with_interpretation_is_not_another_one() -> None:
    rows = [event(1), event(2, EventBodyName="City Council (SAP)"),
            event(3, EventBodyName="Zoning (SAP)")]  # fmt: skip
    page = read_events(rows)
    assert [found["vendor_id"] for found in entries(list(page.items))] == ["1", "3"]
    assert len(page.requests) == 2


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({}, True),
        ({"EventAgendaFile": "https://f/a.pdf"}, True),
        ({"EventAgendaFile": None, "EventAgendaStatusName": "Draft"}, False),
        ({"EventAgendaFile": None, "EventAgendaStatusName": "Final-revised"}, True),
        ({"EventAgendaFile": "https://f/a.pdf", "EventComment": "CANCELLED"}, False),
        ({"EventAgendaFile": "https://f/a.pdf", "EventBodyName": "Test Meeting"}, False),
    ],
)
def test_items_are_asked_for_once_something_is_published(
    fields: dict[str, Any], asked: bool
) -> None:
    assert bool(read_events([event(**fields)]).requests) is asked


def test_an_unchanged_meeting_has_the_same_stamp() -> None:
    stamps = [
        read_events([event(EventRowVersion=version)]).requests[0].changed for version in "aab"
    ]
    assert stamps[0] == stamps[1] != stamps[2]


def test_a_full_page_leads_to_the_next_one_without_its_rows() -> None:
    rows = [event(number) for number in range(1000)]
    further = read_events(rows).requests[-1]
    assert "$skip=1000" in further.url
    seen = further.context["seen"]
    page = read_events([event(999), event(1000)], skip="1000", seen=seen)
    assert [found["vendor_id"] for found in entries(list(page.items))] == ["1000"]
    assert [request.step for request in page.requests] == ["items"]


def test_pages_end_before_the_window_and_are_limited() -> None:
    old = [event(n, EventDate="2026-05-20T00:00:00") for n in range(999)]
    old.append(event(999, EventDate="2026-01-01T00:00:00"))
    assert all(request.step == "items" for request in read_events(old).requests)
    with pytest.raises(ContentBroken, match="more than 100000 meetings"):
        read_events([event(n) for n in range(1000)], skip="99000")


def test_an_empty_api_leaves_the_question_to_the_calendar() -> None:
    page = read_events([])
    assert [request.url for request in page.requests] == [
        "https://elmsford.legistar.com/Calendar.aspx"
    ]
    assert not read_events([], skip="1000").requests


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"Message":"The query is not valid."}', "The query is not valid"),
        (b"[1, 2]", "not a list of Legistar events"),
        (b'[{"MatterId": 1}]', "not a list of Legistar events"),
        (b"<html><body>Sign in <input type='password'></body></html>", "Legistar events"),
        (b"<Error><Message>Token required</Message></Error>", "Legistar events"),
        (b"", "Legistar events"),
    ],
)
def test_anything_else_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(ContentBroken, match=message):
        read_events(data)


# Items


def test_items_in_order_with_sections() -> None:
    rows = [
        item(5, "Zoning of Elm Street", AgendaNumber="2.", MatterFile="26-2", MatterId=22),
        item(1, "CONSENT CALENDAR", AgendaNote="All items are routine."),
        item(2, "Bridge repair", AgendaNumber="1.", MatterFile="26-1", MatterId=21, Consent=0,
             MatterType="Contract", AgendaNote="Federal funds.", MinutesNote="{\\rtf1 x}",
             ActionName="approved", ActionText="approved", PassedFlag=1, Tally="7:0",
             Mover="Ada Moss", Seconder="Ben Oak", LastModifiedUtc="2026-05-21T01:02:03.9"),
        item(3, "x" * 200),
        item(4, "REGULAR CALENDAR"),
        {"EventItemId": 7, "EventItemTitle": "Ada Moss left at 7 PM"},
        item(8, "", MatterName="Named only", MatterFile="26-3", Consent=1),
    ]  # fmt: skip
    found, page = read_items(rows)
    assert [(each["sequence"], each["section"], each["title"]) for each in found] == [
        (1, "CONSENT CALENDAR", "Bridge repair"),
        (2, "REGULAR CALENDAR", "Zoning of Elm Street"),
        (3, "REGULAR CALENDAR", "Named only"),
    ]
    assert [each["consent"] for each in found] == [True, False, True]
    first = found[0]
    assert (first["vendor_id"], first["number"], first["matter_file"], first["matter_id"]) == (
        "2", "1.", "26-1", "21",
    )  # fmt: skip
    assert (first["matter_type"], first["text"], first["action"], first["passed"]) == (
        "Contract", "Federal funds.", "approved", True,
    )  # fmt: skip
    assert (first["mover"], first["seconder"], first["tally"]) == ("Ada Moss", "Ben Oak", "7:0")
    assert [(request.step, request.url) for request in page.requests] == [
        ("votes", "https://webapi.legistar.com/v1/elmsford/EventItems/2/Votes")
    ]


@pytest.mark.parametrize(
    ("rows", "items", "section"),
    [
        # Numbered headings: a number below, another style of number, or a matter without one.
        ([("5.", "Consent", 0), ("5.A", "Bridge", 1)], ["Bridge"], "Consent"),
        ([("V.", "Consent", 0), ("A.", "Bridge", 0)], ["Bridge"], "Consent"),
        ([("V.", "Ordinances", 0), ("12.", "Bridge", 1)], ["Bridge"], "Ordinances"),
        ([("4", "Hearings", 0), (None, "Bridge", 1)], ["Bridge"], "Hearings"),
        ([("3", "HEARINGS", 0), ("1", "Bridge", 1)], ["Bridge"], "HEARINGS"),
        # Items without a matter.
        ([("1.", "ROLL CALL", 0), ("2.", "Bridge", 1)], ["ROLL CALL", "Bridge"], None),
        ([("B.", "Report", 0), ("VI.", "Closing", 0)], ["Report", "Closing"], None),
        ([("1", "Report", 0)], ["Report"], None),
        # Nothing has a number or a matter.
        ([(None, "REPORTS", 0), (None, "Budget talk", 0)], ["Budget talk"], "REPORTS"),
    ],
)
def test_headings(
    rows: list[tuple[str | None, str, int]], items: list[str], section: str | None
) -> None:
    found, _ = read_items([
        item(place, title, AgendaNumber=number, MatterFile="26-1" if matter else None)
        for place, (number, title, matter) in enumerate(rows, 1)
    ])  # fmt: skip
    assert [each["title"] for each in found] == items
    assert found[-1]["section"] == section


def test_consent_is_not_what_was_removed_from_it() -> None:
    matter = {"MatterFile": "26-1"}
    rows = [item(1, "ITEMS REMOVED FROM CONSENT"), item(2, "a", **matter),
            item(3, "Non-consent items"), item(4, "b", **matter)]  # fmt: skip
    assert [each["consent"] for each in read_items(rows)[0]] == [False, False]


def test_attachments() -> None:
    def attachment(name: str, link: str | None, **fields: Any) -> dict[str, Any]:
        return {"MatterAttachmentName": name, "MatterAttachmentHyperlink": link,
                **{f"MatterAttachment{key}": value for key, value in fields.items()}}  # fmt: skip

    matter = [
        attachment("Report", "https://f/my report.pdf", Sort=2, LastModifiedUtc="2026-05-01T1"),
        attachment("Leg Ver1", "https://f/1.pdf", Sort=-2147483648),
        attachment("Leg Ver2", "https://f/2.pdf", Sort=1),
        attachment("Map", "map.pdf", Sort=3),
        attachment("Map", "map.pdf", Sort=4),
        attachment("Draft", "https://f/hidden.pdf", ShowOnInternetPage=False),
        attachment("Nothing", None),
        attachment("Mail", "mailto:a@b.example"),
    ]
    rows = [item(1, "Bridge", MatterFile="26-1", MatterAttachments=matter)]
    found, page = read_items(rows)
    assert [(each["name"], each["url"], each["changed"]) for each in found[0]["attachments"]] == [
        ("Leg Ver2", "https://f/2.pdf", None),
        ("Report", "https://f/my%20report.pdf", "2026-05-01T1"),
        ("Map", "https://elmsford.legistar1.com/elmsford/attachments/map.pdf", None),
    ]
    assert papers(list(page.items)) == [each["url"] for each in found[0]["attachments"]]


def test_garbage_leads_to_the_page_of_the_meeting() -> None:
    rows = [item(1, "Agenda"), item(2, "Page Break"), item(3, "of the council"),
            item(4, "Bridge", MatterFile="26-1")]  # fmt: skip
    page = read(json.dumps(rows).encode(), items_request(), TENANT)
    assert not page.items
    (request,) = page.requests
    assert (request.step, request.url, request.changed) == (
        "detail", "https://elmsford.legistar.com/MeetingDetail.aspx?LEGID=7", "v1",
    )  # fmt: skip
    assert request.context["meeting"] == "7"
    without_page = read(json.dumps(rows).encode(), items_request(page=""), TENANT)
    assert [each["title"] for each in entries(list(without_page.items))[0]["items"]] == ["Bridge"]


def test_page_breaks_alone_are_not_garbage() -> None:
    rows = [item(1, "Bridge", MatterFile="26-1"), item(2, "page break"),
            item(3, "Road", MatterFile="26-2")]  # fmt: skip
    assert [each["title"] for each in read_items(rows)[0]] == ["Bridge", "Road"]


def test_no_items_is_no_agenda() -> None:
    page = read(b"[]", items_request(), TENANT)
    assert (list(page.items), list(page.requests)) == ([], [])


# Votes and sponsors


def test_votes_then_sponsors_become_a_part_of_the_agenda() -> None:
    tenant = LegistarTenant(site="elmsford", sponsors=True)
    rows = [item(2, "Bridge", MatterFile="26-1", MatterId=21, RollCallFlag=1)]
    _, page = read_items(rows, tenant)
    (votes,) = page.requests
    assert votes.headers == {"Accept": "application/json"}
    answer = [
        {"VotePersonName": "Ben Oak", "VoteValueName": "Nay", "VotePersonId": 11, "VoteSort": 2},
        {"VotePersonName": "Ada Moss", "VoteValueName": "Aye", "VotePersonId": 10, "VoteSort": 1},
        {"VotePersonName": "Cy Pine", "VoteValueName": None, "VotePersonId": 12, "VoteSort": 3},
        {"VotePersonName": "Di Yew", "VoteValueName": "Tbd", "VotePersonId": 13, "VoteSort": 4},
    ]
    page = read(json.dumps(answer).encode(), votes, tenant)
    assert not page.items
    assert page.warnings == [f"votes not understood at {votes.url}: Tbd"]
    (sponsors,) = page.requests
    assert sponsors.url == "https://webapi.legistar.com/v1/elmsford/Matters/21/Sponsors"
    answer = [{"MatterSponsorName": name, "MatterSponsorSequence": place}
              for name, place in (("Ben Oak", 1), ("Ada Moss", 0), ("Ben Oak", 2))]  # fmt: skip
    page = read(json.dumps(answer).encode(), sponsors, tenant)
    (agenda,) = entries(list(page.items))
    assert (agenda["meeting"], agenda["part"]) == ("7", "2")
    (found,) = agenda["items"]
    assert (found["title"], found["sponsors"]) == ("Bridge", ["Ada Moss", "Ben Oak"])
    assert [(vote["member"], vote["vote"], vote["member_id"]) for vote in found["votes"]] == [
        ("Ada Moss", "yes", "10"),
        ("Ben Oak", "no", "11"),
    ]
    assert page.items[0].url.endswith("7/2")
    assert page.items[0].parent is not None


def test_votes_are_asked_for_only_where_there_may_be_some() -> None:
    rows = [item(1, "a", MatterFile="1", PassedFlag=0), item(2, "b", MatterFile="2"),
            item(3, "c", MatterFile="3", RollCallFlag=0)]  # fmt: skip
    assert [request.url[-7:] for request in read_items(rows)[1].requests] == ["1/Votes"]
    quiet = LegistarTenant(site="elmsford", votes=False)
    assert not read_items(rows, quiet)[1].requests


def test_an_empty_roll_is_not_stored() -> None:
    _, page = read_items([item(1, "a", MatterFile="1", PassedFlag=1)])
    page = read(b"[]", page.requests[0], TENANT)
    assert (list(page.items), list(page.requests)) == ([], [])


@pytest.mark.parametrize(
    ("words", "vote"),
    [
        ("Affirmative", VoteValue.YES), ("Yea", VoteValue.YES), ("In Favor", VoteValue.YES),
        ("Negative", VoteValue.NO), ("Opposed", VoteValue.NO), ("Recused", VoteValue.ABSTAIN),
        ("Abstain", VoteValue.ABSTAIN), ("Excused", VoteValue.ABSENT),
        ("Jury Duty", VoteValue.ABSENT), ("Not present", VoteValue.ABSENT),
        ("Non-voting", VoteValue.PRESENT), ("Present", VoteValue.PRESENT), ("Maybe", None),
    ],
)  # fmt: skip
def test_votes_in_words(words: str, vote: VoteValue | None) -> None:
    assert find_vote(words) is vote


# Errors


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_a_switched_off_api_leads_to_the_calendar(status: int) -> None:
    request = start(TENANT, TODAY, None)[0]
    page = recover(request, status, TENANT)
    assert page is not None
    assert page.requests[0].url == "https://elmsford.legistar.com/Calendar.aspx"
    assert page.warnings == [f"{request.url} answered {status}"]


def test_a_temporary_error_is_an_error() -> None:
    request = start(TENANT, TODAY, None)[0]
    assert recover(request, 503, TENANT) is None
    later = PortalRequest(url=request.url, step="events", context={**request.context, "skip": "9"})
    assert recover(later, 500, TENANT) is None


def test_missing_items_lead_to_the_page_and_missing_votes_to_nothing() -> None:
    page = recover(items_request(), 500, TENANT)
    assert page is not None
    assert [request.step for request in page.requests] == ["detail"]
    gone = recover(items_request(page=""), 410, TENANT)
    assert gone is not None
    assert (list(gone.requests), len(gone.warnings)) == ([], 1)
    votes = read_items([item(1, "a", MatterFile="1", PassedFlag=1)])[1].requests[0]
    missing = recover(votes, 404, TENANT)
    assert missing is not None
    assert (list(missing.items), len(missing.warnings)) == ([], 1)
    assert recover(votes, 500, TENANT) is None
