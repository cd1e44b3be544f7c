"""Names of acts: the same act in every grammatical case, and different acts apart."""

import pytest

from assay.packs.regulatory.acts.naming import find_amended_name, is_amending_title, make_act_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Zakon o porezu na dodanu vrijednost",
            "Zakonu o porezu na dodanu vrijednost (»Narodne novine«, br. 73/13.)",
        ),
        ("Pravilnik o paušalnom oporezivanju", "PRAVILNIKA O PAUŠALNOM OPOREZIVANJU"),
        ("Umsatzsteuergesetz", "Umsatzsteuergesetzes"),
        ("Council Directive 2006/112/EC of 28 November 2006 on VAT", "Directive 2006/112/EC"),
        (
            "COUNCIL IMPLEMENTING REGULATION (EU) No 282/2011 of 15 March 2011",
            "Implementing Regulation (EU) No 282/2011",
        ),
    ],
)
def test_an_act_has_one_key_in_every_case(one: str, other: str) -> None:
    assert make_act_key(one) == make_act_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zakon o porezu na dohodak", "Zakon o porezu na dobit"),
        ("Umsatzsteuergesetz", "Umsatzsteuer-Durchführungsverordnung"),
        ("Value Added Tax Act 1994", "Value Added Tax Act 1983"),
        ("Regulation (EU) 2016/679", "Directive (EU) 2016/680"),
    ],
)
def test_different_acts_have_different_keys(one: str, other: str) -> None:
    assert make_act_key(one) != make_act_key(other)


def test_an_amending_title_names_the_amended_act() -> None:
    title = "Zakon o izmjenama i dopunama Zakona o porezu na dobit"
    assert is_amending_title(title)
    assert find_amended_name(title) == "Zakona o porezu na dobit"
    assert find_amended_name("Zakon o porezu na dobit") == ""


def test_an_act_of_the_union_that_only_amends_says_so_in_its_title() -> None:
    own = "Council Implementing Regulation (EU) 2017/2459 of 5 December 2017"
    title = f"{own} amending Implementing Regulation (EU) No 282/2011"
    assert is_amending_title(title)
    assert find_amended_name(title) == "Implementing Regulation (EU) No 282/2011"
    assert not is_amending_title(f"{own} on payments and amending Regulation (EU) No 282/2011")
