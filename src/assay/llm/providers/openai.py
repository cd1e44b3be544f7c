"""Chat Completions: OpenAI, and every server with the same dialect (llama.cpp, vLLM, …)."""

import re
from collections.abc import Iterable, Mapping
from typing import Unpack
from urllib.parse import urlsplit

from assay.llm.limits import PROVIDER_LIMITS
from assay.llm.messages import AnswerPiece, Lane, ModelRequest, RateHints, Usage
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
from assay.llm.providers.rates import (
    parse_duration_ms,
    read_amount,
    read_limit,
    read_retry_after_ms,
)

BASE_URL = "https://api.openai.com/v1"

_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_TRY_AGAIN = re.compile(r"try again in ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)", re.IGNORECASE)
_TAKES_TEMPERATURE = re.compile(r"(?:ft:)?(?:gpt-3|gpt-4|chatgpt-)")


def openai(
    model: str, *, temperature: bool | None = None, **options: Unpack[HttpOptions]
) -> HttpProvider:
    """A model at OpenAI, or at a `base_url` with the same dialect.

    `temperature` says whether to send a temperature; None sends it if the model is known to accept
    it.
    """
    limits = PROVIDER_LIMITS["openai"]
    complete = fill_options(options, name="openai", base_url=BASE_URL, limits=limits)
    at_home = urlsplit(complete["base_url"]).hostname == urlsplit(BASE_URL).hostname
    if temperature is None:
        temperature = not at_home or _TAKES_TEMPERATURE.match(model) is not None
    return HttpProvider(
        # OpenAI refuses the older name for its newer models; others ignore the newer one and
        # would answer without a limit.
        OpenAIDialect(
            "max_completion_tokens" if at_home else "max_tokens",
            temperature,
            running_usage=complete["lane"] is Lane.LOCAL,
        ),
        model=model,
        **complete,
        # llama.cpp promises to keep the connection after a streamed answer but closes it anyway;
        # on the same machine a new connection costs nothing.
        keep_alive=complete["lane"] is not Lane.LOCAL,
    )


class OpenAIDialect(Dialect):
    """Chat Completions as server-sent events."""

    def __init__(
        self, bound: str = "max_tokens", temperature: bool = True, running_usage: bool = False
    ) -> None:
        self._bound = bound
        self._temperature = temperature
        self._running_usage = running_usage

    def path(self, model: str) -> str:
        return "/chat/completions"

    def body(self, model: str, request: ModelRequest) -> Json:
        messages = [{"role": "system", "content": request.system}] if request.system else []
        body: Json = {
            "model": model,
            "messages": [*messages, {"role": "user", "content": request.user}],
            self._bound: request.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self._running_usage:
            # vLLM's and llama.cpp's options for a count with every piece, so that a cancelled call
            # costs only what it used. Servers in the cloud may refuse them.
            body["stream_options"]["continuous_usage_stats"] = True
            body["timings_per_token"] = True
        if self._temperature:
            body["temperature"] = request.temperature
        if request.schema is not None:
            # Not strict, which supports only part of JSON schema. Pydantic checks the answer.
            schema = {"name": request.schema_name, "schema": request.schema, "strict": False}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def reader(self) -> "OpenAIReader":
        return OpenAIReader()

    def hints(self, headers: Mapping[str, str], now_ms: int) -> RateHints:
        return RateHints(
            requests_limit=read_limit(headers, "x-ratelimit-limit-requests"),
            requests_remaining=read_amount(headers, "x-ratelimit-remaining-requests"),
            requests_reset_ms=parse_duration_ms(headers.get("x-ratelimit-reset-requests")),
            tokens_limit=read_limit(headers, "x-ratelimit-limit-tokens"),
            tokens_remaining=read_amount(headers, "x-ratelimit-remaining-tokens"),
            tokens_reset_ms=parse_duration_ms(headers.get("x-ratelimit-reset-tokens")),
            retry_after_ms=read_retry_after_ms(headers, now_ms),
        )

    def complaint(self, status: int, body: Json) -> Complaint:
        error = get_object(body, "error")
        # vLLM and others send the message without a wrapper, or the error as plain text.
        what = get_text(error, "message") or get_text(body, "message") or get_text(body, "error")
        again = _TRY_AGAIN.search(what)
        return Complaint(
            what,
            quota=bool({error.get("code"), error.get("type")} & _QUOTA),
            auth=error.get("code") == "invalid_api_key",
            retry_after_ms=parse_duration_ms(again[1]) if again else None,
        )


class OpenAIReader(AnswerReader):
    """Reads one answer. It finishes with `[DONE]`, because the usage comes after the reason."""

    def __init__(self) -> None:
        self._finish: str | None = None

    def feed(self, line: str) -> Iterable[AnswerPiece]:
        data = parse_event_data(line)
        if data is None:
            return []
        if data == "[DONE]":
            return self._build_last_piece("stop")
        chunk = parse_object(data)
        if chunk.get("error"):
            raise StreamFault(_read_status(get_object(chunk, "error")), chunk)
        return list(self._read_pieces(chunk))

    def end(self) -> Iterable[AnswerPiece]:
        # Some servers close the connection right after the reason.
        return [] if self.finished or self._finish is None else self._build_last_piece(self._finish)

    def _read_pieces(self, chunk: Json) -> Iterable[AnswerPiece]:
        for choice in chunk.get("choices") or []:
            text = get_text(get_object(choice, "delta"), "content")
            if text:
                yield AnswerPiece(text)
            self._finish = choice.get("finish_reason") or self._finish
        usage = get_object(chunk, "usage")
        prompt, completion = (
            sum_counts(usage, "prompt_tokens"),
            sum_counts(usage, "completion_tokens"),
        )
        timings = get_object(chunk, "timings")
        if prompt is None and timings:
            read, completion = sum_counts(timings, "prompt_n"), sum_counts(timings, "predicted_n")
            prompt = None if read is None else read + (sum_counts(timings, "cache_n") or 0)
        if prompt is not None and completion is not None:
            yield AnswerPiece(usage=Usage(prompt, completion))

    def _build_last_piece(self, finish: str) -> Iterable[AnswerPiece]:
        self.finished = True
        return [AnswerPiece(finish=self._finish or finish)]


def _read_status(error: Json) -> int:
    code = error.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return 429 if "rate_limit" in f"{code} {error.get('type')}" else 500
