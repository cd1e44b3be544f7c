"""Forms of the console: where they come from is checked, and what they did is shown on the next
page."""

import secrets
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import Depends, Request
from starlette.responses import RedirectResponse, Response

from assay.errors import ForeignRequest

TOKEN_COOKIE = "assay_form"
"""Another site's page can neither read it nor send it along."""
TOKEN_FIELD = "token"
TOKEN_HEADER = "X-Form-Token"
MESSAGE_COOKIE = "assay_message"
_MOST_MESSAGE = 600
NO_NUL = r"^[^\x00]*$"
"""What a text must match that is looked up or stored: Postgres takes no NUL."""


def token_of(request: Request) -> str:
    """The token that the forms of this browser contain."""
    known = request.cookies.get(TOKEN_COOKIE)
    if known is None:
        known = getattr(request.state, "form_token", None) or secrets.token_urlsafe(24)
        request.state.form_token = known
    return known


async def _check_token(request: Request) -> None:
    in_header = request.headers.get(TOKEN_HEADER)
    given = in_header if in_header is not None else (await request.form()).get(TOKEN_FIELD)
    known = request.cookies.get(TOKEN_COOKIE)
    if (
        not known
        or not isinstance(given, str)
        or not secrets.compare_digest(given.encode(), known.encode())
    ):
        raise ForeignRequest(
            "This form does not come from a page of this console, or its page is too old.",
            advice="Load the page again, and send the form from there.",
        )


OwnForm = Depends(_check_token)
"""The dependency of every address that changes something."""
Token = Annotated[str, Depends(token_of)]


def set_token(request: Request, response: Response) -> None:
    """Give the browser its token, if it has none."""
    new = getattr(request.state, "form_token", None)
    if new is not None:
        response.set_cookie(TOKEN_COOKIE, new, httponly=True, samesite="strict", path="/")


def redirect(to: str, message: str = "", *, bad: bool = False) -> RedirectResponse:
    """Show another page of the console next, and on it what happened."""
    response = RedirectResponse(to, 303)
    if message:
        told = ("!" if bad else "") + message[:_MOST_MESSAGE]
        response.set_cookie(
            MESSAGE_COOKIE, quote(told), max_age=60, httponly=True, samesite="strict", path="/"
        )
    return response


def take_message(request: Request) -> tuple[str, bool]:
    """What the request before this one did, and whether it went wrong."""
    told = unquote(request.cookies.get(MESSAGE_COOKIE, ""))
    return told.removeprefix("!"), told.startswith("!")
