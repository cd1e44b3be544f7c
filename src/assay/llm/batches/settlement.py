"""What a question's outcome costs, and what the caller gets for it."""

from assay.errors import AnswerInvalid, AssayError, CallRefused, ProviderFailed
from assay.llm.batches.matching import ItemState
from assay.llm.batches.records import BatchRow, ItemRow
from assay.llm.messages import ModelAnswer, Usage
from assay.llm.scope import CallSettlement, CallState, UsageBasis

_ASK_AGAIN = "Ask it again in another batch."
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
    {
        ItemState.ANSWERED,
        ItemState.MISMATCHED,
        ItemState.MISSING,
        ItemState.DOUBLED,
        ItemState.LOST,
    }
)
"""States in which tokens may have been used although nobody reported how many."""
