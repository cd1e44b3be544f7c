"""Requests, passed on to the process that answers them, and its responses, passed back.

A request is received completely before it is passed on: slow clients are none of its business.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import aiohttp
from aiohttp import hdrs, web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from assay.app.principals import ADDRESS_HEADER, LOGIN_HEADER, ROLE_HEADER, USER_HEADER
from assay.errors import TransientError
from assay.sdk.web import TRAFFIC, Traffic, receive_body, send_within_limits
from assay.server.access import principal_headers
from assay.server.backend_process import BackendProcess
from assay.server.pack_routes import ClaimedAddress

_OWN = frozenset(
    {
        hdrs.CONNECTION,
        hdrs.CONTENT_LENGTH,
        hdrs.DATE,
        hdrs.EXPECT,
        hdrs.KEEP_ALIVE,
        hdrs.SERVER,
        hdrs.TE,
        hdrs.TRAILER,
        hdrs.TRANSFER_ENCODING,
        hdrs.UPGRADE,
        "Proxy-Connection",
        USER_HEADER,
        ROLE_HEADER,
        LOGIN_HEADER,
        ADDRESS_HEADER,
    }
)
"""Headers that belong to one connection, or that each side sets itself."""
_UNSET = (hdrs.ACCEPT, hdrs.ACCEPT_ENCODING, hdrs.CONTENT_TYPE, hdrs.USER_AGENT)
"""Headers that are not added if the client did not send them."""
_FETCH_S = 2.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def mount_relays(
    made: web.Application, addresses: Iterable[ClaimedAddress], process: BackendProcess
) -> None:
    """Let the process answer at these addresses."""
    handler = _build_relay(process)
    for address in addresses:
        made.router.add_route(address.method, address.path, handler)


def mount_rest(made: web.Application, process: BackendProcess) -> None:
    """Let the process answer at every address that nothing else has; call it last."""
    relay, others = _build_relay(process), list(made.router.resources())

    async def relay_rest(request: web.Request) -> web.StreamResponse:
        # Addresses of the server and of packs, with another method than theirs.
        allowed: set[str] = set()
        for resource in others:
            allowed |= (await resource.resolve(request))[1]
        if allowed:
            raise web.HTTPMethodNotAllowed(request.method, allowed)
        return await relay(request)

    made.router.add_route("*", "/{path:.*}", relay_rest)


async def fetch_text(process: BackendProcess, path: str) -> str | None:
    """What the process itself says at an address that clients cannot reach; None if it does not
    respond."""
    try:
        async with asyncio.timeout(_FETCH_S):
            async with process.session.get(f"http://localhost{path}") as answered:
                return await answered.text()
    except (TimeoutError, TransientError, aiohttp.ClientError):
        return None


def _build_relay(process: BackendProcess) -> Handler:
    async def relay(request: web.Request) -> web.StreamResponse:
        traffic = request.app[TRAFFIC]
        try:
            with traffic.buffer.hold() as held:
                data = await receive_body(request, traffic.limits, held)
                _refuse_if_full(traffic)
                asked = process.session.request(
                    request.method,
                    _build_url(request),
                    headers=_name_principal(request),
                    data=data or None,
                    allow_redirects=False,
                    skip_auto_headers=_UNSET,
                )
                answered = await asked
        except aiohttp.ClientError as error:
            raise process.build_lost_error() from error
        async with answered:
            return await _pass_back(request, answered)

    return relay


def _refuse_if_full(traffic: Traffic) -> None:
    """Leave some connections for what the server itself answers, which does not take long."""
    if len(traffic.busy) > traffic.limits.pack_requests:
        raise TransientError(
            f"{traffic.limits.pack_requests} requests are being answered, which is the limit.",
            advice="Try again later.",
        )


def _build_url(request: web.Request) -> URL:
    """The same path and query, as the client wrote them; what it names as the host is left out."""
    asked = request.rel_url
    return URL.build(
        scheme="http",
        host="localhost",
        path=asked.raw_path,
        query_string=asked.raw_query_string,
        encoded=True,
    )


async def _pass_back(request: web.Request, answered: aiohttp.ClientResponse) -> web.StreamResponse:
    response = web.StreamResponse(
        status=answered.status, reason=answered.reason, headers=_select_headers(answered.headers)
    )
    length = answered.content_length
    try:
        if length is None:
            await _pass_events(request, answered, response)
        else:
            response.content_length = length
            await send_within_limits(request, length, _pass_whole(request, answered, response))
    except aiohttp.ClientError as error:
        if request.transport is not None:
            # What the client has of the response is all there will be; it must not look complete.
            request.transport.abort()
        raise ConnectionResetError("The process ended during its response.") from error
    return response


async def _pass_whole(
    request: web.Request, answered: aiohttp.ClientResponse, response: web.StreamResponse
) -> None:
    await response.prepare(request)
    async for piece in answered.content.iter_any():
        await response.write(piece)
    await response.write_eof()


async def _pass_events(
    request: web.Request, answered: aiohttp.ClientResponse, response: web.StreamResponse
) -> None:
    """Pass a stream on as it comes; the client must take each piece in time."""
    await response.prepare(request)
    async for piece in answered.content.iter_any():
        try:
            await send_within_limits(request, len(piece), response.write(piece))
        except TransientError as error:
            # There is no other way to say that something is missing.
            raise aiohttp.ClientPayloadError(error.what) from error
    await response.write_eof()


def _select_headers(headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
    """The headers that are passed on: all that say something about the content."""
    named = {
        name.strip().title()
        for value in headers.getall(hdrs.CONNECTION, ())
        for name in value.split(",")
    }
    own = {name.title() for name in _OWN} | named
    return CIMultiDict((name, value) for name, value in headers.items() if name.title() not in own)


def _name_principal(request: web.Request) -> CIMultiDict[str]:
    """The headers that are passed on, and whose request it is."""
    headers = _select_headers(request.headers)
    headers.update(principal_headers(request))
    return headers
