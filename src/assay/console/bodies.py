"""The bodies of requests, checked before anything parses them.

A parser that runs in C keeps every other thread waiting until it is finished, so that what it gets
must be small enough; how much that is, is counted without parsing, in a thread.
"""

import asyncio

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.console.failures import API, answer_problem
from assay.errors import AssayError, ContentTooLarge, InvalidInput
from assay.sdk.problems import describe_problem
from assay.sdk.web_limits import WebLimits, check_json

_WITHOUT_BODY = ("GET", "HEAD", "OPTIONS")
_MOST_FIELDS = 1_000
_MOST_FORM_BYTES = 1_000_000
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class BodyMiddleware:
    """Refuses a body that is too large, or not what its address expects."""

    def __init__(self, app: ASGIApp, limits: WebLimits) -> None:
        self._app, self._limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in _WITHOUT_BODY:
            await self._app(scope, receive, send)
            return
        try:
            data = await self._receive(receive)
            await self._check(data, Headers(scope=scope), scope["path"])
        except AssayError as error:
            response = answer_problem(Request(scope), describe_problem(error))
            await response(scope, receive, send)
            return
        is_given = False

        async def give() -> Message:
            nonlocal is_given
            if is_given:
                return await receive()
            is_given = True
            return {"type": "http.request", "body": data, "more_body": False}

        await self._app(scope, give, send)

    async def _receive(self, receive: Receive) -> bytes:
        data = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise InvalidInput("The request ends in the middle.", advice="Send it again.")
            data += message.get("body", b"")
            if len(data) > self._limits.body_bytes:
                raise ContentTooLarge(
                    f"The request has more than {self._limits.body_bytes} bytes.",
                    advice="Send less.",
                )
            if not message.get("more_body", False):
                return bytes(data)

    async def _check(self, data: bytes, headers: Headers, path: str) -> None:
        if not data:
            return
        kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
        is_api = path.startswith(API)
        if headers.get("Content-Encoding", "identity") != "identity":
            raise InvalidInput("The request is compressed.", advice="Send it without compression.")
        # A web page can send a form to any address without asking first.
        if is_api and kind != "application/json":
            raise InvalidInput(
                f"The request has the content type '{kind[:80]}'.",
                advice="Send JSON, with Content-Type: application/json.",
            )
        if is_api:
            await asyncio.to_thread(check_json, data, self._limits)
        elif kind not in _FORMS:
            raise InvalidInput(f"The request has the content type '{kind[:80]}'.")
        elif len(data) > _MOST_FORM_BYTES or data.count(b"&") > _MOST_FIELDS:
            raise ContentTooLarge(
                f"The form has more than {_MOST_FORM_BYTES} bytes or {_MOST_FIELDS} fields.",
                advice="Send less.",
            )
