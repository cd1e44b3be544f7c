"""A real model's server as the bench sees it: started, asked for its own count, and ended."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp

from bench.peers import ROOT
from bench.real_model_setup import Installed

START_SECONDS: Final = 120.0
_IDLE_SECONDS: Final = 30.0
_WRITING_SECONDS: Final = 120.0
_END_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.005
_LAUNCHED: Final = "processing task"
"""What the server writes to its log for each request that it begins to answer."""


class ServerFailed(Exception):
    """The model server did not start, or is not in order."""


@dataclass(frozen=True)
class Counted:
    """What the server itself has counted since it started."""

    requests: int
    prompt_tokens: int
    completion_tokens: int
    generating_s: float
    """Time that it spent on the tokens of its answers."""

    def __sub__(self, earlier: "Counted") -> "Counted":
        return Counted(
            self.requests - earlier.requests,
            self.prompt_tokens - earlier.prompt_tokens,
            self.completion_tokens - earlier.completion_tokens,
            self.generating_s - earlier.generating_s,
        )

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class ModelServer:
    """The running server, and what it says of itself."""

    def __init__(self, url: str, log: Path, session: aiohttp.ClientSession) -> None:
        self.url = url
        self._log = log
        self._session = session

    async def wait_until_healthy(self) -> None:
        """Return once the model is loaded."""
        until = time.monotonic() + START_SECONDS
        while (await self._get("/health")).get("status") != "ok":
            if time.monotonic() > until:
                raise ServerFailed(f"no model after {START_SECONDS:.0f} s:\n{self.last_words()}")
            await asyncio.sleep(_POLL_SECONDS)

    async def counted(self) -> Counted:
        """Its counters once it is idle; a cancelled call is in them too."""
        await self.wait_until_idle()
        async with self._session.get(f"{self.url}/metrics") as answer:
            lines = (await answer.text()).splitlines()
        figures = dict(line.split() for line in lines if line and not line.startswith("#"))
        return Counted(
            requests=self._log.read_text(errors="replace").count(_LAUNCHED),
            prompt_tokens=int(figures["llamacpp:prompt_tokens_total"]),
            completion_tokens=int(figures["llamacpp:tokens_predicted_total"]),
            generating_s=float(figures["llamacpp:tokens_predicted_seconds_total"]),
        )

    async def wait_until_idle(self) -> float:
        """Seconds until no answer is being written any more."""
        began = time.monotonic()
        while any(slot["is_processing"] for slot in await self._get("/slots")):
            if time.monotonic() - began > _IDLE_SECONDS:
                raise ServerFailed(f"the server still writes after {_IDLE_SECONDS:.0f} s")
            await asyncio.sleep(_POLL_SECONDS)
        return time.monotonic() - began

    async def wait_until_writing(self, tokens: int) -> None:
        """Return once an answer has so many tokens."""
        until = time.monotonic() + _WRITING_SECONDS
        while await self._written() < tokens:
            if time.monotonic() > until:
                raise ServerFailed(f"the server wrote no {tokens} tokens")
            await asyncio.sleep(_POLL_SECONDS)

    async def _written(self) -> int:
        slots = [slot for slot in await self._get("/slots") if slot["is_processing"]]
        return max((slot["next_token"][0]["n_decoded"] for slot in slots), default=0)

    async def prompt_tokens(self, user: str) -> int:
        """What its own tokenizer makes of a message in the model's own form."""
        messages = [{"role": "user", "content": user}]
        prompt = (await self._post("/apply-template", {"messages": messages}))["prompt"]
        asked = {"content": prompt, "add_special": True, "parse_special": True}
        return len((await self._post("/tokenize", asked))["tokens"])

    async def generate(self, user: str, max_tokens: int) -> int:
        """The same question as through the control plane, without it: tokens of the answer."""
        body = {
            "model": "any",
            "messages": [{"role": "user", "content": user}],
            "max_tokens": max_tokens,
            "temperature": 0.0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        tokens = 0
        async with self._session.post(f"{self.url}/v1/chat/completions", json=body) as answer:
            async for line in answer.content:
                if line.startswith(b"data: {"):
                    usage = json.loads(line[len("data: ") :]).get("usage")
                    tokens = usage["completion_tokens"] if usage else tokens
        return tokens

    def last_words(self) -> str:
        """The end of its log."""
        return self._log.read_text(errors="replace")[-2000:]

    async def _get(self, path: str) -> Any:
        async with self._session.get(self.url + path) as answer:
            return await answer.json()

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        async with self._session.post(self.url + path, json=body) as answer:
            answer.raise_for_status()
            return await answer.json()


@asynccontextmanager
async def serving(installed: Installed, folder: Path, threads: int) -> AsyncIterator[ModelServer]:
    """The model behind the OpenAI protocol on loopback, in a process of its own."""
    log = folder / "server.log"
    script = ROOT / "bench" / "real_model_server.py"
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *(str(installed.python), str(script)),
            *("--gguf", str(installed.gguf), "--threads", str(threads)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
    try:
        url = await _address(process, log)
        # The server hangs up after a streamed answer though it promised to keep the line.
        connector = aiohttp.TCPConnector(force_close=True)
        async with aiohttp.ClientSession(connector=connector) as session:
            server = ModelServer(url, log, session)
            await server.wait_until_healthy()
            yield server
    finally:
        await _end(process)


async def _address(process: asyncio.subprocess.Process, log: Path) -> str:
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
        return str(json.loads(line)["url"])
    except (TimeoutError, ValueError, KeyError) as error:
        raise ServerFailed(f"the server did not start:\n{log.read_text()[-2000:]}") from error


async def _end(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), _END_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
