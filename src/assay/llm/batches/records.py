"""Batches and their questions as they are stored; every operation is one transaction."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa

from assay.errors import NotFound
from assay.llm.batches.matching import ItemOutcome, ItemState, MatchedResults
from assay.llm.batches.provider import BatchResult, ResultKind
from assay.llm.ledger_sql import Transaction, open_transaction
from assay.llm.messages import ModelRequest, Usage

NO_USAGE = Usage(0, 0)
STRAY_PREFIX = "stray:"
"""The prefix of the keys of answers that belong to no question."""

_BATCH = """
SELECT batch_id, provider, model, state, handle, error_code, error_message, created_ms,
  submitted_ms, ended_ms
FROM llm_batches
"""
ONE_BATCH = f"{_BATCH} WHERE batch_id = %s"
OPEN_BATCHES = f"{_BATCH} WHERE state NOT IN ('ended', 'unsent') ORDER BY created_ms, batch_id"
HANDLES = "SELECT handle FROM llm_batches WHERE provider = %s AND handle IS NOT NULL"
ADD_BATCH = """
INSERT INTO llm_batches (batch_id, provider, model, state, created_ms, submitted_ms)
VALUES (%s, %s, %s, 'prepared', %s, %s)
"""
RESEND_BATCH = """
UPDATE llm_batches SET state = 'prepared', submitted_ms = %s, error_code = NULL,
  error_message = NULL
WHERE batch_id = %s AND state IN ('prepared', 'uncertain') AND submitted_ms = %s
"""
SUBMIT_BATCH = """
UPDATE llm_batches SET state = 'submitted', handle = %s, error_code = NULL, error_message = NULL
WHERE batch_id = %s AND state IN ('prepared', 'uncertain')
"""
DOUBT_BATCH = """
UPDATE llm_batches SET state = 'uncertain', error_code = 'batch_uncertain', error_message = %s
WHERE batch_id = %s AND state IN ('prepared', 'uncertain')
"""
COLLECT_BATCH = """
UPDATE llm_batches SET state = 'collected', error_code = %s, error_message = %s, ended_ms = %s
WHERE batch_id = %s AND state IN ('prepared', 'uncertain', 'submitted')
"""
CLOSE_BATCH = "UPDATE llm_batches SET state = %s WHERE batch_id = %s AND state = 'collected'"

ADD_ITEM = """
INSERT INTO llm_batch_items (batch_id, item_key, call_id, request, state, answer, error_message)
VALUES (%s, %s, %s, %s, %s, %s, %s)
"""
KEEP_OUTCOME = """
UPDATE llm_batch_items SET state = %s, answer = %s, error_message = %s
WHERE batch_id = %s AND item_key = %s
"""
ITEMS = """
SELECT i.item_key, i.call_id, i.request, i.state, i.answer, i.error_message,
  COALESCE(c.reserved_prompt, 0), COALESCE(c.reserved_output, 0)
FROM llm_batch_items i LEFT JOIN llm_calls c ON c.call_id = i.call_id
WHERE i.batch_id = %s
"""
COUNT_ITEMS = "SELECT state, COUNT(*) FROM llm_batch_items WHERE batch_id = %s GROUP BY state"


class BatchState(StrEnum):
    """The state of a batch."""

    PREPARED = "prepared"
    """Stored, and perhaps on its way; its handle is not known."""
    UNCERTAIN = "uncertain"
    """It may or may not be at the provider; a person must find out."""
    SUBMITTED = "submitted"
    """At the provider, under its handle."""
    COLLECTED = "collected"
    """Its results are stored, but not yet all settled."""
    ENDED = "ended"
    UNSENT = "unsent"
    """The provider never accepted it; nothing is charged."""


@dataclass(frozen=True)
class BatchRow:
    """A stored batch."""

    batch_id: str
    provider: str
    model: str
    state: BatchState
    handle: str | None
    error_code: str | None
    error_message: str | None
    created_ms: int
    submitted_ms: int
    """When it was last being sent."""
    ended_ms: int | None


@dataclass(frozen=True, kw_only=True)
class ItemRow:
    """A stored question."""

    item_key: str
    call_id: str
    request: ModelRequest | None
    """None for a stray answer."""
    check: str | None = None
    """The name of the check that its answer must pass."""
    state: ItemState = ItemState.WAITING
    result: BatchResult | None = None
    what: str = ""
    reserved: Usage = NO_USAGE


class BatchRecords:
    """The stored batches, on either database."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def get_batch(self, batch_id: str) -> BatchRow:
        row = self.find_batch(batch_id)
        if row is None:
            raise NotFound(f"There is no batch '{batch_id}'.")
        return row

    def find_batch(self, batch_id: str) -> BatchRow | None:
        """The batch, if there is one."""
        with open_transaction(self._engine) as tx:
            rows = tx.read_rows(ONE_BATCH, (batch_id,))
        return _parse_batch(rows[0]) if rows else None

    def list_open(self) -> list[BatchRow]:
        """Every batch that has not ended, the oldest first."""
        with open_transaction(self._engine) as tx:
            return [_parse_batch(row) for row in tx.read_rows(OPEN_BATCHES)]

    def read_handles(self, provider: str) -> frozenset[str]:
        """Every handle that belongs to a batch."""
        with open_transaction(self._engine) as tx:
            return frozenset(row[0] for row in tx.read_rows(HANDLES, (provider,)))

    def read_items(self, batch_id: str) -> list[ItemRow]:
        """Questions and stray answers, by their keys."""
        with open_transaction(self._engine) as tx:
            rows = tx.read_rows(ITEMS, (batch_id,))
        return sorted((_parse_item(row) for row in rows), key=lambda item: item.item_key)

    def count_items(self, batch_id: str) -> dict[ItemState, int]:
        with open_transaction(self._engine) as tx:
            return {ItemState(state): n for state, n in tx.read_rows(COUNT_ITEMS, (batch_id,))}

    def resend(self, row: BatchRow, now_ms: int) -> bool:
        """Claim the sending of a batch; False if another process has claimed it."""
        with open_transaction(self._engine) as tx:
            return tx.count_changed(RESEND_BATCH, (now_ms, row.batch_id, row.submitted_ms)) == 1

    def mark_submitted(self, batch_id: str, handle: str) -> bool:
        """Store the handle; False if the batch is past that state."""
        with open_transaction(self._engine) as tx:
            return tx.count_changed(SUBMIT_BATCH, (handle, batch_id)) == 1

    def mark_uncertain(self, batch_id: str, what: str) -> None:
        """Mark that a person must look at the batch."""
        with open_transaction(self._engine) as tx:
            tx.run(DOUBT_BATCH, (_clean_text(what), batch_id))

    def collect(
        self,
        batch_id: str,
        found: MatchedResults,
        now_ms: int,
        *,
        code: str | None,
        what: str | None,
    ) -> bool:
        """Store every outcome at once, or nothing if another process has done so."""
        with open_transaction(self._engine) as tx:
            message = _clean_text(what) if what else None
            if not tx.count_changed(COLLECT_BATCH, (code, message, now_ms, batch_id)):
                return False
            for key, outcome in found.outcomes.items():
                tx.run(KEEP_OUTCOME, (*_encode_outcome(outcome), batch_id, key))
            for number, stray in enumerate(found.strays):
                _add_stray(tx, batch_id, number, stray)
            return True

    def close(self, batch_id: str, state: BatchState) -> None:
        """Close a collected batch whose calls are all settled."""
        with open_transaction(self._engine) as tx:
            tx.run(CLOSE_BATCH, (state.value, batch_id))


def add_batch(
    tx: Transaction,
    batch_id: str,
    provider: str,
    model: str,
    items: Sequence[ItemRow],
    now_ms: int,
) -> None:
    """Store a batch that is about to be sent, in the transaction that reserves its tokens."""
    tx.run(ADD_BATCH, (batch_id, provider, model, now_ms, now_ms))
    for item in items:
        assert item.request is not None
        packed = _encode_request(item.request, item.check)
        state = ItemState.WAITING.value
        tx.run(ADD_ITEM, (batch_id, item.item_key, item.call_id, packed, state, None, None))


def _add_stray(tx: Transaction, batch_id: str, number: int, stray: ItemOutcome) -> None:
    state, answer, what = _encode_outcome(stray)
    tx.run(ADD_ITEM, (batch_id, f"{STRAY_PREFIX}{number:06}", "", "", state, answer, what))


def _encode_outcome(outcome: ItemOutcome) -> tuple[str, str | None, str | None]:
    result = outcome.result
    answer = None if result is None else json.dumps(asdict(result))
    return outcome.state.value, answer, _clean_text(outcome.what) or None


def _parse_batch(row: Sequence[Any]) -> BatchRow:
    return BatchRow(row[0], row[1], row[2], BatchState(row[3]), *row[4:])


def _parse_item(row: Sequence[Any]) -> ItemRow:
    key, call_id, request, state, answer, what, prompt, output = row
    stored = json.loads(request) if request else {}
    return ItemRow(
        item_key=key,
        call_id=call_id,
        request=ModelRequest(**stored["request"]) if stored else None,
        check=stored.get("check"),
        state=ItemState(state),
        result=None if answer is None else _parse_result(json.loads(answer)),
        what=what or "",
        reserved=Usage(prompt, output),
    )


def _encode_request(request: ModelRequest, check: str | None) -> str:
    # Not asdict: it cannot copy every kind of mapping that a schema may be.
    return json.dumps({"request": vars(request), "check": check}, sort_keys=True)


def _parse_result(stored: Mapping[str, Any]) -> BatchResult:
    usage = stored["usage"]
    return BatchResult(
        **{
            **stored,
            "kind": ResultKind(stored["kind"]),
            "usage": None if usage is None else Usage(**usage),
        }
    )


def _clean_text(text: str) -> str:
    """Text that every database accepts."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "�")


def has_same_questions(
    items: Iterable[ItemRow], asked: Mapping[str, ModelRequest], check: str | None
) -> bool:
    """Whether a stored batch asks exactly these questions."""
    stored = {
        item.item_key: _encode_request(item.request, item.check)
        for item in items
        if item.request is not None
    }
    return stored == {key: _encode_request(request, check) for key, request in asked.items()}


P = ParamSpec("P")
T = TypeVar("T")


async def run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run it in a thread to completion, even if the caller is cancelled."""
    loop = asyncio.get_running_loop()
    future = loop.run_in_executor(None, partial(work, *args, **kwargs))
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        while not future.done():
            try:
                await asyncio.wait([future])
            except asyncio.CancelledError:
                continue
        if not future.cancelled():
            # Marks the exception as seen, so that asyncio does not complain about it.
            future.exception()
        raise
