"""Decides whether a call may be made now: a pure function of what the ledger has read."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from assay.errors import BudgetExceeded, CallDenied, CallTooLarge, PriceUnknown
from assay.llm.budget import TokenBudget, can_afford, record_usage
from assay.llm.circuit import Circuit, check_circuit
from assay.llm.limits import Policy
from assay.llm.messages import Lane
from assay.llm.scope import CallRequest, Denial
from assay.llm.window import RateForecast, RateWindow, apply_learned_limits

DAY_MS = 86_400_000
POLL_MS = 50
MAX_POLL_MS = 500
TICKET_GRACE_MS = 1_000
"""How late a waiting call may be before others stop waiting for it."""
AGING_MS = 10_000
"""Waiting this long is worth one step of priority, so that no call waits forever."""


@dataclass(frozen=True)
class ProviderState:
    """What is remembered about a provider."""

    window: RateWindow = field(default_factory=RateWindow)
    circuit: Circuit = field(default_factory=Circuit)


@dataclass(frozen=True)
class OpenCall:
    """A call in progress."""

    call_id: str
    provider: str
    lane: str
    probe: bool
    expires_ms: int


@dataclass(frozen=True)
class Ticket:
    """A waiting call."""

    ticket_id: str
    lane: str
    step: str
    priority: int
    tokens: int
    since_ms: int
    due_ms: int


@dataclass(frozen=True, kw_only=True)
class LedgerSnapshot:
    """Everything the ledger knows at the time of the decision."""

    now_ms: int
    provider: ProviderState = field(default_factory=ProviderState)
    lane_started_ms: int = 0
    """When the lane's last call began."""
    calls: Sequence[OpenCall] = ()
    tickets: Sequence[Ticket] = ()
    day_tokens: int = 0
    day_micros: int = 0
    source_tokens: int = 0
    evidence_tokens: int = 0
    resting_until_ms: int | None = None
    request_usage: Mapping[str, int] = field(default_factory=dict)
    """Tokens that the request has used, by step."""


@dataclass(frozen=True)
class CallGrant:
    """The call may be made now."""

    state: ProviderState
    micros: int | None
    probe: bool


@dataclass(frozen=True)
class CallWait:
    """The call may be made later."""

    until_ms: int
    wait_ms: int
    """The same, as milliseconds from now."""
    why: Denial


def day_of(now_ms: int) -> str:
    """The UTC day that a call is charged to."""
    return time.strftime("%Y-%m-%d", time.gmtime(now_ms / 1000))


def end_of_day_ms(now_ms: int) -> int:
    return (now_ms // DAY_MS + 1) * DAY_MS


def decide_admission(
    ask: CallRequest, policy: Policy, found: LedgerSnapshot
) -> CallGrant | CallWait:
    """Grant the call or say how long to wait; a call that waiting cannot help is refused."""
    _refuse_too_large(ask, policy, found)
    micros = _compute_cost(ask, policy, found)
    _refuse_over_cap(ask, policy, found)
    _refuse_unaffordable(ask, found)
    probing = any(call.probe and call.provider == ask.provider for call in found.calls)
    passed = check_circuit(found.provider.circuit, policy, found.now_ms, probing=probing)
    if not passed.passes:
        raise CallDenied(
            f"The circuit of '{ask.provider}' is {passed.circuit.state.value}: "
            f"{passed.circuit.reason}",
            reason=Denial.CIRCUIT_OPEN,
            recovers_ms=passed.recovers_ms,
            tokens=ask.tokens,
            advice="It closes automatically when the provider answers again."
            if passed.recovers_ms
            else f"Fix the cause, then run 'assay circuit close {ask.provider}'.",
        )
    if ask.lane is Lane.BATCH:
        return CallGrant(found.provider, micros, False)
    turn = _decide_turn(ask, policy, found)
    if isinstance(turn, CallWait):
        return turn
    return CallGrant(ProviderState(turn, passed.circuit), micros, passed.probe)


def _refuse_too_large(ask: CallRequest, policy: Policy, found: LedgerSnapshot) -> None:
    bucket = apply_learned_limits(ask.limits, found.provider.window).tokens_per_minute
    if ask.lane is not Lane.BATCH and bucket is not None and ask.tokens > bucket:
        raise CallTooLarge(
            f"A call of {ask.tokens} tokens is larger than what '{ask.provider}' takes in a "
            f"minute ({bucket})."
        )
    most = policy.evidence_tokens
    if ask.scope.evidence is None or most is None or ask.read_anyway:
        return
    if found.evidence_tokens + ask.tokens > most:
        spent = f", after {found.evidence_tokens} today" if found.evidence_tokens else ""
        # The cap is for a day, so what fits into a whole one may be asked tomorrow.
        fits = ask.tokens <= most
        raise CallDenied(
            f"The document needs {ask.tokens} tokens{spent}; one may use {most}.",
            reason=Denial.EVIDENCE_TOO_LARGE,
            recovers_ms=end_of_day_ms(found.now_ms) if fits else None,
            tokens=ask.tokens,
            advice="It continues tomorrow; to read more of it in a day, raise evidence_tokens."
            if fits
            else "Have a person read it, split it, or raise evidence_tokens.",
        )


def _compute_cost(ask: CallRequest, policy: Policy, found: LedgerSnapshot) -> int | None:
    price = policy.prices.get(ask.model)
    if price is None:
        if policy.daily_cost_micros is not None:
            raise PriceUnknown(f"Model '{ask.model}' has no price, and money is capped.")
        return None
    micros = price.cost_micros(ask.prompt_tokens, ask.output_tokens, batched=ask.lane is Lane.BATCH)
    most = policy.daily_cost_micros
    if most is not None and found.day_micros + micros > most:
        raise _cap_error(
            Denial.GLOBAL_DAILY_CAP_EXCEEDED, ask, found,
            f"The call may cost {micros} millionths; {most - found.day_micros} are left today.",
        )  # fmt: skip
    return micros


def _refuse_over_cap(ask: CallRequest, policy: Policy, found: LedgerSnapshot) -> None:
    most = policy.daily_tokens
    if most is not None and found.day_tokens + ask.tokens > most:
        raise _cap_error(
            Denial.GLOBAL_DAILY_CAP_EXCEEDED, ask, found,
            f"The call needs {ask.tokens} tokens; {max(0, most - found.day_tokens)} of the day's "
            f"{most} are left.",
        )  # fmt: skip
    if ask.scope.source is None:
        return
    standing = ask.standing
    if standing.paused:
        raise CallDenied(
            f"Source '{ask.scope.source}' is paused.",
            reason=Denial.SOURCE_IN_COOLDOWN,
            recovers_ms=standing.paused_until_ms,
            tokens=ask.tokens,
            advice=f"Wait, or run 'assay sources unpause {ask.scope.source}'.",
        )
    if ask.lane is not Lane.LOCAL and not standing.allow_cloud:
        raise CallDenied(
            f"The health of source '{ask.scope.source}' does not allow cloud calls.",
            reason=Denial.SOURCE_IN_COOLDOWN,
            recovers_ms=end_of_day_ms(found.now_ms),
            tokens=ask.tokens,
            advice="Use a local model until its health improves.",
        )
    if found.resting_until_ms is not None and found.resting_until_ms > found.now_ms:
        raise CallDenied(
            f"Source '{ask.scope.source}' gave empty answers and is in cooldown.",
            reason=Denial.SOURCE_IN_COOLDOWN,
            recovers_ms=found.resting_until_ms,
            tokens=ask.tokens,
            advice=f"Wait, or run 'assay cooldown clear {ask.scope.source}'.",
        )
    if policy.daily_tokens_per_source is not None:
        cap = int(policy.daily_tokens_per_source * standing.multiplier)
        if found.source_tokens + ask.tokens > cap:
            raise _cap_error(
                Denial.SOURCE_DAILY_CAP_EXCEEDED, ask, found,
                f"The call needs {ask.tokens} tokens; {max(0, cap - found.source_tokens)} of the "
                f"day's {cap} for source '{ask.scope.source}' are left.",
            )  # fmt: skip


def _cap_error(reason: Denial, ask: CallRequest, found: LedgerSnapshot, what: str) -> CallDenied:
    return CallDenied(
        what,
        reason=reason,
        recovers_ms=end_of_day_ms(found.now_ms),
        tokens=ask.tokens,
        advice="It is tried again after midnight UTC; raise the cap to continue now.",
    )


def _refuse_unaffordable(ask: CallRequest, found: LedgerSnapshot) -> None:
    plan = ask.scope.budget
    if plan is None:
        return
    budget: TokenBudget = plan
    for step, tokens in found.request_usage.items():
        budget = record_usage(budget, step, tokens)
    if not can_afford(budget, ask.scope.step, ask.tokens):
        share = budget.share_of(ask.scope.step)
        raise BudgetExceeded(
            f"Step '{ask.scope.step}' needs {ask.tokens} tokens; {share.remaining} of its "
            f"{share.max_tokens} and {budget.remaining} of the request's {budget.total} are left."
        )


def _decide_turn(ask: CallRequest, policy: Policy, found: LedgerSnapshot) -> CallWait | RateWindow:
    """When it will be this call's turn, given the calls ahead of it; or, if it is its turn, the
    window after it."""
    now = found.now_ms
    ahead = _find_tickets_ahead(ask, found)
    outlook = RateForecast(found.provider.window, ask.limits, now)
    starts = now
    for ticket in ahead:
        largest = outlook.limits.tokens_per_minute or 2**62
        starts = max(starts, outlook.find_start(min(ticket.tokens, largest)))
    starts = max(starts, outlook.find_start(ask.tokens))
    if starts > now:
        return CallWait(starts, starts - now, Denial.RATE_LIMITED)
    rested_ms = found.lane_started_ms + policy.cloud_gap_ms
    if ask.lane is Lane.CLOUD and now < rested_ms:
        return CallWait(rested_ms, rested_ms - now, Denial.CONCURRENT_LIMIT_REACHED)
    if _count_free_slots(ask, policy, found) <= len(ahead):
        poll = min(POLL_MS * (1 + len(ahead)), MAX_POLL_MS)
        return CallWait(now + poll, poll, Denial.CONCURRENT_LIMIT_REACHED)
    if ahead:
        # The calls ahead have not started yet; only this call is counted.
        outlook = RateForecast(found.provider.window, ask.limits, now)
        outlook.find_start(ask.tokens)
    return outlook.build_window()


def _count_free_slots(ask: CallRequest, policy: Policy, found: LedgerSnapshot) -> float:
    """The number of calls that may still start."""
    of_lane = policy.max_concurrent_local if ask.lane is Lane.LOCAL else policy.max_concurrent_cloud
    of_provider = ask.limits.max_concurrent
    in_lane = sum(call.lane == ask.lane for call in found.calls)
    at_provider = sum(call.provider == ask.provider for call in found.calls)
    return min(
        float("inf") if of_lane is None else of_lane - in_lane,
        float("inf") if of_provider is None else of_provider - at_provider,
    )


def _find_tickets_ahead(ask: CallRequest, found: LedgerSnapshot) -> list[Ticket]:
    """The waiting calls that go first: by priority, then in turns between steps, then by age."""
    if not found.tickets:
        return []
    mine = Ticket(
        ask.ticket_id,
        ask.lane,
        ask.scope.step,
        ask.scope.priority,
        ask.tokens,
        found.now_ms - ask.waited_ms,
        0,
    )
    live = [
        ticket for ticket in found.tickets
        if ticket.ticket_id != ask.ticket_id and ticket.due_ms + TICKET_GRACE_MS >= found.now_ms
    ]  # fmt: skip
    known = next((t for t in found.tickets if t.ticket_id == ask.ticket_id), mine)
    order = sort_tickets([*live, known], found.now_ms)
    return order[: order.index(known)]


def sort_tickets(tickets: Sequence[Ticket], now_ms: int) -> list[Ticket]:
    """The order in which waiting calls are served."""
    by_step = sorted(
        tickets, key=lambda t: (t.step, _rank_ticket(t, now_ms), t.since_ms, t.ticket_id)
    )
    turns: list[tuple[int, int, int, str, Ticket]] = []
    for _, group in groupby(by_step, key=lambda t: (t.step, _rank_ticket(t, now_ms))):
        for turn, ticket in enumerate(group):
            turns.append(
                (_rank_ticket(ticket, now_ms), turn, ticket.since_ms, ticket.ticket_id, ticket)
            )
    return [ticket for *_, ticket in sorted(turns, key=lambda entry: entry[:4])]


def _rank_ticket(ticket: Ticket, now_ms: int) -> int:
    return -(ticket.priority + (now_ms - ticket.since_ms) // AGING_MS)
