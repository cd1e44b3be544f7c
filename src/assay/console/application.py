"""The web application of the console and the API, on FastAPI.

It runs behind Assay's own server (`assay.server`), which receives requests completely, checks where
they come from, and says whose they are.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from assay import __version__
from assay.app import App
from assay.app.document_viewer import DocumentViewer
from assay.console import failures
from assay.console.api import APIS
from assay.console.api.events import OpenStreams
from assay.console.bodies import BodyMiddleware
from assay.console.guards import GuardMiddleware
from assay.console.layout import STATIC, build_templates, find_pack_files
from assay.console.openapi import describe_api
from assay.console.pack_pages import build_pack_router
from assay.console.pages import PAGES
from assay.console.presence import Presence
from assay.console.release_cache import ReleaseCache
from assay.sdk.web_limits import WebLimits


def create_console(app: App, limits: WebLimits | None = None) -> FastAPI:
    """Build the application on a store."""

    viewer = DocumentViewer(app.settings)

    @asynccontextmanager
    async def close_services(_made: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(viewer.close)
        await app.services.close()

    made = FastAPI(
        lifespan=close_services,
        title="Assay",
        version=__version__,
        openapi_url="/api/openapi.json",
        # Their pages load scripts from another host.
        docs_url=None,
        redoc_url=None,
    )
    made.state.assay = app
    made.state.releases = ReleaseCache(app)
    made.state.streams = OpenStreams()
    made.state.viewer = viewer
    made.state.templates = build_templates(app)
    made.state.presence = Presence()
    failures.add_handlers(made)
    made.add_middleware(BodyMiddleware, limits=limits or WebLimits())
    made.add_middleware(GuardMiddleware, answer_bug=failures.answer_bug)
    for area in APIS:
        made.include_router(area.router)
    for page in PAGES:
        made.include_router(page.router, include_in_schema=False)
    made.include_router(
        build_pack_router(app, app.packs.installed.values()), include_in_schema=False
    )
    for name, folder in find_pack_files(app).items():
        made.mount(f"/static/packs/{name}", StaticFiles(directory=folder))
    made.mount("/static", StaticFiles(directory=STATIC), name="static")

    described = cache(partial(describe_api, made, tuple(app.packs.installed.values())))
    # FastAPI serves at /api/openapi.json what this returns.
    made.openapi = described  # type: ignore[method-assign]

    @made.get("/health", include_in_schema=False)
    async def show_life() -> dict[str, str]:
        return {"status": "ok"}

    return made
