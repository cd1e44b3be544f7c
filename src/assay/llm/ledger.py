"""The ledger: every call's tokens are set aside before it and settled after it. Each operation is
one transaction, which lets any number of processes share the same caps, limits and circuits."""

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeVar
from uuid import uuid4

import sqlalchemy as sa

from assay.clock import Clock, SystemClock
from assay.errors import InternalError, ProviderBusy
from assay.llm import ledger_sql as sql
from assay.llm.admission import (
    CallGrant,
    CallWait,
    LedgerSnapshot,
    OpenCall,
    ProviderState,
    Ticket,
    day_of,
    decide_admission,
)
from assay.llm.circuit import Circuit, record_failure, record_success, reset_circuit
from assay.llm.ledger_sql import Transaction, open_transaction
from assay.llm.limits import Policy, ProviderLimits
from assay.llm.messages import Lane
from assay.llm.scope import CallRequest, CallSettlement, CallState, Permit, UsageBasis
from assay.llm.window import (
    SLOT_MS,
    RateWindow,
    apply_hints,
    apply_refusal,
    correct_window,
    move_call,
)
from assay.store.database import outlast

T = TypeVar("T")
TOTAL_METER = "all"
"""The meter that covers everything."""
_STALE_MS = 10_000
"""A ticket that is overdue by this much has been abandoned."""
_BATCH_LEASE_MS = 48 * 3_600_000


@dataclass(frozen=True)
class SettlementResult:
    """The result of a settlement."""

    tokens: int
    micros: int | None
    circuit: Circuit
    tripped: bool
    """Whether it opened the provider's circuit."""


class Ledger:
    """The books of the control plane, on either database."""

    def __init__(
        self, engine: sa.Engine, policy: Policy, *, clock: Clock | None = None, worker: str = ""
    ) -> None:
        self.engine = engine
        self.policy = policy
        self._clock = clock
        self._worker = worker
        self.lost = 0
        """The number of calls of dead workers that were taken back here."""

    def reserve(self, ask: CallRequest, *, back_in_ms: int | None = 1_000) -> Permit | CallWait:
        """Set the call's tokens aside, or say how long to wait; denials are raised.

        A waiting call asks again when its time has come, or within `back_in_ms`; otherwise it
        loses its place. None is for a caller that does not wait.
        """
        call_id, tries = uuid4().hex, count(1)

        def reserve(tx: Transaction) -> Permit | CallWait:
            # If the connection was lost during the commit, the tokens may already be set aside.
            if next(tries) > 1 and tx.read_rows(sql.READ_CALL, (call_id,)):
                return _make_permit(call_id, ask, self._read_clock(tx))
            found = self._take_snapshot(tx, ask)
            verdict = decide_admission(ask, self.policy, found)
            if isinstance(verdict, CallWait):
                if back_in_ms is not None:
                    self._keep_ticket(tx, ask, min(verdict.wait_ms, back_in_ms), found.now_ms)
                return verdict
            return self._grant(tx, ask, verdict, found.now_ms, call_id)

        return self._outlast(reserve)

    def reserve_batch(
        self, asks: Iterable[CallRequest], store: Callable[[Transaction, list[Permit]], None]
    ) -> None:
        """Set the tokens of all calls aside and store what they are for, or do neither."""
        with open_transaction(self.engine) as tx:
            permits = []
            for ask in asks:
                found = self._take_snapshot(tx, ask)
                verdict = decide_admission(ask, self.policy, found)
                if isinstance(verdict, CallWait):
                    raise InternalError("The ledger made a batch wait.")
                permits.append(self._grant(tx, ask, verdict, found.now_ms, uuid4().hex))
            store(tx, permits)

    def check(self, ask: CallRequest) -> CallWait | None:
        """What `reserve` would say, without taking anything."""
        with open_transaction(self.engine) as tx:
            found = self._take_snapshot(tx, ask)
            verdict = decide_admission(ask, self.policy, found)
        return verdict if isinstance(verdict, CallWait) else None

    def settle(
        self, call_id: str, limits: ProviderLimits, settlement: CallSettlement
    ) -> SettlementResult:
        """Charge what was really used and release the rest; settling twice changes nothing.

        A lost database is waited for: the answer is paid for and must not be thrown away.
        """

        def settle(tx: Transaction) -> SettlementResult:
            rows = tx.read_rows(sql.READ_CALL, (call_id,))
            if not rows:
                raise InternalError(f"The ledger has no call {call_id}.")
            provider = rows[0][0]
            state = self._provider_state(tx, provider)
            # Read again under the lock, because its lease may just have ended.
            row = tx.read_rows(sql.READ_CALL, (call_id,))[0]
            if row[5] not in (CallState.OPEN, CallState.BATCHED, CallState.LOST):
                return SettlementResult(row[6], row[7], state.circuit, False)
            now_ms = self._read_clock(tx)
            charged, micros = _compute_charge(self.policy, row, settlement)
            self._close_call(tx, call_id, row, settlement, charged, micros, now_ms)
            after = self._compute_state_after(state, limits, row, settlement, charged, now_ms)
            if after != state:
                tx.run(sql.KEEP_STATE, (_encode_state(after), now_ms, _provider_row(provider)))
            tripped = after.circuit.trips > state.circuit.trips
            return SettlementResult(charged, micros, after.circuit, tripped)

        return self._outlast(settle)

    def postpone_call(self, permit: Permit) -> Permit:
        """Count a call from now on, because it goes out later than when it was granted."""
        ask = permit.ask

        def move(tx: Transaction) -> int:
            state = self._provider_state(tx, ask.provider)
            now_ms = self._never_before_window(self._read_clock(tx), state.window)
            slot = int(tx.read_rows(sql.READ_CALL, (permit.call_id,))[0][9])
            if tx.count_changed(sql.MOVE_CALL, (now_ms // SLOT_MS, permit.call_id)):
                window = move_call(state.window, slot, now_ms, ask.tokens)
                tx.run(
                    sql.KEEP_STATE,
                    (
                        _encode_state(replace(state, window=window)),
                        now_ms,
                        _provider_row(ask.provider),
                    ),
                )
            return now_ms

        return replace(permit, granted_ms=self._outlast(move), granted_at=time.monotonic())

    def renew(self, call_ids: Iterable[str]) -> None:
        """Extend the leases of calls that are still in progress."""

        def renew(tx: Transaction) -> None:
            expires_ms = self._read_clock(tx) + self.policy.lease_ms
            for call_id in call_ids:
                tx.run(sql.RENEW_CALL, (expires_ms, call_id))

        self._outlast(renew)

    def sweep(self) -> int:
        """Take back the permits of dead workers; all tokens set aside for them are charged."""
        with open_transaction(self.engine) as tx:
            now_ms = self._read_clock(tx)
            taken_back = tx.count_changed(sql.LOSE_CALLS, (now_ms, now_ms))
        self.lost += taken_back
        return taken_back

    def drop_ticket(self, ticket_id: str) -> None:
        """Stop waiting."""
        self._outlast(lambda tx: tx.run(sql.DROP_TICKET, (ticket_id,)))

    def close_circuit(self, provider: str) -> Circuit:
        """Close a circuit for an operator; return what it was before."""
        with open_transaction(self.engine) as tx:
            state = self._provider_state(tx, provider)
            now_ms = self._read_clock(tx)
            after = replace(state, circuit=reset_circuit(state.circuit, now_ms))
            tx.run(sql.KEEP_STATE, (_encode_state(after), now_ms, _provider_row(provider)))
            return state.circuit

    def read_states(self) -> dict[str, ProviderState]:
        """What is remembered about each provider."""
        with open_transaction(self.engine) as tx:
            rows = tx.read_rows(sql.ALL_STATES)
        return {
            name.removeprefix("provider:"): decode_state(value)
            for name, value, _ in rows
            if name.startswith("provider:")
        }

    def read_request_usage(self, request_id: str) -> dict[str, int]:
        """The tokens charged to a request, by step."""
        rows = self._outlast(lambda tx: tx.read_rows(sql.REQUEST_TOKENS, (request_id,)))
        return {step: int(tokens) for step, tokens in rows}

    def note_output(self, source: str, *, empty: bool) -> int | None:
        """Count an empty answer, or reset the count; return when a pause ends if one begins."""
        with open_transaction(self.engine) as tx:
            rows = tx.read_rows(sql.READ_COOLDOWN, (source,))
            empties, until_ms = rows[0] if rows else (0, None)
            if not empty:
                if empties:
                    tx.run(sql.KEEP_COOLDOWN, (source, 0, until_ms))
                return None
            empties += 1
            if empties < self.policy.empty_threshold:
                tx.run(sql.KEEP_COOLDOWN, (source, empties, until_ms))
                return None
            ends_ms = self._read_clock(tx) + self.policy.empty_rest_ms
            tx.run(sql.KEEP_COOLDOWN, (source, 0, ends_ms))
            return ends_ms

    def clear_cooldown(self, source: str) -> bool:
        """Let a source continue; False if it was not paused."""
        with open_transaction(self.engine) as tx:
            rows = tx.read_rows(sql.READ_COOLDOWN, (source,))
            if not rows:
                return False
            tx.run(sql.KEEP_COOLDOWN, (source, 0, None))
            return rows[0][1] is not None and rows[0][1] > self._read_clock(tx)

    def _outlast(self, act: Callable[[Transaction], T]) -> T:
        """Do something in one transaction, again if the database fails."""

        def transact() -> T:
            with open_transaction(self.engine) as tx:
                return act(tx)

        return outlast(self.engine, transact)

    def _take_snapshot(self, tx: Transaction, ask: CallRequest) -> LedgerSnapshot:
        scope = ask.scope
        lane_row, provider_row = f"lane:{ask.lane}", _provider_row(ask.provider)
        states = self._lock_states(tx, lane_row, provider_row)
        state = decode_state(states[provider_row])
        now_ms = self._never_before_window(self._read_clock(tx), state.window)
        day = day_of(now_ms)
        calls = [
            OpenCall(c, p, ln, bool(pr), e) for c, p, ln, pr, e in tx.read_rows(sql.OPEN_CALLS)
        ]
        if any(call.expires_ms <= now_ms for call in calls):
            self.lost += tx.count_changed(sql.LOSE_CALLS, (now_ms, now_ms))
            calls = [call for call in calls if call.expires_ms > now_ms]
        meters = {
            meter: (tokens, micros)
            for meter, tokens, micros in tx.read_rows(
                sql.READ_METERS, (day, TOTAL_METER, _source_meter(scope.source))
            )
        }
        evidence = resting = None
        if scope.evidence is not None:
            evidence = tx.read_rows(sql.EVIDENCE_TOKENS, (scope.evidence, day))[0][0]
        if scope.source is not None:
            rows = tx.read_rows(sql.READ_COOLDOWN, (scope.source,))
            resting = rows[0][1] if rows else None
        usage = {}
        if scope.budget is not None:
            rows = tx.read_rows(sql.REQUEST_TOKENS, (scope.request_id,))
            usage = {step: int(tokens) for step, tokens in rows}
        return LedgerSnapshot(
            now_ms=now_ms,
            provider=state,
            lane_started_ms=json.loads(states[lane_row]).get("started_ms", 0),
            calls=calls,
            tickets=[Ticket(*row) for row in tx.read_rows(sql.READ_TICKETS, (ask.provider,))],
            day_tokens=meters.get(TOTAL_METER, (0, 0))[0],
            day_micros=meters.get(TOTAL_METER, (0, 0))[1],
            source_tokens=meters.get(_source_meter(scope.source), (0, 0))[0],
            evidence_tokens=int(evidence or 0),
            resting_until_ms=resting,
            request_usage=usage,
        )

    def _keep_ticket(self, tx: Transaction, ask: CallRequest, wait_ms: int, now_ms: int) -> None:
        scope = ask.scope
        tx.run(sql.DROP_STALE_TICKETS, (ask.provider, now_ms - _STALE_MS))
        tx.run(
            sql.KEEP_TICKET,
            (ask.ticket_id, ask.provider, ask.lane.value, scope.step, scope.priority,
             ask.tokens, now_ms - ask.waited_ms, now_ms + wait_ms),
        )  # fmt: skip

    def _grant(
        self, tx: Transaction, ask: CallRequest, granted: CallGrant, now_ms: int, call_id: str
    ) -> Permit:
        scope, batched = ask.scope, ask.lane is Lane.BATCH
        day = day_of(now_ms)
        expires_ms = now_ms + (_BATCH_LEASE_MS if batched else self.policy.lease_ms)
        tx.run(
            sql.ADD_CALL,
            (call_id, scope.request_id or call_id, scope.step, scope.source, scope.evidence,
             scope.run_id, scope.job_id, ask.provider, ask.model, ask.lane.value, day,
             self._worker, CallState.BATCHED.value if batched else CallState.OPEN.value,
             ask.prompt_tokens, ask.output_tokens, ask.tokens, granted.micros,
             int(granted.probe), now_ms // SLOT_MS, expires_ms, now_ms),
        )  # fmt: skip
        for meter in _meters_of(scope.source):
            tx.run(sql.ADD_TO_METER, (day, meter, 1, ask.tokens, granted.micros or 0))
        if not batched:
            tx.run(
                sql.KEEP_STATE, (_encode_state(granted.state), now_ms, _provider_row(ask.provider))
            )
            if ask.lane is Lane.CLOUD and self.policy.cloud_gap_ms:
                started = json.dumps({"started_ms": now_ms})
                tx.run(sql.KEEP_STATE, (started, now_ms, f"lane:{ask.lane}"))
            tx.run(sql.DROP_TICKET, (ask.ticket_id,))
        return _make_permit(call_id, ask, now_ms)

    def _close_call(
        self, tx: Transaction, call_id: str, row: tuple[object, ...], settlement: CallSettlement,
        charged: int, micros: int | None, now_ms: int,
    ) -> None:  # fmt: skip
        error, usage = settlement.error, settlement.usage
        tx.run(
            sql.SETTLE_CALL,
            (settlement.state.value, settlement.basis.value, usage.prompt_tokens,
             usage.completion_tokens, charged, micros, error.code if error else None,
             settlement.sent_ms, now_ms, call_id),
        )  # fmt: skip
        source, day, before, micros_before = row[3], row[4], row[6], row[7]
        assert isinstance(before, int)
        more, dearer = charged - before, (micros or 0) - int(str(micros_before or 0))
        if more or dearer:
            for meter in _meters_of(str(source) if source is not None else None):
                tx.run(sql.ADD_TO_METER, (day, meter, 0, more, dearer))

    def _compute_state_after(
        self, state: ProviderState, limits: ProviderLimits, row: tuple[object, ...],
        settlement: CallSettlement, charged: int, now_ms: int,
    ) -> ProviderState:  # fmt: skip
        lane, before, probe, slot = row[2], row[6], bool(row[8]), row[9]
        window, circuit, error = state.window, state.circuit, settlement.error
        assert isinstance(before, int) and isinstance(slot, int)
        if lane == Lane.BATCH and error is None:
            # Its answer is hours old and says nothing about how the provider is doing now.
            return state
        if lane != Lane.BATCH:
            unsent = -1 if settlement.state is CallState.UNSENT else 0
            window = correct_window(window, limits, slot, tokens=charged - before, requests=unsent)
        if settlement.state is CallState.DONE:
            circuit = record_success(circuit, self.policy, now_ms, probe=probe)
            window = apply_hints(window, limits, settlement.hints)
        elif isinstance(error, ProviderBusy):
            window = apply_refusal(window, error.retry_after_ms, now_ms)
        if error is not None:
            circuit = record_failure(circuit, self.policy, now_ms, error, probe=probe)
        return ProviderState(window, circuit)

    def _provider_state(self, tx: Transaction, provider: str) -> ProviderState:
        name = _provider_row(provider)
        return decode_state(self._lock_states(tx, name, name)[name])

    def _lock_states(self, tx: Transaction, *names: str) -> dict[str, str]:
        rows = dict(tx.read_locked_rows(sql.READ_STATE, names))
        if missing := set(names) - set(rows):
            for name in sorted(missing):
                tx.run(sql.ADD_STATE, (name, "{}"))
            rows = dict(tx.read_locked_rows(sql.READ_STATE, names))
        return rows

    def _read_clock(self, tx: Transaction) -> int:
        if self._clock is not None:
            return self._clock.now_ms()
        return tx.now_ms() or SystemClock().now_ms()

    def _never_before_window(self, now_ms: int, window: RateWindow) -> int:
        """The time, but never before the window's last slot, in case the clock was set back."""
        return max(now_ms, window.slots[-1][0] * SLOT_MS) if window.slots else now_ms


def _make_permit(call_id: str, ask: CallRequest, now_ms: int) -> Permit:
    return Permit(call_id=call_id, ask=ask, granted_ms=now_ms, granted_at=time.monotonic())


def _compute_charge(
    policy: Policy, row: tuple[object, ...], settlement: CallSettlement
) -> tuple[int, int | None]:
    """Tokens and money to charge; unknown usage costs everything that was set aside."""
    reserved_prompt, reserved_output = int(str(row[10])), int(str(row[11]))
    if settlement.basis is UsageBasis.RESERVED:
        prompt, completion = reserved_prompt, reserved_output
    elif settlement.basis is UsageBasis.NOTHING:
        prompt, completion = 0, 0
    else:
        prompt, completion = settlement.usage.prompt_tokens, settlement.usage.completion_tokens
    price = policy.prices.get(str(row[1]))
    if price is None:
        return prompt + completion, None
    batched = row[2] == Lane.BATCH.value
    return prompt + completion, price.cost_micros(prompt, completion, batched=batched)


def _meters_of(source: str | None) -> list[str]:
    return [TOTAL_METER] if source is None else [TOTAL_METER, _source_meter(source)]


def _source_meter(source: str | None) -> str:
    return f"source:{source or ''}"


def _provider_row(provider: str) -> str:
    return f"provider:{provider}"


def _encode_state(state: ProviderState) -> str:
    value = {"window": state.window.as_json(), "circuit": state.circuit.as_json()}
    return json.dumps(value, separators=(",", ":"))


def decode_state(text: str) -> ProviderState:
    value = json.loads(text)
    if not value:
        return ProviderState()
    return ProviderState(RateWindow.from_json(value["window"]), Circuit.from_json(value["circuit"]))
