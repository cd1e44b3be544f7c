"""The circuit of a provider: closed, open for a time, half open for one probe, or latched.

closed ── failures in a row ──▶ open ── timeout ──▶ half open ── probes succeed ──▶ closed
                                 ▲                      │
                                 └─── the probe fails ──┘
any ── a key or a quota is refused ──▶ latched ── an operator ──▶ closed
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from assay.errors import AssayError, ErrorClass, ProviderBusy
from assay.llm.limits import Policy

_PROBE_WAIT_MS = 1_000


class CircuitState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"
    LATCHED = "latched"


@dataclass(frozen=True)
class Circuit:
    """What is known about a provider's health."""

    state: CircuitState = CircuitState.CLOSED
    failures: int = 0
    """In a row."""
    successes: int = 0
    """Of probes, in a row."""
    changed_ms: int = 0
    reason: str = ""
    trips: int = 0
    """How often it has ever opened or latched."""

    def as_json(self) -> dict[str, Any]:
        return {**self.__dict__, "state": self.state.value}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Circuit":
        return cls(**{**value, "state": CircuitState(value["state"])})


@dataclass(frozen=True)
class CircuitCheck:
    """Whether a call may pass."""

    circuit: Circuit
    passes: bool
    probe: bool = False
    recovers_ms: int | None = None
    """When to try again; None if only an operator can help."""


def check_circuit(circuit: Circuit, policy: Policy, now_ms: int, *, probing: bool) -> CircuitCheck:
    """Whether a call may pass now; `probing` means that a probe is in progress."""
    if circuit.state is CircuitState.CLOSED:
        return CircuitCheck(circuit, True)
    if circuit.state is CircuitState.LATCHED:
        return CircuitCheck(circuit, False)
    opens_ms = circuit.changed_ms + policy.circuit_open_ms
    if circuit.state is CircuitState.OPEN:
        if now_ms < opens_ms:
            return CircuitCheck(circuit, False, recovers_ms=opens_ms)
        circuit = replace(circuit, state=CircuitState.HALF_OPEN, successes=0, changed_ms=now_ms)
    if probing:
        return CircuitCheck(circuit, False, recovers_ms=now_ms + _PROBE_WAIT_MS)
    return CircuitCheck(circuit, True, probe=True)


def record_success(circuit: Circuit, policy: Policy, now_ms: int, *, probe: bool) -> Circuit:
    """The circuit after a call was answered."""
    if circuit.state is CircuitState.CLOSED:
        return replace(circuit, failures=0) if circuit.failures else circuit
    if circuit.state is not CircuitState.HALF_OPEN or not probe:
        # It began before the circuit opened; only a probe can close it.
        return circuit
    successes = circuit.successes + 1
    if successes >= policy.circuit_successes:
        return Circuit(changed_ms=now_ms, trips=circuit.trips)
    return replace(circuit, successes=successes)


def record_failure(
    circuit: Circuit, policy: Policy, now_ms: int, error: AssayError, *, probe: bool
) -> Circuit:
    """The circuit after a call failed. A call that a person cancelled, or that the provider wants
    later or in another form, is not a failure of the provider."""
    if error.error_class in (ErrorClass.AUTH, ErrorClass.QUOTA):
        return Circuit(
            CircuitState.LATCHED, changed_ms=now_ms, reason=error.what, trips=circuit.trips + 1
        )
    if error.error_class is not ErrorClass.TRANSIENT or isinstance(error, ProviderBusy):
        return circuit
    if circuit.state is CircuitState.LATCHED:
        return circuit
    failures = circuit.failures + 1
    if (circuit.state is CircuitState.HALF_OPEN and probe) or (
        circuit.state is CircuitState.CLOSED and failures >= policy.circuit_failures
    ):
        return Circuit(
            CircuitState.OPEN, failures, changed_ms=now_ms, reason=error.what,
            trips=circuit.trips + 1,
        )  # fmt: skip
    return replace(circuit, failures=failures)


def reset_circuit(circuit: Circuit, now_ms: int) -> Circuit:
    """The circuit after an operator closed it."""
    return Circuit(changed_ms=now_ms, trips=circuit.trips)
