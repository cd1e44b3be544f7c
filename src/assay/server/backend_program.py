"""What the programs of all backend processes share: how they begin, and when they end."""

import asyncio
import contextlib
import logging
import os
import pickle
import resource
import signal
import struct
import sys
import threading
from collections.abc import Awaitable, Callable

from assay import logs
from assay.app import App
from assay.server.backend_process import BackendOrder


def run_backend(serve: Callable[[App, BackendOrder], Awaitable[None]], *, nice: int = 0) -> None:
    """Run `serve` as the server ordered, on standard input, with an `App` of its own."""
    (size,) = struct.unpack("!Q", sys.stdin.buffer.read(8))
    order: BackendOrder = pickle.loads(sys.stdin.buffer.read(size))
    _limit_memory(order.settings.serve_memory_mb)
    os.nice(nice)
    logging.raiseExceptions = False
    try:
        logs.configure(order.settings.log_level, order.settings.log_file)
    except OSError:
        logs.configure(order.settings.log_level, None)

    async def run(app: App) -> None:
        await serve(app, order)

    with App(order.settings) as app:
        asyncio.run(run(app))


def stop_with_server(stop: asyncio.Event) -> None:
    """Set the event when the server closes its end of the pipe, or is gone."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    threading.Thread(target=_await_end, args=(loop, stop), daemon=True).start()


def _await_end(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Wait until nothing more can come on standard input."""
    while sys.stdin.buffer.read(1):
        pass
    with contextlib.suppress(RuntimeError):  # the loop has ended before
        loop.call_soon_threadsafe(stop.set)


def _limit_memory(memory_mb: int) -> None:
    """Let the system refuse more memory: then a request fails, and not the machine."""
    # Linux can distinguish reserved addresses from memory in use.
    limit = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    hard = resource.getrlimit(limit)[1]
    most = memory_mb * 1024 * 1024
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses some values
        resource.setrlimit(limit, (value, hard))
