"""The HTTP application, served until it is stopped: one module for each area, one table from errors
to responses."""

import asyncio
import errno
import threading
from collections.abc import Callable

from aiohttp import web

from assay import __version__
from assay.app import App
from assay.errors import InvalidInput
from assay.sdk.web import MAX_BODY_BYTES, answer_json
from assay.server import asking, metrics, releases, rules
from assay.server.app_keys import APP
from assay.server.failures import error_middleware
from assay.server.pack_routes import mount_packs

_SHUTDOWN_S = 5.0
"""How long running requests may take once it is asked to stop."""


def create_app(app: App) -> web.Application:
    """Build the web application on a store; the caller serves it."""
    made = web.Application(middlewares=[error_middleware], client_max_size=MAX_BODY_BYTES)
    made[APP] = app
    made.router.add_get("/health", _get_health)
    for area in (asking, releases, rules, metrics):
        area.add_routes(made)
    mount_packs(made, app.packs.installed, app.services)
    made.on_cleanup.append(_close_services)
    made.on_response_prepare.append(_set_headers)
    return made


async def _close_services(made: web.Application) -> None:
    await made[APP].services.close()


async def _get_health(request: web.Request) -> web.Response:
    """Report whether the store exists and its schema matches this program."""
    await asyncio.to_thread(request.app[APP].require_store)
    return answer_json({"status": "ok", "version": __version__})


async def _set_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Hide which library responds, and keep browsers from guessing the content type."""
    response.headers["Server"] = "assay"
    response.headers["X-Content-Type-Options"] = "nosniff"


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
