"""Every arrow of the breaker, on turned time."""

import pytest

from assay.errors import (
    AnswerInvalid,
    AssayError,
    AuthError,
    CallRefused,
    ProviderBusy,
    ProviderFailed,
    ProviderTimedOut,
    QuotaError,
    StreamCut,
)
from assay.llm.circuit import (
    Circuit,
    CircuitState,
    check_circuit,
    record_failure,
    record_success,
    reset_circuit,
)
from assay.llm.limits import Policy

POLICY = Policy()
NOW = 1_700_000_000_000
FAILED = ProviderFailed("it broke")


def failed(circuit: Circuit, times: int, *, now_ms: int = NOW, probe: bool = False) -> Circuit:
    for _ in range(times):
        circuit = record_failure(circuit, POLICY, now_ms, FAILED, probe=probe)
    return circuit


def opened() -> Circuit:
    return failed(Circuit(), 5)


def half_open() -> Circuit:
    return check_circuit(opened(), POLICY, NOW + 120_000, probing=False).circuit


def test_four_failures_leave_it_closed_and_the_fifth_opens_it() -> None:
    assert failed(Circuit(), 4).state is CircuitState.CLOSED
    assert opened().state is CircuitState.OPEN
    assert opened().trips == 1


def test_a_success_in_between_starts_the_count_anew() -> None:
    circuit = record_success(failed(Circuit(), 4), POLICY, NOW, probe=False)
    assert failed(circuit, 4).state is CircuitState.CLOSED


def test_while_open_nothing_passes_and_the_time_of_recovery_is_told() -> None:
    found = check_circuit(opened(), POLICY, NOW + 119_999, probing=False)
    assert (found.passes, found.recovers_ms) == (False, NOW + 120_000)


def test_after_its_time_one_probe_passes_and_no_second() -> None:
    first = check_circuit(opened(), POLICY, NOW + 120_000, probing=False)
    assert (first.passes, first.probe) == (True, True)
    assert first.circuit.state is CircuitState.HALF_OPEN
    second = check_circuit(first.circuit, POLICY, NOW + 120_000, probing=True)
    assert (second.passes, second.recovers_ms) == (False, NOW + 121_000)


def test_two_probes_that_succeed_close_it() -> None:
    once = record_success(half_open(), POLICY, NOW, probe=True)
    assert once.state is CircuitState.HALF_OPEN
    twice = record_success(once, POLICY, NOW, probe=True)
    assert (twice.state, twice.failures, twice.trips) == (CircuitState.CLOSED, 0, 1)


def test_a_probe_that_fails_opens_it_for_its_time_again() -> None:
    again = failed(half_open(), 1, now_ms=NOW + 125_000, probe=True)
    assert (again.state, again.trips) == (CircuitState.OPEN, 2)
    assert check_circuit(again, POLICY, NOW + 126_000, probing=False).recovers_ms == NOW + 245_000


def test_calls_from_before_it_opened_neither_close_nor_open_it() -> None:
    assert record_success(opened(), POLICY, NOW, probe=False).state is CircuitState.OPEN
    assert record_success(half_open(), POLICY, NOW, probe=False).successes == 0
    assert failed(half_open(), 1).state is CircuitState.HALF_OPEN


@pytest.mark.parametrize("error", [AuthError("no key"), QuotaError("no credit")])
@pytest.mark.parametrize("before", [Circuit(), opened(), half_open()])
def test_a_key_or_a_quota_latches_it_from_any_state(before: Circuit, error: AssayError) -> None:
    latched = record_failure(before, POLICY, NOW, error, probe=False)
    assert latched.state is CircuitState.LATCHED
    found = check_circuit(latched, POLICY, NOW + 10**9, probing=False)
    assert (found.passes, found.recovers_ms) == (False, None)


def test_only_an_operator_opens_the_latch() -> None:
    latched = record_failure(Circuit(), POLICY, NOW, AuthError("no key"), probe=False)
    assert record_success(latched, POLICY, NOW, probe=True).state is CircuitState.LATCHED
    assert failed(latched, 9).state is CircuitState.LATCHED
    assert reset_circuit(latched, NOW).state is CircuitState.CLOSED


@pytest.mark.parametrize("error", [StreamCut("cut"), ProviderTimedOut("late")])
def test_cuts_and_timeouts_are_failures(error: AssayError) -> None:
    circuit = Circuit()
    for _ in range(5):
        circuit = record_failure(circuit, POLICY, NOW, error, probe=False)
    assert circuit.state is CircuitState.OPEN


@pytest.mark.parametrize(
    "error", [ProviderBusy("later"), CallRefused("not so"), AnswerInvalid("not this")]
)
def test_what_is_not_the_providers_fault_is_no_failure(error: AssayError) -> None:
    circuit = Circuit()
    for _ in range(9):
        circuit = record_failure(circuit, POLICY, NOW, error, probe=False)
    assert circuit == Circuit()


def test_it_survives_being_stored() -> None:
    for circuit in (Circuit(), opened(), half_open()):
        assert Circuit.from_json(circuit.as_json()) == circuit
