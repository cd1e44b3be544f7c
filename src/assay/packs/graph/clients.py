"""Whose request it is: a client is who knows its token, and the ids of its requests are its own.

Where the server knows who asks, the person or program takes the place of the token.

The server remembers no tokens. What it stores is made from a hash of the token, so nobody who reads
the store can act for a client, and a token is still valid after a restart.
"""

import re
import secrets
from dataclasses import dataclass

from aiohttp import web

from assay.sdk.errors import TokenMissing
from assay.sdk.principals import authenticated_name
from assay.sdk.records import content_hash

TOKEN_HEADER = "Assay-Token"
"""The response header with a token that the server made."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,128}")
_SCHEME = "Bearer "


@dataclass(frozen=True)
class Client:
    """Who sent a request."""

    prefix: str
    """What the ids of its requests begin with, inside the server and in the store."""
    new_token: str = ""
    """The token that was made for it; empty if it has one already."""

    @property
    def headers(self) -> dict[str, str]:
        """What the response tells it."""
        return {TOKEN_HEADER: self.new_token} if self.new_token else {}

    def scope(self, request_id: str) -> str:
        """The id that a request has inside the server."""
        return self.prefix + request_id

    def unscope(self, request_id: str) -> str:
        """The id that the client knows."""
        return request_id.removeprefix(self.prefix)


def find_client(request: web.Request) -> Client:
    """The client whose token a request has."""
    if (name := authenticated_name(request)) is not None:
        return _client_of(name)
    given = request.headers.getall("Authorization", [])
    if len(given) != 1 or not given[0].startswith(_SCHEME):
        raise TokenMissing("The request does not say whose requests it is about.")
    token = given[0].removeprefix(_SCHEME).strip()
    if not _TOKEN.fullmatch(token):
        raise TokenMissing("The token must be 32 to 128 letters, digits, - and _.")
    return Client(_make_prefix(token))


def find_or_make_client(request: web.Request) -> Client:
    """The client of a new request; one that has no token yet gets a new one."""
    if authenticated_name(request) is not None or "Authorization" in request.headers:
        return find_client(request)
    token = secrets.token_urlsafe(32)
    return Client(_make_prefix(token), token)


def _client_of(name: str) -> Client:
    # No token contains the first character.
    return Client(_make_prefix(f"={name}"))


def _make_prefix(token: str) -> str:
    return f"{content_hash(token.encode())[:32]}-"
