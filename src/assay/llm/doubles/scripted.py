"""A provider inside the process, whose every answer is scripted.

It counts one token per whitespace-separated word, both of the request (system and user) and of the
answer, so that a test can calculate exactly.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from assay.errors import InternalError, StreamCut
from assay.llm.doubles.words import count_tokens, make_words, split_pieces, split_words, take_words
from assay.llm.limits import UNLIMITED, ProviderLimits
from assay.llm.messages import (
    NO_HINTS,
    AnswerPiece,
    Lane,
    ModelRequest,
    ProviderRank,
    RateHints,
    Usage,
    rank_of,
)

COUNTED: Final = Usage(-1, -1)
"""Means the usage that results from counting words."""


@dataclass(frozen=True)
class Say:
    """A complete answer."""

    text: str
    pieces: int | None = None
    """How many pieces it arrives in; None for one per word."""
    delay_s: float = 0.0
    """The delay before each piece."""
    usage: Usage | None = COUNTED
    """The usage reported with the last piece; None to report nothing."""
    finish: str = "stop"
    hints: RateHints = NO_HINTS
    bounded: bool = True
    """Whether it stops at `max_tokens` words, with 'length', as a provider must."""
    first_delay_s: float = 0.0
    """The delay before the answer begins."""


@dataclass(frozen=True)
class Fail:
    """An error on entering, or after a number of words."""

    error: Exception
    after: int | None = None
    text: str = ""
    """The text until then; if empty, meaningless words."""
    delay_s: float = 0.0
    """The delay before the error, or before each word."""


@dataclass(frozen=True)
class Cut:
    """A connection that ends after a number of words."""

    after: int = 0
    text: str = ""
    """The text until then; if empty, meaningless words."""
    delay_s: float = 0.0
    counted: bool = False
    """Whether each piece reports the usage so far."""


@dataclass(frozen=True)
class Hang:
    """An answer that stops after a number of words and never continues."""

    after: int = 0
    text: str = ""
    """The text until then; if empty, meaningless words."""
    delay_s: float = 0.0
    counted: bool = False
    """Whether each piece reports the usage so far."""
    entering: bool = False
    """Whether it hangs before the answer begins."""


ScriptEntry = Say | Fail | Cut | Hang
ScriptLine = ScriptEntry | Callable[[ModelRequest], ScriptEntry]
"""An entry, or a function that chooses one by the request."""


class ScriptedProvider:
    """A provider that follows a script, one entry per call, and counts its connections."""

    def __init__(
        self,
        *,
        name: str = "scripted",
        model: str = "scripted-1",
        lane: Lane = Lane.LOCAL,
        limits: ProviderLimits = UNLIMITED,
        rank: ProviderRank | None = None,
        script: Sequence[ScriptLine] = (),
        then: ScriptLine | None = None,
    ) -> None:
        """`then` answers every call after the script; without it, such a call is an error."""
        self.name = name
        self.model = model
        self.lane = lane
        self.rank = rank or rank_of(lane)
        self.limits = limits
        self.requests: list[ModelRequest] = []
        """Every request, in the order of arrival."""
        self.opens = 0
        """Calls started."""
        self.closes = 0
        """Calls ended in any way."""
        self.finished = 0
        """Answers that were read to the end."""
        self.max_concurrent = 0
        """The most calls in progress at the same time."""
        self.closed = False
        self._script = deque(script)
        self._then = then

    @property
    def under_way(self) -> int:
        """Calls started and not ended."""
        return self.opens - self.closes

    def add(self, *lines: ScriptLine) -> None:
        """Append to the script."""
        self._script.extend(lines)

    def open(self, request: ModelRequest) -> AbstractAsyncContextManager["ScriptedStream"]:
        return self._open_stream(request)

    async def close(self) -> None:
        self.closed = True

    @asynccontextmanager
    async def _open_stream(self, request: ModelRequest) -> AsyncIterator["ScriptedStream"]:
        self.requests.append(request)
        self.opens += 1
        self.max_concurrent = max(self.max_concurrent, self.under_way)
        stream: ScriptedStream | None = None
        try:
            entry = self._next_entry(request)
            await _begin_entry(entry)
            stream = ScriptedStream(entry, request)
            yield stream
        finally:
            self.closes += 1
            self.finished += stream is not None and stream.finished

    def _next_entry(self, request: ModelRequest) -> ScriptEntry:
        line = self._script.popleft() if self._script else self._then
        if line is None:
            raise InternalError(f"The script of '{self.name}' has no entry for call {self.opens}.")
        return line(request) if callable(line) else line


class ScriptedStream:
    """The answer of one entry."""

    def __init__(self, entry: ScriptEntry, request: ModelRequest) -> None:
        self.hints = entry.hints if isinstance(entry, Say) else NO_HINTS
        self.finished = False
        self._entry = entry
        self._pieces = _stream_entry(entry, request)

    def __aiter__(self) -> AsyncIterator[AnswerPiece]:
        return self

    async def __anext__(self) -> AnswerPiece:
        piece = next(self._pieces, None)
        if piece is not None:
            await asyncio.sleep(self._entry.delay_s)
            return piece
        match self._entry:
            case Fail(error=error):
                raise error
            case Cut():
                raise StreamCut("The script cut the answer.")
            case Hang():
                await asyncio.Event().wait()
        self.finished = True
        raise StopAsyncIteration


async def _begin_entry(entry: ScriptEntry) -> None:
    match entry:
        case Say(first_delay_s=delay_s) if delay_s:
            await asyncio.sleep(delay_s)
        case Fail(error=error, after=None, delay_s=delay_s):
            await asyncio.sleep(delay_s)
            raise error
        case Hang(entering=True):
            await asyncio.Event().wait()


def _stream_entry(entry: ScriptEntry, request: ModelRequest) -> Iterator[AnswerPiece]:
    prompt_tokens = count_tokens(request.system, request.user)
    if isinstance(entry, Say):
        yield from _stream_say(entry, request, prompt_tokens)
        return
    after = entry.after or 0
    text = take_words(entry.text or make_words(after), after) if after else ""
    counted = not isinstance(entry, Fail) and entry.counted
    for number, word in enumerate(split_words(text), 1):
        yield AnswerPiece(word, usage=Usage(prompt_tokens, number) if counted else None)


def _stream_say(entry: Say, request: ModelRequest, prompt_tokens: int) -> Iterator[AnswerPiece]:
    text, finish = entry.text, entry.finish
    if entry.bounded and count_tokens(text) > request.max_tokens:
        text, finish = take_words(text, request.max_tokens), "length"
    usage = entry.usage
    if usage is COUNTED:
        usage = Usage(prompt_tokens, count_tokens(text))
    parts = split_words(text) if entry.pieces is None else split_pieces(text, entry.pieces)
    for part in parts[:-1]:
        yield AnswerPiece(part)
    yield AnswerPiece(parts[-1] if parts else "", usage=usage, finish=finish)
