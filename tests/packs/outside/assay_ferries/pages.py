"""The notices over HTTP: as JSON, and as a page."""

import asyncio
from html import escape

from aiohttp import web

from assay.sdk.pack import Page, Route
from assay.sdk.services import Services
from assay.sdk.web import answer_json

from .records import FerryNotice


async def list_notices(request: web.Request, services: Services) -> web.StreamResponse:
    notices = await asyncio.to_thread(services.read_records, FerryNotice)
    return answer_json([notice.row() for notice in notices])


async def show_notices(request: web.Request, services: Services) -> web.StreamResponse:
    notices = await asyncio.to_thread(services.read_records, FerryNotice)
    rows = "".join(f"<li>{escape(n.line)}: {escape(n.quote)}</li>" for n in notices)
    page = f"<!DOCTYPE html><html lang=en><title>Ferries</title><ul>{rows}</ul></html>"
    return web.Response(text=page, content_type="text/html")


def routes() -> tuple[Route, ...]:
    return (Route(method="GET", path="/ferries/notices", handler=list_notices),)


def pages() -> tuple[Page, ...]:
    return (Page(path="/", title="Ferries", handler=show_notices),)
