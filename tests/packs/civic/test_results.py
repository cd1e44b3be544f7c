"""How a synchronization went: one row for each city and run, whatever happens."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assay.app import App, runs
from assay.model.records import Endpoint
from assay.packs.civic import pack
from assay.packs.civic.cities import plan_due_syncs, plan_failed_syncs
from assay.packs.civic.records import Meeting, SyncResult
from assay.settings import Settings
from tests.bad_site.behaviours import serve_page, serve_robots
from tests.packs.civic.springfield import (
    CITY,
    UPCOMING,
    add_springfield,
    meeting,
    paper,
    show,
    stored,
)
from tests.spine.sites import Watch, Workplace, watching

ARCHIVE = "/api/v2/PublicPortal/ListArchivedMeetings?year=2023"


@pytest.fixture
def watch(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[Watch]:
    packs: dict[str, Any] = {"civic": pack()}
    with watching(make_app, settings, shared_workplace, packs=packs) as made:
        made.batch_s = 1.0
        add_springfield(made)
        yield made


def synchronize(watch: Watch) -> SyncResult:
    """The result of one more run."""
    run_id = watch.run()
    (found,) = [row for row in stored(watch, SyncResult) if row.run_id == run_id]
    assert isinstance(found, SyncResult)
    return found


def test_a_result_counts_what_was_found_and_what_was_new(watch: Watch) -> None:
    both = [meeting(n, "City Council", f"2023-12-{n:02}T19:00:00") for n in (4, 11)]
    show(watch, *both)
    first = synchronize(watch)
    assert (first.banana, first.status, first.error) == (CITY, "COMPLETED", None)
    assert (first.found, first.processed) == (2, 2)
    assert first.seconds > 0 and first.ended_ms <= watch.clock.now_ms()
    second = synchronize(watch)
    assert (second.status, second.found, second.processed) == ("COMPLETED", 2, 0)
    show(watch, both[0], meeting(11, "Budget Hearing", "2023-12-11T19:00:00"))
    third = synchronize(watch)
    assert (third.status, third.found, third.processed) == ("COMPLETED", 2, 1)


def test_a_failed_listing_is_not_an_empty_one(watch: Watch) -> None:
    show(watch)
    empty = synchronize(watch)
    assert (empty.status, empty.found, empty.error) == ("COMPLETED", 0, None)
    watch.show(UPCOMING, b"<html>Service unavailable</html>")
    failed = synchronize(watch)
    assert (failed.status, failed.found) == ("FAILED", 0)
    assert "ListUpcomingMeetings" in (failed.error or "")
    assert len(watch.dead()) == 1


def test_a_page_that_fails_fails_the_city_and_keeps_what_was_found(watch: Watch) -> None:
    show(watch, meeting(4, "City Council", "2023-12-04T19:00:00", paper(70, "Agenda")))
    watch.show(ARCHIVE, b"<html>Service unavailable</html>")
    failed = synchronize(watch)
    assert (failed.status, failed.found, failed.processed) == ("FAILED", 1, 1)
    assert "ListArchivedMeetings" in (failed.error or "")
    assert len(stored(watch, Meeting)) == 1
    watch.show(ARCHIVE, b"[]")
    assert synchronize(watch).status == "COMPLETED"


def test_a_portal_that_forbids_robots_is_skipped(watch: Watch) -> None:
    watch.do("/robots.txt", serve_robots("User-agent: *\nDisallow: /"))
    skipped = synchronize(watch)
    assert (skipped.status, skipped.found) == ("SKIPPED", 0)
    assert "robots.txt" in (skipped.error or "")
    assert not watch.dead()


def test_results_are_the_same_in_whatever_order_pages_are_read(watch: Watch) -> None:
    show(watch, *(meeting(n, "City Council", f"2023-12-{n:02}T19:00:00") for n in range(4, 9)))
    watch.show(ARCHIVE, json.dumps([meeting(1, "Old", "2023-11-20T19:00:00")]).encode())
    runs.start_run(watch.app)
    watch.drain(order=-1)
    (found,) = stored(watch, SyncResult)
    assert (found.status, found.found, found.processed) == ("COMPLETED", 6, 6)


def test_a_portal_that_fails_is_tried_every_hour_and_later_every_day(watch: Watch) -> None:
    watch.batch_s = 0.0
    services = watch.app.services
    watch.show(UPCOMING, b"<html>Service unavailable</html>")

    def find_hours_until_due() -> float:
        for half_hours in range(100):
            if plan_due_syncs(services):
                return half_hours / 2
            watch.clock.turn(seconds=1800)
        raise AssertionError("it is never due again")

    def fail() -> float:
        runs.start_run(watch.app, first=plan_due_syncs(services))
        watch.drain()
        return find_hours_until_due()

    assert [fail() for _ in range(7)] == [1, 1, 1, 1, 24, 24, 24]
    assert plan_failed_syncs(services) == plan_due_syncs(services)
    # Only the pack asks for what has failed so often; a run does not add to its dead letters.
    letters = len(watch.dead())
    watch.store(closed := read_endpoint(watch, 5))
    watch.run()
    assert len(watch.dead()) == letters and closed.is_closed
    show(watch)
    runs.start_run(watch.app, first=plan_due_syncs(services))
    watch.drain()
    assert read_endpoint(watch).consecutive_errors == 0
    assert not plan_failed_syncs(services) and not plan_due_syncs(services)


def read_endpoint(watch: Watch, errors: int | None = None) -> Endpoint:
    """The endpoint of the city; with that many errors, if they are given."""
    row = watch.state(f"{CITY}/portal")
    return Endpoint(**(row if errors is None else {**row, "consecutive_errors": errors}))


def test_a_request_that_failed_is_not_repeated_by_its_job(watch: Watch) -> None:
    show(watch)
    watch.do(UPCOMING, serve_page(b"down", status=503))
    failed = synchronize(watch)
    assert failed.status == "FAILED" and "answered 503" in (failed.error or "")
    assert [path for path in watch.asked() if "Upcoming" in path] == [UPCOMING]
