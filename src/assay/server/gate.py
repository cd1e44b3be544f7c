"""What every request passes on its way in, and every response on its way out."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from assay.errors import TransientError
from assay.sdk.web import TRAFFIC, send_within_limits
from assay.server.failures import answer_error
from assay.server.own_names import OwnNames, refuse_foreign

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
OWN_NAMES = web.AppKey("own_names", OwnNames)
"""The key of the names under which the server answers."""


@web.middleware
async def gate_middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests that are meant for another server, or that another site's page sends."""
    headers = request.headers
    refuse_foreign(headers.getall("Host", []), headers.getall("Origin", []), request.app[OWN_NAMES])
    return await handler(request)


@web.middleware
async def traffic_middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Send the response within the limits, and count its connection as busy until then."""
    busy = request.app[TRAFFIC].busy
    if not request.body_exists:
        # A request with a body counts once its body is here (`receive_body`): a client that sends
        # it slowly may have to make room for others.
        busy.add(request.protocol)
    try:
        response = await handler(request)
        busy.add(request.protocol)
        return await _send_response(request, response)
    finally:
        busy.discard(request.protocol)


async def _send_response(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    if response.prepared or not isinstance(response, web.Response):
        return response
    try:
        await _send(request, response)
    except TransientError as error:
        await _send(request, response := answer_error(error))
    except ConnectionError:
        # The client has disconnected, or was disconnected: there is nobody to respond to.
        pass
    return response


async def _send(request: web.Request, response: web.Response) -> None:
    async def send() -> None:
        await response.prepare(request)
        await response.write_eof()

    body = response.body
    await send_within_limits(request, len(body) if isinstance(body, bytes) else 0, send())
