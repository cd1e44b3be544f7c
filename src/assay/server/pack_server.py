"""The process that answers requests to packs: an Assay of its own, on the same store.

Its clients are the server's (`backend_process.py`), which has received their requests completely.
It has the same middlewares and limits as the server, and its own access to models, through the
control plane like that of every process of Assay.
"""

import asyncio
import gc
import socket

from aiohttp import web

from assay.app import App
from assay.server.application import create_pack_app
from assay.server.backend_process import BackendOrder
from assay.server.backend_program import run_backend, stop_with_server
from assay.server.freed_memory import trimming
from assay.server.listening import build_runner

_NICE = 5
"""On a busy machine the server answers first, and packs compute in the time that is left."""


def main() -> None:
    """Run as the process of the packs, until the server closes standard input."""
    run_backend(_serve, nice=_NICE)


async def _serve(app: App, serving: BackendOrder) -> None:
    stop = asyncio.Event()
    stop_with_server(stop)
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
