"""Sentinel: looks at an endpoint and finds the addresses that it lists."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from assay.engine.contract import Failed, Gate, Outcome, QueueLimits, Result, Stage, StageFunction
from assay.engine.reader import Reader
from assay.errors import AddressRefused, AssayError
from assay.events import EndpointScanned, Event, YieldFell
from assay.logs import Log
from assay.model.records import (
    DiscoveredItem,
    Endpoint,
)
from assay.sources.git import GIT_HISTORY, RepositoryCopies
from assay.sources.intervals import compute_next_due_ms, update_velocity
from assay.sources.listing import ListingOptions, ListingPart, build_first_parts
from assay.sources.portals import build_first_requests
from assay.sources.yields import ExpectedYield, YieldHistory, judge_yield, record_look
from assay.spine.findings import (
    FINDING_READS,
    FINDING_WRITES,
    Trust,
    derive_findings,
    report_look,
)
from assay.spine.history import look_at_repository
from assay.spine.listing_fetcher import ListingFetcher, ListingPage, description_error
from assay.spine.pagination import list_unread_pages
from assay.spine.payloads import SentinelJob

LONGEST_LOOK_S = 3700.0
"""A large sitemap may arrive slowly, for up to an hour, and its host may have other requests to
serve."""
_YIELD_ADVICE = "Use min_items, min_new and per_days."
log = Log("assay.spine.sentinel")


async def endpoint_is_open(jobs: Sequence[SentinelJob], read: Reader) -> list[str | None]:
    """The endpoint exists, is active, and has not failed too often in a row."""
    found = await read.get_many(Endpoint, [job.endpoint_id for job in jobs])
    return [_explain_closed(found.get(job.endpoint_id)) for job in jobs]


def _explain_closed(endpoint: Endpoint | None) -> str | None:
    if endpoint is None:
        return "there is no such endpoint"
    if not endpoint.active:
        return "the endpoint is switched off"
    if endpoint.is_closed:
        return f"it failed {endpoint.consecutive_errors} times in a row ({endpoint.last_error})"
    return None


SENTINEL = Stage(
    name="sentinel",
    version=1,
    payload=SentinelJob,
    queue=QueueLimits(5, per=60, concurrency=2),
    reads=FINDING_READS,
    writes=frozenset({*FINDING_WRITES, Endpoint}),
    gates=(Gate("endpoint_is_open", endpoint_is_open),),
    next=frozenset({"fetch", "listing", "history", "scout"}),
    uses=frozenset({"http"}),
    once="run",
    timeout_s=LONGEST_LOOK_S,
    entry=True,
    purpose="finds the addresses at an endpoint",
)


def sentinel(listing_fetcher: ListingFetcher, copies: RepositoryCopies) -> StageFunction:
    """The stage, with the fetcher that it reads listings with, and the repositories."""

    async def look(jobs: Sequence[SentinelJob], read: Reader) -> Sequence[Result]:
        return [await _look_at_endpoint(job, read, listing_fetcher, copies) for job in jobs]

    return look


async def _look_at_endpoint(
    job: SentinelJob, read: Reader, listing_fetcher: ListingFetcher, copies: RepositoryCopies
) -> Result:
    endpoint = await read.get(Endpoint, job.endpoint_id)
    assert endpoint is not None
    if endpoint.strategy == GIT_HISTORY:
        return await look_at_repository(endpoint, read, copies)
    portals = listing_fetcher.portals
    try:
        options = listing_fetcher.parse_options(endpoint)
        first, *others = _build_first_parts(endpoint, options, listing_fetcher, read.now_ms)
        expected = _parse_expected_yield(endpoint)
        page = await listing_fetcher.fetch_page(endpoint, options, first, begins_look=True)
    except AddressRefused as refusal:
        # Its host is blocked, private or closed to robots: not a failure, and not retried.
        refused = endpoint.model_copy(update={"last_error": str(refusal)})
        told = report_look(endpoint, portals, read.now_ms, refusal, was_made=False)
        return Outcome(records=(refused,), next=told, note="refused")
    except AssayError as error:
        told = report_look(endpoint, portals, read.now_ms, error)
        return Failed(error, last=Outcome(records=(_count_error(endpoint, error),), next=told))
    trust = Trust(read.now_ms - listing_fetcher.revisit_ms)
    found = await derive_findings(
        endpoint, options, page, listing_fetcher, read, trust, more=others
    )
    left = await list_unread_pages(endpoint, read)
    after, alarms = _update_endpoint(
        endpoint,
        expected,
        page,
        len(page.listing.items) + len(page.listing.parts) + len(others),
        found.new_items + await _count_new_in_parts(endpoint, read),
        read.now_ms,
    )
    scanned = EndpointScanned(
        endpoint_id=endpoint.endpoint_id,
        items=len(page.listing.items),
        new_items=found.new_items,
    )
    for warning in found.warnings:
        log.warning("listing_read_in_part", warning, endpoint_id=endpoint.endpoint_id)
    return Outcome(
        records=(after, *found.records),
        moves=found.moves,
        next=(*found.next, *left, *report_look(endpoint, portals, read.now_ms)),
        events=(scanned, *found.events, *alarms),
        blobs=found.blobs,
    )


async def _count_new_in_parts(endpoint: Endpoint, read: Reader) -> int:
    """Items found on the further pages of the last look, after that look was judged."""
    if endpoint.last_scraped_ms is None:
        return 0
    own = {"endpoint_id": endpoint.endpoint_id}
    return await read.count(DiscoveredItem, own, {"first_seen_ms": endpoint.last_scraped_ms})


def _update_endpoint(
    endpoint: Endpoint,
    expected: ExpectedYield,
    page: ListingPage,
    entries: int,
    new_items: int,
    now_ms: int,
) -> tuple[Endpoint, tuple[Event, ...]]:
    """The endpoint after a successful look, and an alarm if it lists too little."""
    changed = page.content_hash != endpoint.last_content_hash
    velocity = update_velocity(endpoint.velocity, changed=changed)
    history = YieldHistory.from_json(endpoint.yield_state)
    verdict = judge_yield(history, entries, new_items, now_ms, expected)
    after = endpoint.model_copy(
        update={
            "consecutive_errors": 0,
            "last_error": None,
            "last_content_hash": page.content_hash,
            "last_scraped_ms": now_ms,
            "item_count": entries,
            "etag": page.head.etag,
            "last_modified": page.head.last_modified,
            "velocity": velocity,
            "next_due_ms": compute_next_due_ms(
                endpoint.frequency, endpoint.endpoint_id, now_ms,
                velocity=velocity, risk=endpoint.risk,
            ),
            "yield_state": record_look(history, entries, new_items, now_ms, verdict).as_json(),
            "alarm": verdict.sentence if verdict.is_alarm else None,
        }
    )  # fmt: skip
    if not verdict.is_alarm:
        return after, ()
    message = f"Endpoint {endpoint.endpoint_id} {verdict.sentence}."
    log.warning("yield_fell", message, endpoint_id=endpoint.endpoint_id)
    return after, (YieldFell(endpoint_id=endpoint.endpoint_id, told=verdict.sentence),)


def _build_first_parts(
    endpoint: Endpoint, options: ListingOptions, listing_fetcher: ListingFetcher, now_ms: int
) -> list[ListingPart]:
    today, last_ms = _day_of(now_ms), endpoint.last_scraped_ms
    since = None if last_ms is None else _day_of(last_ms)
    portal = listing_fetcher.portals.get(endpoint.strategy)
    try:
        if portal is not None:
            return build_first_requests(portal, endpoint.options, today, since)
        return build_first_parts(endpoint.strategy, endpoint.url, options, today, since)
    except AssayError as error:
        raise description_error(endpoint, error.what, error.advice) from error


def _parse_expected_yield(endpoint: Endpoint) -> ExpectedYield:
    declared = endpoint.expected_yield
    if not all(isinstance(value, int | None) for value in declared.values()):
        raise description_error(endpoint, "expected_yield has a value that is not an integer.")
    try:
        return ExpectedYield(**declared)
    except TypeError as error:
        what = f"expected_yield cannot be read: {error}."
        raise description_error(endpoint, what, _YIELD_ADVICE) from error
    except AssayError as error:
        raise description_error(endpoint, error.what, error.advice) from error


def _day_of(now_ms: int) -> date:
    return datetime.fromtimestamp(now_ms / 1000, UTC).date()


def _count_error(endpoint: Endpoint, error: AssayError) -> Endpoint:
    count = endpoint.consecutive_errors + 1
    return endpoint.model_copy(update={"consecutive_errors": count, "last_error": error.what})
