"""Durations without a number: `a month`, `Monatsfrist`, `the next working day`."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_GAP = "[ \\t\\n\u00a0\u202f]"
_END = r"(?![^\W_])"
_NOT_IN_WORD = r"(?<![^\W_])"


class UnnumberedDuration(NamedTuple):
    """A duration, where it is, and whether the text counts to a day."""

    start: int
    end: int
    amount: int
    unit: str
    ordinal: bool = False


_UNITS: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(("day", "tag", "tages", "tags"), (1, "days")),
    **dict.fromkeys(("werktag", "werktages", "werktags", "arbeitstages"), (1, "working_days")),
    **dict.fromkeys(("week", "woche", "wochen"), (1, "weeks")),
    **dict.fromkeys(("month", "mjesec", "mjeseca", "monat", "monats", "monates"), (1, "months")),
    **dict.fromkeys(("year", "godinu", "godine", "jahr", "jahres", "jahrs"), (1, "years")),
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
_STEMS: Mapping[str, int] = {**_STEMS_HR, **_STEMS_DE}
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


def scan_unnumbered(text: str) -> Iterator[UnnumberedDuration]:
    """The durations that a text gives without a number, form by form.

    The last day of a month does not count: which day that is differs from month to month.
    """
    for match in _ONE.finditer(text):
        name = match["hr"] or match["en"] or match["de"] or match["frist"]
        amount, unit = _UNITS[name.lower()]
        yield UnnumberedDuration(match.start(), match.end(), amount, unit)
    for match in _COMPOUND.finditer(text):
        stem, unit = match["hr"] or match["de"], match["hr_unit"] or match["de_unit"]
        amount = _STEMS[stem.lower()]
        yield UnnumberedDuration(match.start(), match.end(), amount, _COMPOUND_UNITS[unit.lower()])
    for match in _NEXT.finditer(text):
        working = match["hr_work"] or match["en_work"] or match["de_work"]
        unit = "working_days" if working else "days"
        yield UnnumberedDuration(match.start(), match.end(), 1, unit, ordinal=True)
