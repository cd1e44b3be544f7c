"""Priced calls to services: one allowance for all processes, and no answer paid for twice."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.errors import CallDenied, DatabaseUnreachable
from assay.governor.accounts import find_meter_mismatches, sum_calls, sum_service_calls
from assay.llm.admission import day_of, end_of_day_ms
from assay.llm.ledger import Ledger
from assay.llm.ledger_sql import Transaction, open_transaction
from assay.llm.limits import UNLIMITED, Policy
from assay.llm.messages import Lane
from assay.llm.scope import CallRequest, Denial, Permit
from assay.llm.service_calls import ServiceAnswer, ServiceLedger, ServiceTerms
from assay.store.outages import outages_of
from tests.waiting import PATIENCE_S

TERMS = ServiceTerms(name="index", base_url="https://index.test/", daily_micros=1_000)
ANSWER = ServiceAnswer(status=200, body='{"title": "Ω\\u0000"}'.encode(), final_url="https://x/")


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def ledger(engine: sa.Engine, clock: TurnedClock) -> ServiceLedger:
    return ServiceLedger(engine, clock=clock)


def test_what_is_set_aside_counts_until_it_is_settled(ledger: ServiceLedger) -> None:
    call = ledger.reserve("index", "priced", 300, 1_000)
    assert ledger.read_spent("index") == 300
    ledger.settle(call, micros=100)
    ledger.settle(call, micros=0)
    assert ledger.read_spent("index") == 100


def test_a_used_up_allowance_is_denied_until_midnight(
    ledger: ServiceLedger, clock: TurnedClock
) -> None:
    ledger.settle(ledger.reserve("index", "priced", 900, 1_000), micros=900)
    with pytest.raises(CallDenied, match=r"\$0.0001 of the day's \$0.0010 are left") as denied:
        ledger.reserve("index", "priced", 200, 1_000)
    assert denied.value.reason == Denial.SERVICE_ALLOWANCE_EXCEEDED
    assert denied.value.recovers_ms == end_of_day_ms(clock.now_ms())
    assert ledger.reserve("other", "priced", 200, 1_000)
    clock.turn(days=1)
    assert ledger.reserve("index", "priced", 200, 1_000)


def lose_connection(monkeypatch: pytest.MonkeyPatch, *losses: str) -> None:
    """Let the next transactions lose their connection before or after their commit."""
    left = list(losses)

    @contextmanager
    def open_and_lose(engine: sa.Engine) -> Iterator[Transaction]:
        loss = left.pop(0) if left else ""
        with open_transaction(engine) as tx:
            yield tx
            if loss == "before":
                raise DatabaseUnreachable("gone")
        if loss == "after":
            raise DatabaseUnreachable("gone")

    monkeypatch.setattr("assay.llm.service_calls.open_transaction", open_and_lose)


def test_a_lost_database_costs_no_answer_and_nothing_is_set_aside_twice(
    ledger: ServiceLedger, engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    outages_of(engine).wait_up_to(PATIENCE_S)
    lose_connection(monkeypatch, "before", "after")
    call = ledger.reserve("index", "priced", 300, 1_000)
    assert ledger.read_spent("index") == 300
    lose_connection(monkeypatch, "before", "after", "before")
    ledger.settle(call, micros=100, stored=("key", ANSWER))
    found = ledger.find_answer("key", TERMS)
    assert found is not None and found.body == ANSWER.body
    assert ledger.read_spent("index") == 100
    lose_connection(monkeypatch, "before")
    ledger.store_answer("index", "free", "other", ANSWER)
    assert ledger.find_answer("other", TERMS) is not None


def test_a_call_whose_process_died_stays_charged(
    ledger: ServiceLedger, engine: sa.Engine, clock: TurnedClock
) -> None:
    died = ledger.reserve("index", "priced", 600, 1_000)
    clock.turn(seconds=3600)
    with pytest.raises(CallDenied):
        ledger.reserve("index", "priced", 600, 1_000)
    assert ledger.reserve("index", "priced", 400, 1_000)
    # The answer came after all: what it cost is known now.
    ledger.settle(died, micros=100)
    assert ledger.read_spent("index") == 500
    assert find_meter_mismatches(engine) == []


def test_a_failed_call_is_charged_only_if_nobody_knows_its_cost(ledger: ServiceLedger) -> None:
    refused = ledger.reserve("index", "priced", 300, 1_000)
    ledger.settle(refused, micros=0, error_code="fetch_failed")
    assert ledger.read_spent("index") == 0
    unknown = ledger.reserve("index", "priced", 300, 1_000)
    ledger.settle(unknown, micros=None, error_code="fetch_failed")
    assert ledger.read_spent("index") == 300


def test_an_answer_is_stored_with_its_settlement_and_ages(
    ledger: ServiceLedger, clock: TurnedClock
) -> None:
    call = ledger.reserve("index", "priced", 100, 1_000)
    ledger.settle(call, micros=100, stored=("key", ANSWER))
    found = ledger.find_answer("key", TERMS)
    assert found is not None
    assert (found.status, found.body, found.is_cached) == (200, ANSWER.body, True)
    assert ledger.find_answer("other", TERMS) is None
    clock.turn(days=31)
    assert ledger.find_answer("key", TERMS) is None


def test_not_found_is_remembered_for_a_shorter_time(
    ledger: ServiceLedger, clock: TurnedClock
) -> None:
    ledger.store_answer("index", "free", "key", ServiceAnswer(status=404, body=b""))
    clock.turn(days=6)
    found = ledger.find_answer("key", TERMS)
    assert found is not None and found.status == 404
    clock.turn(days=2)
    assert ledger.find_answer("key", TERMS) is None


def test_calls_to_services_count_towards_no_cap_on_models(
    ledger: ServiceLedger, engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger.settle(ledger.reserve("index", "priced", 500, None), micros=500)
    policy = Policy(daily_cost_micros=None, daily_tokens=10)
    models = Ledger(engine, policy, clock=clock)
    ask = CallRequest(provider="p", model="m", lane=Lane.LOCAL, limits=UNLIMITED,
                      prompt_tokens=5, output_tokens=5)  # fmt: skip
    assert isinstance(models.reserve(ask), Permit)
    day = day_of(clock.now_ms())
    assert (sum_calls(engine, day).calls, sum_calls(engine, day).micros) == (1, 0)
    (account,) = sum_service_calls(engine, day)
    assert (account.name, account.calls, account.used_micros) == ("index", 1, 500)
    assert find_meter_mismatches(engine) == []


def test_many_at_once_never_spend_more_than_the_allowance(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    granted: list[str] = []

    def spend() -> None:
        own = ServiceLedger(engine, clock=clock)
        for _ in range(10):
            try:
                granted.append(own.reserve("index", "priced", 100, 1_000))
            except CallDenied:
                return

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == 10
    assert find_meter_mismatches(engine) == []
