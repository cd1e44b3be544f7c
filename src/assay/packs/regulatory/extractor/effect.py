"""From when until when: the days that a sentence sets for what it says."""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.packs.regulatory.extractor import cues, time_cues
from assay.packs.regulatory.extractor.cases import describes_case, is_in_case
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import (
    Figure,
    FigureKind,
    find_figures,
    flatten_spaces,
)
from assay.packs.regulatory.extractor.meaning import Meaning

_IN_YEAR = re.compile(
    r"(?<!\w)(?:(?:im|für\s+das|in\s+dem)\s+(?:kalender|beitrags|haushalts)?jahre?"
    r"|für\s+den\s+veranlagungszeitraum|im\s+veranlagungszeitraum"
    r"|for(?:\s+the\s+(?:(?:calendar|tax)\s+)?year(?:\s+of\s+assessment)?)?|za|u)"
    r"\s+(?P<year>(?:19|20)\d\d)(?![\d/–-])",
    re.IGNORECASE,
)
_AFTER_BARE_YEAR = re.compile(r"\.?\s*(?:godin|iznos|is\s|the\s)|,|\.?$", re.IGNORECASE)
"""After "for 2026", which may be an amount: what shows that it is a year."""
_STATES = re.compile(
    r"(?<!\w)(?:iznos[ie]|utvrđuj[eu]|određuj[eu]|plaća|betr(?:ägt|agen)|beläuft|belaufen|wird"
    r"|festgesetzt|festgelegt|gilt|gelten|werden|ist|sind|is|are|shall\s+be|amounts?"
    r"|erhöh(?:t|en)|verminder[nt]|verringer[nt]|(?:poveć|uveć|umanj|smanj)\w{1,4})(?!\w)",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"(?<!\w)(?:koj\w{1,3}|who|which|whose|that|(?:der|die|das|deren)(?=\s*$)|geboren\w{0,2}"
    r"|born|begonnen|ended|received|earned)(?!\w)",
    re.IGNORECASE,
)
"""A year in the description of something is not the year in which a figure applies."""
_GOES_ON = re.compile(
    r"\W{0,2}(?:godin\w{1,2})?\W{0,3}(?:und|and|i|te)\s+(?:\w{1,12}\s+){0,2}"
    r"(?:folgend|später|darauf|subsequent|following|later|sljedeć|naredn|kasnij)",
    re.IGNORECASE,
)
_FROM_YEAR = re.compile(
    r"(?<!\w)(?:(?:ab|seit)\s(?:dem\s)?(?:kalender|beitrags|haushalts|antrags)?jahre?\s"
    r"|(?:from|beginning\swith|starting\swith)\s(?:the\s)?(?:calendar\s|tax\s)?year\s"
    r"|(?:počevši\s|počev\s)?od\s(?=\d{4}\.?\sgodine(?!\w)))(?P<year>(?:19|20)\d\d)(?![\d/–-])",
    re.IGNORECASE,
)
"""`Ab dem Jahr 2022 übermitteln die Länder …`."""
_YEARS = re.compile(
    r"(?<!\w)(?:(?:in\sden|für\sdie)\s(?:kalender|beitrags|haushalts|antrags|wirtschafts)?jahren?\s"
    r"|(?:for|in)\s(?:each\sof\s)?(?:the\s)?(?:calendar\s|tax\s)?years\s(?:from\s)?"
    r"|(?:za|u)\srazdoblj[eu]\sod\s)"
    r"(?P<first>(?:19|20)\d\d)\.?(?:\sgodine)?\s?(?P<to>bis|und|to|through|and|do|i|–|-)\s?"
    r"(?P<last>(?:19|20)\d\d)(?![\d/])",
    re.IGNORECASE,
)
"""`in den Jahren 2011 bis 2019`: between which years a figure applies."""
_OF_THINGS = re.compile(
    r"\.?\s(?:[^\s,;]{1,20}\s){0,2}(?:geboren\w{0,2}|begonnen\w{0,2}|hergestellt\w{0,2}|gestellt\w{0,2}"
    r"|errichtet\w{0,2}|angeschafft\w{0,2}|born|beginning|ending|rođen\w{0,2}|zaposlen\w{0,2})(?!\w)",
    re.IGNORECASE,
)
_DEROGATES = re.compile(
    r"\W*(?:abweichend|by\sway\sof\sderogation|iznimno)(?!\w).{0,160}?"
    r"\s(?:darf|dürfen|may|smij[eu]|mogu|može|gilt|gelten)\s",
    re.IGNORECASE,
)
"""`Abweichend von § 9 darf bis zum 31. Dezember 2011 …`: what is allowed only until a day."""
_TO = re.compile(
    # Publishers mark amended words, as in "to F97[31 October 2025]".
    r"\.?\s{0,3}(?:do|to|bis|through|until|–|-|,?\s?and\sending\s(?:on|with))(?:\szum)?\s{0,3}(?:F\d{1,4}\[)?",
    re.IGNORECASE,
)
_OPENS_ITEM = re.compile(
    # Only a point of a list begins with a small letter; a sentence of its own may set a deadline.
    r"\s{0,3}(?:bis(?:\szum|\seinschließlich)?|do|until|up\sto|(?P<before>vor\sdem|prije|before))\s{1,3}"
)
"""`bis zum 31. Dezember 1956 ein Entgelt von …`: until when a point of a list applies."""
_PRINTED_IN = re.compile(
    r"[\s,.]{0,3}[(–-]\s?(?:BGBl|Bundesgesetzbl|RGBl|Reichsgesetzbl|GVBl|ABl|BAnz|Amtsbl|OJ\s|NN\s"
    r"|[»\"„]?Narodn|No\.|S\.I\.|SI\s)",
    re.IGNORECASE,
)
_VOM = re.compile(r"(?<!wirkung\s)(?<!zeit\s)(?<!zeitraum\s)(?<!\w)vom\s{0,3}$", re.IGNORECASE)
_OF_EU_ACT = re.compile(
    r"(?<!\w)(?:Komisije|Vijeća|parlamenta|Preporuk\w{1,3}|Direktiv\w{1,2}|Uredb\w{1,2}|Odluk\w{1,2}|Konvencij\w{1,2})"
    r"(?:\s[^\s,;]{1,16}){0,3}\sod\s{0,3}$",
    re.IGNORECASE,
)
"""`Preporuka Komisije od 6. svibnja 2003.`: when an act was made."""
_FROM_ON = re.compile(r"[\s,]{0,3}(?:an|ab|bis|–|-)(?!\w)", re.IGNORECASE)
"""After the date in `vom 1. Juli 1988 an`."""
_RUNS_FROM = re.compile(
    r"(?:[\s-]period)?[\s,]{1,3}(?:from|(?:beginning|commencing|starting)\son|after)\s(?:and\safter\s)?",
    re.IGNORECASE,
)
"""`the 5-year period beginning on 28 November 1990`."""
_WHICH = re.compile(
    r"\s(?:[a-zäöüß]{3,20}\s){0,2}(?!(?:k?eine[rnms]?|diese[rnms]?|seine[rnms]?|ihre[rnms]?|jede[rnms]?|alle[rnms]?)\s)"
    r"[a-zäöüß]{4,24}(?:e|en|er|es|em)\s[A-ZÄÖÜ]"
)
"""After a day, a German participle and its noun: `geltenden Fassung`, `ausgestellten Scheine`."""
_SAYS_HOW_LONG = re.compile(r"(?<!\w)(?:u\s+roku|within|innerhalb|binnen)(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EffectSpan:
    """The first day, and the first day after the last; either may be unknown."""

    start: str | None = None
    until: str | None = None


def find_sentence_span(clause: Clause, meaning: Meaning) -> EffectSpan:
    """The days that a sentence itself sets for what it says."""
    if meaning.predicate == "entry_into_force":
        return EffectSpan()
    if meaning.value_type == "date":
        # Only a day of every year may be the deadline from a certain year on.
        yearly = meaning.figure.value.startswith("--")
        return _find_years(clause, meaning.figure.start) if yearly else EffectSpan()
    start: str | None = None
    until: str | None = None
    previous: Figure | None = None
    first, last = _find_room(clause, meaning.figure)
    for figure in clause.figures:
        if figure.kind is not FigureKind.DATE or len(figure.value) != 10:
            continue
        before = clause.masked[max(0, figure.start - 40) : figure.start]
        if not first <= figure.start < last:
            continue
        if _is_citation(clause, figure) or _is_described(clause, figure):
            continue
        if time_cues.FROM.search(before) and not _is_counted_from(clause, figure):
            start = start or (None if _is_state_at(before) else figure.value)
        elif (
            previous is not None and _TO.fullmatch(clause.masked[previous.end : figure.start])
        ) or (time_cues.BY.search(before) and _holds_until(clause, figure)):
            until = until or add_days(
                figure.value, 0 if time_cues.ENDS_BEFORE.search(before) else 1
            )
        elif not meaning.predicate.endswith("deadline"):
            opened = _OPENS_ITEM.fullmatch(clause.masked, 0, figure.start)
            after = add_days(figure.value, 0 if opened and opened["before"] else 1)
            until = until or (after if opened else None)
        previous = figure
    if start and until and until <= start:
        return EffectSpan(start)
    if start is None and until is None:
        follows = first == meaning.figure.start
        bound = _find_year(clause.masked, meaning.figure.start, last if follows else None)
        return bound if bound != EffectSpan() else _find_years(clause, meaning.figure.start)
    return EffectSpan(start, until)


def _find_room(clause: Clause, own: Figure) -> tuple[int, int]:
    """Where in a sentence the days of a figure are: from its own start on, unless several figures
    are each followed by theirs: `100 Euro im Jahr 2024, 120 Euro im Jahr 2025`."""
    starts = [one.start for one in clause.figures if one.kind is own.kind]
    times = [one.start for one in clause.figures if one.kind is FigureKind.DATE]
    times += [one.start() for one in _IN_YEAR.finditer(clause.masked)]
    behind = [at for at in times if at > own.start]
    if len(starts) > 1 and len(times) > 1 and behind and min(starts) < min(times):
        following = (at for at in starts if at > min(behind))
        return own.start, min(following, default=len(clause.masked))
    return _find_own_start(clause, own), len(clause.masked)


def _find_own_start(clause: Clause, own: Figure) -> int:
    """Where the words about a figure begin, if it has days of its own: `until June 5 %, from July
    on 2 %`."""
    earlier = [one.end for one in clause.figures if one.kind is own.kind and one.end <= own.start]
    last = max(earlier, default=0)
    dated = (one for one in clause.figures if one.kind is FigureKind.DATE)
    return last if any(last <= one.start < own.start for one in dated) else 0


def _is_described(clause: Clause, figure: Figure) -> bool:
    """`the licences issued from that day on`, `die bis dahin geltende Fassung`: whether a day says
    which thing or case is meant, rather than when the figure applies."""
    return _WHICH.match(clause.masked, figure.end) is not None or is_in_case(clause, figure)


def _find_year(words: str, at: int, follows_until: int | None) -> EffectSpan:
    """`Der Beitragssatz für das Jahr 2026 beträgt …`: the year to which a figure is bound.

    If the years follow their figures, its own is between it and the next one.
    """
    years = [one for one in _IN_YEAR.finditer(words) if _binds_year(words, one)]
    if follows_until is not None:
        years = [one for one in years if at < one.start() < follows_until][:1]
    before = [one for one in years if one.start() < at]
    if len(years) > 1 and not before:
        return EffectSpan()
    for year in before[-1:] or years:
        number = int(year["year"])
        goes_on = _GOES_ON.match(words, year.end())
        return EffectSpan(f"{number}-01-01", None if goes_on else f"{number + 1}-01-01")
    return EffectSpan()


def _binds_year(words: str, year: re.Match[str]) -> bool:
    """Whether a year is that of a statement, rather than of something it describes."""
    if len(year[0].split()) == 2 and not _AFTER_BARE_YEAR.match(words, year.end()):
        return False
    part = re.split(r"[,;]", words[max(0, year.start() - 120) : year.start()])[-1]
    if _DESCRIBES.search(part):
        return False
    return _STATES.search(words, max(0, year.start() - 120), year.end() + 120) is not None


def _find_years(clause: Clause, at: int) -> EffectSpan:
    """`Ab dem Jahr 2022 …`, `in den Jahren 2011 bis 2019 …`: the years of a whole sentence."""
    found: set[EffectSpan] = set()
    for one in _FROM_YEAR.finditer(clause.masked, 0, at):
        found.add(EffectSpan(f"{one['year']}-01-01") if _is_own(clause, one) else EffectSpan())
    for one in _YEARS.finditer(clause.masked, 0, at):
        first, last = int(one["first"]), int(one["last"])
        joins = one["to"].casefold() in ("und", "and", "i")
        is_span = first < last and (not joins or last == first + 1) and _is_own(clause, one)
        found.add(EffectSpan(f"{first}-01-01", f"{last + 1}-01-01") if is_span else EffectSpan())
    return found.pop() if len(found) == 1 else EffectSpan()


def _is_own(clause: Clause, years: re.Match[str]) -> bool:
    """Whether years are those of a statement, rather than of something that it describes."""
    before = clause.masked[max(0, years.start() - 120) : years.start()]
    if _DESCRIBES.search(re.split(r"[,;]", before)[-1]) or _SAYS_HOW_LONG.search(before[-60:]):
        return False
    if describes_case(clause.text) and "," not in clause.masked[: years.start()]:
        return False
    return _OF_THINGS.match(clause.masked, years.end()) is None


def find_lead_span(leads: Sequence[str], meaning: Meaning, language: str | None) -> EffectSpan:
    """The days that the words before a list set for its points; the innermost list counts."""
    for lead in reversed(leads):
        text = flatten_spaces(lead)
        figures = tuple(find_figures(text, language))
        dated = any(figure.kind is FigureKind.DATE for figure in figures)
        if not dated and not any(one.search(text) for one in (_IN_YEAR, _FROM_YEAR, _YEARS)):
            continue
        clause = Clause(start=0, quote=lead, text=text, masked=text, figures=figures, references=())
        after = replace(meaning, figure=replace(meaning.figure, start=len(text), end=len(text)))
        if (span := find_sentence_span(clause, after)) != EffectSpan():
            return span
    return EffectSpan()


def _is_counted_from(clause: Clause, figure: Figure) -> bool:
    """`within 30 days from 1 July 2026`: the day from which a time runs."""
    before = clause.masked[max(0, figure.start - 60) : figure.start]
    return _SAYS_HOW_LONG.search(before) is not None or any(
        one.kind is FigureKind.TIME
        and one.end <= figure.start
        and _RUNS_FROM.fullmatch(clause.masked[one.end : figure.start]) is not None
        for one in clause.figures
    )


def _is_citation(clause: Clause, figure: Figure) -> bool:
    """`die Verordnung über Renten vom 9. Juli 1957 (BGBl. I S. 704)`: the date of another act."""
    after = clause.masked[figure.end : figure.end + 40]
    if _PRINTED_IN.match(after):
        return True
    before = clause.masked[max(0, figure.start - 40) : figure.start]
    if _OF_EU_ACT.search(before):
        return True
    return bool(_VOM.search(before)) and _FROM_ON.match(after) is None


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
    if _DEROGATES.match(clause.masked, start):
        return True
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
