"""The virtual time that other tests stand on."""

import asyncio
import threading

import pytest

from tests.llm import virtual
from tests.llm.virtual import BASE_MS, LoopClock, Standstill, run_virtually, virtually


@virtually
async def test_a_day_passes_at_once_and_to_the_millisecond() -> None:
    clock = LoopClock()
    for _ in range(24):
        await asyncio.sleep(3600)
    assert clock.now_ms() == BASE_MS + 86_400_000
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await asyncio.Event().wait()
    assert clock.now_ms() == BASE_MS + 86_400_300


@virtually
async def test_timers_run_in_their_order() -> None:
    seen: list[float] = []

    async def after(seconds: float) -> None:
        await asyncio.sleep(seconds)
        seen.append(seconds)

    await asyncio.gather(*(after(seconds) for seconds in (0.3, 0.1, 0.2)))
    assert seen == [0.1, 0.2, 0.3]


@virtually
async def test_work_for_threads_runs_in_place() -> None:
    assert await asyncio.to_thread(threading.current_thread) is threading.current_thread()
    with pytest.raises(ValueError, match="invalid literal"):
        await asyncio.to_thread(int, "x")
    assert LoopClock().now_ms() == BASE_MS


@virtually
async def test_real_sockets_are_heard_before_the_time_jumps() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = await reader.readline()
        await asyncio.sleep(60)
        writer.write(line)
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"hello\n")
        assert await reader.readline() == b"hello\n"
        writer.close()
        await writer.wait_closed()
    assert LoopClock().now_ms() >= BASE_MS + 60_000


@virtually
async def test_time_passes_for_a_loop_that_is_never_idle_too() -> None:
    """Else code a rounding error before its deadline would wait for nothing, for ever."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + 1e-8
    turns = 0
    while loop.time() < deadline:
        loop.call_soon(lambda: None)
        await asyncio.sleep(deadline - loop.time())
        turns += 1
    assert turns < 20


def test_a_test_that_is_stuck_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual, "STANDSTILL_S", 0.05)

    async def stuck() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Standstill):
        run_virtually(stuck())
