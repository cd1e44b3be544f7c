"""The names of months in Croatian, English and German, in the one table that everything uses."""

from collections.abc import Mapping

_FORMS: Mapping[str, tuple[str, ...]] = {
    "hr": (
        "siječnja siječanj siječnju",
        "veljače veljača veljači",
        "ožujka ožujak ožujku",
        "travnja travanj travnju",
        "svibnja svibanj svibnju",
        "lipnja lipanj lipnju",
        "srpnja srpanj srpnju",
        "kolovoza kolovoz kolovozu",
        "rujna rujan rujnu",
        "listopada listopad listopadu",
        "studenoga studenog studeni studenome studenom studenomu",
        "prosinca prosinac prosincu",
    ),
    "en": (
        "January jan",
        "February feb",
        "March mar",
        "April apr",
        "May",
        "June jun",
        "July jul",
        "August aug",
        "September sept sep",
        "October oct",
        "November nov",
        "December dec",
    ),
    "de": (
        "Januar januars jänner jänners jaenner jan",
        "Februar februars feber feb",
        "März maerz mär",
        "April aprila aprils apr",
        "Mai",
        "Juni junis jun",
        "Juli julis jul",
        "August augusta augusts aug",
        "September septembers sept sep",
        "Oktober oktobers okt",
        "November novembers nov",
        "Dezember dezembers dez",
    ),
}
"""The first form of a month is the one that follows a day: `1 January`, `1. siječnja`."""

_ABBREVIATIONS: Mapping[str, str] = {
    "hr": "sij velj ožu tra svi lip srp kol ruj lis stu pro",
    "de": "jän feb mrz apr mai jun jul aug sep okt nov dez",
}
"""Months as listings abbreviate them; elsewhere some of these are ordinary words."""


def list_month_names(language: str) -> tuple[str, ...]:
    """The twelve names of a language as they are written after a day."""
    return tuple(forms.split()[0] for forms in _FORMS[language])


def list_month_numbers(*languages: str) -> dict[str, int]:
    """Every form of a month, casefolded, with its number from 1; all languages by default."""
    return {
        form.casefold(): number
        for language in languages or _FORMS
        for number, forms in enumerate(_FORMS[language], 1)
        for form in forms.split()
    }


def list_month_abbreviations() -> dict[str, int]:
    """The abbreviations that only a listing of dates uses, with their number from 1."""
    return {
        short: number
        for shorts in _ABBREVIATIONS.values()
        for number, short in enumerate(shorts.split(), 1)
    }


def list_month_stems() -> tuple[str, ...]:
    """Every form of a month, casefolded, and the Croatian stems with `*` for any other ending."""
    stems = (name[:-1] + "*" for name in list_month_names("hr"))
    return (*list_month_numbers(), *stems)
