"""XSD datatypes: their lexical forms, and which of several readings fits a requested one."""

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from assay.packs.graph.model import Literal
from assay.packs.graph.ontology.model import XSD
from assay.sdk.facts import format_number

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
STRING = XSD + "string"
INTEGER = XSD + "integer"
DECIMAL = XSD + "decimal"
DATE = XSD + "date"
DATE_TIME = XSD + "dateTime"
G_YEAR = XSD + "gYear"
G_YEAR_MONTH = XSD + "gYearMonth"
G_MONTH_DAY = XSD + "gMonthDay"
DURATION = XSD + "duration"
TIME = XSD + "time"
ANY_URI = XSD + "anyURI"
BOOLEAN = XSD + "boolean"
FIRST_YEAR, LAST_YEAR = 1000, 2100
"""Four bare digits in this range can be a year."""

TEXTS = frozenset(
    {STRING, XSD + "normalizedString", XSD + "token", _RDF + "langString", _RDF + "PlainLiteral"}
)
_ANYTHING = frozenset({_RDFS + "Literal", XSD + "anySimpleType", XSD + "anyAtomicType"})
_DECIMALS = frozenset({DECIMAL, _OWL + "real", _OWL + "rational"})
_FLOATS = frozenset({XSD + "double", XSD + "float"})
_INTEGERS: Mapping[str, tuple[int | None, int | None]] = {
    INTEGER: (None, None),
    XSD + "nonNegativeInteger": (0, None),
    XSD + "positiveInteger": (1, None),
    XSD + "nonPositiveInteger": (None, 0),
    XSD + "negativeInteger": (None, -1),
    XSD + "long": (-(2**63), 2**63 - 1),
    XSD + "int": (-(2**31), 2**31 - 1),
    XSD + "short": (-(2**15), 2**15 - 1),
    XSD + "byte": (-(2**7), 2**7 - 1),
    XSD + "unsignedLong": (0, 2**64 - 1),
    XSD + "unsignedInt": (0, 2**32 - 1),
    XSD + "unsignedShort": (0, 2**16 - 1),
    XSD + "unsignedByte": (0, 2**8 - 1),
}
_INSTEAD: Mapping[str, tuple[str, ...]] = {
    DATE_TIME: (DATE_TIME, DATE, G_YEAR_MONTH, G_YEAR),
    XSD + "dateTimeStamp": (DATE_TIME, DATE, G_YEAR_MONTH, G_YEAR),
    DATE: (DATE, G_YEAR_MONTH, G_YEAR),
    G_YEAR_MONTH: (G_YEAR_MONTH, G_YEAR),
}
"""What is accepted if the text is less exact than the requested datatype."""
_WITHIN: Mapping[tuple[str, str], str] = {
    (DATE_TIME, DATE): r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}",
    (DATE_TIME, G_YEAR_MONTH): r"-?[0-9]{4,}-[0-9]{2}",
    (DATE, G_YEAR_MONTH): r"-?[0-9]{4,}-[0-9]{2}",
    (DATE_TIME, G_YEAR): r"-?[0-9]{4,}",
    (DATE, G_YEAR): r"-?[0-9]{4,}",
    (G_YEAR_MONTH, G_YEAR): r"-?[0-9]{4,}",
}
"""A date contains its year: the pattern of the less exact value within the exact one."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,60}")
_FRACTION = re.compile(r"[+-]?(?:[0-9]{1,60}(?:\.[0-9]{0,60})?|\.[0-9]{1,60})")
_FLOAT = re.compile(r"[+-]?(?:[0-9]{1,60}(?:\.[0-9]{0,60})?|\.[0-9]{1,60})(?:[eE][+-]?[0-9]{1,3})?")
_DURATION = re.compile(
    r"(-?)P(?=[0-9T])(?:([0-9]{1,9})Y)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9}(?:\.[0-9]{1,9})?)S)?)?"
)
_ZONE = r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])?"
_TIME = re.compile(rf"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{{1,9}})?{_ZONE}")
_DATE_TIME = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})T({_TIME.pattern})")
_URI = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]{1,30}:[^\s<>\"{}|\\^`]{1,2000}|www\.[^\s<>\"]{1,2000})"
)


def fit_reading(readings: Sequence[Literal], words: str, datatype: str) -> Literal | None:
    """Return the reading that fits a datatype or may replace it; None if there is none.

    A date accepts a month or a year if the text has no day; a decimal accepts a whole number; any
    words are a string.
    """
    if datatype in TEXTS:
        return Literal(words, STRING)
    if datatype in _ANYTHING:
        return readings[0] if readings else Literal(words, STRING)
    if datatype in _INTEGERS or datatype in _DECIMALS or datatype in _FLOATS:
        return next(filter(None, (_as_number(each, datatype) for each in readings)), None)
    for taken in _INSTEAD.get(datatype, (datatype,)):
        for reading in readings:
            if reading.datatype == taken:
                return reading
            within = _WITHIN.get((reading.datatype, taken))
            part = re.match(within, reading.value) if within else None
            if part is not None:
                return Literal(part.group(), taken)
    return None


def list_number_readings(value: Decimal, unit: str = "") -> tuple[Literal, ...]:
    """Read a number as an integer and as a decimal; a measure is a decimal first."""
    decimal = Literal(format_number(value), DECIMAL, unit)
    if value != value.to_integral_value():
        return (decimal,)
    whole = Literal(format_number(value), INTEGER, unit)
    return (decimal, whole) if unit else (whole, decimal)


def rank_numbers(
    values: tuple[Decimal, ...], words: str, language: str | None
) -> tuple[Decimal, ...]:
    """Rank what a number can mean, with the English reading first if the language is unknown:
    `1.234` is a little more than one."""
    if language is not None or len(values) < 2 or "." not in words:
        return values
    return tuple(sorted(values, key=abs))


def canonicalise_form(words: str, datatype: str) -> str | None:
    """Return the canonical form of words that are a lexical form of a datatype; otherwise None."""
    if datatype in _INTEGERS:
        return _write_bounded(int(words), datatype) if _WHOLE.fullmatch(words) else None
    if datatype in _DECIMALS:
        return format_number(Decimal(words)) if _FRACTION.fullmatch(words) else None
    if datatype in _FLOATS:
        known = _FLOAT.fullmatch(words) is not None and math.isfinite(float(words))
        return _write_float(Decimal(words)) if known else None
    if datatype == BOOLEAN:
        return {"true": "true", "1": "true", "yes": "true"}.get(words.casefold()) or {
            "false": "false",
            "0": "false",
            "no": "false",
        }.get(words.casefold())
    if datatype in _CALENDAR:
        return words if _is_calendar(words, datatype) else None
    if datatype == DATE_TIME and (moment := _DATE_TIME.fullmatch(words)):
        return words if _is_calendar(moment[1], DATE) else None
    if datatype == TIME:
        return words if _TIME.fullmatch(words) else None
    if datatype == DURATION and (parts := _DURATION.fullmatch(words)):
        years, months, days, hours, minutes = (int(parts[place] or 0) for place in range(2, 7))
        seconds = 86400 * days + 3600 * hours + 60 * minutes + Decimal(parts[7] or 0)
        return write_duration(12 * years + months, seconds, negative=bool(parts[1]))
    if datatype == ANY_URI:
        return words if _URI.fullmatch(words) else None
    return None


def write_duration(months: int, seconds: Decimal, *, negative: bool = False) -> str:
    """Write a duration in canonical form: years, months, days, hours, minutes, then seconds."""
    if not months and not seconds:
        return "PT0S"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    date = ((months // 12, "Y"), (months % 12, "M"), (days, "D"))
    time = ((hours, "H"), (minutes, "M"), (rest, "S"))
    days_part = "".join(
        f"{format_number(Decimal(count))}{letter}" for count, letter in date if count
    )
    clock = "".join(f"{format_number(Decimal(count))}{letter}" for count, letter in time if count)
    return f"{'-' if negative else ''}P{days_part}{'T' + clock if clock else ''}"


def _as_number(reading: Literal, datatype: str) -> Literal | None:
    if reading.datatype not in (INTEGER, DECIMAL):
        return None
    value = Decimal(reading.value)
    if datatype in _FLOATS:
        return Literal(_write_float(value), datatype, reading.unit)
    if datatype in _DECIMALS:
        return Literal(format_number(value), datatype, reading.unit)
    if value != value.to_integral_value():
        return None
    form = _write_bounded(int(value), datatype)
    return None if form is None else Literal(form, datatype, reading.unit)


def _write_bounded(value: int, datatype: str) -> str | None:
    least, most = _INTEGERS[datatype]
    fits = (least is None or value >= least) and (most is None or value <= most)
    return str(value) if fits else None


def _write_float(value: Decimal) -> str:
    """Write a float with one digit before the point and at least one after it: `2.5E2`."""
    if not value:
        return "0.0E0"
    sign, digits, exponent = value.as_tuple()
    plain = "".join(map(str, digits)).lstrip("0")
    power = len(plain) - 1 + int(exponent)
    return f"{'-' if sign else ''}{plain[0]}.{plain[1:].rstrip('0') or '0'}E{power}"


_CALENDAR: Mapping[str, str] = {
    DATE: "{0}",
    G_YEAR_MONTH: "{0}-01",
    G_YEAR: "{0}-01-01",
    G_MONTH_DAY: "2000{0}",
}


def _is_calendar(words: str, datatype: str) -> bool:
    """Whether there is such a day, month or year."""
    if datatype == G_YEAR and re.fullmatch("-?[0-9]{4}", words) is not None:
        return words[0] in "-0" or FIRST_YEAR <= int(words) <= LAST_YEAR
    whole = _CALENDAR[datatype].format(words[1:] if datatype == G_MONTH_DAY else words)
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", whole) is None:
        return False
    if datatype == G_MONTH_DAY and not words.startswith("--"):
        return False
    try:
        datetime.date.fromisoformat(whole)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class FoundLiteral:
    """A value found in a text."""

    start: int
    end: int
    words: str
    """As it is written, with white space collapsed."""
    readings: tuple[Literal, ...]
    """Everything that it can mean, the likeliest first."""

    @property
    def literal(self) -> Literal:
        """What the words mean without an ontology."""
        return self.readings[0]

    def fit_datatype(self, datatype: str) -> Literal | None:
        """Return the reading that fits a datatype; None if there is none."""
        return fit_reading(self.readings, self.words, datatype)
