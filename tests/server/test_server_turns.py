"""What the server itself computes for hostile requests, in CPU time: how long others wait for it.

CPU time does not depend on how busy the machine is, unlike the times in `tests.hostile_server`.
"""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from assay.app import App
from tests.server.hostile_requests import ALL, NAMES, Hostile, classes, order, post
from tests.server.test_pack_process import divided

LONGEST_TURN_S = 0.05
"""Half of what `/health` may take; they take less than 0.01."""
MOST_S = 0.5
"""What one request may take in all turns together; passing it on takes 0.02."""
BODIES = (
    "200,000 unknown keys",
    "lists four million deep",
    "a text of escaped letters",
    "a whole number of four million digits",
    "a body of 20 MB",
    "a name of 100,000 letters",
)
HEAVY = (
    Hostile("names", lambda: post(order(text=NAMES[:20_000]))),
    Hostile("classes", lambda: post(order(ontology=classes(15_000)))),
)
CASES = (*(each for each in ALL if each.name in BODIES), *HEAVY)


class Turns:
    """The longest turn of the event loop, in seconds of its thread's CPU time."""

    def __init__(self) -> None:
        self.longest_s = 0.0

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        run = asyncio.Handle._run

        def measured(handle: asyncio.Handle) -> None:
            began = time.thread_time()
            run(handle)
            self.longest_s = max(self.longest_s, time.thread_time() - began)

        monkeypatch.setattr(asyncio.Handle, "_run", measured)


@pytest.fixture
async def port(empty: App) -> AsyncIterator[int]:
    async with divided(empty) as site:
        assert (await site.get("/extract"))[0] == 200
        assert site.session._base_url is not None and site.session._base_url.port is not None
        yield site.session._base_url.port


async def send(port: int, data: bytes) -> bytes:
    """The first line of the answer; a server that has seen enough may close the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    try:
        return await reader.readline()
    except ConnectionError:
        return b""
    finally:
        writer.transport.abort()


async def test_no_request_keeps_the_server_from_answering_others(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = Turns()
    turns.watch(monkeypatch)
    found: dict[str, tuple[float, float]] = {}
    for case in CASES:
        data = await asyncio.to_thread(case.build)
        await asyncio.sleep(0)
        turns.longest_s, began = 0.0, time.process_time()
        answer = await send(port, data)
        assert answer.startswith(b"HTTP/1.1 ") or case not in HEAVY
        found[case.name] = (turns.longest_s, time.process_time() - began)
    assert len(found) == len(BODIES) + len(HEAVY)
    assert {name: each for name, each in found.items() if each[0] > LONGEST_TURN_S} == {}
    assert {name: each for name, each in found.items() if each[1] > MOST_S} == {}
