"""A queue of calls inside one process: the first asks the ledger, the others wait behind it.

If all of them asked, each grant would cost as many transactions as there are waiting calls.
"""

import asyncio
from dataclasses import dataclass

from assay.llm.admission import Ticket, sort_tickets
from assay.llm.scope import CallRequest


@dataclass(frozen=True)
class _QueuedCall:
    ticket: Ticket
    turn: "asyncio.Future[None]"


class CallQueue:
    """The calls waiting for one provider, in the order in which the ledger would serve them."""

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
