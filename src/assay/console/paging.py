"""Long lists page by page: where the next page begins is part of its address."""

import base64
import json
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query, Request

from assay.app.keyset import KeysetPage, Place
from assay.errors import InvalidInput

_LONGEST = 2_000


def read_place(after: Annotated[str, Query(max_length=_LONGEST)] = "") -> Place | None:
    """Where the page begins that was asked for."""
    if not after:
        return None
    try:
        padded = after + "=" * (-len(after) % 4)
        place = json.loads(base64.b64decode(padded.encode(), b"-_", validate=True))
        if not isinstance(place, list):
            raise ValueError("not a list")
        return tuple(place)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "This address of a page is not valid.", advice="Begin with the first page of the list."
        ) from error


OwnPlace = Annotated[Place | None, Depends(read_place)]
"""The parameter `after` of a list."""


def link_next(request: Request, page: KeysetPage) -> str | None:
    """The address of the next page, with the same filters; None if this is the last."""
    if page.last is None:
        return None
    encoded = base64.urlsafe_b64encode(json.dumps(page.last).encode()).decode().rstrip("=")
    given = {name: value for name, value in request.query_params.items() if value}
    return f"{request.url.path}?{urlencode(given | {'after': encoded})}"
