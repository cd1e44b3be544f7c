"""An OpenAI-compatible server asked without the control plane: the bench's peer, and its truth."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from assay.llm.messages import Usage
from assay.llm.providers.openai import BASE_URL

_TIMEOUT_S: Final = 300.0
_ONE_TOKEN: Final = "a"


class ServerFailed(Exception):
    """The server cannot be asked, or leaves out what the bench needs."""


@dataclass(frozen=True)
class BareAnswer:
    """What the server answered, and how long it took."""

    text: str
    usage: Usage
    """As the server itself reports it."""
    first_s: float
    """Seconds until the first text."""


class BareServer:
    """The server without anything between."""

    def __init__(self, url: str, model: str, session: aiohttp.ClientSession) -> None:
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._model = model
        self._session = session
        self._is_openai = urlsplit(url).hostname == urlsplit(BASE_URL).hostname

    async def ask(self, user: str, max_tokens: int) -> BareAnswer:
        """One question, read as it arrives."""
        began = time.perf_counter()
        try:
            async with self._session.post(self._url, json=self._body(user, max_tokens)) as answer:
                if answer.status != 200:
                    said = (await answer.text())[:300]
                    raise ServerFailed(f"{self._url} answers {answer.status}: {said}")
                return await self._read(answer, began)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ServerFailed(f"{self._url}: {error or type(error).__name__}") from error

    async def count_tokens(self, text: str) -> int:
        """Tokens of a text, by the server's own count, without the frame of a message."""
        frame = (await self.ask(_ONE_TOKEN, 1)).usage.prompt_tokens - 1
        return (await self.ask(text, 1)).usage.prompt_tokens - frame

    def _body(self, user: str, max_tokens: int) -> dict[str, Any]:
        # OpenAI's newer models refuse the older name and a temperature; others want both.
        bound: dict[str, Any] = {"max_tokens": max_tokens, "temperature": 0.0}
        if self._is_openai:
            bound = {"max_completion_tokens": max_tokens}
        return {
            "model": self._model,
            "messages": [{"role": "user", "content": user}],
            "stream": True,
            "stream_options": {"include_usage": True},
            **bound,
        }

    async def _read(self, answer: aiohttp.ClientResponse, began: float) -> BareAnswer:
        first_s, text = 0.0, ""
        usage: dict[str, int] | None = None
        async for line in answer.content:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[len("data: ") :])
            usage = chunk.get("usage") or usage
            for choice in chunk["choices"]:
                text += choice["delta"].get("content") or ""
            if text and not first_s:
                first_s = time.perf_counter() - began
        if usage is None:
            raise ServerFailed(
                f"{self._url} reports no usage with a streamed answer, so nothing can be compared. "
                "Use a server that heeds stream_options.include_usage."
            )
        return BareAnswer(text, Usage(usage["prompt_tokens"], usage["completion_tokens"]), first_s)


@asynccontextmanager
async def open_bare(url: str, model: str, key: str | None) -> AsyncIterator[BareServer]:
    """The server at an address such as `http://127.0.0.1:8080/v1`."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    # Some servers hang up after a streamed answer though they promised to keep the line.
    connector = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(
        headers=headers, timeout=timeout, connector=connector
    ) as session:
        yield BareServer(url, model, session)
