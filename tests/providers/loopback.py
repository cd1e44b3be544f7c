"""What the test servers of providers share: they listen on loopback while they are open."""

from types import TracebackType
from typing import Self

from aiohttp import web


class LoopbackServer:
    """`async with server:` and then `server.url`."""

    def __init__(self, runner: web.AppRunner) -> None:
        self.url = ""
        self._runner = runner

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._runner.cleanup()
