"""One table of month names serves every reader and writer of dates."""

import pytest

from assay.model.months import list_month_abbreviations, list_month_names, list_month_numbers
from assay.sources.listing.dates import parse_date


@pytest.mark.parametrize(
    ("language", "first", "last"),
    [("hr", "siječnja", "prosinca"), ("en", "January", "December"), ("de", "Januar", "Dezember")],
)
def test_each_language_has_twelve_names(language: str, first: str, last: str) -> None:
    names = list_month_names(language)
    assert len(set(names)) == 12
    assert (names[0], names[-1]) == (first, last)
    assert [list_month_numbers(language)[name.casefold()] for name in names] == list(range(1, 13))


def test_a_form_that_two_languages_share_is_one_month() -> None:
    each = [list_month_numbers(language) for language in ("hr", "en", "de")]
    for form, number in list_month_numbers().items():
        assert {months[form] for months in each if form in months} == {number}


def test_an_abbreviation_never_contradicts_a_name() -> None:
    shorts, names = list_month_abbreviations(), list_month_numbers()
    assert (shorts["velj"], shorts["jän"], shorts["mrz"]) == (2, 1, 3)
    assert [short for short in shorts if names.get(short, shorts[short]) != shorts[short]] == []


def test_listings_read_every_form_of_the_table() -> None:
    months = list_month_numbers() | list_month_abbreviations()
    unread = [form for form, number in months.items()
              if parse_date(f"7. {form} 2026") != f"2026-{number:02}-07"]  # fmt: skip
    assert unread == []
