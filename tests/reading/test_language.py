"""Which language a text is in, and when nobody should be sure."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.reading.language import SOUTH_SLAVIC, UNKNOWN, identify_language

HR = (
    "Članak 1. Porez na dobit plaća se po stopi od 18 % ako je obveznik koji nije mali. Prijava se "
    "podnosi do 30. travnja za prethodnu godinu, a obveza se podmiruje u roku od petnaest dana. "
    "Tko ne podnese prijavu u tom roku, kaznit će se sukladno odredbama ovoga članka."
)
SR = (
    "Član 1. Porez na dobit plaća se po stopi od 15 % ako je obveznik preduzeće. Poreska prijava "
    "podnosi se do 30. aprila za prethodnu godinu, a obaveza se izmiruje u roku od petnaest dana. "
    "Ko ne podnese prijavu u tom roku, kazniće se shodno odredbama ovog zakona, bez obzira na "
    "vrednost i mesto delatnosti."
)
BS = (
    "Član 1. Porez na dobit plaća se po stopi od 10 % ako je obveznik preduzeće. Prijava se "
    "podnosi do 31. marta za prethodnu godinu, a obaveza se izmiruje u roku od petnaest dana. "
    "Uslovi iz stava 2. vrijede i za lica koja tokom godine promijene sjedište."
)
SL = (
    "Člen 1. Davek od dohodkov pravnih oseb se plačuje po stopnji 22 %, če zavezanec ni majhen. "
    "Obračun se predloži do 31. marca za preteklo leto, obveznost pa se poravna v petnajstih dneh. "
    "Kdor tega ne stori, se kaznuje v skladu z določbami tega zakona, ki velja tudi za tujce."
)
EN = (
    "The tax on profits shall be paid by the taxpayer at the rate that is set in this article. "
    "Returns are filed by the end of April for the year before, and what is due is paid within "
    "fifteen days. Whoever does not file in time is liable to a fine under this section."
)
DE = (
    "Die Steuer auf den Gewinn wird von dem Unternehmer nach dem Satz gemäß Absatz 1 bezahlt. Die "
    "Erklärung ist bis Ende April für das Vorjahr einzureichen, und der Betrag wird innerhalb von "
    "fünfzehn Tagen fällig. Wer sie nicht rechtzeitig abgibt, wird mit einer Geldbuße belegt."
)
FR = (
    "L'impôt sur les bénéfices est payé par le contribuable au taux fixé par le présent article. "
    "La déclaration est déposée avant la fin du mois d'avril pour l'année précédente, et le "
    "montant dû est versé dans les quinze jours. Quiconque ne dépose pas à temps est sanctionné."
)
SR_CYRILLIC = (
    "Члан 1. Порез на добит плаћа се по стопи од 15 % ако је обвезник предузеће. Пореска пријава "
    "подноси се до 30. априла за претходну годину, а обавеза се измирује у року од петнаест дана."
)


@pytest.mark.parametrize(
    ("text", "code"),
    [(HR, "hr"), (EN, "en"), (DE, "de"), (SR, "sr"), (BS, "bs"), (SL, "sl"), (FR, "fr")],
)
def test_long_texts_are_told_apart_for_sure(text: str, code: str) -> None:
    found = identify_language(text)
    assert (found.code, found.sure) == (code, True)
    assert identify_language(text * 30).code == code
    assert identify_language(text.upper()).code == code


def test_serbian_in_cyrillic_is_serbian() -> None:
    assert identify_language(SR_CYRILLIC).code == "sr"


@pytest.mark.parametrize(
    "text",
    [
        "Svatko ima pravo na odmor i razonodu.",
        "Ovo je kratka rečenica o porezu na dobit.",
    ],
)
def test_short_south_slavic_text_is_marked_and_not_guessed(text: str) -> None:
    found = identify_language(text)
    assert (found.code, found.sure) == (SOUTH_SLAVIC, False)


def test_a_short_text_with_several_croatian_words_is_croatian() -> None:
    found = identify_language("Članak 5. Obveznik podnosi prijavu do kraja siječnja.")
    assert (found.code, found.sure) == ("hr", False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "the of and to",  # four words are too few
        "1234 5678 90 11 12 13",
        "x1 z9 q7 k3 v2 b8",
    ],
)
def test_what_no_language_clearly_leads_is_undetermined(text: str) -> None:
    found = identify_language(text)
    assert (found.code, found.sure) == (UNKNOWN, False)


def test_a_text_in_two_languages_is_sure_of_neither() -> None:
    assert not identify_language(f"{EN} " * 4 + f"{FR} " * 4).sure


def test_nobody_is_sure_of_a_short_text() -> None:
    assert not identify_language("Le présent article fixe le taux de l'impôt.").sure


def test_the_cost_does_not_grow_with_the_text() -> None:
    # Three samples are read, wherever the text is longer than they are.
    assert identify_language(EN * 10_000) == identify_language(EN * 10_000)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.text(max_size=400))
def test_any_text_has_a_language_or_none(text: str) -> None:
    found = identify_language(text)
    assert found.code
    assert 0.0 <= found.confidence <= 1.0
