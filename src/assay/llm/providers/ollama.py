"""Ollama's chat dialect, for a local server or its cloud."""

import json
from collections.abc import Iterable
from typing import Unpack

from assay.llm.limits import UNLIMITED, ProviderLimits
from assay.llm.messages import AnswerPiece, Lane, ModelRequest, ProviderRank, Usage
from assay.llm.providers.dialect import (
    AnswerReader,
    Complaint,
    Dialect,
    Json,
    StreamFault,
    get_object,
    get_text,
    parse_object,
    sum_counts,
)
from assay.llm.providers.http import HttpOptions, HttpProvider, fill_options

LOCAL_URL = "http://127.0.0.1:11434"
CLOUD_URL = "https://ollama.com"

CLOUD_LIMITS = ProviderLimits(max_concurrent=1)
"""The cloud has no rate limits, only a number of calls in progress per plan: at least one."""

_SCHEMA = "Answer with one JSON value that fits this JSON schema, and with nothing else:"


def ollama(
    model: str, *, context: int | None = None, **options: Unpack[HttpOptions]
) -> HttpProvider:
    """A model of an Ollama server.

    `context` is how many tokens prompt and answer may have together. Without it, the server's own
    value applies, and Ollama silently drops the beginning of a longer prompt.
    """
    complete = fill_options(
        options, name="ollama", base_url=LOCAL_URL, lane=Lane.LOCAL, limits=UNLIMITED
    )
    return HttpProvider(OllamaDialect(context=context), model=model, **complete)


def ollama_cloud(model: str, **options: Unpack[HttpOptions]) -> HttpProvider:
    """A model of Ollama's cloud, which accepts a schema but ignores it, so the prompt states it."""
    complete = fill_options(options, name="ollama-cloud", base_url=CLOUD_URL, limits=CLOUD_LIMITS)
    dialect = OllamaDialect(schema_in_words=True)
    return HttpProvider(dialect, model=model, **complete, rank=ProviderRank.SECOND)


class OllamaDialect(Dialect):
    """/api/chat, one JSON object per line."""

    content_types = frozenset({"application/x-ndjson", "application/ndjson", "application/json"})

    def __init__(self, *, schema_in_words: bool = False, context: int | None = None) -> None:
        self._schema_in_words = schema_in_words
        self._context = context

    def path(self, model: str) -> str:
        return "/api/chat"

    def body(self, model: str, request: ModelRequest) -> Json:
        system = request.system
        if request.schema is not None and self._schema_in_words:
            schema = json.dumps(request.schema, ensure_ascii=False)
            system = f"{system}\n\n{_SCHEMA}\n{schema}".strip()
        messages = [{"role": "system", "content": system}] if system else []
        options: Json = {"num_predict": request.max_tokens, "temperature": request.temperature}
        if self._context is not None:
            options["num_ctx"] = self._context
        body: Json = {
            "model": model,
            "messages": [*messages, {"role": "user", "content": request.user}],
            "stream": True,
            "options": options,
        }
        if request.schema is not None and not self._schema_in_words:
            body["format"] = request.schema
        return body

    def reader(self) -> "OllamaReader":
        return OllamaReader()

    def complaint(self, status: int, body: Json) -> Complaint:
        what = get_text(body, "error") or get_text(get_object(body, "error"), "message")
        # 'You have reached your session (hourly, weekly) usage limit' means the plan's allowance;
        # a mere burst is reported as too many requests.
        return Complaint(what, quota="usage limit" in what.lower())


class OllamaReader(AnswerReader):
    """Reads one answer. The line with `done` is the last."""

    def feed(self, line: str) -> Iterable[AnswerPiece]:
        chunk = parse_object(line)
        if chunk.get("error"):
            status = chunk.get("status_code")
            raise StreamFault(status if isinstance(status, int) else 500, chunk)
        text = get_text(get_object(chunk, "message"), "content")
        if not chunk.get("done"):
            return [AnswerPiece(text)] if text else []
        self.finished = True
        prompt, completion = sum_counts(chunk, "prompt_eval_count"), sum_counts(chunk, "eval_count")
        usage = Usage(prompt, completion) if prompt is not None and completion is not None else None
        return [AnswerPiece(text, usage=usage, finish=get_text(chunk, "done_reason") or "stop")]
