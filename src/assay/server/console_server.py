"""The process of the console and the API: an Assay of its own, on the same store.

Its clients are the server's (`backend_process.py`), which has received their requests completely
and checked where they come from: uvicorn only gets requests that are whole, from one client.
"""

import asyncio
import gc
import socket

import uvicorn

from assay.app import App
from assay.console import create_console
from assay.server.backend_process import BackendOrder
from assay.server.backend_program import run_backend, stop_with_server
from assay.server.freed_memory import trimming

_LEAVE_S = 5


def main() -> None:
    """Run as the process of the console, until the server closes standard input."""
    run_backend(_serve)


async def _serve(app: App, order: BackendOrder) -> None:
    stop = asyncio.Event()
    server = uvicorn.Server(
        uvicorn.Config(
            create_console(app, order.limits),
            http="h11",
            ws="none",
            loop="asyncio",
            log_config=None,
            access_log=False,
            server_header=False,
            # The server in front says where a request comes from; nobody else is believed.
            proxy_headers=False,
            date_header=False,
            timeout_graceful_shutdown=_LEAVE_S,
        )
    )
    gc.collect()
    gc.freeze()
    with trimming():
        serving = asyncio.create_task(server.serve(sockets=[socket.socket(fileno=order.listener)]))
        stop_with_server(stop)
        await asyncio.wait(
            [serving, asyncio.create_task(stop.wait())], return_when=asyncio.FIRST_COMPLETED
        )
        server.should_exit = True
        await serving
