"""The control plane, through which every question to a model goes."""

import asyncio
import os
import random
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import sqlalchemy as sa
from pydantic import BaseModel

from assay.clock import Clock, SystemClock
from assay.errors import (
    AnswerInvalid,
    CallDenied,
    InvalidInput,
    ProviderBusy,
    ProviderFailed,
    ProviderUnknown,
)
from assay.llm import choice
from assay.llm.batches import AnswerCheck, BatchProvider, BatchService
from assay.llm.cache import AnswerCache, CachedAnswer, cache_key
from assay.llm.call_limiter import CallLimiter
from assay.llm.calls import CallRunner, Estimator, LiveAnswer, ReplayedAnswer
from assay.llm.embeddings import MAX_TEXTS, build_embedding_request, read_vectors
from assay.llm.estimates import TokenEstimator
from assay.llm.ledger import Ledger
from assay.llm.limits import Policy
from assay.llm.messages import ModelAnswer, ModelRequest, Provider, TextVectors, Usage
from assay.llm.metering.metrics import Metrics
from assay.llm.scanner import parse_whole_json
from assay.llm.scope import CallRequest, CallScope, Denial, SourceStanding
from assay.llm.structured import LiveItems, build_list_schema, schema_of, validate_answer
from assay.logs import Log
from assay.store import schema
from assay.store.database import open_engine

M = TypeVar("M", bound=BaseModel)

RETRY_DELAYS_S = (5.0, 20.0)
"""The waits before a call is repeated after the provider failed."""
LONGEST_RETRY_AFTER_MS = 120_000
DEFAULT_SCOPE = CallScope()
_SHORT = 20_000
"""A number of characters that can be counted in about a millisecond."""
log = Log("assay.llm")


class ControlPlane:
    """Asks models within enforced budgets, for any number of processes on one database."""

    def __init__(
        self,
        engine: sa.Engine,
        providers: Sequence[Provider],
        *,
        embedders: Sequence[Provider] = (),
        policy: Policy | None = None,
        clock: Clock | None = None,
        estimator: Estimator | None = None,
        standing: Callable[[str], SourceStanding] | None = None,
        read_anyway: Callable[[str], bool] | None = None,
        cached: bool = False,
        retry_delays_s: Sequence[float] = RETRY_DELAYS_S,
        metrics: Metrics | None = None,
        owns_engine: bool = False,
    ) -> None:
        self.engine = engine
        self.providers = tuple(providers)
        self.embedders = tuple(embedders)
        """Providers of vectors; one with the same name as another shares its circuit and limits."""
        self.clock: Clock = clock or SystemClock()
        worker = f"{socket.gethostname()}:{os.getpid()}"
        self.ledger = Ledger(engine, policy or Policy(), clock=clock, worker=worker)
        self.metrics = metrics or Metrics(clock=self.clock)
        self.limiter = CallLimiter(self.ledger, self.metrics)
        self._estimator: Estimator = estimator or TokenEstimator(engine, self.clock)
        self._calls = CallRunner(self.limiter, self._estimator, self.clock, self.metrics)
        self._standing = standing
        self._read_anyway = read_anyway
        self._cache = AnswerCache(engine, self.clock) if cached else None
        self._retry_delays_s = tuple(retry_delays_s)
        self._owns_engine = owns_engine
        self._has_counted = False

    @classmethod
    def open(
        cls, database_url: str, providers: Sequence[Provider], **options: Any
    ) -> "ControlPlane":
        """A plane with its own database, which is set up if it is new."""
        engine = open_engine(database_url)
        schema.migrate(engine)
        return cls(engine, providers, owns_engine=True, **options)

    async def __aenter__(self) -> "ControlPlane":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close connections and threads."""
        await self.limiter.close()
        for provider in (*self.providers, *self.embedders):
            await provider.close()
        if self._owns_engine:
            self.engine.dispose()

    async def ask(
        self,
        request: ModelRequest | str,
        *,
        provider: str | None = None,
        scope: CallScope = DEFAULT_SCOPE,
        answer_type: type[BaseModel] | None = None,
        timeout_s: float | None = None,
        max_tokens: int = 1024,
    ) -> ModelAnswer:
        """Ask one question and wait for the whole answer.

        If no provider is given, the preferred one is asked, and the next one if it is unavailable.
        With `answer_type`, `value` holds the answer as an object of that type.
        """
        asked = _build_request(request, max_tokens, answer_type)
        standing = await self._standing_of(scope)
        candidates = self._choose_providers(provider, scope, standing)
        for chosen in candidates[:-1]:
            try:
                return await self._ask(chosen, asked, scope, standing, answer_type, timeout_s)
            except (CallDenied, ProviderFailed) as error:
                if isinstance(error, CallDenied) and error.reason != Denial.CIRCUIT_OPEN:
                    raise
                log.warning(
                    "provider_passed_over", f"Asking the next provider: {error}",
                    provider=chosen.name, step=scope.step,
                )  # fmt: skip
        return await self._ask(candidates[-1], asked, scope, standing, answer_type, timeout_s)

    async def embed(
        self,
        texts: Sequence[str],
        *,
        provider: str | None = None,
        scope: CallScope = DEFAULT_SCOPE,
        timeout_s: float | None = None,
    ) -> TextVectors:
        """The vectors of up to 64 texts, from one provider: those of another model cannot be
        compared, so no other is asked if it is unavailable."""
        if not 0 < len(texts) <= MAX_TEXTS:
            raise InvalidInput(
                f"{len(texts)} texts cannot be embedded in one call.",
                advice=f"Give from 1 to {MAX_TEXTS}.",
            )
        if provider is None and not self.embedders:
            raise ProviderUnknown(
                "No provider computes vectors.",
                advice='Set embeddings = "model" in one of the [providers] tables.',
            )
        chosen = choice.find_provider(self.embedders, provider or self.embedders[0].name)
        standing = await self._standing_of(scope)
        asked = build_embedding_request(texts)
        answer = await self._ask_until_answered(chosen, asked, scope, standing, timeout_s)
        return TextVectors(
            vectors=read_vectors(answer.text, len(texts)),
            usage=answer.usage,
            provider=answer.provider,
            model=answer.model,
            call_id=answer.call_id,
        )

    def stream(
        self,
        request: ModelRequest | str,
        *,
        provider: str | None = None,
        scope: CallScope = DEFAULT_SCOPE,
        timeout_s: float | None = None,
        max_tokens: int = 1024,
    ) -> AbstractAsyncContextManager[LiveAnswer]:
        """An answer that can be read while it arrives; leaving early cancels the call."""
        return self._stream(_build_request(request, max_tokens, None), provider, scope, timeout_s)

    @asynccontextmanager
    async def items(
        self,
        request: ModelRequest | str,
        item_type: type[M],
        *,
        field: str = "items",
        provider: str | None = None,
        scope: CallScope = DEFAULT_SCOPE,
        timeout_s: float | None = None,
        max_tokens: int = 1024,
    ) -> AsyncIterator[LiveItems[M]]:
        """A list that can be read item by item while it arrives.

        If the connection is cut, the complete items come first, then StreamCut is raised. If
        answers are cached, a complete one is not paid for again.
        """
        asked = _build_request(request, max_tokens, None)
        asked = replace(asked, schema=build_list_schema(item_type, field), schema_name=field)
        chosen = self._choose_providers(provider, scope, await self._standing_of(scope))[0]
        key = cache_key(chosen.name, chosen.model, asked)
        known = await self._find_cached(key, None)
        if known is not None:
            self._count_hit(chosen, scope)
            replayed = ReplayedAnswer(known.body, known.finish, chosen, asked)
            yield LiveItems(replayed, item_type, field)
            return
        async with self._stream(asked, chosen.name, scope, timeout_s) as live:
            yield LiveItems(live, item_type, field)
        if self._cache is not None and live.finish == "stop" and _is_json(live.text):
            assert live.usage is not None
            answer = CachedAnswer(chosen.name, chosen.model, live.text, live.finish, live.usage)
            await self.limiter.run_in_thread(self._cache.keep, key, answer)

    async def prompt_tokens(
        self,
        request: ModelRequest,
        item_type: type[BaseModel],
        *,
        field: str = "items",
        provider: str | None = None,
        scope: CallScope = DEFAULT_SCOPE,
    ) -> int:
        """What `items` will set aside for a prompt, including its schema; useful for planning."""
        chosen = self._choose_providers(provider, scope, await self._standing_of(scope))[0]
        asked = replace(request, schema=build_list_schema(item_type, field), schema_name=field)
        raw = await self._count_raw_prompt(asked)
        return self._estimator.reserve_for(chosen.name, chosen.model, raw)

    def open_batch_service(
        self,
        *,
        providers: Sequence[BatchProvider] = (),
        checks: Mapping[str, AnswerCheck] | None = None,
    ) -> BatchService:
        """A service that submits many questions at once, on the same ledger."""
        return BatchService(
            self.ledger,
            self._estimator,
            providers=providers,
            checks=checks,
            standing=self._standing,
            clock=self.clock,
        )

    @asynccontextmanager
    async def _stream(
        self, request: ModelRequest, provider: str | None, scope: CallScope,
        timeout_s: float | None,
    ) -> AsyncIterator[LiveAnswer]:  # fmt: skip
        standing = await self._standing_of(scope)
        chosen = self._choose_providers(provider, scope, standing)[0]
        ask = await self._prepare_call(chosen, request, scope, standing)
        async with self._calls.open(chosen, request, ask, timeout_s) as live:
            yield live

    async def _ask(
        self, provider: Provider, request: ModelRequest, scope: CallScope, standing: SourceStanding,
        answer_type: type[BaseModel] | None, timeout_s: float | None,
    ) -> ModelAnswer:  # fmt: skip
        key = cache_key(provider.name, provider.model, request)
        known = await self._find_cached(key, answer_type)
        if known is not None:
            self._count_hit(provider, scope)
            return _build_cached_answer(provider, known, answer_type)
        answer = await self._ask_until_answered(provider, request, scope, standing, timeout_s)
        value = None
        if answer_type is not None:
            value = validate_answer(answer.text, answer_type, finish=answer.finish)
        if self._cache is not None and answer.finish == "stop":
            await self.limiter.run_in_thread(self._keep, key, answer)
        return replace(answer, value=value)

    async def _ask_until_answered(
        self, provider: Provider, request: ModelRequest, scope: CallScope, standing: SourceStanding,
        timeout_s: float | None,
    ) -> ModelAnswer:  # fmt: skip
        """Ask again after a passing failure; every try is a call of its own."""
        for delay_s in self._retry_delays_s:
            try:
                return await self._ask_once(provider, request, scope, standing, timeout_s)
            except ProviderFailed as error:
                if not _is_worth_retrying(error):
                    raise
                log.warning(
                    "call_retried", f"Retrying the call: {error}",
                    provider=provider.name, step=scope.step,
                )  # fmt: skip
                if not isinstance(error, ProviderBusy):
                    await asyncio.sleep(delay_s * random.uniform(0.8, 1.2))
        return await self._ask_once(provider, request, scope, standing, timeout_s)

    async def _ask_once(
        self, provider: Provider, request: ModelRequest, scope: CallScope, standing: SourceStanding,
        timeout_s: float | None,
    ) -> ModelAnswer:  # fmt: skip
        ask = await self._prepare_call(provider, request, scope, standing)
        async with self._calls.open(provider, request, ask, timeout_s) as live:
            text = await live.read_all()
            warnings = () if live.usage else ("The provider did not report its usage.",)
        assert live.finish is not None and live.usage is not None
        return ModelAnswer(
            text=text,
            usage=live.usage,
            finish=live.finish,
            provider=provider.name,
            model=provider.model,
            call_id=live.call_id,
            warnings=warnings,
        )

    async def _prepare_call(
        self, provider: Provider, request: ModelRequest, scope: CallScope, standing: SourceStanding
    ) -> CallRequest:
        raw = await self._count_raw_prompt(request)
        return CallRequest(
            provider=provider.name,
            model=provider.model,
            lane=provider.lane,
            limits=provider.limits,
            prompt_tokens=self._estimator.reserve_for(provider.name, provider.model, raw),
            raw_prompt=raw,
            output_tokens=request.max_tokens,
            scope=scope,
            standing=standing,
            read_anyway=await self._is_read_anyway(scope),
        )

    async def _is_read_anyway(self, scope: CallScope) -> bool:
        if self._read_anyway is None or scope.evidence is None:
            return False
        return await self.limiter.run_in_thread(self._read_anyway, scope.evidence)

    async def _count_raw_prompt(self, request: ModelRequest) -> int:
        """Count the prompt, in a thread if it takes long: loading the vocabulary or counting a
        long text must not keep other calls waiting."""
        if self._has_counted and len(request.user) + len(request.system) < _SHORT:
            return self._estimator.raw_prompt(request)
        raw = await self.limiter.run_in_thread(self._estimator.raw_prompt, request)
        self._has_counted = True
        return raw

    def _choose_providers(
        self, name: str | None, scope: CallScope, standing: SourceStanding
    ) -> list[Provider]:
        if name is not None:
            return [choice.find_provider(self.providers, name)]
        return choice.order_providers(self.providers, scope.score, standing)

    async def _standing_of(self, scope: CallScope) -> SourceStanding:
        if self._standing is None or scope.source is None:
            return SourceStanding()
        return await self.limiter.run_in_thread(self._standing, scope.source)

    async def _find_cached(
        self, key: str, answer_type: type[BaseModel] | None
    ) -> CachedAnswer | None:
        if self._cache is None:
            return None
        return await self.limiter.run_in_thread(self._find_valid_cached, key, answer_type)

    def _find_valid_cached(
        self, key: str, answer_type: type[BaseModel] | None
    ) -> CachedAnswer | None:
        assert self._cache is not None

        def fits(cached: CachedAnswer) -> bool:
            return answer_type is None or bool(validate_answer(cached.body, answer_type))

        return self._cache.find_valid(key, fits)

    def _count_hit(self, provider: Provider, scope: CallScope) -> None:
        self.metrics.count(
            "cache_hits", provider=provider.name, model=provider.model, step=scope.step
        )

    def _keep(self, key: str, answer: ModelAnswer) -> None:
        assert self._cache is not None
        self._cache.keep(
            key,
            CachedAnswer(answer.provider, answer.model, answer.text, answer.finish, answer.usage),
        )


def _build_request(
    request: ModelRequest | str, max_tokens: int, answer_type: type[BaseModel] | None
) -> ModelRequest:
    if isinstance(request, str):
        request = ModelRequest(user=request, max_tokens=max_tokens)
    if answer_type is not None and request.schema is None:
        request = replace(
            request,
            schema=schema_of(answer_type),
            schema_name=answer_type.__name__,
        )
    return request


def _is_json(text: str) -> bool:
    """Whether an answer can be parsed; one that cannot is not kept, so it is asked for again."""
    try:
        parse_whole_json(text)
    except AnswerInvalid:
        return False
    return True


def _build_cached_answer(
    provider: Provider, known: CachedAnswer, answer_type: type[BaseModel] | None
) -> ModelAnswer:
    return ModelAnswer(
        text=known.body,
        usage=Usage(0, 0),
        finish=known.finish,
        provider=provider.name,
        model=provider.model,
        call_id="",
        cached=True,
        value=None if answer_type is None else validate_answer(known.body, answer_type),
    )


def _is_worth_retrying(error: ProviderFailed) -> bool:
    if not isinstance(error, ProviderBusy):
        return True
    return (error.retry_after_ms or 0) <= LONGEST_RETRY_AFTER_MS
