"""What a question's outcome costs, and what the one who asked gets for it."""

from assay.errors import AnswerInvalid, AssayError, CallRefused, ProviderFailed
from assay.llm.batches.matching import ItemState
from assay.llm.batches.records import BatchRow, ItemRow
from assay.llm.messages import ModelAnswer, Usage
from assay.llm.scope import CallSettlement, CallState, UsageBasis

_ASK_AGAIN = "Ask it again in another batch."
_LOOK = "Nothing was given out; look at the batch's message, then ask it again."


def build_settlement(item: ItemRow) -> CallSettlement:
    """How the ledger settles the call: as the provider told, in full where nobody knows."""
    told = item.result.usage if item.result is not None else None
    state, basis = _STATES[item.state], UsageBasis.NOTHING
    if told is not None:
        basis = UsageBasis.REPORTED
    elif item.state in _CHARGED:
        basis, told = UsageBasis.RESERVED, item.reserved
    # A batch's faults are hours old and must not open a circuit now, so only those are told
    # that never do.
    error = CallRefused(item.what) if item.state is ItemState.REFUSED else None
    return CallSettlement(state=state, basis=basis, usage=told or Usage(0, 0), error=error)


def build_answer(row: BatchRow, item: ItemRow) -> ModelAnswer | AssayError | None:
    """The answer, or why there is none; None while that is open."""
    if item.state is ItemState.WAITING:
        return None
    if item.state is not ItemState.ANSWERED:
        return _item_error(item)
    result = item.result
    assert result is not None
    unknown = () if result.usage else ("The provider did not say what it used.",)
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
    what = f"Item {item.item_key!r} is {item.state.value}: {item.what or 'no reason was told.'}"
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
"""What may have been used though nobody said how much."""
