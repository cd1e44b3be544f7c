"""From when until when: the days that a sentence sets for what it says."""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.packs.regulatory.extractor import cues, time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import (
    Figure,
    FigureKind,
    find_figures,
    flatten_spaces,
)
from assay.packs.regulatory.extractor.meaning import Meaning

_IN_YEAR = re.compile(
    r"(?<!\w)(?:im\sjahr|für\sdas\sjahr|za|u|for|in"
    r"|for\sthe\syear)\s(?P<year>20\d\d)(?=\.?\s(?:godin|iznosi|auf|beträgt|is\s|the\s)"
    r"|,)",
    re.IGNORECASE,
)
_TO = re.compile(
    # Publishers mark amended words, as in "to F97[31 October 2025]".
    r"\.?\s{0,3}(?:do|to|bis|through|until|–|-)(?:\szum)?\s{0,3}(?:F\d{1,4}\[)?",
    re.IGNORECASE,
)
_SAYS_HOW_LONG = re.compile(r"(?<!\w)(?:u\s+roku|within|innerhalb|binnen)(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EffectSpan:
    """The first day, and the first day after the last; either may be unknown."""

    start: str | None = None
    until: str | None = None


def find_sentence_span(clause: Clause, meaning: Meaning) -> EffectSpan:
    """The days that a sentence itself sets for what it says."""
    if meaning.value_type == "date" or meaning.predicate == "entry_into_force":
        return EffectSpan()
    start: str | None = None
    until: str | None = None
    previous: Figure | None = None
    for figure in clause.figures:
        if figure.kind is not FigureKind.DATE or len(figure.value) != 10:
            continue
        before = clause.masked[max(0, figure.start - 40) : figure.start]
        if time_cues.FROM.search(before) and not _is_counted_from(clause, figure):
            start = start or (None if _is_state_at(before) else figure.value)
        elif (
            previous is not None and _TO.fullmatch(clause.masked[previous.end : figure.start])
        ) or (time_cues.BY.search(before) and _holds_until(clause, figure)):
            until = until or add_days(figure.value, 1)
        previous = figure
    if start and until and until <= start:
        return EffectSpan(start)
    if start is None and until is None and (year := _IN_YEAR.search(clause.masked)):
        return EffectSpan(f"{year['year']}-01-01")
    return EffectSpan(start, until)


def find_lead_span(leads: Sequence[str], meaning: Meaning, language: str | None) -> EffectSpan:
    """The days that the words before a list set for its points; the innermost list counts."""
    for lead in reversed(leads):
        text = flatten_spaces(lead)
        figures = tuple(find_figures(text, language))
        if not any(figure.kind is FigureKind.DATE for figure in figures):
            continue
        clause = Clause(start=0, quote=lead, text=text, masked=text, figures=figures, references=())
        if (span := find_sentence_span(clause, meaning)) != EffectSpan():
            return span
    return EffectSpan()


def _is_counted_from(clause: Clause, figure: Figure) -> bool:
    """`within 30 days from 1 July 2026`: the day from which a deadline runs."""
    return (
        _SAYS_HOW_LONG.search(clause.masked[max(0, figure.start - 60) : figure.start]) is not None
    )


def _is_state_at(before: str) -> bool:
    """`assets as of 31 December 2010`: when something was the case, not from when it applies."""
    state = re.search(
        r"(?<!\w)(?:as\s+of|since|seit|seit\s+dem|nakon|after"
        r"|(?:änderung|gesetz|verordnung|satzung|beschluss|fassung|bescheid)\w{0,3}\s+vom)\s{0,3}$",
        before,
        re.IGNORECASE,
    )
    return state is not None and not time_cues.APPLIES_FROM.search(before)


def _holds_until(clause: Clause, figure: Figure) -> bool:
    """Whether something applies, rather than must be done, until that day."""
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end]
    if any(
        pattern.search(part[-200:])
        for pattern in (
            time_cues.DEADLINES["payment_deadline"],
            time_cues.DEADLINES["filing_deadline"],
            time_cues.DEADLINES["registration_deadline"],
        )
    ):
        return False
    return time_cues.APPLIES_FROM.search(part) is not None or cues.RATE.search(part) is not None


def day_after(day: str) -> str | None:
    """The first day on which something that applies until that day no longer applies."""
    return add_days(day, 1)


def add_days(day: str, days: int) -> str | None:
    """The day so many days later; None if the calendar does not have it."""
    try:
        return (datetime.date.fromisoformat(day) + datetime.timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return None
