"""The pages that packs contribute, below `/PACK/`."""

import asyncio
import inspect
from collections.abc import Awaitable, Iterable
from functools import partial
from typing import cast

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.app import App
from assay.app.console_addresses import CONSOLE_ROOTS
from assay.console.access import Reader
from assay.console.layout import render_page
from assay.errors import InvalidInput
from assay.sdk.pack import Pack, Page
from assay.sdk.pages import ConsolePage, ConsoleRequest
from assay.sdk.services import Services


def build_pack_router(app: App, packs: Iterable[Pack]) -> APIRouter:
    """The addresses of all pages of packs."""
    router = APIRouter()
    for pack in packs:
        pages = () if pack.pages is None else pack.pages()
        if pages and pack.name in CONSOLE_ROOTS:
            raise InvalidInput(
                f"The pages of the pack '{pack.name}' would be at /{pack.name}, where the console "
                "has a page of its own.",
                advice="Rename the pack.",
            )
        for page in pages:
            _add_page(router, pack, page, app.services)
    return router


def _add_page(router: APIRouter, pack: Pack, page: Page, services: Services) -> None:
    is_async = inspect.iscoroutinefunction(page.handler)

    async def show(request: Request, _principal: Reader) -> Response:
        asked = ConsoleRequest(path=request.path_params, query=dict(request.query_params))
        if is_async:
            found = await cast("Awaitable[ConsolePage]", page.handler(asked, services))
        else:
            # What reads from the store must not keep other pages waiting.
            answer = asyncio.to_thread(page.handler, asked, services)
            found = cast("ConsolePage", await answer)
        template = f"{pack.name}/{found.template}"
        return await asyncio.to_thread(partial(render_page, request, template, **found.values))

    router.add_api_route(
        f"/{pack.name}{page.path.rstrip('/')}", show, methods=["GET"], name=page.title
    )
