"""A value stands in its quote with its unit, or it does not stand there."""

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ruling.facts.gates import is_value_in_quote
from assay.ruling.facts.values import format_number
from tests.ruling.test_dates import FORMS, MONTHS, WRITTEN

IN_QUOTE = [
    ("25", "percentage", "%", "PDV se plaća po stopi od 25 %."),
    ("25", "percentage", "%", "The rate is twenty-five per cent."),
    ("13", "percentage", "%", "po stopi od 13 i 25 %"),
    ("0.5", "percentage", "‰", "naknada od 0,5 ‰"),
    ("5", "percentage", "%", "Knjige\t5"),
    ("5", "percentage", "%", "| Books | 5 |"),
    ("13.5", "percentage", "%", "Stopa %\t13,5\tod 1. 1. 2026."),
    ("39816.84", "currency", "EUR", "do iznosa od 39.816,84 eura"),
    ("60000", "threshold", "EUR", "turnover exceeding EUR 60 000"),
    ("40000", "threshold", "EUR", "40.000 eura"),
    ("500", "currency", "EUR", "novčanom kaznom od 500 do 5.000 eura"),
    ("41000000", "currency", "USD", "$41 million"),
    ("2.65", "currency", "EUR", "Zona A (EUR)\t2,65"),
    ("100", "threshold", "", "more than 100 employees"),
    ("10", "threshold", "%", "više od 10 % udjela"),
    ("8", "count", "days", "stupa na snagu osmoga dana od dana objave"),
    ("30", "count", "days", "within thirty (30) days"),
    ("20", "count", "day_of_month", "do 20. dana u mjesecu za prethodni mjesec"),
    ("3", "count", "", "in three copies"),
    ("2026-01-01", "date", "", "stupa na snagu 1. siječnja 2026."),
    ("--03-31", "date", "", "do 31. ožujka svake godine"),
    ("članka 4. stavka 2.", "cross_reference", "", "iz  članka 4.\nstavka 2. ovoga Zakona"),
    ("usluge liječenja", "exemption_condition", "", "Oslobođene su usluge\u00a0liječenja."),
    ("anything", "text", "", "something else"),
    ("216", "currency", "EUR", "Razred\tPorez (eura)\n1.\t216,00"),
    ("12000", "threshold", "EUR", "Razred\tPrimici (EUR)\n1.\tod 0,00 do 12.000,00"),
    ("13", "percentage", "%", "Usluga\tStopa u %\nsmještaj\t13"),
    ("480", "currency", "CHF", "Platz | Miete (CHF)\nBoje | 480.–"),
    ("480", "currency", "CHF", "Platz\tMiete (Fr.)\nBoje\t480.–"),
    ("55000", "threshold", "EUR", "prag\tEUR 55,000.00\tEUR 60,000.00"),
    ("60000", "threshold", "EUR", "prag\tEUR 55,000.00\tEUR 60,000.00"),
    ("5000", "currency", "EUR", "Geldbuße bis zu fünftausend Euro"),
    ("0.5", "percentage", "%", "one-half of 1 percent for each month"),
    ("Ivana Horvat", "name", "", "The firm was led by Ivana\u00a0Horvat's brother."),
    ("Acme d.o.o.", "name", "", "tvrtka Acme d.o.o., Zagreb"),
    ("1998", "year", "", "It was founded in 1998."),
    ("2001", "year", "", "from 1998\u20132001"),
    ("2001", "year", "", "on 3.5.2001."),
    ("2001", "year", "", "on May 3, 2001"),
    ("828", "number", "m", "The tower is 828 m tall."),
    ("1234.5", "number", "km2", "covers 1,234.5 square kilometres"),
    ("7", "number", "", "has seven storeys"),
    ("12", "number", "%", "owns 12 % of it"),
    ("3000000", "number", "EUR", "a revenue of EUR 3 million"),
    ("30", "number", "days", "lasted 30 days"),
]
NOT_IN_QUOTE = [
    ("Ivana", "name", "", "The firm was led by Ivanaš Horvat."),
    ("ivana horvat", "name", "", "The firm was led by Ivana Horvat."),
    ("", "name", "", "anything"),
    ("1998", "year", "", "It has 19980 members, 1.998 rooms and A1998."),
    ("1998", "year", "", "NN 40/1998"),
    ("98", "year", "", "It was founded in 98."),
    ("3", "number", "m", "It costs 3 EUR and 3 %."),
    ("3", "number", "EUR", "It is 3 m tall."),
    ("4", "number", "", "Article 4"),
    ("13", "currency", "EUR", "Usluga\tStopa u %\nsmještaj\t13"),
    ("216", "currency", "USD", "Razred\tPorez (eura)\n1.\t216,00"),
    ("7", "currency", "EUR", "Razred\tBroj\tPorez (eura)\n1.\t7\t216,00"),
    ("216", "currency", "EUR", "Razred\tPorez\n1.\t216,00"),
    ("216", "currency", "EUR", "Razred\tPorez (eura)\n1.\tčlanak 216"),
    ("1", "percentage", "%", "one-half of 1 percent for each month"),
    ("40", "percentage", "%", "40.000 %"),
    ("40", "currency", "EUR", "40.000 eura"),
    ("40", "threshold", "", "40.000 radnika, A40, 140, NN 40/16"),
    ("400", "currency", "EUR", "40 eura"),
    ("25", "percentage", "%", "Iz članka 25. ovoga Zakona"),
    ("4", "percentage", "%", "članka 4. stopa je 25 %"),
    ("25", "percentage", "%", "25 ‰"),
    ("25", "percentage", "%", "25 eura"),
    ("25", "percentage", "%", "The rate is 25."),
    ("3", "percentage", "%", "increased by 3 percentage points"),
    ("1", "percentage", "%", "1\tKnjige\t5"),
    ("5", "percentage", "%", "Knjige\t5\t13 %"),
    ("5", "percentage", "%", "Article\n5\nBooks are exempt"),
    ("500", "currency", "EUR", "500 kuna"),
    ("500", "currency", "EUR", "Iznos u kunama\t500"),
    ("5", "currency", "EUR", "5\t100 EUR"),
    ("500", "currency", "EUR", "The fee is 500."),
    ("2", "currency", "EUR", "2 milijuna eura"),
    ("100", "threshold", "", "iz članka 100. ovoga Zakona"),
    ("100", "threshold", "", "100 eura"),
    ("30", "count", "days", "30 radnih dana"),
    ("30", "count", "days", "30 mjeseci"),
    ("30", "count", "days", "u 30 primjeraka"),
    ("1", "count", "", "1. siječnja 2026."),
    ("2026-03-31", "date", "", "do 31. ožujka"),
    ("--03-31", "date", "", "do 31. ožujka 2026."),
    ("2026-04-03", "date", "", "03/04/2026"),
    ("članka 4", "cross_reference", "", "iz članka 40. ovoga Zakona"),
    ("članka 4", "cross_reference", "", "iz članka 4.2 ovoga Zakona"),
    ("lanka 4.", "cross_reference", "", "iz članka 4. ovoga Zakona"),
    ("usluge", "exemption_condition", "", "Oslobođena su dobra."),
    ("", "cross_reference", "", "iz članka 4."),
    ("x", "currency", "EUR", "500 eura"),
    ("sNaN", "currency", "EUR", "500 eura"),
    ("Infinity", "percentage", "%", "5 %"),
    ("1e999999", "count", "days", "5 dana"),
    ("500", "currency", "", "500 eura"),
]


@pytest.mark.parametrize(("value", "value_type", "unit", "quote"), IN_QUOTE)
def test_the_value_stands_in_the_quote(value: str, value_type: str, unit: str, quote: str) -> None:
    assert is_value_in_quote(value, value_type, unit, quote)


@pytest.mark.parametrize(("value", "value_type", "unit", "quote"), NOT_IN_QUOTE)
def test_the_value_does_not_stand_there(value: str, value_type: str, unit: str, quote: str) -> None:
    assert not is_value_in_quote(value, value_type, unit, quote)


@given(
    amount=st.decimals(min_value=1, max_value=10**9, places=2), tenfold=st.sampled_from([10, 1000])
)
def test_a_sum_is_in_its_quote_and_its_multiples_are_not(amount: Decimal, tenfold: int) -> None:
    for written in (f"{amount:,}", f"{amount:,}".translate(str.maketrans(",.", ".,"))):
        quote = f"u iznosu od {written} eura mjesečno"
        assert is_value_in_quote(format_number(amount), "currency", "EUR", quote)
        assert not is_value_in_quote(format_number(amount), "currency", "HRK", quote)
        assert not is_value_in_quote(format_number(amount * tenfold), "currency", "EUR", quote)
        assert not is_value_in_quote(format_number(amount / tenfold), "currency", "EUR", quote)


@given(number=st.integers(1, 999), zeros=st.sampled_from([".000", ",000", " 000", "\u00a0000"]))
def test_a_number_is_not_in_its_thousands(number: int, zeros: str) -> None:
    quote = f"iznosi {number}{zeros} eura"
    assert not is_value_in_quote(str(number), "currency", "EUR", quote)
    assert is_value_in_quote(str(number * 1000), "currency", "EUR", quote)


@given(date=st.dates(), other=st.dates(), way=st.sampled_from(WRITTEN))
def test_only_the_date_that_is_written_is_in_the_quote(
    date: datetime.date, other: datetime.date, way: tuple[str, str]
) -> None:
    language, form = way
    assert form in FORMS[language]
    month = MONTHS[language].split()[date.month - 1]
    quote = "od " + form.format(date.day, month, f"{date.year:04}", date.month)
    assert is_value_in_quote(date.isoformat(), "date", "", quote)
    assert is_value_in_quote(other.isoformat(), "date", "", quote) is (date == other)
