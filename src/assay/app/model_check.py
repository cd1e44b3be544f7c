"""One small call to a model, to see whether it answers and what that costs."""

import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.models import find_missing_keys, open_control_plane
from assay.errors import (
    AssayError,
    AuthError,
    InvalidSetting,
    ProviderBusy,
    ProviderFailed,
    ProviderTimedOut,
    QuotaError,
)
from assay.llm.choice import find_provider
from assay.llm.messages import ModelAnswer
from assay.llm.scope import CallScope
from assay.store.database import explain_errors
from assay.store.spending import call

STEP = "doctor"
_QUESTION = "Reply with the single word: yes"
_MAX_TOKENS = 32
"""Some models think aloud before they answer; an answer that is cut off is an answer."""
_WAIT_S = 20.0
_TIMEOUT_S = 120.0
"""A model on this machine may have to be loaded first."""


@dataclass(frozen=True, kw_only=True)
class ModelCheck:
    """How one small call to a model went, and what it cost."""

    provider: str
    model: str
    ok: bool
    seconds: float
    prompt_tokens: int = 0
    completion_tokens: int = 0
    charged_tokens: int = 0
    """What counts against the caps: more than was used if the call failed."""
    cost: float | None = None
    """In the currency of the prices; None: the model has no price."""
    error: dict[str, str] | None = None
    """Code, message and advice."""

    def values(self) -> dict[str, Any]:
        """The check as JSON."""
        return asdict(self)


async def check_model(app: App, name: str) -> ModelCheck:
    """Ask a configured provider one short question through the control plane.

    The call is granted, recorded and charged like any other. A failure is reported, not raised;
    only a provider that is not configured, or has no key, is an error.
    """
    missing = find_missing_keys(app.settings)
    if name in missing:
        raise InvalidSetting(
            f"Provider '{name}' has no key: {missing[name]}.",
            advice=f"Set the variable named by key_env in [providers.{name}].",
        )
    scope = CallScope(step=STEP, request_id=f"{STEP}-{secrets.token_hex(8)}", wait_s=_WAIT_S)
    async with open_control_plane(app, usable_only=True, retry_delays_s=()) as plane:
        provider = find_provider(plane.providers, name)
        began = time.monotonic()
        answer: ModelAnswer | AssayError
        try:
            answer = await plane.ask(
                _QUESTION, provider=name, scope=scope, max_tokens=_MAX_TOKENS, timeout_s=_TIMEOUT_S
            )
        except AssayError as error:
            answer = error
        seconds = round(time.monotonic() - began, 3)
    tokens, micros = _read_charge(app, scope.request_id)
    failed = isinstance(answer, AssayError)
    return ModelCheck(
        provider=name,
        model=provider.model,
        ok=not failed,
        seconds=seconds,
        prompt_tokens=0 if isinstance(answer, AssayError) else answer.usage.prompt_tokens,
        completion_tokens=0 if isinstance(answer, AssayError) else answer.usage.completion_tokens,
        charged_tokens=tokens,
        cost=micros / 1_000_000 if provider.model in app.settings.prices else None,
        error=_describe_error(answer, name) if isinstance(answer, AssayError) else None,
    )


def _read_charge(app: App, request_id: str) -> tuple[int, int]:
    """The tokens and the money that the ledger charged for a request."""
    query = sa.select(sa.func.sum(call.c.charged_tokens), sa.func.sum(call.c.charged_micros))
    with explain_errors(), app.engine.connect() as connection:
        row = connection.execute(query.where(call.c.request_id == request_id)).one()
    return int(row[0] or 0), int(row[1] or 0)


def _describe_error(error: AssayError, name: str) -> dict[str, str]:
    where = f"[providers.{name}]"
    if isinstance(error, AuthError | QuotaError):
        # The refusal has latched the circuit, as it would have for a document.
        advice = f"{error.advice.rstrip('.')}: 'assay circuit close {name}'."
    elif isinstance(error, ProviderBusy):
        advice = f"Try again in a moment; if it lasts, lower requests_per_minute in {where}."
    elif isinstance(error, ProviderTimedOut):
        advice = "The model may still be loading; try again."
    elif isinstance(error, ProviderFailed):
        advice = f"Check base_url in {where}, and that the server is running."
    else:
        advice = error.advice or f"Check model and kind in {where}."
    return {"code": error.code, "message": error.what, "advice": advice}
