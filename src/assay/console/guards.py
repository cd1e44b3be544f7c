"""What every response carries: headers that keep foreign content inert.

A page shows text of documents that nobody here wrote. Should a tag ever survive escaping, the
browser still refuses to run it, to load anything for it, and to send anything anywhere else.
"""

import asyncio
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Only the console's own scripts, styles and pictures; nothing written into a page."""
_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
_FOREVER = "public, max-age=31536000, immutable"


class GuardMiddleware:
    """Sets the headers of every response, also of one about a bug, and answers HEAD like GET."""

    def __init__(self, app: ASGIApp, answer_bug: Callable[[Request, Exception], Response]) -> None:
        self._app = app
        self._answer_bug = answer_bug

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_head, has_begun = scope["method"] == "HEAD", False

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                # What the console shows may change at any time, and may not be for everybody; the
                # address of a static file changes with its content.
                is_static = scope["path"].startswith("/static/") and message["status"] < 400
                headers.setdefault("Cache-Control", _FOREVER if is_static else "no-store")
            elif is_head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        try:
            await self._app({**scope, "method": "GET"} if is_head else scope, receive, send_guarded)
        except Exception as error:  # a bug must not end the process; it is logged and reported
            if has_begun:
                raise
            response = await asyncio.to_thread(self._answer_bug, Request(scope), error)
            await response(scope, receive, send_guarded)
