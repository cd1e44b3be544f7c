"""Sums, percentages and stretches of time, with the units that several numbers share."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ruling.facts.values import (
    format_number,
    scan_currencies,
    scan_dates,
    scan_durations,
    scan_numbers,
    scan_percentages,
    scan_sums,
)

LONG = 100_000
MANY = 5_000
HOSTILE = {
    "dots": "1." * (LONG // 2),
    "spaces": " " * LONG,
    "groups": "111 " * (LONG // 4),
    "digits": "1" * LONG,
    "letters": "a" * LONG,
    "breaks": "5\n\n\n" * MANY,
    "brackets": "5 (" * MANY,
    "months": "20. tekućeg " * MANY,
    "named months": "1. sij 1 jan " * MANY,
    "ranges": "1 i " * MANY + "1 dana",
    "words": "sto " * MANY,
}


def sums(text: str) -> list[str]:
    return [f"{format_number(at.amount)} {at.currency}" for at in scan_sums(text)]


def percentages(text: str) -> list[str]:
    return [f"{format_number(at.amount)} {at.unit}" for at in scan_percentages(text)]


def durations(text: str) -> list[str]:
    return [f"{format_number(at.amount)} {at.unit}" for at in scan_durations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EUR 1.000", ["1000 EUR"]),
        ("5.000,00 €", ["5000 EUR"]),
        ("€5,000", ["5000 EUR"]),
        ("Euro 100", ["100 EUR"]),
        ("5.000,- Euro", ["5000 EUR"]),
        ("39.816,84 eura", ["39816.84 EUR"]),
        ("300.000,00 kn", ["300000 HRK"]),
        ("tisuću kuna", ["1000 HRK"]),
        ("$1,000.50", ["1000.5 USD"]),
        ("US$5", ["5 USD"]),
        ("$41 million", ["41000000 USD"]),
        ("41 million dollars", ["41000000 USD"]),
        ("100 US dollars", ["100 USD"]),
        ("£5m", ["5000000 GBP"]),
        ("5 pence per bag", ["0.05 GBP"]),
        ("from 5 to 10 pence", ["0.05 GBP", "0.1 GBP"]),
        ("15. 000 kuna", []),
        ("60\\.000 Euro", ["60000 EUR"]),
        ("1\\.250,50 Euro", ["1250.5 EUR"]),
        ("15. 000,00 eura", []),
        ("€2.5bn", ["2500000000 EUR"]),
        ("3 Mio. Euro", ["3000000 EUR"]),
        ("CHF 100.–", ["100 CHF"]),
        ("100 Franken", ["100 CHF"]),
        ("5 KM", ["5 BAM"]),
        ("1.000 i 2.000 eura", ["1000 EUR", "2000 EUR"]),
        ("od 500 do 5.000 eura", ["500 EUR", "5000 EUR"]),
        ("500–5.000 EUR", ["500 EUR", "5000 EUR"]),
        ("EUR 500 to 5,000", ["500 EUR", "5000 EUR"]),
        ("between $500 and $5,000", ["500 USD", "5000 USD"]),
        ("von 500 bis zu 5.000 Euro", ["500 EUR", "5000 EUR"]),
        ("100 EUR 200 USD", ["100 EUR", "200 USD"]),
        ("5 km", []),
        ("članka 5. i 100 eura", ["100 EUR"]),
        ("2 do 3 milijuna eura", ["3000000 EUR"]),
        ("xEUR 5", []),
        ("5 eurobonds", []),
        ("u 2025, 100 kn", ["100 HRK"]),
    ],
)
def test_sums(text: str, expected: list[str]) -> None:
    assert sums(text) == expected


def test_spans_of_sums_are_exact() -> None:
    text = "Kazna od 500 do 5.000 eura (EUR 7,50), 1.000 (tisuću) eura."
    assert [text[at.start : at.end] for at in scan_sums(text)] == [
        "500",
        "5.000 eura",
        "EUR 7,50",
        "1.000 (tisuću) eura",
    ]


def test_currencies_are_named_without_a_number_too() -> None:
    assert scan_currencies("Iznos (EUR)\tu kunama") == {"EUR", "HRK"}
    assert scan_currencies("Eurostat, 5 km") == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25 %", ["25 %"]),
        ("25%", ["25 %"]),
        ("25\u00a0%", ["25 %"]),
        ("25 posto", ["25 %"]),
        ("25-postotna stopa", ["25 %"]),
        ("25 per cent.", ["25 %"]),
        ("twenty-five percent", ["25 %"]),
        ("25 Prozent", ["25 %"]),
        ("25 v. H.", ["25 %"]),
        ("25 vom Hundert", ["25 %"]),
        ("0,5 ‰", ["0.5 ‰"]),
        ("0,5 promila", ["0.5 ‰"]),
        ("13 i 25 %", ["13 %", "25 %"]),
        ("13 % or 25 %", ["13 %", "25 %"]),
        ("od 13 do 15 %", ["13 %", "15 %"]),
        ("5, 13 i 25 %", ["5 %", "13 %", "25 %"]),
        ("u 2025, 13 i 25 %", ["13 %", "25 %"]),
        ("članka 4, 25 %", ["25 %"]),
        ("5–10 %", ["5 %", "10 %"]),
        ("12.345 %", ["12.345 %"]),
        ("3 percentage points", []),
        ("3 %-Punkte", []),
        ("3 Prozentpunkte", []),
        ("3 postotna boda", []),
        ("članka 13., 25 %", ["25 %"]),
    ],
)
def test_percentages(text: str, expected: list[str]) -> None:
    assert percentages(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30 dana", ["30 days"]),
        ("u roku od osam dana", ["8 days"]),
        ("u roku od 30 (trideset) dana", ["30 days"]),
        ("15 radnih dana", ["15 working_days"]),
        ("within thirty (30) days", ["30 days"]),
        ("ten business days", ["10 working_days"]),
        ("a 30-day period", ["30 days"]),
        ("30 Tagen", ["30 days"]),
        ("zehn Werktagen", ["10 working_days"]),
        ("zwei Wochen", ["2 weeks"]),
        ("eines Monats", ["1 months"]),
        ("u roku od mjesec dana", ["1 months"]),
        ("5 godina", ["5 years"]),
        ("u 2026 godini, 2026. godine, 2026 godine", []),
        ("24 sata", ["24 hours"]),
        ("3 months", ["3 months"]),
        ("8 ili 15 dana", ["8 days", "15 days"]),
        ("osmoga dana od dana objave", ["8 days"]),
        ("on the twentieth day following", ["20 days"]),
        ("am fünfzehnten Tag nach", ["15 days"]),
        ("by the 5th working day of the month", ["5 working_days"]),
        ("do 20. u mjesecu", ["20 day_of_month"]),
        ("do 20. dana u mjesecu za prethodni mjesec", ["20 day_of_month"]),
        ("do 15. dana sljedećeg mjeseca", ["15 day_of_month"]),
        ("do dvadesetog dana u tekućem mjesecu", ["20 day_of_month"]),
        ("20. dana nakon isteka mjeseca", ["20 days"]),
        ("by day 20 of the month", ["20 day_of_month"]),
        ("by the 20th of the following month", ["20 day_of_month"]),
        ("by the 15th day of each calendar month", ["15 day_of_month"]),
        ("bis zum 10. Tag des Folgemonats", ["10 day_of_month"]),
        ("bis zum 10. des Monats", ["10 day_of_month"]),
        ("am 15. eines jeden Monats", ["15 day_of_month"]),
        ("bis zum zehnten Tag des auf die Lieferung folgenden Monats", ["10 day_of_month"]),
        ("30-dnevni rok i 14-tägige Frist", ["30 days", "14 days"]),
        ("within a month, inside a fortnight", ["1 months", "2 weeks"]),
        ("binnen Monatsfrist und in dreimonatiger Frist", ["1 months", "3 months"]),
        ("u šestomjesečnom roku, najviše godine dana", ["6 months", "1 years"]),
        ("drei volle Kalenderjahre, deset punih godina", ["3 years", "10 years"]),
        ("on the twenty-first day after", ["21 days"]),
        ("sljedećeg radnog dana", ["1 working_days"]),
        ("am Tag nach der Verkündung", ["1 days"]),
        ("is due by the 10th.", ["10 day_of_month"]),
        ("by the last day of the month", []),
        ("EUR 50 a month", []),
        ("100 mjesečno", []),
        ("1. Business day", []),
        ("5 (pet) godina", ["5 years"]),
        ("do 15-og u mjesecu", ["15 day_of_month"]),
        ("40. u mjesecu", []),
        ("30 danas", []),
        ("30 Dayton", []),
    ],
)
def test_durations(text: str, expected: list[str]) -> None:
    assert durations(text) == expected


@pytest.mark.parametrize("text", ["3 working weeks", "5 radnih tjedana", "2 Arbeitswochen"])
def test_weeks_of_work_are_not_weeks(text: str) -> None:
    assert durations(text) == []


def test_spans_of_durations_are_exact() -> None:
    text = "within thirty (30) days, by the 20th of the month"
    found = [text[at.start : at.end] for at in scan_durations(text)]
    assert found == ["thirty (30) days", "20th of the month"]


@given(
    amount=st.decimals(min_value=0, max_value=10**9, places=2),
    form=st.sampled_from(["{} eura", "{} €", "EUR {}", "€{}", "od {} kn", "CHF {}", "${}"]),
)
def test_a_written_sum_is_read_back(amount: Decimal, form: str) -> None:
    grouped = f"{amount:,}"
    if "$" not in form:
        grouped = grouped.translate(str.maketrans(",.", ".,"))
    (found,) = scan_sums("iznosi " + form.format(grouped) + " ukupno")
    assert found.amount == amount


@given(
    amount=st.integers(min_value=0, max_value=1000),
    form=st.sampled_from(["{} dana", "{} days", "{} Tagen", "({} dana)", "{}-day"]),
)
def test_a_written_period_is_read_back(amount: int, form: str) -> None:
    (found,) = scan_durations("rok: " + form.format(amount) + " od dana")
    assert (int(found.amount), found.unit) == (amount, "days")


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_text_is_read_to_its_end(name: str) -> None:
    text = HOSTILE[name]
    counts = [
        len(found)
        for found in (
            scan_numbers(text),
            scan_dates(text),
            scan_sums(text),
            scan_percentages(text),
            scan_durations(text),
        )
    ]
    expected = {
        "breaks": [MANY, 0, 0, 0, 0],
        "brackets": [MANY, 0, 0, 0, 0],
        "months": [MANY, 0, 0, 0, 0],
        "named months": [MANY, MANY, 0, 0, 0],
        "ranges": [MANY + 1, 0, 0, 0, MANY + 1],
        "words": [MANY, 0, 0, 0, 0],
    }
    assert counts == expected.get(name, [0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("Der Anspruch verjährt in einem Jahre von der Anzeige an.", "years"),
        ("binnen einem Monate nach der Zustellung", "months"),
        ("vor Ablauf eines Jahres", "years"),
    ],
)
def test_an_old_dative_is_a_duration(text: str, unit: str) -> None:
    """The German Civil Code has it, and it stopped the whole reading."""
    (found,) = scan_durations(text, "de")
    assert (found.amount, found.unit) == (Decimal(1), unit)
