"""What the model calls of a day cost, against the caps."""

from dataclasses import asdict
from typing import Any

from assay.app.composition import App
from assay.app.models import build_policy
from assay.governor.accounts import (
    CallTotals,
    SpendingGroup,
    find_meter_mismatches,
    find_overdue_calls,
    list_resting_sources,
    sum_calls,
    sum_calls_by_group,
    sum_service_calls,
)
from assay.governor.standings import read_standing
from assay.llm.admission import day_of, end_of_day_ms
from assay.llm.limits import Policy


def collect_budget(app: App, day: str, by: SpendingGroup, limit: int | None) -> dict[str, Any]:
    """Tokens and money of a day, its groups, and how many groups were left out."""
    now_ms = app.clock.now_ms()
    is_today = day == day_of(now_ms)
    policy = build_policy(app.settings)
    whole = sum_calls(app.engine, day)
    found, left_out = sum_calls_by_group(app.engine, day, by, limit=limit)
    return {
        "day": day,
        "ends_ms": end_of_day_ms(now_ms) if is_today else None,
        "tokens": _compare_with_cap(
            policy.daily_tokens, whole.used_tokens, whole.reserved_tokens, is_today
        ),
        "micros": _compare_with_cap(
            policy.daily_cost_micros, whole.used_micros, whole.reserved_micros, is_today
        ),
        "calls": whole.calls,
        "open": whole.open,
        "overdue": len(find_overdue_calls(app.engine, now_ms, day)),
        "lost": whole.lost,
        "unpriced": whole.unpriced,
        "by": by.value,
        "services": [
            {
                "service": each.name,
                "calls": each.calls,
                "used_micros": each.used_micros,
                "reserved_micros": each.reserved_micros,
            }
            for each in sum_service_calls(app.engine, day)
        ],
        "rows": [
            _describe_account(app, policy, account, by, is_today, now_ms) for account in found
        ],
        "left_out": left_out,
        "cooldowns": [asdict(rest) for rest in list_resting_sources(app.engine, now_ms)]
        if is_today
        else [],
        "disagreements": [str(entry) for entry in find_meter_mismatches(app.engine, day)],
    }


def _compare_with_cap(
    cap: int | None, used: int, reserved: int, is_today: bool
) -> dict[str, int | None]:
    """A sum beside its cap. What is left is only known for today: past caps are not recorded."""
    left = None if cap is None or not is_today else max(0, cap - used - reserved)
    return {"cap": cap if is_today else None, "used": used, "reserved": reserved, "left": left}


def _describe_account(
    app: App, policy: Policy, account: CallTotals, by: SpendingGroup, is_today: bool, now_ms: int
) -> dict[str, Any]:
    values = asdict(account)
    if by is SpendingGroup.SOURCE:
        cap = _compute_source_cap(app, policy, account.name, now_ms)
        sums = _compare_with_cap(cap, account.used_tokens, account.reserved_tokens, is_today)
        values |= {"cap": sums["cap"], "left": sums["left"]}
    return values


def _compute_source_cap(app: App, policy: Policy, source: str | None, now_ms: int) -> int | None:
    if source is None or policy.daily_tokens_per_source is None:
        return None
    standing = read_standing(app.engine, source, now_ms)
    return int(policy.daily_tokens_per_source * standing.multiplier)
