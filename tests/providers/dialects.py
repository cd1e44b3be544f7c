"""The four dialects as a provider speaks them: what is asked, and how an answer is written."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from assay.llm.messages import Usage
from tests.providers.behaviour import Bucket, Buckets

Json = dict[str, Any]

_ANTHROPIC_REASONS = {"stop": "end_turn", "length": "max_tokens"}
_GEMINI_REASONS = {"stop": "STOP", "length": "MAX_TOKENS"}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What any request asks for."""

    model: str
    texts: Sequence[str]
    """Everything that the model is given to read."""
    max_tokens: int | None
    stream: bool
    tell_usage: bool = True


class ServerDialect(Protocol):
    """How a provider reads and writes."""

    name: str
    paths: tuple[str, ...]
    content_type: str
    broken: bytes
    """Half an object, framed as a whole one."""
    line: bytes
    """How a line begins."""

    def read(self, body: Mapping[str, Any], model: str, stream: bool) -> Asked: ...

    def start(self, asked: Asked, usage: Usage | None) -> bytes: ...

    def piece(self, asked: Asked, text: str) -> bytes: ...

    def end(self, asked: Asked, usage: Usage | None, finish: str) -> bytes: ...

    def whole(self, asked: Asked, text: str, usage: Usage | None, finish: str) -> Json: ...

    def fault(self, status: int, message: str, quota: bool, retry_ms: int | None) -> Json: ...

    def fault_in_stream(self, status: int, message: str) -> bytes: ...

    def retry_headers(self, retry_ms: int) -> dict[str, str]: ...

    def limit_headers(self, buckets: Buckets) -> dict[str, str]: ...


class OpenAIServer:
    """Chat completions."""

    name = "openai"
    paths: tuple[str, ...] = ("/v1/chat/completions", "/chat/completions")
    content_type = "text/event-stream"
    broken = b'data: {"choices": [{"delta": {"content": "w\n\n'
    line = b"data: "

    def read(self, body: Mapping[str, Any], model: str, stream: bool) -> Asked:
        options = body.get("stream_options") or {}
        return Asked(
            model=body["model"],
            texts=[_content(message["content"]) for message in body["messages"]],
            max_tokens=body.get("max_completion_tokens", body.get("max_tokens")),
            stream=bool(body.get("stream")),
            tell_usage=bool(options.get("include_usage")),
        )

    def start(self, asked: Asked, usage: Usage | None) -> bytes:
        return self._chunk(asked, {"role": "assistant", "content": ""}, None)

    def piece(self, asked: Asked, text: str) -> bytes:
        return self._chunk(asked, {"content": text}, None)

    def end(self, asked: Asked, usage: Usage | None, finish: str) -> bytes:
        last = self._chunk(asked, {}, finish)
        if usage is not None and asked.tell_usage:
            last += _data({**self._head(asked), "choices": [], "usage": self._usage(usage)})
        return last + b"data: [DONE]\n\n"

    def whole(self, asked: Asked, text: str, usage: Usage | None, finish: str) -> Json:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        told = {"usage": self._usage(usage)} if usage is not None else {}
        return {**self._head(asked), "object": "chat.completion", "choices": [choice], **told}

    def fault(self, status: int, message: str, quota: bool, retry_ms: int | None) -> Json:
        kinds = {400: "invalid_request_error", 401: "invalid_request_error", 429: "requests"}
        kind = "insufficient_quota" if quota else kinds.get(status, "server_error")
        codes = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
        code = "insufficient_quota" if quota else codes.get(status)
        if retry_ms is not None:
            message += f" Please try again in {retry_ms}ms."
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}

    def fault_in_stream(self, status: int, message: str) -> bytes:
        return _data(self.fault(status, message, False, None))

    def retry_headers(self, retry_ms: int) -> dict[str, str]:
        return {"Retry-After": _seconds(retry_ms), "retry-after-ms": str(retry_ms)}

    def limit_headers(self, buckets: Buckets) -> dict[str, str]:
        told: dict[str, str] = {}
        for name, bucket in (("requests", buckets.requests), ("tokens", buckets.tokens)):
            if bucket is not None:
                told[f"x-ratelimit-limit-{name}"] = str(int(bucket.per_minute))
                told[f"x-ratelimit-remaining-{name}"] = str(int(bucket.level))
                told[f"x-ratelimit-reset-{name}"] = f"{_full_ms(bucket)}ms"
        return told

    def _head(self, asked: Asked) -> Json:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1_700_000_000,
            "model": asked.model,
        }

    def _chunk(self, asked: Asked, delta: Json, finish: str | None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        told = {"usage": None} if asked.tell_usage else {}
        return _data({**self._head(asked), "choices": [choice], **told})

    def _usage(self, usage: Usage) -> Json:
        return {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.total_tokens,
        }


class AnthropicServer:
    """Messages."""

    name = "anthropic"
    paths: tuple[str, ...] = ("/v1/messages",)
    content_type = "text/event-stream; charset=utf-8"
    broken = b'event: content_block_delta\ndata: {"type": "content_block_delta", "del\n\n'
    line = b"data: "

    def read(self, body: Mapping[str, Any], model: str, stream: bool) -> Asked:
        texts = [_content(message["content"]) for message in body["messages"]]
        return Asked(
            model=body["model"],
            texts=[_content(body.get("system", "")), *texts],
            max_tokens=body["max_tokens"],
            stream=bool(body.get("stream")),
        )

    def start(self, asked: Asked, usage: Usage | None) -> bytes:
        message = {**self._message(asked, [], None), **self._usage(usage, 1)}
        block = {"type": "text", "text": ""}
        return (
            _event("message_start", message=message)
            + _event("content_block_start", index=0, content_block=block)
            + _event("ping")
        )

    def piece(self, asked: Asked, text: str) -> bytes:
        return _event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})

    def end(self, asked: Asked, usage: Usage | None, finish: str) -> bytes:
        delta = {"stop_reason": _ANTHROPIC_REASONS.get(finish, finish), "stop_sequence": None}
        told = {"usage": {"output_tokens": usage.completion_tokens}} if usage is not None else {}
        return (
            _event("content_block_stop", index=0)
            + _event("message_delta", delta=delta, **told)
            + _event("message_stop")
        )

    def whole(self, asked: Asked, text: str, usage: Usage | None, finish: str) -> Json:
        block = {"type": "text", "text": text}
        message = self._message(asked, [block], _ANTHROPIC_REASONS.get(finish, finish))
        return {**message, **self._usage(usage, None)}

    def fault(self, status: int, message: str, quota: bool, retry_ms: int | None) -> Json:
        kinds = {
            400: "invalid_request_error",
            401: "authentication_error",
            402: "billing_error",
            403: "permission_error",
            404: "not_found_error",
            413: "request_too_large",
            429: "rate_limit_error",
            529: "overloaded_error",
        }
        kind = "billing_error" if quota else kinds.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}

    def fault_in_stream(self, status: int, message: str) -> bytes:
        return _event("error", error=self.fault(status, message, False, None)["error"])

    def retry_headers(self, retry_ms: int) -> dict[str, str]:
        return {"retry-after": _seconds(retry_ms)}

    def limit_headers(self, buckets: Buckets) -> dict[str, str]:
        told: dict[str, str] = {}
        for name, bucket in (("requests", buckets.requests), ("tokens", buckets.tokens)):
            if bucket is not None:
                reset = datetime.now(UTC).timestamp() + _full_ms(bucket) / 1000
                stamp = datetime.fromtimestamp(math.ceil(reset), UTC)
                told[f"anthropic-ratelimit-{name}-limit"] = str(int(bucket.per_minute))
                told[f"anthropic-ratelimit-{name}-remaining"] = str(int(bucket.level))
                told[f"anthropic-ratelimit-{name}-reset"] = f"{stamp:%Y-%m-%dT%H:%M:%SZ}"
        return told

    def _message(self, asked: Asked, content: Sequence[Json], reason: str | None) -> Json:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": list(content),
            "stop_reason": reason,
            "stop_sequence": None,
        }

    def _usage(self, usage: Usage | None, output: int | None) -> Json:
        if usage is None:
            return {}
        said = usage.completion_tokens if output is None else output
        return {"usage": {"input_tokens": usage.prompt_tokens, "output_tokens": said}}


class GeminiServer:
    """Generate content."""

    name = "gemini"
    paths: tuple[str, ...] = (
        "/v1beta/models/{model}:streamGenerateContent",
        "/v1beta/models/{model}:generateContent",
    )
    content_type = "text/event-stream"
    broken = b'data: {"candidates": [{"content": {"parts": [{"te\r\n\r\n'
    line = b"data: "

    def read(self, body: Mapping[str, Any], model: str, stream: bool) -> Asked:
        said = [body.get("systemInstruction") or {"parts": []}, *body["contents"]]
        return Asked(
            model=model,
            texts=[part["text"] for content in said for part in content["parts"]],
            max_tokens=body.get("generationConfig", {}).get("maxOutputTokens"),
            stream=stream,
        )

    def start(self, asked: Asked, usage: Usage | None) -> bytes:
        return b""

    def piece(self, asked: Asked, text: str) -> bytes:
        return _data(self._answer(asked, text, None, None), b"\r\n")

    def end(self, asked: Asked, usage: Usage | None, finish: str) -> bytes:
        return _data(self._answer(asked, "", usage, finish), b"\r\n")

    def whole(self, asked: Asked, text: str, usage: Usage | None, finish: str) -> Json:
        return self._answer(asked, text, usage, finish)

    def fault(self, status: int, message: str, quota: bool, retry_ms: int | None) -> Json:
        names = {
            400: "INVALID_ARGUMENT",
            401: "UNAUTHENTICATED",
            403: "PERMISSION_DENIED",
            404: "NOT_FOUND",
            429: "RESOURCE_EXHAUSTED",
            503: "UNAVAILABLE",
        }
        details: list[Json] = []
        if status == 429:
            span = "Day" if quota else "Minute"
            violation = {"quotaId": f"GenerateRequestsPer{span}PerProjectPerModel"}
            kind = "type.googleapis.com/google.rpc.QuotaFailure"
            details.append({"@type": kind, "violations": [violation]})
        elif quota:
            message += " Please check your plan and billing details."
        if retry_ms is not None:
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            details.append({"@type": kind, "retryDelay": f"{retry_ms / 1000}s"})
        told = {"code": status, "message": message, "status": names.get(status, "INTERNAL")}
        return {"error": {**told, "details": details}}

    def fault_in_stream(self, status: int, message: str) -> bytes:
        return _data(self.fault(status, message, False, None), b"\r\n")

    def retry_headers(self, retry_ms: int) -> dict[str, str]:
        return {}

    def limit_headers(self, buckets: Buckets) -> dict[str, str]:
        return {}

    def _answer(self, asked: Asked, text: str, usage: Usage | None, finish: str | None) -> Json:
        content = {"role": "model", "parts": [{"text": text}]}
        candidate: Json = {"index": 0, "content": content}
        if finish is not None:
            candidate["finishReason"] = _GEMINI_REASONS.get(finish, finish)
        answer: Json = {"candidates": [candidate], "modelVersion": asked.model}
        if usage is not None:
            answer["usageMetadata"] = {
                "promptTokenCount": usage.prompt_tokens,
                "candidatesTokenCount": usage.completion_tokens,
                "totalTokenCount": usage.total_tokens,
            }
        return answer


class OllamaServer:
    """Chat."""

    name = "ollama"
    paths: tuple[str, ...] = ("/api/chat",)
    content_type = "application/x-ndjson"
    broken = b'{"model": "m", "message": {"role": "assis\n'
    line = b'{"model": "'

    def read(self, body: Mapping[str, Any], model: str, stream: bool) -> Asked:
        return Asked(
            model=body["model"],
            texts=[message["content"] for message in body["messages"]],
            max_tokens=(body.get("options") or {}).get("num_predict"),
            stream=body.get("stream", True),
        )

    def start(self, asked: Asked, usage: Usage | None) -> bytes:
        return b""

    def piece(self, asked: Asked, text: str) -> bytes:
        return _line({**self._head(asked, text), "done": False})

    def end(self, asked: Asked, usage: Usage | None, finish: str) -> bytes:
        return _line(self.whole(asked, "", usage, finish))

    def whole(self, asked: Asked, text: str, usage: Usage | None, finish: str) -> Json:
        told: Json = {"done": True, "done_reason": finish, "total_duration": 1_000_000}
        if usage is not None:
            told["prompt_eval_count"] = usage.prompt_tokens
            told["eval_count"] = usage.completion_tokens
        return {**self._head(asked, text), **told}

    def fault(self, status: int, message: str, quota: bool, retry_ms: int | None) -> Json:
        return {"error": message + (" You have reached your weekly usage limit." * quota)}

    def fault_in_stream(self, status: int, message: str) -> bytes:
        return _line(self.fault(status, message, False, None))

    def retry_headers(self, retry_ms: int) -> dict[str, str]:
        return {"Retry-After": _seconds(retry_ms)}

    def limit_headers(self, buckets: Buckets) -> dict[str, str]:
        return {}

    def _head(self, asked: Asked, text: str) -> Json:
        message = {"role": "assistant", "content": text}
        return {"model": asked.model, "created_at": "2026-01-01T00:00:00Z", "message": message}


SERVER_DIALECTS: tuple[ServerDialect, ...] = (
    OpenAIServer(),
    AnthropicServer(),
    GeminiServer(),
    OllamaServer(),
)


def _content(content: str | Sequence[Mapping[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content)


def _data(value: Json, newline: bytes = b"\n") -> bytes:
    return b"data: " + json.dumps(value).encode() + newline * 2


def _event(kind: str, **told: Any) -> bytes:
    return f"event: {kind}\n".encode() + _data({"type": kind, **told})


def _line(value: Json) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _seconds(milliseconds: int) -> str:
    return str(math.ceil(milliseconds / 1000))


def _full_ms(bucket: Bucket) -> int:
    return math.ceil(bucket.short_s(bucket.capacity) * 1000)
