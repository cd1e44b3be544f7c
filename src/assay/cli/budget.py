"""`assay budget`: what the model calls of a day cost, against the caps."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from assay.app import App
from assay.app.models import build_policy
from assay.cli.exit_codes import ExitCode
from assay.cli.jobs import Limit
from assay.cli.rendering import format_time, pluralize, render_fields, render_table
from assay.cli.session import AsJson, open_app
from assay.governor.accounts import (
    CallTotals,
    RestingSource,
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

_MICROS = 1_000_000


def _parse_day(given: str | None) -> str | None:
    if given is None:
        return None
    try:
        return datetime.strptime(given, "%Y-%m-%d").strftime("%Y-%m-%d")
    except ValueError as error:
        raise typer.BadParameter("use a date, YYYY-MM-DD") from error


def budget(
    ctx: typer.Context,
    day: Annotated[
        str | None,
        typer.Option(callback=_parse_day, help="A day (UTC), YYYY-MM-DD; today by default."),
    ] = None,
    by: Annotated[SpendingGroup, typer.Option(help="What to group by.")] = SpendingGroup.SOURCE,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """Show tokens and money used by model calls and their caps. Exit code 5: the books differ."""
    with open_app(ctx, as_json) as (session, app):
        spending = _collect_budget(
            app, day or day_of(app.clock.now_ms()), by, session.choose_limit(limit)
        )
    session.show(_render_summary(spending))
    session.show(_render_accounts(spending) if spending["rows"] else "No model was called.")
    session.report_left_out(spending["left_out"])
    for line in spending["disagreements"]:
        session.say(f"The books differ: {line}.")
    session.print_json(spending)
    if spending["disagreements"]:
        raise typer.Exit(ExitCode.FAULTS)


def _collect_budget(app: App, day: str, by: SpendingGroup, limit: int | None) -> dict[str, Any]:
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


def _render_summary(spending: dict[str, Any]) -> RenderableType:
    """The day as a whole."""
    ends = f", ends {format_time(spending['ends_ms'])}" if spending["ends_ms"] else ""
    cooldowns = [describe_rest(RestingSource(**rest)) for rest in spending["cooldowns"]]
    lines = {
        "day": f"{spending['day']} (UTC){ends}",
        "tokens": _format_sums(spending["tokens"], _format_count),
        "money": _format_money_sums(spending),
        "calls": (
            f"{spending['calls']}, of which {spending['open']} "
            f"open{_describe_overdue(spending)}, {spending['lost']} lost"
        ),
        "services": "; ".join(map(_describe_service, spending["services"])) or "none",
        "cooldowns": "; ".join(cooldowns) or "none",
        "books": f"ledger and meters {'differ' if spending['disagreements'] else 'agree'}",
    }
    return render_fields(lines)


def _describe_service(entry: dict[str, Any]) -> str:
    """'openalex 0.0120 in 12 calls'."""
    spent = _format_money(entry["used_micros"] + entry["reserved_micros"])
    return f"{entry['service']} {spent} in {pluralize(entry['calls'], 'priced call')}"


def _describe_overdue(spending: dict[str, Any]) -> str:
    """A dead worker's permit is returned when the next call asks for one."""
    return f" ({spending['overdue']} of dead workers)" if spending["overdue"] else ""


def describe_rest(rest: RestingSource) -> str:
    """'gazette is in cooldown until 12:00 (empty answers)'."""
    if not rest.rests:
        return f"{rest.source} has {pluralize(rest.empties, 'empty answer')} in a row"
    until = "a person clears it" if rest.until_ms is None else format_time(rest.until_ms)
    return f"{rest.source} is in cooldown until {until} ({rest.why})"


def _format_sums(sums: dict[str, int | None], format_one: Any) -> str:
    line = f"{format_one(sums['used'])} used"
    if sums["reserved"]:
        line += f", {format_one(sums['reserved'])} reserved"
    if sums["cap"] is not None:
        line += f", {format_one(sums['left'])} of {format_one(sums['cap'])} left"
    return line


def _format_money_sums(spending: dict[str, Any]) -> str:
    line = _format_sums(spending["micros"], _format_money)
    if spending["unpriced"]:
        line += f"; {pluralize(spending['unpriced'], 'call')} to models without a price"
    return line


def _render_accounts(spending: dict[str, Any]) -> RenderableType:
    rows: Sequence[dict[str, Any]] = spending["rows"]
    columns = ["calls", "open", "lost", "used", "reserved"]
    names = ["calls", "open", "lost", "used_tokens", "reserved_tokens"]
    if spending["by"] == SpendingGroup.SOURCE:
        columns, names = [*columns, "left", "cap"], [*names, "left", "cap"]
    return render_table(
        [spending["by"], *columns, "money"],
        [
            [row["name"], *(_align_right(_format_count(row[name])) for name in names),
             _align_right(_format_money(row["used_micros"] + row["reserved_micros"]))]
            for row in rows
        ],
    )  # fmt: skip


def _align_right(figure: str) -> Text:
    return Text(figure, justify="right")


def _format_count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _format_money(micros: int) -> str:
    return f"{micros / _MICROS:,.4f}"
