"""The process that answers requests to packs: an Assay of its own, on the same store.

Its clients are the server's (`pack_process.py`), which has received their requests completely. It
has the same middlewares and limits as the server, and its own access to models, through the control
plane like that of every process of Assay.
"""

import asyncio
import contextlib
import gc
import logging
import os
import pickle
import resource
import signal
import socket
import struct
import sys
import threading

from aiohttp import web

from assay import logs
from assay.app import App
from assay.server.application import create_pack_app
from assay.server.freed_memory import trimming
from assay.server.listening import build_runner
from assay.server.pack_process import PackServing

_NICE = 5
"""On a busy machine the server answers first, and packs compute in the time that is left."""


def main() -> None:
    """Run as the process of the packs, until the server closes standard input."""
    (size,) = struct.unpack("!Q", sys.stdin.buffer.read(8))
    serving: PackServing = pickle.loads(sys.stdin.buffer.read(size))
    _limit_memory(serving.settings.serve_memory_mb)
    os.nice(_NICE)
    logging.raiseExceptions = False
    try:
        logs.configure(serving.settings.log_level, serving.settings.log_file)
    except OSError:
        logs.configure(serving.settings.log_level, None)
    with App(serving.settings) as app:
        asyncio.run(_serve(app, serving))


async def _serve(app: App, serving: PackServing) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    threading.Thread(target=_await_end, args=(loop, stop), daemon=True).start()
    made = create_pack_app(app, host=serving.host, limits=serving.limits)
    runner = build_runner(made, serving.limits)
    await runner.setup()
    try:
        await web.SockSite(runner, socket.socket(fileno=serving.listener)).start()
        # What is here now stays: looking through it for garbage would keep requests waiting.
        gc.collect()
        gc.freeze()
        with trimming():
            await stop.wait()
    finally:
        await runner.cleanup()


def _await_end(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Wait until the server closes its end of the pipe, or is gone."""
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
