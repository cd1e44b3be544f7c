"""The application, served on loopback for as long as a test asks it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from assay.app import App
from assay.sdk.web import TRAFFIC, WebLimits
from assay.server import create_app
from assay.server.listening import build_runner, listen

MEMBERS = {"type", "title", "status", "detail", "advice", "code", "class"}
"""What every problem says."""


@asynccontextmanager
async def serving(app: App, limits: WebLimits | None = None) -> AsyncIterator[str]:
    """The address of a real server."""
    async with listening(create_app(app, limits=limits), limits) as url:
        yield url


@asynccontextmanager
async def listening(made: web.Application, limits: WebLimits | None = None) -> AsyncIterator[str]:
    """The address at which an application answers."""
    limits = limits or WebLimits()
    runner = build_runner(made, limits, shutdown_s=0.2)
    await runner.setup()
    try:
        busy = made[TRAFFIC].busy if TRAFFIC in made else ()
        server = await listen(runner, busy, "127.0.0.1", 0, limits)
        host, port = server.sockets[0].getsockname()[:2]
        yield f"http://{host}:{port}"
        server.close()
    finally:
        await runner.cleanup()


class Asked:
    """Asks the server."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def get(self, path: str, **query: str) -> Any:
        """The JSON value of an answer that must be good."""
        async with self.session.get(path, params=query) as answer:
            assert answer.status == 200, await answer.text()
            assert answer.content_type == "application/json"
            return await answer.json()

    async def refused(self, path: str, *pairs: tuple[str, str]) -> tuple[int, dict[str, Any]]:
        """Status and error of an answer that must be none."""
        async with self.session.get(path, params=list(pairs)) as answer:
            assert answer.content_type == "application/problem+json"
            told = await answer.json()
            assert set(told) == MEMBERS and told["status"] == answer.status
            return answer.status, told
