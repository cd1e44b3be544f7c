"""Every dialect over real HTTP: what is sent, and what is understood."""

import json
from collections.abc import Callable

import pytest

from assay.llm.limits import PROVIDER_LIMITS, UNLIMITED
from assay.llm.messages import AnswerPiece, Lane, ModelRequest, Provider, Usage
from assay.llm.providers import HttpProvider, anthropic, gemini, ollama, openai
from assay.llm.providers.anthropic import AnthropicDialect, close_schema
from assay.llm.providers.gemini import GeminiDialect
from tests.llm.providers.asking import ALL, ASKED, KEY, MAKERS, SCHEMA, asking, taken
from tests.providers.behaviour import Behaviour
from tests.providers.server import ProviderServer
from tests.waiting import until_async


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
    closed = close_schema(schema)
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
    assert list(reader.feed(f"data: {json.dumps(told)}")) == [
        AnswerPiece("yes", Usage(4, 32), "safety")
    ]
    assert reader.finished


def test_a_blocked_prompt_is_an_end_and_no_cut() -> None:
    reader = GeminiDialect().reader()
    told = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}
    assert list(reader.feed(f"data: {json.dumps(told)}")) == [
        AnswerPiece("", Usage(4, 0), "safety")
    ]
    assert reader.finished


def test_cached_prompts_are_counted_at_anthropic() -> None:
    reader = AnthropicDialect().reader()
    usage = {"input_tokens": 3, "cache_read_input_tokens": 100, "output_tokens": 1}
    start = {"type": "message_start", "message": {"usage": usage}}
    assert list(reader.feed(f"data: {json.dumps(start)}")) == [AnswerPiece(usage=Usage(103, 1))]
    think = {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}}
    assert list(reader.feed(f"data: {json.dumps(think)}")) == []
    delta = {
        "type": "message_delta",
        "delta": {"stop_reason": "refusal"},
        "usage": {"output_tokens": 9},
    }
    assert list(reader.feed(f"data: {json.dumps(delta)}")) == [AnswerPiece(usage=Usage(103, 9))]
    assert list(reader.feed('data: {"type": "message_stop"}')) == [AnswerPiece(finish="refusal")]


async def test_a_local_server_is_asked_for_a_running_count_and_a_line_of_its_own() -> None:
    async with ProviderServer(Behaviour(words=3)) as server:
        local = openai("m", base_url=f"{server.url}/v1", lane=Lane.LOCAL, limits=UNLIMITED)
        cloud = openai("m", base_url=f"{server.url}/v1")
        for provider, left_open in ((local, 0), (cloud, 1)):
            async with provider.open(ModelRequest(user="hi", max_tokens=5)) as stream:
                assert [piece.finish async for piece in stream][-1] == "stop"
            await server.until(lambda books: books.under_way == 0)

            def are_left(wanted: int = left_open) -> bool:
                return server.open_connections == wanted

            await until_async(are_left)
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
