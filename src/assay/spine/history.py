"""History: stores the versions of a git repository's files as evidence, in order.

The sentinel opens the repository; this stage reads it in parts, one after the other, so that the
last version stored of a document is always its newest. How far it has come is the endpoint's
`etag`: each part is stored together with the place where the next one begins, or not at all.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.engine.contract import (
    Change,
    Failed,
    Gate,
    NextJob,
    Outcome,
    QueueLimits,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.reader import Reader
from assay.errors import AddressRefused, AssayError, HistoryRewritten
from assay.events import DocumentGone, EndpointScanned
from assay.logs import Log
from assay.model.records import (
    Document,
    DocumentSource,
    Endpoint,
    Evidence,
    IngestCandidate,
    RepositoryFile,
)
from assay.sources.git import (
    FileVersion,
    GitHistory,
    HistoryCursor,
    HistoryOptions,
    HistoryPart,
    RepositoryCopies,
    parse_history_options,
)
from assay.sources.intervals import compute_next_due_ms, update_velocity
from assay.spine.payloads import HistoryJob
from assay.spine.repository_versions import FileTracker, VersionBuilder

_GONE = 410
"""What a web server answers for a page that was removed for good."""
_ACCEPT = "Compare the two, then accept the new history with 'assay add REPO --accept-rewritten'."
log = Log("assay.spine.history")


async def repository_is_watched(jobs: Sequence[HistoryJob], read: Reader) -> list[str | None]:
    """The endpoint of the repository is in the store."""
    found = await read.get_many(Endpoint, [job.endpoint_id for job in jobs])
    return [None if job.endpoint_id in found else "there is no such endpoint" for job in jobs]


HISTORY = Stage(
    name="history",
    version=1,
    payload=HistoryJob,
    queue=QueueLimits(concurrency=1),
    reads=frozenset({Endpoint, RepositoryFile, Evidence, IngestCandidate}),
    writes=frozenset(
        {Endpoint, RepositoryFile, Evidence, Document, DocumentSource, IngestCandidate}
    ),
    gates=(Gate("repository_is_watched", repository_is_watched),),
    next=frozenset({"scout", "history"}),
    once="run",
    timeout_s=3600.0,
    purpose="stores the versions of a git repository's files",
)


async def look_at_repository(endpoint: Endpoint, read: Reader, copies: RepositoryCopies) -> Result:
    """The sentinel's part: bring the repository up to date, and begin to read what is new."""
    cursor = HistoryCursor.parse(endpoint.etag)
    try:
        head, left = await asyncio.to_thread(_open_repository, endpoint, cursor, copies)
    except AddressRefused as refusal:
        refused = Change(
            record=Endpoint,
            key=endpoint.endpoint_id,
            when={"active": True},
            to={"last_error": str(refusal)},
        )
        return Outcome(changes=(refused,), note="refused")
    except AssayError as error:
        errors = {
            "consecutive_errors": endpoint.consecutive_errors + 1,
            "last_error": error.what,
        }
        # Only these columns: another run may be reading the history, and has its own place in it.
        failed = Change(record=Endpoint, key=endpoint.endpoint_id, when={"active": True}, to=errors)
        return Failed(error, last=Outcome(changes=(failed,)))
    velocity = update_velocity(endpoint.velocity, changed=left > 0)
    after = {
        "consecutive_errors": 0,
        "last_error": None,
        "last_scraped_ms": read.now_ms,
        "item_count": left,
        "velocity": velocity,
        "next_due_ms": compute_next_due_ms(
            endpoint.frequency, endpoint.endpoint_id, read.now_ms,
            velocity=velocity, risk=endpoint.risk,
        ),
    }  # fmt: skip
    looked = Change(record=Endpoint, key=endpoint.endpoint_id, when={"active": True}, to=after)
    job = HistoryJob(
        endpoint_id=endpoint.endpoint_id,
        source=endpoint.source_slug,
        head=head,
        cursor=endpoint.etag or "",
    )
    is_behind = cursor.commit != head or bool(cursor.partial)
    return Outcome(
        changes=(looked,),
        next=(NextJob("history", job),) if is_behind else (),
        events=(EndpointScanned(endpoint_id=endpoint.endpoint_id, items=left, new_items=left),),
        note="done" if is_behind else "unchanged",
    )


def _open_repository(
    endpoint: Endpoint, cursor: HistoryCursor, copies: RepositoryCopies
) -> tuple[str, int]:
    """The newest commit, and how many versions are yet to be read."""
    options = parse_history_options(endpoint.options)
    program, head = copies.open(endpoint.url, options)
    history = GitHistory(program, options, head, copies.limits)
    known = cursor.newest
    if known and not cursor.accepts_rewriting and not history.is_continued_from(known):
        raise HistoryRewritten(
            f"The history of {endpoint.url} was rewritten: it no longer contains commit "
            f"{known[:12]}, up to which it was read. Nothing new was read.",
            advice=_ACCEPT,
        )
    return head, history.count_versions(cursor)


def history(copies: RepositoryCopies) -> StageFunction:
    """The stage, with the repositories that it reads."""

    async def take(jobs: Sequence[HistoryJob], read: Reader) -> Sequence[Result]:
        return [await _read_history(job, read, copies) for job in jobs]

    return take


async def _read_history(job: HistoryJob, read: Reader, copies: RepositoryCopies) -> Result:
    endpoint = await read.get(Endpoint, job.endpoint_id)
    assert endpoint is not None
    if (endpoint.etag or "") != job.cursor:
        # Another run was faster, and goes on from where it is.
        return Outcome(note="overtaken")
    try:
        options = parse_history_options(endpoint.options)
        opened = GitHistory(copies.reopen(endpoint.url), options, job.head, copies.limits)
        part = await asyncio.to_thread(opened.read_part, HistoryCursor.parse(job.cursor))
        positions = await asyncio.to_thread(lambda: opened.positions)
    except AssayError as error:
        return Failed(error)
    stored = await _store_versions(endpoint, part, positions, options, read)
    for version, why in stored.skipped:
        log.warning(
            "version_skipped",
            f"{version.path} in commit {version.commit.commit_id[:12]} was skipped: {why}.",
            endpoint_id=endpoint.endpoint_id,
        )
    cursor = str(part.cursor)
    # Stored together with the place where the next part begins; a second run that read the same
    # part in the meantime makes this one start again, and find that it was overtaken.
    moved = Change(
        record=Endpoint,
        key=endpoint.endpoint_id,
        when={"etag": endpoint.etag},
        to={"etag": cursor},
        must=True,
    )
    following = job.model_copy(update={"cursor": cursor})
    return replace(
        stored.outcome,
        next=(
            *stored.outcome.next,
            *(() if part.is_last else (NextJob("history", following),)),
        ),
        changes=() if cursor == job.cursor else (moved,),
    )


@dataclass(frozen=True, slots=True)
class _StoredPart:
    outcome: Outcome
    skipped: tuple[tuple[FileVersion, str], ...]


async def _store_versions(
    endpoint: Endpoint,
    part: HistoryPart,
    positions: Mapping[str, int],
    options: HistoryOptions,
    read: Reader,
) -> _StoredPart:
    paths = {path for v in part.versions for path in (v.path, v.renamed_from) if path}
    own = {"endpoint_id": endpoint.endpoint_id}
    rows = await read.find_where(RepositoryFile, "path", paths, beside=own)
    tracker = FileTracker(
        endpoint.endpoint_id,
        {row.path: row for row in rows},
        positions,
        is_mirror=options.mirror,
    )
    found = [v for version in part.versions if (v := tracker.follow(version)) is not None]
    candidates = await read.get_many(IngestCandidate, {each.doc_id for each in found})
    known = await read.get_many(Evidence, {each.evidence_id for each in found})
    builder = VersionBuilder(endpoint, candidates, frozenset(known), read.now_ms)
    for each in found:
        builder.add(each)
    outcome = Outcome(
        records=(*builder.records, *tracker.changed.values()),
        moves=tuple(builder.moves),
        next=tuple(NextJob("scout", job) for job in builder.jobs),
        events=(
            *builder.events,
            *(DocumentGone(doc_id=doc_id, status=_GONE) for doc_id in tracker.gone),
        ),
        blobs=tuple(builder.blobs),
    )
    skipped = tuple((v, v.skipped) for v in part.versions if v.skipped)
    return _StoredPart(outcome, skipped)
