"""Every denial with its exact time of recovery, as the governor tells it and the ledger acts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.errors import (
    AssayError,
    AuthError,
    CallDenied,
    CallTooLarge,
    PriceUnknown,
    ProviderFailed,
    QuotaError,
)
from assay.governor import Governor, SpendingVerdict
from assay.governor.health import HOUR_MS
from assay.governor.standings import (
    CACHE_MS,
    Standings,
    pause_source,
    read_standing,
    unpause_source,
)
from assay.llm.admission import CallWait
from assay.llm.doubles.scripted import ScriptedProvider
from assay.llm.ledger import Ledger
from assay.llm.limits import Policy, Price, ProviderLimits
from assay.llm.messages import Lane, Usage
from assay.llm.scope import (
    CallRequest,
    CallScope,
    CallSettlement,
    CallState,
    Denial,
    Permit,
    SourceStanding,
    UsageBasis,
)
from assay.model.bookkeeping import SourceHealth
from assay.store.upserts import upsert_records
from tests.governor.conftest import MIDNIGHT, NOON

LOCAL = ScriptedProvider(name="local", lane=Lane.LOCAL)
CLOUD = ScriptedProvider(name="cloud", lane=Lane.CLOUD)


@dataclass
class Desk:
    """A governor and a ledger on one store, under one clock."""

    engine: sa.Engine
    clock: TurnedClock
    policy: Policy = field(default_factory=Policy)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.engine, self.policy, clock=self.clock)
        self.governor = Governor(self.ledger, self.engine, self.clock)

    def reserve(self, ask: CallRequest) -> Permit:
        """A permit, which there must be."""
        permit = self.ledger.reserve(self.governor.with_standing(ask))
        assert isinstance(permit, Permit)
        return permit

    def settle(
        self, permit: Permit, *, used: int | None = None, error: AssayError | None = None
    ) -> None:
        failed = error is not None
        settlement = CallSettlement(
            state=CallState.FAILED if failed else CallState.DONE,
            basis=UsageBasis.NOTHING if failed else UsageBasis.REPORTED,
            usage=Usage(permit.ask.tokens if used is None else used, 0),
            error=error,
        )
        self.ledger.settle(permit.call_id, permit.ask.limits, settlement)

    def fail(self, error: AssayError, times: int = 1) -> None:
        for _ in range(times):
            self.settle(self.reserve(asked()), error=error)

    def refused(self, ask: CallRequest) -> SpendingVerdict:
        """The verdict on a call that is not granted; the ledger must say the same."""
        verdict = self.governor.check_call(ask)
        assert not verdict.allowed
        assert verdict.message
        try:
            said = self.ledger.reserve(self.governor.with_standing(ask))
        except CallDenied as denied:
            assert (denied.reason, denied.recovers_ms) == (verdict.reason, verdict.recovers_ms)
            assert denied.final is (denied.recovers_ms is None)
        else:
            assert isinstance(said, CallWait)
            assert (said.why, said.until_ms) == (verdict.reason, verdict.recovers_ms)
            self.ledger.drop_ticket(ask.ticket_id)
        return verdict


def asked(tokens: int = 100, provider: ScriptedProvider = LOCAL, **scope: Any) -> CallRequest:
    return CallRequest(
        provider=provider.name,
        model=provider.model,
        lane=provider.lane,
        limits=provider.limits,
        prompt_tokens=tokens,
        output_tokens=0,
        scope=CallScope(**{"source": "gazette", **scope}),
    )


@pytest.fixture
def desk(engine: sa.Engine, clock: TurnedClock) -> Desk:
    return Desk(engine, clock)


@pytest.fixture
def small(engine: sa.Engine, clock: TurnedClock) -> Desk:
    """With caps that a test can reach."""
    policy = Policy(
        daily_tokens=1_000,
        daily_tokens_per_source=500,
        evidence_tokens=200,
        max_concurrent_local=2,
        max_concurrent_cloud=2,
    )
    return Desk(engine, clock, policy)


@contextmanager
def turned_to(clock: TurnedClock, ms: int) -> Iterator[None]:
    """At another time, and back; the ledger's window of calls must not be in the way."""
    before = clock.now_ms()
    clock.turn(seconds=(ms - before) / 1000)
    yield
    clock.turn(seconds=(before - ms) / 1000)


def test_what_is_within_all_caps_is_allowed_and_takes_nothing(small: Desk) -> None:
    for _ in range(20):
        verdict = small.governor.check("gazette", LOCAL, tokens=100, evidence="ev")
        assert verdict == SpendingVerdict(allowed=True)
    with small.engine.connect() as connection:
        assert connection.execute(sa.text("SELECT COUNT(*) FROM llm_calls")).scalar() == 0
        assert connection.execute(sa.text("SELECT COUNT(*) FROM llm_meters")).scalar() == 0
        assert connection.execute(sa.text("SELECT COUNT(*) FROM llm_tickets")).scalar() == 0


def test_the_global_cap_recovers_at_midnight(small: Desk) -> None:
    for name in ("a", "b"):
        small.settle(small.reserve(asked(500, source=name)))
    verdict = small.refused(asked(1, source="c"))
    assert verdict.reason is Denial.GLOBAL_DAILY_CAP_EXCEEDED
    assert verdict.recovers_ms == MIDNIGHT
    assert "0 of the day's 1000 are left" in verdict.message
    with turned_to(small.clock, MIDNIGHT - 1):
        assert not small.governor.check("c", LOCAL, tokens=1).allowed
    with turned_to(small.clock, MIDNIGHT):
        assert small.governor.check("c", LOCAL, tokens=1).allowed


def test_the_cap_on_money_recovers_at_midnight(engine: sa.Engine, clock: TurnedClock) -> None:
    price = Price(input_per_million=1_000, output_per_million=5_000)
    policy = Policy(daily_cost_micros=1_000_000, prices={LOCAL.model: price})
    desk = Desk(engine, clock, policy)
    desk.settle(desk.reserve(asked(900)))
    assert desk.governor.check("gazette", LOCAL, tokens=100).allowed
    verdict = desk.refused(asked(101))
    assert verdict.reason is Denial.GLOBAL_DAILY_CAP_EXCEEDED
    assert verdict.recovers_ms == MIDNIGHT
    # The answer is dearer than the question.
    assert desk.governor.check("gazette", LOCAL, tokens=0, output_tokens=20).allowed
    assert not desk.governor.check("gazette", LOCAL, tokens=0, output_tokens=21).allowed


def test_a_cap_on_money_needs_prices(engine: sa.Engine, clock: TurnedClock) -> None:
    desk = Desk(engine, clock, Policy(daily_cost_micros=1_000_000))
    with pytest.raises(PriceUnknown):
        desk.governor.check("gazette", LOCAL, tokens=1)


def test_a_source_cap_recovers_at_midnight_and_is_its_own(small: Desk) -> None:
    small.settle(small.reserve(asked(400)))
    assert small.governor.check("gazette", LOCAL, tokens=100).allowed
    verdict = small.refused(asked(101))
    assert verdict.reason is Denial.SOURCE_DAILY_CAP_EXCEEDED
    assert verdict.recovers_ms == MIDNIGHT
    assert small.governor.check("council", LOCAL, tokens=101).allowed
    with turned_to(small.clock, MIDNIGHT):
        assert small.governor.check("gazette", LOCAL, tokens=101).allowed


@pytest.mark.parametrize(("multiplier", "cap"), [(1.5, 750), (1.2, 600), (0.5, 250), (0.2, 100)])
def test_a_source_cap_is_multiplied_by_health(small: Desk, multiplier: float, cap: int) -> None:
    record(small.engine, budget_multiplier=multiplier)
    assert small.governor.check("gazette", LOCAL, tokens=cap).allowed
    assert small.refused(asked(cap + 1)).reason is Denial.SOURCE_DAILY_CAP_EXCEEDED


def test_a_document_that_is_too_large_waits_for_a_person(small: Desk) -> None:
    assert small.governor.check("gazette", LOCAL, tokens=200, evidence="ev").allowed
    verdict = small.refused(asked(201, evidence="ev"))
    assert verdict.reason is Denial.EVIDENCE_TOO_LARGE
    assert verdict.recovers_ms is None
    assert "a person" in verdict.message
    small.settle(small.reserve(asked(150, evidence="ev")))
    assert small.refused(asked(51, evidence="ev")).reason is Denial.EVIDENCE_TOO_LARGE
    assert small.governor.check("gazette", LOCAL, tokens=51, evidence="another").allowed


@pytest.mark.parametrize("error", [AuthError("The key is refused."), QuotaError("Used up.")])
def test_a_latched_circuit_waits_for_a_person(desk: Desk, error: AssayError) -> None:
    desk.fail(error)
    verdict = desk.refused(asked())
    assert verdict.reason is Denial.CIRCUIT_OPEN
    assert verdict.recovers_ms is None
    assert "assay circuit close local" in verdict.message
    with turned_to(desk.clock, MIDNIGHT + HOUR_MS):
        assert desk.refused(asked()).recovers_ms is None
    desk.ledger.close_circuit("local")
    assert desk.governor.check("gazette", LOCAL, tokens=1).allowed


def test_an_open_circuit_recovers_after_its_time(desk: Desk) -> None:
    desk.fail(ProviderFailed("It broke."), times=5)
    verdict = desk.refused(asked())
    assert verdict.reason is Denial.CIRCUIT_OPEN
    assert verdict.recovers_ms == NOON + 120_000
    desk.clock.turn(seconds=119.999)
    assert desk.refused(asked()).recovers_ms == NOON + 120_000
    desk.clock.turn(seconds=0.001)
    # Its time is over: one probe may go, and who comes meanwhile asks again in a moment.
    assert desk.governor.check("gazette", LOCAL, tokens=1).allowed
    desk.reserve(asked())
    probing = desk.refused(asked())
    assert probing.reason is Denial.CIRCUIT_OPEN
    assert probing.recovers_ms == NOON + 121_000


def test_the_circuit_of_one_provider_is_not_another_s(desk: Desk) -> None:
    desk.fail(AuthError("The key is refused."))
    assert desk.governor.check("gazette", CLOUD, tokens=1).allowed


def test_a_rest_ends_by_itself(desk: Desk) -> None:
    assert desk.governor.note_output("gazette", empty=True) is None
    assert desk.governor.note_output("gazette", empty=True) is None
    desk.clock.turn(seconds=10)
    until_ms = NOON + 10_000 + HOUR_MS
    assert desk.governor.note_output("gazette", empty=True) == until_ms
    verdict = desk.refused(asked())
    assert verdict.reason is Denial.SOURCE_IN_COOLDOWN
    assert verdict.recovers_ms == until_ms
    assert "assay cooldown clear gazette" in verdict.message
    assert desk.governor.check("council", LOCAL, tokens=1).allowed
    with turned_to(desk.clock, until_ms - 1):
        assert not desk.governor.check("gazette", LOCAL, tokens=1).allowed
    with turned_to(desk.clock, until_ms):
        assert desk.governor.check("gazette", LOCAL, tokens=1).allowed


def test_a_rest_is_cleared_by_hand(desk: Desk) -> None:
    assert not desk.governor.clear_cooldown("gazette")
    for _ in range(3):
        desk.governor.note_output("gazette", empty=True)
    assert desk.governor.clear_cooldown("gazette")
    assert desk.governor.check("gazette", LOCAL, tokens=1).allowed
    assert not desk.governor.clear_cooldown("gazette")
    assert desk.governor.note_output("gazette", empty=True) is None


def test_an_answer_that_holds_something_forgets_the_empty_ones(desk: Desk) -> None:
    for empty in (True, True, False, True, True):
        assert desk.governor.note_output("gazette", empty=empty) is None
    assert desk.governor.check("gazette", LOCAL, tokens=1).allowed
    assert desk.governor.note_output("gazette", empty=True) is not None


def test_a_pause_ends_by_itself(desk: Desk) -> None:
    desk.governor.standings.pause("gazette", "too many errors", 24)
    verdict = desk.refused(asked())
    assert verdict.reason is Denial.SOURCE_IN_COOLDOWN
    assert verdict.recovers_ms == NOON + 24 * HOUR_MS
    assert not desk.governor.check("gazette", CLOUD, tokens=1).allowed
    with turned_to(desk.clock, NOON + 24 * HOUR_MS - 1):
        assert not desk.governor.check("gazette", LOCAL, tokens=1).allowed
    with turned_to(desk.clock, NOON + 24 * HOUR_MS):
        assert desk.governor.check("gazette", LOCAL, tokens=1).allowed


def test_a_pause_without_an_end_waits_for_a_person(desk: Desk) -> None:
    desk.governor.standings.pause("gazette", "a person wants it so", None)
    verdict = desk.refused(asked())
    assert verdict.reason is Denial.SOURCE_IN_COOLDOWN
    assert verdict.recovers_ms is None
    assert desk.governor.standings.unpause("gazette")
    assert desk.governor.check("gazette", LOCAL, tokens=1).allowed
    assert not desk.governor.standings.unpause("gazette")


def test_a_source_in_poor_health_may_use_local_models_alone(desk: Desk) -> None:
    record(desk.engine, allow_cloud=False, budget_multiplier=0.5)
    verdict = desk.refused(asked(provider=CLOUD))
    assert verdict.reason is Denial.SOURCE_IN_COOLDOWN
    assert verdict.recovers_ms == MIDNIGHT
    assert desk.governor.check("gazette", LOCAL, tokens=1).allowed


def test_a_slot_may_be_free_in_a_moment(small: Desk) -> None:
    first, _ = (small.reserve(asked(10, source=name)) for name in ("a", "b"))
    verdict = small.refused(asked(10, source="c"))
    assert verdict.reason is Denial.CONCURRENT_LIMIT_REACHED
    assert verdict.recovers_ms is not None
    assert NOON < verdict.recovers_ms <= NOON + 1_000
    # The lanes do not share their slots.
    assert small.governor.check("c", CLOUD, tokens=10).allowed
    small.settle(first)
    assert small.governor.check("c", LOCAL, tokens=10).allowed


def test_two_calls_to_the_cloud_keep_their_distance(desk: Desk) -> None:
    desk.settle(desk.reserve(asked(provider=CLOUD)))
    desk.clock.turn(seconds=0.5)
    verdict = desk.refused(asked(provider=CLOUD))
    assert verdict.reason is Denial.CONCURRENT_LIMIT_REACHED
    assert verdict.recovers_ms == NOON + 2_000
    desk.clock.turn(seconds=1.5)
    assert desk.governor.check("gazette", CLOUD, tokens=1).allowed


def test_a_provider_s_limit_tells_when_there_is_room(desk: Desk) -> None:
    limits = ProviderLimits(requests_per_minute=1, smooth_s=60.0)
    narrow = ScriptedProvider(name="narrow", limits=limits)
    desk.settle(desk.reserve(asked(provider=narrow)))
    verdict = desk.refused(asked(provider=narrow))
    assert verdict.reason is Denial.RATE_LIMITED
    assert verdict.recovers_ms is not None
    assert NOON + 60_000 <= verdict.recovers_ms <= NOON + 61_000
    with turned_to(desk.clock, verdict.recovers_ms - 1):
        assert not desk.governor.check("gazette", narrow, tokens=1).allowed
    with turned_to(desk.clock, verdict.recovers_ms):
        assert desk.governor.check("gazette", narrow, tokens=1).allowed


def test_a_call_that_can_never_go_out_is_no_denial(desk: Desk) -> None:
    narrow = ScriptedProvider(name="narrow", limits=ProviderLimits(tokens_per_minute=100))
    with pytest.raises(CallTooLarge):
        desk.governor.check("gazette", narrow, tokens=101)


def test_a_call_on_nobody_s_account_knows_no_source(small: Desk) -> None:
    assert small.governor.check(None, LOCAL, tokens=1_000).allowed
    assert small.refused(asked(1_001, source=None)).reason is Denial.GLOBAL_DAILY_CAP_EXCEEDED


def test_what_is_known_of_a_source_is_kept_for_half_a_minute(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    standings = Standings(engine, clock)
    assert standings.read_standing("gazette") == SourceStanding()
    pause_source(engine, "gazette", "elsewhere", now_ms=NOON)
    clock.turn(seconds=(CACHE_MS - 1) / 1000)
    assert not standings.read_standing("gazette").paused
    clock.turn(seconds=0.001)
    assert standings.read_standing("gazette") == SourceStanding(
        paused=True, paused_until_ms=NOON + 24 * HOUR_MS
    )
    unpause_source(engine, "gazette", now_ms=clock.now_ms())
    assert standings.read_standing("gazette").paused
    # A clock that is set back must not keep it for ever.
    clock.turn(seconds=-60)
    assert not standings.read_standing("gazette").paused


def test_one_s_own_pause_is_seen_at_once(engine: sa.Engine, clock: TurnedClock) -> None:
    standings = Standings(engine, clock)
    assert not standings.read_standing("gazette").paused
    health = standings.pause("gazette", "here", 2)
    assert (health.pause_reason, health.pause_expires_ms) == ("here", NOON + 2 * HOUR_MS)
    assert standings.read_standing("gazette").paused
    standings.unpause("gazette")
    assert not standings.read_standing("gazette").paused


def test_a_pause_keeps_what_is_known_of_the_source(engine: sa.Engine) -> None:
    record(engine, total_attempts=40, success_count=39, budget_multiplier=1.5, health_score=0.7)
    pause_source(engine, "gazette", "a person wants it so", 1, now_ms=NOON)
    assert read_standing(engine, "gazette", NOON) == SourceStanding(
        multiplier=1.5, paused=True, paused_until_ms=NOON + HOUR_MS
    )
    assert read_standing(engine, "gazette", NOON + HOUR_MS) == SourceStanding(multiplier=1.5)
    assert not unpause_source(engine, "gazette", now_ms=NOON + HOUR_MS)
    assert unpause_source(engine, "gazette", now_ms=NOON + HOUR_MS - 1)


def record(engine: sa.Engine, **fields: Any) -> None:
    """The health of the gazette as it stands in the store."""
    with engine.begin() as connection:
        upsert_records(
            connection, [SourceHealth(source_slug="gazette", window_start_ms=NOON, **fields)]
        )
