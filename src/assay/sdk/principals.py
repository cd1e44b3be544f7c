"""Whose request it is, as the server tells the processes behind it and the routes of packs."""

from typing import Final

from aiohttp import web

__all__ = ["authenticated_name"]

USER_HEADER: Final = "X-Assay-User"
ROLE_HEADER: Final = "X-Assay-Role"
LOGIN_HEADER: Final = "X-Assay-Login"
ADDRESS_HEADER: Final = "X-Assay-Address"
"""Set by the server on every request that it passes to another process; a client's are left out."""
AUTHENTICATED: Final = web.RequestKey("authenticated", str)
"""The authenticated name of a request, once the server has found it."""


def authenticated_name(request: web.Request) -> str | None:
    """The name of the person or program that sends the request; None where nobody logs in."""
    return request.get(AUTHENTICATED)
