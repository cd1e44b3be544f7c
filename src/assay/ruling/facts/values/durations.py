"""Durations in a text, and the days of the month by which something is due."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from assay.ruling.facts.values.dates import scan_dates
from assay.ruling.facts.values.number_words import ORDINALS, scan_words
from assay.ruling.facts.values.numbers import NumberAt, find_number_start, scan_numbers, share_units

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


_END = r"(?![^\W_])"
_NOT_IN_WORD = r"(?<![^\W_])"


_BARE_UNITS: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(("day", "tag", "tages", "tags"), (1, "days")),
    **dict.fromkeys(("werktag", "werktages", "werktags", "arbeitstages"), (1, "working_days")),
    **dict.fromkeys(("week", "woche", "wochen"), (1, "weeks")),
    # `Innerhalb von einem Jahre` is an old dative, which codes still have.
    **dict.fromkeys(
        ("month", "mjesec", "mjeseca", "monat", "monate", "monats", "monates"), (1, "months")
    ),
    **dict.fromkeys(("year", "godinu", "godine", "jahr", "jahre", "jahres", "jahrs"), (1, "years")),
    **dict.fromkeys(("hour", "stunde"), (1, "hours")),
    "fortnight": (2, "weeks"),
}
_ONE = re.compile(
    rf"{_NOT_IN_WORD}(?:(?<![0-9]\.{_GAP})(?P<hr>mjeseca?|godin[ue]){_GAP}dana"
    rf"(?!{_GAP}{{0,3}}[0-9])"
    rf"|(?:(?<=within{_GAP})|(?<=inside{_GAP})|(?<=for{_GAP})|(?<=after{_GAP})|(?<=before{_GAP})|(?<=than{_GAP})|(?<=least{_GAP})"
    rf"|(?<=period{_GAP}of{_GAP})|(?<=term{_GAP}of{_GAP})|(?<=valid{_GAP}for{_GAP}))"
    rf"an?{_GAP}(?:(?:calendar|further|full){_GAP})?(?P<en>day|week|fortnight|month|year)"
    rf"|(?:ein|eine|einen|einem|einer|eines){_GAP}(?:weiteren{_GAP})?"
    rf"(?P<de>tag|tages|tags|werktag|werktages|woche|monate?s?|jahre?s?|stunde)"
    rf"|(?P<frist>monat|jahr|wochen)(?:e?s)?frist){_END}",
    re.IGNORECASE,
)
_STEMS_HR: Mapping[str, int] = {
    "jedno": 1,
    "dvo": 2,
    "tro": 3,
    "četvero": 4,
    "četvoro": 4,
    "peto": 5,
    "šesto": 6,
    "sedmo": 7,
    "osmo": 8,
    "devetero": 9,
    "deseto": 10,
    "dvanaesto": 12,
    "petnaesto": 15,
    "tridesetero": 30,
}
_STEMS_DE: Mapping[str, int] = {
    "ein": 1,
    "zwei": 2,
    "drei": 3,
    "vier": 4,
    "fünf": 5,
    "sechs": 6,
    "sieben": 7,
    "acht": 8,
    "neun": 9,
    "zehn": 10,
    "zwölf": 12,
    "vierzehn": 14,
    "dreißig": 30,
}
_STEM_NUMBERS: Mapping[str, int] = {**_STEMS_HR, **_STEMS_DE}
_COMPOUND_UNITS: Mapping[str, str] = {
    "dnevn": "days",
    "tjedn": "weeks",
    "mjesečn": "months",
    "godišnj": "years",
    "tägig": "days",
    "wöchig": "weeks",
    "monatig": "months",
    "jährig": "years",
    "stündig": "hours",
}
_COMPOUND = re.compile(
    rf"{_NOT_IN_WORD}(?:(?P<hr>{'|'.join(_STEMS_HR)})(?P<hr_unit>dnevn|tjedn|mjesečn|godišnj)"
    rf"(?:i|og|oga|om|ome|im|o|eg|ega|em|emu)"
    rf"|(?P<de>{'|'.join(_STEMS_DE)})(?P<de_unit>tägig|wöchig|monatig|jährig|stündig)"
    rf"(?:e|er|es|en|em)){_END}",
    re.IGNORECASE,
)
_NEXT = re.compile(
    rf"{_NOT_IN_WORD}(?:(?:sljedeć|naredn|iduć|prv)(?:i|eg|ega|og|oga|em){_GAP}"
    rf"(?P<hr_work>radn(?:i|og|oga|om){_GAP})?dana?(?!{_GAP}(?:u|tekuć|svak|sljedeć)\w{{0,4}}{_GAP})"
    rf"|(?<![0-9.]{_GAP})dana?(?={_GAP}(?:nakon|poslije|po){_GAP}(?:\w{{1,9}}{_GAP})?"
    rf"(?:objav|proglaš)\w)"
    rf"|(?:next|following){_GAP}(?P<en_work>(?:working|business){_GAP})?day"
    rf"|(?<=the{_GAP})day(?={_GAP}(?:after|following){_GAP})"
    rf"|(?:nächste|folgende|nachfolgende)n{_GAP}(?P<de_work>werk|arbeits|bankarbeits)?tage?s?"
    rf"|(?<=am{_GAP})tage?(?={_GAP}nach{_GAP})){_END}",
    re.IGNORECASE,
)


def _find_unnumbered(text: str) -> Iterator[DurationAt]:
    """`mjesec dana`, `Monatsfrist`, `the next working day`: without a number, form by form.

    The last day of a month does not count: which day that is differs from month to month.
    """
    for match in _ONE.finditer(text):
        name = match["hr"] or match["en"] or match["de"] or match["frist"]
        number, unit = _BARE_UNITS[name.lower()]
        yield DurationAt(match.start(), match.end(), Decimal(number), unit)
    for match in _COMPOUND.finditer(text):
        stem, unit = match["hr"] or match["de"], match["hr_unit"] or match["de_unit"]
        amount = Decimal(_STEM_NUMBERS[stem.lower()])
        yield DurationAt(match.start(), match.end(), amount, _COMPOUND_UNITS[unit.lower()])
    for match in _NEXT.finditer(text):
        working = match["hr_work"] or match["en_work"] or match["de_work"]
        unit = "working_days" if working else "days"
        yield DurationAt(match.start(), match.end(), Decimal(1), unit, ordinal=True)
