"""Runs: starts one, waits until it finishes, and seals its folder."""

import fcntl
import json
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from assay.app.composition import App
from assay.app.installed_packs import portals_of
from assay.app.model_waits import find_released_candidates
from assay.app.notifying import plan_news, write_feeds
from assay.app.rerouting import plan_rerouting
from assay.clock import utc_stamp
from assay.engine.contract import Payload
from assay.engine.jobs import QUEUED, NewJob
from assay.engine.schedules import Schedule
from assay.errors import DatabaseFailed, NotFound, RunIdReused
from assay.events import RunResumed, RunStarted
from assay.governor.standings import update_all_thresholds
from assay.model.hashes import canonical_json
from assay.model.ids import make_run_id
from assay.model.records import Endpoint, IngestCandidate
from assay.sdk.pack import PackSchedule
from assay.sources.intervals import is_due
from assay.spine.handoffs import list_receivers
from assay.spine.payloads import FetchJob, RouterJob, SentinelJob
from assay.store import candidates
from assay.store import tables as t
from assay.store.bulk import CHUNK
from assay.store.counts import count_by, count_rows
from assay.store.database import explain_errors, outlast
from assay.store.event_log import write_event
from assay.store.record_tables import table_of
from assay.store.runs import RunFolderCheck

if TYPE_CHECKING:
    from assay.engine.worker import Worker

FirstJobs = Callable[[], Iterable[tuple[str, Payload]]] | None
OPEN = "open"
SEALED = "sealed"
_TICK_S = 0.1
_BUSY_TICK_S = 1.0
_MOST_TRIES = 50_000
"""Maximum number of blocked candidates that one run retries; the next run retries more."""


@dataclass(frozen=True)
class Run:
    """A run as it is stored."""

    run_id: str
    label: str
    params: dict[str, Any]
    state: str
    started_ms: int
    ended_ms: int | None
    manifest_hash: str | None


def start_run(
    app: App,
    *,
    label: str = "run",
    params: Mapping[str, Any] | None = None,
    run_id: str | None = None,
    first: Sequence[tuple[str, Payload]] | None = None,
) -> str:
    """Start a run: its folder, its row and its first jobs are created together or not at all.

    `first` lists stages and their payloads; by default every endpoint that is due is checked.
    """
    run_id = reserve_run(app, run_id)
    tries = count(1)

    def begin() -> None:
        # If the connection was lost during the commit, the run may have started already.
        if next(tries) > 1 and _load_runs(app, t.run.c.run_id == run_id, limit=1):
            return
        with app.engine.begin() as connection:
            begin_run(app, connection, run_id, label=label, params=params, first=first)

    outlast(app.engine, begin)
    return run_id


def reserve_run(app: App, run_id: str | None = None) -> str:
    """Create the folder of a run that is about to start; return its id."""
    run_id = run_id or make_run_id(app.clock.now_ms())
    _refuse_used_id(app, run_id)
    app.folders.reserve(run_id)
    return run_id


def begin_run(
    app: App,
    connection: sa.Connection,
    run_id: str,
    *,
    label: str,
    params: Mapping[str, Any] | None = None,
    first: Sequence[tuple[str, Payload]] | None = None,
) -> None:
    """Record a run with its first jobs, in the caller's transaction."""
    now_ms = app.clock.now_ms()
    try:
        connection.execute(
            sa.insert(t.run).values(
                run_id=run_id,
                label=label,
                params=dict(params or {}),
                state=OPEN,
                started_ms=now_ms,
            )
        )
    except IntegrityError:
        raise RunIdReused(f"Run id {run_id} has already been used.") from None
    if first is None:
        jobs = _plan_first_jobs(app, connection, run_id, now_ms)
    else:
        jobs = [NewJob(stage, payload, run_id) for stage, payload in first]
    new = app.book.schedule(connection, jobs, now_ms)
    update_all_thresholds(connection)
    write_event(connection, RunStarted(label=label, jobs=new), now_ms, run_id=run_id)


def _refuse_used_id(app: App, run_id: str) -> None:
    if app.fetch_rows(sa.select(t.run.c.run_id).where(t.run.c.run_id == run_id)):
        raise RunIdReused(f"Run id {run_id} has already been used.")


def _plan_first_jobs(app: App, connection: sa.Connection, run_id: str, now_ms: int) -> list[NewJob]:
    """Plan a check of every endpoint that is due, and retries of candidates blocked long enough."""
    watched = sa.and_(t.endpoint.c.active.is_(True), t.source.c.active.is_(True))
    of_source = t.endpoint.c.source_slug == t.source.c.source_slug
    query = sa.select(t.endpoint).join(t.source, of_source).where(watched).order_by("endpoint_id")
    endpoints = [Endpoint(**row) for row in connection.execute(query).mappings()]
    due = [
        e
        for e in endpoints
        if _is_look_due(e, now_ms) and not (e.is_closed and _is_left_to_pack(app, e))
    ]
    looks = [
        NewJob("sentinel", SentinelJob(endpoint_id=e.endpoint_id, source=e.source_slug), run_id)
        for e in due
    ]
    missed = _plan_missed_fetches(connection, run_id, [e.endpoint_id for e in due])
    rerouted = plan_rerouting(connection, run_id, now_ms)
    return looks + missed + rerouted + _plan_retries(app, connection, run_id, now_ms)


def _is_look_due(endpoint: Endpoint, now_ms: int) -> bool:
    """Whether to look at an endpoint; at once if it has not been read since its description
    changed."""
    return endpoint.last_content_hash is None or is_due(
        endpoint.frequency,
        endpoint.endpoint_id,
        endpoint.last_scraped_ms,
        now_ms,
        velocity=endpoint.velocity,
        risk=endpoint.risk,
    )


def _is_left_to_pack(app: App, endpoint: Endpoint) -> bool:
    """Whether a pack, which knows that looks at this endpoint fail, decides when to try again."""
    portal = portals_of(app.packs.installed).get(endpoint.strategy)
    return portal is not None and portal.report is not None


def _plan_missed_fetches(
    connection: sa.Connection, run_id: str, endpoint_ids: Sequence[str]
) -> list[NewJob]:
    """Fetch items again that have changed since the last fetch, according to their listing.

    The listing page that says so may not be read again: the page has not changed, the item has.
    """
    jobs: list[NewJob] = []
    for start in range(0, len(endpoint_ids), CHUNK):
        some = t.item.c.endpoint_id.in_(endpoint_ids[start : start + CHUNK])
        query = (
            sa.select(t.item.c.item_id, t.item.c.source_slug, t.item.c.url)
            .join(t.item_visit, t.item_visit.c.item_id == t.item.c.item_id)
            .where(some, t.item.c.changed.is_not(None))
            .where(t.item.c.changed.is_distinct_from(t.item_visit.c.changed))
            .order_by(t.item.c.item_id)
            .limit(_MOST_TRIES)
        )
        jobs += [
            NewJob("fetch", FetchJob(item_id=item_id, source=source, url=url), run_id)
            for item_id, source, url in connection.execute(query)
        ]
    return jobs


def _plan_retries(app: App, connection: sa.Connection, run_id: str, now_ms: int) -> list[NewJob]:
    """Plan retries for candidates that were blocked long enough, or whose model may be asked now.

    Evidence that scout has assessed goes back to the router, which blocked it or sent it to the
    stage that did; fetching it again would only find it unchanged. Anything else was never
    obtained, and is fetched.
    """
    jobs: list[NewJob] = []
    due = candidates.find_due_candidates(connection, now_ms, limit=_MOST_TRIES)
    due += find_released_candidates(app, connection, now_ms, limit=_MOST_TRIES)
    for start in range(0, len(due), CHUNK):
        some = due[start : start + CHUNK]
        judged = _find_judged_evidence(
            connection, [c.evidence_id for c in some if c.evidence_id is not None]
        )
        jobs += [
            NewJob("router", _build_router_job(candidate, judged[candidate.evidence_id]), run_id)
            for candidate in some
            if candidate.evidence_id in judged
        ]
        unread = [c.doc_id for c in some if c.evidence_id not in judged]
        items = (
            sa.select(t.item.c.item_id, t.item.c.source_slug, t.item.c.url)
            .join(t.source, t.source.c.source_slug == t.item.c.source_slug)
            .where(t.item.c.doc_id.in_(unread), t.source.c.active.is_(True))
            .order_by(t.item.c.item_id)
        )
        jobs += [
            NewJob("fetch", FetchJob(item_id=item_id, source=source, url=url), run_id)
            for item_id, source, url in connection.execute(items)
        ]
    return jobs


def _find_judged_evidence(
    connection: sa.Connection, evidence_ids: Sequence[str]
) -> dict[str | None, str]:
    """evidence that scout has assessed → its source."""
    query = (
        sa.select(t.evidence.c.evidence_id, t.evidence.c.source_slug)
        .join(t.scout_result, t.scout_result.c.evidence_id == t.evidence.c.evidence_id)
        .where(t.evidence.c.evidence_id.in_(evidence_ids))
    )
    return {row.evidence_id: row.source_slug for row in connection.execute(query)}


def _build_router_job(candidate: IngestCandidate, source: str) -> RouterJob:
    assert candidate.evidence_id is not None
    # Each block adds an event to the candidate, which makes each return a separate job.
    return RouterJob(evidence_id=candidate.evidence_id, source=source, visit=candidate.event_count)


def list_open_runs(app: App) -> list[Run]:
    """Runs that were started and not yet sealed, oldest first."""
    return _load_runs(app, t.run.c.state == OPEN, newest_first=False)


def list_unfinished_runs(app: App) -> list[Run]:
    """Runs with work left: open ones, and sealed ones whose jobs were retried."""
    left = sa.exists().where(t.job.c.run_id == t.run.c.run_id, t.job.c.state == QUEUED)
    return _load_runs(app, (t.run.c.state == OPEN) | left, newest_first=False)


def list_runs(app: App, limit: int | None = None) -> list[Run]:
    """Runs, newest first."""
    return _load_runs(app, sa.true(), limit=limit, newest_first=True)


def count_runs(app: App) -> int:
    """How many runs there are."""
    return app.read(lambda connection: count_rows(connection, t.run))


def get_run(app: App, run_id: str) -> Run:
    found = _load_runs(app, t.run.c.run_id == run_id, limit=1, newest_first=True)
    if not found:
        raise NotFound(f"There is no run {run_id}.", advice="'assay runs list' lists them.")
    return found[0]


def _load_runs(
    app: App, where: sa.ColumnElement[bool], *, limit: int | None = None, newest_first: bool = True
) -> list[Run]:
    column = t.run.c.started_ms
    order = column.desc() if newest_first else column.asc()
    query = sa.select(t.run).where(where).order_by(order, t.run.c.run_id).limit(limit)
    return [Run(**row) for row in app.fetch_rows(query)]


def count_jobs_left(app: App, run_ids: Sequence[str]) -> int:
    """Number of jobs of these runs that are still to be done."""
    left = t.job.c.run_id.in_(run_ids), t.job.c.state == QUEUED
    return app.read(lambda connection: count_rows(connection, t.job, *left))


def are_runs_finished(
    app: App, run_ids: Sequence[str], stages: Collection[str] | None = None
) -> bool:
    """Whether the runs have no jobs left, or none in these stages; determined without counting,
    however large they are."""
    query = sa.select(sa.literal(1)).where(t.job.c.run_id.in_(run_ids), t.job.c.state == QUEUED)
    if stages is not None:
        query = query.where(t.job.c.stage.in_(sorted(stages)))
    return not app.fetch_rows(query.limit(1))


def count_run_jobs(app: App, run_id: str) -> dict[str, dict[str, int]]:
    """stage → state → number of jobs."""
    return _count_by_stage(app, t.job, t.job.c.state, run_id)


def count_run_outcomes(app: App, run_id: str) -> dict[str, dict[str, int]]:
    """stage → outcome → number of attempts."""
    return _count_by_stage(app, t.progress, t.progress.c.outcome, run_id)


def _count_by_stage(
    app: App, table: sa.Table, column: sa.Column[Any], run_id: str
) -> dict[str, dict[str, int]]:
    query = (
        sa.select(table.c.stage, column, sa.func.count())
        .where(table.c.run_id == run_id)
        .group_by(table.c.stage, column)
    )
    found: dict[str, dict[str, int]] = {}
    for row in app.fetch_rows(query):
        stage, value, jobs = row.values()
        found.setdefault(stage, {})[value] = int(jobs)
    return found


def count_run_events(app: App, run_id: str) -> dict[str, int]:
    """tag → how often it happened."""
    of_run = t.event.c.run_id == run_id
    return app.read(lambda connection: count_by(connection, t.event.c.tag, of_run))


def wait_for_runs(
    app: App,
    worker: "Worker",
    run_ids: Sequence[str],
    *,
    stop: threading.Event,
    on_tick: Callable[[], None] | None = None,
) -> bool:
    """Wait until the worker has nothing left to do for the runs; False if asked to stop.

    If the database is unavailable, wait for it to come back; raise an error if it does not.
    """
    last_response = time.monotonic()
    while not stop.is_set():
        if worker.fatal is not None:
            raise worker.fatal
        try:
            if on_tick is not None:
                on_tick()
            # A worker that runs a batch is hardly ever done: the batch may be one of other runs,
            # which is why the database is still asked, but ten times a second would cost too much.
            if not worker.is_busy or time.monotonic() - last_response >= _BUSY_TICK_S:
                if are_runs_finished(app, run_ids, worker.stages):
                    return True
                last_response = time.monotonic()
        except DatabaseFailed:
            if time.monotonic() - last_response > app.settings.database_outage_s:
                raise
        time.sleep(_TICK_S)
    return False


def record_resumption(app: App, run_id: str) -> int:
    """Record that a run is resumed; return the number of jobs it has left."""
    left = count_jobs_left(app, [run_id])
    now_ms = app.clock.now_ms()

    def record() -> None:
        with app.engine.begin() as connection:
            write_event(connection, RunResumed(jobs_left=left), now_ms, run_id=run_id)

    outlast(app.engine, record)
    return left


def seal_finished_runs(app: App) -> list[str]:
    """Seal the folder of every run that has no jobs left."""
    return outlast(app.engine, lambda: _seal_finished_runs(app))


def finish_runs(
    app: App,
    worker: "Worker",
    run_ids: Sequence[str],
    *,
    stop: threading.Event,
    on_tick: Callable[[], None] | None = None,
) -> bool:
    """Wait until the runs finish and their news is delivered, and seal them; False if asked to
    stop."""
    while wait_for_runs(app, worker, run_ids, stop=stop, on_tick=on_tick):
        seal_finished_runs(app)
        # Sealing plans what people are told about a run, as long as there is something to tell.
        if are_runs_finished(app, run_ids, worker.stages):
            return True
    seal_finished_runs(app)
    return False


def _seal_finished_runs(app: App) -> list[str]:
    sealed = []
    for run in list_open_runs(app):
        if app.folders.path(run.run_id).is_dir() and are_runs_finished(app, [run.run_id]):
            with _lock_sealing(app):
                if plan_news(app, run.run_id):
                    continue
                _seal_run(app, run)
            sealed.append(run.run_id)
    if sealed:
        write_feeds(app)
    return sealed


def verify_runs(app: App, run_id: str | None = None) -> list[RunFolderCheck]:
    """Check one run folder, or all, against its manifest and the store."""
    if run_id is not None:
        known = {run_id: get_run(app, run_id)}
        names = [run_id]
    else:
        known = {run.run_id: run for run in list_runs(app)}
        names = sorted({*known, *app.folders.run_ids()})
    verdicts = []
    for name in names:
        if not app.folders.path(name).is_dir():
            verdicts.append(RunFolderCheck(name, False, 0, ("the folder is missing",)))
            continue
        recorded_hash = known[name].manifest_hash if name in known else None
        verdicts.append(app.folders.verify(name, recorded_hash))
    return verdicts


def begin_scheduled_run(
    app: App, at: datetime, label: str = "scheduled", first: FirstJobs = None
) -> None:
    """Start the run for one time in a schedule; a second call for the same time changes nothing.

    `first` returns the stages and payloads it starts with; None means every endpoint that is due.
    If it returns nothing, no run is started.
    """
    jobs = None if first is None else list(first())
    if jobs == []:
        return
    run_id = f"{utc_stamp(int(at.timestamp() * 1000))}-{label}"
    try:
        start_run(app, label=label, run_id=run_id, first=jobs)
    except RunIdReused:
        # Started before a crash; unless only its folder was created, which remains as a trace.
        if not _load_runs(app, t.run.c.run_id == run_id, limit=1, newest_first=True):
            start_run(app, label=label, first=jobs)


def select_sync_stages(app: App) -> frozenset[str]:
    """The stages that look at sites, fetch documents and record what portals list."""
    receivers = list_receivers(app.tools.listing_fetcher.portals)
    return frozenset(s.name for s in app.pipeline.stages if "http" in s.uses) | receivers


def plan_looks(app: App, slugs: Collection[str]) -> list[tuple[str, Payload]]:
    """A look at every active endpoint of these sources, whether it is due or not."""
    of_source = t.endpoint.c.source_slug == t.source.c.source_slug
    query = (
        sa.select(t.endpoint.c.endpoint_id, t.endpoint.c.source_slug)
        .join(t.source, of_source)
        .where(t.source.c.source_slug.in_(slugs))
        .where(t.endpoint.c.active.is_(True), t.source.c.active.is_(True))
    )
    found = app.read(
        lambda connection: connection.execute(query.order_by(t.endpoint.c.endpoint_id)).all()
    )
    for slug in sorted(set(slugs) - {source for _, source in found}):
        raise NotFound(
            f"There is no source '{slug}' that is watched.",
            advice="'assay sources list' lists them.",
        )
    return [("sentinel", SentinelJob(endpoint_id=name, source=slug)) for name, slug in found]


def attach_schedules(app: App, worker: "Worker", *, starts_runs: bool = True) -> None:
    """Let a worker close finished runs, and start runs on the schedules of Assay and of packs."""
    worker.on_housekeeping = partial(seal_finished_runs, app)
    if not starts_runs:
        return
    looks = Schedule("", partial(begin_scheduled_run, app), app.settings.schedule)
    of_packs = [
        _build_schedule(app, pack.name, declared)
        for pack in app.packs.installed.values()
        for declared in pack.schedules
    ]
    worker.schedules = (looks, *of_packs)


def _build_schedule(app: App, pack: str, declared: PackSchedule) -> Schedule:
    name = f"{pack}.{declared.name}"
    begin = partial(
        begin_scheduled_run,
        app,
        label=f"{pack}-{declared.name}",
        first=lambda: declared.start(app.services),
    )
    return Schedule(name, begin, app.settings.schedules.get(name, declared.cron))


@contextmanager
def _lock_sealing(app: App) -> Iterator[None]:
    """Let only one process at a time seal runs in a home."""
    with (app.folders.folder / ".sealing").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _seal_run(app: App, run: Run) -> None:
    files = {
        "run.json": [
            canonical_json({"run_id": run.run_id, "label": run.label, "params": run.params}) + b"\n"
        ],
        "evidence.jsonl": _export_rows(app, t.evidence, run.run_id),
        "events.jsonl": _export_rows(app, t.event, run.run_id),
        "progress.jsonl": _export_rows(app, t.progress, run.run_id),
        "summary.json": [canonical_json(count_run_jobs(app, run.run_id)) + b"\n"],
        **_export_pack_rows(app, run.run_id),
    }
    manifest_hash = app.folders.seal(run.run_id, files)
    with explain_errors(), app.engine.begin() as connection:
        connection.execute(
            sa.update(t.run)
            .where(t.run.c.run_id == run.run_id, t.run.c.state == OPEN)
            .values(state=SEALED, ended_ms=app.clock.now_ms(), manifest_hash=manifest_hash)
        )


def _export_pack_rows(app: App, run_id: str) -> dict[str, Iterator[bytes]]:
    """The files that packs add to the folder of a run; none for what the run did not find."""
    files = {}
    for pack in app.packs.installed.values():
        for declared in pack.run_files:
            table = table_of(declared.record)
            column = table.c[declared.by]
            query = sa.select(column).where(table.c.run_id == run_id).distinct().order_by(column)
            with explain_errors(), app.engine.connect() as connection:
                values = connection.execute(query).scalars().all()
            for value in values:
                rows = _export_rows(app, table, run_id, column == value)
                files[declared.name.format(value)] = rows
    return files


def _export_rows(
    app: App, table: sa.Table, run_id: str, *where: sa.ColumnElement[bool]
) -> Iterator[bytes]:
    key = next(iter(table.primary_key.columns))
    query = sa.select(table).where(table.c.run_id == run_id, *where).order_by(key)
    with explain_errors(), app.engine.connect() as connection:
        rows = connection.execute(query.execution_options(yield_per=1000)).mappings()
        for row in rows:
            yield json.dumps(dict(row), ensure_ascii=False, sort_keys=True).encode() + b"\n"
