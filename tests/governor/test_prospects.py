"""One look at the books says of every document what the ledger would say of it by itself."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.errors import AuthError, CallTooLarge, ProviderFailed
from assay.governor import SpendingVerdict
from assay.governor.budget import BudgetRequest, BudgetView
from assay.llm.doubles.scripted import ScriptedProvider
from assay.llm.limits import Policy, Price, ProviderLimits
from assay.llm.scope import Denial
from tests.governor.test_governor import CLOUD, LOCAL, Desk, asked

NARROW = ScriptedProvider(
    name="narrow", limits=ProviderLimits(requests_per_minute=1, tokens_per_minute=300)
)
PROVIDERS = (LOCAL, CLOUD, NARROW)
SMALL = Policy(
    daily_tokens=1_000, daily_tokens_per_source=500, evidence_tokens=200, max_concurrent_local=1
)
PRICED = Policy(
    daily_cost_micros=6_000,
    prices={LOCAL.model: Price(input_per_million=5, output_per_million=0)},
)
MOMENTARY = (Denial.CONCURRENT_LIMIT_REACHED, Denial.RATE_LIMITED)


def nothing(desk: Desk) -> None:
    pass


def spent(desk: Desk) -> None:
    desk.settle(desk.reserve(asked(400)))
    desk.settle(desk.reserve(asked(400, source="council")))
    desk.settle(desk.reserve(asked(150, source=None, evidence="ev_1")))


def under_way(desk: Desk) -> None:
    desk.reserve(asked(100))


def asked_narrow(desk: Desk) -> None:
    desk.settle(desk.reserve(asked(100, provider=NARROW)))


def latched(desk: Desk) -> None:
    desk.fail(AuthError("The key is refused."))


def broken(desk: Desk) -> None:
    desk.fail(ProviderFailed("It broke."), times=5)


def resting(desk: Desk) -> None:
    for _ in range(3):
        desk.governor.note_output("gazette", empty=True)


def paused(desk: Desk) -> None:
    desk.governor.standings.pause("gazette", "by hand", 2)


PASTS = (nothing, spent, under_way, asked_narrow, latched, broken, resting, paused)


def alone(desk: Desk, wanted: BudgetRequest, provider: ScriptedProvider) -> SpendingVerdict:
    """What the ledger says of one document."""
    try:
        found = desk.governor.check(
            wanted.source, provider, tokens=wanted.tokens, evidence=wanted.evidence
        )
    except CallTooLarge:
        return SpendingVerdict(allowed=False, reason=Denial.EVIDENCE_TOO_LARGE)
    return SpendingVerdict(allowed=True) if found.reason in MOMENTARY else found


@pytest.mark.parametrize("past", PASTS, ids=lambda past: past.__name__)
@pytest.mark.parametrize("policy", [SMALL, PRICED], ids=["tokens", "money"])
def test_it_says_what_the_ledger_would_say(
    engine: sa.Engine, clock: TurnedClock, past: Callable[[Desk], None], policy: Policy
) -> None:
    desk = Desk(engine, clock, policy)
    past(desk)
    names = ["ev_1", "ev_2"]
    prospects = BudgetView(desk.ledger, PROVIDERS).take_snapshot(
        ["gazette", "council"], names, clock.now_ms()
    )
    for source in ("gazette", "council"):
        for tokens in (0, 50, 51, 100, 101, 200, 201, 300, 301, 500):
            for provider in PROVIDERS:
                for name in names:
                    wanted = BudgetRequest(
                        source=source, evidence=name, tokens=tokens,
                        standing=desk.governor.standings.read_standing(source),
                    )  # fmt: skip
                    found, expected = (
                        prospects.check(wanted, provider),
                        alone(desk, wanted, provider),
                    )
                    assert (found.allowed, found.reason, found.recovers_ms) == (
                        expected.allowed, expected.reason, expected.recovers_ms,
                    ), wanted  # fmt: skip
                    assert found.allowed or found.message


def test_a_model_without_a_price_is_denied_by_the_cap_on_money(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    desk = Desk(engine, clock, Policy(daily_cost_micros=1))
    prospects = BudgetView(desk.ledger, [LOCAL]).take_snapshot(["gazette"], [], clock.now_ms())
    found = prospects.check(BudgetRequest(source="gazette", evidence="ev", tokens=1), LOCAL)
    assert (found.reason, found.recovers_ms) == (Denial.GLOBAL_DAILY_CAP_EXCEEDED, None)
    assert "has no price" in found.message


def test_a_full_slot_and_a_full_minute_stand_in_nobody_s_way(
    engine: sa.Engine, clock: TurnedClock
) -> None:
    desk = Desk(engine, clock, SMALL)
    under_way(desk)
    asked_narrow(Desk(engine, clock, Policy()))
    for provider, reason in ((LOCAL, Denial.CONCURRENT_LIMIT_REACHED),
                             (NARROW, Denial.RATE_LIMITED)):  # fmt: skip
        verdict = Desk(engine, clock, SMALL).governor.check("gazette", provider, tokens=10)
        assert verdict.reason is reason
        prospects = BudgetView(desk.ledger, [provider]).take_snapshot(
            ["gazette"], [], clock.now_ms()
        )
        wanted = BudgetRequest(source="gazette", evidence="ev", tokens=10)
        assert prospects.check(wanted, provider).allowed


def test_looking_takes_nothing(engine: sa.Engine, clock: TurnedClock) -> None:
    desk = Desk(engine, clock, SMALL)
    for _ in range(5):
        prospects = BudgetView(desk.ledger, [LOCAL]).take_snapshot(
            ["gazette"], ["ev"], clock.now_ms()
        )
        assert prospects.check(
            BudgetRequest(source="gazette", evidence="ev", tokens=200), LOCAL
        ).allowed
    with engine.connect() as connection:
        for table in ("llm_calls", "llm_meters", "llm_tickets"):
            assert connection.execute(sa.text(f"SELECT COUNT(*) FROM {table}")).scalar() == 0


def test_more_documents_than_one_statement_takes(engine: sa.Engine, clock: TurnedClock) -> None:
    desk = Desk(engine, clock, SMALL)
    desk.settle(desk.reserve(asked(150, source=None, evidence="ev_1234")))
    names = [f"ev_{number}" for number in range(1_300)]
    prospects = BudgetView(desk.ledger, [LOCAL]).take_snapshot(["gazette"], names, clock.now_ms())
    assert prospects.charged == {"ev_1234": 150}
