"""The HTTP application: one module for each area, one table from errors to answers."""

import asyncio

from aiohttp import web

from assay import __version__
from assay.app import App
from assay.server import asking, extraction, releases, rules
from assay.server.failures import told_as_json
from assay.server.orders import MAX_BYTES
from assay.server.parts import APP, json_answer


def create_app(app: App) -> web.Application:
    """The application on a store; whoever makes it also serves it."""
    made = web.Application(middlewares=[told_as_json], client_max_size=MAX_BYTES)
    made[APP] = app
    made.router.add_get("/health", _health)
    for area in (asking, releases, rules, extraction):
        area.add_routes(made)
    made.on_response_prepare.append(_sign)
    return made


async def _health(request: web.Request) -> web.Response:
    """Whether the store is there and as new as this program."""
    await asyncio.to_thread(request.app[APP].require_store)
    return json_answer({"status": "ok", "version": __version__})


async def _sign(_request: web.Request, response: web.StreamResponse) -> None:
    """Nobody needs to know which library answers, and no browser should guess what it gets."""
    response.headers["Server"] = "assay"
    response.headers["X-Content-Type-Options"] = "nosniff"
