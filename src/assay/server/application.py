"""The HTTP application, served until it is stopped: one module for each area, one table from errors
to responses."""

import asyncio
import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from aiohttp import web
from aiohttp.typedefs import Middleware

from assay import __version__
from assay.app import App
from assay.sdk.web import TRAFFIC, Traffic, WebLimits, answer_json
from assay.server import metrics
from assay.server.access import (
    DOORKEEPER,
    Doorkeeper,
    access_middleware,
    list_paths,
    name_pack_paths,
    told_access_middleware,
)
from assay.server.app_keys import APP
from assay.server.backend_process import CONSOLE, PACKS, SIGN_OF_LIFE, BackendProcess
from assay.server.failures import error_middleware
from assay.server.freed_memory import trimming
from assay.server.gate import OWN_NAMES, gate_middleware, traffic_middleware
from assay.server.listening import build_runner, listen
from assay.server.own_names import find_own_names
from assay.server.pack_routes import claim_free_addresses, mount_packs
from assay.server.relay import mount_relays, mount_rest

LOOPBACK = "127.0.0.1"
_HEALTH_THREADS = web.AppKey("health_threads", ThreadPoolExecutor)


def create_app(
    app: App,
    *,
    host: str = LOOPBACK,
    limits: WebLimits | None = None,
    packs: BackendProcess | None = None,
    console: BackendProcess | None = None,
) -> web.Application:
    """Build the web application on a store; the caller serves it on `host`.

    `packs` is the process that answers requests to packs; without one, they are answered here.
    `console` answers everything else; without one, there is no console and no API.
    """
    made = _create_empty(app, host, limits or WebLimits(), access_middleware)
    made[DOORKEEPER] = Doorkeeper(app, host)
    made.on_cleanup.append(_close_doorkeeper)
    # Of its own: the answer must not wait behind other requests.
    made[_HEALTH_THREADS] = ThreadPoolExecutor(1, thread_name_prefix="health")
    made.on_cleanup.append(_close_health_threads)
    made.router.add_get("/health", _get_health)
    metrics.add_routes(made)
    own = list_paths(made)
    if packs is None:
        mount_packs(made, app.packs.installed, app.services)
    else:
        made[metrics.PACKS] = packs
        mount_relays(made, claim_free_addresses(made, app.packs.installed), packs)
    name_pack_paths(made, own)
    if console is not None:
        mount_rest(made, console)
    return made


def create_pack_app(app: App, *, host: str, limits: WebLimits) -> web.Application:
    """Build the application of the process that answers requests to packs."""
    made = _create_empty(app, host, limits, told_access_middleware)
    metrics.add_model_routes(made)
    made.router.add_get(SIGN_OF_LIFE, _show_life)
    mount_packs(made, app.packs.installed, app.services)
    return made


def _create_empty(app: App, host: str, limits: WebLimits, access: Middleware) -> web.Application:
    """An application without addresses."""
    made = web.Application(
        middlewares=[traffic_middleware, error_middleware, gate_middleware, access],
        client_max_size=limits.body_bytes,
    )
    made[APP] = app
    made[TRAFFIC] = Traffic(limits)
    made[OWN_NAMES] = find_own_names(host, app.settings.serve_hosts)
    made.on_cleanup.append(_close_services)
    made.on_response_prepare.append(_set_headers)
    return made


async def _close_services(made: web.Application) -> None:
    await made[APP].services.close()


async def _close_doorkeeper(made: web.Application) -> None:
    made[DOORKEEPER].close()


async def _close_health_threads(made: web.Application) -> None:
    made[_HEALTH_THREADS].shutdown(wait=False)


async def _get_health(request: web.Request) -> web.Response:
    """Report whether the store exists and its schema matches this program."""
    loop, threads = asyncio.get_running_loop(), request.app[_HEALTH_THREADS]
    await loop.run_in_executor(threads, request.app[APP].require_store)
    return answer_json({"status": "ok", "version": __version__})


async def _show_life(_request: web.Request) -> web.Response:
    """Show that the process responds; whether the store is there is another matter."""
    return answer_json({"status": "ok"})


async def _set_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Hide which library responds, and keep browsers from guessing the content type."""
    response.headers["Server"] = "assay"
    response.headers["X-Content-Type-Options"] = "nosniff"


async def serve(
    app: App,
    host: str,
    port: int,
    *,
    stop: threading.Event,
    on_ready: Callable[[str], None],
    limits: WebLimits | None = None,
) -> None:
    """Serve on that address until `stop` is set; `on_ready` receives the URL."""
    limits = limits or WebLimits()
    packs, console = (
        BackendProcess(backend, app.settings, host, limits) for backend in (PACKS, CONSOLE)
    )
    try:
        made = create_app(app, host=host, limits=limits, packs=packs, console=console)
        await asyncio.gather(packs.start(), console.start())
        await _listen_until(stop, made, host, port, limits, on_ready)
    finally:
        await asyncio.gather(packs.close(), console.close())


async def _listen_until(
    stop: threading.Event,
    made: web.Application,
    host: str,
    port: int,
    limits: WebLimits,
    on_ready: Callable[[str], None],
) -> None:
    runner = build_runner(made, limits)
    await runner.setup()
    try:
        server = await listen(runner, made[TRAFFIC].busy, host, port, limits)
        try:
            bound, number = server.sockets[0].getsockname()[:2]
            # What is here now stays: looking through it for garbage would keep clients waiting.
            gc.collect()
            gc.freeze()
            on_ready(f"http://{f'[{bound}]' if ':' in bound else bound}:{number}")
            with trimming():
                await asyncio.to_thread(stop.wait)
        finally:
            server.close()
    finally:
        await runner.cleanup()
