"""Vectors of texts from `/v1/embeddings`, as OpenAI, vLLM, llama.cpp and Ollama offer it.

To the control plane it is a call like any other: a prompt that is charged, and an answer without
tokens of its own. The texts are the request's message, as a JSON list.
"""

import json
from collections.abc import Iterable
from typing import Final, Unpack

from assay.llm.limits import PROVIDER_LIMITS, UNLIMITED
from assay.llm.messages import AnswerPiece, Lane, ModelRequest, Usage
from assay.llm.providers.dialect import AnswerReader, Json, get_object, sum_counts
from assay.llm.providers.http import HttpOptions, HttpProvider, fill_options
from assay.llm.providers.ollama import LOCAL_URL
from assay.llm.providers.openai import BASE_URL, OpenAIDialect

_MAX_LINE: Final = 20_000_000


def openai_embeddings(model: str, **options: Unpack[HttpOptions]) -> HttpProvider:
    """A model for vectors at OpenAI, or at a `base_url` with the same dialect."""
    complete = fill_options(
        options, name="openai", base_url=BASE_URL, limits=PROVIDER_LIMITS["openai"]
    )
    keep_alive = complete["lane"] is not Lane.LOCAL
    dialect = EmbeddingDialect("/embeddings")
    return HttpProvider(dialect, model=model, **complete, keep_alive=keep_alive)


def ollama_embeddings(model: str, **options: Unpack[HttpOptions]) -> HttpProvider:
    """A model for vectors of an Ollama server."""
    complete = fill_options(
        options,
        name="ollama",
        base_url=LOCAL_URL,
        lane=Lane.LOCAL,
        limits=UNLIMITED,
    )
    return HttpProvider(EmbeddingDialect("/v1/embeddings"), model=model, **complete)


class EmbeddingDialect(OpenAIDialect):
    """One JSON object with all vectors."""

    content_types = frozenset({"application/json"})

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def path(self, model: str) -> str:
        return self._path

    def body(self, model: str, request: ModelRequest) -> Json:
        return {"model": model, "input": json.loads(request.user), "encoding_format": "float"}

    def reader(self) -> "EmbeddingReader":  # type: ignore[override]
        return EmbeddingReader()


class EmbeddingReader(AnswerReader):
    """Reads one answer, which is whole only at its end."""

    max_line = _MAX_LINE

    def __init__(self) -> None:
        self._lines: list[str] = []

    def feed(self, line: str) -> Iterable[AnswerPiece]:
        self._lines.append(line)
        return []

    def end(self) -> Iterable[AnswerPiece]:
        text = "\n".join(self._lines)
        try:
            body = json.loads(text)
        except ValueError:
            # Half an answer: the transport reports that it was cut.
            return []
        self.finished = True
        usage = get_object(body if isinstance(body, dict) else {}, "usage")
        counted = sum_counts(usage, "prompt_tokens")
        return [
            AnswerPiece(text, usage=None if counted is None else Usage(counted, 0), finish="stop")
        ]
