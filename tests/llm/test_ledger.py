"""The ledger on both databases: reserve, settle, leases, circuits, and books that balance."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.errors import (
    AuthError,
    BudgetExceeded,
    CallDenied,
    DatabaseUnreachable,
    InternalError,
    ProviderBusy,
    ProviderFailed,
)
from assay.llm.admission import CallWait
from assay.llm.circuit import CircuitState
from assay.llm.ledger import Ledger
from assay.llm.ledger_sql import open_transaction
from assay.llm.limits import Policy, Price, ProviderLimits
from assay.llm.messages import Lane, Usage
from assay.llm.scope import (
    CallRequest,
    CallScope,
    CallSettlement,
    CallState,
    Denial,
    Permit,
    UsageBasis,
)
from assay.llm.window import MARGIN_MS, SLOT_MS
from assay.packs.graph.steps import plan_budget
from assay.store import schema
from assay.store import spending as t
from assay.store.database import open_engine
from tests.llm.books import assert_books_balance, calls_of, rows_of

LIMITS = ProviderLimits(requests_per_minute=2, tokens_per_minute=10_000, smooth_s=60.0)
DONE = CallSettlement(state=CallState.DONE, basis=UsageBasis.REPORTED, usage=Usage(40, 20))


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


def make(engine: sa.Engine, clock: TurnedClock, **policy: Any) -> Ledger:
    return Ledger(engine, Policy(**policy), clock=clock, worker="w")


def ask(
    *, limits: ProviderLimits | None = None, lane: Lane = Lane.LOCAL, **scope: Any
) -> CallRequest:
    return CallRequest(
        provider="p", model="m", lane=lane, limits=limits or ProviderLimits(),
        prompt_tokens=50, output_tokens=100, scope=CallScope(**scope),
    )  # fmt: skip


def granted(ledger: Ledger, asked: CallRequest) -> Permit:
    permit = ledger.reserve(asked)
    assert isinstance(permit, Permit)
    return permit


def finish(ledger: Ledger, permit: Permit, settlement: CallSettlement = DONE) -> int:
    return ledger.settle(permit.call_id, permit.ask.limits, settlement).tokens


def test_a_call_is_set_aside_and_then_charged_what_it_used(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock)
    permit = granted(ledger, ask(source="s", request_id="r", step="x", run_id="run", job_id="j"))
    (row,) = calls_of(engine)
    assert (row["state"], row["charged_tokens"], row["basis"]) == ("open", 150, "reserved")
    assert finish(ledger, permit) == 60
    (row,) = calls_of(engine)
    assert (row["state"], row["charged_tokens"], row["basis"]) == ("done", 60, "reported")
    assert (row["request_id"], row["stage"], row["run_id"], row["job_id"]) == (
        "r", "x", "run", "j",
    )  # fmt: skip
    assert_books_balance(engine)


def test_settling_twice_charges_once(engine: sa.Engine, clock: TurnedClock) -> None:
    ledger = make(engine, clock)
    permit = granted(ledger, ask(source="s"))
    other = CallSettlement(state=CallState.CUT, basis=UsageBasis.ESTIMATED, usage=Usage(1, 1))
    assert [finish(ledger, permit), finish(ledger, permit, other)] == [60, 60]
    assert_books_balance(engine)


@pytest.mark.parametrize(
    ("settlement", "charged"),
    [
        (DONE, 60),
        (CallSettlement(state=CallState.DONE, basis=UsageBasis.RESERVED), 150),
        (CallSettlement(state=CallState.UNSENT, basis=UsageBasis.NOTHING), 0),
        (
            CallSettlement(
                state=CallState.FAILED, basis=UsageBasis.NOTHING, error=ProviderFailed("x")
            ),
            0,
        ),
        (CallSettlement(state=CallState.CUT, basis=UsageBasis.ESTIMATED, usage=Usage(50, 7)), 57),
        (
            CallSettlement(
                state=CallState.CANCELLED, basis=UsageBasis.ESTIMATED, usage=Usage(50, 0)
            ),
            50,
        ),
        (
            CallSettlement(state=CallState.DONE, basis=UsageBasis.REPORTED, usage=Usage(200, 100)),
            300,
        ),
    ],
)
def test_each_ending_is_charged_as_it_should_be(
    engine: sa.Engine, clock: TurnedClock, settlement: CallSettlement, charged: int
) -> None:
    prices = {"m": Price(input_per_million=2.0, output_per_million=10.0)}
    ledger = make(engine, clock, prices=prices)
    assert finish(ledger, granted(ledger, ask(source="s")), settlement) == charged
    (row,) = calls_of(engine)
    assert (row["state"], row["charged_tokens"]) == (settlement.state, charged)
    assert_books_balance(engine)


def test_the_cap_counts_what_is_set_aside_and_frees_what_was_not_used(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock, daily_tokens=300)
    first, _ = granted(ledger, ask()), granted(ledger, ask())
    with pytest.raises(CallDenied) as denied:
        ledger.reserve(ask())
    assert denied.value.reason == Denial.GLOBAL_DAILY_CAP_EXCEEDED
    assert denied.value.recovers_ms == (clock.now_ms() // 86_400_000 + 1) * 86_400_000
    assert len(calls_of(engine)) == 2, "a denied call leaves nothing behind"
    finish(ledger, first, CallSettlement(state=CallState.UNSENT, basis=UsageBasis.NOTHING))
    granted(ledger, ask())
    clock.turn(days=1)
    granted(ledger, ask())
    assert_books_balance(engine)


def test_a_call_over_midnight_stays_with_the_day_it_was_granted(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock, lease_ms=10**9)
    permit = granted(ledger, ask(source="s"))
    day = calls_of(engine)[0]["day"]
    clock.turn(days=1)
    finish(ledger, permit)
    assert {row["day"] for row in rows_of(engine, t.meter)} == {day}
    assert_books_balance(engine)


def test_a_request_is_held_to_its_budget_by_what_the_ledger_says(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock)
    grounding = ask(step="grounding", request_id="r", budget=plan_budget())
    for _ in range(4):
        granted(ledger, grounding)
    with pytest.raises(BudgetExceeded, match="15 of its 615"):
        ledger.reserve(grounding)
    granted(ledger, ask(step="grounding", request_id="another", budget=plan_budget()))


def test_a_rate_makes_calls_wait_and_tells_exactly_how_long(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock)
    granted(ledger, ask(limits=LIMITS))
    granted(ledger, ask(limits=LIMITS))
    third = ask(limits=LIMITS)
    waiting = ledger.reserve(third)
    assert isinstance(waiting, CallWait) and waiting.why is Denial.RATE_LIMITED
    assert 60_000 < waiting.wait_ms <= 60_000 + MARGIN_MS + SLOT_MS
    clock.turn(seconds=(waiting.wait_ms - 1) / 1000)
    assert isinstance(ledger.reserve(third), CallWait)
    clock.turn(seconds=0.001)
    granted(ledger, third)
    assert rows_of(engine, t.ticket) == []


def test_who_stops_waiting_is_out_of_the_queue(engine: sa.Engine, clock: TurnedClock) -> None:
    ledger = make(engine, clock, max_concurrent_local=1)
    granted(ledger, ask())
    waiting = ask()
    assert isinstance(ledger.reserve(waiting), CallWait)
    assert [row["ticket_id"] for row in rows_of(engine, t.ticket)] == [waiting.ticket_id]
    ledger.drop_ticket(waiting.ticket_id)
    assert rows_of(engine, t.ticket) == []


def test_a_dead_workers_permit_comes_back_and_is_charged_in_full(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock, max_concurrent_local=1)
    permit, next_one = granted(ledger, ask(source="s")), ask()
    clock.turn(seconds=14.999)
    assert isinstance(ledger.reserve(next_one), CallWait)
    clock.turn(seconds=0.001)
    after = granted(ledger, next_one)
    lost = next(row for row in calls_of(engine) if row["call_id"] == permit.call_id)
    assert (lost["state"], lost["charged_tokens"]) == ("lost", 150)
    assert_books_balance(engine)
    # It was only slow: what it really used is charged instead.
    assert finish(ledger, permit) == 60
    finish(ledger, after)
    assert_books_balance(engine)


def test_a_permit_that_is_renewed_stays(engine: sa.Engine, clock: TurnedClock) -> None:
    ledger = make(engine, clock, max_concurrent_local=1)
    permit = granted(ledger, ask())
    for _ in range(5):
        clock.turn(seconds=10)
        ledger.renew([permit.call_id])
    assert isinstance(ledger.reserve(ask()), CallWait)
    assert ledger.sweep() == 0
    clock.turn(seconds=15)
    assert ledger.sweep() == 1


def test_a_refusal_without_more_is_kept_as_silence(engine: sa.Engine, clock: TurnedClock) -> None:
    ledger = make(engine, clock)
    busy = ProviderBusy("slow down", retry_after_ms=9_000)
    failed = CallSettlement(state=CallState.FAILED, basis=UsageBasis.NOTHING, error=busy)
    finish(ledger, granted(ledger, ask()), failed)
    waiting = ledger.reserve(ask())
    assert isinstance(waiting, CallWait) and waiting.wait_ms == 9_000


def test_the_circuit_is_shared_and_closed_by_an_operator(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger, other = make(engine, clock), make(engine, clock)
    refused = CallSettlement(
        state=CallState.FAILED, basis=UsageBasis.NOTHING, error=AuthError("bad key")
    )
    finish(ledger, granted(ledger, ask()), refused)
    clock.turn(days=30)
    with pytest.raises(CallDenied, match="assay circuit close p") as denied:
        other.reserve(ask())
    assert (denied.value.reason, denied.value.recovers_ms) == (Denial.CIRCUIT_OPEN, None)
    assert other.read_states()["p"].circuit.state is CircuitState.LATCHED
    assert other.close_circuit("p").reason == "bad key"
    granted(ledger, ask())


def test_a_lost_probe_makes_room_for_another(engine: sa.Engine, clock: TurnedClock) -> None:
    ledger = make(engine, clock)
    failed = CallSettlement(
        state=CallState.FAILED, basis=UsageBasis.NOTHING, error=ProviderFailed("x")
    )
    for _ in range(5):
        finish(ledger, granted(ledger, ask()), failed)
    with pytest.raises(CallDenied) as denied:
        ledger.reserve(ask())
    assert denied.value.recovers_ms == clock.now_ms() + 120_000
    clock.turn(seconds=120)
    granted(ledger, ask())
    with pytest.raises(CallDenied):
        ledger.reserve(ask())
    clock.turn(seconds=15)
    probe = granted(ledger, ask())
    finish(ledger, probe)
    finish(ledger, granted(ledger, ask()))
    assert ledger.read_states()["p"].circuit.state is CircuitState.CLOSED


def test_a_cancelled_probe_counts_neither_way(engine: sa.Engine, clock: TurnedClock) -> None:
    ledger = make(engine, clock)
    failed = CallSettlement(
        state=CallState.FAILED, basis=UsageBasis.NOTHING, error=ProviderFailed("x")
    )
    for _ in range(5):
        finish(ledger, granted(ledger, ask()), failed)
    clock.turn(seconds=120)
    cancelled = CallSettlement(
        state=CallState.CANCELLED, basis=UsageBasis.ESTIMATED, usage=Usage(50, 1)
    )
    finish(ledger, granted(ledger, ask()), cancelled)
    circuit = ledger.read_states()["p"].circuit
    assert (circuit.state, circuit.successes) == (CircuitState.HALF_OPEN, 0)
    granted(ledger, ask())


def test_three_empty_answers_in_a_row_give_a_source_rest(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock)
    for empty in (True, True, False, True, True):
        assert ledger.note_output("s", empty=empty) is None
    granted(ledger, ask(source="s"))
    assert ledger.note_output("s", empty=True) == clock.now_ms() + 3_600_000
    with pytest.raises(CallDenied) as denied:
        ledger.reserve(ask(source="s"))
    assert denied.value.reason == Denial.SOURCE_IN_COOLDOWN
    granted(ledger, ask(source="other"))
    assert ledger.clear_cooldown("s") and not ledger.clear_cooldown("s")
    granted(ledger, ask(source="s"))
    for _ in range(3):
        ledger.note_output("s", empty=True)
    clock.turn(seconds=3_600)
    granted(ledger, ask(source="s"))


def test_a_late_call_is_counted_from_when_it_goes_out(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock)
    permit = granted(ledger, ask(limits=LIMITS))
    clock.turn(seconds=5)
    ledger.postpone_call(permit)
    assert [slot[:2] for slot in ledger.read_states()["p"].window.slots] == [
        (clock.now_ms() // SLOT_MS, 1)
    ]
    finish(ledger, permit)
    (slot,) = ledger.read_states()["p"].window.slots
    assert slot[2] == 60, "what was not used came back from where it was moved to"


def test_a_clock_that_was_set_back_does_not_free_the_window(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    ledger = make(engine, clock)
    granted(ledger, ask(limits=LIMITS))
    clock.turn(seconds=-30)
    granted(ledger, ask(limits=LIMITS))
    waiting = ledger.reserve(ask(limits=LIMITS))
    assert isinstance(waiting, CallWait) and waiting.wait_ms > 60_000


def test_looking_takes_nothing(engine: sa.Engine, clock: TurnedClock) -> None:
    ledger = make(engine, clock, daily_tokens=150)
    assert ledger.check(ask()) is None
    assert calls_of(engine) == []
    granted(ledger, ask())
    with pytest.raises(CallDenied):
        ledger.check(ask())


def test_an_unknown_call_cannot_be_settled(engine: sa.Engine, clock: TurnedClock) -> None:
    with pytest.raises(InternalError, match="no call nobody"):
        make(engine, clock).settle("nobody", LIMITS, DONE)


def test_a_database_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    nobody = open_engine(f"postgresql://nobody@/nothing?host={tmp_path}", wait_s=2.0)
    with pytest.raises(DatabaseUnreachable):
        Ledger(nobody, Policy()).reserve(ask())
    nobody.dispose()


@pytest.mark.postgres
def test_a_session_that_ends_in_the_midst_leaves_nothing_behind(postgres_url: str) -> None:
    engine = open_engine(postgres_url)
    schema.migrate(engine)
    ledger = Ledger(engine, Policy())
    with pytest.raises(DatabaseUnreachable), open_transaction(engine) as tx:
        tx.run("INSERT INTO llm_state (name, value, updated_ms) VALUES ('x', '{}', 0)")
        tx.run("SELECT pg_terminate_backend(pg_backend_pid())")
    assert ledger.read_states() == {} and rows_of(engine, t.state) == []
    finish(ledger, granted(ledger, ask()))
    engine.dispose()


def test_without_a_clock_the_database_tells_the_time(engine: sa.Engine) -> None:
    ledger = Ledger(engine, Policy())
    finish(ledger, granted(ledger, ask()))
    (row,) = calls_of(engine)
    assert 1_700_000_000_000 < row["reserved_ms"] <= row["settled_ms"]
