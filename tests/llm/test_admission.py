"""The decision over a call: each refusal, each wait, and whose turn it is."""

from dataclasses import replace
from typing import Any

import pytest

from assay.errors import BudgetExceeded, CallDenied, CallTooLarge, PriceUnknown
from assay.llm.admission import (
    AGING_MS,
    TICKET_GRACE_MS,
    CallGrant,
    CallWait,
    LedgerSnapshot,
    OpenCall,
    ProviderState,
    Ticket,
    day_of,
    decide_admission,
    end_of_day_ms,
    sort_tickets,
)
from assay.llm.circuit import Circuit, CircuitState
from assay.llm.limits import Policy, Price, ProviderLimits
from assay.llm.messages import Lane
from assay.llm.scope import CallRequest, CallScope, Denial, SourceStanding
from assay.llm.window import RateForecast, RateWindow
from assay.packs.graph.steps import plan_budget

NOW = 1_700_000_000_000
POLICY = Policy()


def asked(*, tokens: int = 1_000, scope: CallScope | None = None, **changed: Any) -> CallRequest:
    given: dict[str, Any] = {
        "provider": "p", "model": "m", "lane": Lane.LOCAL, "limits": ProviderLimits(),
        "prompt_tokens": tokens - 100, "output_tokens": 100,
        "scope": scope or CallScope(source="s", evidence="e"), "ticket_id": "mine",
    }  # fmt: skip
    return CallRequest(**{**given, **changed})


def found(**changed: Any) -> LedgerSnapshot:
    return LedgerSnapshot(now_ms=NOW, **changed)


def denied(ask: CallRequest, state: LedgerSnapshot, policy: Policy = POLICY) -> CallDenied:
    with pytest.raises(CallDenied) as caught:
        decide_admission(ask, policy, state)
    return caught.value


def test_the_days_cap_holds_to_the_token() -> None:
    assert isinstance(decide_admission(asked(), POLICY, found(day_tokens=499_000)), CallGrant)
    error = denied(asked(), found(day_tokens=499_001))
    assert error.reason == Denial.GLOBAL_DAILY_CAP_EXCEEDED
    assert error.recovers_ms == end_of_day_ms(NOW)
    assert day_of(error.recovers_ms - 1) == day_of(NOW) != day_of(error.recovers_ms)


@pytest.mark.parametrize(
    ("multiplier", "cap"),
    [(1.5, 75_000), (1.2, 60_000), (1.0, 50_000), (0.5, 25_000), (0.2, 10_000)],
)
def test_a_sources_cap_follows_its_health(multiplier: float, cap: int) -> None:
    ask = asked(standing=SourceStanding(multiplier=multiplier))
    assert isinstance(decide_admission(ask, POLICY, found(source_tokens=cap - 1_000)), CallGrant)
    error = denied(ask, found(source_tokens=cap - 999))
    assert error.reason == Denial.SOURCE_DAILY_CAP_EXCEEDED
    assert error.recovers_ms == end_of_day_ms(NOW)


def test_a_document_may_use_so_much_in_a_day_and_a_person_looks_at_more() -> None:
    assert isinstance(decide_admission(asked(tokens=8_000), POLICY, found()), CallGrant)
    error = denied(asked(tokens=8_001), found())
    assert error.reason == Denial.EVIDENCE_TOO_LARGE
    assert error.recovers_ms is None and error.final
    error = denied(asked(tokens=5_000), found(evidence_tokens=3_001))
    assert error.reason == Denial.EVIDENCE_TOO_LARGE
    assert error.recovers_ms == end_of_day_ms(NOW) and not error.final
    apart = asked(tokens=9_000, scope=CallScope(source="s"))
    assert isinstance(decide_admission(apart, POLICY, found()), CallGrant)


def test_what_a_person_allows_is_held_by_the_caps_of_the_day_alone() -> None:
    ask = asked(tokens=9_000, read_anyway=True)
    assert isinstance(decide_admission(ask, POLICY, found(evidence_tokens=20_000)), CallGrant)
    assert denied(ask, found(day_tokens=491_001)).reason == Denial.GLOBAL_DAILY_CAP_EXCEEDED
    assert denied(ask, found(source_tokens=41_001)).reason == Denial.SOURCE_DAILY_CAP_EXCEEDED


def test_a_denial_says_what_the_call_needs() -> None:
    paused = asked(standing=SourceStanding(paused=True))
    latched = ProviderState(circuit=Circuit(CircuitState.LATCHED, reason="no key"))
    needs = [
        denied(ask, state).tokens
        for ask, state in (
            (asked(), found(day_tokens=499_001)),
            (asked(), found(source_tokens=49_001)),
            (asked(), found(evidence_tokens=7_001)),
            (asked(), found(resting_until_ms=NOW + 1)),
            (asked(), found(provider=latched)),
            (paused, found()),
        )
    ]
    assert needs == [1_000] * 6


def test_a_resting_source_waits_for_the_end_of_its_rest() -> None:
    error = denied(asked(), found(resting_until_ms=NOW + 1))
    assert (error.reason, error.recovers_ms) == (Denial.SOURCE_IN_COOLDOWN, NOW + 1)
    assert isinstance(decide_admission(asked(), POLICY, found(resting_until_ms=NOW)), CallGrant)


def test_a_paused_source_spends_nothing() -> None:
    standing = SourceStanding(paused=True, paused_until_ms=NOW + 86_400_000)
    error = denied(asked(standing=standing), found())
    assert (error.reason, error.recovers_ms) == (Denial.SOURCE_IN_COOLDOWN, NOW + 86_400_000)


def test_poor_health_keeps_a_source_out_of_the_cloud() -> None:
    standing = SourceStanding(allow_cloud=False)
    assert isinstance(decide_admission(asked(standing=standing), POLICY, found()), CallGrant)
    error = denied(asked(standing=standing, lane=Lane.CLOUD), found())
    assert error.reason == Denial.SOURCE_IN_COOLDOWN


@pytest.mark.parametrize(
    ("state", "recovers_ms"),
    [(CircuitState.LATCHED, None), (CircuitState.OPEN, NOW + 60_000)],
)
def test_an_open_circuit_denies(state: CircuitState, recovers_ms: int | None) -> None:
    circuit = Circuit(state, changed_ms=NOW - 60_000, reason="401")
    error = denied(asked(), found(provider=ProviderState(circuit=circuit)))
    assert (error.reason, error.recovers_ms) == (Denial.CIRCUIT_OPEN, recovers_ms)
    assert error.final is (recovers_ms is None)


def test_a_half_open_circuit_lets_a_single_probe_through() -> None:
    state = ProviderState(circuit=Circuit(CircuitState.OPEN, changed_ms=NOW - 120_000))
    verdict = decide_admission(asked(), POLICY, found(provider=state))
    assert isinstance(verdict, CallGrant) and verdict.probe
    probe = OpenCall("c", "p", Lane.LOCAL, True, NOW + 1)
    after = found(provider=verdict.state, calls=[probe])
    assert denied(asked(), after).reason == Denial.CIRCUIT_OPEN
    elsewhere = replace(probe, provider="q")
    verdict = decide_admission(asked(), POLICY, found(provider=state, calls=[elsewhere]))
    assert isinstance(verdict, CallGrant) and verdict.probe


@pytest.mark.parametrize(("lane", "most"), [(Lane.LOCAL, 5), (Lane.CLOUD, 3)])
def test_each_lane_has_its_slots(lane: Lane, most: int) -> None:
    busy = [OpenCall(str(n), "other", lane, False, NOW + 1) for n in range(most)]
    ask = asked(lane=lane)
    assert isinstance(decide_admission(ask, POLICY, found(calls=busy[:-1])), CallGrant)
    verdict = decide_admission(ask, POLICY, found(calls=busy))
    assert isinstance(verdict, CallWait)
    assert verdict.why is Denial.CONCURRENT_LIMIT_REACHED
    assert verdict.until_ms == NOW + verdict.wait_ms > NOW


def test_a_provider_has_slots_of_its_own() -> None:
    ask = asked(limits=ProviderLimits(max_concurrent=1))
    here = OpenCall("1", "p", Lane.LOCAL, False, NOW + 1)
    assert isinstance(decide_admission(ask, POLICY, found(calls=[here])), CallWait)
    assert isinstance(
        decide_admission(ask, POLICY, found(calls=[replace(here, provider="q")])), CallGrant
    )


def test_calls_to_the_cloud_keep_their_distance() -> None:
    verdict = decide_admission(asked(lane=Lane.CLOUD), POLICY, found(lane_started_ms=NOW - 1_500))
    assert isinstance(verdict, CallWait) and verdict.wait_ms == 500
    assert isinstance(
        decide_admission(asked(lane=Lane.CLOUD), POLICY, found(lane_started_ms=NOW - 2_000)),
        CallGrant,
    )
    assert isinstance(decide_admission(asked(), POLICY, found(lane_started_ms=NOW)), CallGrant)


def test_a_call_that_no_bucket_holds_is_refused_at_once() -> None:
    ask = asked(tokens=2_000, limits=ProviderLimits(tokens_per_minute=1_999))
    with pytest.raises(CallTooLarge, match="2000 tokens is larger"):
        decide_admission(ask, POLICY, found())


def test_a_request_that_cannot_afford_a_call_does_not_make_it() -> None:
    scope = CallScope(step="grounding", budget=plan_budget())
    ask = asked(tokens=600, scope=scope)
    assert isinstance(
        decide_admission(ask, POLICY, found(request_usage={"grounding": 15})), CallGrant
    )
    with pytest.raises(BudgetExceeded, match="599 of its 615"):
        decide_admission(ask, POLICY, found(request_usage={"grounding": 16}))


def test_money_is_capped_and_a_model_without_a_price_is_not_asked() -> None:
    priced = Policy(
        daily_cost_micros=2_000,
        prices={"m": Price(input_per_million=1.0, output_per_million=5.0)},
    )
    verdict = decide_admission(asked(), priced, found(day_micros=600))
    assert isinstance(verdict, CallGrant) and verdict.micros == 900 + 500
    assert denied(asked(), found(day_micros=601), priced).reason == (
        Denial.GLOBAL_DAILY_CAP_EXCEEDED
    )
    with pytest.raises(PriceUnknown, match="'unheard' has no price"):
        decide_admission(asked(model="unheard"), priced, found())


def test_the_wait_for_a_rate_is_exact_with_those_ahead_counted() -> None:
    limits = ProviderLimits(tokens_per_minute=60_000, smooth_s=1.0)
    outlook = RateForecast(RateWindow(), limits, NOW)
    outlook.find_start(1_000)
    state = ProviderState(outlook.build_window())
    alone = decide_admission(asked(limits=limits), POLICY, found(provider=state))
    assert isinstance(alone, CallWait) and alone.wait_ms == 1_000
    assert alone.why is Denial.RATE_LIMITED
    ahead = [Ticket("t1", Lane.LOCAL, "x", 5, 500, NOW - 1, NOW)]
    behind = decide_admission(asked(limits=limits), POLICY, found(provider=state, tickets=ahead))
    assert isinstance(behind, CallWait) and behind.wait_ms == 1_500


def test_who_has_not_come_back_is_no_longer_waited_for() -> None:
    calls = [OpenCall(str(n), "p", Lane.LOCAL, False, NOW + 1) for n in range(4)]
    gone = Ticket("t", Lane.LOCAL, "x", 9, 10, NOW - 9_000, NOW - TICKET_GRACE_MS - 1)
    here = replace(gone, due_ms=NOW - TICKET_GRACE_MS)
    assert isinstance(
        decide_admission(asked(), POLICY, found(calls=calls, tickets=[gone])), CallGrant
    )
    assert isinstance(
        decide_admission(asked(), POLICY, found(calls=calls, tickets=[here])), CallWait
    )


def ticket(name: str, step: str, *, priority: int = 0, age_ms: int = 0) -> Ticket:
    return Ticket(name, Lane.LOCAL, step, priority, 1, NOW - age_ms, NOW)


def test_the_higher_priority_goes_first_and_steps_take_turns() -> None:
    waiting = [
        ticket("a1", "a", age_ms=90),
        ticket("a2", "a", age_ms=80),
        ticket("a3", "a", age_ms=70),
        ticket("b1", "b", age_ms=20),
        ticket("b2", "b", age_ms=10),
        ticket("u", "c", priority=1),
    ]
    order = [entry.ticket_id for entry in sort_tickets(waiting, NOW)]
    assert order == ["u", "a1", "b1", "a2", "b2", "a3"]


def test_waiting_long_enough_beats_a_priority() -> None:
    old = ticket("old", "a", age_ms=3 * AGING_MS)
    lower, higher = ticket("new", "b", priority=2), ticket("new", "b", priority=4)
    assert sort_tickets([old, lower], NOW) == [old, lower]
    assert sort_tickets([old, higher], NOW) == [higher, old]


def test_a_batch_is_capped_but_waits_for_nothing() -> None:
    busy = [OpenCall(str(n), "p", Lane.CLOUD, False, NOW + 1) for n in range(9)]
    limits = ProviderLimits(tokens_per_minute=10, max_concurrent=1)
    ask = asked(lane=Lane.BATCH, limits=limits)
    assert isinstance(decide_admission(ask, POLICY, found(calls=busy)), CallGrant)
    assert denied(ask, found(day_tokens=499_500)).reason == Denial.GLOBAL_DAILY_CAP_EXCEEDED
