"""A provider on loopback that speaks every dialect, misbehaves as told, and keeps books.

It counts one token per whitespace-separated word. `python -m tests.providers.server` runs it
as a process of its own; the first line that it prints is its address.
"""

import argparse
import asyncio
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from aiohttp import web

from assay.errors import InvalidInput
from assay.llm.doubles.words import count_tokens
from tests.providers.behaviour import (
    Behaviour,
    Buckets,
    Junk,
    StrictLimits,
    behaviour_from,
)
from tests.providers.books import Books, Call, ServedState, now_ms
from tests.providers.dialects import SERVER_DIALECTS, Asked, ServerDialect
from tests.providers.replies import PAGE, Reply, what_is_said
from tests.waiting import PATIENCE_S

Chooser = Callable[[Asked], Behaviour]

_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key")


class ProviderServer:
    """The server. `async with ProviderServer(...) as server:` and then `server.url`."""

    def __init__(
        self,
        behaviour: Behaviour | Chooser | None = None,
        *,
        queue: Sequence[Behaviour] = (),
        limits: StrictLimits | None = None,
        tell_limits: bool = False,
        key: str | None = None,
        port: int = 0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`queue` is used up first, one behaviour a call; with `key`, others get a 401.

        `now` is the clock of the strict limits, in seconds.
        """
        self.books = Books()
        self.url = ""
        self._behaviour: Behaviour | Chooser = behaviour or Behaviour()
        self._queue = deque(queue)
        self._now = now
        self._limits = limits
        self._buckets = self._full_buckets()
        self._tell_limits = tell_limits
        self._key = key
        self._port = port
        self._stopping = False
        self._changed = asyncio.Event()
        self._runner = web.AppRunner(
            self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=0.01
        )

    async def __aenter__(self) -> "ProviderServer":
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen on loopback."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self._port}"

    async def stop(self) -> None:
        """End every connection."""
        self._stopping = True
        await self._runner.cleanup()

    @property
    def open_connections(self) -> int:
        """TCP connections that clients hold at this moment."""
        server = self._runner.server
        handlers = server.connections if server is not None else []
        return sum(each.transport is not None for each in handlers)

    def behave(self, behaviour: Behaviour | Chooser, *then: Behaviour) -> None:
        """From now on; with more than one, one a call, and the last for all after it."""
        if then:
            assert isinstance(behaviour, Behaviour)
            self._queue.extend((behaviour, *then[:-1]))
            behaviour = then[-1]
        self._behaviour = behaviour

    def reset(self) -> None:
        """Empty books, full buckets, the default behaviour."""
        self.books = Books()
        self._queue.clear()
        self._behaviour = Behaviour()
        self._buckets = self._full_buckets()

    async def until(self, fits: Callable[[Books], bool], *, timeout_s: float = PATIENCE_S) -> None:
        """Wait until the books are as a test needs them."""
        async with asyncio.timeout(timeout_s):
            while not fits(self.books):
                self._changed.clear()
                await self._changed.wait()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=50_000_000)
        for dialect in SERVER_DIALECTS:
            for path in dialect.paths:
                app.router.add_post(path, self._handler(dialect))
        app.router.add_get("/_books", self._show_books)
        app.router.add_get("/_totals", self._show_totals)
        app.router.add_post("/_behave", self._take_behaviour)
        app.router.add_post("/_reset", self._take_reset)
        return app

    def _handler(self, dialect: ServerDialect) -> Callable[[web.Request], Any]:
        async def handle(request: web.Request) -> web.StreamResponse:
            # The path without its query: a key that was put there would be a fault to be seen.
            call = self.books.begin(dialect.name, str(request.rel_url), request.headers)
            self._changed.set()
            state = ServedState.STOPPED
            try:
                response = await self._answer(request, dialect, call)
                state = call.state if call.state is not ServedState.OPEN else ServedState.DONE
                return response
            except (asyncio.CancelledError, ConnectionError):
                state = ServedState.STOPPED if self._stopping else ServedState.CANCELLED
                raise
            finally:
                self.books.end(call, state)
                self._changed.set()

        return handle

    async def _answer(
        self, request: web.Request, dialect: ServerDialect, call: Call
    ) -> web.StreamResponse:
        call.body = await request.json()
        model = request.match_info.get("model", "")
        asked = dialect.read(call.body, model, "stream" in request.path)
        behaviour = self._chosen(asked)
        text, finish = what_is_said(asked, behaviour)
        call.prompt_tokens = count_tokens(*asked.texts)
        call.max_tokens, call.stream = asked.max_tokens, asked.stream
        self._changed.set()
        refusal = self._refusal(request, call, count_tokens(text), behaviour)
        if behaviour.first_delay_ms:
            await asyncio.sleep(behaviour.first_delay_ms / 1000)
        if refusal is not None:
            return self._refuse(dialect, call, refusal)
        reply = Reply(dialect, asked, behaviour, call, text, finish)
        return await reply.send(request, self._headers(dialect, behaviour))

    def _chosen(self, asked: Asked) -> Behaviour:
        if self._queue:
            return self._queue.popleft()
        return self._behaviour if isinstance(self._behaviour, Behaviour) else self._behaviour(asked)

    def _refusal(
        self, request: web.Request, call: Call, completion_tokens: int, behaviour: Behaviour
    ) -> Behaviour | None:
        if self._key is not None:
            told = {request.headers.get(name, "").removeprefix("Bearer ") for name in _KEY_HEADERS}
            if self._key not in told:
                return Behaviour(status=401, message="Invalid key.")
        if behaviour.status != 200:
            return behaviour
        if self._buckets is not None:
            tokens = call.prompt_tokens + completion_tokens
            short_s = self._buckets.take(tokens)
            if short_s:
                # A call that never fits is told no time.
                retry_ms = int(short_s * 1000) + 1 if short_s < 1e6 else None
                return Behaviour(status=429, message="Rate limit reached.", retry_ms=retry_ms)
            call.charged_tokens = tokens
        return None

    def _full_buckets(self) -> Buckets | None:
        return Buckets(self._limits, now=self._now) if self._limits is not None else None

    def _headers(self, dialect: ServerDialect, behaviour: Behaviour) -> dict[str, str]:
        told = dict(behaviour.headers)
        if self._tell_limits and self._buckets is not None:
            told.update(dialect.limit_headers(self._buckets))
        return told

    def _refuse(self, dialect: ServerDialect, call: Call, refusal: Behaviour) -> web.Response:
        headers = self._headers(dialect, refusal)
        if refusal.retry_ms is not None:
            headers.update(dialect.retry_headers(refusal.retry_ms))
        if refusal.retry_after is not None:
            headers["Retry-After"] = refusal.retry_after
        call.state, call.status = ServedState.REFUSED, refusal.status
        if refusal.junk is Junk.HTML:
            return web.Response(
                status=refusal.status, text=PAGE, content_type="text/html", headers=headers
            )
        message = refusal.message or f"The double answers {refusal.status}."
        fault = dialect.fault(refusal.status, message, refusal.quota, refusal.retry_ms)
        return web.json_response(fault, status=refusal.status, headers=headers)

    async def _show_books(self, request: web.Request) -> web.Response:
        return web.json_response(
            {
                "calls": [call.as_json() for call in self.books.calls],
                "totals": self.books.totals(),
                "open_connections": self.open_connections,
                "under_way": self.books.under_way,
                "max_concurrent": self.books.max_concurrent,
                "now_ms": now_ms(),
            }
        )

    async def _show_totals(self, request: web.Request) -> web.Response:
        """The sums alone, with the moment on the clock of the strict limits."""
        return web.json_response({**self.books.totals(), "now_s": self._now()})

    async def _take_behaviour(self, request: web.Request) -> web.Response:
        """A behaviour for all calls from now on, or `{"queue": [...]}` for the next ones."""
        told = await request.json()
        try:
            if "queue" in told:
                self._queue.extend([behaviour_from(each) for each in told["queue"]])
            else:
                self._behaviour = behaviour_from(told)
        except (InvalidInput, TypeError, ValueError) as error:
            return web.json_response({"error": str(error)}, status=400)
        return web.json_response({"queue": len(self._queue)})

    async def _take_reset(self, request: web.Request) -> web.Response:
        self.reset()
        return web.json_response({})


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.providers.server", description="A provider that does as told."
    )
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--words", type=int, default=5, help="words that an answer has")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="before each word")
    parser.add_argument("--first-delay-ms", type=float, default=0.0, help="before the answer")
    parser.add_argument("--rpm", type=float, default=None, help="requests a minute, strictly")
    parser.add_argument("--tpm", type=float, default=None, help="tokens a minute, strictly")
    parser.add_argument("--bucket-s", type=float, default=60.0, help="seconds a bucket holds")
    parser.add_argument("--tell-limits", action="store_true", help="send rate-limit headers")
    parser.add_argument("--key", default=None, help="the only key that is let in")
    return parser.parse_args(argv)


async def _serve(told: argparse.Namespace) -> None:
    limits = None
    if told.rpm is not None or told.tpm is not None:
        limits = StrictLimits(
            requests_per_minute=told.rpm, tokens_per_minute=told.tpm, bucket_s=told.bucket_s
        )
    behaviour = Behaviour(
        words=told.words, delay_ms=told.delay_ms, first_delay_ms=told.first_delay_ms
    )
    server = ProviderServer(
        behaviour, limits=limits, tell_limits=told.tell_limits, key=told.key, port=told.port
    )
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await stopped.wait()


if __name__ == "__main__":
    asyncio.run(_serve(_arguments(None)))
