"""The figures of a sentence: percentages, sums, times, dates and counted things, in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from assay.sdk.facts import (
    format_number,
    scan_dates,
    scan_durations,
    scan_numbers,
    scan_percentages,
    scan_sums,
)

_UNITS_IN_WORDS = re.compile(
    r"\b(?:dan\w{0,2}|mjesec\w?|godin\w{1,3}|sat[ai]?|tjed\w{1,3}|days?|months?|years?|weeks?"
    r"|hours?"
    r"|\w{0,14}(?:tag|tägig|monat|jahr|jähr|woch|wöch|stund|stünd)\w{0,8}|fortnight"
    r"|\w{2,10}(?:dnevn|tjedn|mjesečn|godišnj)\w{1,3}|january|february|march|april|june|july|august"
    r"|september|october|november|december|siječnja|veljače|ožujka|travnja|svibnja|lipnja|srpnja"
    r"|kolovoza|rujna|listopada|studenog\w?|prosinca|januar|februar|märz|mai|juni|juli|oktober"
    r"|dezember|posto|per\s?cent"
    r"|prozent(?:punkten?)?|percentage\spoints?|postotn\w{1,3}|v\.?\s?h|vom\s?hundert|promil\w{0,3}"
    r"|eur[ao]?s?|kuna|dollars?)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s{0,3}(?:(?:ili više|or more|oder mehr|und mehr)\s)?"
    r"(?:(?:natural|legal|full-time|other)\s(?:(?:or|and)\slegal\s)?)?"
    r"(?:radnik\w{0,2}|zaposlen\w{1,3}|osob\w{1,2}|soba|kreveta|employees|workers|persons"
    r"|staff"
    r"|beschäftigt\w{0,2}|arbeitnehmer\w{0,3}|mitarbeiter\w{0,3}|personen)\b",
    re.IGNORECASE,
)
_COUNTED_WORDS = re.compile(r"(?<=[^\W\d_])" + _COUNTED.pattern, re.IGNORECASE)
_YEAR = re.compile(r"(?<!\w)(?:jahre?|year|godin[aeiu]|in)\s[12]\d{3}$", re.IGNORECASE)
_OF_ASSESSMENT = re.compile(r"\s{1,3}of\s(?:assessment|account|income)(?!\w)", re.IGNORECASE)
"""`a year of assessment` is a name, and no stretch of time."""
_MOST = 60
"""Anything with more figures is not a sentence."""
_DIGIT = re.compile(r"\d")
_SPACES = str.maketrans(dict.fromkeys("\n\t\r\f\v\u00a0\u202f\u2009\u2007", " "))


class FigureKind(StrEnum):
    """What a figure measures."""

    PERCENT = "percent"
    SUM = "sum"
    TIME = "time"
    DATE = "date"
    HEADS = "heads"
    """A number of employees, persons and the like."""


VALUES = frozenset({FigureKind.PERCENT, FigureKind.SUM})
"""What something amounts to, rather than when it is."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its place in the sentence."""

    kind: FigureKind
    start: int
    end: int
    value: str
    """In canonical form."""
    unit: str
    ordinal: bool = False
    """Whether it is an ordinal that counts to a day: `osmog dana`."""


def flatten_spaces(text: str) -> str:
    """The same letters with plain spaces, each at its offset."""
    return text.translate(_SPACES)


def find_figures(text: str, language: str | None) -> list[Figure]:
    """The figures of a flattened sentence, in order; none is inside another."""
    if _DIGIT.search(text) is None and not (
        _UNITS_IN_WORDS.search(text) or _COUNTED_WORDS.search(text)
    ):
        return []
    chosen: list[Figure] = []
    for figure in sorted(_find_all(text, language), key=lambda one: (one.start, -one.end)):
        if not chosen or figure.start >= chosen[-1].end:
            chosen.append(figure)
    return chosen if len(chosen) <= _MOST else []


def _find_all(text: str, language: str | None) -> Iterator[Figure]:
    if "%" in text or "‰" in text or _UNITS_IN_WORDS.search(text) or "．" in text:
        for share in scan_percentages(text, language):
            yield Figure(
                FigureKind.PERCENT, share.start, share.end, format_number(share.amount), share.unit
            )
    for sum_of in scan_sums(text, language):
        if _YEAR.search(text[max(0, sum_of.start - 12) : sum_of.end]):
            continue
        if sum_of.currency == "BAM" and language == "de":
            # "Vordruck KM 6" is a form, and no sum of convertible marks.
            continue
        amount = format_number(sum_of.amount)
        yield Figure(FigureKind.SUM, sum_of.start, sum_of.end, amount, sum_of.currency)
    for time in scan_durations(text, language):
        if _OF_ASSESSMENT.match(text, time.end):
            continue
        number = format_number(time.amount)
        yield Figure(FigureKind.TIME, time.start, time.end, number, time.unit, time.ordinal)
    for day in scan_dates(text, language):
        yield Figure(FigureKind.DATE, day.start, day.end, day.iso, "")
    if _COUNTED.search(text):
        for number_at in scan_numbers(text, language):
            if _COUNTED.match(text, number_at.end):
                value = format_number(number_at.readings[0])
                yield Figure(FigureKind.HEADS, number_at.start, number_at.end, value, "")
