"""What the model calls of a day cost, against what they may cost."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from assay.app import App
from assay.app.models import policy_of
from assay.cli.exits import ExitCode
from assay.cli.jobs import Limit
from assay.cli.session import AsJson, session_of
from assay.cli.show import moment, plural, record, table
from assay.governor.accounts import (
    Account,
    By,
    Rest,
    account_of_day,
    accounts_of_day,
    disagreements,
    overdue,
    rests,
)
from assay.governor.standings import standing_of
from assay.llm.admission import day_ends_ms, day_of
from assay.llm.limits import Policy

_MICROS = 1_000_000


def _day(given: str | None) -> str | None:
    if given is None:
        return None
    try:
        return datetime.strptime(given, "%Y-%m-%d").strftime("%Y-%m-%d")
    except ValueError as error:
        raise typer.BadParameter("write a day as YYYY-MM-DD") from error


def budget(
    ctx: typer.Context,
    day: Annotated[
        str | None, typer.Option(callback=_day, help="A day (UTC), YYYY-MM-DD; else today.")
    ] = None,
    by: Annotated[By, typer.Option(help="What to add up by.")] = By.SOURCE,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Tokens and money that model calls use, against the caps. Exit code 5: the books differ."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        told = _told(app, day or day_of(app.clock.now_ms()), by, limit)
    session.show(_screen(told))
    session.show(_rows(told) if told["rows"] else "No model was called.")
    if told["left_out"]:
        session.say(f"{told['left_out']} more; --limit shows them.")
    for line in told["disagreements"]:
        session.say(f"The books differ: {line}.")
    session.print_json(told)
    if told["disagreements"]:
        raise typer.Exit(ExitCode.FAULTS)


def _told(app: App, day: str, by: By, limit: int) -> dict[str, Any]:
    now_ms = app.clock.now_ms()
    is_today = day == day_of(now_ms)
    policy = policy_of(app.settings)
    whole = account_of_day(app.engine, day)
    found, left_out = accounts_of_day(app.engine, day, by, limit=limit)
    return {
        "day": day,
        "ends_ms": day_ends_ms(now_ms) if is_today else None,
        "tokens": _against(policy.daily_tokens, whole.used_tokens, whole.reserved_tokens, is_today),
        "micros": _against(
            policy.daily_cost_micros, whole.used_micros, whole.reserved_micros, is_today
        ),
        "calls": whole.calls,
        "open": whole.open,
        "overdue": len(overdue(app.engine, now_ms, day)),
        "lost": whole.lost,
        "unpriced": whole.unpriced,
        "by": by.value,
        "rows": [_row(app, policy, account, by, is_today, now_ms) for account in found],
        "left_out": left_out,
        "cooldowns": [rest.values() for rest in rests(app.engine, now_ms)] if is_today else [],
        "disagreements": [str(entry) for entry in disagreements(app.engine, day)],
    }


def _against(cap: int | None, used: int, reserved: int, is_today: bool) -> dict[str, int | None]:
    """A sum beside its cap; what is left is told of today alone, for caps are not remembered."""
    left = None if cap is None or not is_today else max(0, cap - used - reserved)
    return {"cap": cap if is_today else None, "used": used, "reserved": reserved, "left": left}


def _row(
    app: App, policy: Policy, account: Account, by: By, is_today: bool, now_ms: int
) -> dict[str, Any]:
    values = asdict(account)
    if by is By.SOURCE:
        cap = _source_cap(app, policy, account.name, now_ms)
        told = _against(cap, account.used_tokens, account.reserved_tokens, is_today)
        values |= {"cap": told["cap"], "left": told["left"]}
    return values


def _source_cap(app: App, policy: Policy, source: str | None, now_ms: int) -> int | None:
    if source is None or policy.daily_tokens_per_source is None:
        return None
    standing = standing_of(app.engine, source, now_ms)
    return int(policy.daily_tokens_per_source * standing.multiplier)


def _screen(told: dict[str, Any]) -> RenderableType:
    """The day as a whole."""
    ends = f", ends {moment(told['ends_ms'])}" if told["ends_ms"] else ""
    lines = {
        "day": f"{told['day']} (UTC){ends}",
        "tokens": _line(told["tokens"], _count),
        "money": _money_line(told),
        "calls": f"{told['calls']}, of which {told['open']} open{_late(told)}, {told['lost']} lost",
        "cooldowns": "; ".join(rest_line(Rest(**rest)) for rest in told["cooldowns"]) or "none",
        "books": f"ledger and meters {'differ' if told['disagreements'] else 'agree'}",
    }
    return record(lines)


def _late(told: dict[str, Any]) -> str:
    """A dead worker's permit comes back when the next call asks for one."""
    return f" ({told['overdue']} of dead workers)" if told["overdue"] else ""


def rest_line(rest: Rest) -> str:
    """'gazette rests until 12:00 (empty answers)'."""
    if not rest.rests:
        return f"{rest.source} has {plural(rest.empties, 'empty answer')} in a row"
    until = "a person lets it go on" if rest.until_ms is None else moment(rest.until_ms)
    return f"{rest.source} rests until {until} ({rest.why})"


def _line(sums: dict[str, int | None], said: Any) -> str:
    line = f"{said(sums['used'])} used"
    if sums["reserved"]:
        line += f", {said(sums['reserved'])} set aside"
    if sums["cap"] is not None:
        line += f", {said(sums['left'])} of {said(sums['cap'])} left"
    return line


def _money_line(told: dict[str, Any]) -> str:
    line = _line(told["micros"], _money)
    if told["unpriced"]:
        line += f"; {plural(told['unpriced'], 'call')} to models without a price"
    return line


def _rows(told: dict[str, Any]) -> RenderableType:
    rows: Sequence[dict[str, Any]] = told["rows"]
    columns = ["calls", "open", "lost", "used", "set aside"]
    names = ["calls", "open", "lost", "used_tokens", "reserved_tokens"]
    if told["by"] == By.SOURCE:
        columns, names = [*columns, "left", "cap"], [*names, "left", "cap"]
    return table(
        [told["by"], *columns, "money"],
        [
            [row["name"], *(_right(_count(row[name])) for name in names),
             _right(_money(row["used_micros"] + row["reserved_micros"]))]
            for row in rows
        ],
    )  # fmt: skip


def _right(figure: str) -> Text:
    return Text(figure, justify="right")


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _money(micros: int) -> str:
    return f"{micros / _MICROS:,.4f}"
