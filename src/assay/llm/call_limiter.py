"""Where calls wait for their permits and return them."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

from assay.errors import AssayError, CallDenied
from assay.llm.admission import CallWait, Ticket, sort_tickets
from assay.llm.circuit import Circuit, CircuitState
from assay.llm.ledger import Ledger, SettlementResult
from assay.llm.metering.metrics import Metrics
from assay.llm.scope import CallRequest, CallSettlement, CallState, Denial, Permit, UsageBasis
from assay.logs import Log
from assay.store.database import is_sqlite


@dataclass(frozen=True)
class _QueuedCall:
    ticket: Ticket
    turn: "asyncio.Future[None]"


class CallQueue:
    """The calls of one process waiting for a provider, in the order the ledger would serve them.

    The first asks the ledger, the others wait behind it. If all of them asked, each grant would
    cost as many transactions as there are waiting calls.
    """

    def __init__(self) -> None:
        self._front: Ticket | None = None
        self._places: list[_QueuedCall] = []
        self._sleeper: asyncio.Future[None] | None = None
        self.wants_slot = False
        """Whether the first call waits for another to end, rather than for time to pass."""

    @property
    def is_overtaken(self) -> bool:
        """Whether a call has arrived that goes before the first one."""
        return self._front is not None and self._find_first() is not self._front

    async def wait_for_turn(self, ask: CallRequest, since: float) -> None:
        """Wait until this call is at the front; `pass_turn` must follow."""
        scope, since_ms = ask.scope, int(since * 1000)
        ticket = Ticket(
            ask.ticket_id, ask.lane, scope.step, scope.priority, ask.tokens, since_ms, since_ms
        )
        if self._front is None:
            self._front = ticket
            return
        place = _QueuedCall(ticket, asyncio.get_running_loop().create_future())
        self._places.append(place)
        if self.is_overtaken:
            self.wake()
        try:
            await place.turn
        except BaseException:
            if place in self._places:
                self._places.remove(place)
            else:
                # Its turn came just as it gave up.
                self.pass_turn()
            raise

    def pass_turn(self) -> None:
        """Give the turn to the next call."""
        self._front = None
        if not self._places:
            return
        first = self._find_first()
        place = next(place for place in self._places if place.ticket is first)
        self._places.remove(place)
        self._front = first
        # A call that is being cancelled notices that its turn came, and passes it on.
        if not place.turn.done():
            place.turn.set_result(None)

    async def sleep(self, seconds: float) -> None:
        """Wait at the front, until woken or the time is up."""
        self._sleeper = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait([self._sleeper], timeout=seconds)
        finally:
            self._sleeper.cancel()
            self._sleeper = None

    def wake(self) -> None:
        """Make the first call check again at once, because something changed."""
        if self._sleeper is not None and not self._sleeper.done():
            self._sleeper.set_result(None)

    def _find_first(self) -> Ticket:
        front = [] if self._front is None else [self._front]
        now_ms = int(asyncio.get_running_loop().time() * 1000)
        return sort_tickets([*front, *(place.ticket for place in self._places)], now_ms)[0]


P = ParamSpec("P")
T = TypeVar("T")

LATE_S = 0.15
"""A call that goes out this much later than it was granted is counted from then on."""
RECHECK_S = 2.0
"""How often the first call in a queue checks whether others have returned something in the
meantime. Nothing is lost by checking late: the pace saves up what was returned to a rate."""
log = Log("assay.llm")


class CallLimiter:
    """Lets calls through one by one; each counts until it returns its permit."""

    def __init__(self, ledger: Ledger, metrics: Metrics) -> None:
        self._ledger = ledger
        self._metrics = metrics
        self._lost = 0
        # SQLite allows one writer at a time, and our own queue is quicker than its lock.
        threads = 1 if is_sqlite(ledger.engine) else 4
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="assay-ledger")
        self._held: dict[str, Permit] = {}
        self._lines: dict[str, CallQueue] = {}
        self._waiting = 0
        self._waiting_at: dict[str, int] = {}
        self._renewing: asyncio.Task[None] | None = None

    @property
    def permits_held(self) -> int:
        """Permits in use."""
        return len(self._held)

    @property
    def waiting_calls(self) -> int:
        """Calls waiting for a permit."""
        return self._waiting

    async def acquire(self, ask: CallRequest) -> Permit:
        """A permit, as soon as one is available; denials are raised."""
        self._count_waiting(ask.provider, +1)
        try:
            return self._hold_permit(await self._wait_for_permit(ask))
        except CallDenied as error:
            self._metrics.count("denials", provider=ask.provider, reason=error.reason)
            log.warning(
                "call_denied", str(error), provider=ask.provider, reason=error.reason,
                step=ask.scope.step, source_slug=ask.scope.source,
                recovers_ms=error.recovers_ms,
            )  # fmt: skip
            raise
        finally:
            self._count_waiting(ask.provider, -1)

    async def refresh_permit(self, permit: Permit) -> Permit:
        """Renew a permit just before its call goes out, in case that is later than granted."""
        for _ in range(3):
            if time.monotonic() - permit.granted_at <= LATE_S:
                break
            permit = await self._run_to_end(self._ledger.postpone_call, permit)
        return permit

    async def release(
        self, permit: Permit, settlement: CallSettlement, *, then: Callable[[], None] | None = None
    ) -> SettlementResult:
        """Return the permit; this always runs to completion, whatever happens meanwhile."""

        def settle() -> SettlementResult:
            settled = self._ledger.settle(permit.call_id, permit.ask.limits, settlement)
            if then is not None:
                then()
            return settled

        try:
            settled = await self._run_to_end(settle)
            if settled.tripped:
                self._report_trip(permit.ask.provider, settled.circuit)
            return settled
        finally:
            self._held.pop(permit.call_id, None)
            for line in self._lines.values():
                if line.wants_slot:
                    line.wake()
            if not self._held and self._renewing is not None:
                self._renewing.cancel()
                self._renewing = None

    async def close(self) -> None:
        """Stop renewing; permits still in use are returned when their lease expires."""
        if self._renewing is not None:
            self._renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._renewing
            self._renewing = None
        self._threads.shutdown(wait=True)

    async def run_in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Use the ledger without blocking the event loop."""
        return await self._run_to_end(work, *args, **kwargs)

    async def _wait_for_permit(self, ask: CallRequest) -> Permit:
        loop, patience = asyncio.get_running_loop(), ask.scope.wait_s
        since = loop.time()
        if patience == 0:
            return await self._reserve_at_once(ask)
        deadline = None if patience is None else since + patience
        line = self._lines.setdefault(ask.provider, CallQueue())
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    await line.wait_for_turn(ask, since)
            except TimeoutError:
                return await self._reserve_at_once(ask)
            try:
                waited_ms = int((loop.time() - since) * 1000)
                permit = await self._reserve_at_front(
                    line, replace(ask, waited_ms=waited_ms), deadline
                )
            finally:
                line.pass_turn()
            if permit is not None:
                return permit

    async def _reserve_at_once(self, ask: CallRequest) -> Permit:
        verdict = await self._reserve(ask, stays=False)
        if isinstance(verdict, Permit):
            return verdict
        raise _no_room_error(ask, verdict)

    def _count_waiting(self, provider: str, more: int) -> None:
        self._waiting += more
        at_provider = self._waiting_at.get(provider, 0) + more
        self._waiting_at[provider] = at_provider
        self._metrics.set_gauge("queue_depth", at_provider, provider=provider)

    def _report_trip(self, provider: str, circuit: Circuit) -> None:
        latched = circuit.state is CircuitState.LATCHED
        self._metrics.count(
            "circuit_trips", provider=provider, reason="latched" if latched else "timed"
        )
        log.error(
            "circuit_opened", f"The circuit of '{provider}' is {circuit.state}: {circuit.reason}",
            provider=provider, state=circuit.state.value,
        )  # fmt: skip

    async def _reserve_at_front(
        self, line: CallQueue, ask: CallRequest, deadline: float | None
    ) -> Permit | None:
        """The permit; None if another call now goes first."""
        verdict = await self._reserve(ask)
        if isinstance(verdict, Permit):
            return verdict
        loop = asyncio.get_running_loop()
        since = loop.time()
        why = {"provider": ask.provider, "reason": verdict.why.value}
        self._metrics.count("rate_limit_waits", **why)
        try:
            while not line.is_overtaken:
                wait_s = verdict.wait_ms / 1000
                if deadline is not None and loop.time() + wait_s > deadline:
                    raise _no_room_error(ask, verdict)
                line.wants_slot = verdict.why is Denial.CONCURRENT_LIMIT_REACHED
                await line.sleep(min(wait_s, RECHECK_S))
                found = await self._reserve(ask)
                if isinstance(found, Permit):
                    return found
                verdict = found
            await self._run_to_end(self._ledger.drop_ticket, ask.ticket_id)
            return None
        except BaseException:
            await self._run_to_end(self._ledger.drop_ticket, ask.ticket_id)
            raise
        finally:
            self._metrics.observe("rate_limit_wait", loop.time() - since, **why)

    async def _reserve(self, ask: CallRequest, *, stays: bool = True) -> Permit | CallWait:
        back_in_ms = int(RECHECK_S * 1000) if stays else None
        task = asyncio.ensure_future(
            self._run_to_end(self._ledger.reserve, ask, back_in_ms=back_in_ms)
        )
        try:
            verdict = await asyncio.shield(task)
            self._report_lost()
            return verdict
        except asyncio.CancelledError:
            # The ledger may still have granted it; then the permit is returned unused.
            unseen = await _await_outcome(task)
            if isinstance(unseen, Permit):
                await self._run_to_end(
                    self._ledger.settle,
                    unseen.call_id,
                    ask.limits,
                    CallSettlement(state=CallState.UNSENT, basis=UsageBasis.NOTHING),
                )
            raise

    def _report_lost(self) -> None:
        lost, self._lost = self._ledger.lost - self._lost, self._ledger.lost
        if lost:
            self._metrics.count("calls_lost", lost)
            log.warning(
                "permits_taken_back",
                f"Took back {lost} calls of dead workers and charged them in full.",
                calls=lost,
            )

    def _hold_permit(self, permit: Permit) -> Permit:
        self._held[permit.call_id] = permit
        if self._renewing is None:
            self._renewing = asyncio.get_running_loop().create_task(self._renew_permits())
        return permit

    async def _renew_permits(self) -> None:
        pause_s = self._ledger.policy.lease_ms / 3000
        while True:
            await asyncio.sleep(pause_s)
            try:
                await self._run_to_end(self._ledger.renew, sorted(self._held))
            except AssayError as error:
                log.warning("lease_not_renewed", f"Leases could not be renewed: {error}")

    async def _run_to_end(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run it in a thread to completion, even if the caller is cancelled."""
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._threads, lambda: work(*args, **kwargs))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if future.cancelled():
                raise
            with contextlib.suppress(AssayError):
                await _await_outcome(future)
            raise


async def _await_outcome(future: "asyncio.Future[T]") -> T | None:
    """The result of a future, however often waiting for it is cancelled."""
    while not future.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([future])
    return None if future.cancelled() or future.exception() else future.result()


def _no_room_error(ask: CallRequest, verdict: CallWait) -> CallDenied:
    what = (
        f"'{ask.provider}' has no room for {ask.tokens} tokens"
        if verdict.why is Denial.RATE_LIMITED
        else f"No slot is free for a call to '{ask.provider}'"
    )
    return CallDenied(
        f"{what} for another {verdict.wait_ms} ms.",
        reason=verdict.why,
        recovers_ms=verdict.until_ms,
        advice="It is tried again then.",
    )
