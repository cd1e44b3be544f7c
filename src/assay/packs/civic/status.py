"""How the cities are doing: the last look at each portal, what is stored, waits, or failed."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from assay.packs.civic.cities import require_city
from assay.packs.civic.jobs import PROCESS_STAGE
from assay.packs.civic.records import (
    AgendaItem,
    City,
    CivicSummary,
    CivicWatch,
    Meeting,
    SyncResult,
)
from assay.sdk.records import DeadLetter, Endpoint
from assay.sdk.services import Services


def describe_status(services: Services, city: str | None) -> dict[str, Any]:
    """One row for each city, and the number of watches."""
    cities = services.read_records(City) if city is None else [require_city(services, city)]
    names = {each.banana for each in cities}
    endpoints = {
        endpoint.source_slug: endpoint
        for endpoint in services.read_records(Endpoint, source_slug=names)
    }
    waiting: dict[str, Counter[str]] = {name: Counter() for name in names}
    for job in services.read_jobs():
        if job.source_slug in waiting:
            waiting[job.source_slug][_find_kind(job.stage, job.payload)] += 1
    dead: dict[str, Counter[str]] = {name: Counter() for name in names}
    for letter in services.read_records(DeadLetter, source_slug=names):
        assert letter.source_slug is not None
        dead[letter.source_slug][_find_kind(letter.stage, letter.payload)] += 1
    return {
        "cities": [
            {
                "city": each.banana,
                "name": each.name,
                "vendor": each.vendor,
                **_describe_sync(services, each, endpoints.get(each.banana)),
                "meetings": services.count_records(Meeting, banana=each.banana),
                "items": services.count_records(AgendaItem, banana=each.banana),
                "summaries": services.count_records(CivicSummary, banana=each.banana),
                "waiting": dict(sorted(waiting[each.banana].items())),
                "dead": dict(sorted(dead[each.banana].items())),
            }
            for each in cities
        ],
        "watches": services.count_records(CivicWatch, active=True),
    }


def _describe_sync(services: Services, city: City, endpoint: Endpoint | None) -> dict[str, Any]:
    """How the last synchronisation went, or at least when the portal was last looked at."""
    last = services.read_last(SyncResult, "ended_ms", 1, banana=city.banana)
    if last:
        (sync,) = last
        return {
            "last_sync": sync.ended_ms,
            "result": sync.status,
            "found": sync.found,
            "error": sync.error,
        }
    if endpoint is None or endpoint.last_scraped_ms is None:
        return {"last_sync": None, "result": None, "found": None, "error": None}
    result = "FAILED" if endpoint.last_error else "COMPLETED"
    error = endpoint.last_error
    return {"last_sync": endpoint.last_scraped_ms, "result": result, "found": None, "error": error}


def _find_kind(stage: str, payload: Mapping[str, Any]) -> str:
    """What kind of job it is: the stage or, for processing, whether it is a meeting or a matter."""
    work = payload.get("work") if stage == PROCESS_STAGE else None
    return str(work["job_type"]) if isinstance(work, dict) and "job_type" in work else stage
