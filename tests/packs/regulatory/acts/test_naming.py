"""Names of acts: the same act in every grammatical case, and different acts apart."""

import pytest

from assay.packs.regulatory.acts.naming import (
    find_amended_name,
    identify_act,
    is_amending_title,
    make_act_key,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Zakon o porezu na dodanu vrijednost",
            "Zakonu o porezu na dodanu vrijednost (»Narodne novine«, br. 73/13.)",
        ),
        ("Pravilnik o paušalnom oporezivanju", "PRAVILNIKA O PAUŠALNOM OPOREZIVANJU"),
        ("Umsatzsteuergesetz (UStG)", "Umsatzsteuergesetzes"),
        (
            "Umsatzsteuergesetz",
            "Umsatzsteuergesetz in der Fassung der Bekanntmachung vom 21. Februar 2005",
        ),
        ("Bürgerliches Gesetzbuch", "Bürgerlichen Gesetzbuchs"),
        ("The Landfill Tax Regulations 1996", "Landfill Tax Regulations 1996 (S.I. 1996/1527)"),
        (
            "REGULATION (EU) No 596/2014 OF THE EUROPEAN PARLIAMENT on market abuse",
            "Verordnung (EU) Nr. 596/2014",
        ),
        ("Regulation (EU) 2016/679", "Uredbe (EU) 2016/679 Europskog parlamenta i Vijeća"),
        ("Council Directive 2006/112/EC on value added tax", "Richtlinie 2006/112/EG"),
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
        ("Umsatzsteuergesetz", "Umsatzsteuerzuständigkeitsverordnung"),
        (
            "The Value Added Tax (Refund of Tax) Order 2020",
            "The Value Added Tax (Finance) Order 2020",
        ),
        ("The Travel (England) (No. 4) Regulations 2020", "The Travel (England) Regulations 2020"),
        ("Consolidated TEXT: 32014R0596", "Consolidated TEXT: 32014R0910"),
        ("Regulation (EU) 2016/679", "Directive (EU) 2016/679"),
        ("Zakon o provedbi Uredbe (EU) 2016/679", "Uredba (EU) 2016/679"),
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
    assert find_amended_name(f"{title} – Narodne novine") == "Zakona o porezu na dobit"
    assert find_amended_name("Ispravak Zakona o porezu na dobit") == "Zakona o porezu na dobit"


@pytest.mark.parametrize(
    ("title", "amended"),
    [
        ("Zakon o izmjeni Zakona o porezu na dobit", "Zakona o porezu na dobit"),
        ("Zakon o dopuni Zakona o porezu na dobit", "Zakona o porezu na dobit"),
        ("Zakon o izmjeni i dopuni Zakona o porezu na dobit", "Zakona o porezu na dobit"),
        ("Novela Zakona o porezu na dobit", "Zakona o porezu na dobit"),
        ("Druga novela Pravilnika o doprinosima", "Pravilnika o doprinosima"),
        ("Gesetz zur Novellierung des Umsatzsteuergesetzes", "Umsatzsteuergesetzes"),
        ("Novela o porezu", ""),
        ("Zakon o novelama i pripovijetkama", ""),
    ],
)
def test_the_names_of_amending_acts(title: str, amended: str) -> None:
    assert find_amended_name(title) == amended
    assert is_amending_title(title) is bool(amended)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Regulation (EU) 2021/2282", "eu/reg/2021/2282"),
        (
            "REGULATION (EU) 2021/2282 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL of 15 "
            "December 2021 on health technology assessment and amending Directive 2011/24/EU",
            "eu/reg/2021/2282",
        ),
        ("Commission Implementing Regulation (EU) 2025/77", "eu/reg/2025/77"),
        ("Council Regulation (EC) No 1234/2007", "eu/reg/2007/1234"),
        ("Uredba Vijeća (EZ) br. 1234/2007", "eu/reg/2007/1234"),
        ("Council Directive 2006/112/EC", "eu/dir/2006/112"),
        ("Richtlinie 2006/112/EG", "eu/dir/2006/112"),
        ("Directive 77/388/EEC", "eu/dir/1977/388"),
        ("Verordnung (EU) Nr. 1286/2013", "eu/reg/2013/1286"),
        ("12 CFR part 1003", "us/cfr/12/1003"),
        ("12 CFR Part 1003", "us/cfr/12/1003"),
    ],
)
def test_numbered_acts_are_known_by_their_numbers(name: str, key: str) -> None:
    assert make_act_key(name) == key


@pytest.mark.parametrize(
    "title",
    [
        "Odluka o provedbi Uredbe (EU) 2021/2282",
        "Verordnung zur Durchführung der Verordnung (EU) 2021/2282",
        "Notice about 12 CFR part 1003",
        "Odluka 12/2024",
    ],
)
def test_an_act_about_a_numbered_one_is_another_act(title: str) -> None:
    assert not make_act_key(title).startswith(("eu/", "us/"))


def test_a_part_of_the_code_names_its_number_in_its_text() -> None:
    text = "PART 1003—HOME MORTGAGE\n§ 1003.1 Scope. Compare 12 CFR part 1026 and 12 CFR 1003.2.\n"
    assert identify_act("Home mortgage", text) == "us/cfr/12/1003"
    assert identify_act("Home mortgage", text + "See 24 CFR 1003.") == "home-mortg"


@pytest.mark.parametrize(
    ("title", "is_amending"),
    [
        ("The Landfill Tax (Amendment) Regulations 2026", True),
        ("The Health Protection (England) (No. 4) (Amendment) (No. 2) Regulations 2020", True),
        (
            "Commission Regulation (EU) 2025/77 of 3 March 2025 amending Regulation (EU) 2021/2",
            True,
        ),
        ("The Landfill Tax Regulations 1996", False),
        ("Regulation (EU) 2021/2282 of the Council on fees", False),
        ("Regulation (EU) 2021/2282 on fees and amending Directive 2011/24/EU", False),
    ],
)
def test_british_and_european_amending_titles(title: str, is_amending: bool) -> None:
    assert is_amending_title(title) == is_amending


def test_an_act_of_the_union_that_only_amends_says_so_in_its_title() -> None:
    own = "Council Implementing Regulation (EU) 2017/2459 of 5 December 2017"
    title = f"{own} amending Implementing Regulation (EU) No 282/2011"
    assert is_amending_title(title)
    assert find_amended_name(title) == "Implementing Regulation (EU) No 282/2011"
    assert not is_amending_title(f"{own} on payments and amending Regulation (EU) No 282/2011")
