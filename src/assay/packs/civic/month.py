"""A month of meetings, as a calendar shows it."""

import calendar
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from assay.packs.civic.dossiers import group_by
from assay.packs.civic.records import Meeting
from assay.sdk.errors import InvalidInput
from assay.sdk.records import Within
from assay.sdk.services import Services

_IN_A_CELL: Final = 3
"""Meetings of a day that the calendar names; the list has all."""
MOST_LISTED: Final = 300
"""Meetings that are read for a page; in a fuller month, a day or a city has to be chosen."""
_LAST_TIME: Final = "T99"
"""After every time of a day; a day sorts before its times."""


@dataclass(frozen=True, kw_only=True)
class CalendarDay:
    """A cell of the calendar."""

    day: date
    is_inside: bool
    """Whether it belongs to the month, and does not just fill a week."""
    is_today: bool
    count: int
    meetings: Sequence[Meeting]
    """The first ones."""


@dataclass(frozen=True, kw_only=True)
class MeetingMonth:
    """The meetings of a month."""

    first: date
    weeks: Sequence[Sequence[CalendarDay]]
    count: int
    days: Mapping[str, Sequence[Meeting]]
    """The meetings that are listed, by day."""
    is_complete: bool
    """Whether all of them are listed."""

    @property
    def title(self) -> str:
        return f"{self.first:%B %Y}"

    @property
    def before(self) -> str | None:
        """The month before, as it is written in addresses."""
        return shift_month(self.first, -1)

    @property
    def after(self) -> str | None:
        return shift_month(self.first, 1)


def read_month(
    services: Services, first: date, today: date, day: date | None, city: str | None
) -> MeetingMonth:
    """The meetings of a month; `day` lists only those of a day."""
    last = date(first.year, first.month, calendar.monthrange(first.year, first.month)[1])
    conditions: dict[str, Any] = {} if city is None else {"banana": city}
    within = Within(first.isoformat(), f"{last.isoformat()}{_LAST_TIME}")
    starts = services.count_records_by(Meeting, "starts", starts=within, **conditions)
    counts: Counter[str] = Counter()
    for moment, count in starts.items():
        counts[moment[:10]] += count
    total = counts.total()
    if day is not None:
        within = Within(day.isoformat(), f"{day.isoformat()}{_LAST_TIME}")
    is_complete = (total if day is None else counts[day.isoformat()]) <= MOST_LISTED
    listed = (
        services.read_first(Meeting, "starts", MOST_LISTED, starts=within, **conditions)
        if is_complete or day is not None
        else []
    )
    by_day = group_by(listed, lambda meeting: meeting.starts[:10])
    return MeetingMonth(
        first=first,
        weeks=[
            [_fill_day(each, first, today, counts, by_day) for each in week]
            for week in calendar.Calendar().monthdatescalendar(first.year, first.month)
        ],
        count=total,
        days=by_day,
        is_complete=is_complete,
    )


def _fill_day(
    day: date,
    first: date,
    today: date,
    counts: Mapping[str, int],
    by_day: Mapping[str, Sequence[Meeting]],
) -> CalendarDay:
    name = day.isoformat()
    is_inside = day.month == first.month
    return CalendarDay(
        day=day,
        is_inside=is_inside,
        is_today=day == today,
        count=counts.get(name, 0) if is_inside else 0,
        meetings=by_day.get(name, ())[:_IN_A_CELL] if is_inside else (),
    )


def parse_month(text: str, today: date) -> date:
    """The first day of a month that is written as YYYY-MM; without one, of this month."""
    if not text.strip():
        return today.replace(day=1)
    try:
        # The calendar shows days of the months around it, and the first and last year end.
        first = date.fromisoformat(f"{text.strip()}-01")
        if not 1000 <= first.year <= 9998:
            raise ValueError(text)
    except ValueError as error:
        raise InvalidInput(f"'{text}' is not a month.", advice="Use YYYY-MM.") from error
    return first


def shift_month(first: date, months: int) -> str | None:
    """Another month, as it is written in addresses; None where the calendar ends."""
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    return f"{year:04}-{month + 1:02}" if 1000 <= year <= 9998 else None


def list_ids(meetings: Iterable[Meeting]) -> set[str]:
    """The ids of meetings."""
    return {meeting.meeting_id for meeting in meetings}
