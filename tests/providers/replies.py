"""One answer of the provider server, told well or badly."""

import asyncio
import re

from aiohttp import web

from assay.llm.doubles.words import (
    count_tokens,
    make_words,
    split_by_length,
    split_pieces,
    split_words,
    take_words,
)
from assay.llm.messages import Usage
from tests.providers.behaviour import Behaviour, Junk
from tests.providers.books import Call, ServedState
from tests.providers.dialects import Asked, ServerDialect

_WORDS_ASKED = re.compile(r"\bsay (\d+) words?\b", re.IGNORECASE)

PAGE = "<html><body><h1>It works!</h1></body></html>"


class Reply:
    """One answer on its way."""

    def __init__(
        self,
        dialect: ServerDialect,
        asked: Asked,
        behaviour: Behaviour,
        call: Call,
        text: str,
        finish: str,
    ) -> None:
        self._dialect = dialect
        self._asked = asked
        self._behaviour = behaviour
        self._call = call
        self._text = text
        self._finish = finish
        usage = Usage(call.prompt_tokens, count_tokens(text))
        self._usage = usage if behaviour.usage else None

    async def send(self, request: web.Request, headers: dict[str, str]) -> web.StreamResponse:
        call, behaviour = self._call, self._behaviour
        if behaviour.hang_after == -1:
            await asyncio.Event().wait()
        call.status = 200
        if behaviour.junk is Junk.HTML:
            return web.Response(text=PAGE, content_type="text/html", headers=headers)
        if not self._asked.stream:
            if behaviour.answer_ms:
                await asyncio.sleep(behaviour.answer_ms / 1000)
            call.completion_tokens = count_tokens(self._text)
            whole = self._dialect.whole(self._asked, self._text, self._usage, self._finish)
            return web.json_response(whole, headers=headers)
        kind = "text/plain" if behaviour.junk is Junk.TYPE else self._dialect.content_type
        response = web.StreamResponse(headers={**headers, "Content-Type": kind})
        await response.prepare(request)
        await self._stream(request, response)
        return response

    async def _stream(self, request: web.Request, response: web.StreamResponse) -> None:
        dialect, behaviour, asked = self._dialect, self._behaviour, self._asked
        await response.write(dialect.start(asked, self._usage) or b"\n")
        pieces = self._pieces()
        by_word = behaviour.pieces is None and behaviour.piece_chars is None
        each_ms = behaviour.answer_ms / max(1, len(pieces))
        if behaviour.junk is Junk.LINE:
            await self._endless(response)
        said = ""
        for number, piece in enumerate([*pieces, None]):
            if await self._interrupted(number, request, response):
                return
            if piece is None:
                break
            wait_ms = each_ms + (behaviour.delay_ms if number else 0.0)
            if wait_ms:
                await asyncio.sleep(wait_ms / 1000)
            await response.write(dialect.piece(asked, piece))
            said += piece
            self._call.completion_tokens = number + 1 if by_word else count_tokens(said)
        await response.write(dialect.end(asked, self._usage, self._finish))
        await response.write_eof()

    def _pieces(self) -> list[str]:
        behaviour = self._behaviour
        if behaviour.pieces is not None:
            return split_pieces(self._text, behaviour.pieces)
        if behaviour.piece_chars is not None:
            return split_by_length(self._text, behaviour.piece_chars)
        return split_words(self._text)

    async def _interrupted(
        self, number: int, request: web.Request, response: web.StreamResponse
    ) -> bool:
        """Whether the stream ends here, before its end."""
        behaviour = self._behaviour
        if behaviour.hang_after == number:
            await asyncio.Event().wait()
        if behaviour.junk is Junk.JSON and number == 2:
            await response.write(self._dialect.broken)
        if behaviour.fault_after == number:
            message = behaviour.message or "The double breaks off."
            await response.write(self._dialect.fault_in_stream(529, message))
        elif behaviour.cut_after != number:
            return False
        self._call.state = ServedState.CUT
        if request.transport is not None:
            # What was written still goes out, but never the mark that ends the body.
            request.transport.close()
        return True

    async def _endless(self, response: web.StreamResponse) -> None:
        await response.write(self._dialect.line)
        while True:
            await response.write(b"x" * 65_536)


def what_is_said(asked: Asked, behaviour: Behaviour) -> tuple[str, str]:
    """The text of the answer, and why it ends."""
    text = behaviour.text
    if text is None:
        told = _WORDS_ASKED.search(" ".join(asked.texts))
        text = make_words(int(told[1]) if told else behaviour.words)
    if asked.max_tokens is not None and count_tokens(text) > asked.max_tokens:
        return take_words(text, asked.max_tokens), "length"
    return text, "stop"
