"""Concepts are found by name, label, alias and words, in every language of their pack."""

import pytest

from assay.app.installed_packs import load_pack
from assay.app.pack_entries import list_pack_names
from assay.errors import InvalidInput, NotFound
from assay.ruling.concept_search import ConceptSearch

NAMES = {
    "pdv.rate": ("value added tax: rate", "PDV: stopa", "VAT: rate"),
    "pdv.threshold": ("value added tax: threshold", "PDV: prag"),
    "porez_dohodak.rate": ("income tax: rate", "porez na dohodak: stopa"),
}
CONCEPTS = (
    "hr:pdv.rate",
    "at:pdv.rate",
    "hr:pdv.reduced_rate.smjest_uslug",
    "hr:pdv.threshold",
    "hr:porez_dohodak.rate",
    "hr:porez_dobit.rate",
)


def regulatory(*concepts: str) -> ConceptSearch:
    """A search among concepts of the pack that names them in three languages."""
    assert "regulatory" in list_pack_names()
    return ConceptSearch(dict.fromkeys(concepts or CONCEPTS, ()), load_pack("regulatory").facts)


@pytest.mark.parametrize(
    "name", ["pdv.rate", "PDV.Rate", "pdv: stopa", "VAT:  rate", "stopa PDV", "rate of the VAT"]
)
def test_a_concept_is_known_by_all_its_labels(name: str) -> None:
    assert ConceptSearch(NAMES).find(name) == "pdv.rate"


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("VAT threshold", "hr:pdv.threshold"),
        ("vat.threshold", "hr:pdv.threshold"),
        ("value_added_tax.threshold", "hr:pdv.threshold"),
        ("prag PDV-a", "hr:pdv.threshold"),
        ("Schwelle der Umsatzsteuer", "hr:pdv.threshold"),
        ("VAT reduced rate", "hr:pdv.reduced_rate.smjest_uslug"),
        ("vat.reduced_rate", "hr:pdv.reduced_rate.smjest_uslug"),
        ("income tax rate", "hr:porez_dohodak.rate"),
        ("corporate income tax rate", "hr:porez_dobit.rate"),
        ("hr:vat.rate", "hr:pdv.rate"),
        ("AT: VAT rate", "at:pdv.rate"),
        ("VAT rate", "pdv.rate"),
        ("vat.rate", "pdv.rate"),
        ("pdv.rate", "pdv.rate"),
    ],
)
def test_words_in_any_language_of_the_pack_find_the_single_match(name: str, concept: str) -> None:
    assert regulatory().find(name) == concept


def test_several_matches_are_listed_for_choice() -> None:
    with pytest.raises(InvalidInput) as told:
        ConceptSearch({"a.rate": ["rate"], "b.rate": ["Rate"]}).find("rate")
    assert told.value.what == "'rate' may mean a.rate (rate) or b.rate (Rate)."
    names = regulatory().select("VAT rate")
    assert list(names) == ["at:pdv.rate", "hr:pdv.rate"]


def test_an_unknown_concept_gets_the_closest_names() -> None:
    with pytest.raises(NotFound) as told:
        ConceptSearch(NAMES).find("porez na dohodk: stopa")
    assert "porez_dohodak.rate" in told.value.advice
    with pytest.raises(NotFound) as told:
        regulatory().find("VAT")
    offered = told.value.advice.partition("?")[0].removeprefix("Did you mean ").split(" or ")
    assert sorted(offered) == [
        "pdv.rate (value added tax: rate)",
        "pdv.reduced_rate (value added tax: reduced rate)",
        "pdv.threshold (value added tax: threshold)",
    ]


def test_the_most_similar_words_are_suggested_first() -> None:
    with pytest.raises(NotFound) as told:
        regulatory().find("VAT treshold")
    assert told.value.advice.startswith("Did you mean pdv.threshold (value added tax: threshold)")


def test_an_alias_goes_before_everything_else() -> None:
    search = ConceptSearch(NAMES, aliases={"our rate": "pdv.rate", "pdv.threshold": "vat: RATE"})
    assert search.find("Our Rate") == "pdv.rate"
    assert search.find("pdv.threshold") == "pdv.rate"
    with pytest.raises(NotFound, match="nothing"):
        ConceptSearch(NAMES, aliases={"our rate": "nothing.like"}).find("nothing.like")
