"""CivicClerk: events in pages, local times marked as UTC, agendas as trees, and votes."""

import json
from datetime import date, datetime
from typing import Any

import pytest

from assay.packs.civic.portals.civicclerk import CIVICCLERK, CivicclerkTenant, read, recover, start
from assay.packs.civic.portals.listed import (
    ListedAgendaItem,
    ListedVote,
    MeetingStatus,
    PaperKind,
    VoteValue,
)
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
from tests.packs.civic.portals.sites.civicclerk import CivicClerkSite

TENANT = CivicclerkTenant(site="elmford")
EVENTS = PortalRequest(url="https://elmford.api.civicclerk.com/v1/Events", step="events")
AGENDA = PortalRequest(
    url="https://elmford.api.civicclerk.com/v1/Meetings/90",
    step="agenda",
    context={"meeting": "7", "held": "2026-04-28T19:00"},
)


def _read_events(*events: dict[str, Any], request: PortalRequest = EVENTS) -> PortalPage:
    return read(json.dumps({"value": list(events)}).encode(), request, TENANT)


def _event(**changes: Any) -> dict[str, Any]:
    return {
        "id": 7, "eventName": "City Council", "startDateTime": "2026-04-28T19:00:00Z",
        "publishedFiles": [],
    } | changes  # fmt: skip


def _read_agenda(*items: dict[str, Any]) -> list[ListedAgendaItem]:
    page = read(json.dumps({"id": 90, "items": list(items)}).encode(), AGENDA, TENANT)
    return list(list_agendas(page.items)[0].items)


@needs_samples
def test_the_events_of_south_fulton() -> None:
    tenant = CivicclerkTenant(site="southfultonga")
    page = read((SAMPLES / "civicclerk_events_southfultonga.json").read_bytes(), EVENTS, tenant)
    meetings = list_meetings(page.items)
    assert [each.vendor_id for each in meetings] == [str(number) for number in range(1744, 1760)]
    first, last = meetings[0], meetings[-1]
    files = "https://southfultonga.api.civicclerk.com/v1/Meetings/GetMeetingFileStream"
    assert first.title == "Alcohol License and Zoning Public Hearings"
    assert (first.body, first.starts) == ("City Council", "2026-04-15T17:00")
    assert first.status is MeetingStatus.HELD
    assert first.location == "5440 Fulton Industrial Blvd, South Fulton, Georgia 30336"
    assert first.video == "https://cpmedia.azureedge.net/southfultonga/8c9fc82fc5.mp4"
    assert first.page == "https://southfultonga.portal.civicclerk.com/event/1744/files"
    assert [(each.kind, each.url, each.name, each.changed) for each in first.papers] == [
        (PaperKind.AGENDA, f"{files}(fileId=2261,plainText=false)",
         "Zoning Public Hearing Agenda 4.15.2026", "2026-04-09T12:22:47.71Z"),
        (PaperKind.PACKET, f"{files}(fileId=2262,plainText=false)",
         "Zoning Public Hearing Packet 4.15.2026", "2026-04-09T12:22:47.71Z"),
    ]  # fmt: skip
    assert [each.starts for each in meetings[1:4]] == [
        "2026-04-28T16:00", "2026-04-28T17:00", "2026-04-28T19:00",
    ]  # fmt: skip
    assert (last.title, last.starts) == (first.title, "2026-07-28T17:00")
    assert (last.status, last.papers, last.video) == (MeetingStatus.SCHEDULED, (), None)
    assert last.location == first.location
    assert json.loads(last.raw)["agendaId"] == 793


@needs_samples
def test_only_a_published_agenda_of_south_fulton_is_asked_for() -> None:
    tenant = CivicclerkTenant(site="southfultonga")
    page = read((SAMPLES / "civicclerk_events_southfultonga.json").read_bytes(), EVENTS, tenant)
    assert [request.url for request in page.requests] == [
        "https://southfultonga.api.civicclerk.com/v1/Meetings/778"
    ]
    assert page.requests[0].headers["Origin"] == "https://southfultonga.portal.civicclerk.com"
    # The packet is not fetched, because the agenda is.
    assert len(list_paper_urls(page.items)) == 1


@needs_samples
def test_the_events_of_tulsa_county() -> None:
    page = read((SAMPLES / "civicclerk_events_tulsa_trimmed.json").read_bytes(), EVENTS, TENANT)
    meetings = list_meetings(page.items)
    assert [(each.vendor_id, each.title, each.starts, each.status) for each in meetings] == [
        ("2182", "Board of County Commissioners", "2025-12-08T09:30", MeetingStatus.SCHEDULED),
        ("2312", "Board of County Commissioners Special Meeting", "2025-07-16T10:00",
         MeetingStatus.HELD),
        ("2400", "Board of County Commissioners", "2026-03-02T09:30", MeetingStatus.SCHEDULED),
    ]  # fmt: skip
    assert {each.location for each in meetings} == {"Room 132, 218 W 6th ST, Tulsa, OK 74119"}
    assert [[paper.kind for paper in each.papers] for each in meetings] == [
        [PaperKind.AGENDA, PaperKind.PACKET, PaperKind.OTHER],
        [PaperKind.AGENDA, PaperKind.PACKET, PaperKind.MINUTES],
        [],
    ]
    assert meetings[1].notes == "Special Meeting Agenda"
    assert page.requests == []


def test_the_window_is_asked_for_in_one_request() -> None:
    tenant = CivicclerkTenant(site="elmford", days_back=5, days_ahead=10)
    (request,) = start(tenant, date(2026, 4, 15), None)
    assert request.url == (
        "https://elmford.api.civicclerk.com/v1/Events?$filter=startDateTime%20ge%202026-04-10T00%3A"
        "00%3A00Z%20and%20startDateTime%20lt%202026-04-26T00%3A00%3A00Z&$orderby=startDateTime%20"
        "asc%2C%20eventName%20asc"
    )


def test_the_address_of_the_portal_leads_to_the_api() -> None:
    tenant = CivicclerkTenant(site="https://elmford.portal.civicclerk.com/")
    assert tenant.base == "https://elmford.api.civicclerk.com"
    assert tenant.portal == "https://elmford.portal.civicclerk.com"


def test_events_that_are_not_public_or_outside_the_window_are_left_out() -> None:
    window = PortalRequest(
        url=EVENTS.url, step="events", context={"from": "2026-04-01", "to": "2026-04-30"}
    )
    page = _read_events(
        _event(id=1, isDeleted=True),
        _event(id=2, isPublished="Draft"),
        _event(id=3, startDateTime="2026-05-01T09:00:00Z"),
        _event(id=4, startDateTime="2026-04-30T23:30:00Z", isPublished="Published"),
        _event(id=4, startDateTime="2026-04-30T23:30:00Z"),
        request=window,
    )
    assert [each.vendor_id for each in list_meetings(page.items)] == ["4"]


def test_sentinel_dates_mean_none() -> None:
    page = _read_events(
        _event(id=1, startDateTime="0001-01-01T00:00:00Z", eventDate="2026-04-28T18:00:00Z"),
        _event(id=2, startDateTime="1900-01-01T00:00:00Z"),
        _event(id=3, startDateTime="2026-04-28T00:00:00Z", liveEndTime="1900-01-01T00:00:00Z"),
    )
    assert [(each.vendor_id, each.starts, each.status) for each in list_meetings(page.items)] == [
        ("1", "2026-04-28T18:00", MeetingStatus.SCHEDULED),
        ("3", "2026-04-28", MeetingStatus.SCHEDULED),
    ]
    assert page.warnings == ["Event 2 has no date and was left out."]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"eventName": "City Council - CANCELED"}, MeetingStatus.CANCELLED),
        ({"eventNotice": "<b>Postponed</b> to May 5"}, MeetingStatus.POSTPONED),
        ({"publishedFiles": [{"fileId": 3, "type": "Other", "name": "Notice of Cancellation"}]},
         MeetingStatus.CANCELLED),
        ({"meetingEndTime": "2026-04-28T21:10:00Z"}, MeetingStatus.HELD),
        ({"eventLocation": None}, MeetingStatus.SCHEDULED),
    ],
)  # fmt: skip
def test_the_status_of_a_meeting(changes: dict[str, Any], status: MeetingStatus) -> None:
    assert list_meetings(_read_events(_event(**changes)).items)[0].status is status


def test_the_kinds_of_files() -> None:
    files = [
        {"fileId": 1, "type": "Minutes", "name": "DRAFT Minutes 4-28"},
        {"fileId": 2, "type": "Other", "name": "Agenda Packet with maps"},
        {"fileId": 3, "type": "Agenda", "name": "Minutes and more", "publishOn": "1900-01-01"},
        {"fileId": 3, "type": "Agenda", "name": "The same file again"},
        {"type": "Agenda", "name": "No address"},
    ]
    papers = list_meetings(_read_events(_event(publishedFiles=files)).items)[0].papers
    assert [(each.kind, each.name, each.changed) for each in papers] == [
        (PaperKind.DRAFT_MINUTES, "DRAFT Minutes 4-28", None),
        (PaperKind.PACKET, "Agenda Packet with maps", None),
        (PaperKind.AGENDA, "Minutes and more", None),
    ]


@pytest.mark.parametrize(
    ("changes", "video"),
    [
        ({"youtubeVideoId": "abc"}, "https://www.youtube.com/watch?v=abc"),
        ({"externalMediaUrl": "//media.example/x.mp4"}, "https://media.example/x.mp4"),
        ({"mediaSourcePath": ""}, None),
    ],
)
def test_the_video_of_a_meeting(changes: dict[str, Any], video: str | None) -> None:
    assert list_meetings(_read_events(_event(**changes)).items)[0].video == video


def test_a_new_file_changes_the_stamp_of_the_agenda() -> None:
    files = [{"fileId": 1, "type": "Agenda", "publishOn": "2026-04-20T08:00:00Z"}]
    stamps = [
        _read_events(_event(agendaId=90, publishedFiles=each)).requests[0].changed
        for each in (files, files, [*files, {"fileId": 2, "type": "Minutes"}])
    ]
    assert stamps[0] == stamps[1] != stamps[2]


@pytest.mark.parametrize("agenda_id", [0, None])
def test_a_meeting_without_an_agenda_is_not_asked_for(agenda_id: int | None) -> None:
    files = [{"fileId": 1, "type": "Agenda"}]
    assert _read_events(_event(agendaId=agenda_id, publishedFiles=files)).requests == []


@pytest.mark.parametrize(
    "body",
    [b'{"error": {"code": "401"}}', b"[]", b'{"value": null}', b"<html>Sign in</html>", b""],
)
def test_an_unexpected_response_is_not_an_empty_list(body: bytes) -> None:
    with pytest.raises(ContentBroken):
        read(body, EVENTS, TENANT)


def test_no_events_are_no_error() -> None:
    page = _read_events()
    assert (page.items, page.requests) == ([], [])


def test_pages_are_followed_but_not_for_ever() -> None:
    answer = {"value": [_event()], "@odata.nextLink": "Events?$skip=15"}
    first = read(json.dumps(answer).encode(), EVENTS, TENANT)
    assert first.requests[-1].url == "https://elmford.api.civicclerk.com/v1/Events?$skip=15"
    assert first.requests[-1].context["page"] == "2"
    late = PortalRequest(url=EVENTS.url, step="events", context={"page": "100"})
    with pytest.raises(ContentBroken, match="more than 100 pages"):
        read(json.dumps(answer).encode(), late, TENANT)


def test_an_agenda_is_read_as_a_tree() -> None:
    items = _read_agenda(
        {
            "id": 20, "isSection": 1, "agendaObjectItemName": "<b>Consent&nbsp;Agenda</b>",
            "sortOrder": 2, "childItems": [
                {
                    "id": 21, "isSection": 0, "sortOrder": 1,
                    "agendaObjectItemName": "<p>Approve <b>O</b>rdinance &amp; plan</p>",
                    "agendaObjectItemOutlineNumber": "A.",
                    "agendaObjectItemDescription": "<p>First.</p><p>Second.</p>",
                    "ordinanceFormattedNumber": "ORD-26-014", "resolutionNumber": 0,
                    "childItems": [
                        {"id": 22, "isSection": 0, "agendaObjectItemName": "Its map",
                         "childItems": None, "attachmentsList": None},
                    ],
                    "attachmentsList": [
                        {"id": 5, "fileName": "Map.pdf", "pdfVersionFullPath": "https://b/5?sig=1"},
                        {"id": 5, "fileName": "Map.pdf", "pdfVersionFullPath": "https://b/5?sig=2"},
                        {"id": 6, "fileName": "Gone", "isDeleted": True},
                        {"id": 7, "fileName": "Draft", "isPublished": False},
                        {"id": 8, "fileName": "Site", "isLink": True,
                         "mediaFullPath": "https://maps.example/a b"},
                    ],
                    "reportsList": [
                        {"agendaObjItemReportName": "Staff Report", "pdfMediaFullPath": "//b/r.pdf"}
                    ],
                },
            ],
        },
        {"id": 10, "isSection": 0, "agendaObjectItemName": "Call to Order", "sortOrder": 1},
    )  # fmt: skip
    assert [(each.sequence, each.vendor_id, each.title) for each in items] == [
        (1, "10", "Call to Order"),
        (2, "21", "Approve Ordinance & plan"),
        (3, "22", "Its map"),
    ]
    plan = items[1]
    assert (plan.number, plan.section, plan.consent) == ("A", "Consent Agenda", True)
    assert (plan.matter_file, plan.matter_type) == ("ORD-26-014", "Ordinance")
    assert plan.text == "First. Second."
    assert [(each.name, each.url) for each in plan.attachments] == [
        ("Map.pdf", "https://elmford.api.civicclerk.com/v1/Meetings/GetAttachmentFile(fileId=5)"),
        ("Site", "https://maps.example/a%20b"),
        ("Staff Report", "https://b/r.pdf"),
    ]
    assert items[2].consent
    assert items[2].section == plan.title
    assert not items[0].consent


def test_the_last_motion_decides() -> None:
    motions = [
        {"motionName": "Amend", "passFail": 0, "yesVotes": ["A"], "noVotes": ["B", "C"]},
        {
            "motionName": "Adopt", "passFail": 1, "initiatedBy": "Ann Lee", "secondedBy": "Bo Ray",
            "yesVotes": ["Ann Lee", {"name": "Bo Ray"}], "noVotes": [], "abstainVotes": ["Cy Orr"],
        },
    ]  # fmt: skip
    (item,) = _read_agenda({"id": 1, "agendaObjectItemName": "Budget", "minutesItemVotes": motions})
    assert (item.action, item.passed, item.tally) == ("Adopt", True, "2-0")
    assert (item.mover, item.seconder) == ("Ann Lee", "Bo Ray")
    assert item.votes == (
        ListedVote(member="Ann Lee", vote=VoteValue.YES),
        ListedVote(member="Bo Ray", vote=VoteValue.YES),
        ListedVote(member="Cy Orr", vote=VoteValue.ABSTAIN),
    )


def test_a_placeholder_is_not_an_item() -> None:
    items = _read_agenda({"id": 1, "agendaObjectItemName": "Select MEETING FILES to view it"})
    assert items == []


def test_an_agenda_that_is_not_public_is_a_warning() -> None:
    found = recover(AGENDA, 404, TENANT)
    assert found is not None
    assert "not public" in found.warnings[0]
    assert recover(AGENDA, 500, TENANT) is None
    assert recover(EVENTS, 404, TENANT) is None
    with pytest.raises(ContentBroken):
        read(b'{"message": "no"}', AGENDA, TENANT)


@pytest.mark.parametrize("site", ["http://elmford.local", "http://local/elmford"])
def test_a_local_city(site: str) -> None:
    city = make_meetings(datetime(2026, 4, 15, 18, 30), 25)
    tenant = CivicclerkTenant(site=site, days_back=100, days_ahead=100)
    items, requests = crawl(
        CIVICCLERK, tenant, CivicClerkSite({"elmford": city}), date(2026, 4, 15)
    )
    meetings = list_meetings(items)
    assert [(e.vendor_id, e.title, e.body, e.starts, e.location) for e in meetings] == [
        (str(e.number), e.title, e.body, f"{e.starts:%Y-%m-%dT%H:%M}", e.location) for e in city
    ]
    assert [each.status is MeetingStatus.CANCELLED for each in meetings] == [
        each.cancelled for each in city
    ]
    agendas = {each.meeting: each for each in list_agendas(items)}
    with_items = [each for each in city if each.items]
    assert set(agendas) == {str(each.number) for each in with_items}
    for each in with_items:
        assert [
            (item.number, item.title, item.matter_file, tuple(a.name for a in item.attachments))
            for item in agendas[str(each.number)].items
        ] == [(item.number, item.title, item.file, item.attachments) for item in each.items]
    # Three pages of ten, and one request for each agenda.
    assert len(requests) == 3 + len(with_items)
