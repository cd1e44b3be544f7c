"""A provider of batches on loopback that speaks the three batch APIs and does as it is told.

Each answer says the question again; a token is one whitespace-separated word.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from secrets import token_hex

from aiohttp import web

from tests.providers.batch_books import (
    BatchBehaviour,
    BatchBooks,
    Fate,
    HeldBatch,
    HeldItem,
    Seen,
)
from tests.providers.batch_dialects import (
    AnthropicBatchServer,
    BatchServerDialect,
    GeminiBatchServer,
    OpenAIBatchServer,
)
from tests.providers.loopback import LoopbackServer

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

OPENAI, ANTHROPIC, GEMINI = OpenAIBatchServer(), AnthropicBatchServer(), GeminiBatchServer()


class BatchServer(LoopbackServer):
    """The server. `async with BatchServer(...) as server:` and then `server.url`."""

    def __init__(self, behaviour: BatchBehaviour | None = None, *, key: str | None = None) -> None:
        """With `key`, others get a 401."""
        self.books = BatchBooks()
        self.behaviour = behaviour or BatchBehaviour()
        """For batches that are created from now on."""
        self._key = key
        super().__init__(web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.01))

    def add_strangers(self, dialect: BatchServerDialect, batches: int) -> None:
        """Batches that somebody else had made with the same key."""
        self.books.batches.extend(self._held(dialect, "somebody-elses", []) for _ in range(batches))

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=300_000_000)
        post, get = app.router.add_post, app.router.add_get
        post("/v1/files", self._for(OPENAI, self._upload))
        get("/v1/files/{file}", self._for(OPENAI, self._openai_file))
        get("/v1/files/{file}/content", self._for(OPENAI, self._openai_results))
        post("/v1/batches", self._for(OPENAI, self._create_openai))
        post("/v1/messages/batches", self._for(ANTHROPIC, self._create_anthropic))
        post("/v1beta/models/{model}:batchGenerateContent", self._for(GEMINI, self._create_gemini))
        get("/v1/messages/batches/{handle}/results", self._for(ANTHROPIC, self._anthropic_results))
        places = ((OPENAI, "/v1/batches"), (ANTHROPIC, "/v1/messages/batches"))
        for dialect, place in places:
            get(place, self._for(dialect, self._lister(dialect)))
            get(place + "/{handle}", self._for(dialect, self._looker(dialect)))
            post(place + "/{handle}/cancel", self._for(dialect, self._canceller(dialect)))
        get("/v1beta/batches", self._for(GEMINI, self._lister(GEMINI)))
        get("/v1beta/{handle:batches/[^/:]+}", self._for(GEMINI, self._looker(GEMINI)))
        post("/v1beta/{handle:batches/[^/:]+}:cancel", self._for(GEMINI, self._canceller(GEMINI)))
        return app

    def _for(self, dialect: BatchServerDialect, handler: Handler) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            told = [request.headers.get(name, "") for name in _KEY_HEADERS]
            key = next((each.removeprefix("Bearer ") for each in told if each), "")
            self.books.seen.append(Seen(request.method, str(request.rel_url), key))
            if self._key is not None and key != self._key:
                return self._refused(dialect, 401, f"Invalid key {key}.")
            return await handler(request)

        return handle

    def _refused(self, dialect: BatchServerDialect, status: int, message: str) -> web.Response:
        behaviour = self.behaviour
        retry_ms = behaviour.retry_ms if status == 429 else None
        fault = dialect.single.fault(status, message, behaviour.quota, retry_ms)
        headers = dialect.single.retry_headers(retry_ms) if retry_ms is not None else {}
        return web.json_response(fault, status=status, headers=headers)

    async def _upload(self, request: web.Request) -> web.Response:
        if self.behaviour.upload_status != 200:
            return self._refused(OPENAI, self.behaviour.upload_status, "No file today.")
        form = await request.post()
        file = form["file"]
        assert form["purpose"] == "batch" and isinstance(file, web.FileField)
        name = f"file-{token_hex(4)}"
        self.books.files[name] = (file.filename, file.file.read())
        return web.json_response({"id": name, "object": "file", "purpose": "batch"})

    async def _create_openai(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        file = body["input_file_id"]
        asked = [json.loads(line) for line in self.books.files[file][1].splitlines()]
        batch_id = (body.get("metadata") or {}).get("assay_batch_id", "")
        return self._created(request, OPENAI, batch_id, OPENAI.items(asked, ""), file)

    async def _create_anthropic(self, request: web.Request) -> web.StreamResponse:
        items = ANTHROPIC.items(await request.json(), "")
        return self._created(request, ANTHROPIC, "", items)

    async def _create_gemini(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        items = GEMINI.items(body, request.match_info["model"])
        return self._created(request, GEMINI, body["batch"]["displayName"], items)

    def _created(
        self,
        request: web.Request,
        dialect: BatchServerDialect,
        name: str,
        items: Sequence[HeldItem],
        file: str = "",
    ) -> web.StreamResponse:
        behaviour = self.behaviour
        held = self._held(dialect, name, items, file)
        if behaviour.status == 200 or behaviour.takes or behaviour.drops:
            self.books.batches.append(held)
        if behaviour.drops:
            assert request.transport is not None
            request.transport.abort()
        if behaviour.status != 200:
            return self._refused(dialect, behaviour.status, "The double refuses it.")
        return web.json_response(dialect.shown(held, self.url))

    def _held(
        self, dialect: BatchServerDialect, name: str, items: Sequence[HeldItem], file: str = ""
    ) -> HeldBatch:
        start = {"openai": "batch_", "anthropic": "msgbatch_", "gemini": "batches/"}[dialect.name]
        return HeldBatch(
            handle=f"{start}{token_hex(6)}",
            dialect=dialect.name,
            name=name,
            items=items,
            behaviour=self.behaviour,
            file=file,
        )

    def _lister(self, dialect: BatchServerDialect) -> Handler:
        async def handle(request: web.Request) -> web.Response:
            query = request.query
            newest = self.books.newest(dialect.name)
            after = query.get("after") or query.get("after_id") or query.get("pageToken")
            if after:
                handles = [batch.handle for batch in newest]
                newest = newest[handles.index(after) + 1 :]
            size = int(query.get("limit") or query.get("pageSize") or 20)
            shown = [dialect.shown(batch, self.url) for batch in newest[:size]]
            return web.json_response(dialect.page(shown, len(newest) <= size))

        return handle

    def _looker(self, dialect: BatchServerDialect) -> Handler:
        async def handle(request: web.Request) -> web.Response:
            batch = self.books.held(request.match_info["handle"])
            if batch is None:
                return self._refused(dialect, 404, "No such batch.")
            if self.behaviour.look_status != 200:
                return self._refused(dialect, self.behaviour.look_status, "Look again later.")
            batch.look()
            return web.json_response(dialect.shown(batch, self.url))

        return handle

    def _canceller(self, dialect: BatchServerDialect) -> Handler:
        async def handle(request: web.Request) -> web.Response:
            batch = self.books.held(request.match_info["handle"])
            if batch is None:
                return self._refused(dialect, 404, "No such batch.")
            batch.cancelled = batch.cancelled or not batch.ended
            return web.json_response({} if dialect is GEMINI else dialect.shown(batch, self.url))

        return handle

    async def _openai_file(self, request: web.Request) -> web.Response:
        name = request.match_info["file"]
        if name not in self.books.files:
            return self._refused(OPENAI, 404, "No such file.")
        return web.json_response({"id": name, "filename": self.books.files[name][0]})

    async def _openai_results(self, request: web.Request) -> web.StreamResponse:
        handle, _, part = request.match_info["file"].rpartition("-")
        answered = part == "output"
        return await self._results(
            request, OPENAI, handle, lambda fate: (fate is Fate.ANSWERED) == answered
        )

    async def _anthropic_results(self, request: web.Request) -> web.StreamResponse:
        return await self._results(request, ANTHROPIC, request.match_info["handle"], lambda _: True)

    async def _results(
        self,
        request: web.Request,
        dialect: BatchServerDialect,
        handle: str,
        chosen: Callable[[Fate], bool],
    ) -> web.StreamResponse:
        batch = self.books.held(handle)
        if batch is None or not batch.ended:
            return self._refused(dialect, 404, "No such results.")
        if self.behaviour.results_status != 200:
            return self._refused(dialect, self.behaviour.results_status, "No results today.")
        response = web.StreamResponse(headers={"Content-Type": "application/x-jsonl"})
        await response.prepare(request)
        for key, item in batch.answers():
            if chosen(item.fate):
                line = dialect.result(key, item, usage=batch.behaviour.usage)
                await response.write(json.dumps(line).encode() + b"\n")
                if self.behaviour.cut_results:
                    assert request.transport is not None
                    request.transport.abort()
                    return response
        await response.write_eof()
        return response


_KEY_HEADERS = ("Authorization", "x-api-key", "x-goog-api-key")
