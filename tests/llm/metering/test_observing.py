"""What calls and supervised requests tell, and the figures of the specification."""

import re
from pathlib import Path

import pytest

import assay.llm
from assay.clock import TurnedClock
from assay.errors import InternalError, ProviderBusy
from assay.llm.messages import Usage
from assay.llm.metering.metrics import BY_KEY, Metrics, MetricsSnapshot
from assay.llm.requests.results import Completeness
from assay.llm.scope import CallSettlement, CallState, UsageBasis
from assay.packs.graph.steps import GraphCompleteness
from tests.llm.metering.counted import USED, asked

PACKAGE = Path(assay.llm.__file__).parent


def test_a_call_that_was_answered_is_counted_in_full() -> None:
    metrics = Metrics()
    done = CallSettlement(state=CallState.DONE, basis=UsageBasis.REPORTED, usage=Usage(850, 290))
    metrics.count_settlement(asked(), done, seconds=2.5, first_token_s=0.4, micros=77)
    place = ("openai", "small")
    assert metrics.read_numbers("calls") == {(*place, "grounding", "done"): 1}
    assert metrics.read_numbers("tokens_used") == {
        (*place, "grounding", "prompt", "reported"): 850,
        (*place, "grounding", "completion", "reported"): 290,
    }
    assert metrics.read_numbers("cost_micros") == {(*place, "grounding"): 77}
    assert metrics.read_numbers("call_errors") == {}
    assert metrics.read_spreads("call_duration")[*place, "done"].sum == 2.5
    assert metrics.read_spreads("first_token")[place].sum == 0.4
    assert metrics.read_spreads("estimate_ratio")[place].sum == 0.85


def test_a_call_that_failed_used_nothing() -> None:
    metrics = Metrics()
    busy = CallSettlement(
        state=CallState.FAILED, basis=UsageBasis.NOTHING, error=ProviderBusy("Later.")
    )
    metrics.count_settlement(asked(), busy, seconds=0.1)
    assert metrics.read_numbers("calls") == {("openai", "small", "grounding", "failed"): 1}
    assert metrics.read_numbers("call_errors") == {("openai", "small", "provider_busy"): 1}
    assert metrics.read_numbers("tokens_used") == {}
    assert metrics.read_spreads("estimate_ratio") == {}


def test_an_estimate_is_not_compared_with_itself() -> None:
    metrics = Metrics()
    cut = CallSettlement(state=CallState.CUT, basis=UsageBasis.ESTIMATED, usage=Usage(1000, 10))
    metrics.count_settlement(asked(), cut, seconds=1)
    assert metrics.read_spreads("estimate_ratio") == {}
    assert sum(metrics.read_numbers("tokens_used").values()) == 1010


def test_a_call_that_was_never_sent_took_no_time() -> None:
    metrics = Metrics()
    unsent = CallSettlement(state=CallState.UNSENT, basis=UsageBasis.NOTHING)
    metrics.count_settlement(asked(), unsent, seconds=3)
    assert metrics.read_spreads("call_duration") == {}


def test_a_call_is_counted_though_the_clock_was_set_back_or_nothing_was_estimated() -> None:
    metrics = Metrics()
    done = CallSettlement(state=CallState.DONE, basis=UsageBasis.REPORTED, usage=Usage(5, 5))
    metrics.count_settlement(asked(prompt_tokens=0), done, seconds=-3, first_token_s=-4)
    assert metrics.read_spreads("call_duration")["openai", "small", "done"].sum == 0
    assert metrics.read_spreads("first_token")["openai", "small"].sum == 0


def test_what_the_supervisor_tells_is_counted() -> None:
    metrics = Metrics()
    tell = metrics.build_observer()
    tell("step_timeout", {"step": "grounding", "escalation": "fallback_cache"})
    tell("timeout_recovery", {"step": "grounding", "how": "fallback"})
    tell("request_aborted", {})
    tell("request_cancelled", {"mode": "drain", "step": None})
    tell("result", {"completeness": Completeness.PARTIAL_EARLY_EXIT})
    tell("tokens_allocated", {"tokens": 4096})
    tell("budget_exceeded", {"step": "grounding", "request_id": "r1"})
    assert metrics.read_numbers("step_timeouts") == {("grounding", "fallback_cache"): 1}
    assert metrics.read_numbers("timeout_recoveries") == {("grounding", "fallback"): 1}
    assert metrics.read_numbers("requests_aborted") == {(): 1}
    assert metrics.read_numbers("requests_cancelled") == {("drain", ""): 1}
    assert metrics.read_numbers("results") == {("partial_early_exit",): 1}
    assert metrics.read_numbers("tokens_allocated") == {(): 4096}
    assert metrics.read_numbers("budget_exceeded") == {("grounding",): 1}


@pytest.mark.parametrize(
    ("name", "fields"),
    [("step_timeuot", {}), ("step_timeout", {"step": "a"}), ("tokens_allocated", {})],
)
def test_what_the_supervisor_misspells_is_refused(name: str, fields: dict[str, object]) -> None:
    with pytest.raises(InternalError):
        Metrics().build_observer()(name, fields)


def test_nothing_is_told_that_has_no_metric() -> None:
    """Every name in the package that is passed to something called `observe` leads somewhere."""
    tell, told = Metrics().build_observer(), set[str]()
    for path in PACKAGE.rglob("*.py"):
        told |= set(re.findall(r"observe\(\s*\"(\w+)\"", path.read_text(encoding="utf-8")))
    fields = {"step": "a", "escalation": "b", "how": "c", "mode": "d", "completeness": "e"}
    assert told
    for name in told - set(BY_KEY):
        tell(name, {**fields, "tokens": 1})


# The figures of the specification


def test_the_snapshot_has_every_figure() -> None:
    clock = TurnedClock()
    metrics = Metrics(clock=clock)
    tell = metrics.build_observer()
    for step, escalation in (("a", "skip_step"), ("a", "abort_pipeline"), ("b", "skip_step")):
        tell("step_timeout", {"step": step, "escalation": escalation})
    tell("timeout_recovery", {"step": "a", "how": "fallback"})
    tell("request_aborted", {})
    tell("tokens_allocated", {"tokens": 4096})
    tell("budget_exceeded", {"step": "a"})
    for completeness in GraphCompleteness:
        tell("result", {"completeness": completeness.value})
    metrics.count("tokens_used", 850, **USED)
    metrics.count("tokens_used", 290, **{**USED, "kind": "completion"})
    for provider in ("p", "q"):
        metrics.count("rate_limit_waits", provider=provider, reason="RATE_LIMITED")
        metrics.count("denials", 2, provider=provider, reason="CIRCUIT_OPEN")
        metrics.count("circuit_trips", provider=provider, reason="latched")
        metrics.set_gauge("queue_depth", 4, provider=provider)
        metrics.call_started(provider)
    clock.turn(seconds=1)
    assert metrics.take_snapshot() == MetricsSnapshot(
        step_timeouts={"a": 2, "b": 1},
        timeout_recoveries=1,
        aborted_requests=1,
        tokens_allocated=4096,
        tokens_used=1140,
        token_budget_exceeded=1,
        rate_limit_waits=2,
        rate_limit_denials=4,
        circuit_breaker_trips=2,
        max_concurrent_observed=2,
        avg_concurrency=2.0,
        queue_depth=8,
        complete_results=1,
        partial_results=3,
        empty_results=1,
    )


def test_an_unused_snapshot_is_all_zeros() -> None:
    snapshot = Metrics().take_snapshot()
    assert snapshot.pop("step_timeouts") == {}  # type: ignore[misc]
    assert len(snapshot) == 14
    assert not any(snapshot.values())
