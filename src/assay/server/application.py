"""The HTTP application: one module for each area, one table from errors to responses."""

import asyncio

from aiohttp import web

from assay import __version__
from assay.app import App
from assay.sdk.web import MAX_BODY_BYTES, answer_json
from assay.server import asking, metrics, releases, rules
from assay.server.app_keys import APP
from assay.server.failures import error_middleware
from assay.server.pack_routes import mount_packs


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
