"""Cities: a source, an endpoint at the vendor's portal, and a row of their own."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assay.packs.civic.jobs import day_of, make_endpoint_id
from assay.packs.civic.portals.shared import CivicTenant
from assay.packs.civic.records import City, Meeting
from assay.sdk.errors import InvalidInput, NotFound
from assay.sdk.records import Endpoint, Source
from assay.sdk.services import Services
from assay.sdk.sources import Portal
from assay.sdk.stages import Payload, SentinelJob

_ACTIVITY_DAYS: Final = 30
_INTERVALS: Final = ((8, 12), (4, 24), (0, 168))
"""From that many meetings in 30 days on, the hours between two looks."""


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


def plan_due_syncs(services: Services) -> Iterator[tuple[str, Payload]]:
    """Looks at the cities that are due: grouped by vendor, the most active first.

    A city with two meetings a week is looked at every 12 hours, with one every 24 hours, and any
    other once a week.
    """
    now_ms = services.clock.now_ms()
    recent = (day_of(now_ms) - timedelta(days=_ACTIVITY_DAYS)).isoformat()
    meetings = Counter(
        meeting.banana
        for meeting in services.read_records(Meeting)
        if recent <= meeting.starts[:10] <= day_of(now_ms).isoformat()
    )
    endpoints = {each.source_slug: each for each in services.read_records(Endpoint)}
    cities = services.read_records(City)
    for city in sorted(cities, key=lambda c: (c.vendor, -meetings[c.banana], c.banana)):
        endpoint = endpoints.get(city.banana)
        if endpoint is None or not endpoint.active:
            continue
        last_ms = endpoint.last_scraped_ms or 0
        if now_ms - last_ms >= find_interval_h(meetings[city.banana]) * 3_600_000:
            yield "sentinel", SentinelJob(endpoint_id=endpoint.endpoint_id, source=city.banana)


def find_interval_h(meetings: int) -> int:
    """How many hours to wait between looks at a city with that many meetings in 30 days."""
    return next(hours for least, hours in _INTERVALS if meetings >= least)


def plan_city_sync(services: Services, banana: str) -> Sequence[tuple[str, Payload]]:
    """A look at a city's portal, whether it is due or not."""
    require_city(services, banana)
    return [
        ("sentinel", SentinelJob(endpoint_id=each.endpoint_id, source=banana))
        for each in services.read_records(Endpoint, source_slug=banana)
        if each.active
    ]


def require_city(services: Services, banana: str) -> City:
    """The city of that id."""
    found = services.read_records(City, banana=banana)
    if not found:
        raise NotFound(f"There is no city '{banana}'.", advice="'assay civic cities' lists them.")
    return found[0]
