"""Builds the control plane from the settings: policy, providers, ledger, plane and governor."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from assay.clock import Clock, SystemClock
from assay.errors import InvalidSetting
from assay.governor import Governor, Standings
from assay.governor.budget import BudgetView
from assay.governor.large_documents import is_read_anyway
from assay.llm.batches import (
    AnswerCheck,
    AnthropicBatches,
    BatchProvider,
    BatchService,
    GeminiBatches,
    OpenAIBatches,
)
from assay.llm.choice import find_provider, order_providers
from assay.llm.ledger import Ledger
from assay.llm.limits import UNLIMITED, Policy, Price
from assay.llm.messages import Lane, ModelAnswer, ModelRequest, Provider, TextVectors
from assay.llm.plane import RETRY_DELAYS_S, ControlPlane
from assay.llm.providers import HttpProvider, anthropic, gemini, ollama, ollama_cloud, openai
from assay.llm.providers.embeddings import ollama_embeddings, openai_embeddings
from assay.llm.requests.cancellation import CancellationSignal
from assay.llm.requests.supervisor import RunningRequest, Supervisor
from assay.llm.scope import CallScope, SourceStanding
from assay.ruling.arbiter.opinions import AskArbiterModel
from assay.ruling.facts.extract import ExtractionModel
from assay.ruling.facts.model_extractor import ExtractionAccess
from assay.sdk.models import ModelAccess
from assay.settings import ProviderSettings, Settings
from assay.store.results import ResultStore

if TYPE_CHECKING:
    from assay.app.composition import App

_KINDS: Mapping[str, Callable[..., HttpProvider]] = {
    "ollama": ollama,
    "ollama_cloud": ollama_cloud,
    "openai": openai,
    "anthropic": anthropic,
    "gemini": gemini,
}
_BATCHES: Mapping[str, Callable[[HttpProvider], BatchProvider]] = {
    "openai": OpenAIBatches,
    "anthropic": AnthropicBatches,
    "gemini": GeminiBatches,
}
_EMBEDDINGS: Mapping[str, Callable[..., HttpProvider]] = {
    "ollama": ollama_embeddings,
    "openai": openai_embeddings,
}
_KEYLESS = ("ollama",)
_LIMITS = ("requests_per_minute", "tokens_per_minute", "max_concurrent", "burst")


def build_policy(settings: Settings) -> Policy:
    """What may be spent."""
    cost = settings.daily_cost
    return Policy(
        daily_tokens=settings.daily_tokens,
        daily_tokens_per_source=settings.daily_tokens_per_source,
        evidence_tokens=settings.evidence_tokens,
        daily_cost_micros=None if cost is None else round(cost * 1_000_000),
        max_concurrent_cloud=settings.max_concurrent_cloud,
        max_concurrent_local=settings.max_concurrent_local,
        cloud_gap_ms=_to_ms(settings.cloud_gap_s),
        empty_threshold=settings.empty_threshold,
        empty_rest_ms=_to_ms(settings.empty_rest_s),
        prices={
            model: Price(
                input_per_million=price.input_per_million,
                output_per_million=price.output_per_million,
                batch_share=price.batch_share,
            )
            for model, price in settings.prices.items()
        },
        lease_ms=_to_ms(settings.llm_lease_s),
        circuit_failures=settings.circuit_failures,
        circuit_open_ms=_to_ms(settings.circuit_open_s),
        circuit_successes=settings.circuit_successes,
    )


def build_providers(settings: Settings) -> list[Provider]:
    """Build the model providers; one whose key is missing is refused."""
    for name, reason in find_missing_keys(settings).items():
        raise InvalidSetting(
            f"Provider '{name}' has no key: {reason}.",
            advice=f"Set the variable named by key_env in [providers.{name}].",
        )
    return [_build_provider(name, given) for name, given in settings.providers.items()]


def build_usable_providers(settings: Settings) -> list[Provider]:
    """Build the model providers that can be called; one whose key is missing is left out."""
    missing = find_missing_keys(settings)
    return [
        _build_provider(name, given)
        for name, given in settings.providers.items()
        if name not in missing
    ]


def build_usable_embedders(settings: Settings) -> list[Provider]:
    """Build the providers of vectors that can be called."""
    missing = find_missing_keys(settings)
    return [
        _build(_EMBEDDINGS[given.kind], given.embeddings, name, given)
        for name, given in settings.providers.items()
        if given.embeddings is not None and name not in missing
    ]


def find_missing_keys(settings: Settings) -> dict[str, str]:
    """Providers that cannot be called, and why."""
    found: dict[str, str] = {}
    for name, given in settings.providers.items():
        if given.key is not None:
            continue
        if given.key_env is not None:
            found[name] = f"{given.key_env} is not set"
        elif given.kind not in _KEYLESS and given.base_url is None:
            found[name] = f"'{given.kind}' needs one"
    return found


def open_ledger(app: "App") -> Ledger:
    """The ledger, for commands that read or correct it."""
    return Ledger(app.engine, build_policy(app.settings), clock=_find_test_clock(app.clock))


def open_control_plane(
    app: "App",
    *,
    cached: bool = False,
    usable_only: bool = False,
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S,
) -> ControlPlane:
    """Open the control plane on the application's store; close it when done.

    With `usable_only`, providers without their key are left out instead of refused.
    """
    return ControlPlane(
        app.engine,
        build_usable_providers(app.settings) if usable_only else build_providers(app.settings),
        embedders=build_usable_embedders(app.settings),
        cached=cached,
        retry_delays_s=retry_delays_s,
        policy=build_policy(app.settings),
        clock=_find_test_clock(app.clock),
        standing=Standings(app.engine, app.clock).read_standing,
        read_anyway=partial(is_read_anyway, app.engine),
    )


class AppModels(ModelAccess):
    """One process's access to models: opened when the first question is asked.

    Answers are cached: what was paid for before a crash is not paid for again.
    """

    def __init__(self, settings: Settings, clock: Clock, app: "Callable[[], App]") -> None:
        self._settings = settings
        self._clock = clock
        self._app = app
        self._plane: ControlPlane | None = None
        self._online: Supervisor | None = None
        self._offline: Supervisor | None = None

    def providers(self) -> Sequence[Provider]:
        return (
            build_usable_providers(self._settings) if self._plane is None else self._plane.providers
        )

    def choose(self, name: str | None = None) -> Provider | None:
        usable = self.providers()
        if name is not None:
            return find_provider(usable, name)
        return order_providers(usable, None, SourceStanding())[0] if usable else None

    def supervisor(self, *, offline: bool = False) -> Supervisor:
        patience = self._settings.request_patience
        if offline:
            self._offline = self._offline or Supervisor(patience=patience, clock=self._clock)
            return self._offline
        if self._online is None:
            self._online = Supervisor(self._open_plane(), patience=patience, clock=self._clock)
        return self._online

    def running_requests(self) -> tuple[RunningRequest, ...]:
        return tuple(
            request for each in self._list_supervisors() for request in each.list_running()
        )

    def cancel(self, signal: CancellationSignal) -> bool:
        return any(each.cancel(signal) for each in self._list_supervisors())

    def count_permits(self) -> int:
        if self._plane is None:
            return 0
        return self._plane.limiter.permits_held + self._plane.limiter.waiting_calls

    def metrics_text(self) -> str:
        """The metrics of this process's model calls; empty before the first one."""
        return "" if self._plane is None else self._plane.metrics.render_text()

    def for_extraction(self) -> ExtractionModel | None:
        """The model access for the extract stage; None if no model is configured."""
        if not build_usable_providers(self._settings):
            return None
        return ExtractionModel(self.ask, self.note_output, self.access_to)

    def for_opinions(self) -> AskArbiterModel | None:
        """The model access for the arbiter when nothing else decides; None if there is no model."""
        return self.ask_any if build_usable_providers(self._settings) else None

    async def ask_any(
        self, request: ModelRequest, answer_type: type[BaseModel], scope: CallScope
    ) -> ModelAnswer:
        """Ask one question of whichever model comes first."""
        return await self.ask(request, answer_type, None, scope)

    async def ask(
        self,
        request: ModelRequest,
        answer_type: type[BaseModel],
        provider: str | None,
        scope: CallScope,
    ) -> ModelAnswer:
        """Ask one question, charged to the scope."""
        return await self._open_plane().ask(
            request, provider=provider, scope=scope, answer_type=answer_type
        )

    def choose_embedder(self, name: str | None = None) -> Provider | None:
        usable = build_usable_embedders(self._settings)
        if name is not None:
            return find_provider(usable, name)
        return usable[0] if usable else None

    async def embed(
        self, texts: Sequence[str], provider: str | None, scope: CallScope
    ) -> TextVectors:
        return await self._open_plane().embed(texts, provider=provider, scope=scope)

    def choose_batch_provider(self) -> BatchProvider | None:
        preferred = self.choose()
        return None if preferred is None else self._make_batches(preferred)

    def open_batches(self, checks: Mapping[str, AnswerCheck]) -> BatchService:
        made = [found for each in self.providers() if (found := self._make_batches(each))]
        return self._open_plane().open_batch_service(providers=made, checks=checks)

    def _make_batches(self, provider: Provider) -> BatchProvider | None:
        given = self._settings.providers[provider.name]
        make = _BATCHES.get(given.kind)
        takes = given.base_url is None if given.batches is None else given.batches
        return make(provider) if make and takes and isinstance(provider, HttpProvider) else None

    def access_to(self, provider: str, source: str, evidence: str) -> ExtractionAccess:
        """Access to a model, for a pack that asks in its own way."""
        plane = self._open_plane()
        app = self._app()
        return ExtractionAccess(
            supervisor=self.supervisor(),
            provider=provider,
            model=find_provider(plane.providers, provider).model,
            source=source,
            evidence=evidence,
            results=ResultStore(app.engine, app.blobs),
        )

    def _list_supervisors(self) -> list[Supervisor]:
        return [each for each in (self._offline, self._online) if each is not None]

    def _open_plane(self) -> ControlPlane:
        if self._plane is None:
            self._plane = open_control_plane(self._app(), cached=True, usable_only=True)
        return self._plane

    def note_output(self, source: str, empty: bool) -> None:
        """Count answers in which a model found nothing; too many start the source's cooldown."""
        build_governor(self._app()).note_output(source, empty=empty)

    async def close(self) -> None:
        """Stop running requests and close connections; the next question opens them again."""
        for supervisor in self._list_supervisors():
            await supervisor.close()
        if self._plane is not None:
            await self._plane.close()
        self._plane = self._online = self._offline = None


def build_budget_view(app: "App") -> BudgetView | None:
    """What the documents of a run may spend; None if there is no model to spend it on."""
    providers = build_usable_providers(app.settings)
    return BudgetView(open_ledger(app), providers) if providers else None


def build_governor(app: "App") -> Governor:
    """The governor, which decides who may spend now."""
    return Governor(open_ledger(app), app.engine, app.clock)


def _build_provider(name: str, given: ProviderSettings) -> HttpProvider:
    return _build(_KINDS[given.kind], given.model, name, given)


def _build(
    make: Callable[..., HttpProvider], model: str, name: str, given: ProviderSettings
) -> HttpProvider:
    options: dict[str, Any] = {"name": name}
    if given.base_url is not None:
        options["base_url"] = given.base_url
    if given.key is not None:
        options["key"] = given.key.get_secret_value()
    if given.lane is not None:
        options["lane"] = Lane(given.lane)
    if given.lane == "local":
        options["limits"] = UNLIMITED
    made = make(model, **options)
    changed = {limit: getattr(given, limit) for limit in _LIMITS if limit in given.model_fields_set}
    if changed:
        made = make(model, **{**options, "limits": replace(made.limits, **changed)})
    return made


def _find_test_clock(clock: Clock) -> Clock | None:
    """A test's clock; otherwise None, which makes every process use the database's time."""
    return None if isinstance(clock, SystemClock) else clock


def _to_ms(seconds: float) -> int:
    return round(seconds * 1000)
