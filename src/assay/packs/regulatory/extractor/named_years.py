"""Years that English law names: fiscal years, years of assessment, tax years, calendar years.

`$5,000,000 for each of fiscal years 2009 through 2013`, `as respects the year of assessment 2015
and each subsequent year of assessment`, `taxable years beginning after December 31, 2017, and
before January 1, 2026`. On which days such a year begins and ends depends on the country. A year
that nobody can date with certainty has an empty span: it stays in the wording.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.effect import EffectSpan, add_days
from assay.packs.regulatory.extractor.figures import Figure, FigureKind

_YEAR = r"(?:19|20)\d\d(?![\d,.]\d|\d)"
_KIND = (
    r"(?:(?:federal\s)?fiscal|financial|calendar|(?:income\s)?tax(?:able)?|plan|policy|rate"
    r"|accounting|cost\sreporting)"
)
_AGAIN = rf"(?:(?:for|in|during)\s)?(?:the\s)?(?:{_KIND}\s)?(?:years?(?:\sof\sassessment)?\s)?"
_LIST = (
    rf"(?:{_YEAR}(?:(?:\s?[-–]\s?|\s(?:through|to)\s|,\s(?:and\s|or\s)?|\s(?:and|or)\s)"
    rf"{_AGAIN}{_YEAR}){{0,12}})"
)
_NAMED: Final = re.compile(
    rf"(?<!\w)(?:(?P<kind>{_KIND})\s)?(?:years?(?P<assessed>\sof\sassessment)?"
    r"|(?P<quarters>calendar\squarters?\s(?:in|of)))\s"
    rf"(?:(?P<split>(?P<opened>(?:19|20)\d\d)[-–/](?P<closed>(?:(?:19|20)\d\d|\d\d)(?!\d)))"
    rf"|(?P<years>{_LIST}))",
    re.IGNORECASE,
)
_BEGINNING: Final = re.compile(
    rf"(?<!\w){_KIND}\s(?:years?|periods?)\s(?:that\s|which\s)?"
    r"(?:beginning|commencing|starting|begins?|commences?)\s"
    r"(?P<how>in|during|on\sor\safter|on\sand\safter|after|before|prior\sto)\s(?:the\s)?"
    r"(?:(?:calendar\s)?years?\s)?",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(
    r"(?<!\w)(?:fiscal|financial|tax(?:able)?|plan)\syears?\s(?P<how>ending|ended|beginning)\s"
    r"(?:on\s)?(?:the\s)?",
    re.IGNORECASE,
)
"""`the fiscal year ending June 30, 1975`."""
_BARE_LIST: Final = re.compile(_LIST)
_ONE_YEAR: Final = re.compile(_YEAR)
_AND_BEFORE: Final = re.compile(
    r",?\s(?:and|but)\s(?:(?:beginning|ending)\s)?(?P<how>before|prior\sto|on\sor\sbefore)\s(?:the\s)?",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(
    r"(?<!\w)(?:(?:for|in|during)\s(?:the|a)\speriod,?\s)?"
    r"(?P<how>on\sor\safter|on\sand\safter|after|(?:beginning|commencing|starting)\son|from|between)\s"
    r"(?:the\s)?$",
    re.IGNORECASE,
)
_TO_DAY: Final = re.compile(
    r",?\s(?:(?:and|but)\s)?(?P<how>(?:on\sor\s)?before|prior\sto|(?:ending|ends)\s(?:on|with)|up\sto\sand\sincluding"
    r"|not\slater\sthan)\s(?:the\s)?",
    re.IGNORECASE,
)
"""Between two days: `on or after 1 January 2014 and before 1 January 2016`."""
_WHOM: Final = re.compile(
    r"(?<!\w)(?:born|aged|persons?|individuals?|employees?|who|had|was|were|been|existing|member\sof|constructed"
    r"|built|established|licen[cs]ed|enrolled|hired|enlisted|convicted|deceased|died)(?!\w)[^,;]*$",
    re.IGNORECASE,
)
"""Words that make days a mark of those to whom something applies."""
_YEAR_HEAD: Final = re.compile(
    rf"\W*(?:(?:in\sthe\scase\sof|for|during|if)\s(?:any\s|the\s|a\s)?)?(?P<kind>(?:{_KIND}\s)?years?(?:\sof\sassessment)?)"
    r"(?P<begins>\s(?:begins?|beginning)\sin)?\W*",
    re.IGNORECASE,
)
"""`In the case of fiscal year:` at the head of a column."""
_HEAD_WORDS: Final = re.compile(
    r"(?:(?:[^\d]{1,60}\s)?for\s|in\s|during\s|as\srespects\s)?(?:each\sof\s)?(?:the\s)?",
    re.IGNORECASE,
)
"""`Fee for fiscal year 2013`: what may come before the years at the head of a column."""
_EDGES: Final = " |*.:—–-"
_NEXT_DATE: Final = re.compile(
    r",?\s?(?:and|or)?\s(?:for\s)?(?:the\s)?(?:fiscal\syear\sending\s)?", re.IGNORECASE
)
_GOES_ON: Final = re.compile(
    r",?\s(?:and|or)\s(?:(?:for|in|during|as\srespects)\s)?"
    rf"(?:(?:(?:each|every|any|all)(?:\sof\sthe)?\s)?(?:{_KIND}\s)?years?(?:\sof\sassessment)?\s(?:thereafter|(?:there)?following)"
    rf"|(?:each|every|any)\s(?:such\s)?(?:subsequent|succeeding|following|later|future)\s(?:{_KIND}\s)?year(?!s)"
    rf"|(?:all\s|any\s|each\sof\sthe\s)?(?:subsequent|succeeding|following|later|future)\s(?:{_KIND}\s)?years"
    r"|(?:each|every)\syear\sthereafter|thereafter|onwards?|subsequently|later|after|beyond)(?!\w)(?!\s\d)"
    r"|\sonwards?(?!\w)",
    re.IGNORECASE,
)
_ONES: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS: Final = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
)  # fmt: skip
_NUMBERS: Final = (
    *_ONES,
    *_TEENS,
    *(f"{tens}{one}" for tens in ("twenty", "thirty") for one in ("", *(f"-{n}" for n in _ONES))),
)
_COUNT: Final = rf"(?P<count>\d{{1,2}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_AND_NEXT: Final = re.compile(
    r",?\s(?:and|or)\s(?:for\s)?(?:(?:each|any|either)\sof\s)?the\s(?:(?:next|following|succeeding)\s)?"
    rf"{_COUNT}\s(?:next\s)?(?:(?:succeeding|following|subsequent|successive)\s)?"
    rf"(?:{_KIND}\s)?years(?:\s(?:thereafter|following))?",
    re.IGNORECASE,
)
"""`and for each of the three succeeding fiscal years`."""
_OTHERS: Final = re.compile(
    rf",?\s(?:and|or)\s(?:for\s)?(?:\S{{1,12}}\s){{0,3}}?(?:preceding|prior|previous|other|(?:suc|next)\S*)"
    rf"\s(?:{_KIND}\s)?years?(?!\w)",
    re.IGNORECASE,
)
"""What comes besides and is not understood: `and the preceding fiscal year`."""
_EACH = (
    r"(?:the\speriod\s(?:consisting\s)?of\s)?(?:(?:each|any|either|all|both|every)\s(?:of\s)?)?"
    r"(?:the\s)?"
)
_FOR: Final = re.compile(
    rf"(?<!\w)(?:for|in|during|within|as\srespects|as\sregards|(?:in|with)\s(?:respect\sof|respect\sto"
    rf"|relation\sto)|in\sthe\scase\sof(?:\sany|\sa)?|throughout)\s{_EACH}(?:any\s|a\s)?$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"(?<!\w)(?:(?:beginning|starting|commencing)(?:\s(?:with|in|on|from))?|with\seffect\sfrom"
    r"|effective(?:\s(?:with|in|for|from))?|(?P<bare>from))\s"
    r"(?:and\safter\s)?(?:the\s)?(?:first\sday\sof\s(?:the\s)?)?$",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    rf"(?<!\w)(?:the|each\sof|a)\s{_COUNT}[\s-](?:successive\s|consecutive\s)?"
    rf"(?:{_KIND}[\s-])?years?(?:\speriods?)?,?\s$",
    re.IGNORECASE,
)
"""`in the 30 successive financial years commencing with the financial year 2013`."""
_UNTIL: Final = re.compile(
    r"(?<!\w)(?:through|until|up\sto\sand\sincluding|ending\s(?:with|in))\s(?:the\send\sof\s)?(?:the\s)?$",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    rf"(?<!\w)(?:(?:{_KIND}\s)?years?\s|periods?\s|(?P<own>^\W*))(?:beginning\s|commencing\s)?(?:after|subsequent\sto)"
    r"\s(?:the\s)?$",
    re.IGNORECASE,
)
"""`each fiscal year after fiscal year 2010`; after a mere "after" may come an event."""
_BEFORE: Final = re.compile(
    rf"(?<!\w)(?:{_KIND}\s)?years?\s(?:beginning\s)?(?:before|prior\sto|preceding)\s(?:the\s)?$",
    re.IGNORECASE,
)
_RECURS: Final = re.compile(
    r"(?<!\w)(?:each|every|any|an|per)\s(?:\w{4,9}\s)?year,?\s(?:thereafter,?\s)?$"
    r"|(?<!\w)(?:annually|thereafter|biennially|quarterly),?\s$",
    re.IGNORECASE,
)
"""`in each year, commencing with the year 2021`."""
_NUMBERING: Final = re.compile(
    r"(?:\W|\(\w{1,4}\)|F\d{1,4}\[|\d{1,4}[A-Z]{0,2}\.|[a-z]{1,4}\))*(?:(?:Notwithstanding|Subject\sto)\s[^,]{3,120},\s)?",
)
_HEADS: Final = re.compile(r"\s?(?:[.:]?\s?[—–]|[:.,]|[A-Z“]|$|\|)")
"""After years without a preposition at the beginning: it is a heading that runs on."""
_FIRST_OCTOBER: Final = 1977
"""The first federal fiscal year that began on 1 October."""
_CALENDAR_YEARS: Final = 2002
"""Ireland's first year of assessment that began on 1 January."""
_BRITISH: Final = frozenset({"uk", "gb"})


@dataclass(frozen=True, slots=True)
class NamedPeriod:
    """Years that a sentence names, and their days."""

    start: int
    """Where its words begin, with those before it that belong to it."""
    end: int
    span: EffectSpan
    """Empty if the words do not say which days they are."""
    leads: bool
    """Whether the sentence begins with it."""
    recurs: bool
    """Whether it says from or until when something is done every year."""
    ranged: bool = False
    """Whether it is given by two days; then `payments made` in these days are what it is for."""


def list_named_periods(clause: Clause, jurisdiction: str) -> list[NamedPeriod]:
    """The years that a sentence names, in the order of the text."""
    found: list[NamedPeriod] = []
    matches = [*_list_bounded(clause), *_list_named(clause.masked, jurisdiction)]
    places = [_place(clause, *one) for one in matches]
    places += _list_ranges(clause)
    kept = filter(None, places)
    for placed in sorted(kept, key=lambda one: (one.start, -one.end)):
        if found and placed.start < found[-1].end:
            continue
        if found and _ends_last(found[-1], placed):
            both = EffectSpan(found[-1].span.start, placed.span.until)
            found[-1] = replace(found[-1], end=placed.end, span=both)
        else:
            found.append(placed)
    return found


def _ends_last(last: NamedPeriod, placed: NamedPeriod) -> bool:
    """`beginning with fiscal year 2003 and ending with fiscal year 2007`."""
    opened = last.span.start is not None and last.span.until is None
    closes = placed.span.start is None and placed.span.until is not None
    return opened and closes and placed.start - last.end <= 30


def read_year_label(words: str, jurisdiction: str) -> EffectSpan:
    """`Fiscal year 2013`, `Fee for fiscal year 2014 and later`: the years of a cell or a head."""
    text = words.strip(_EDGES)
    named = _NAMED.search(text)
    if named is None or not _HEAD_WORDS.fullmatch(text, 0, named.start()):
        return EffectSpan()
    span = _date_years(named, jurisdiction)
    end, span = _go_on(text, named.end(), span or EffectSpan())
    return span if not text[end:].strip() else EffectSpan()


def read_row_label(cell: str, head: str, jurisdiction: str) -> EffectSpan:
    """`2010 and thereafter` under `In the case of fiscal year:`: the years of a row."""
    headed = _YEAR_HEAD.fullmatch(head)
    if headed is None:
        return EffectSpan()
    kind = "calendar year" if headed["begins"] else headed["kind"]
    words = cell.strip(_EDGES)
    label = words if "year" in words[:16].lower() else f"{kind} {words}"
    return read_year_label(label, jurisdiction)


def _list_named(words: str, jurisdiction: str) -> Iterator[tuple[int, int, EffectSpan]]:
    for named in _NAMED.finditer(words):
        span = _date_years(named, jurisdiction)
        if span is not None:
            end, span = _go_on(words, named.end(), span)
            yield named.start(), end, span


def _list_bounded(clause: Clause) -> Iterator[tuple[int, int, EffectSpan]]:
    """Years that begin or end on a day, or begin in a year."""
    words = clause.masked
    dates = {
        one.start: one
        for one in clause.figures
        if one.kind is FigureKind.DATE and len(one.value) == 10
    }
    for begins in _BEGINNING.finditer(words):
        how = begins["how"].lower()
        day = dates.get(begins.end())
        years = None if day else _BARE_LIST.match(words, begins.end())
        if day:
            first, end = day.value, day.end
            start = add_days(first, 1) if how == "after" else first
        elif years:
            numbers, end = _list_numbers(years[0]), years.end()
            if not numbers:
                continue
            first = f"{numbers[0]}-01-01"
            start = f"{numbers[-1] + 1}-01-01" if how == "after" else first
        else:
            continue
        if how in ("before", "prior to"):
            yield begins.start(), end, EffectSpan(None, first)
            continue
        until = f"{numbers[-1] + 1}-01-01" if years and how in ("in", "during") else None
        if day and how in ("in", "during"):
            continue
        if until is None and (limit := _AND_BEFORE.match(words, end)):
            end, until = _read_limit(words, limit, dates)
        if until is not None:
            yield begins.start(), end, EffectSpan(start, until)
            continue
        yield begins.start(), _go_on(words, end, EffectSpan())[0], EffectSpan(start)
    for ends in _ENDING.finditer(words):
        found = dates.get(ends.end())
        if found is None:
            continue
        last = found
        while following := _NEXT_DATE.match(words, last.end):
            if following.end() not in dates or following.end() <= last.end:
                break
            last = dates[following.end()]
        begins_on = ends["how"].lower() == "beginning"
        start = found.value if begins_on else _shift_years(add_days(found.value, 1), -1)
        until = _shift_years(last.value, 1) if begins_on else add_days(last.value, 1)
        end, span = _go_on(words, last.end, EffectSpan(start, until))
        yield ends.start(), end, span


def _list_ranges(clause: Clause) -> Iterator[NamedPeriod]:
    """`on or after 1 January 2014 and before 1 January 2016`: days between two others."""
    dates = [one for one in clause.figures if one.kind is FigureKind.DATE and len(one.value) == 10]
    for day in dates:
        since = _SINCE.search(clause.masked, max(0, day.start - 60), day.start)
        if since is None or since["how"].lower() != "on or after":
            continue
        if _leads(clause, since.start()) and _HEADS.match(clause.masked, day.end):
            # "(b) on or after 1 January 2004—" introduces points.
            span = EffectSpan(day.value)
            yield NamedPeriod(since.start(), day.end, span, leads=True, recurs=False)
    for first, last in pairwise(dates):
        since = _SINCE.search(clause.masked, max(0, first.start - 60), first.start)
        to = _TO_DAY.fullmatch(clause.masked, first.end, last.start)
        if since is None or to is None:
            continue
        start = add_days(first.value, 1 if since["how"].lower() == "after" else 0)
        until = add_days(last.value, 0 if to["how"].lower() in ("before", "prior to") else 1)
        if start and until and start < until:
            at = since.start()
            whom = _WHOM.search(clause.masked, 0, at)
            span = EffectSpan() if whom else EffectSpan(start, until)
            yield NamedPeriod(at, last.end, span, _leads(clause, at), recurs=False, ranged=True)


def _read_limit(
    words: str, limit: re.Match[str], dates: dict[int, Figure]
) -> tuple[int, str | None]:
    """`and before January 1, 2026`, `and before 2026`."""
    if day := dates.get(limit.end()):
        return day.end, add_days(day.value, 1 if limit["how"].lower().startswith("on") else 0)
    year = _ONE_YEAR.match(words, limit.end())
    if year and limit["how"].lower() != "on or before":
        return year.end(), f"{year[0]}-01-01"
    return limit.start(), None


def _place(clause: Clause, start: int, end: int, span: EffectSpan) -> NamedPeriod | None:
    """What the words before years say about them; None if they are not when something applies."""
    before = clause.masked[max(0, start - 80) : start]
    opens = _leads(clause, start)
    if begins := _FROM.search(before):
        at = start - len(before) + begins.start()
        ranged = span.until is not None and re.search(
            r"(?<!\w)(?:through|to)\s|[-–]", clause.masked[start:end]
        )
        if begins["bare"] and not ranged and not _leads(clause, at):
            # "what remains from fiscal year 2010"
            return None
        counted = _COUNTED.search(clause.masked, 0, at)
        if counted:
            span = EffectSpan(span.start, _shift_years(span.start, _read_count(counted)))
        elif not ranged:
            span = EffectSpan(span.start)
    elif ends := _UNTIL.search(before):
        at = start - len(before) + ends.start()
        span = EffectSpan(None, span.until)
    elif after := _AFTER.search(before):
        at = start - len(before) + after.start()
        span = EffectSpan(span.until)
        each = _FOR.search(clause.masked[max(0, at - 60) : at])
        at = at - len(each[0]) if each else at
        if each is None and not _leads(clause, at):
            return None
    elif earlier := _BEFORE.search(before):
        at = start - len(before) + earlier.start()
        span = EffectSpan(None, span.start)
        each = _FOR.search(clause.masked[max(0, at - 60) : at])
        if each is None:
            return None
        at -= len(each[0])
    elif during := _FOR.search(before):
        at = start - len(before) + during.start()
    elif opens and _HEADS.match(clause.masked, end):
        at = start
    else:
        return None
    words = clause.masked[max(0, at - 40) : at]
    recurs = _RECURS.search(words) is not None or (
        begins is not None and _COUNTED.search(clause.masked, 0, at) is not None
    )
    return NamedPeriod(at, end, span, _leads(clause, at), recurs)


def _leads(clause: Clause, at: int) -> bool:
    """Whether a sentence begins there, but for its number and the heading that runs on into it."""
    if at == clause.begin:
        return True
    numbered = _NUMBERING.match(clause.masked)
    return numbered is not None and numbered.end() >= at


def _go_on(words: str, at: int, span: EffectSpan) -> tuple[int, EffectSpan]:
    """`and each fiscal year thereafter`, `and the two succeeding fiscal years`."""
    if more := _AND_NEXT.match(words, at):
        until = _shift_years(span.until, _read_count(more))
        return more.end(), EffectSpan(span.start, until) if until else EffectSpan()
    if endless := _GOES_ON.match(words, at):
        return endless.end(), EffectSpan(span.start)
    if others := _OTHERS.match(words, at):
        return others.end(), EffectSpan()
    return at, span


def _read_count(match: re.Match[str]) -> int:
    count = match["count"].lower()
    return int(count) if count.isdigit() else _NUMBERS.index(count) + 1


def _date_years(named: re.Match[str], jurisdiction: str) -> EffectSpan | None:
    """The days of years; empty if they are not certain, None if their kind is not known here."""
    kind = "assessment" if named["assessed"] else (named["kind"] or "").lower().split(" ")[-1]
    country = jurisdiction.partition("-")[0]
    if named["split"]:
        return _date_split_years(named, kind, country)
    numbers = _list_numbers(named["years"])
    first, last = (numbers[0], numbers[-1]) if numbers else (0, 0)
    whole = EffectSpan(f"{first}-01-01", f"{last + 1}-01-01") if numbers else EffectSpan()
    if named["quarters"] or kind == "calendar" or (kind == "financial" and country == "ie"):
        return whole
    if kind == "":
        uncertain = country == "ie" and 0 < first < _CALENDAR_YEARS
        return None if uncertain else whole
    if kind == "fiscal" and jurisdiction == "us":
        return _date_fiscal_years(first, last) if numbers else whole
    if kind in ("tax", "assessment") and country == "ie":
        if first < _CALENDAR_YEARS - 1:
            return EffectSpan()
        return replace(whole, start="2001-04-06") if first < _CALENDAR_YEARS else whole
    return None


def _date_split_years(named: re.Match[str], kind: str, country: str) -> EffectSpan | None:
    """`the tax year 2013-14` in the United Kingdom, `fiscal years 2009-2013`."""
    first, closed = int(named["opened"]), named["closed"]
    follows = (first + 1) % 10 ** len(closed) == int(closed)
    early = country == "ie" and first < _CALENDAR_YEARS - 1
    if follows and kind in ("", "tax", "assessment") and (country in _BRITISH or early):
        return EffectSpan(f"{first}-04-06", f"{first + 1}-04-06")
    ranged = len(closed) == 4 and int(closed) > first and "years" in named[0].lower()
    if ranged and kind == "fiscal" and country == "us":
        return _date_fiscal_years(first, int(closed))
    return None


def _date_fiscal_years(first: int, last: int) -> EffectSpan:
    """Fiscal years of the United States; there is a quarter between those of 1976 and 1977."""
    start = f"{first - 1}-10-01" if first >= _FIRST_OCTOBER else f"{first - 1}-07-01"
    until = f"{last}-10-01" if last >= _FIRST_OCTOBER else f"{last}-07-01"
    return EffectSpan(start, until)


def _list_numbers(words: str) -> list[int]:
    """The first and the last of `2009 through 2013`, `2008, 2009 and 2010`; none if some are
    left out."""
    numbers = [int(one) for one in re.findall(r"(?:19|20)\d\d", words)]
    ranged = re.search(r"(?<!\w)(?:through|to)(?!\w)|[-–]", words, re.IGNORECASE) is not None
    if ranged and len(numbers) == 2 and numbers[0] < numbers[1]:
        return numbers
    follow = all(later == one + 1 for one, later in pairwise(numbers))
    return [numbers[0], numbers[-1]] if follow and not ranged else []


def _shift_years(day: str | None, years: int) -> str | None:
    """The same day so many years later."""
    if day is None or day.endswith("-02-29"):
        return None
    return f"{int(day[:4]) + years:04}{day[4:]}"
