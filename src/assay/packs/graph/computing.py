"""Computing in a thread, which ends soon after nobody wants its result."""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from threading import Event
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Unwanted(Exception):
    """Nobody waits for the result any longer."""


_UNWANTED: ContextVar[Event | None] = ContextVar("unwanted", default=None)
"""Set once nobody waits for what this thread computes; None where nothing can stop it."""


async def compute(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function in a thread. If the caller is cancelled, the function ends at its next
    `stop_if_unwanted`; a thread cannot be ended from outside."""
    unwanted = Event()

    def run() -> T:
        _UNWANTED.set(unwanted)
        # It may have waited for a thread for longer than its caller did.
        stop_if_unwanted()
        return function(*args, **kwargs)

    try:
        return await asyncio.to_thread(run)
    finally:
        unwanted.set()


def stop_if_unwanted() -> None:
    """Call this in every loop that a large request makes long."""
    unwanted = _UNWANTED.get()
    if unwanted is not None and unwanted.is_set():
        raise Unwanted
