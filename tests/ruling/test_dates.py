"""Dates are read in three languages; days that no calendar has are not."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ruling.facts.values import is_date, scan_dates

MONTHS = {
    "hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada "
    "studenoga prosinca",
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}
FORMS = {
    "hr": ("{0}. {1} {2}.", "{0}. {3}. {2}.", "{0:02}.{3:02}.{2}."),
    "en": ("{0} {1} {2}", "{1} {0}, {2}", "{0}th of {1} {2}", "{2}-{3:02}-{0:02}"),
    "de": ("{0}. {1} {2}", "{0:02}.{3:02}.{2}", "{0}.{3}.{2}"),
}
WRITTEN = [(language, form) for language in sorted(FORMS) for form in FORMS[language]]


def found(text: str, language: str | None = None) -> list[tuple[str, str]]:
    return [(text[at.start : at.end], at.iso) for at in scan_dates(text, language)]


@pytest.mark.parametrize(
    "text",
    [
        "1. siječnja 2026.",
        "1. siječanj 2026.",
        "1. 1. 2026.",
        "01.01.2026.",
        "1.1.2026",
        "1 January 2026",
        "January 1, 2026",
        "January 1st, 2026",
        "Jan. 1, 2026",
        "1 Jan 2026",
        "1st of January 2026",
        "1st day of January 2026",
        "1. Januar 2026",
        "1. Jänner 2026",
        "1.\u00a0Jan. 2026",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "dana 1.\nsiječnja 2026. godine",
    ],
)
def test_the_first_of_january(text: str) -> None:
    assert [iso for _, iso in found(text)] == ["2026-01-01"]


def test_a_span_is_the_date_without_the_full_stop() -> None:
    assert found("Do 31. ožujka 2026.") == [("31. ožujka 2026", "2026-03-31")]


def test_a_day_without_a_year_is_of_every_year() -> None:
    assert found("do 31. ožujka svake godine") == [("31. ožujka", "--03-31")]
    assert found("by March 31 each year") == [("March 31", "--03-31")]
    assert found("bis 29. Februar") == [("29. Februar", "--02-29")]


@pytest.mark.parametrize(
    "text",
    [
        "31 February 2026",
        "29. veljače 2026.",
        "31.04.2026",
        "00.01.2026",
        "2026-13-01",
        "1.13.2026",
        "03/04/2026",
        "13/13/2026",
        "day 20 may be",
        "u siječnju 2026.",
        "11.1.1.2026",
        "1.1.2026.5",
        "In May 25 % was due",
    ],
)
def test_no_date(text: str) -> None:
    assert found(text) == []


def test_slashed_dates_only_where_they_can_be_read_in_one_way() -> None:
    assert found("03/31/2026 31/03/2026 05/05/2026") == [
        ("03/31/2026", "2026-03-31"),
        ("31/03/2026", "2026-03-31"),
        ("05/05/2026", "2026-05-05"),
    ]
    assert found("03/31/2026", "hr") == []


def test_ranges_share_month_and_year() -> None:
    assert found("od 1. do 15. svibnja 2026.") == [
        ("1", "2026-05-01"),
        ("15. svibnja 2026", "2026-05-15"),
    ]
    assert found("od 1. siječnja do 31. ožujka 2026.") == [
        ("1. siječnja", "2026-01-01"),
        ("31. ožujka 2026", "2026-03-31"),
    ]
    assert found("1.1. - 31.12.2026") == [("1.1", "2026-01-01"), ("31.12.2026", "2026-12-31")]


def test_a_range_over_the_turn_of_the_year_keeps_its_first_day_without_a_year() -> None:
    assert [iso for _, iso in found("1 December to 31 January 2026")] == ["--12-01", "2026-01-31"]


@given(date=st.dates(), way=st.sampled_from(WRITTEN))
def test_a_written_date_is_read_back(date: datetime.date, way: tuple[str, str]) -> None:
    language, form = way
    month = MONTHS[language].split()[date.month - 1]
    text = "od " + form.format(date.day, month, f"{date.year:04}", date.month) + " vrijedi"
    assert [iso for _, iso in found(text)] == [date.isoformat()]


@given(st.text(alphabet="0123456789.-/ \nstmayMjanrujna,", max_size=80))
def test_any_text_gives_ordered_spans_of_real_days(text: str) -> None:
    end = 0
    for at in scan_dates(text):
        assert end <= at.start < at.end <= len(text)
        assert is_date(at.iso)
        end = at.end


@pytest.mark.parametrize(
    ("value", "real"),
    [
        ("2026-01-01", True),
        ("--02-29", True),
        ("2026-02-29", False),
        ("--02-30", False),
        ("2026-1-1", False),
        ("20260101", False),
        ("0000-01-01", False),
        ("2026-01-01\n", False),
        ("", False),
    ],
)
def test_the_canonical_form(value: str, real: bool) -> None:
    assert is_date(value) is real


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("do 31.3., 30.6. i 31.12. tekuće godine", ["--03-31", "--06-30", "--12-31"]),
        ("bis zum 15.2. zu zahlen", ["--02-15"]),
        ("točka 3.2. ovoga članka", []),
        ("3.2. Naslov", []),
        ("the first day of April 2026", ["2026-04-01"]),
        ("am ersten Januar", ["--01-01"]),
        ("by the end of February", ["--02-28"]),
        ("do kraja veljače 2028.", ["2028-02-29"]),
        ("bis Ende Mai 2026", ["2026-05-31"]),
        ("do kraja mjeseca", []),
    ],
)
def test_days_without_a_year_or_a_number(text: str, expected: list[str]) -> None:
    assert [at.iso for at in scan_dates(text)] == expected
