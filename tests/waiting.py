"""Waiting for a state, never for an amount of time: a busy machine may take any time it likes."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

PATIENCE_S: Final = 600.0
"""When a test gives up. Far more than any machine needs: reaching it means that something hangs."""
AGES_S: Final = 86_400.0
"""How long something takes that must not end by itself while a test watches."""
_LOOK_EVERY_S: Final = 0.02


def until(
    is_so: Callable[[], bool], patience_s: float = PATIENCE_S, every_s: float = _LOOK_EVERY_S
) -> None:
    """Return as soon as it is so."""
    deadline = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(every_s)


async def until_async(is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Return as soon as it is so, and let the loop's other tasks go on meanwhile."""
    async with asyncio.timeout(patience_s):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_EVERY_S)
