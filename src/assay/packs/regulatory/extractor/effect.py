"""From when until when: the day a document enters into force, and the days a sentence sets."""

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.packs.regulatory.extractor import cues, time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import (
    Figure,
    FigureKind,
    find_figures,
    flatten_spaces,
)
from assay.packs.regulatory.extractor.meaning import Meaning, concerns_whole_act

_ONE_PART = re.compile(
    r"^\s*(?:(?:odredb\w{1,2}\s+)?člank?\w{0,3}|articles?|sections?|regulations?\s\d|paragraph|§"
    r"|artikel|stav\w{1,2})",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"(?<!\w)(?:osim|except|with the exception|ausgenommen|mit Ausnahme)(?!\w)", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"(?:[Čč]lan\w{1,4}|[Aa]rticles?|[Ss]ections?|§{1,2}|Artikel\w?)\s*(\d{1,4}[a-z]?)"
)
_NUMBER = re.compile(r"\d{1,4}[a-z]?")
_LONGEST = 600
"""A longer sentence says too much for its days to be those of the whole act."""
_IN_YEAR = re.compile(
    r"(?<!\w)(?:im\sjahr|für\sdas\sjahr|za|u|for|in"
    r"|for\sthe\syear)\s(?P<year>20\d\d)(?=\.?\s(?:godin|iznosi|auf|beträgt|is\s|the\s)"
    r"|,)",
    re.IGNORECASE,
)
_FROM_DAY = re.compile(
    r"(?<!\w)(?:od\s+dana|nakon\s+(?:dana\s+)?objav\w|following|after|nach)(?!\w)", re.IGNORECASE
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


@dataclass(slots=True)
class EffectDays:
    """From when a document applies as a whole, and its articles that differ."""

    force: Counter[str] = field(default_factory=Counter)
    applied: Counter[str] = field(default_factory=Counter)
    articles: dict[str, str] = field(default_factory=dict)

    def first_day_of(self, article: str) -> str | None:
        """The first day of what an article says; None if the document does not say."""
        number = _NUMBER.search(article)
        if number and number[0] in self.articles:
            return self.articles[number[0]]
        for counted in (self.applied, self.force):
            if len(counted) == 1:
                return next(iter(counted))
        return None


def find_document_days(
    clauses: Sequence[tuple[Clause, Sequence[Meaning]]], published: str | None
) -> EffectDays:
    """The days that a document names for all of it and for single articles."""
    days = EffectDays()
    for clause, found in clauses:
        if len(clause.text) > _LONGEST:
            continue
        for meaning in found:
            if meaning.predicate != "entry_into_force":
                continue
            day = _find_day(clause, meaning.figure, published)
            articles = _find_articles(clause, meaning.figure)
            if day and articles:
                days.articles |= dict.fromkeys(articles, day)
            elif day and meaning.confidence >= 0.9 and not _ONE_PART.match(clause.text):
                days.force[day] += 1
        if (day := _find_applied_from(clause)) and not _ONE_PART.match(clause.text):
            days.applied[day] += 1
    return days


def _find_articles(clause: Clause, figure: Figure) -> list[str]:
    """`…, osim članka 17. koji stupa na snagu 1. ožujka 2025.`: the articles a day belongs to."""
    except_for = _EXCEPT.search(clause.masked, 0, figure.start)
    if except_for is None and not _ONE_PART.match(clause.text):
        return []
    start = except_for.start() if except_for else 0
    named = [one for one in clause.references if start <= one.start < figure.start]
    return [
        match[1] for one in named for match in _ARTICLE.finditer(clause.text[one.start : one.end])
    ]


def _find_day(clause: Clause, figure: Figure, published: str | None) -> str | None:
    if figure.kind is FigureKind.DATE:
        return figure.value
    if published is None or not _FROM_DAY.search(clause.masked, figure.end):
        return None
    whole = figure.unit == "days" and figure.value.isdigit()
    return _add_days(published, int(figure.value)) if whole else None


def _find_applied_from(clause: Clause) -> str | None:
    """The day from which a whole act applies, if that is not when it enters into force."""
    if not concerns_whole_act(clause.text) or not time_cues.APPLIES_FROM.search(clause.masked):
        return None
    for figure in clause.figures:
        before = clause.masked[max(0, figure.start - 40) : figure.start]
        near = clause.masked[max(0, figure.start - 60) : figure.end + 30]
        dated = figure.kind is FigureKind.DATE and len(figure.value) == 10
        if dated and time_cues.FROM.search(before) and time_cues.APPLIES_FROM.search(near):
            return figure.value
    return None


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
            until = until or _add_days(figure.value, 1)
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
    return _add_days(day, 1)


def _add_days(day: str, days: int) -> str | None:
    try:
        return (datetime.date.fromisoformat(day) + datetime.timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return None
