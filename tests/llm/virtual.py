"""Time that costs no time: an event loop whose clock jumps to the next timer.

`@virtually` runs an async test on such a loop; an hour of `asyncio.sleep` passes at once, and
always in the same order. Make what the test needs inside the test: an async fixture of pytest
would live on another loop.

    @virtually
    async def test_an_hour_passes() -> None:
        clock = LoopClock()
        await asyncio.sleep(3600)
        assert clock.now_ms() == BASE_MS + 3_600_000

Work given to threads (`asyncio.to_thread`, `run_in_executor`) runs at once and in place, so it
takes no virtual time. Real sockets work too: while any are open, the loop listens to them for a
moment before it lets the time jump.
"""

import asyncio
import functools
import math
import selectors
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ParamSpec, TypeVar

BASE_MS = 1_700_000_000_000
"""What a LoopClock shows when the loop is at its time zero."""

SOCKET_PATIENCE_S = 0.02
"""Real time for which open sockets are listened to before the time jumps."""

TURN_S = 1e-9
"""What a turn of the loop takes. If it took nothing, code that finds itself a rounding error
before its deadline would wait for no time at all, and do so for ever."""

STANDSTILL_S = 5.0
"""Real time without any timer or news after which a test counts as stuck."""

P = ParamSpec("P")
T = TypeVar("T")


class Standstill(RuntimeError):
    """Every task waits for something that no timer will bring."""


class _Jumping(selectors.BaseSelector):
    """A selector that lets the loop's time pass instead of waiting for it."""

    def __init__(self, real: selectors.BaseSelector) -> None:
        self._real = real
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            events = self._real.select(STANDSTILL_S)
            if not events:
                raise Standstill("Every task waits for something that no timer will bring.")
            return events
        # One descriptor is the loop's own wake-up pipe.
        has_sockets = len(self._real.get_map()) > 1
        patience = min(timeout, SOCKET_PATIENCE_S) if has_sockets else 0.0
        events = self._real.select(max(0.0, patience))
        self.now += TURN_S if events else max(timeout, TURN_S)
        return events

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Any:
        return self._real.get_map()

    def get_key(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.get_key(fileobj)

    def close(self) -> None:
        self._real.close()


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time starts at 0 and passes when nothing else is to do."""

    def __init__(self) -> None:
        self._jumping = _Jumping(selectors.DefaultSelector())
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> "asyncio.Future[T]":
        """Run it now, in place; its result comes on the loop's next turn, as from a thread."""
        future: asyncio.Future[T] = self.create_future()
        try:
            result = func(*args)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self.call_soon(_unless_done, future, future.set_exception, error)
        else:
            self.call_soon(_unless_done, future, future.set_result, result)
        return future


def _unless_done(future: "asyncio.Future[Any]", settle: Callable[[Any], None], value: Any) -> None:
    if not future.done():
        settle(value)


class LoopClock:
    """The clock that goes with a loop's time, as an `assay.clock.Clock`."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop | None = None, *, base_ms: int = BASE_MS
    ) -> None:
        self._loop = loop or asyncio.get_running_loop()
        self._base_ms = base_ms

    def now_ms(self) -> int:
        # The margin is for sums of floats that fall a hair short of a whole millisecond.
        return self._base_ms + math.floor(self._loop.time() * 1000 + 1e-4)


def run_virtually(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run it to its end on a loop of its own; what it left running is cancelled."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine)


def virtually(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The async test as a plain one on virtual time. Fixtures and parameters work as always."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_virtually(function(*args, **kwargs))

    return run


async def settled(turns: int = 20) -> None:
    """Let everything that is ready run, while hardly any time passes."""
    for _ in range(turns):
        await asyncio.sleep(0)


def others() -> Sequence["asyncio.Task[Any]"]:
    """The tasks under way besides the caller's own: a test's end should find none."""
    return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
