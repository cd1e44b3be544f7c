"""Batches that the queue takes for running on this worker although nobody runs them.

If the database is lost just when a batch is claimed, the claim may be stored without the worker
knowing of it. Nobody else would ever take such a batch, because its worker is alive.
"""

import time

from assay.engine.queues import Queues
from assay.logs import Log

log = Log("assay.engine.worker")
_STRAY_AFTER_S = 5.0
"""A batch that was just claimed is begun long before."""


class StrayBatches:
    """Remembers which batches were seen without a runner, and since when."""

    def __init__(self, queues: Queues, after_s: float = _STRAY_AFTER_S) -> None:
        self._queues = queues
        self._after_s = after_s
        self._seen: dict[tuple[str, str | None], float] = {}

    def requeue(self, worker_id: str) -> int:
        """Put those back into their queues that have had no runner for a while; return how many.

        It does not count as the death of a worker.
        """
        now = time.monotonic()
        found = self._queues.find_stray_batches(worker_id)
        self._seen = {claim: self._seen.get(claim, now) for claim in found}
        strays = [claim for claim, since in self._seen.items() if now - since >= self._after_s]
        count = sum(self._queues.release_batch(worker_id, *claim) for claim in strays)
        if count:
            log.warning("batches_requeued", f"{count} batches were claimed but not begun.")
        return count
