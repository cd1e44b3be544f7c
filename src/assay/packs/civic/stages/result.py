"""Result: notes how each synchronization of a city went."""

from collections.abc import Sequence

from assay.packs.civic.jobs import RESULT_STAGE
from assay.packs.civic.records import Meeting, SyncResult, SyncStatus
from assay.sdk.records import DiscoveredItem
from assay.sdk.services import Services
from assay.sdk.stages import LookJob, Outcome, QueueLimits, Reader, Result, Stage

RESULT = Stage(
    name=RESULT_STAGE,
    version=1,
    payload=LookJob,
    queue=QueueLimits(),
    reads=frozenset({DiscoveredItem, Meeting}),
    writes=frozenset({SyncResult}),
    batch=50,
    # It counts what is stored, so one job stands for everything that was stored while it waited.
    once="waiting",
    purpose="notes how a synchronization went",
)


async def note_results(
    jobs: Sequence[LookJob], read: Reader, _services: Services
) -> Sequence[Result]:
    """Write or update one row for each city and run."""
    return [Outcome(records=(await _build_result(job, read),)) for job in jobs]


async def _build_result(job: LookJob, read: Reader) -> SyncResult:
    since_ms = job.began_ms - 1
    # Agendas and documents belong to a meeting; meetings belong to nothing.
    listed = {"endpoint_id": job.endpoint_id, "parent_doc_id": None}
    found = await read.count(DiscoveredItem, listed, {"last_seen_ms": since_ms})
    own = {"banana": job.source}
    processed = await read.count(Meeting, own, {"recorded_ms": since_ms})
    status = SyncStatus.COMPLETED if job.error is None else SyncStatus.FAILED
    return SyncResult(
        banana=job.source,
        run_id="",
        status=status if job.was_made else SyncStatus.SKIPPED,
        found=found,
        processed=processed,
        seconds=(read.now_ms - job.began_ms) / 1000,
        error=job.error,
        ended_ms=read.now_ms,
    )
