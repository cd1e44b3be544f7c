"""Pages of long lists: an opaque cursor in, the next one out, in the body and as a link."""

import base64
import json
from typing import Annotated

from fastapi import Depends, Query, Request, Response

from assay.app.keyset import KeysetPage, Place
from assay.errors import InvalidInput

MOST = 200
_LONGEST = 1_000


class PageWanted:
    """Which page a client wants."""

    def __init__(
        self,
        request: Request,
        response: Response,
        cursor: Annotated[
            str | None, Query(description="The value of 'next' of the page before.")
        ] = None,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    ) -> None:
        self._request, self._response = request, response
        self.limit = limit
        self.after = None if cursor is None else _decode(cursor)

    def link_next(self, page: KeysetPage) -> str | None:
        """The cursor of the next page, which the response also links to; None: there is none."""
        if page.last is None:
            return None
        cursor = _encode(page.last)
        url = self._request.url.include_query_params(cursor=cursor)
        self._response.headers["Link"] = f'<{url.path}?{url.query}>; rel="next"'
        return cursor


WantedPage = Annotated[PageWanted, Depends()]


def _encode(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def _decode(cursor: str) -> Place:
    try:
        if len(cursor) > _LONGEST:
            raise ValueError("too long")
        padded = cursor + "=" * (-len(cursor) % 4)
        place = json.loads(base64.b64decode(padded.encode(), b"-_", validate=True))
        if not isinstance(place, list):
            raise ValueError("not a list")
        return tuple(place)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "The cursor is not valid.",
            advice="Use the value of 'next', or start again without a cursor.",
        ) from error
