"""What every area of the server uses."""

import json
from collections.abc import Collection
from typing import Any

from aiohttp import web

from assay.app import App
from assay.errors import InvalidInput

APP = web.AppKey("assay", App)
"""Where the application is found."""


def json_answer(value: Any, *, status: int = 200) -> web.Response:
    """A JSON value, in letters as they are."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return web.json_response(text=text, status=status)


def one(request: web.Request, name: str) -> str | None:
    """A parameter of the query that may be given once."""
    told = request.query.getall(name, [])
    if len(told) > 1:
        raise InvalidInput(f"'{name}' is given twice.", advice="Give it once.")
    return told[0] if told else None


def refuse_others(request: web.Request, known: Collection[str]) -> None:
    """A parameter that nobody knows is a mistake, and a silent default would hide it."""
    for name in request.query:
        if name not in known:
            raise InvalidInput(
                f"There is no parameter '{name}'.",
                advice=f"Known are {', '.join(known)}." if known else "It takes none.",
            )


def limit_of(request: web.Request, otherwise: int = 50, most: int = 1000) -> int:
    """How many are wanted."""
    told = one(request, "limit")
    if told is None:
        return otherwise
    if not (told.isascii() and told.isdecimal() and 1 <= int(told[:9]) <= most):
        raise InvalidInput(f"limit={told} is no number from 1 to {most}.")
    return int(told)
