"""The circuits of providers: which are open, and when they recover."""

from typing import Any

from assay.app.composition import App
from assay.app.models import build_policy, open_ledger
from assay.llm.admission import ProviderState
from assay.llm.circuit import Circuit, CircuitState
from assay.llm.limits import Policy


def load_provider_states(app: App) -> dict[str, ProviderState]:
    """The providers that are configured or were ever called."""
    configured = {name: ProviderState() for name in app.settings.providers}
    return dict(sorted({**configured, **open_ledger(app).read_states()}.items()))


def list_circuits(app: App) -> list[dict[str, Any]]:
    """The circuit of every provider that is configured or was ever called."""
    policy = build_policy(app.settings)
    return [
        _describe_circuit(name, state.circuit, name in app.settings.providers, policy)
        for name, state in load_provider_states(app).items()
    ]


def _describe_circuit(
    name: str, found: Circuit, configured: bool, policy: Policy
) -> dict[str, Any]:
    recovers_ms = None
    if found.state is CircuitState.OPEN:
        recovers_ms = found.changed_ms + policy.circuit_open_ms
    values = {**found.as_json(), "recovers_ms": recovers_ms, "configured": configured}
    return {"provider": name, **values}
