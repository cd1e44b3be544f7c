"""Asking a provider of every dialect, at the server double or at one that sends any bytes."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from assay.errors import AssayError
from assay.llm.messages import AnswerPiece, ModelRequest, Provider
from assay.llm.providers import HttpProvider, anthropic, gemini, ollama, ollama_cloud, openai

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


@asynccontextmanager
async def asking(name: str, url: str, **more: Any) -> AsyncIterator[HttpProvider]:
    provider = MAKERS[name](url, **more)
    try:
        yield provider
    finally:
        await provider.close()


async def taken(provider: Provider, request: ModelRequest = ASKED) -> list[AnswerPiece]:
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
