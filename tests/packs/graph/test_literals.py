"""Values are typed by their words, and otherwise by the requested datatype."""

from decimal import Decimal

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.graph.literals import FoundLiteral, find_literals, read_literal
from assay.packs.graph.model import Literal
from assay.packs.graph.ontology.model import XSD


def describe_literal(found: FoundLiteral) -> str:
    """The first reading, short: `250 decimal m`."""
    literal = found.literal
    return " ".join(filter(None, (literal.value, literal.datatype.removeprefix(XSD), literal.unit)))


def describe_literals(text: str) -> dict[str, str]:
    return {found.words: describe_literal(found) for found in find_literals(text)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on 5 May 2001 it", {"5 May 2001": "2001-05-05 date"}),
        ("May 5, 2001", {"May 5, 2001": "2001-05-05 date"}),
        ("2001-05-05", {"2001-05-05": "2001-05-05 date"}),
        ("12. siječnja 2020. godine", {"12. siječnja 2020": "2020-01-12 date"}),
        ("am 3. Oktober 1990", {"3. Oktober 1990": "1990-10-03 date"}),
        ("on 4 July", {"4 July": "--07-04 gMonthDay"}),
        ("in May 2001", {"May 2001": "2001-05 gYearMonth"}),
        ("the end of March 2002", {"March 2002": "2002-03 gYearMonth"}),
        ("you may 2001 times", {"2001": "2001 integer"}),
        ("at 2001-05-03T10:00Z", {"2001-05-03T10:00Z": "2001-05-03T10:00:00Z dateTime"}),
        ("2001-05-03 10:00", {"2001-05-03 10:00": "2001-05-03T10:00:00 dateTime"}),
        ("at 14:30", {"14:30": "14:30 string"}),
        ("at 2:30 p.m.", {"2:30 p.m.": "14:30:00 time"}),
        ("at 12 am", {"12 am": "00:00:00 time"}),
        ("um 14 Uhr", {"14 Uhr": "14:00:00 time"}),
        ("44 BC and AD 79", {"44 BC": "-0043 gYear", "AD 79": "0079 gYear"}),
    ],
)
def test_dates_and_times(text: str, found: dict[str, str]) -> None:
    assert describe_literals(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("of 1,234.5 things", {"1,234.5": "1234.5 decimal"}),
        ("1 234 567 things", {"1 234 567": "1234567 integer"}),
        ("it has twelve", {"twelve": "12 integer"}),
        ("the 3rd of the 19th century", {"3rd": "3 integer"}),
        ("one of them, this one", {}),
        ("has one daughter", {"one": "1 integer"}),
        ("at -5 now", {"-5": "-5 integer"}),
        ("ISBN 0-19-280835-1 on the A40", {}),
        ("the elf and his pet in the 1990s", {}),
        ("3.5 million people", {"3.5 million": "3500000 integer"}),
    ],
)
def test_numbers(text: str, found: dict[str, str]) -> None:
    assert describe_literals(text) == found


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("250 m", "m", "250"),
        ("250mm", "mm", "250"),
        ("a 250-metre tower", "m", "250"),
        ("12,345 km2", "km2", "12345"),
        ("3 km²", "km2", "3"),
        ("1.5 square metres", "m2", "1.5"),
        ("40 sq mi", "[mi_i]2", "40"),
        ("six feet", "[ft_i]", "6"),
        ("6 ft 2 in", "[in_i]", "74"),
        ("12 acres", "[acr_us]", "12"),
        ("40 mph", "[mi_i]/h", "40"),
        ("20 °C", "Cel", "20"),
        ("at -40 degrees Fahrenheit", "[degF]", "-40"),
        ("39.5 MW", "MW", "39.5"),
        ("5 kg", "kg", "5"),
        ("5 nautical miles", "[nmi_i]", "5"),
        ("5 tons", "tons", "5"),
        ("12.5%", "%", "12.5"),
        ("5 per cent", "%", "5"),
        ("48°51′00″S", "deg", "-48.85"),
        ("$3.5 million", "USD", "3500000"),
        ("£5m", "GBP", "5000000"),
        ("1.2 billion euros", "EUR", "1200000000"),
        ("HK$500", "HKD", "500"),
        ("₹5 crore", "INR", "50000000"),
        ("20 roubles", "RUB", "20"),
        ("CNY 30", "CNY", "30"),
        ("30 rupees", "rupees", "30"),
        ("1,177.6/km2", "/km2", "1177.6"),
        ("30 per square mile", "/[mi_i]2", "30"),
    ],
)
def test_measures_and_money(text: str, unit: str, value: str) -> None:
    (found,) = find_literals(text)
    assert found.literal == Literal(value, XSD + "decimal", unit)
    assert text[found.start : found.end] == found.words


@pytest.mark.parametrize(
    ("text", "first", "others"),
    [
        ("1.234 km", "1.234", ["1234"]),
        ("1,234 km", "1234", ["1.234"]),
        ("1.234%", "1.234", ["1234"]),
        ("$1,234", "1234", ["1.234"]),
        ("$1.234", "1.234", ["1234"]),
        ("40.000 km", "40000", []),
    ],
)
def test_a_number_has_every_reading_english_first(text: str, first: str, others: list[str]) -> None:
    (found,) = find_literals(text)
    read = dict.fromkeys(each.value for each in found.readings)
    assert list(read) == [first, *others]


def test_one_unit_for_two_numbers() -> None:
    assert [describe_literal(each) for each in find_literals("5 to 10 km")] == [
        "5 decimal km",
        "10 decimal km",
    ]


@pytest.mark.parametrize(
    ("text", "duration", "measure"),
    [
        ("90 minutes", "PT1H30M", "90 min"),
        ("2 hours and 30 minutes", "PT2H30M", "150 min"),
        ("1.5 hours", "PT1H30M", "1.5 h"),
        ("3 years", "P3Y", "3 a"),
        ("1 year, 6 months", "P1Y6M", "18 mo"),
        ("two weeks", "P14D", "2 wk"),
    ],
)
def test_durations(text: str, duration: str, measure: str) -> None:
    (found,) = find_literals(text)
    decimal = found.fit_datatype(XSD + "decimal")
    assert (found.start, found.end) == (0, len(text))
    assert found.literal == Literal(duration, XSD + "duration")
    assert decimal is not None
    assert f"{decimal.value} {decimal.unit}" == measure


def test_a_time_that_nobody_measures_is_a_number() -> None:
    (found,) = find_literals("123456789012345678901234 weeks")
    assert found.literal == Literal("123456789012345678901234", XSD + "decimal", "wk")
    assert found.fit_datatype(XSD + "duration") is None


def test_an_address_ends_before_the_sentence_does() -> None:
    assert describe_literals("(See https://example.org/a?b=1.) www.example.org/x_(y)") == {
        "https://example.org/a?b=1": "https://example.org/a?b=1 anyURI",
        "www.example.org/x_(y)": "www.example.org/x_(y) anyURI",
    }


def test_a_bare_number_may_be_a_year_where_one_is_wanted() -> None:
    (found,) = find_literals("in 2001")
    assert found.literal == Literal("2001", XSD + "integer")
    assert found.fit_datatype(XSD + "gYear") == Literal("2001", XSD + "gYear")
    assert found.fit_datatype(XSD + "date") == Literal("2001", XSD + "gYear")
    assert found.fit_datatype(XSD + "string") == Literal("2001", XSD + "string")
    assert found.fit_datatype(XSD + "time") is None
    assert find_literals("2,001")[0].fit_datatype(XSD + "gYear") is None
    assert find_literals("2500 men")[0].fit_datatype(XSD + "gYear") is None


def test_the_second_year_of_a_range() -> None:
    first, second = find_literals("1990–95")
    assert first.fit_datatype(XSD + "gYear") == Literal("1990", XSD + "gYear")
    assert second.fit_datatype(XSD + "gYear") == Literal("1995", XSD + "gYear")
    assert second.literal == Literal("95", XSD + "integer")


@pytest.mark.parametrize(
    ("words", "datatype", "value", "got"),
    [
        ("5 May 2001", "date", "2001-05-05", "date"),
        ("5 May 2001", "gYear", "2001", "gYear"),
        ("5 May 2001", "dateTime", "2001-05-05", "date"),
        ("May 2001", "date", "2001-05", "gYearMonth"),
        ("2001", "date", "2001", "gYear"),
        ("31. ožujka 2026.", "date", "2026-03-31", "date"),
        ("--12-24", "gMonthDay", "--12-24", "gMonthDay"),
        (" “1,234” ", "integer", "1234", "integer"),
        ("007", "integer", "7", "integer"),
        ("3rd", "positiveInteger", "3", "positiveInteger"),
        ("twelve", "integer", "12", "integer"),
        ("12", "decimal", "12", "decimal"),
        ("+1.50", "decimal", "1.5", "decimal"),
        ("250", "double", "2.5E2", "double"),
        ("0.00025", "float", "2.5E-4", "float"),
        ("1e3", "double", "1.0E3", "double"),
        ("0", "double", "0.0E0", "double"),
        ("Yes", "boolean", "true", "boolean"),
        ("0", "boolean", "false", "boolean"),
        ("90 minutes", "duration", "PT1H30M", "duration"),
        ("PT90M", "duration", "PT1H30M", "duration"),
        ("P0D", "duration", "PT0S", "duration"),
        ("5 pm", "time", "17:00:00", "time"),
        ("2001-05-05T10:00:00+02:00", "dateTime", "2001-05-05T10:00:00+02:00", "dateTime"),
        ("http://a.b/c", "anyURI", "http://a.b/c", "anyURI"),
        ("two\n words", "string", "two words", "string"),
        ("two words", "token", "two words", "string"),
    ],
)
def test_words_as_a_datatype(words: str, datatype: str, value: str, got: str) -> None:
    assert read_literal(words, XSD + datatype) == Literal(value, XSD + got)


@pytest.mark.parametrize(
    ("words", "datatype"),
    [
        ("in 2001", "gYear"),
        ("about 250", "integer"),
        ("250 and 300", "integer"),
        ("250 people", "integer"),
        ("3.5", "integer"),
        ("-1", "nonNegativeInteger"),
        ("300", "unsignedByte"),
        ("2001-02-30", "date"),
        ("30 February 2001", "date"),
        ("2001-13", "gYearMonth"),
        ("5000", "gYear"),
        ("hello", "anyURI"),
        ("maybe", "boolean"),
        ("1e999", "double"),
        ("25:00:00", "time"),
        ("2001-05-05T25:00:00", "dateTime"),
        ("12-24", "gMonthDay"),
        ("P", "duration"),
        ("P1YT", "duration"),
        ("", "string"),
        ("“”", "string"),
        ("250", "nothingKnown"),
    ],
)
def test_words_that_are_none(words: str, datatype: str) -> None:
    assert read_literal(words, XSD + datatype) is None


def test_any_literal_will_do_where_the_ontology_does_not_care() -> None:
    anything = "http://www.w3.org/2000/01/rdf-schema#Literal"
    assert read_literal("250 m", anything) == Literal("250", XSD + "decimal", "m")


def test_the_unit_stays_with_a_wanted_number() -> None:
    assert read_literal("-5 °C", XSD + "decimal") == Literal("-5", XSD + "decimal", "Cel")
    assert read_literal("$5m", XSD + "integer") == Literal("5000000", XSD + "integer", "USD")


SAID = (
    "5 May 2001; May 2001; 4 July; 2001-05-03T10:00:00Z; 5 pm; 44 BC; 90 minutes; 2.5 hours; "
    "3 years; 1,234.5; 1.234; -5; twelve; $3.5 million; 12.5%; https://example.org/; 20 °C; 14:30"
)
WANTED = "integer decimal double float date gYear gYearMonth dateTime duration time anyURI string"


def test_every_form_is_one_of_its_datatype() -> None:
    seen = set()
    for found in find_literals(SAID):
        readings = [*found.readings, *(found.fit_datatype(XSD + name) for name in WANTED.split())]
        for reading in filter(None, readings):
            seen.add(reading.datatype.removeprefix(XSD))
            known = rdflib.Literal(reading.value, datatype=rdflib.URIRef(reading.datatype))
            assert known.ill_typed is not True, reading
    assert seen == {*WANTED.split(), "gMonthDay"}


@settings(max_examples=60, deadline=None)
@given(st.decimals(-(10**9), 10**9, places=4))
def test_numbers_are_read_back(number: Decimal) -> None:
    for datatype in ("decimal", "double"):
        read = read_literal(f"{number}", XSD + datatype)
        assert read is not None
        assert Decimal(read.value) == number
        assert read_literal(read.value, read.datatype) == read


@settings(max_examples=80, deadline=None)
@given(
    st.text(st.sampled_from("0123456789 .,-–$€%kmMay:°Cth/'\""), max_size=40) | st.text(max_size=40)
)
def test_values_are_in_order_and_in_the_text(text: str) -> None:
    last = 0
    for found in find_literals(text):
        assert last <= found.start < found.end <= len(text)
        assert found.words == " ".join(text[found.start : found.end].split())
        assert found.readings
        last = found.end
