"""Routes for feeds: the Atom feed of each channel of that kind."""

import asyncio

from aiohttp import web
from aiohttp.web import Request, Response

from assay.app.notifying import load_feed
from assay.errors import NotFound
from assay.notices.feed import CONTENT_TYPE, list_feeds
from assay.sdk.web import refuse_unknown_parameters
from assay.server.app_keys import APP


def add_routes(made: web.Application) -> None:
    made.router.add_get("/feeds/{name}.xml", _get_feed)


async def _get_feed(request: Request) -> Response:
    refuse_unknown_parameters(request, ())
    app, name = request.app[APP], request.match_info["name"]
    feeds = list_feeds(app.settings)
    if name not in feeds:
        raise NotFound(
            f"There is no feed '{name}'.", advice=f"The feeds are {', '.join(sorted(feeds))}."
        )
    data = await asyncio.to_thread(load_feed, app, name)
    return Response(body=data, content_type=CONTENT_TYPE, charset="utf-8")
