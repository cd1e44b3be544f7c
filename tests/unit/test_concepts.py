"""The names of concepts, and which of them may mean the same thing."""

import pytest

from assay.model.concepts import make_concept, parse_concept
from assay.ruling.facts.jurisdictions import find_country


@pytest.mark.parametrize(
    "name",
    [
        "pdv.rate",
        "hr:pdv.rate",
        "hr-split:pdv.rate.books",
        "pdv.rate.books_food",
        "a_b.rate.1_stup",
    ],
)
def test_a_name_is_put_together_again_from_its_parts(name: str) -> None:
    assert str(parse_concept(name)) == name


def test_separators_in_a_subject_do_not_break_the_name() -> None:
    made = make_concept("Act: no. 5", "rate", jurisdiction="hr", kind="books")
    assert parse_concept(str(made)) == made
    assert made.predicate == "rate"


def test_a_question_covers_what_it_leaves_open() -> None:
    asked = parse_concept("pdv.rate")
    assert asked.covers(parse_concept("hr:pdv.rate.books"))
    assert not asked.covers(parse_concept("pdv.reduced_rate"))
    assert not parse_concept("hr:pdv.rate").covers(parse_concept("de:pdv.rate"))
    assert not parse_concept("pdv.rate.books").covers(parse_concept("pdv.rate"))


def test_only_names_of_one_jurisdiction_may_mean_the_same() -> None:
    plain, books = parse_concept("hr:pdv.rate"), parse_concept("hr:pdv.rate.books")
    assert plain.may_be(books)
    assert books.may_be(plain)
    assert not books.may_be(books)
    assert not books.may_be(parse_concept("hr:pdv.rate.hotels"))
    assert not plain.may_be(parse_concept("de:pdv.rate.books"))


@pytest.mark.parametrize(
    ("url", "country"),
    [
        ("https://narodne-novine.nn.hr/a.html", "hr"),
        ("https://www.legislation.gov.uk/ukpga/1994/23", "uk"),
        ("https://www.ecfr.gov/title-12", "us"),
        ("https://eur-lex.europa.eu/legal-content", "eu"),
        ("https://www.gov.me/zakon", "me"),
        ("https://laws.io/a", ""),
        ("https://example.com/zakon.hr", ""),
        ("http://127.0.0.1:8000/a", ""),
        ("file:///a.pdf", ""),
        ("http://hr/a", ""),
    ],
)
def test_the_address_of_a_publisher_tells_the_country(url: str, country: str) -> None:
    assert find_country(url) == country
