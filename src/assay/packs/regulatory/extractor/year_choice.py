"""Which of the years that a sentence names are those in which one of its figures applies."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from assay.packs.regulatory.extractor.cases import is_in_case
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.effect import EffectSpan
from assay.packs.regulatory.extractor.figures import (
    VALUES,
    Figure,
    FigureKind,
    find_figures,
    flatten_spaces,
)
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.named_years import NamedPeriod, list_named_periods

_MEASURE: Final = re.compile(
    r"(?<!\w)(?:of|than|from|over|to|exceeds?|equals?|under|below|above|or|plus|minus)\s"
    r"(?:(?:the|such|its|any|all|that|those|these|each|their|total|aggregate|average|base|other|sum)\s){0,3}"
    r"(?:(?!for\s|in\s|on\s)[\w-]{2,20}\s){0,2}?(?:amounts?|funds?|sums?|allotments?|allocations?|appropriations?|moneys|monies"
    r"|payments?|expenditures?|costs?|rates?|percentages?|levels?|number|receipts?|revenues?|income|budget"
    r"|wages?|value|total|estimate|index|outlays|deduction\sallowed|benefits?|premiums?|tax\sliability)(?!\w)"
    r"(?:(?!\s(?:shall|may|is|are|will|must)\s)[^,;])*$",
    re.IGNORECASE,
)
"""`50 percent of the amount received for fiscal year 1999`: what a figure is measured by."""
_DONE: Final = re.compile(
    r"(?:^|(?P<by>(?<!\w)(?:be|is|are|hereby|may|shall|been)\s(?:[a-z]{3,12}ly\s)?)|\s)"
    r"(?:appropriated|received|allotted|allocated|available|determined|paid|made|incurred|expended"
    r"|obligated|enacted|submitted|reported|effect|collected|awarded|provided|computed|calculated"
    r"|established|earned|accrued|apportioned|claimed|allowed|filed|required|applicable)\s"
    r"(?:to\s[^,;]{3,60}\s|under\s[^,;]{3,60}\s|by\s[^,;]{3,60}\s)?$",
    re.IGNORECASE,
)
_PAPERS: Final = re.compile(
    r"(?:\b(?:Acts?|Bill)(?:\s\([^()]{0,60}\))?,?|\b(?:Resolution|Report|Plan|Statement|Program|budget|returns?|reports?"
    r"|estimates?|plans?|statements?|accounts|figures|data|submission|request|certification))\s$"
)
"""`National Defense Authorization Act for Fiscal Year 2010`: what is named after a year."""
_SHARES: Final = re.compile(r"[^;]{0,60}?(?<!\w)(?:and|or|but|nor|to)\s[^;]{0,30}", re.IGNORECASE)
_CHANGES: Final = re.compile(
    r"(?<!\w)(?:shall|may|is|are|must|will)(?!\w)(?!.*(?:increased|reduced|decreased|multiplied|adjusted|equal))",
    re.IGNORECASE,
)
"""`The amounts used for fiscal year 2015 shall not exceed $20`: the years of what is limited."""
_SPENT: Final = re.compile(
    r",?(?:\sunder\s[^;]{3,60}?)?\s(?:shall|may)\s(?:not\s)?be\s(?:only\s)?(?:used|expended|reserved|available|set\saside"
    r"|obligated|made\savailable)(?!\w)",
    re.IGNORECASE,
)
"""`2 percent of the funds allotted for fiscal year 1979 shall be expended for …`."""
_OF_NEXT: Final = re.compile(r"(?<!\w)(?:or|and|but),\s$", re.IGNORECASE)
"""`€25 or, in the case of the year 2001, €18`: the years belong to what follows."""
_LATER: Final = re.compile(
    r"(?<!\w)(?:(?:each|any|all|every)\s(?:subsequent|succeeding|following|later)\s(?:\w{3,10}\s)?years?"
    r"|(?:years?\s)?thereafter)(?!\w)",
    re.IGNORECASE,
)
_OPENED: Final = re.compile(
    r"(?<!\w)(?:who|whose|whom|which|that|if|where|when|unless|until)(?!\w)[^,;]*$", re.IGNORECASE
)


def find_year_span(
    clause: Clause, meaning: Meaning, leads: Sequence[str], language: str | None, jurisdiction: str
) -> EffectSpan | None:
    """The days of the years that a sentence, or the words before its list, names for a figure.

    None if they name none; the span is empty if the years are not certain.
    """
    dated = meaning.value_type == "date" and not meaning.figure.value.startswith("--")
    if dated or meaning.predicate in ("entry_into_force", "repeal"):
        return None
    own = _choose_span(clause, meaning.figure, jurisdiction)
    if own is not None:
        return own
    for lead in reversed(leads):
        text = flatten_spaces(lead)
        figures = tuple(find_figures(text, language))
        around = Clause(start=0, quote=lead, text=text, masked=text, figures=figures, references=())
        after = replace(meaning.figure, start=len(text), end=len(text))
        if (span := _choose_span(around, after, jurisdiction)) is not None:
            return span
    return None


def _choose_span(clause: Clause, figure: Figure, jurisdiction: str) -> EffectSpan | None:
    periods = [one for one in list_named_periods(clause, jurisdiction) if _is_stated(clause, one)]
    if figure.kind in (FigureKind.TIME, FigureKind.DATE):
        periods = [one for one in periods if one.leads or one.recurs]
    if not periods or "respectively" in clause.masked:
        return None
    same = VALUES if figure.kind in VALUES else {figure.kind}
    values = [one for one in clause.figures if one.kind in same]
    before = [one for one in periods if one.end <= figure.start]
    after = [one for one in periods if one.start >= figure.end]
    others = [one.start for one in values if one.start >= figure.end]
    following = [one for one in after if one.start < min(others, default=len(clause.masked))]
    years_first = bool(before) and before[0].start < min(
        (one.start for one in values), default=figure.start
    )
    fresh = bool(before) and _OF_NEXT.search(clause.masked, 0, before[-1].start) is not None
    fresh = fresh and not any(before[-1].end <= one.start < figure.start for one in values)
    if years_first or fresh:
        return _choose_before(clause, figure, before)
    if following:
        return following[0].span if _belongs(clause, figure.end, following[0]) else None
    if len(periods) == 1 and after and others:
        # "not less than $5 and not more than $10 for fiscal year 2009"
        last = max(one.end for one in values if one.end <= after[0].start)
        shared = _SHARES.fullmatch(clause.masked[figure.end : min(others)])
        return after[0].span if shared and _belongs(clause, last, after[0]) else None
    return None


def _choose_before(
    clause: Clause, figure: Figure, before: Sequence[NamedPeriod]
) -> EffectSpan | None:
    """The last years before a figure, unless its sentence has moved on since."""
    last = before[-1]
    between = clause.masked[last.end : figure.start]
    earlier = before[-2] if len(before) > 1 else None
    if earlier and not any(earlier.end <= one.start < last.start for one in clause.figures):
        # "for fiscal year 2009 or, if later, for fiscal year 2011": neither is certain.
        return EffectSpan()
    same = VALUES if figure.kind in VALUES else {figure.kind}
    values = [one for one in clause.figures if one.kind in same]
    passed = max((one.end for one in values if last.end <= one.start < figure.start), default=0)
    if passed:
        ends = min((one.start for one in values if one.start >= figure.end), default=None)
        if _LATER.search(clause.masked[passed : ends or len(clause.masked)]):
            # "for fiscal year 2010 $5, and in each subsequent fiscal year $6"
            return EffectSpan(last.span.until)
    if last.leads or last.recurs:
        return last.span
    if ";" in between:
        return None
    start = max(clause.begin, last.start - 120)
    words = re.split(r"[,;]", clause.masked[start : last.start])[-1]
    opened = re.match(r"\W*(?:of|from|out\sof)\s", words, re.IGNORECASE) and "," in between
    states = _CHANGES.search(between) and "in effect" not in words
    if not opened and not states and (_MEASURE.search(words) or _is_of_something_done(words, last)):
        return None
    return last.span


def _belongs(clause: Clause, at: int, period: NamedPeriod) -> bool:
    """Whether years after a figure are its own, rather than those of what it is measured by."""
    between = clause.masked[at : period.start]
    if period.recurs:
        return True
    if _OF_NEXT.search(between) or _OPENED.search(between):
        return False
    if ";" in between or len(between) > 260:
        return False
    if _SPENT.match(clause.masked, period.end):
        return True
    last = re.split(r"[,;]", between)[-1]
    return not _MEASURE.search(between) and not _is_of_something_done(last, period)


def _is_of_something_done(words: str, period: NamedPeriod) -> bool:
    """`funds appropriated for fiscal year 1999`, unless that is what the sentence allows."""
    done = None if period.ranged else _DONE.search(words)
    return done is not None and not done["by"] and bool(words[: done.start()].strip())


def _is_stated(clause: Clause, period: NamedPeriod) -> bool:
    """Whether years are those of a statement, rather than of a condition, a thing or an act."""
    before = clause.masked[max(0, period.start - 120) : period.start]
    if _PAPERS.search(before):
        return False
    at = Figure(FigureKind.DATE, period.start, period.end, "", "")
    return period.leads or period.recurs or not (is_in_case(clause, at) or _OPENED.search(before))
