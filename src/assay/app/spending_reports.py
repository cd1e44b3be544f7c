"""What model calls cost: day by day, by source, stage and model, and call by call."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa

from assay.app.budgets import collect_budget
from assay.app.composition import App
from assay.app.keyset import KeysetPage, Place, SortKey, fetch_keyset
from assay.errors import InvalidInput
from assay.governor.accounts import CallTotals, SpendingGroup, sum_calls_by_group
from assay.llm.admission import day_of
from assay.llm.ledger import TOTAL_METER
from assay.store.spending import call, meter

DAYS = 30
_MOST_GROUPS = 25
_FIRST_YEAR = 1970


@dataclass(frozen=True)
class DaySpending:
    """What the model calls of a day cost."""

    day: str
    calls: int = 0
    tokens: int = 0
    micros: int = 0


def parse_day(app: App, given: str) -> str:
    """A day as it was given; today if none was."""
    if not given:
        return day_of(app.clock.now_ms())
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError as error:
        raise InvalidInput(f"'{given}' is not a valid date.", advice="Use YYYY-MM-DD.") from error


def report_spending(app: App, day: str) -> dict[str, Any]:
    """A day against its caps, by source, stage and model, and the days before it."""
    engine = app.engine
    stages, _ = sum_calls_by_group(engine, day, SpendingGroup.STAGE, limit=_MOST_GROUPS)
    models, _ = sum_calls_by_group(engine, day, SpendingGroup.MODEL, limit=_MOST_GROUPS)
    budget = collect_budget(app, day, SpendingGroup.SOURCE, _MOST_GROUPS)
    return {
        **budget,
        "days": list_days(app, day),
        "stages": [_describe_group(entry) for entry in stages],
        "models": [_describe_group(entry) for entry in models],
        "overruns": _list_overruns(budget),
    }


def list_days(app: App, last: str) -> list[DaySpending]:
    """The total of each of the last days, from the meters."""
    end = date.fromisoformat(last)
    if end.year < _FIRST_YEAR:
        raise InvalidInput(f"Nothing was spent on {last}.", advice="Choose a later day.")
    days = [(end - timedelta(days=back)).isoformat() for back in reversed(range(DAYS))]
    query = sa.select(meter.c.day, meter.c.calls, meter.c.tokens, meter.c.micros).where(
        meter.c.day >= days[0], meter.c.day <= last, meter.c.meter == TOTAL_METER
    )
    known = {row["day"]: DaySpending(**row) for row in app.fetch_rows(query)}
    return [known.get(day, DaySpending(day)) for day in days]


def browse_calls(app: App, day: str, after: Place | None, limit: int) -> KeysetPage:
    """The calls of a day page by page, the newest first."""
    keys = [SortKey(call.c.reserved_ms, descending=True), SortKey(call.c.call_id, descending=True)]
    return fetch_keyset(app, sa.select(call).where(call.c.day == day), keys, after, limit)


def _describe_group(entry: CallTotals) -> dict[str, Any]:
    return {
        "name": entry.name,
        "calls": entry.calls,
        "tokens": entry.tokens,
        "micros": entry.micros,
        "lost": entry.lost,
    }


def _list_overruns(budget: dict[str, Any]) -> list[str]:
    """What is above its cap: a call may use more than was set aside for it."""
    found = []
    for what in ("tokens", "micros"):
        sums = budget[what]
        if sums["cap"] is not None and sums["used"] + sums["reserved"] > sums["cap"]:
            found.append("tokens of the day" if what == "tokens" else "money of the day")
    for row in budget["rows"]:
        cap = row.get("cap")
        if cap is not None and row["used_tokens"] + row["reserved_tokens"] > cap:
            found.append(f"tokens of source {row['name']}")
    return found
