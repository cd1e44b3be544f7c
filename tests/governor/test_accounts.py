"""The sums of the ledger, on both databases, beside what the meters say."""

from typing import Any

import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.governor.accounts import (
    MeterMismatch,
    SpendingGroup,
    find_meter_mismatches,
    find_overdue_calls,
    list_resting_sources,
    sum_calls,
    sum_calls_by_group,
)
from assay.governor.standings import pause_source
from assay.llm.ledger import Ledger
from assay.llm.limits import UNLIMITED, Policy, Price
from assay.llm.messages import Lane, Usage
from assay.llm.scope import CallRequest, CallScope, CallSettlement, CallState, Permit, UsageBasis
from assay.store.spending import meter
from tests.governor.conftest import MIDNIGHT, NOON

DAY, NEXT_DAY = "2023-11-15", "2023-11-16"
POLICY = Policy(prices={"dear": Price(input_per_million=2, output_per_million=10)})


@pytest.fixture
def ledger(engine: sa.Engine, clock: TurnedClock) -> Ledger:
    return Ledger(engine, POLICY, clock=clock)


def begin(ledger: Ledger, source: str | None, tokens: int, *, model: str = "dear",
          lane: Lane = Lane.LOCAL, **scope: Any) -> Permit:  # fmt: skip
    permit = ledger.reserve(
        CallRequest(
            provider="p",
            model=model,
            lane=lane,
            limits=UNLIMITED,
            prompt_tokens=tokens,
            output_tokens=100,
            scope=CallScope(source=source, **scope),
        )
    )
    assert isinstance(permit, Permit)
    return permit


def end(ledger: Ledger, permit: Permit, prompt: int, output: int) -> None:
    usage = Usage(prompt, output)
    settlement = CallSettlement(state=CallState.DONE, basis=UsageBasis.REPORTED, usage=usage)
    ledger.settle(permit.call_id, UNLIMITED, settlement)


def test_an_empty_ledger(engine: sa.Engine) -> None:
    account = sum_calls(engine, DAY)
    assert (account.calls, account.tokens, account.micros) == (0, 0, 0)
    assert sum_calls_by_group(engine, DAY, SpendingGroup.SOURCE) == ([], 0)
    assert find_meter_mismatches(engine) == []
    assert find_overdue_calls(engine, NOON) == []
    assert list_resting_sources(engine, NOON) == []


def test_what_is_used_and_what_is_set_aside(engine: sa.Engine, ledger: Ledger) -> None:
    end(ledger, begin(ledger, "a", 400), 300, 20)
    begin(ledger, "a", 400)
    begin(ledger, None, 50, model="unpriced")
    begin(ledger, "b", 10, lane=Lane.BATCH)
    account = sum_calls(engine, DAY)
    assert (account.calls, account.open, account.lost, account.unpriced) == (4, 3, 0, 1)
    assert (account.used_tokens, account.reserved_tokens, account.tokens) == (320, 760, 1080)
    assert account.used_micros == 300 * 2 + 20 * 10
    assert account.reserved_micros == 400 * 2 + 100 * 10 + (10 * 2 + 100 * 10) // 2
    found, left_out = sum_calls_by_group(engine, DAY, SpendingGroup.SOURCE)
    assert [(a.name, a.tokens) for a in found] == [("a", 820), (None, 150), ("b", 110)]
    assert left_out == 0
    few, left_out = sum_calls_by_group(engine, DAY, SpendingGroup.SOURCE, limit=1)
    assert ([a.name for a in few], left_out) == (["a"], 2)
    assert find_meter_mismatches(engine) == []


@pytest.mark.parametrize("by", list(SpendingGroup))
def test_every_way_to_add_up_has_the_same_sum(
    engine: sa.Engine, ledger: Ledger, by: SpendingGroup
) -> None:
    for number in range(6):
        permit = begin(
            ledger, f"s{number % 2}" if number else None, 10 * number, step=f"t{number % 3}",
            run_id="r" if number % 2 else None, request_id=f"q{number % 4}",
        )  # fmt: skip
        if number % 3:
            end(ledger, permit, number, number)
    found, _ = sum_calls_by_group(engine, DAY, by)
    whole = sum_calls(engine, DAY)
    assert sum(account.calls for account in found) == whole.calls == 6
    assert sum(account.tokens for account in found) == whole.tokens
    assert sum(account.micros for account in found) == whole.micros


def test_a_call_belongs_to_the_day_it_was_granted(
    engine: sa.Engine, ledger: Ledger, clock: TurnedClock
) -> None:
    late = begin(ledger, "a", 100)
    clock.turn(seconds=(MIDNIGHT - NOON) / 1000)
    end(ledger, late, 80, 10)
    end(ledger, begin(ledger, "a", 100), 60, 10)
    assert sum_calls(engine, DAY).tokens == 90
    assert sum_calls(engine, NEXT_DAY).tokens == 70
    assert find_meter_mismatches(engine) == []


def test_a_dead_worker_s_call_is_overdue_then_lost(
    engine: sa.Engine, ledger: Ledger, clock: TurnedClock
) -> None:
    permit = begin(ledger, "a", 100)
    ends_ms = NOON + POLICY.lease_ms
    assert find_overdue_calls(engine, ends_ms - 1) == []
    assert find_overdue_calls(engine, ends_ms) == [permit.call_id]
    assert find_overdue_calls(engine, ends_ms, NEXT_DAY) == []
    clock.turn(seconds=POLICY.lease_ms / 1000)
    assert ledger.sweep() == 1
    assert find_overdue_calls(engine, ends_ms) == []
    account = sum_calls(engine, DAY)
    assert (account.open, account.lost, account.used_tokens) == (0, 1, 200)
    assert find_meter_mismatches(engine) == []


def test_a_meter_that_differs_is_named_with_its_difference(
    engine: sa.Engine, ledger: Ledger
) -> None:
    end(ledger, begin(ledger, "a", 100), 50, 10)
    with engine.begin() as connection:
        of_a = meter.c.meter == "source:a"
        connection.execute(sa.update(meter).where(of_a).values(tokens=meter.c.tokens + 5))
        connection.execute(
            sa.insert(meter).values(day=NEXT_DAY, meter="all", calls=1, tokens=0, micros=0)
        )
    of_source = MeterMismatch(day=DAY, meter="source:a", calls=0, tokens=-5, micros=0)
    stray = MeterMismatch(day=NEXT_DAY, meter="all", calls=-1, tokens=0, micros=0)
    assert find_meter_mismatches(engine) == [of_source, stray]
    assert find_meter_mismatches(engine, DAY) == [of_source]
    assert str(of_source) == (
        "2023-11-15 source:a: the ledger has +0 calls, -5 tokens, +0 millionths"
    )


def test_rests_end_and_are_then_forgotten(engine: sa.Engine, ledger: Ledger) -> None:
    for _ in range(3):
        ledger.note_output("b", empty=True)
    ledger.note_output("a", empty=True)
    pause_source(engine, "c", "by hand", 2, now_ms=NOON)
    pause_source(engine, "d", "by hand", None, now_ms=NOON)
    hour_ms = 3_600_000
    assert [
        (r.source, r.rests, r.until_ms, r.empties) for r in list_resting_sources(engine, NOON)
    ] == [
        ("b", True, NOON + hour_ms, 0),
        ("c", True, NOON + 2 * hour_ms, 0),
        ("d", True, None, 0),
        ("a", False, None, 1),
    ]
    assert [r.source for r in list_resting_sources(engine, NOON + hour_ms)] == ["c", "d", "a"]
    assert [r.source for r in list_resting_sources(engine, NOON + 2 * hour_ms)] == ["d", "a"]
