"""The Atom feed of each channel of that kind."""

from fastapi import Response

from assay.app.notifying import load_feed
from assay.console.access import Reader
from assay.console.api.routing import build_router
from assay.console.layout import OwnApp
from assay.errors import NotFound
from assay.notices.feed import CONTENT_TYPE, list_feeds

router = build_router("feeds")


@router.get(
    "/feeds/{name}.xml",
    response_class=Response,
    responses={200: {"content": {CONTENT_TYPE: {"schema": {"type": "string"}}}}},
)
def show_feed(app: OwnApp, _principal: Reader, name: str) -> Response:
    """What the channel was last told, the newest first."""
    feeds = list_feeds(app.settings)
    if name not in feeds:
        raise NotFound(
            f"There is no feed '{name}'.", advice=f"The feeds are {', '.join(sorted(feeds))}."
        )
    return Response(load_feed(app, name), media_type=f"{CONTENT_TYPE}; charset=utf-8")
