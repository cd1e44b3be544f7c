"""Runs database work outside the event loop."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

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
