"""The notices over HTTP: as JSON, and as a page of the console."""

import asyncio

from aiohttp import web

from assay.sdk.pack import Page, Route
from assay.sdk.pages import ConsolePage, ConsoleRequest
from assay.sdk.services import Services
from assay.sdk.web import answer_json

from .records import FerryNotice


async def list_notices(request: web.Request, services: Services) -> web.StreamResponse:
    notices = await asyncio.to_thread(services.read_records, FerryNotice)
    return answer_json([notice.row() for notice in notices])


def show_notices(_request: ConsoleRequest, services: Services) -> ConsolePage:
    return ConsolePage("notices.html", {"notices": services.read_records(FerryNotice)})


def routes() -> tuple[Route, ...]:
    return (Route(method="GET", path="/ferries/notices", handler=list_notices),)


def pages() -> tuple[Page, ...]:
    return (Page(path="/", title="Ferries", handler=show_notices),)
