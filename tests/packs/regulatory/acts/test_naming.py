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
        (
            "REGULATION (EU) No 596/2014 OF THE EUROPEAN PARLIAMENT on market abuse",
            "Verordnung (EU) Nr. 596/2014",
        ),
        ("Regulation (EU) 2016/679", "Uredbe (EU) 2016/679 Europskog parlamenta i Vijeća"),
        ("Council Directive 2006/112/EC on value added tax", "Richtlinie 2006/112/EG"),
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
        ("Consolidated TEXT: 32014R0596", "Consolidated TEXT: 32014R0910"),
        ("Regulation (EU) 2016/679", "Directive (EU) 2016/679"),
        ("Zakon o provedbi Uredbe (EU) 2016/679", "Uredba (EU) 2016/679"),
    ],
)
def test_different_acts_have_different_keys(one: str, other: str) -> None:
    assert make_act_key(one) != make_act_key(other)


def test_an_amending_title_names_the_amended_act() -> None:
    title = "Zakon o izmjenama i dopunama Zakona o porezu na dobit"
    assert is_amending_title(title)
    assert find_amended_name(title) == "Zakona o porezu na dobit"
    assert find_amended_name("Zakon o porezu na dobit") == ""
    assert find_amended_name(f"{title} – Narodne novine") == "Zakona o porezu na dobit"
    assert find_amended_name("Ispravak Zakona o porezu na dobit") == "Zakona o porezu na dobit"
