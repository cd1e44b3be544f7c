"""How a batch is closed in the ledger."""

from dataclasses import replace

from assay.clock import Clock
from assay.errors import AssayError, InvalidInput, ProviderBusy
from assay.llm.batches.matching import ItemOutcome, ItemState, MatchedResults
from assay.llm.batches.records import BatchRecords, BatchState
from assay.llm.batches.reservation import UNSENT
from assay.llm.batches.settlement import build_settlement
from assay.llm.batches.threads import run_in_thread
from assay.llm.ledger import Ledger
from assay.llm.limits import UNLIMITED


class BatchCloser:
    """Settles the calls of batches."""

    def __init__(self, ledger: Ledger, records: BatchRecords, clock: Clock) -> None:
        self._ledger = ledger
        self._records = records
        self._clock = clock

    def settle_batch(self, batch_id: str) -> None:
        """Settle every call of a collected batch; those already settled stay as they are."""
        items = [item for item in self._records.read_items(batch_id) if item.request is not None]
        for item in items:
            self._ledger.settle(item.call_id, UNLIMITED, build_settlement(item))
        unsent = all(item.state is ItemState.UNSENT for item in items)
        self._records.close(batch_id, BatchState.UNSENT if unsent else BatchState.ENDED)

    async def withdraw_batch(self, batch_id: str, error: BaseException) -> None:
        """End a batch that the provider certainly did not accept; nothing is charged."""
        if isinstance(error, AssayError):
            what, code, known = error.what, error.code, error
        else:
            what, code, known = "It was stopped before it was sent.", "batch_stopped", None
        await self.end_without(batch_id, ItemState.UNSENT, code, what, known)

    async def end_without(
        self,
        batch_id: str,
        state: ItemState,
        code: str,
        what: str,
        error: AssayError | None = None,
    ) -> None:
        """End a batch that will get no answer, because of `error` if there was one."""
        items = await run_in_thread(self._records.read_items, batch_id)
        outcomes = {item.item_key: ItemOutcome(state, what=what) for item in items}
        now_ms = self._clock.now_ms()
        if not await run_in_thread(
            self._records.collect, batch_id, MatchedResults(outcomes), now_ms, code=code, what=what
        ):
            row = await run_in_thread(self._records.get_batch, batch_id)
            raise InvalidInput(f"Batch '{batch_id}' is already {row.state.value}.")
        if error is not None and not isinstance(error, ProviderBusy):
            # The circuit counts the refusal once, not once per question. A limit on batches says
            # nothing about the limits on other calls.
            refused = replace(UNSENT, error=error)
            await run_in_thread(self._ledger.settle, items[0].call_id, UNLIMITED, refused)
        await run_in_thread(self.settle_batch, batch_id)
