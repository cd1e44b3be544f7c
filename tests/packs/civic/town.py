"""A city's meetings as they are stored: decided, coming up, cancelled, moved, and hostile."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.clock import TurnedClock
from assay.model.records import Artifact, Endpoint, Evidence, Record, Source
from assay.packs.civic.portals.listed import MeetingStatus, PaperKind, VoteValue
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    City,
    CivicMotion,
    CivicSummary,
    CivicVote,
    CouncilMember,
    Matter,
    Meeting,
    MeetingAccess,
    Paper,
)
from assay.settings import Settings
from assay.store.upserts import upsert_records
from tests.conftest import quick_settings

CITY = "springfieldOR"
PAST, NEXT, DROPPED, MOVED, PACKET = (
    f"{CITY}_{n}" for n in ("past", "next", "off", "moved", "pack")
)
ZONING, BRIDGE, HOSTILE = f"{PAST}_1", f"{NEXT}_1", f"{NEXT}_2"
EVIL = "<script>alert('x')</script>"
DOCUMENTS = "https://docs.example.org"


def find_ms(moment: str) -> int:
    """A moment in UTC."""
    return int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp() * 1000)


def build_meeting(meeting_id: str, starts: str, **more: Any) -> Meeting:
    """A meeting at a local time; in UTC it is seven hours later."""
    utc = f"{starts[:11]}{int(starts[11:13]) + 7:02}{starts[13:]}Z" if "T" in starts else None
    given = {"title": "City Council", "starts_utc": utc, **more}
    return Meeting(
        meeting_id=meeting_id, banana=CITY, vendor_id=meeting_id, doc_id=f"d_{meeting_id}",
        evidence_id=f"ev_{meeting_id}", starts=starts, **given,
    )  # fmt: skip


def build_item(item_id: str, title: str, **more: Any) -> AgendaItem:
    """An item; its place on the agenda is the end of its id."""
    meeting_id, _, number = item_id.rpartition("_")
    return AgendaItem(
        item_id=item_id, meeting_id=meeting_id, banana=CITY, evidence_id=f"ev_{meeting_id}",
        sequence=int(number), number=number, title=title, **more,
    )  # fmt: skip


def build_document(name: str, kind: PaperKind, owner: str, meeting: str) -> list[Record]:
    """A document that was fetched and read."""
    key, url = name.lower().replace(" ", "-"), f"{DOCUMENTS}/{name.replace(' ', '%20')}.pdf"
    return [
        Paper(doc_id=f"d_{key}", owner_id=owner, meeting_id=meeting, kind=kind, url=url, name=name,
              listed_in="d"),
        Evidence(evidence_id=f"ev_{key}", url=url, content_hash=key, doc_id=f"d_{key}",
                 source_slug=CITY, content_type="application/pdf", size=1),
        Artifact(artifact_id=f"a_{key}", evidence_id=f"ev_{key}", kind="text", content_hash=key,
                 length=1),
    ]  # fmt: skip


def build_summary(subject: str, meeting: str, topics: list[str], *cited: tuple[str, str]) -> Record:
    """A summary: pairs of a sentence and the artifact that says it."""
    sentences = [
        {"text": text, "citations": [{"artifact_id": artifact, "start": 0, "end": 9}]}
        for text, artifact in cited
    ]
    return CivicSummary(
        subject_id=subject, kind="item", meeting_id=meeting, banana=CITY, method="extractive",
        sentences=sentences, topics=topics, input_hash="h",
    )  # fmt: skip


def list_records() -> list[Record]:
    """Everything that is stored about the town."""
    url = "https://springfield.example.org/"
    details = {
        "virtual_url": {"value": "https://zoom.example.org/j/1", "start": 1, "end": 2},
        "phones": [{"value": "541-555-0100", "start": 3, "end": 4}],
        "public_comment_deadline": {"value": "noon", "start": 5, "end": 6},
    }
    meetings = [
        build_meeting(PAST, "2026-04-07T16:00", status=MeetingStatus.HELD, body="City Council",
                      title="Regular Meeting", video="https://video.example.org/7",
                      page=f"{url}past"),
        build_meeting(NEXT, "2026-04-28T16:30", location="City Hall; Room 1, \\ north", page=url),
        build_meeting(DROPPED, "2026-04-21T10:00", title="Parks Board",
                      status=MeetingStatus.CANCELLED),
        build_meeting(MOVED, "2026-05-05", title="Work Session",
                      earlier_starts=["2026-04-30T09:00"]),
        build_meeting(PACKET, "2026-05-06T09:00", title="Library Board"),
        build_meeting(f"{CITY}_test", "2026-05-01T09:00", title="TEST MEETING",
                      filter_reason="test meeting"),
    ]  # fmt: skip
    evidence = [
        Evidence(evidence_id=f"ev_{m.meeting_id}", url=f"{url}{m.meeting_id}", source_slug=CITY,
                 content_hash=m.meeting_id, doc_id=m.doc_id, content_type="application/json",
                 size=1, fetched_ms=find_ms("2026-04-01"))
        for m in meetings
    ]  # fmt: skip
    return [
        Source(source_slug=CITY, name="Springfield, OR", base_url=url, packs=["civic"]),
        Endpoint(endpoint_id=f"{CITY}/portal", source_slug=CITY, url=url, strategy="primegov"),
        City(banana=CITY, name="Springfield", state="OR", vendor="primegov", site="springfield",
             timezone="America/Los_Angeles"),
        *meetings, *evidence,
        # The calendar entry of the next meeting was published twice.
        evidence[1].model_copy(update={"evidence_id": "ev_older", "content_hash": "older"}),
        *build_document("Agenda", PaperKind.AGENDA, NEXT, NEXT),
        *build_document("Minutes", PaperKind.MINUTES, PAST, PAST),
        *build_document("Ordinance 2026-14", PaperKind.ATTACHMENT, ZONING, PAST),
        *build_document("Staff report", PaperKind.ATTACHMENT, BRIDGE, NEXT),
        Paper(doc_id="d_evil", owner_id=HOSTILE, meeting_id=NEXT, kind=PaperKind.ATTACHMENT,
              url="javascript:alert(1)", name=f"A [link]({EVIL})", listed_in="d"),
        build_item(f"{PAST}_0", "CALL TO ORDER", filter_reason="roll call"),
        build_item(ZONING, "Ordinance 2026-14 on the mill district", matter_id=f"{CITY}_26-14",
                   action="Adopted", passed=True, tally="2-1", mover="Ann Ray", seconder="Bo Li"),
        build_item(BRIDGE, "Repair of the Main Street bridge", matter_id=f"{CITY}_bridge"),
        build_item(HOSTILE, f'=HYPERLINK("http://x") {EVIL}', text="Potholes on Elm\n Street."),
        build_item(f"{NEXT}_3", "Taken off", withdrawn=True),
        Matter(matter_id=f"{CITY}_26-14", banana=CITY, title="Mill district", matter_file="26-14",
               matter_type="Ordinance", sponsors=["Ann Ray", "Bo Li"]),
        Matter(matter_id=f"{CITY}_bridge", banana=CITY, title="Main Street bridge"),
        Appearance(matter_id=f"{CITY}_26-14", item_id=ZONING, meeting_id=PAST, action="Adopted",
                   passed=True, tally="2-1"),
        Appearance(matter_id=f"{CITY}_bridge", item_id=BRIDGE, meeting_id=NEXT),
        *(CouncilMember(member_id=f"{CITY}_{key}", banana=CITY, name=name)
          for key, name in (("ray", "Ann Ray"), ("li", "Bo Li"), ("day", "Cy Day"))),
        *(CivicVote(item_id=ZONING, member_id=f"{CITY}_{key}", meeting_id=PAST, vote=vote,
                    evidence_id="ev_minutes")
          for key, vote in (("ray", VoteValue.YES), ("li", VoteValue.YES), ("day", VoteValue.NO))),
        CivicMotion(motion_id="mo_1", meeting_id=PAST, item_id=ZONING, evidence_id="ev_minutes",
                    artifact_id="a_minutes", start=0, end=9, quote="…", motion="adopt Ordinance 14",
                    passed=True, tally="2-1", mover="Ray"),
        MeetingAccess(meeting_id=NEXT, artifact_id="a_agenda", details=details, is_hybrid=True),
        build_summary(ZONING, PAST, ["zoning"],
                      ("The mill district becomes a mixed-use zone.", "a_ordinance-2026-14")),
        build_summary(BRIDGE, NEXT, ["transportation", "budget"],
                      ("The repair would cost $2 million.", "a_staff-report")),
        build_summary(PACKET, PACKET, ["parks"], ("The library opens on Sundays.", "a_agenda")),
    ]  # fmt: skip


@pytest.fixture
def town(home: Path, make_app: Callable[..., App]) -> App:
    """An application whose store knows the town, on SQLite, on 20 April 2026."""
    return settle_town(make_app, quick_settings(home))


def settle_town(make_app: Callable[..., App], settings: Settings) -> App:
    """The same, on the store of these settings."""
    app: App = make_app(settings, clock=TurnedClock(find_ms("2026-04-20T12:00")))
    store(app, *list_records())
    return app


def store(app: App, *records: Record) -> None:
    """Store records as a stage would."""
    with app.engine.begin() as connection:
        upsert_records(connection, records)
