"""The server double does exactly what it is told, and counts what it did."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from assay.llm.doubles.words import count_tokens
from tests.llm.virtual import settled, virtually
from tests.providers.behaviour import Behaviour, Buckets, Junk, StrictLimits
from tests.providers.books import ServedState, now_ms
from tests.providers.server import ProviderServer

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": (
        "/v1/chat/completions",
        {
            "model": "m",
            "messages": [{"role": "user", "content": "one two three"}],
            "stream": True,
            "stream_options": {"include_usage": True},
        },
    ),
    "anthropic": (
        "/v1/messages",
        {
            "model": "m",
            "max_tokens": 50,
            "system": "one",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "two three"}]}],
            "stream": True,
        },
    ),
    "gemini": (
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        {
            "systemInstruction": {"parts": [{"text": "one"}]},
            "contents": [{"role": "user", "parts": [{"text": "two three"}]}],
        },
    ),
    "ollama": ("/api/chat", {"model": "m", "messages": [{"role": "user", "content": "1 2 3"}]}),
}
DIALECTS = tuple(CALLS)


async def lines(client: aiohttp.ClientSession, dialect: str, **more: Any) -> list[Any]:
    """The JSON objects of a streamed answer."""
    path, body = CALLS[dialect]
    async with client.post(path, json={**body, **more}) as answer:
        text = await answer.text()
    found = [line.removeprefix("data: ") for line in text.splitlines() if line]
    return [json.loads(line) for line in found if line.startswith("{")]


@asynccontextmanager
async def serving(
    behaviour: Behaviour | None = None, **more: Any
) -> AsyncIterator[tuple[ProviderServer, aiohttp.ClientSession]]:
    async with ProviderServer(behaviour, **more) as server:
        async with aiohttp.ClientSession(server.url) as client:
            yield server, client


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_the_server_says_and_counts_words(dialect: str) -> None:
    async with serving(Behaviour(words=4)) as (server, client):
        told = json.dumps(await lines(client, dialect))
        assert all(f'"w{n}' in told for n in range(1, 5)) and "w5" not in told
        (call,) = server.books.calls
        assert (call.dialect, call.state, call.status) == (dialect, ServedState.DONE, 200)
        assert (call.prompt_tokens, call.completion_tokens) == (3, 4)
        assert call.path == CALLS[dialect][0] and call.body == CALLS[dialect][1]
        assert call.ended_ms is not None and call.at_ms <= call.ended_ms <= now_ms()


async def test_the_request_itself_can_say_how_long_the_answer_is() -> None:
    async with serving() as (server, client):
        asked = [{"role": "user", "content": "please say 17 words"}]
        told = await lines(client, "openai", messages=asked)
        assert told[-1]["usage"] == {
            "prompt_tokens": 4,
            "completion_tokens": 17,
            "total_tokens": 21,
        }
        assert told[-2]["choices"][0]["finish_reason"] == "stop"
        told = await lines(client, "openai", messages=asked, max_tokens=6)
        assert told[-1]["usage"]["completion_tokens"] == 6
        assert told[-2]["choices"][0]["finish_reason"] == "length"
        assert [call.completion_tokens for call in server.books.calls] == [17, 6]


async def test_a_literal_answer_comes_in_pieces_of_so_many_characters() -> None:
    said = '{"items": [{"name": "žuto"}, {"name": "b"}]}'
    async with serving(Behaviour(text=said, piece_chars=7)) as (server, client):
        told = await lines(client, "ollama")
        texts = [each["message"]["content"] for each in told[:-1]]
        assert "".join(texts) == said
        assert [len(text) for text in texts] == [7] * 6 + [2]
        assert server.books.calls[0].completion_tokens == count_tokens(said)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_answer_can_come_whole(dialect: str) -> None:
    path, body = CALLS[dialect]
    whole = {**body, "stream": False} if dialect != "gemini" else body
    async with serving(Behaviour(text="all of it")) as (server, client):
        async with client.post(
            path.replace("streamG", "g").partition("?")[0], json=whole
        ) as answer:
            assert answer.content_type == "application/json"
            assert "all of it" in await answer.text()
        assert (server.books.calls[0].completion_tokens, server.books.calls[0].stream) == (3, False)


@virtually
async def test_a_call_that_is_short_of_the_limits_is_told_when_to_come_again() -> None:
    limits = StrictLimits(requests_per_minute=600, tokens_per_minute=60, bucket_s=16)
    strict = {"limits": limits, "tell_limits": True, "now": asyncio.get_running_loop().time}
    async with serving(Behaviour(words=5), **strict) as (server, client):
        for _ in range(2):
            await lines(client, "openai")
        path, body = CALLS["openai"]
        async with client.post(path, json=body) as answer:
            assert answer.status == 429
            # 8 tokens a call, 16 in the bucket, one a second: 8 seconds, less what went by.
            assert 7000 < int(answer.headers["retry-after-ms"]) <= 8001
            assert answer.headers["Retry-After"] == "8"
            assert answer.headers["x-ratelimit-limit-tokens"] == "60"
            assert answer.headers["x-ratelimit-remaining-tokens"] == "0"
        totals = server.books.totals()
        assert (totals["granted"], totals["busy"], totals["refused"]) == (2, 1, 1)
        assert (totals["charged_tokens"], totals["completion_tokens"]) == (16, 10)


def test_buckets_fill_continuously_and_take_all_or_nothing() -> None:
    now = 0.0
    limits = StrictLimits(requests_per_minute=60, tokens_per_minute=600, bucket_s=2)
    buckets = Buckets(limits, now=lambda: now)
    assert buckets.take(15) == 0.0
    assert buckets.take(10) == pytest.approx(0.5)
    now = 0.5
    # Neither bucket lost anything by the refusal.
    assert buckets.take(10) == 0.0
    assert buckets.take(1) == pytest.approx(0.5)
    assert buckets.take(21) == float("inf")
    now = 100.0
    assert buckets.take(20) == 0.0
    assert Buckets(StrictLimits(requests_per_minute=6, bucket_s=1), now=lambda: now).take(9) == 0.0


async def test_only_the_right_key_is_let_in() -> None:
    async with serving(key="k1") as (server, client):
        path, body = CALLS["anthropic"]
        for headers, status in (({}, 401), ({"x-api-key": "k2"}, 401), ({"x-api-key": "k1"}, 200)):
            async with client.post(path, json=body, headers=headers) as answer:
                assert answer.status == status
        assert server.books.totals()["refused"] == 2
        assert "k1" not in repr(server.books.calls) and "x-api-key" in server.books.calls[2].headers


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(hang_after=-1),
        Behaviour(hang_after=0),
        Behaviour(hang_after=2),
        Behaviour(words=1000, delay_ms=5000),
        Behaviour(first_delay_ms=5000),
        Behaviour(junk=Junk.LINE),
    ],
    ids=["no status", "status only", "two words", "delaying", "slow first byte", "endless line"],
)
@virtually
async def test_the_server_notices_at_once_that_a_client_went_away(behaviour: Behaviour) -> None:
    async with serving(behaviour) as (server, client):
        task = asyncio.create_task(lines(client, "ollama"))
        await server.until(lambda books: books.under_way == 1)
        # Turns, not time: while an endless line comes, no virtual time passes.
        await settled()
        task.cancel()
        cancelled_s = asyncio.get_running_loop().time()
        await server.until(lambda books: books.under_way == 0)
        (call,) = server.books.calls
        assert call.state is ServedState.CANCELLED
        assert asyncio.get_running_loop().time() - cancelled_s < 0.1


async def test_a_stopping_server_ends_hanging_calls_and_says_so() -> None:
    server = ProviderServer(Behaviour(hang_after=1))
    await server.start()
    async with aiohttp.ClientSession(server.url) as client:
        task = asyncio.create_task(lines(client, "openai"))
        await server.until(lambda books: books.under_way == 1)
        await asyncio.sleep(0.02)
        assert server.open_connections == 1
        await server.stop()
        with pytest.raises(aiohttp.ClientError):
            await task
    assert [call.state for call in server.books.calls] == [ServedState.STOPPED]
    assert server.open_connections == 0


async def test_a_queue_of_behaviours_is_used_up_before_the_last_one() -> None:
    async with serving() as (server, client):
        server.behave(Behaviour(status=500), Behaviour(status=529), Behaviour(words=1))
        path, body = CALLS["anthropic"]
        statuses = []
        for _ in range(4):
            async with client.post(path, json=body) as answer:
                statuses.append(answer.status)
        assert statuses == [500, 529, 200, 200]
        server.behave(lambda asked: Behaviour(status=404 if asked.model == "m" else 200))
        async with client.post(path, json=body) as answer:
            assert answer.status == 404
            assert (await answer.json())["error"]["type"] == "not_found_error"


async def test_calls_under_way_are_counted() -> None:
    async with serving(Behaviour(hang_after=0)) as (server, client):
        tasks = [asyncio.create_task(lines(client, "openai")) for _ in range(3)]
        await server.until(lambda books: books.under_way == 3)
        for task in tasks:
            task.cancel()
        await server.until(lambda books: books.under_way == 0)
        server.behave(Behaviour())
        await lines(client, "openai")
        assert server.books.max_concurrent == 3


async def test_the_server_runs_as_a_process_of_its_own() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.providers.server", "--words", "2", "--rpm", "60",
        "--bucket-s", "3", stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip()
    try:
        async with aiohttp.ClientSession(url) as client:
            assert (await lines(client, "ollama"))[-1]["eval_count"] == 2
            async with client.post("/_behave", json={"queue": [{"status": 503}]}) as answer:
                assert await answer.json() == {"queue": 1}
            async with client.post("/_behave", json={"junk": "html"}) as answer:
                assert answer.status == 200
            for bad in ({"wrods": 3}, {"junk": "sound"}):
                async with client.post("/_behave", json=bad) as answer:
                    assert answer.status == 400
            path, body = CALLS["ollama"]
            kinds = []
            for _ in range(3):
                async with client.post(path, json=body) as answer:
                    kinds.append((answer.status, answer.content_type))
            # A call that is told to fail is not charged, so that the bucket of three is enough.
            assert kinds == [(503, "application/json"), (200, "text/html"), (200, "text/html")]
            async with client.get("/_books") as answer:
                books = await answer.json()
            assert (books["totals"]["calls"], books["totals"]["refused"]) == (4, 1)
            assert books["calls"][0]["state"] == "done" and "body" not in books["calls"][0]
            async with client.post("/_reset") as answer:
                assert answer.status == 200
            async with client.get("/_books") as answer:
                assert (await answer.json())["totals"]["calls"] == 0
    finally:
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
        # The pipe's transport goes with the loop's next turn.
        await asyncio.sleep(0)
