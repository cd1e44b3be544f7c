"""Every dialect over real HTTP: what is sent, what is understood, and how calls end."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any
from unittest.mock import Mock

import pytest
import pytest_asyncio
from aiohttp import ClientPayloadError, StreamReader
from aiohttp.base_protocol import BaseProtocol

from assay.clock import TurnedClock
from assay.errors import (
    AssayError,
    AuthError,
    CallRefused,
    InvalidInput,
    ProviderBusy,
    ProviderFailed,
    ProviderTimedOut,
    QuotaError,
    StreamCut,
)
from assay.llm.doubles.behaviour import Behaviour, Junk, StrictLimits
from assay.llm.doubles.books import ServedState, now_ms
from assay.llm.doubles.server import ProviderServer
from assay.llm.limits import PROVIDER_LIMITS, UNLIMITED
from assay.llm.messages import Lane, ModelRequest, Piece, Provider, RateHints, Usage
from assay.llm.providers import HttpProvider, anthropic, gemini, ollama, ollama_cloud, openai
from assay.llm.providers import stream as streams
from assay.llm.providers.anthropic import AnthropicDialect, closed_schema
from assay.llm.providers.dialect import Dialect
from assay.llm.providers.gemini import GeminiDialect
from assay.llm.providers.ollama import OllamaDialect
from assay.llm.providers.openai import OpenAIDialect
from assay.llm.providers.rates import duration_ms, retry_after_ms, until_ms
from assay.llm.providers.stream import HttpStream

KEY = "sk-very-secret-0123456789"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
ASKED = ModelRequest(system="be brief", user="what is this", max_tokens=50)

MAKERS: dict[str, Callable[..., HttpProvider]] = {
    "openai": lambda url, **more: openai("m", base_url=f"{url}/v1", key=KEY, **more),
    "anthropic": lambda url, **more: anthropic("m", base_url=url, key=KEY, **more),
    "gemini": lambda url, **more: gemini("m", base_url=url, key=KEY, **more),
    "ollama": lambda url, **more: ollama("m", base_url=url, **more),
    "ollama-cloud": lambda url, **more: ollama_cloud("m", base_url=url, key=KEY, **more),
}
ALL = pytest.mark.parametrize("name", MAKERS)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[ProviderServer]:
    async with ProviderServer() as running:
        yield running


@asynccontextmanager
async def asking(name: str, url: str, **more: Any) -> AsyncIterator[HttpProvider]:
    provider = MAKERS[name](url, **more)
    try:
        yield provider
    finally:
        await provider.close()


async def taken(provider: Provider, request: ModelRequest = ASKED) -> list[Piece]:
    async with provider.open(request) as stream:
        return [piece async for piece in stream]


async def failing(
    provider: Provider, request: ModelRequest = ASKED
) -> tuple[AssayError, list[str], bool]:
    """The error, the text before it, and whether the call had been entered."""
    texts: list[str] = []
    entered = False
    with pytest.raises(AssayError) as caught:
        async with provider.open(request) as stream:
            entered = True
            async for piece in stream:
                texts.append(piece.text)
    return caught.value, [text for text in texts if text], entered


@asynccontextmanager
async def raw_server(reply: bytes, *, after: bytes = b"", hold: bool = False) -> AsyncIterator[str]:
    """A server that answers anything with these bytes, and ends the connection, or holds it."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        if after:
            await writer.drain()
            await asyncio.sleep(0.01)
            writer.write(after)
        if hold:
            with suppress(ConnectionError):
                await reader.read()
        writer.close()

    listening = await asyncio.start_server(handle, "127.0.0.1")
    async with listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


def streamed(content_type: str, *chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head.encode() + body + end


def sse(*values: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


@ALL
async def test_an_answer_arrives_in_pieces_with_usage_and_finish(
    name: str, server: ProviderServer
) -> None:
    server.behave(Behaviour(words=3))
    async with asking(name, server.url) as provider:
        pieces = await taken(provider)
    assert [piece.text for piece in pieces if piece.text] == ["w1 ", "w2 ", "w3"]
    assert [piece.usage for piece in pieces if piece.usage][-1] == Usage(5, 3)
    assert [piece.finish for piece in pieces if piece.finish] == ["stop"]
    assert pieces[-1].finish == "stop"


@ALL
async def test_an_answer_at_its_bound_says_so(name: str, server: ProviderServer) -> None:
    request = ModelRequest(user="say 9 words", max_tokens=4)
    async with asking(name, server.url) as provider:
        pieces = await taken(provider, request)
    assert "".join(piece.text for piece in pieces) == "w1 w2 w3 w4"
    assert pieces[-1].finish == "length"
    assert server.books.calls[0].max_tokens == 4


@ALL
async def test_a_usage_that_is_not_told_is_not_made_up(name: str, server: ProviderServer) -> None:
    server.behave(Behaviour(usage=False))
    async with asking(name, server.url) as provider:
        pieces = await taken(provider)
    assert not any(piece.usage for piece in pieces)
    assert pieces[-1].finish == "stop"


async def test_openai_is_asked_in_its_dialect(server: ProviderServer) -> None:
    async with asking("openai", server.url) as provider:
        await taken(provider, ModelRequest(user="u", system="s", max_tokens=7, schema=SCHEMA))
    (call,) = server.books.calls
    assert call.path == "/v1/chat/completions"
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "max_tokens": 7,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": False},
        },
    }


async def test_anthropic_is_asked_in_its_dialect(server: ProviderServer) -> None:
    async with asking("anthropic", server.url) as provider:
        await taken(provider, ModelRequest(user="u", system="s", max_tokens=7, schema=SCHEMA))
    (call,) = server.books.calls
    assert call.path == "/v1/messages"
    assert call.headers["x-api-key"] == KEY
    assert call.headers["anthropic-version"] == "2023-06-01"
    closed = {**SCHEMA, "additionalProperties": False}
    assert call.body == {
        "model": "m",
        "max_tokens": 7,
        "system": "s",
        "messages": [{"role": "user", "content": "u"}],
        "stream": True,
        "output_config": {"format": {"type": "json_schema", "schema": closed}},
    }


async def test_gemini_is_asked_in_its_dialect(server: ProviderServer) -> None:
    async with asking("gemini", server.url) as provider:
        await taken(provider, ModelRequest(user="u", system="s", max_tokens=7, schema=SCHEMA))
    (call,) = server.books.calls
    assert call.path == "/v1beta/models/m:streamGenerateContent?alt=sse"
    assert call.headers["x-goog-api-key"] == KEY
    assert call.body == {
        "systemInstruction": {"parts": [{"text": "s"}]},
        "contents": [{"role": "user", "parts": [{"text": "u"}]}],
        "generationConfig": {
            "maxOutputTokens": 7,
            "temperature": 0.0,
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
    }


async def test_ollama_is_asked_in_its_dialect(server: ProviderServer) -> None:
    async with asking("ollama", server.url, context=2048) as provider:
        await taken(provider, ModelRequest(user="u", max_tokens=7, schema=SCHEMA))
    (call,) = server.books.calls
    assert call.path == "/api/chat"
    assert "authorization" not in call.headers
    assert call.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "u"}],
        "stream": True,
        "options": {"num_predict": 7, "temperature": 0.0, "num_ctx": 2048},
        "format": SCHEMA,
    }


async def test_the_cloud_of_ollama_is_told_the_schema_in_words(server: ProviderServer) -> None:
    async with asking("ollama-cloud", server.url) as provider:
        await taken(provider, ModelRequest(user="u", system="s", max_tokens=7, schema=SCHEMA))
    (call,) = server.books.calls
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert "format" not in call.body
    system, user = (message["content"] for message in call.body["messages"])
    assert system.startswith("s\n\n") and system.endswith(json.dumps(SCHEMA))
    assert user == "u"


def test_factories_know_their_lane_and_limits() -> None:
    assert openai("gpt-4.1").limits is PROVIDER_LIMITS["openai"]
    assert anthropic("c").limits is PROVIDER_LIMITS["anthropic"]
    assert gemini("g").limits is PROVIDER_LIMITS["google"]
    assert (ollama("o").limits, ollama("o").lane) == (UNLIMITED, Lane.LOCAL)
    assert {make("http://h").lane for name, make in MAKERS.items() if name != "ollama"} == {
        Lane.CLOUD
    }
    local: Provider = openai("m", base_url="http://h/v1", name="llama", lane=Lane.LOCAL)
    assert (local.name, local.model, local.lane) == ("llama", "m", Lane.LOCAL)


@pytest.mark.parametrize(
    ("make", "model", "told"),
    [
        (openai, "gpt-4.1-mini", True),
        (openai, "o4-mini", False),
        (openai, "gpt-5.1", False),
        (anthropic, "claude-3-7-sonnet-latest", True),
        (anthropic, "claude-opus-4-20250514", True),
        (anthropic, "claude-haiku-4-5", True),
        (anthropic, "claude-sonnet-4-5-20250929", True),
        (anthropic, "claude-opus-4-7", False),
        (anthropic, "claude-sonnet-5", False),
    ],
)
def test_a_temperature_is_told_to_models_that_take_one(
    make: Callable[..., HttpProvider], model: str, told: bool
) -> None:
    body = make(model).dialect.body(model, ASKED)
    assert ("temperature" in body) is told
    assert "temperature" in make(model, temperature=True).dialect.body(model, ASKED)
    bounds = {"max_tokens", "max_completion_tokens"} & body.keys()
    assert bounds == {"max_completion_tokens" if make is openai else "max_tokens"}


def test_anthropic_gets_closed_schemas_with_their_bounds_in_words() -> None:
    schema = {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "minimum": 1, "maximum": 9, "description": "A mark."},
            "tags": {"type": "array", "items": {"$ref": "#/$defs/Tag"}, "maxItems": 3},
            "kind": {"enum": ["minLength", {"maximum": 1}]},
            "either": {"anyOf": [{"type": "object", "properties": {}}, {"type": "null"}]},
        },
        "required": ["minimum"],
        "$defs": {"Tag": {"type": "object", "properties": {"t": {"type": "string"}}}},
    }
    closed = closed_schema(schema)
    assert closed["additionalProperties"] is False
    assert closed["$defs"]["Tag"]["additionalProperties"] is False
    assert closed["properties"]["minimum"] == {
        "type": "integer",
        "description": "A mark. {minimum: 1, maximum: 9}",
    }
    assert closed["properties"]["tags"]["description"] == "{maxItems: 3}"
    assert closed["properties"]["kind"] == {"enum": ["minLength", {"maximum": 1}]}
    assert closed["properties"]["either"]["anyOf"][0]["additionalProperties"] is False
    assert "additionalProperties" not in closed["properties"]["either"]["anyOf"][1]


FAULTS: list[tuple[Behaviour, type[AssayError]]] = [
    (Behaviour(status=400), CallRefused),
    (Behaviour(status=401), AuthError),
    (Behaviour(status=402), QuotaError),
    (Behaviour(status=403), AuthError),
    (Behaviour(status=404), CallRefused),
    (Behaviour(status=408), ProviderTimedOut),
    (Behaviour(status=413), CallRefused),
    (Behaviour(status=422), CallRefused),
    (Behaviour(status=429), ProviderBusy),
    (Behaviour(status=429, quota=True), QuotaError),
    (Behaviour(status=500), ProviderFailed),
    (Behaviour(status=503, quota=True), ProviderFailed),
    (Behaviour(status=529), ProviderFailed),
    (Behaviour(status=502, junk=Junk.HTML), ProviderFailed),
    (Behaviour(status=429, junk=Junk.HTML, retry_after="7"), ProviderBusy),
    (Behaviour(junk=Junk.HTML), ProviderFailed),
    (Behaviour(junk=Junk.TYPE), ProviderFailed),
]


@ALL
async def test_each_refusal_is_its_error_before_the_call_is_entered(
    name: str, server: ProviderServer
) -> None:
    async with asking(name, server.url) as provider:
        for behaviour, kind in FAULTS:
            server.behave(behaviour)
            error, _, entered = await failing(provider)
            assert type(error) is kind, (behaviour, error)
            assert not entered
            assert error.what.startswith(f"{name} ")
            if behaviour.status != 200 and behaviour.junk is None:
                assert f"The double answers {behaviour.status}." in error.what
    assert len(server.books.calls) == len(FAULTS), "a provider tried again"


@ALL
async def test_junk_within_a_stream_is_a_failure_after_what_was_right(
    name: str, server: ProviderServer
) -> None:
    async with asking(name, server.url) as provider:
        server.behave(Behaviour(junk=Junk.JSON))
        error, texts, entered = await failing(provider)
        assert (type(error), texts, entered) == (ProviderFailed, ["w1 ", "w2 "], True)
        server.behave(Behaviour(fault_after=1))
        error, texts, entered = await failing(provider)
        assert (type(error), texts, entered) == (ProviderFailed, ["w1 "], True)
        assert "The double breaks off." in error.what


@ALL
async def test_a_line_without_an_end_is_stopped(name: str, server: ProviderServer) -> None:
    server.behave(Behaviour(junk=Junk.LINE))
    async with asking(name, server.url) as provider:
        error, _, _ = await failing(provider)
    assert type(error) is ProviderFailed and "a line of more than 1000000 bytes" in error.what
    await server.until(lambda books: books.under_way == 0)
    assert server.books.calls[0].state is ServedState.CANCELLED


@ALL
async def test_an_answer_without_an_end_is_stopped(
    name: str, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_ANSWER", 20_000)
    server.behave(Behaviour(words=1000))
    async with asking(name, server.url) as provider:
        error, texts, _ = await failing(provider, ModelRequest(user="u", max_tokens=1000))
    assert type(error) is ProviderFailed and "more than 20000 bytes" in error.what
    assert len(texts) < 1000


@ALL
@pytest.mark.parametrize("after", [0, 2, 5])
async def test_a_cut_keeps_every_piece_that_came(
    name: str, after: int, server: ProviderServer
) -> None:
    server.behave(Behaviour(words=5, cut_after=after))
    async with asking(name, server.url) as provider:
        error, texts, entered = await failing(provider)
    assert type(error) is StreamCut and entered
    assert "".join(texts).split() == [f"w{n}" for n in range(1, after + 1)]
    assert server.books.calls[0].state is ServedState.CUT


CHUNK = {"choices": [{"index": 0, "delta": {"content": "all"}, "finish_reason": None}]}
LAST = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


@pytest.mark.parametrize("end", [b"", b"0\r\n\r\n"], ids=["abrupt", "clean"])
async def test_a_cut_in_the_very_packet_of_the_answer_keeps_the_pieces(end: bytes) -> None:
    reply = streamed("text/event-stream", sse(CHUNK, CHUNK), b'data: {"choi', end=end)
    async with raw_server(reply) as url, asking("openai", url) as provider:
        error, texts, _ = await failing(provider)
    assert (type(error), texts) == (StreamCut, ["all", "all"])


@pytest.mark.parametrize("end", [b"", b"0\r\n\r\n"], ids=["abrupt", "clean"])
async def test_an_answer_that_told_its_finish_is_whole(end: bytes) -> None:
    reply = streamed("text/event-stream", sse(CHUNK, LAST), end=end)
    async with raw_server(reply) as url, asking("openai", url) as provider:
        assert await taken(provider) == [Piece("all"), Piece(finish="stop")]


async def test_nobody_waits_for_a_body_to_end_after_the_answer_has() -> None:
    reply = streamed("text/event-stream", sse(CHUNK, LAST), b"data: [DONE]\n\n", end=b"")
    async with raw_server(reply, hold=True) as url, asking("openai", url) as provider:
        async with asyncio.timeout(5):
            assert await taken(provider) == [Piece("all"), Piece(finish="stop")]


async def test_pieces_that_lie_before_a_failure_are_given_all_the_same() -> None:
    content = StreamReader(BaseProtocol(asyncio.get_running_loop()), 65_536)
    content.feed_data(sse(CHUNK, CHUNK))
    content.set_exception(ClientPayloadError("cut"))
    response = Mock(content=content, connection=None)
    stream = HttpStream(
        response, OpenAIDialect().reader(), RateHints(), refusal=Mock(), name="openai"
    )
    assert [await anext(stream), await anext(stream)] == [Piece("all"), Piece("all")]
    with pytest.raises(StreamCut):
        await anext(stream)
    with pytest.raises(StopAsyncIteration):
        await anext(stream)
    await stream.close()
    response.close.assert_called_once()


async def test_a_character_split_between_packets_is_whole_again() -> None:
    raw = sse({"message": {"content": "x"}})[6:-1].replace(b"x", "žć€".encode())
    done = b'{"message": {"content": ""}, "done": true, "done_reason": "stop"}'
    first = raw.index("ž".encode())
    for cut in range(first, first + 7):
        reply = streamed("application/x-ndjson", raw[:cut], end=b"")
        after = streamed("", raw[cut:], done).split(b"\r\n\r\n", 1)[1]
        async with raw_server(reply, after=after) as url, asking("ollama", url) as provider:
            assert [piece.text for piece in await taken(provider)] == ["žć€", ""]


@pytest.mark.parametrize(
    "junk",
    [
        b"data: " + b"[" * 500_000 + b"\n\n",
        b"data: 17\n\n",
        b"data: \xff\xfe\n\n",
        sse({"choices": [17]}),
        sse({"choices": 17}),
    ],
    ids=["deep", "number", "not UTF-8", "no choice", "no list"],
)
async def test_no_junk_leaves_the_consumer_waiting(junk: bytes) -> None:
    reply = streamed("text/event-stream", sse(CHUNK), junk)
    async with raw_server(reply) as url, asking("openai", url) as provider:
        async with asyncio.timeout(5):
            error, texts, _ = await failing(provider)
    assert (type(error), texts) == (ProviderFailed, ["all"])


async def test_half_a_surrogate_pair_can_be_stored() -> None:
    chunk = {"choices": [{"delta": {"content": "a\ud83d"}, "finish_reason": "stop"}]}
    reply = streamed("text/event-stream", sse(chunk), b"data: [DONE]\n\n")
    async with raw_server(reply) as url, asking("openai", url) as provider:
        assert (await taken(provider))[0].text.encode() == b"a?"


async def test_no_answer_at_all_is_a_failure() -> None:
    async with raw_server(b"") as url, asking("ollama", url) as provider:
        error, _, entered = await failing(provider)
        assert type(error) is ProviderFailed and not entered
    async with asking("ollama", url) as provider:
        error, _, entered = await failing(provider)
        assert type(error) is ProviderFailed and "cannot be reached" in error.what
    async with raw_server(b"SSH-2.0-OpenSSH\r\n") as url, asking("ollama", url) as provider:
        error, _, _ = await failing(provider)
        assert type(error) is ProviderFailed


@pytest.mark.parametrize("hang_after", [-1, 0, 1])
async def test_silence_has_an_end(hang_after: int, server: ProviderServer) -> None:
    server.behave(Behaviour(hang_after=hang_after))
    async with asking("openai", server.url, idle_timeout_s=0.05) as provider:
        error, texts, entered = await failing(provider)
    assert type(error) is ProviderTimedOut
    assert (len(texts), entered) == (max(0, hang_after), hang_after >= 0)


async def test_no_redirect_is_followed(server: ProviderServer) -> None:
    reply = f"HTTP/1.1 307 Moved\r\nLocation: {server.url}/api/chat\r\nContent-Length: 0\r\n\r\n"
    async with raw_server(reply.encode()) as url, asking("ollama", url) as provider:
        error, _, _ = await failing(provider)
    assert type(error) is CallRefused and "base address" in error.advice
    assert server.books.calls == []


async def test_no_proxy_of_the_environment_is_used(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    async with asking("openai", server.url) as provider:
        assert (await taken(provider))[-1].finish == "stop"


@ALL
@pytest.mark.parametrize("hang_after", [-1, 0, 2], ids=["no status", "no word", "two words"])
async def test_a_cancelled_call_closes_its_connection_at_once(
    name: str, hang_after: int, server: ProviderServer
) -> None:
    server.behave(Behaviour(hang_after=hang_after))
    came = asyncio.Semaphore(0)

    async def consume(provider: HttpProvider) -> None:
        async with provider.open(ASKED) as stream:
            came.release()
            async for piece in stream:
                if piece.text:
                    came.release()

    async with asking(name, server.url) as provider:
        task = asyncio.create_task(consume(provider))
        await server.until(lambda books: any(call.max_tokens for call in books.calls))
        for _ in range(hang_after + 1):
            await came.acquire()
        task.cancel()
        cancelled_ms = now_ms()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.until(lambda books: books.under_way == 0)
        (call,) = server.books.calls
        assert call.state is ServedState.CANCELLED
        assert call.completion_tokens == max(0, hang_after)
        assert call.ended_ms is not None and call.ended_ms - cancelled_ms < 100
        assert server.open_connections == 0


@ALL
async def test_leaving_early_closes_the_connection_at_once(
    name: str, server: ProviderServer
) -> None:
    server.behave(Behaviour(words=50, delay_ms=5))
    async with asking(name, server.url) as provider:
        async with provider.open(ASKED) as stream:
            async for piece in stream:
                if "w3" in piece.text:
                    break
        left_ms = now_ms()
        await server.until(lambda books: books.under_way == 0)
        (call,) = server.books.calls
        assert call.state is ServedState.CANCELLED and 3 <= call.completion_tokens < 50
        assert call.ended_ms is not None and call.ended_ms - left_ms < 100


async def test_an_error_of_the_consumer_closes_the_connection_and_goes_on(
    server: ProviderServer,
) -> None:
    server.behave(Behaviour(hang_after=1))
    async with asking("openai", server.url) as provider:
        with pytest.raises(ZeroDivisionError):
            async with provider.open(ASKED):
                raise ZeroDivisionError
        await server.until(lambda books: books.under_way == 0)
        assert server.books.calls[0].state is ServedState.CANCELLED


@ALL
async def test_a_finished_answer_leaves_its_connection_to_the_next(
    name: str, server: ProviderServer
) -> None:
    async with asking(name, server.url) as provider:
        for _ in range(3):
            await taken(provider)
        assert server.open_connections == 1
    for _ in range(1000):
        if not server.open_connections:
            break
        await asyncio.sleep(0.001)
    assert server.open_connections == 0


async def test_many_calls_at_a_time_do_not_wait_for_each_other(server: ProviderServer) -> None:
    server.behave(Behaviour(hang_after=0))
    async with asking("openai", server.url) as provider:
        tasks = [asyncio.create_task(taken(provider)) for _ in range(120)]
        await server.until(lambda books: books.under_way == 120)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.until(lambda books: books.under_way == 0)
        assert server.books.count(ServedState.CANCELLED) == 120


def test_a_provider_outlives_the_loop_that_it_was_first_used_in() -> None:
    providers: list[HttpProvider] = []

    async def once() -> str | None:
        async with ProviderServer() as server:
            if not providers:
                providers.append(ollama("m", base_url=server.url))
            providers[0]._base_url = server.url
            return (await taken(providers[0]))[-1].finish

    async def last() -> None:
        await once()
        await providers[0].close()

    assert [asyncio.run(once()), asyncio.run(once())] == ["stop", "stop"]
    asyncio.run(last())
    assert providers[0]._sessions == {}


@ALL
async def test_the_key_is_never_told(
    name: str, server: ProviderServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with asking(name, server.url) as provider:
        told = [repr(provider), str(provider)]
        for behaviour in (
            Behaviour(status=401, message=f"Incorrect API key provided: {KEY}. Try another."),
            Behaviour(status=500, message=f"{'x' * 290}{KEY}"),
            Behaviour(fault_after=0, message=f"Bad key {KEY}"),
            Behaviour(junk=Junk.HTML),
            Behaviour(cut_after=0),
        ):
            server.behave(behaviour)
            error: BaseException | None = (await failing(provider))[0]
            while error is not None:
                told += [str(error), repr(error), repr(error.args), repr(vars(error))]
                error = error.__cause__ or error.__context__
    if name != "ollama":
        assert not any(KEY[:12] in each for each in [*told, caplog.text])
    assert KEY not in server.books.calls[0].path


@pytest.mark.parametrize(
    ("base_url", "key"),
    [
        ("ftp://h/v1", None),
        ("h:80", None),
        ("http://user:pass@h/v1", None),
        ("http://h/v1?key=abc", None),
        ("http://h", "a\nb"),
        ("http://h", "ključ"),
    ],
)
def test_an_address_or_key_that_cannot_work_is_refused_without_repeating_it(
    base_url: str, key: str | None
) -> None:
    with pytest.raises(InvalidInput) as caught:
        openai("m", base_url=base_url, key=key)
    assert base_url not in str(caught.value) and (key is None or key not in str(caught.value))


# Thursday, 1 January 2026, noon.
NOON_MS = 1_767_268_800_000


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "2"}, 2000),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "1.1"}, 1100),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30_000),
        ({"Retry-After": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 250),
        ({"retry-after-ms": "x", "Retry-After": "1"}, 1000),
    ],
)
def test_a_wait_is_understood_in_each_form(headers: dict[str, str], expected: int | None) -> None:
    assert retry_after_ms(headers, NOON_MS) == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("6m0s", 360_000),
        ("1s", 1000),
        ("20ms", 20),
        ("1h2m3.5s", 3_723_500),
        ("59.76s", 59_760),
        ("7.66", 7660),
        ("0", 0),
        ("", None),
        (None, None),
        ("six minutes", None),
        ("1s and more", None),
    ],
)
def test_a_duration_is_understood_in_each_form(told: str | None, expected: int | None) -> None:
    assert duration_ms(told) == expected


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2026-01-01T12:00:05Z", 5000),
        ("2026-01-01T13:00:05.250+01:00", 5250),
        ("2026-01-01T11:59:00Z", 0),
        ("tomorrow", None),
        (None, None),
    ],
)
def test_a_reset_is_reckoned_from_now(stamp: str | None, expected: int | None) -> None:
    assert until_ms(stamp, NOON_MS) == expected


@pytest.mark.parametrize(
    ("name", "behaviour", "expected"),
    [
        ("openai", Behaviour(status=429, retry_ms=1234), 1234),
        ("openai", Behaviour(status=429, message="Please try again in 6m1.5s."), 361_500),
        ("anthropic", Behaviour(status=429, retry_ms=1234), 2000),
        ("gemini", Behaviour(status=429, retry_ms=1234), 1234),
        ("ollama-cloud", Behaviour(status=429, retry_after="3"), 3000),
        ("ollama", Behaviour(status=429, retry_after="Thu, 01 Jan 2026 12:01:00 GMT"), 60_000),
        ("gemini", Behaviour(status=429), None),
    ],
)
async def test_a_busy_provider_says_when_to_come_again(
    name: str, behaviour: Behaviour, expected: int | None, server: ProviderServer
) -> None:
    server.behave(behaviour)
    async with asking(name, server.url, clock=TurnedClock(NOON_MS)) as provider:
        error, _, _ = await failing(provider)
    assert isinstance(error, ProviderBusy) and error.retry_after_ms == expected


async def test_headers_become_hints(server: ProviderServer) -> None:
    told = {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-01-01T12:00:01Z",
        "anthropic-ratelimit-tokens-limit": "100000",
        "anthropic-ratelimit-tokens-remaining": "99000",
        "anthropic-ratelimit-tokens-reset": "2026-01-01T12:00:02Z",
    }
    server.behave(Behaviour(headers=told))
    seen = {}
    for name in MAKERS:
        async with asking(name, server.url, clock=TurnedClock(NOON_MS)) as provider:
            async with provider.open(ASKED) as stream:
                seen[name] = stream.hints
    assert seen["openai"] == RateHints(60, 59, 1000, 150_000, 149_984, 360_000)
    assert seen["anthropic"] == RateHints(50, 49, 1000, 100_000, 99_000, 2000)
    assert seen["gemini"] == seen["ollama"] == seen["ollama-cloud"] == RateHints()


@pytest.mark.parametrize("name", ["openai", "anthropic"])
async def test_hints_tell_what_the_strict_server_really_has_left(name: str) -> None:
    limits = StrictLimits(requests_per_minute=6, tokens_per_minute=6000, bucket_s=60)
    async with ProviderServer(Behaviour(words=5), limits=limits, tell_limits=True) as server:
        async with asking(name, server.url) as provider:
            async with provider.open(ASKED) as stream:
                hints = stream.hints
    assert (hints.requests_limit, hints.requests_remaining) == (6, 5)
    assert (hints.tokens_limit, hints.tokens_remaining) == (6000, 5990)
    assert hints.requests_reset_ms is not None and 8000 < hints.requests_reset_ms <= 11_000


def test_a_limit_that_is_none_is_not_taken_for_one() -> None:
    told = {"x-ratelimit-limit-tokens": "-1", "x-ratelimit-remaining-tokens": "-1"}
    assert OpenAIDialect().hints(told, NOON_MS) == RateHints()
    none = {"x-ratelimit-limit-requests": "0", "x-ratelimit-remaining-requests": "0"}
    assert OpenAIDialect().hints(none, NOON_MS) == RateHints(requests_remaining=0)


def gemini_busy(*quota_ids: str, delay: str | None = None, message: str = "Quota.") -> Any:
    details: list[Any] = [{"violations": [{"quotaId": each} for each in quota_ids]}]
    details += [{"retryDelay": delay}] if delay else []
    return {"error": {"code": 429, "message": message, "details": details}}


PLAN = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("dialect", "status", "body", "quota", "wait_ms"),
    [
        (
            OpenAIDialect(),
            429,
            {"error": {"message": "", "type": "insufficient_quota"}},
            True,
            None,
        ),
        (OpenAIDialect(), 429, {"error": {"message": PLAN, "code": "requests"}}, False, None),
        (OpenAIDialect(), 400, {"message": "flat"}, False, None),
        (OpenAIDialect(), 500, {"error": "a text"}, False, None),
        (OpenAIDialect(), 500, {}, False, None),
        (
            AnthropicDialect(),
            400,
            {"error": {"message": "Your credit balance is too low to access the API."}},
            True,
            None,
        ),
        (
            AnthropicDialect(),
            400,
            {"error": {"message": "You have reached your specified workspace API usage limits."}},
            True,
            None,
        ),
        (
            AnthropicDialect(),
            429,
            {
                "error": {
                    "type": "rate_limit_error",
                    "details": {"error_code": "enforced_spend_limit_reached"},
                }
            },
            True,
            None,
        ),
        (AnthropicDialect(), 429, {"error": {"type": "rate_limit_error"}}, False, None),
        (GeminiDialect(), 429, gemini_busy("RequestsPerMinute", delay="41s"), False, 41_000),
        (GeminiDialect(), 429, gemini_busy("PerMinute", "RequestsPerDayPerModel"), True, None),
        (GeminiDialect(), 429, {"error": {"message": PLAN}}, True, None),
        (GeminiDialect(), 429, {"error": {"message": "Resource exhausted."}}, False, None),
        (GeminiDialect(), 429, {"error": {"message": PLAN, "details": ["odd"]}}, True, None),
        (OllamaDialect(), 429, {"error": "you've reached your hourly usage limit"}, True, None),
        (OllamaDialect(), 429, {"error": "too many requests"}, False, None),
    ],
)
def test_a_complaint_tells_a_rate_from_an_allowance(
    dialect: Dialect, status: int, body: Any, quota: bool, wait_ms: int | None
) -> None:
    complaint = dialect.complaint(status, body)
    assert (complaint.quota, complaint.retry_after_ms) == (quota, wait_ms)


def test_a_bad_key_is_one_whatever_the_status() -> None:
    body = {"error": {"message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}
    assert isinstance(gemini("g").refusal(400, body), AuthError)


def test_thoughts_are_counted_but_not_said() -> None:
    reader = GeminiDialect().reader()
    thought = {"candidates": [{"content": {"parts": [{"text": "hm", "thought": True}]}}]}
    assert list(reader.feed(f"data: {json.dumps(thought)}")) == []
    counts = {"promptTokenCount": 4, "candidatesTokenCount": 2, "thoughtsTokenCount": 30}
    parts = [{"text": "yes"}]
    told = {
        "candidates": [{"content": {"parts": parts}, "finishReason": "SAFETY"}],
        "usageMetadata": counts,
    }
    assert list(reader.feed(f"data: {json.dumps(told)}")) == [Piece("yes", Usage(4, 32), "safety")]
    assert reader.finished


def test_a_blocked_prompt_is_an_end_and_no_cut() -> None:
    reader = GeminiDialect().reader()
    told = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}
    assert list(reader.feed(f"data: {json.dumps(told)}")) == [Piece("", Usage(4, 0), "safety")]
    assert reader.finished


def test_cached_prompts_are_counted_at_anthropic() -> None:
    reader = AnthropicDialect().reader()
    usage = {"input_tokens": 3, "cache_read_input_tokens": 100, "output_tokens": 1}
    start = {"type": "message_start", "message": {"usage": usage}}
    assert list(reader.feed(f"data: {json.dumps(start)}")) == [Piece(usage=Usage(103, 1))]
    think = {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}}
    assert list(reader.feed(f"data: {json.dumps(think)}")) == []
    delta = {
        "type": "message_delta",
        "delta": {"stop_reason": "refusal"},
        "usage": {"output_tokens": 9},
    }
    assert list(reader.feed(f"data: {json.dumps(delta)}")) == [Piece(usage=Usage(103, 9))]
    assert list(reader.feed('data: {"type": "message_stop"}')) == [Piece(finish="refusal")]


async def test_a_local_server_is_asked_for_a_running_count_and_a_line_of_its_own() -> None:
    async with ProviderServer(Behaviour(words=3)) as server:
        local = openai("m", base_url=f"{server.url}/v1", lane=Lane.LOCAL, limits=UNLIMITED)
        cloud = openai("m", base_url=f"{server.url}/v1")
        for provider, left_open in ((local, 0), (cloud, 1)):
            async with provider.open(ModelRequest(user="hi", max_tokens=5)) as stream:
                assert [piece.finish async for piece in stream][-1] == "stop"
            await server.until(lambda books: books.under_way == 0)
            await asyncio.sleep(0.05)
            assert server.open_connections == left_open
        first, second = (call.body for call in server.books.calls)
        await local.close()
        await cloud.close()
    assert first["timings_per_token"] is True
    assert first["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}
    assert "timings_per_token" not in second
    assert second["stream_options"] == {"include_usage": True}


def test_a_running_count_of_llama_is_usage() -> None:
    chunk = {
        "choices": [{"delta": {"content": "a"}}],
        "timings": {"prompt_n": 3, "cache_n": 20, "predicted_n": 7},
    }
    reader = openai("m").dialect.reader()
    pieces = list(reader.feed(f"data: {json.dumps(chunk)}"))
    assert [piece.usage for piece in pieces if piece.usage] == [Usage(23, 7)]
