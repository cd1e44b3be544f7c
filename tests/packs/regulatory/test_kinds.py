"""What tells concepts apart: the town that decided, and the kind of thing a figure is about."""

import pytest

from assay.packs.regulatory.extractor.bodies import find_body
from assay.packs.regulatory.extractor.kinds import make_kind
from assay.ruling.facts.proposals import ProposedFact
from tests.packs.regulatory.passages import facts_of


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Odluka o porezima Grada Splita", "split"),
        ("Satzung der Gemeinde Musterdorf über die Hundesteuer", "musterdorf"),
        ("City of Chicago Municipal Code", "chicag"),
        ("Westmorland County Council Byelaws", "westmorland"),
        ("Decision 12 on the tourist tax of Town12", "town12"),
        ("The tourist tax in Borough 17", "borough_17"),
        ("Act of Parliament", ""),
        ("Regulation (EU) 2024/903 of the European Parliament and of the Council", ""),
        ("Zakon o porezu na dodanu vrijednost", ""),
    ],
)
def test_a_title_names_the_town_that_decided(title: str, body: str) -> None:
    assert find_body(title)[0] == body


def test_a_heading_may_name_the_town_but_a_sentence_names_any() -> None:
    title = "Odluka o turističkoj pristojbi"
    assert find_body(title, ["GRAD SPLIT", "Gradsko vijeće"])[0] == "split"
    sentence = "Grad Zagreb ima poseban položaj, koji se uređuje posebnim zakonom o tom gradu."
    assert find_body(title, [sentence])[0] == ""


def rates(text: str, language: str, title: str) -> dict[str, ProposedFact]:
    found = facts_of(text, language, title=title)
    return {fact.value: fact for fact in found if fact.predicate in ("rate", "reduced_rate")}


def test_three_rates_in_three_paragraphs_are_three_concepts() -> None:
    found = rates(
        "Article 2\n(1) The rate of the contribution to pension insurance is 15 %.\n"
        "(2) The rate of the contribution to health insurance is 16.5 %.\n"
        "(3) The rate of the contribution for occupational injuries is 0.5 %.",
        "en",
        "Social Contributions Act",
    )
    assert len(found) == 3
    assert len({fact.concept for fact in found.values()}) == 3
    assert len({fact.topic for fact in found.values()}) == 1


def test_two_towns_have_two_concepts_of_one_topic() -> None:
    text = "Article 1\nThe tourist tax is charged at the rate of {} % of the price."
    one, other = (
        rates(text.format(value), "en", f"Decision on the tourist tax of {town}")[value]
        for value, town in (("5", "Oldport"), ("7", "Newport"))
    )
    assert (one.topic, one.jurisdiction) == (other.topic, "oldport")
    assert one.concept != other.concept


def test_words_that_any_act_uses_make_no_kind() -> None:
    assert make_kind(["PDV se obračunava i plaća po općoj stopi"], "hr") == ""
    assert make_kind(["the standard rate of value added tax"], "en") == ""
    assert make_kind(["usluge smještaja s doručkom"], "hr") == make_kind(
        ["s doručkom", "usluga smještaja"], "hr"
    )


def test_classes_are_told_apart_by_their_numbers() -> None:
    first, second = make_kind(["prvi stup"], "hr"), make_kind(["drugi stup"], "hr")
    assert first != second
    assert make_kind(["I. stup"], "hr") != make_kind(["II. stup"], "hr")
    assert make_kind(["Steuerklasse", "Klasse 2"], "de") != make_kind(["Klasse 3"], "de")


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("hr", "Stopa za čaj", "Stopa za sok"),
        ("hr", "Najniža osnovica za obračun", "Najviša osnovica za obračun"),
        ("hr", "Stopa za čaj", "Stopa"),
        ("en", "application fee", "late fee"),
        ("en", "minimum monthly base", "maximum monthly base"),
        ("de", "Mindestsatz", "Höchstsatz"),
        ("de", "Tee", "Öl und Bus"),
    ],
)
def test_short_and_common_words_may_name_a_kind(language: str, one: str, other: str) -> None:
    assert make_kind([one], language) != make_kind([other], language)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("hr", "najviše 30 dana od tog dana"),
        ("en", "not later than the day it was set"),
        ("en", "the applicant is late"),
        ("de", "Der Satz für die"),
    ],
)
def test_short_words_of_any_sentence_make_no_kind(language: str, words: str) -> None:
    assert make_kind([words], language) == ""
