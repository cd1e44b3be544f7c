"""The server double as a strict provider: its buckets, its sums, and the time that it takes."""

import asyncio
import itertools
from typing import Any

import aiohttp
import pytest

from tests.providers.behaviour import Behaviour, Bucket, Buckets, StrictLimits
from tests.providers.server import ProviderServer

LIMITS = StrictLimits(requests_per_minute=60, tokens_per_minute=6_000, bucket_s=10.0)
PATH = "/v1/chat/completions"


class Turned:
    """A clock that a test turns."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def body(words: int, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": f"say {words} words"}], **more}


def test_a_bucket_is_full_at_the_start_and_never_holds_more() -> None:
    clock = Turned()
    bucket = Bucket(600, 10, now=clock)
    assert bucket.level == bucket.capacity == 100
    clock.now = 450.0
    bucket.refill()
    assert bucket.level == 100
    assert bucket.short_s(101) == float("inf")


def test_a_refused_call_takes_nothing_and_is_told_the_exact_time() -> None:
    clock = Turned()
    buckets = Buckets(LIMITS, now=clock)
    assert buckets.requests is not None and buckets.tokens is not None
    assert buckets.take(900) == 0
    wait = buckets.take(150)
    assert wait == pytest.approx(0.5)
    assert (buckets.requests.level, buckets.tokens.level) == (9, 100)
    clock.now = wait - 0.001
    assert buckets.take(150) > 0
    clock.now = wait
    assert buckets.take(150) == 0


def test_the_fuller_bucket_does_not_help_when_the_other_is_empty() -> None:
    buckets = Buckets(LIMITS, now=Turned())
    waits = [buckets.take(1) for _ in range(11)]
    assert waits[:10] == [0.0] * 10
    assert waits[10] == pytest.approx(1.0)


def test_no_more_than_the_bucket_and_its_refill_is_ever_granted() -> None:
    clock = Turned()
    buckets = Buckets(LIMITS, now=clock)
    granted = tokens = refused = 0
    for size in itertools.islice(itertools.cycle((70, 130, 410, 20)), 3_000):
        clock.now += 0.02
        if buckets.take(size):
            refused += 1
        else:
            granted, tokens = granted + 1, tokens + size
        # A call may come the microsecond too early that rounding is forgiven.
        assert tokens <= 1_000 + 100 * clock.now + 1e-3
        assert granted <= 10 + clock.now + 1e-3
    assert refused > 0


async def test_the_sums_are_told_with_the_moment_they_hold_for() -> None:
    clock = Turned()
    async with ProviderServer(limits=LIMITS, now=clock) as server:
        async with aiohttp.ClientSession(server.url) as client:
            statuses = []
            for words, now in ((797, 0.0), (347, 0.0), (347, 1.5)):
                clock.now = now
                async with client.post(PATH, json=body(words)) as answer:
                    statuses.append(answer.status)
                    await answer.read()
            assert statuses == [200, 429, 200]
            async with client.get("/_totals") as answer:
                told = await answer.json()
    assert (told["now_s"], told["calls"], told["busy"]) == (1.5, 3, 1)
    assert (told["charged"], told["charged_tokens"]) == (2, 1_150)


@pytest.mark.parametrize(
    ("behaviour", "stream", "parts", "waits"),
    [
        (Behaviour(pieces=8, answer_ms=400), True, 8, [0.05] * 8),
        (Behaviour(pieces=2, answer_ms=400, delay_ms=10), True, 2, [0.2, 0.21]),
        (Behaviour(pieces=8, answer_ms=400), False, 1, [0.4]),
        (Behaviour(pieces=8), True, 8, []),
    ],
    ids=["streamed", "with a delay", "whole", "at once"],
)
async def test_an_answer_takes_its_time_over_so_many_pieces(
    behaviour: Behaviour,
    stream: bool,
    parts: int,
    waits: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        slept.append(seconds)
        await sleep(0)

    async with ProviderServer(behaviour) as server:
        async with aiohttp.ClientSession(server.url) as client:
            with monkeypatch.context() as patch:
                patch.setattr("tests.providers.replies.asyncio.sleep", noted)
                async with client.post(PATH, json=body(50, stream=stream)) as answer:
                    text = await answer.text()
        assert server.books.calls[0].completion_tokens == 50
    assert slept == pytest.approx(waits)
    # A stream begins with an empty part that tells the role.
    assert text.count('"content": "') == parts + stream
