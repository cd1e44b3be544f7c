"""From a vendor's portal over HTTP to summaries: what a city's meetings become."""

from collections.abc import Callable, Iterator

import pytest

from assay.app import App
from assay.model.records import Endpoint, Source
from assay.packs.civic.cities import find_interval_h, plan_due_syncs
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    CivicMotion,
    CivicSummary,
    CivicVote,
    Matter,
    Meeting,
    MeetingAccess,
    Paper,
)
from assay.settings import Settings
from assay.store import tables as t
from tests.packs.civic.springfield import (
    BUDGET,
    CITY,
    meeting,
    paper,
    show,
    show_document,
    stored,
    watching_springfield,
)
from tests.spine.sites import Watch, Workplace


@pytest.fixture
def watch(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[Watch]:
    with watching_springfield(make_app, settings, shared_workplace) as made:
        yield made


def test_a_listed_meeting_is_recorded_with_its_papers_and_summarized(watch: Watch) -> None:
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00", paper(70, "Agenda")))
    show_document(watch, 70, *BUDGET)
    watch.run()
    (found,) = stored(watch, Meeting)
    assert found.meeting_id.startswith(f"{CITY}_")
    assert (found.title, found.starts, found.status) == (
        "City Council", "2023-12-04T19:00", "scheduled",
    )  # fmt: skip
    assert found.starts_utc == "2023-12-05T03:00Z"
    (document,) = stored(watch, Paper)
    assert (document.kind, document.owner_id) == ("agenda", found.meeting_id)
    (summary,) = stored(watch, CivicSummary)
    assert (summary.subject_id, summary.method) == (found.meeting_id, "extractive")
    assert "contracts" in summary.topics or "transportation" in summary.topics
    assert_cited(watch, summary)
    assert {row["state"] for row in watch.rows(t.candidate)} == {"ingested"}
    assert not watch.dead()


def assert_cited(watch: Watch, summary: CivicSummary) -> None:
    """Every sentence of the summary stands where it says."""
    artifacts = {row["artifact_id"]: row for row in watch.rows(t.artifact)}
    assert summary.sentences
    for sentence in summary.sentences:
        (place,) = sentence["citations"]
        text = watch.app.blobs.get(artifacts[place["artifact_id"]]["content_hash"]).decode()
        assert " ".join(text[place["start"] : place["end"]].split()) == sentence["text"]


AGENDA = (
    "CITY COUNCIL AGENDA", "1. CALL TO ORDER", "2. APPROVAL OF MINUTES",
    "3. PUBLIC HEARINGS", "3.A. Ordinance 2023-14 amending the zoning of the mill district",
    "3.B. Resolution approving the contract for the repair of the Main Street bridge",
    "4. ADJOURNMENT",
)  # fmt: skip


def test_the_items_of_an_agenda_are_found_where_the_portal_lists_none(watch: Watch) -> None:
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00", paper(70, "Agenda")))
    show_document(watch, 70, *AGENDA)
    watch.run()
    items = {item.title: item for item in stored(watch, AgendaItem)}
    bridge = items["Resolution approving the contract for the repair of the Main Street bridge"]
    assert bridge.number in {"3.B.", "3.B", "B"} and bridge.filter_reason is None
    assert items["APPROVAL OF MINUTES"].filter_reason == "minutes"
    assert len(stored(watch, Appearance)) == len(stored(watch, Matter)) == 2
    # A revised agenda: one item is gone, the others stay what they were.
    show(
        watch,
        meeting(
            7, "City Council", "2023-12-04T19:00:00", paper(70, "Agenda", "2023-12-01T09:00:00")
        ),
    )
    show_document(watch, 70, *(line for line in AGENDA if "mill district" not in line))
    watch.run()
    after = {item.title: item for item in stored(watch, AgendaItem)}
    gone = [item.title for item in after.values() if item.withdrawn]
    assert gone == ["Ordinance 2023-14 amending the zoning of the mill district"]
    assert after[bridge.title].item_id == bridge.item_id


MINUTES = (
    "MINUTES OF THE CITY COUNCIL",
    "3.B. Resolution approving the contract for the repair of the Main Street bridge",
    "Motion by Ruth Ames, seconded by Sam Birch, to approve the contract. "
    "AYES: Ames, Birch, Cole. NOES: Dorn. Motion carried 3-1.",
)
ACCESS = (
    "The meeting is held at City Hall, 225 Fifth Street, Springfield, OR 97477. "
    "Join by Zoom at https://us02web.zoom.us/j/84512345678, meeting ID 845 1234 5678."
)


def test_votes_of_the_minutes_belong_to_the_item_named_before_them(watch: Watch) -> None:
    papers = (paper(70, "Agenda"), paper(71, "Minutes"))
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00", papers[0]))
    show_document(watch, 70, *AGENDA, ACCESS)
    watch.run()
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00", *papers))
    show_document(watch, 71, *MINUTES)
    watch.run()
    (motion,) = stored(watch, CivicMotion)
    (bridge,) = [item for item in stored(watch, AgendaItem) if "bridge" in item.title]
    assert motion.item_id == bridge.item_id
    assert (motion.mover, motion.seconder, motion.passed, motion.tally) == (
        "Ruth Ames", "Sam Birch", True, "3-1",
    )  # fmt: skip
    votes = {vote.member_id: vote.vote for vote in stored(watch, CivicVote)}
    assert votes == {
        f"{CITY}_ames": "yes", f"{CITY}_birch": "yes", f"{CITY}_cole": "yes", f"{CITY}_dorn": "no",
    }  # fmt: skip
    artifacts = {row["artifact_id"]: row for row in watch.rows(t.artifact)}
    text = watch.app.blobs.get(artifacts[motion.artifact_id]["content_hash"]).decode()
    assert text[motion.start : motion.end] == motion.quote
    for value in (motion.mover, motion.seconder, motion.tally):
        assert value in motion.quote


def test_the_vote_on_an_amendment_is_not_a_vote_on_the_item(watch: Watch) -> None:
    papers = (paper(70, "Agenda"), paper(71, "Minutes"))
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00", *papers))
    show_document(watch, 70, *AGENDA)
    show_document(
        watch,
        71,
        *MINUTES[:2],
        "Motion by Ruth Ames, seconded by Sam Birch, to amend the contract to begin in May. "
        "AYES: Ames, Birch. NOES: Cole, Dorn. The motion to amend failed 2-2.",
        MINUTES[2],
    )
    watch.run()
    motions = sorted(stored(watch, CivicMotion), key=lambda motion: motion.start)
    assert [(motion.tally, motion.is_main) for motion in motions] == [("2-2", False), ("3-1", True)]
    votes = {vote.member_id: vote.vote for vote in stored(watch, CivicVote)}
    assert votes[f"{CITY}_cole"] == "yes" and votes[f"{CITY}_dorn"] == "no"


def test_how_to_take_part_is_read_from_the_agenda(watch: Watch) -> None:
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00", paper(70, "Agenda")))
    show_document(watch, 70, *AGENDA, ACCESS)
    watch.run()
    (access,) = stored(watch, MeetingAccess)
    assert access.details["virtual_url"]["value"] == "https://us02web.zoom.us/j/84512345678"
    assert access.details["meeting_id"]["value"] == "845 1234 5678"


def test_a_sync_with_nothing_new_fetches_no_document_and_changes_nothing(watch: Watch) -> None:
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00", paper(70, "Agenda")))
    show_document(watch, 70, *BUDGET)
    watch.run()
    before = watch.dump()
    watch.asked()
    watch.run()
    assert all("ListUpcoming" in path or "ListArchived" in path for path in watch.asked())
    assert watch.dump() == before


def test_a_meeting_that_is_moved_and_cancelled_stays_the_same_meeting(watch: Watch) -> None:
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00"))
    watch.run()
    show(watch, meeting(7, "City Council", "2023-12-11T18:30:00"))
    watch.run()
    show(watch, meeting(7, "CANCELLED - City Council", "2023-12-11T18:30:00"))
    watch.run()
    (found,) = stored(watch, Meeting)
    assert (found.starts, found.earlier_starts) == ("2023-12-11T18:30", ["2023-12-04T19:00"])
    assert found.status == "cancelled"


def test_a_test_meeting_is_stored_with_the_reason_and_not_processed(watch: Watch) -> None:
    show(watch, meeting(7, "TEST MEETING", "2023-12-04T19:00:00", paper(70, "Agenda")))
    watch.run()
    (found,) = stored(watch, Meeting)
    assert found.filter_reason == "test meeting"
    assert not stored(watch, CivicSummary)
    assert not [path for path in watch.asked() if "CompiledDocument" in path]


def test_an_entry_of_a_city_that_nobody_added_says_what_to_do(watch: Watch) -> None:
    watch.store(
        Source(source_slug="ghosttownNV", name="Ghost", base_url="https://files.test"),
        Endpoint(
            endpoint_id="ghosttownNV/portal", source_slug="ghosttownNV", url="https://files.test/",
            strategy="primegov", options={"site": "https://files.test", "days_back": 0},
        ),
    )  # fmt: skip
    show(watch, meeting(7, "City Council", "2023-12-04T19:00:00"))
    watch.run()
    (letter,) = watch.dead()
    assert "assay civic add ghosttownNV" in letter
    assert len(stored(watch, Meeting)) == 1


def test_cities_are_due_by_how_often_they_meet(watch: Watch) -> None:
    services = watch.app.services

    def due() -> list[str]:
        return [payload.subject for _, payload in plan_due_syncs(services)]

    assert due() == [f"{CITY}/portal"]
    show(watch)
    watch.run()
    assert due() == []
    watch.clock.turn(days=6.9)
    assert due() == []
    watch.clock.turn(days=0.2)
    assert due() == [f"{CITY}/portal"]
    assert [find_interval_h(meetings) for meetings in (0, 3, 4, 7, 8, 30)] == [
        168, 168, 24, 24, 12, 12,
    ]  # fmt: skip


def test_records_of_the_pack_start_empty(watch: Watch) -> None:
    for record in (AgendaItem, Appearance, Matter):
        assert stored(watch, record) == []
