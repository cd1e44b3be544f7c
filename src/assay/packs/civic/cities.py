"""Cities: a source, an endpoint at the vendor's portal, and a row of their own."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assay.packs.civic.jobs import (
    BATCH_STAGE,
    PROCESS_STAGE,
    CivicJob,
    MatterJob,
    MeetingJob,
    QuestionBatchJob,
    day_of,
    make_endpoint_id,
)
from assay.packs.civic.portals.shared import CivicTenant
from assay.packs.civic.records import (
    City,
    CivicQuestion,
    CivicSummary,
    Meeting,
    SyncResult,
    SyncStatus,
)
from assay.sdk.errors import InvalidInput, NotFound
from assay.sdk.records import Endpoint, Source, Within
from assay.sdk.services import Services
from assay.sdk.sources import Portal
from assay.sdk.stages import Payload, SentinelJob

_ACTIVITY_DAYS: Final = 30
_INTERVALS: Final = ((8, 12), (4, 24), (0, 168))
"""From that many meetings in 30 days on, the hours between two looks."""
_MOST_AT_ONCE: Final = 200
"""Jobs for summaries that a model is still to write."""
_SOON_H: Final = 1
"""The hours until a portal that did not answer is looked at again."""
_LATER_H: Final = 24
"""The same if it has not answered several times in a row, or only a page of it failed."""
_HOUR_MS: Final = 3_600_000


def build_options(site: str, timezone: str) -> dict[str, Any]:
    """The settings of a city's endpoint."""
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise InvalidInput(
            f"'{timezone}' is not a time zone.", advice="Use a name such as 'America/Chicago'."
        ) from error
    return {"site": site, "timezone": timezone}


def add_city(
    services: Services, portal: Portal, banana: str, name: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Store a city with its source and endpoint; adding it again changes what differs."""
    tenant = portal.parse_tenant(options)
    assert isinstance(tenant, CivicTenant)
    url = f"{tenant.base}/"
    endpoint_id = make_endpoint_id(banana)
    known = services.read_records(Endpoint, endpoint_id=endpoint_id)
    declared = {"url": url, "strategy": portal.name, "options": options, "active": True}
    endpoint = (
        known[0].model_copy(update={**declared, "consecutive_errors": 0, "last_error": None})
        if known
        else Endpoint(
            endpoint_id=endpoint_id,
            source_slug=banana,
            url=url,
            strategy=portal.name,
            options=options,
            # The pack's own schedule looks more often where more happens.
            frequency="WEEKLY",
        )
    )
    city = City(
        banana=banana,
        name=name,
        state=banana[-2:],
        vendor=portal.name,
        site=tenant.site,
        timezone=tenant.timezone,
    )
    source = Source(
        source_slug=banana,
        name=f"{name}, {banana[-2:]}",
        base_url=url,
        packs=["civic"],
        created_ms=services.clock.now_ms(),
    )
    services.write_records([source, endpoint, city])
    return {"banana": banana, "vendor": portal.name, "url": url, "is_new": not known}


def plan_due_syncs(services: Services) -> list[tuple[str, Payload]]:
    """Looks at the cities that are due: grouped by vendor, the most active first.

    A city with two meetings a week is looked at every 12 hours, with one every 24 hours, and any
    other once a week. After a failure it is tried again sooner.
    """
    now_ms = services.clock.now_ms()
    meetings, last = _count_recent_meetings(services), read_last_results(services)
    return [
        _plan_look(services, endpoint)
        for city, endpoint in _list_watched(services, meetings)
        if now_ms >= _find_due_ms(endpoint, last.get(city.banana), meetings[city.banana])
    ]


def plan_failed_syncs(services: Services) -> list[tuple[str, Payload]]:
    """Looks at the cities whose last synchronization failed, in the same order."""
    last = read_last_results(services)
    failed = {banana for banana, found in last.items() if found.status == SyncStatus.FAILED}
    return [
        _plan_look(services, endpoint)
        for city, endpoint in _list_watched(services, _count_recent_meetings(services))
        if city.banana in failed
    ]


def plan_city_sync(services: Services, banana: str) -> list[tuple[str, Payload]]:
    """A look at a city's portal, whether it is due or not."""
    require_city(services, banana)
    endpoints = services.read_records(Endpoint, source_slug=banana)
    return [_plan_look(services, each) for each in endpoints if each.active]


def read_last_results(services: Services) -> dict[str, SyncResult]:
    """How the last synchronization of each city went."""
    return {each.banana: each for each in services.read_latest(SyncResult, "banana", "ended_ms")}


def _count_recent_meetings(services: Services) -> Counter[str]:
    today = day_of(services.clock.now_ms())
    first = (today - timedelta(days=_ACTIVITY_DAYS)).isoformat()
    # A day sorts before its times.
    recent = services.count_records_by(Meeting, "banana", starts=Within(first, f"{today}T99"))
    return Counter(recent)


def _list_watched(services: Services, meetings: Counter[str]) -> list[tuple[City, Endpoint]]:
    endpoints = {each.source_slug: each for each in services.read_records(Endpoint) if each.active}
    cities = [city for city in services.read_records(City) if city.banana in endpoints]
    cities.sort(key=lambda city: (city.vendor, -meetings[city.banana], city.banana))
    return [(city, endpoints[city.banana]) for city in cities]


def _find_due_ms(endpoint: Endpoint, last: SyncResult | None, meetings: int) -> int:
    """When a city is due; a portal that does not answer is tried again soon, then once a day."""
    hours = find_interval_h(meetings)
    if last is None or last.status == SyncStatus.COMPLETED:
        return (endpoint.last_scraped_ms or 0) + hours * _HOUR_MS
    is_patient = endpoint.consecutive_errors == 0 or endpoint.is_closed
    return last.ended_ms + min(hours, _LATER_H if is_patient else _SOON_H) * _HOUR_MS


def plan_model_work(services: Services) -> Iterator[tuple[str, Payload]]:
    """Looks at batches whose answers are to come, and summaries that a model is still to write."""
    asked = services.read_records(CivicQuestion, is_open=True)
    now_ms = services.clock.now_ms()
    for batch_id in sorted({q.batch_id for q in asked if q.held_until_ms <= now_ms}):
        yield BATCH_STAGE, QuestionBatchJob(batch_id=batch_id)
    if services.models.choose() is None:
        return
    waiting = {question.subject_id for question in asked}
    wanted = [
        summary
        for summary in services.read_records(CivicSummary, wants_model=True)
        if summary.subject_id not in waiting
    ]
    matters = {s.subject_id: s.banana for s in wanted if s.kind == "matter"}
    meetings = {s.meeting_id: s.banana for s in wanted if s.kind in ("item", "meeting")}
    work: list[tuple[str, MeetingJob | MatterJob]] = [
        (banana, MatterJob(matter_id=matter_id)) for matter_id, banana in matters.items()
    ]
    work += [(banana, MeetingJob(meeting_id=name)) for name, banana in meetings.items()]
    for banana, job in work[:_MOST_AT_ONCE]:
        yield PROCESS_STAGE, CivicJob(banana=banana, work=job)


def find_interval_h(meetings: int) -> int:
    """How many hours to wait between looks at a city with that many meetings in 30 days."""
    return next(hours for least, hours in _INTERVALS if meetings >= least)


def _plan_look(services: Services, endpoint: Endpoint) -> tuple[str, Payload]:
    if endpoint.is_closed:
        # One more attempt; if that fails too, it is closed again.
        errors = endpoint.consecutive_errors - 1
        services.write_records([endpoint.model_copy(update={"consecutive_errors": errors})])
    return "sentinel", SentinelJob(endpoint_id=endpoint.endpoint_id, source=endpoint.source_slug)


def require_city(services: Services, banana: str) -> City:
    """The city of that id."""
    found = services.read_records(City, banana=banana)
    if not found:
        raise NotFound(f"There is no city '{banana}'.", advice="'assay civic cities' lists them.")
    return found[0]
