"""The limiter bench: its calls, its strict server, and the shape of its report."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from bench.calls import POSTGRES, SQLITE, overhead
from bench.calls import report as calls_report
from bench.limiter import CONTENDERS, FULL, OURS, report
from bench.limiter_run import Counts, Figures, Server, figures
from bench.limiter_server import Allowance, strict_provider
from bench.limiter_work import PROMPT_WORDS, count_words, order, read_order, works

ALLOWANCE = Allowance(requests_per_minute=60, tokens_per_minute=6_000, bucket_s=10.0)


def test_every_contender_gets_the_same_calls() -> None:
    first, again, other = (list(itertools.islice(works(worker), 200)) for worker in (3, 3, 4))
    assert first == again
    assert not {work.prompt for work in first} & {work.prompt for work in other}
    assert len({work.prompt for work in first}) == 200
    for work in first:
        said, _ = read_order(work.prompt)
        assert said < work.max_tokens
        assert PROMPT_WORDS[0] <= count_words(work.prompt) <= PROMPT_WORDS[1]
        assert work.most_tokens == count_words(work.prompt) + work.max_tokens


class _Turned:
    """A clock that a test turns."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def strict() -> AsyncIterator[tuple[str, _Turned, aiohttp.ClientSession]]:
    clock = _Turned()
    async with strict_provider(ALLOWANCE, tells_limits=True, now=clock) as server:
        async with aiohttp.ClientSession() as session:
            yield server.url, clock, session


def _body(words: int, **more: Any) -> dict[str, Any]:
    prompt = {"role": "user", "content": order(words, 0)}
    return {"model": "m", "messages": [prompt], "max_tokens": 800, **more}


async def test_answers_whole_until_the_bucket_is_empty(
    strict: tuple[str, _Turned, aiohttp.ClientSession],
) -> None:
    url, clock, session = strict
    async with session.post(f"{url}/v1/chat/completions", json=_body(794)) as response:
        answer = await response.json()
        assert response.headers["x-ratelimit-remaining-tokens"] == "200"
    assert count_words(answer["choices"][0]["message"]["content"]) == 794
    assert answer["usage"] == {"prompt_tokens": 6, "completion_tokens": 794, "total_tokens": 800}
    async with session.post(f"{url}/v1/chat/completions", json=_body(344)) as response:
        assert response.status == 429
        assert response.headers["Retry-After"] == "2"
        assert response.headers["retry-after-ms"] == "1501"
    clock.now = 1.5
    async with session.post(f"{url}/v1/chat/completions", json=_body(344)) as response:
        assert response.status == 200
    assert await asyncio.to_thread(Server(url).counts) == Counts(
        now=1.5, accepted=2, tokens=1150, refused=1
    )


async def test_streams_the_same_answer_in_pieces_with_its_usage(
    strict: tuple[str, _Turned, aiohttp.ClientSession],
) -> None:
    url, _, session = strict
    body = _body(50, stream=True, stream_options={"include_usage": True})
    async with session.post(f"{url}/v1/chat/completions", json=body) as response:
        lines = (await response.text()).split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    events = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
    role, *told, last, usage = events
    said = [event["choices"][0]["delta"]["content"] for event in told]
    assert role["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert len(said) == 8
    assert count_words("".join(said)) == 50
    assert last["choices"][0]["finish_reason"] == "stop"
    assert usage["usage"] == {"prompt_tokens": 6, "completion_tokens": 50, "total_tokens": 56}


async def test_an_answer_stops_at_its_allowed_length(
    strict: tuple[str, _Turned, aiohttp.ClientSession],
) -> None:
    url, _, session = strict
    body = {**_body(50), "max_tokens": 7}
    async with session.post(f"{url}/v1/chat/completions", json=body) as response:
        assert (await response.json())["usage"]["completion_tokens"] == 7


def test_the_share_is_of_what_was_granted_between_the_looks() -> None:
    looks = [
        Counts(now=100.0, accepted=40, tokens=2_000, refused=7),
        Counts(now=110.0, accepted=45, tokens=2_900, refused=7),
        Counts(now=120.0, accepted=55, tokens=3_900, refused=9),
    ]
    found = figures(ALLOWANCE, looks, cpu_seconds=0.55)
    assert (found.requests, found.tokens, found.seconds) == (15, 1_900, 20.0)
    assert (found.refused, found.refused_in_warm_up) == (2, 7)
    assert found.token_share == pytest.approx(0.95)
    assert found.request_share == pytest.approx(0.75)
    assert found.token_share_by_step == (0.9, 1.0)
    assert found.cpu_ms_per_request == pytest.approx(10.0)


def _figures(share: float) -> Figures:
    return Figures(120.0, 2_200, 950_000, 3, 1, 2.5, share, 0.9, (share,))


def test_the_report_has_the_lower_share_of_ours_with_the_most_workers() -> None:
    shares = dict(zip((one.name for one in CONTENDERS), (0.99, 0.985, 0.9, 0.92, 1.0), strict=True))
    found = {name: {1: _figures(0.5), 16: _figures(share)} for name, share in shares.items()}
    told = report(found, FULL).as_dict()
    assert told["ours"] == 0.985
    assert set(told["peers"]) == set(shares) - set(OURS)
    assert told["peers"]["aiolimiter"] == 0.92
    assert told["detail"]["refused_429"]["plain semaphore"] == 3
    assert told["detail"]["by_workers"]["Assay on SQLite"]["1"]["token_share"] == 0.5
    assert told["detail"]["server"]["tokens_per_minute"] == 480_000
    json.dumps(told, allow_nan=False)


def test_the_calls_report_compares_whole_calls_and_tells_the_overhead() -> None:
    own = {SQLITE.name: {"bare_ms": 0.5, "controlled_ms": 2.0}, POSTGRES.name: {"bare_ms": 0.5}}
    told = calls_report(own, {"peer": 1.5}, calls=10).as_dict()
    assert told["ours"] == 2.0
    assert told["ratio"] == pytest.approx(0.75)
    assert overhead(own[SQLITE.name]) == told["detail"]["overhead_ms"][SQLITE.name]
    assert told["detail"]["overhead_ms"][SQLITE.name] == {"controlled": 1.5}
