"""`assay budget`: what the model calls of a day cost, against the caps."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from assay.app.budgets import collect_budget
from assay.cli.exit_codes import ExitCode
from assay.cli.jobs import Limit
from assay.cli.rendering import format_time, pluralize, render_fields, render_table
from assay.cli.session import AsJson, open_app
from assay.governor.accounts import RestingSource, SpendingGroup
from assay.llm.admission import day_of

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
        spending = collect_budget(
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
