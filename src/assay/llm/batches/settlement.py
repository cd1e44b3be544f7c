"""What a question's outcome costs, what the caller gets for it, and how a batch is closed."""

from dataclasses import replace

from assay.clock import Clock
from assay.errors import (
    AnswerInvalid,
    AssayError,
    CallRefused,
    InvalidInput,
    ProviderBusy,
    ProviderFailed,
)
from assay.llm.batches.matching import ItemOutcome, ItemState, MatchedResults
from assay.llm.batches.records import BatchRecords, BatchRow, BatchState, ItemRow, run_in_thread
from assay.llm.ledger import Ledger
from assay.llm.limits import UNLIMITED
from assay.llm.messages import ModelAnswer, Usage
from assay.llm.scope import CallSettlement, CallState, UsageBasis

_ASK_AGAIN = "Ask it again in another batch."
_UNSENT = CallSettlement(state=CallState.UNSENT, basis=UsageBasis.NOTHING)
_LOOK = "The answer was withheld. Read the batch's message, then ask it again."


def build_settlement(item: ItemRow) -> CallSettlement:
    """How the ledger settles the call: as the provider reported, or in full if that is unknown."""
    usage = item.result.usage if item.result is not None else None
    state, basis = _STATES[item.state], UsageBasis.NOTHING
    if usage is not None:
        basis = UsageBasis.REPORTED
    elif item.state in _CHARGED:
        basis, usage = UsageBasis.RESERVED, item.reserved
    # A batch's faults are hours old and must not open a circuit now, so only errors that never do
    # are passed on.
    error = CallRefused(item.what) if item.state is ItemState.REFUSED else None
    return CallSettlement(state=state, basis=basis, usage=usage or Usage(0, 0), error=error)


def build_answer(row: BatchRow, item: ItemRow) -> ModelAnswer | AssayError | None:
    """The answer, or why there is none; None while it is still open."""
    if item.state is ItemState.WAITING:
        return None
    if item.state is not ItemState.ANSWERED:
        return _item_error(item)
    result = item.result
    assert result is not None
    unknown = () if result.usage else ("The provider did not report its usage.",)
    return ModelAnswer(
        text=result.text,
        usage=result.usage or item.reserved,
        finish=result.finish,
        provider=row.provider,
        model=row.model,
        call_id=item.call_id,
        warnings=unknown,
    )


def _item_error(item: ItemRow) -> AssayError:
    what = f"Item {item.item_key!r} is {item.state.value}: {item.what or 'no reason was given.'}"
    if item.state is ItemState.REFUSED:
        return CallRefused(what)
    if item.state in (ItemState.DOUBLED, ItemState.MISMATCHED):
        return AnswerInvalid(what, advice=_LOOK)
    return ProviderFailed(what, advice=_ASK_AGAIN)


_STATES = {
    ItemState.ANSWERED: CallState.DONE,
    ItemState.MISMATCHED: CallState.DONE,
    ItemState.FAILED: CallState.FAILED,
    ItemState.REFUSED: CallState.FAILED,
    ItemState.EXPIRED: CallState.FAILED,
    ItemState.MISSING: CallState.FAILED,
    ItemState.DOUBLED: CallState.FAILED,
    ItemState.LOST: CallState.FAILED,
    ItemState.CANCELLED: CallState.CANCELLED,
    ItemState.UNSENT: CallState.UNSENT,
}
_CHARGED = frozenset(
    {ItemState.ANSWERED, ItemState.MISMATCHED, ItemState.MISSING, ItemState.DOUBLED, ItemState.LOST}
)
"""States in which tokens may have been used although nobody reported how many."""


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
        self, batch_id: str, state: ItemState, code: str, what: str, error: AssayError | None = None
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
            refused = replace(_UNSENT, error=error)
            await run_in_thread(self._ledger.settle, items[0].call_id, UNLIMITED, refused)
        await run_in_thread(self.settle_batch, batch_id)
