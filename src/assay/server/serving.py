"""Serves the application until it is stopped."""

import asyncio
import errno
import threading
from collections.abc import Callable

from aiohttp import web

from assay.app import App
from assay.errors import InvalidInput
from assay.server.application import create_app

_SHUTDOWN_S = 5.0
"""How long running requests may take once it is asked to stop."""


async def serve(
    app: App, host: str, port: int, *, stop: threading.Event, on_ready: Callable[[str], None]
) -> None:
    """Serve on that address until `stop` is set; `on_ready` receives the URL."""
    runner = web.AppRunner(
        create_app(app),
        access_log=None,
        shutdown_timeout=_SHUTDOWN_S,
        # If a client disconnects while a model is working for it, that work must stop.
        handler_cancellation=True,
    )
    await runner.setup()
    try:
        await _listen(runner, host, port)
        bound, number = runner.addresses[0][:2]
        on_ready(f"http://{f'[{bound}]' if ':' in bound else bound}:{number}")
        await asyncio.to_thread(stop.wait)
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        raise InvalidInput(
            f"Port {port} on {host} is already in use."
            if taken
            else f"Cannot listen on {host}:{port}.",
            advice="Choose another --port; 0 picks a free one."
            if taken
            else "Choose a --host of this machine and a --port that you may use.",
        ) from error
