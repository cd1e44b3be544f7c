"""Durations in a text, and the days of the month by which something is due."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from assay.ruling.facts.values.dates import scan_dates
from assay.ruling.facts.values.number_words import ORDINALS, scan_words
from assay.ruling.facts.values.numbers import NumberAt, scan_numbers
from assay.ruling.facts.values.ranges import find_number_start, share_units
from assay.ruling.facts.values.unnumbered_durations import scan_unnumbered

DAY_OF_MONTH = "day_of_month"
_UNITS: Mapping[str, str] = {
    "working_days": "radnih dana|radna dana|radni dan|radnog dana|radnoga dana|working days|"
    "working day|business days|business day|werktage|werktagen|werktag|werktages|werktags|"
    "arbeitstage|arbeitstagen|arbeitstag|arbeitstages|bankarbeitstage|bankarbeitstagen|"
    "geschäftstage|geschäftstagen",
    "days": "dana|dan|danom|dane|kalendarskih dana|uzastopnih dana|punih dana|calendar days|"
    "calendar day|consecutive days|clear days|full days|days|day|tage|tagen|tag|tages|tags|"
    "kalendertage|kalendertagen|kalendertag|volle tage|vollen tagen",
    "weeks": "tjedana|tjedna|tjedan|tjedne|weeks|week|wochen|woche",
    "months": "mjeseci|mjeseca|mjesec|mjesece|kalendarskih mjeseci|punih mjeseci|"
    "calendar months|calendar month|months|month|monate|monaten|monat|monats|monates|"
    "kalendermonate|kalendermonaten",
    "years": "godina|godine|godinu|godinama|kalendarskih godina|calendar years|years|year|"
    "jahre|jahren|jahr|jahres|jahrs|"
    + "|".join(
        f"{kind}{ending}"
        for kind in ("kalender", "wirtschafts", "geschäfts", "steuer", "betriebs", "veranlagungs")
        for ending in ("jahre", "jahren")
    ),
    "hours": "sati|sata|sat|hours|hour|stunden|stunde",
}
_ENDINGS = ("", "i", "a", "o", "e", "u", "og", "eg", "om", "em", "oj", "im", "en", "er", "es")
_HYPHENATED: Mapping[str, str] = {
    stem + ending: unit
    for stems, unit in (
        (("dnevn", "tägig"), "days"),
        (("tjedn", "wöchig"), "weeks"),
        (("mjesečn", "monatig"), "months"),
        (("godišnj", "jährig"), "years"),
        (("satn", "stündig"), "hours"),
    )
    for stem in stems
    for ending in _ENDINGS
}
"""Words that name a unit only after a hyphen: `30-dnevni`; `100 mjesečno` is not 100 months."""
_NAMES: Mapping[str, str] = {
    name: unit for unit, names in _UNITS.items() for name in names.split("|")
}
_GAP = "[ \\t\\n\u00a0\u202f]"
_WHOLE = (
    f"(?:(?:full|complete|whole|consecutive|successive|clear|tax|volle[nrs]?|ganze[nrs]?|weitere[nrs]?|"
    f"aufeinanderfolgende[nrs]?|pun[aeiou]h?|cijel[aeiou]h?|uzastopn[aeiou]h?|poreznih|daljnjih)"
    f"{_GAP}{{1,3}})?"
)
"""What may come between a number and its unit."""
_ALTERNATIVES = "|".join(
    re.escape(name).replace("\\ ", _GAP + "{1,3}") for name in sorted(_NAMES, key=len, reverse=True)
)
_UNIT = re.compile(
    rf"(?:[)]?(?:-|{_GAP}{{0,3}}){_WHOLE}(?P<name>{_ALTERNATIVES})|-(?P<form>{'|'.join(_HYPHENATED)}))"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_ORDINAL_DAY = re.compile(
    rf"\.?{_GAP}{{0,3}}(?P<name>(?:radnog{_GAP})?dana?|(?:working{_GAP}|business{_GAP})?day|"
    rf"tag|tages|tags|werktag|werktags|werktages|arbeitstag|arbeitstags)(?![^\W_])",
    re.IGNORECASE,
)
_DIGIT_ORDINAL = re.compile(
    r"(?<![\w.,/-])(?P<day>[0-9]{1,2})(?:\.|st|nd|rd|th|-og|-oga)(?![^\W_]|[0-9])", re.IGNORECASE
)
_TENS: Mapping[str, int] = {"twenty": 20, "thirty": 30, "dvadeset": 20, "trideset": 30}
_TENS_BEFORE = re.compile(
    rf"(?<![^\W_])(twenty|thirty|dvadeset|trideset)(?:-|{_GAP}(?:i{_GAP})?)$", re.IGNORECASE
)
_BY_THE = re.compile(rf"(?<![^\W_])(?:by|before|until|than|or){_GAP}the{_GAP}$", re.IGNORECASE)
_ENDS_HERE = re.compile(rf"(?={_GAP}{{0,3}}(?:[.;,)]|if(?![^\W_])|$))", re.IGNORECASE)
_DAY_N = re.compile(
    rf"(?<![^\W_])day{_GAP}(?P<day>[0-9]{{1,2}})(?![^\W_]|[0-9]|[.,][0-9])", re.IGNORECASE
)
_WHICH_HR = "(?:tekuć|iduć|sljedeć|naredn|svak|prethodn|prv|drug|kalendarsk|ist|t)(?:og|eg|em|om)a?"
_WHICH_EN = (
    "the|each|every|that|a|any|such|following|next|succeeding|current|same|preceding|calendar|"
    "first|second|third|previous"
)
_OF_MONTH = re.compile(
    rf"{_GAP}{{0,3}}(?:"
    rf"(?:dan(?:a|om){_GAP}{{1,3}})?(?:u{_GAP}{{1,3}})?(?:{_WHICH_HR}{_GAP}{{1,3}}){{0,2}}mjesec[aui]?"
    rf"|(?:calendar{_GAP})?(?:day{_GAP}{{1,3}})?(?:of|in){_GAP}{{1,3}}"
    rf"(?:(?:{_WHICH_EN}){_GAP}{{1,3}}){{0,3}}month"
    rf"|(?:tag(?:e|es|s)?{_GAP}{{1,3}})?(?:des|jedes|eines|im|desselben|dieses){_GAP}{{1,3}}"
    rf"(?:[^\W\d_]{{2,24}}{_GAP}{{1,3}}){{0,6}}(?:folge|kalender|vor)?monate?s?"
    rf")(?![^\W_])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DurationAt:
    """A duration in a text, or a day of the month."""

    start: int
    end: int
    amount: Decimal
    unit: str
    """hours, days, working_days, weeks, months, years or day_of_month."""
    ordinal: bool = False
    """Whether the text counts to a day: `osmog dana`, `on the twentieth day`."""


def scan_durations(text: str, language: str | None = None) -> list[DurationAt]:
    """The durations and days of the month in a text, in order."""
    found = [*_find_days_of_month(text), *_find_counted_days(text), *_find_unnumbered(text)]
    found += _find_numbered(text, language)
    # Of two that overlap, the one searched for first is more exact, and the sort is stable.
    durations: list[DurationAt] = []
    for duration in sorted(found, key=lambda duration: duration.start):
        if not durations or duration.start >= durations[-1].end:
            durations.append(duration)
    return durations


def _find_numbered(text: str, language: str | None) -> Iterator[DurationAt]:
    numbers = scan_numbers(text, language)
    found: dict[int, DurationAt] = {}
    for place, number in enumerate(numbers):
        unit = _UNIT.match(text, number.end)
        if unit is None:
            continue
        name = " ".join((unit.group("name") or unit.group("form")).lower().split())
        kind = _NAMES.get(name) or _HYPHENATED[name]
        if kind == "years" and _is_year(number):
            continue
        start = find_number_start(text, numbers, place)
        found[place] = DurationAt(start, unit.end(), number.readings[0], kind)
    share_units(text, numbers, found, _lend_unit)
    yield from (found[place] for place in sorted(found))


def _lend_unit(number: NumberAt, given: DurationAt) -> DurationAt:
    return DurationAt(number.start, number.end, number.readings[0], given.unit)


def _is_year(number: NumberAt) -> bool:
    return number.end - number.start == 4 and 1500 <= number.readings[0] <= 2199


def _find_ordinals(text: str) -> Iterator[tuple[int, int, int]]:
    for match in _DIGIT_ORDINAL.finditer(text):
        yield match.start(), match.end(), int(match.group("day"))
    for word in scan_words(text):
        if word.word in ORDINALS:
            tens = _TENS_BEFORE.search(text, max(0, word.start - 12), word.start)
            if tens is None:
                yield word.start, word.end, ORDINALS[word.word]
            elif ORDINALS[word.word] < 10:
                # `twenty-first`, `dvadeset prvog`
                whole = _TENS[tens.group(1).lower()] + ORDINALS[word.word]
                yield tens.start(), word.end, whole


def _find_days_of_month(text: str) -> Iterator[DurationAt]:
    numbered = [(m.start(), m.end(), int(m.group("day"))) for m in _DAY_N.finditer(text)]
    dated = {date.start for date in scan_dates(text)}
    for start, end, day in [*_find_ordinals(text), *numbered]:
        month = _OF_MONTH.match(text, end)
        if month is None and _BY_THE.search(text, max(0, start - 12), start):
            # `by the 10th.`: of each month, since no month is named.
            month = _ENDS_HERE.match(text, end)
        if month is not None and 1 <= day <= 31 and start not in dated:
            yield DurationAt(start, month.end(), Decimal(day), DAY_OF_MONTH, ordinal=True)


def _find_counted_days(text: str) -> Iterator[DurationAt]:
    """`osmog dana od objave`, `on the twentieth day following`, `am 15. Tag nach`."""
    for start, end, day in _find_ordinals(text):
        named = _ORDINAL_DAY.match(text, end)
        name = named.group("name").lower() if named else ""
        # `1. Business day` is the heading of a list: English writes 1st.
        if named is not None and not (name.endswith("day") and text[end - 1] == "."):
            working = name.startswith(("radn", "work", "busi", "werk", "arbeit"))
            unit = "working_days" if working else "days"
            yield DurationAt(start, named.end(), Decimal(day), unit, ordinal=True)


def _find_unnumbered(text: str) -> Iterator[DurationAt]:
    """`mjesec dana`, `eines Monats`, `the last day of the month`: without a number."""
    for at in scan_unnumbered(text):
        yield DurationAt(at.start, at.end, Decimal(at.amount), at.unit, at.ordinal)
