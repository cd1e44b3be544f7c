"""One controlled call: permit, connection, answer and settlement, always in this order."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from time import monotonic
from typing import Protocol

from assay.clock import Clock
from assay.errors import AssayError, ProviderTimedOut, StreamCut
from assay.llm.call_limiter import CallLimiter
from assay.llm.messages import NO_HINTS, AnswerStream, ModelRequest, Provider, RateHints, Usage
from assay.llm.metering.metrics import Metrics
from assay.llm.scope import CallRequest, CallSettlement, CallState, Permit, UsageBasis


class Estimator(Protocol):
    """Estimates how many tokens a provider will count."""

    def raw_prompt(self, request: ModelRequest) -> int:
        """The token count of everything a request sends, before any learned correction."""
        ...

    def reserve_for(self, provider: str, model: str, raw: int) -> int:
        """How much to set aside for a prompt with that count; rather too much than too little."""
        ...

    def output_tokens(self, provider: str, model: str, text: str) -> int:
        """The tokens of a text that a model wrote."""
        ...

    def learn(self, provider: str, model: str, estimated_raw: int, actual: int) -> None:
        """Learn what the provider really counted for a prompt; may wait for the database."""
        ...


class LiveAnswer:
    """An answer that is arriving: iterate over it for its text."""

    def __init__(self, call_id: str, provider: Provider, request: ModelRequest) -> None:
        self.call_id = call_id
        self.provider = provider.name
        self.model = provider.model
        self.request = request
        self.usage: Usage | None = None
        """What the provider has counted so far; None if it has not reported anything."""
        self.finish: str | None = None
        """Why the answer ended; None until it has."""
        self.hints: RateHints = NO_HINTS
        self.error: AssayError | None = None
        """What ended it too early."""
        self.first_token_s: float | None = None
        """How long it took until the first text arrived."""
        self._parts: list[str] = []
        self._counted = 0
        """How many of them the provider's count covers."""
        self._opened = monotonic()
        self._stream: AnswerStream | None = None

    @property
    def text(self) -> str:
        """Everything that has arrived."""
        return "".join(self._parts)

    @property
    def uncounted_text(self) -> str:
        """What has arrived since the provider last counted."""
        return "".join(self._parts[self._counted :])

    def attach(self, stream: AnswerStream) -> None:
        self._stream = stream
        self.hints = stream.hints

    async def __aiter__(self) -> AsyncIterator[str]:
        assert self._stream is not None
        try:
            async for piece in self._stream:
                if piece.usage is not None:
                    self.usage = piece.usage
                    self._counted = len(self._parts) + bool(piece.text)
                if piece.finish is not None:
                    self.finish = piece.finish
                if piece.text:
                    if self.first_token_s is None:
                        self.first_token_s = monotonic() - self._opened
                    self._parts.append(piece.text)
                    yield piece.text
        except AssayError as error:
            self.error = error
            raise
        if self.finish is None:
            self.error = StreamCut(f"'{self.provider}' ended its answer without saying so.")
            raise self.error

    async def read_all(self) -> str:
        """Wait for the whole answer."""
        async for _ in self:
            pass
        return self.text


class ReplayedAnswer(LiveAnswer):
    """An answer from the cache: it arrives at once and costs nothing."""

    def __init__(self, body: str, finish: str, provider: Provider, request: ModelRequest) -> None:
        super().__init__("", provider, request)
        self._body = body
        self._finish = finish
        self.usage = Usage(0, 0)

    async def __aiter__(self) -> AsyncIterator[str]:
        self._parts.append(self._body)
        self._counted = len(self._parts)
        self.finish = self._finish
        yield self._body


class CallRunner:
    """Makes controlled calls."""

    def __init__(
        self, limiter: CallLimiter, estimator: Estimator, clock: Clock, metrics: Metrics
    ) -> None:
        self._limiter = limiter
        self._estimator = estimator
        self._clock = clock
        self._metrics = metrics

    @asynccontextmanager
    async def open(
        self, provider: Provider, request: ModelRequest, ask: CallRequest, timeout_s: float | None
    ) -> AsyncIterator[LiveAnswer]:
        """Wait for a permit, send the request, and settle the call however it ends."""
        permit = await self._limiter.acquire(ask)
        live = LiveAnswer(permit.call_id, provider, request)
        state, sent_ms = CallState.UNSENT, None
        error: AssayError | None = None
        self._metrics.call_started(provider.name)
        try:
            permit = await self._limiter.refresh_permit(permit)
            state, sent_ms = CallState.FAILED, self._clock.now_ms()
            async with asyncio.timeout(timeout_s) as limit:
                async with provider.open(request) as stream:
                    state = CallState.CANCELLED
                    live.attach(stream)
                    yield live
            state = CallState.CANCELLED if live.finish is None else CallState.DONE
        except TimeoutError as late:
            if not limit.expired():
                raise
            state = CallState.CUT if live.text else CallState.FAILED
            error = ProviderTimedOut(f"'{provider.name}' did not answer within {timeout_s} s.")
            raise error from late
        except AssayError as raised:
            if raised is live.error:
                state, error = CallState.CUT, raised
            elif state is CallState.FAILED:
                error = raised
            elif live.finish is not None:
                state = CallState.DONE
            raise
        except BaseException as stopped:
            if live.finish is not None and not isinstance(stopped, asyncio.CancelledError):
                state = CallState.DONE
            elif state is CallState.FAILED:
                state = CallState.CANCELLED
            raise
        finally:
            self._metrics.call_ended(provider.name)
            await self._settle(permit, live, state, error, sent_ms)

    async def _settle(
        self,
        permit: Permit,
        live: LiveAnswer,
        state: CallState,
        error: AssayError | None,
        sent_ms: int | None,
    ) -> None:
        usage, basis = self._compute_usage(permit.ask, live, state, error)
        live.usage = usage
        settlement = CallSettlement(
            state=state, basis=basis, usage=usage, error=error, hints=live.hints, sent_ms=sent_ms
        )
        learn = None
        if basis is UsageBasis.REPORTED:
            ask = permit.ask
            learn = partial(
                self._estimator.learn, ask.provider, ask.model, ask.raw_prompt, usage.prompt_tokens
            )
        settled = await self._limiter.release(permit, settlement, then=learn)
        self._metrics.count_settlement(
            permit.ask,
            settlement,
            seconds=None if sent_ms is None else (self._clock.now_ms() - sent_ms) / 1000,
            first_token_s=live.first_token_s,
            micros=settled.micros,
        )

    def _compute_usage(
        self, ask: CallRequest, live: LiveAnswer, state: CallState, error: AssayError | None
    ) -> tuple[Usage, UsageBasis]:
        """What the call is charged; unknown usage is charged in full."""
        reported = live.usage
        if state is CallState.UNSENT:
            return Usage(0, 0), UsageBasis.NOTHING
        if state is CallState.DONE:
            if reported is None:
                return Usage(ask.prompt_tokens, ask.output_tokens), UsageBasis.RESERVED
            return reported, UsageBasis.REPORTED
        if state is CallState.FAILED and not isinstance(error, ProviderTimedOut):
            # The provider refused or was never reached, and nothing is charged for a fault.
            return Usage(0, 0), UsageBasis.NOTHING
        uncounted = self._estimator.output_tokens(ask.provider, ask.model, live.uncounted_text)
        counted = reported.completion_tokens if reported else 0
        completion = min(uncounted + counted, ask.output_tokens)
        prompt = (reported.prompt_tokens if reported else 0) or ask.prompt_tokens
        return Usage(prompt, completion), UsageBasis.ESTIMATED
