"""Answers that are refused, cut, or junk: each is its error, after every piece that came."""

import asyncio
from unittest.mock import Mock

import pytest
from aiohttp import ClientPayloadError, StreamReader
from aiohttp.base_protocol import BaseProtocol

from assay.errors import (
    AssayError,
    AuthError,
    CallRefused,
    ProviderBusy,
    ProviderFailed,
    ProviderTimedOut,
    QuotaError,
    StreamCut,
)
from assay.llm.messages import AnswerPiece, ModelRequest, RateHints
from assay.llm.providers import stream as streams
from assay.llm.providers.openai import OpenAIDialect
from assay.llm.providers.stream import HttpStream
from tests.llm.providers.asking import ALL, asking, failing, raw_server, sse, streamed, taken
from tests.llm.virtual import virtually
from tests.providers.behaviour import Behaviour, Junk
from tests.providers.books import ServedState
from tests.providers.server import ProviderServer
from tests.waiting import PATIENCE_S

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
        assert await taken(provider) == [AnswerPiece("all"), AnswerPiece(finish="stop")]


async def test_nobody_waits_for_a_body_to_end_after_the_answer_has() -> None:
    reply = streamed("text/event-stream", sse(CHUNK, LAST), b"data: [DONE]\n\n", end=b"")
    async with raw_server(reply, hold=True) as url, asking("openai", url) as provider:
        async with asyncio.timeout(PATIENCE_S):
            assert await taken(provider) == [AnswerPiece("all"), AnswerPiece(finish="stop")]


async def test_pieces_that_lie_before_a_failure_are_given_all_the_same() -> None:
    content = StreamReader(BaseProtocol(asyncio.get_running_loop()), 65_536)
    content.feed_data(sse(CHUNK, CHUNK))
    content.set_exception(ClientPayloadError("cut"))
    response = Mock(content=content, connection=None)
    stream = HttpStream(
        response, OpenAIDialect().reader(), RateHints(), refusal=Mock(), name="openai"
    )
    assert [await anext(stream), await anext(stream)] == [AnswerPiece("all"), AnswerPiece("all")]
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
        async with asyncio.timeout(PATIENCE_S):
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
@virtually
async def test_silence_has_an_end(hang_after: int) -> None:
    async with ProviderServer(Behaviour(hang_after=hang_after)) as server:
        async with asking("openai", server.url, idle_timeout_s=30.0) as provider:
            error, texts, entered = await failing(provider)
    assert type(error) is ProviderTimedOut
    assert (len(texts), entered) == (max(0, hang_after), hang_after >= 0)
