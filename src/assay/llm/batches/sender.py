"""Sends a batch exactly once, whatever happens meanwhile."""

import asyncio
from collections.abc import Mapping
from typing import Any

from assay.clock import Clock
from assay.errors import AssayError, InvalidInput, ProviderBusy, ProviderFailed, ProviderTimedOut
from assay.llm.batches.matching import ItemState, make_provider_key
from assay.llm.batches.provider import BatchProvider, BatchSighting, SoughtBatch
from assay.llm.batches.records import BatchRecords, BatchRow, BatchState, run_in_thread
from assay.llm.batches.settlement import BatchCloser
from assay.llm.messages import ModelRequest
from assay.logs import Log

SKEW_MS = 3_600_000
"""How far a provider's clock may be behind ours."""
SEND_S = 480.0
"""The longest time that submitting a batch may take."""
GRACE_MS = 600_000
"""How long a batch that is not found may still be on its way; longer than sending can take."""
log = Log("assay.llm")


class BatchSender:
    """Submits stored batches, and finds those whose handle was lost."""

    def __init__(self, records: BatchRecords, closing: BatchCloser, clock: Clock) -> None:
        self._records = records
        self._closing = closing
        self._clock = clock

    async def send(
        self, provider: BatchProvider, row: BatchRow, requests: Mapping[str, ModelRequest],
        *, again: bool = False,
    ) -> None:  # fmt: skip
        """Send a stored batch and store its handle. A batch that the provider certainly did not
        accept is withdrawn; when sent again, only if a later attempt would not help."""
        batch_id = row.batch_id
        keyed = {make_provider_key(batch_id, key): requests[key] for key in sorted(requests)}
        try:
            parcel = await provider.pack(batch_id, keyed)
        except BaseException as error:
            if not again or isinstance(error, InvalidInput):
                await self._closing.withdraw_batch(batch_id, error)
            raise
        # Packing can take so long that another process assumes this one is dead.
        if not await run_in_thread(self._records.resend, row, self._clock.now_ms()):
            log.warning(
                "batch_overtaken", "Another process is sending the batch.", batch_id=batch_id
            )
            return
        try:
            handle = await self._submit_parcel(provider, batch_id, parcel)
        except AssayError as error:
            if isinstance(error, ProviderFailed) and not isinstance(error, ProviderBusy):
                await self._seek_at_once(provider, batch_id, error)
                return
            if not again or isinstance(error, InvalidInput):
                await self._closing.withdraw_batch(batch_id, error)
            raise
        await self._keep_handle(batch_id, handle)

    async def _submit_parcel(self, provider: BatchProvider, batch_id: str, parcel: Any) -> str:
        try:
            async with asyncio.timeout(SEND_S):
                return await provider.submit(batch_id, parcel)
        except TimeoutError:
            raise ProviderTimedOut(f"{provider.name} did not accept the batch in time.") from None

    async def _keep_handle(self, batch_id: str, handle: str) -> None:
        if await run_in_thread(self._records.mark_submitted, batch_id, handle):
            log.info("batch_submitted", "A batch was submitted.", batch_id=batch_id, handle=handle)
            return
        log.error(
            "batch_ownerless", "The provider accepted a batch that was given up in the meantime.",
            batch_id=batch_id, handle=handle,
        )  # fmt: skip

    async def _seek_at_once(
        self, provider: BatchProvider, batch_id: str, error: ProviderFailed
    ) -> None:
        """Look for a batch whose confirmation was lost; usually it can be found right away."""
        log.warning(
            "batch_unanswered", f"It is not known whether a batch was accepted: {error}",
            batch_id=batch_id,
        )  # fmt: skip
        try:
            await self.seek(provider, await run_in_thread(self._records.get_batch, batch_id))
        except AssayError as unseen:
            log.warning(
                "batch_not_sought", f"Looking for it again later: {unseen}", batch_id=batch_id
            )

    async def recover(self, provider: BatchProvider, row: BatchRow) -> BatchRow:
        """Find a batch whose handle was lost; send it again only if it is certainly not there."""
        sighting = await self.seek(provider, row)
        absent = sighting.handle is None and not sighting.doubt
        if (
            absent
            and not self._is_fresh(row)
            and await run_in_thread(self._records.resend, row, self._clock.now_ms())
        ):
            log.info(
                "batch_resent",
                "Sending a batch again that was never accepted.",
                batch_id=row.batch_id,
            )
            items = await run_in_thread(self._records.read_items, row.batch_id)
            requests = {item.item_key: item.request for item in items if item.request}
            mine = await run_in_thread(self._records.get_batch, row.batch_id)
            await self.send(provider, mine, requests, again=True)
        return await run_in_thread(self._records.get_batch, row.batch_id)

    async def seek(self, provider: BatchProvider, row: BatchRow) -> BatchSighting:
        """Look for a batch at the provider, and store what that shows."""
        items = await run_in_thread(self._records.read_items, row.batch_id)
        sighting = await provider.find(
            SoughtBatch(
                batch_id=row.batch_id,
                since_ms=row.created_ms - SKEW_MS,
                keys=frozenset(make_provider_key(row.batch_id, item.item_key) for item in items),
                taken=await run_in_thread(self._records.read_handles, row.provider),
            )
        )
        if sighting.handle is not None:
            await self._keep_handle(row.batch_id, sighting.handle)
        elif sighting.doubt:
            what = (
                f"It is not known whether {row.provider} has the batch: {sighting.doubt} Look at "
                "the provider's list, then adopt the batch under its handle or give it up."
            )
            if row.state is not BatchState.UNCERTAIN:
                log.error("batch_uncertain", what, batch_id=row.batch_id, provider=row.provider)
            await run_in_thread(self._records.mark_uncertain, row.batch_id, what)
        return sighting

    async def cancel_unsent(self, row: BatchRow, sighting: BatchSighting) -> None:
        """End a batch that was not found, unless it may still be there."""
        if sighting.doubt:
            raise InvalidInput(f"Batch '{row.batch_id}' cannot be cancelled. {row.error_message}")
        if self._is_fresh(row) or not await run_in_thread(
            self._records.resend, row, self._clock.now_ms()
        ):
            raise ProviderFailed(
                f"Batch '{row.batch_id}' may still be on its way to the provider.",
                advice="Cancel it again in a few minutes.",
            )
        await self._closing.end_without(
            row.batch_id,
            ItemState.UNSENT,
            "batch_cancelled",
            "It was cancelled before it was sent.",
        )

    def _is_fresh(self, row: BatchRow) -> bool:
        """Whether it may still be on its way, from this process or another."""
        return self._clock.now_ms() - row.submitted_ms < GRACE_MS
