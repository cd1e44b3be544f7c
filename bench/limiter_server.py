"""The strict provider of the limiter bench: `python -m bench.limiter_server …`.

It is Assay's own server double, told to follow the orders in the bench's prompts. It grants
requests and tokens a minute from two buckets that refill all the time, hold a few seconds' worth
and are full at the start. A call that does not find room in both takes nothing and is answered at
once with 429 and the time until it would have found it. Tokens are words, and a call is charged on
arrival for its prompt and for the answer that it is going to get.
"""

import argparse
import asyncio
import contextlib
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from aiohttp import web

from assay.llm.doubles.behaviour import Behaviour, StrictLimits
from assay.llm.doubles.dialects import Asked
from assay.llm.doubles.server import ProviderServer
from bench.limiter_work import count_words, read_order

PIECES: Final = 8
"""In how many parts an answer is streamed at most: a word each would cost more than the call."""


@dataclass(frozen=True)
class Allowance:
    """What the server grants."""

    requests_per_minute: int
    tokens_per_minute: int
    bucket_s: float
    """How many seconds' worth of the allowance may be used at once."""


def strict_provider(
    allowance: Allowance, *, tells_limits: bool = False, now: Callable[[], float] = time.monotonic
) -> ProviderServer:
    """The server, not yet started; its answers have the rate-limit headers where told so."""
    limits = StrictLimits(**asdict(allowance))
    return ProviderServer(as_ordered, limits=limits, tell_limits=tells_limits, now=now)


def as_ordered(asked: Asked) -> Behaviour:
    """An answer that takes as long as the prompt orders; the double reads the words itself."""
    _, answer_ms = read_order(asked.texts[-1])
    return Behaviour(pieces=PIECES, answer_ms=answer_ms)


# From here to `serve`: only tests/bench/test_limiter.py still uses this.


class Bucket:
    """Refills all the time up to its capacity; full at the start."""

    def __init__(self, per_minute: float, seconds: float, now: float) -> None:
        self.rate = per_minute / 60
        self.capacity = self.rate * seconds
        self._level = self.capacity
        self._at = now

    def level(self, now: float) -> float:
        return min(self.capacity, self._level + (now - self._at) * self.rate)

    def wait(self, amount: float, now: float) -> float:
        """Seconds until there is room for the amount; endless if it is above the capacity."""
        if amount > self.capacity:
            return math.inf
        return max(0.0, (amount - self.level(now)) / self.rate)

    def take(self, amount: float, now: float) -> None:
        self._level = self.level(now) - amount
        self._at = now


@dataclass
class Counts:
    """What the server has answered so far."""

    accepted: int = 0
    tokens: int = 0
    refused: int = 0


class Gate:
    """Lets a call in when there is room in both buckets, and counts."""

    def __init__(self, allowance: Allowance, now: float) -> None:
        self.allowance = allowance
        self.requests = Bucket(allowance.requests_per_minute, allowance.bucket_s, now)
        self.tokens = Bucket(allowance.tokens_per_minute, allowance.bucket_s, now)
        self.counts = Counts()

    def admit(self, tokens: int, now: float) -> float:
        """Zero for a call that is let in; else the seconds until it would be."""
        wait = max(self.requests.wait(1, now), self.tokens.wait(tokens, now))
        if wait > 0:
            self.counts.refused += 1
            return wait
        self.requests.take(1, now)
        self.tokens.take(tokens, now)
        self.counts.accepted += 1
        self.counts.tokens += tokens
        return 0.0


@dataclass(frozen=True)
class Call:
    """A request as the server understands it."""

    prompt_tokens: int
    completion_tokens: int
    seconds: float
    streamed: bool
    with_usage: bool

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @property
    def usage(self) -> dict[str, int]:
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.tokens,
        }


def read_call(body: dict[str, Any]) -> Call:
    """Read a chat-completions request."""
    texts = [_text(message["content"]) for message in body["messages"]]
    words, answer_ms = read_order(texts[-1])
    most = body.get("max_completion_tokens") or body.get("max_tokens") or words
    return Call(
        prompt_tokens=sum(map(count_words, texts)),
        completion_tokens=min(words, most),
        seconds=answer_ms / 1000,
        streamed=bool(body.get("stream")),
        with_usage=bool((body.get("stream_options") or {}).get("include_usage")),
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content)


@dataclass
class StrictServer:
    """The two routes: the model's, and the bench's own look at the counts."""

    gate: Gate
    tells_limits: bool = False
    """Whether its answers have the rate-limit headers."""
    clock: Callable[[], float] = time.monotonic
    _number: int = field(default=0, init=False)

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/counts", self.counts)
        return app

    async def counts(self, _: web.Request) -> web.Response:
        return web.json_response({"now": self.clock(), **asdict(self.gate.counts)})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        call = read_call(await request.json())
        now = self.clock()
        wait = self.gate.admit(call.tokens, now)
        headers = self._limit_headers(now) if self.tells_limits else {}
        if wait > 0:
            return _refusal(wait, headers)
        self._number += 1
        if call.streamed:
            return await self._stream(request, call, headers)
        await asyncio.sleep(call.seconds)
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": _said(0, call.completion_tokens)},
            "finish_reason": "stop",
        }
        answer = {**self._frame("chat.completion"), "choices": [choice], "usage": call.usage}
        return web.json_response(answer, headers=headers)

    async def _stream(
        self, request: web.Request, call: Call, headers: dict[str, str]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **headers})
        frame = self._frame("chat.completion.chunk")
        # A client that hangs up has had its call: it stays charged, and that is all.
        with contextlib.suppress(ConnectionResetError):
            await response.prepare(request)
            for text, seconds in _pieces(call):
                await asyncio.sleep(seconds)
                said = [_delta({"content": text}, None)]
                await response.write(_event({**frame, "choices": said}))
            await response.write(_event({**frame, "choices": [_delta({}, "stop")]}))
            if call.with_usage:
                await response.write(_event({**frame, "choices": [], "usage": call.usage}))
            await response.write(b"data: [DONE]\n\n")
            await response.write_eof()
        return response

    def _frame(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self._number}",
            "object": kind,
            "created": int(time.time()),
            "model": "m",
        }

    def _limit_headers(self, now: float) -> dict[str, str]:
        allowance = self.gate.allowance
        told = {}
        for name, bucket, limit in (
            ("requests", self.gate.requests, allowance.requests_per_minute),
            ("tokens", self.gate.tokens, allowance.tokens_per_minute),
        ):
            whole = (bucket.capacity - bucket.level(now)) / bucket.rate
            told[f"x-ratelimit-limit-{name}"] = str(limit)
            told[f"x-ratelimit-remaining-{name}"] = str(int(bucket.level(now)))
            told[f"x-ratelimit-reset-{name}"] = f"{math.ceil(1000 * whole)}ms"
        return told


def _refusal(wait: float, headers: dict[str, str]) -> web.Response:
    # The standard header knows whole seconds only, so the exact time stands beside it.
    headers = {
        "Retry-After": str(math.ceil(wait)),
        "retry-after-ms": str(math.ceil(1000 * wait)),
        **headers,
    }
    error = {
        "message": f"Rate limit reached; try again in {math.ceil(1000 * wait)} ms.",
        "type": "rate_limit_exceeded",
        "param": None,
        "code": "rate_limit_exceeded",
    }
    return web.json_response({"error": error}, status=429, headers=headers)


def _pieces(call: Call) -> Iterator[tuple[str, float]]:
    """Each part of an answer with the time to wait before it."""
    parts = max(1, min(PIECES, call.completion_tokens))
    for part in range(parts):
        first = call.completion_tokens * part // parts
        last = call.completion_tokens * (part + 1) // parts
        yield _said(first, last), call.seconds / parts


def _said(first: int, last: int) -> str:
    return "".join(f"word{number} " for number in range(first, last))


def _delta(content: dict[str, str], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": content, "finish_reason": finish}


def _event(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


async def serve(server: ProviderServer) -> None:
    """Serve on a free port of this machine, told on stdout, until stdin is closed."""
    async with server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limiter_server")
    parser.add_argument("--requests-per-minute", type=int, required=True)
    parser.add_argument("--tokens-per-minute", type=int, required=True)
    parser.add_argument("--bucket-s", type=float, required=True)
    parser.add_argument("--tells-limits", action="store_true")
    given = parser.parse_args()
    allowance = Allowance(given.requests_per_minute, given.tokens_per_minute, given.bucket_s)
    asyncio.run(serve(strict_provider(allowance, tells_limits=given.tells_limits)))


if __name__ == "__main__":
    main()
