"""An answer that arrives over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from dataclasses import replace

import aiohttp

from assay.errors import AssayError, ProviderFailed, ProviderTimedOut, StreamCut
from assay.llm.messages import AnswerPiece, RateHints
from assay.llm.providers.dialect import AnswerReader, Json, StreamFault

MAX_ANSWER = 20_000_000
"""The most bytes of an answer."""
_LINGER_S = 0.05
"""How long to wait for the end of a finished answer's body, so that its connection is reused."""


class HttpStream:
    """The pieces of one answer, read by a separate task as fast as they arrive."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        reader: AnswerReader,
        hints: RateHints,
        *,
        refusal: Callable[[int, Json], AssayError],
        name: str,
    ) -> None:
        self.hints = hints
        self._response = response
        self._reader = reader
        self._refusal = refusal
        self._name = name
        self._line = bytearray()
        self._size = 0
        self._ended = False
        # Unbounded: MAX_ANSWER is limit enough, and a blocked pump would miss the connection's end.
        self._arrived: asyncio.Queue[AnswerPiece | AssayError | None] = asyncio.Queue()
        self._pump = asyncio.create_task(self._pump_pieces(), name=f"assay-llm-{name}")

    def __aiter__(self) -> AsyncIterator[AnswerPiece]:
        return self

    async def __anext__(self) -> AnswerPiece:
        if self._ended:
            raise StopAsyncIteration
        item = await self._arrived.get()
        if isinstance(item, AnswerPiece):
            return item
        self._ended = True
        if item is None:
            raise StopAsyncIteration
        raise item

    async def close(self) -> None:
        """End the connection now, or keep it for the next call if the answer is over."""
        try:
            if self._ended and self._reader.finished:
                await asyncio.wait({self._pump}, timeout=_LINGER_S)
        finally:
            self._drop()
        await asyncio.wait({self._pump})

    def _drop(self) -> None:
        connection = self._response.connection
        if connection is not None and connection.transport is not None:
            # Not a normal close, which would first write what the provider does not read.
            connection.transport.abort()
        self._response.close()
        self._pump.cancel()

    async def _pump_pieces(self) -> None:
        try:
            await self._read_to_end()
            outcome: AssayError | None = None
        except AssayError as error:
            outcome = error
        except StreamFault as fault:
            outcome = self._refusal(fault.status, fault.body)
        except TimeoutError:
            outcome = ProviderTimedOut(f"{self._name} stopped sending within its answer.")
        except Exception as error:
            # Whatever junk does to a reader, the consumer must not wait forever.
            kind = type(error).__name__
            outcome = ProviderFailed(f"{self._name} sent an answer of an unexpected shape: {kind}.")
        self._arrived.put_nowait(outcome)

    async def _read_to_end(self) -> None:
        whole = True
        while chunk := await self._read_chunk():
            self._take(chunk)
        if self._response.content.exception() is not None:
            # What arrived at the same moment as the failure is still in the buffer.
            whole = False
            self._take(b"".join(getattr(self._response.content, "_buffer", ())))
        if whole and self._line:
            with suppress(ProviderFailed, ValueError):
                self._take(b"\n")
        self._give(self._reader.end())
        if not self._reader.finished:
            raise StreamCut(f"{self._name} ended the connection before its answer was whole.")

    async def _read_chunk(self) -> bytes:
        """What has arrived; nothing at the end of the connection, whether expected or not."""
        try:
            return await self._response.content.readany()
        except TimeoutError:
            raise
        except (aiohttp.ClientError, OSError, RuntimeError):
            return b""

    def _take(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size > MAX_ANSWER:
            raise ProviderFailed(f"{self._name} sent more than {MAX_ANSWER} bytes.")
        self._line += chunk
        if b"\n" in chunk:
            *lines, rest = bytes(self._line).split(b"\n")
            self._line = bytearray(rest)
            for line in lines:
                self._feed(line)
        most = self._reader.max_line
        if len(self._line) > most:
            raise ProviderFailed(f"{self._name} sent a line of more than {most} bytes.")

    def _feed(self, line: bytes) -> None:
        text = line.decode().strip()
        if text and not self._reader.finished:
            self._give(self._reader.feed(text))
            if self._reader.finished:
                # The consumer does not have to wait for the end of the body.
                self._arrived.put_nowait(None)

    def _give(self, pieces: Iterable[AnswerPiece]) -> None:
        for piece in pieces:
            self._arrived.put_nowait(replace(piece, text=_replace_surrogates(piece.text)))


def _replace_surrogates(text: str) -> str:
    """Replace half surrogate pairs, which JSON can contain but no database can store."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
