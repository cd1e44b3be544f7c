"""Requests to packs: answered in a process of their own, which is replaced when it ends."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from assay.app import App
from assay.packs.graph.service import GraphService
from assay.sdk.web import WebLimits
from assay.server import backend_process, create_app, relay
from assay.server.backend_process import PACKS, BackendProcess
from tests.conftest import quick_settings
from tests.packs.graph.provider import ONTOLOGY, TEXT, Script
from tests.providers.server import ProviderServer
from tests.server.sites import listening
from tests.server.test_extraction import BEARER, SLOW, _events
from tests.waiting import PATIENCE_S, until_async

BODY: dict[str, Any] = {"text": TEXT, "ontology": ONTOLOGY, "model": False}
JSON = {"Content-Type": "application/json"}


@dataclass
class Divided:
    """A server in this process, and the process that answers for packs."""

    session: aiohttp.ClientSession
    packs: BackendProcess

    async def post(self, body: Any, **headers: str) -> tuple[int, Any]:
        data = json.dumps(body)
        async with self.session.post("/extract", data=data, headers=JSON | headers) as answered:
            return answered.status, await answered.json()

    async def get(self, path: str) -> tuple[int, Any]:
        async with self.session.get(path) as answered:
            return answered.status, await answered.json()


@asynccontextmanager
async def divided(app: App, limits: WebLimits | None = None) -> AsyncIterator[Divided]:
    packs = BackendProcess(PACKS, app.settings, "127.0.0.1", limits or WebLimits())
    made = create_app(app, limits=limits, packs=packs)
    await packs.start()
    try:
        async with listening(made, limits) as url:
            async with aiohttp.ClientSession(url, headers=BEARER) as session:
                yield Divided(session, packs)
    finally:
        await packs.close()


@pytest.fixture
async def site(empty: App) -> AsyncIterator[Divided]:
    async with divided(empty) as found:
        yield found


async def test_what_a_request_computes_is_not_computed_in_the_server(
    site: Divided, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AssertionError("This runs in the process of the server.")

    for name in ("extract", "read_ontology", "find_result"):
        monkeypatch.setattr(GraphService, name, broken)
    status, told = await site.post(BODY | {"request_id": "mine"})
    assert (status, told["completeness"]) == (200, "complete")
    assert await site.get("/extract/mine") == (200, told)
    assert site.packs.pid not in (None, os.getpid())


async def test_a_process_that_dies_is_replaced_and_the_server_answers_meanwhile(
    site: Divided,
) -> None:
    first = site.packs.pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    waiting = asyncio.create_task(site.post(BODY))
    # The request is in the socket of a process that does nothing; the server does not need it.
    assert (await site.get("/health"))[0] == 200
    assert (await site.get("/nothing"))[0] == 404
    os.kill(first, signal.SIGKILL)
    await until_async(lambda: site.packs.pid not in (None, first))
    # If it was not accepted yet, the next process takes it; otherwise the client is told.
    status, told = await waiting
    assert status == 200 or told["code"] == "transient"
    assert (await site.post(BODY))[0] == 200


async def test_metrics_do_not_wait_for_a_process_that_hangs(
    site: Divided, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "_FETCH_S", 0.2)
    assert site.packs.pid is not None
    os.kill(site.packs.pid, signal.SIGSTOP)
    async with asyncio.timeout(PATIENCE_S), site.session.get("/metrics") as answered:
        text = await answered.text()
    assert answered.status == 200
    assert "assay_pack_process_up 0" in text and "assay_jobs{" in text
    os.kill(site.packs.pid, signal.SIGCONT)
    monkeypatch.setattr(relay, "_FETCH_S", PATIENCE_S)
    async with site.session.get("/metrics") as answered:
        assert "assay_pack_process_up 1" in await answered.text()


async def test_a_process_that_hangs_is_replaced(
    empty: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_process, "_SILENT_S", 0.5)
    monkeypatch.setattr(backend_process, "_PAUSE_S", 0.1)
    monkeypatch.setattr(backend_process, "_MOST_MISSED_AT_START", 1_000)
    async with divided(empty) as site:
        assert (await site.post(BODY))[0] == 200
        first = site.packs.pid
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        waiting = asyncio.create_task(site.post(BODY))
        await until_async(lambda: site.packs.pid not in (None, first))
        status, told = await waiting
        assert status == 200 or told["code"] == "transient"
        assert (await site.post(BODY))[0] == 200


async def test_requests_to_packs_leave_connections_for_others(empty: App) -> None:
    limits = WebLimits(connections=4, pack_requests=2)
    async with divided(empty, limits) as site:
        assert site.packs.pid is not None
        os.kill(site.packs.pid, signal.SIGSTOP)
        waiting = [asyncio.create_task(site.post(BODY)) for _ in range(3)]
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        [(status, told)] = [task.result() for task in done]
        assert (status, told["code"]) == (503, "transient")
        assert (await site.get("/health"))[0] == 200
        os.kill(site.packs.pid, signal.SIGCONT)
        assert [status for status, _ in await asyncio.gather(*waiting)].count(200) == 2


async def test_a_request_that_names_the_host_in_its_first_line_is_passed_on(site: Divided) -> None:
    url = site.session._base_url
    assert url is not None and url.port is not None
    reader, writer = await asyncio.open_connection("127.0.0.1", url.port)
    body = json.dumps(BODY).encode()
    writer.write(
        b"POST http://localhost:%d/extract HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
        % (url.port, len(body), body)
    )
    async with asyncio.timeout(PATIENCE_S):
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
    writer.close()


async def test_the_end_of_the_server_ends_the_process(empty: App) -> None:
    async with divided(empty) as site:
        assert (await site.post(BODY))[0] == 200
        pid = site.packs.pid
    assert pid is not None and not Path(f"/proc/{pid}").exists()


async def test_refusals_and_unknown_addresses_are_the_same_as_without_a_process(
    site: Divided,
) -> None:
    status, told = await site.post({"text": "x"})
    assert (status, told["code"]) == (400, "invalid_input")
    assert (await site.get("/extract/nobody"))[0] == 404
    assert (await site.get("/metrics/models"))[0] == 404
    status, told = await site.post(BODY, Origin="https://rebound.example")
    assert (status, told["code"]) == (403, "foreign_request")
    async with site.session.put("/extract") as answered:
        assert answered.status == 405


async def test_what_is_too_large_or_too_slow_does_not_reach_the_process(empty: App) -> None:
    async with divided(empty, WebLimits(body_bytes=1000, transfer_s=0.2)) as site:
        assert site.packs.pid is not None
        os.kill(site.packs.pid, signal.SIGSTOP)
        status, told = await site.post(BODY | {"text": "x" * 1000})
        assert (status, told["code"]) == (413, "content_too_large")

        async def send() -> AsyncIterator[bytes]:
            yield b'{"text":'
            await asyncio.sleep(PATIENCE_S)

        async with site.session.post("/extract", data=send(), headers=JSON) as answered:
            assert answered.status == 408
        os.kill(site.packs.pid, signal.SIGCONT)


async def test_models_are_asked_watched_and_stopped_through_the_process(
    home: Path, make_app: Any
) -> None:
    async with ProviderServer(Script()) as model:
        async with divided(make_app(_settings(home, model))) as site:
            watching = {"Accept": "text/event-stream"}
            body = {"text": TEXT, "ontology": ONTOLOGY, "request_id": "mine"}
            async with site.session.post("/extract", json=body, headers=watching) as answered:
                events = _events(await answered.text())
            assert [name for name, _ in (events[0], events[-1])] == ["request", "result"]
            assert events[-1][1]["by"] == "local:m"
            async with site.session.get("/metrics") as answered:
                assert 'provider="local"' in await answered.text()


async def test_whoever_goes_away_is_not_worked_for_in_the_process_either(
    home: Path, make_app: Any
) -> None:
    async with ProviderServer(Script(entityExtraction=[SLOW])) as model:
        async with divided(make_app(_settings(home, model))) as site:
            body = {"text": TEXT, "ontology": ONTOLOGY, "request_id": "mine"}
            gone = asyncio.create_task(site.post(body))
            await model.until(lambda books: books.under_way == 1)
            gone.cancel()
            await model.until(lambda books: books.under_way == 0)
            # The first may not have given up its name yet.
            other = body | {"text": f"{TEXT} It was long ago.", "request_id": "other"}
            stopped = asyncio.create_task(site.post(other))
            await model.until(lambda books: books.under_way == 1)
            async with site.session.delete("/extract/other?mode=abort") as answered:
                assert answered.status == 202
            status, told = await stopped
            assert (status, told["completeness"]) == (200, "empty")


def _settings(home: Path, model: ProviderServer) -> Any:
    provider = {"kind": "openai", "base_url": f"{model.url}/v1", "model": "m", "lane": "local"}
    return quick_settings(home, providers={"local": provider}, request_tokens=8000)
