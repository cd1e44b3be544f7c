"""The control plane as the settings want it: policy, providers, ledger, plane and governor."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from assay.clock import Clock, SystemClock
from assay.errors import InvalidSetting
from assay.governor import Governor, Standings
from assay.governor.prospects import Purse
from assay.llm.choice import in_order, named
from assay.llm.ledger import Ledger
from assay.llm.limits import UNLIMITED, Policy, Price
from assay.llm.messages import Answer, Lane, ModelRequest, Provider
from assay.llm.plane import ControlPlane
from assay.llm.providers import HttpProvider, anthropic, gemini, ollama, ollama_cloud, openai
from assay.llm.requests.cancellation import CancellationSignal
from assay.llm.requests.supervisor import Supervisor, UnderWay
from assay.llm.scope import CallScope, Standing
from assay.ruling.arbiter.opinions import Ask
from assay.ruling.facts.extract import Model
from assay.ruling.facts.model_extractor import ExtractionAccess
from assay.sdk.models import ModelAccess
from assay.settings import ProviderSettings, Settings
from assay.store.results import ResultShelf

if TYPE_CHECKING:
    from assay.app.composition import App

_KINDS: Mapping[str, Callable[..., HttpProvider]] = {
    "ollama": ollama,
    "ollama_cloud": ollama_cloud,
    "openai": openai,
    "anthropic": anthropic,
    "gemini": gemini,
}
_KEYLESS = ("ollama",)
_LIMITS = ("requests_per_minute", "tokens_per_minute", "max_concurrent", "burst")


def policy_of(settings: Settings) -> Policy:
    """What may be spent."""
    cost = settings.daily_cost
    return Policy(
        daily_tokens=settings.daily_tokens,
        daily_tokens_per_source=settings.daily_tokens_per_source,
        evidence_tokens=settings.evidence_tokens,
        daily_cost_micros=None if cost is None else round(cost * 1_000_000),
        max_concurrent_cloud=settings.max_concurrent_cloud,
        max_concurrent_local=settings.max_concurrent_local,
        cloud_gap_ms=_ms(settings.cloud_gap_s),
        empty_threshold=settings.empty_threshold,
        empty_rest_ms=_ms(settings.empty_rest_s),
        prices={
            model: Price(
                input_per_million=price.input_per_million,
                output_per_million=price.output_per_million,
            )
            for model, price in settings.prices.items()
        },
        lease_ms=_ms(settings.llm_lease_s),
        circuit_failures=settings.circuit_failures,
        circuit_open_ms=_ms(settings.circuit_open_s),
        circuit_successes=settings.circuit_successes,
    )


def providers_of(settings: Settings) -> list[Provider]:
    """The ways to models; one whose key is missing is refused."""
    for name, reason in missing_keys(settings).items():
        raise InvalidSetting(
            f"Provider '{name}' has no key: {reason}.",
            advice=f"Set the variable that key_env of [providers.{name}] names.",
        )
    return [_provider(name, given) for name, given in settings.providers.items()]


def usable_providers(settings: Settings) -> list[Provider]:
    """The ways to models that can be asked; one whose key is missing is left out."""
    missing = missing_keys(settings)
    return [
        _provider(name, given) for name, given in settings.providers.items() if name not in missing
    ]


def missing_keys(settings: Settings) -> dict[str, str]:
    """Providers that cannot be asked, and why."""
    found: dict[str, str] = {}
    for name, given in settings.providers.items():
        if given.key is not None:
            continue
        if given.key_env is not None:
            found[name] = f"the environment has no {given.key_env}"
        elif given.kind not in _KEYLESS and given.base_url is None:
            found[name] = f"'{given.kind}' asks for one"
    return found


def ledger_of(app: "App") -> Ledger:
    """The books, for commands that look at them or correct them."""
    return Ledger(app.engine, policy_of(app.settings), clock=_turned(app.clock))


def plane_of(app: "App", *, cached: bool = False) -> ControlPlane:
    """The control plane over the application's store; close it when done."""
    return ControlPlane(
        app.engine,
        usable_providers(app.settings) if cached else providers_of(app.settings),
        cached=cached,
        policy=policy_of(app.settings),
        clock=_turned(app.clock),
        standing=Standings(app.engine, app.clock).read_standing,
    )


class AppModels(ModelAccess):
    """The way to models of one process: opened when the first question is asked.

    Answers are remembered: what was paid for before a crash is not paid for again.
    """

    def __init__(self, settings: Settings, clock: Clock, app: "Callable[[], App]") -> None:
        self._settings = settings
        self._clock = clock
        self._app = app
        self._plane: ControlPlane | None = None
        self._online: Supervisor | None = None
        self._offline: Supervisor | None = None

    def providers(self) -> Sequence[Provider]:
        return usable_providers(self._settings) if self._plane is None else self._plane.providers

    def choose(self, name: str | None = None) -> Provider | None:
        usable = self.providers()
        if name is not None:
            return named(usable, name)
        return in_order(usable, None, Standing())[0] if usable else None

    def supervisor(self, *, offline: bool = False) -> Supervisor:
        patience = self._settings.request_patience
        if offline:
            self._offline = self._offline or Supervisor(patience=patience, clock=self._clock)
            return self._offline
        if self._online is None:
            self._online = Supervisor(self._opened(), patience=patience, clock=self._clock)
        return self._online

    def running_requests(self) -> tuple[UnderWay, ...]:
        return tuple(request for each in self._supervisors() for request in each.list_running())

    def cancel(self, signal: CancellationSignal) -> bool:
        return any(each.cancel(signal) for each in self._supervisors())

    def count_permits(self) -> int:
        if self._plane is None:
            return 0
        return self._plane.turnstile.permits_held + self._plane.turnstile.waiting_calls

    def metrics_text(self) -> str:
        """What this process counted of model calls; nothing before the first one."""
        return "" if self._plane is None else self._plane.metrics.render_text()

    def for_extraction(self) -> Model | None:
        """What the extract stage asks; None where no model is configured."""
        if not usable_providers(self._settings):
            return None
        return Model(self.ask, self.note_output, self.access_to)

    def for_opinions(self) -> Ask | None:
        """What the arbiter asks where nothing else decides; None where no model is configured."""
        return self.ask_any if usable_providers(self._settings) else None

    async def ask_any(
        self, request: ModelRequest, answer_type: type[BaseModel], scope: CallScope
    ) -> Answer:
        """One question to whichever model comes first."""
        return await self.ask(request, answer_type, None, scope)

    async def ask(
        self,
        request: ModelRequest,
        answer_type: type[BaseModel],
        provider: str | None,
        scope: CallScope,
    ) -> Answer:
        """One question, on the account of the scope."""
        return await self._opened().ask(
            request, provider=provider, scope=scope, answer_type=answer_type
        )

    def access_to(self, provider: str, source: str, evidence: str) -> ExtractionAccess:
        """The way to a model for a pack that asks in its own way."""
        plane = self._opened()
        app = self._app()
        return ExtractionAccess(
            supervisor=self.supervisor(),
            provider=provider,
            model=named(plane.providers, provider).model,
            source=source,
            evidence=evidence,
            results=ResultShelf(app.engine, app.blobs),
        )

    def _supervisors(self) -> list[Supervisor]:
        return [each for each in (self._offline, self._online) if each is not None]

    def _opened(self) -> ControlPlane:
        if self._plane is None:
            self._plane = plane_of(self._app(), cached=True)
        return self._plane

    def note_output(self, source: str, empty: bool) -> None:
        """Count answers in which a model found nothing; too many, and the source rests."""
        governor_of(self._app()).note_output(source, empty=empty)

    async def close(self) -> None:
        """Stop what is under way, and let go of connections; the next question opens them again."""
        for supervisor in self._supervisors():
            await supervisor.close()
        if self._plane is not None:
            await self._plane.close()
        self._plane = self._online = self._offline = None


def purse_of(app: "App") -> Purse | None:
    """What the documents of a run may spend; None where there is no model to spend it on."""
    providers = usable_providers(app.settings)
    return Purse(ledger_of(app), providers) if providers else None


def governor_of(app: "App") -> Governor:
    """Who may spend now."""
    return Governor(ledger_of(app), app.engine, app.clock)


def _provider(name: str, given: ProviderSettings) -> HttpProvider:
    options: dict[str, Any] = {"name": name}
    if given.base_url is not None:
        options["base_url"] = given.base_url
    if given.key is not None:
        options["key"] = given.key.get_secret_value()
    if given.lane is not None:
        options["lane"] = Lane(given.lane)
    if given.lane == "local":
        options["limits"] = UNLIMITED
    make = _KINDS[given.kind]
    made = make(given.model, **options)
    changed = {limit: getattr(given, limit) for limit in _LIMITS if limit in given.model_fields_set}
    if changed:
        made = make(given.model, **{**options, "limits": replace(made.limits, **changed)})
    return made


def _turned(clock: Clock) -> Clock | None:
    """A clock of a test; otherwise none, so that the database's own time is used by all."""
    return None if isinstance(clock, SystemClock) else clock


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
