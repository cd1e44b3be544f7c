"""Anthropic's Messages dialect."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from assay.llm.limits import PROVIDER_LIMITS
from assay.llm.messages import AnswerPiece, ModelRequest, RateHints, Usage
from assay.llm.providers.dialect import (
    AnswerReader,
    Complaint,
    Dialect,
    Json,
    StreamFault,
    get_object,
    get_text,
    parse_event_data,
    parse_object,
    sum_counts,
)
from assay.llm.providers.http import HttpOptions, HttpProvider, fill_options
from assay.llm.providers.rates import compute_wait_ms, read_amount, read_limit, read_retry_after_ms

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"

_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_QUOTA = re.compile(r"credit balance is too low|reached your .*API usage limits", re.IGNORECASE)
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_TAKES_TEMPERATURE = re.compile(
    r"claude-(?:3.*|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-\d{8}|-latest)?)"
)
_UNCHECKED = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
        *("minProperties", "maxProperties"),
    }
)
"""Keywords that Anthropic's schemas may not contain; they go into the description instead."""
_NAMED = frozenset({"properties", "$defs", "definitions"})


def anthropic(
    model: str, *, temperature: bool | None = None, **options: Unpack[HttpOptions]
) -> HttpProvider:
    """A model at Anthropic.

    `temperature` says whether to send a temperature, which newer models refuse; None sends it if
    the model is known to accept it.
    """
    if temperature is None:
        temperature = _TAKES_TEMPERATURE.fullmatch(model) is not None
    limits = PROVIDER_LIMITS["anthropic"]
    complete = fill_options(options, name="anthropic", base_url=BASE_URL, limits=limits)
    return HttpProvider(AnthropicDialect(temperature), model=model, **complete)


class AnthropicDialect(Dialect):
    """Messages as server-sent events."""

    def __init__(self, temperature: bool = True) -> None:
        self._temperature = temperature

    def path(self, model: str) -> str:
        return "/v1/messages"

    def headers(self, key: str | None) -> dict[str, str]:
        headers = {"anthropic-version": VERSION}
        return {**headers, "x-api-key": key} if key else headers

    def body(self, model: str, request: ModelRequest) -> Json:
        body: Json = {
            "model": model,
            "max_tokens": request.max_tokens,
            "messages": [{"role": "user", "content": request.user}],
            "stream": True,
        }
        if request.system:
            body["system"] = request.system
        if self._temperature:
            body["temperature"] = request.temperature
        if request.schema is not None:
            answer = {"type": "json_schema", "schema": close_schema(request.schema)}
            body["output_config"] = {"format": answer}
        return body

    def reader(self) -> "AnthropicReader":
        return AnthropicReader()

    def hints(self, headers: Mapping[str, str], now_ms: int) -> RateHints:
        prefix = "anthropic-ratelimit"
        return RateHints(
            requests_limit=read_limit(headers, f"{prefix}-requests-limit"),
            requests_remaining=read_amount(headers, f"{prefix}-requests-remaining"),
            requests_reset_ms=compute_wait_ms(headers.get(f"{prefix}-requests-reset"), now_ms),
            tokens_limit=read_limit(headers, f"{prefix}-tokens-limit"),
            tokens_remaining=read_amount(headers, f"{prefix}-tokens-remaining"),
            tokens_reset_ms=compute_wait_ms(headers.get(f"{prefix}-tokens-reset"), now_ms),
            retry_after_ms=read_retry_after_ms(headers, now_ms),
        )

    def complaint(self, status: int, body: Json) -> Complaint:
        error = get_object(body, "error")
        what = get_text(error, "message")
        # A monthly cap is reported as a rate limit, the customer's own cap as an invalid request.
        capped = get_object(error, "details").get("error_code") == "enforced_spend_limit_reached"
        quota = capped or error.get("type") == "billing_error" or bool(_QUOTA.search(what))
        return Complaint(what, quota=quota, auth=error.get("type") == "authentication_error")


class AnthropicReader(AnswerReader):
    """One answer."""

    def __init__(self) -> None:
        self._prompt_tokens: int | None = None
        self._finish = "stop"

    def feed(self, line: str) -> Iterable[AnswerPiece]:
        data = parse_event_data(line)
        if data is None:
            return []
        event = parse_object(data)
        match event.get("type"):
            case "content_block_delta":
                delta = get_object(event, "delta")
                # The thoughts of a model that thinks aloud are not part of its answer.
                text = get_text(delta, "text") if delta.get("type") == "text_delta" else ""
                return [AnswerPiece(text)] if text else []
            case "message_start":
                return self._read_usage(get_object(get_object(event, "message"), "usage"))
            case "message_delta":
                reason = get_object(event, "delta").get("stop_reason") or self._finish
                self._finish = _FINISH.get(reason, reason)
                return self._read_usage(get_object(event, "usage"))
            case "message_stop":
                self.finished = True
                return [AnswerPiece(finish=self._finish)]
            case "error":
                kind = get_text(get_object(event, "error"), "type")
                raise StreamFault(_STATUS.get(kind, 500), event)
        return []

    def _read_usage(self, usage: Json) -> Iterable[AnswerPiece]:
        prompt = sum_counts(usage, *_INPUT)
        if prompt is not None:
            self._prompt_tokens = prompt
        completion = sum_counts(usage, "output_tokens")
        if self._prompt_tokens is None or completion is None:
            return []
        return [AnswerPiece(usage=Usage(self._prompt_tokens, completion))]


def close_schema(schema: Mapping[str, Any]) -> Json:
    """The schema as Anthropic accepts it: closed objects, and limits in the description. Pydantic
    still checks the limits."""
    closed: Json = {}
    bounds: list[str] = []
    for name, value in schema.items():
        if name in _UNCHECKED:
            bounds.append(f"{name}: {value}")
        elif name in _NAMED and isinstance(value, Mapping):
            closed[name] = {inside: _close_value(part) for inside, part in value.items()}
        elif name in ("enum", "const", "default", "examples", "required"):
            closed[name] = value
        else:
            closed[name] = _close_value(value)
    if closed.get("type") == "object" or "properties" in closed:
        closed["additionalProperties"] = False
    if bounds:
        description = closed.get("description")
        limits = "{" + ", ".join(bounds) + "}"
        closed["description"] = f"{description} {limits}" if description else limits
    return closed


def _close_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return close_schema(value)
    if isinstance(value, list):
        return [_close_value(part) for part in value]
    return value
