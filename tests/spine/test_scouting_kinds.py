"""What kind of document a text is."""

import pytest

from assay.packs.regulatory.scouting import KINDS, SCOUTING
from assay.reading.words import split_words
from assay.spine.scouting.profile import compile_profile

PROFILE = compile_profile(SCOUTING)

RULES = "Stopa poreza iznosi 25 %. Obveznik podnosi prijavu u roku od 15 dana. "
VISIT = "Gradonačelnik je jučer pozdravio goste i zahvalio zboru na nastupu. Održan je koncert. "


def kind(text: str, title: str | None = None) -> str:
    return PROFILE.choose_kind(title, text, PROFILE.count_signals(split_words(text)))


@pytest.mark.parametrize(
    ("title", "doc_type"),
    [
        ("Zakon o porezu na dobit", "LEGISLATION"),
        ("Zakoni.hr – Zakon o obrtu | Pročišćeni tekst", "LEGISLATION"),
        ("Income Tax Act 2007", "LEGISLATION"),
        ("Umsatzsteuergesetz (UStG)", "LEGISLATION"),
        ("Pravilnik o obrascima", "REGULATION"),
        ("Odluka o komunalnom redu", "REGULATION"),
        ("Regulation (EU) 2024/903", "REGULATION"),
        ("Lohnsteuer-Durchführungsverordnung", "REGULATION"),
        ("Uputa za obveznike", "GUIDELINE"),
        ("Guidance on the Tax Act", "GUIDELINE"),
        ("Merkblatt zur Umsatzsteuer", "GUIDELINE"),
        ("Česta pitanja o Zakonu o radu", "FAQ"),
        ("Häufige Fragen zum Gesetz", "FAQ"),
        ("Obrazac JOPPD", "FORM"),
        ("Antrag auf Erstattung", "FORM"),
        ("Obavijest o izmjeni Zakona", "ANNOUNCEMENT"),
        ("Bekanntmachung über Fristen", "ANNOUNCEMENT"),
        ("Notice of hearing", "ANNOUNCEMENT"),
    ],
)
def test_the_first_word_of_a_title_that_names_a_kind_decides(title: str, doc_type: str) -> None:
    assert kind(RULES, title) == doc_type


@pytest.mark.parametrize(("title", "doc_type"), [("Vijesti", "NEWS"), ("Kontakt", "BOILERPLATE")])
def test_news_and_pages_of_the_site_are_named_by_their_title(title: str, doc_type: str) -> None:
    assert kind(VISIT, title) == doc_type


@pytest.mark.parametrize("title", ["Vijesti", "Kontakt", "Početna"])
def test_a_text_full_of_rules_is_not_thrown_away_for_its_title(title: str) -> None:
    assert KINDS[kind(RULES * 3, title)].weight > KINDS["NEWS"].weight


def test_the_name_of_the_site_behind_a_title_tells_nothing() -> None:
    assert kind(VISIT, "Novi ured | Zakon.hr") == "NEWS"
    assert kind(VISIT, "Novi ured - Law Portal") == "NEWS"


def test_the_beginning_tells_the_kind_where_the_title_does_not() -> None:
    assert kind("ZAKON o porezu na dobit. " + RULES * 3, "Dokument 12") == "LEGISLATION"
    assert kind(RULES * 10 + " Zakon", "Dokument 12") != "LEGISLATION"


def test_a_law_in_name_only_is_what_its_text_is() -> None:
    assert kind(VISIT * 3, "Zakon ljubavi") == "NEWS"
    assert kind("Jabuke ogulite i naribajte, dodajte šećer. " * 4, "Upute") == "BOILERPLATE"


def test_many_numbered_articles_make_a_regulation() -> None:
    text = "".join(f"Članak {n}. Stopa iznosi {n} %, a obveza se plaća. " for n in range(1, 9))
    assert kind(text) == "REGULATION"
    paragraphs = "".join(f"§ {n} Der Satz beträgt {n} Prozent. " for n in range(1, 9))
    assert kind(paragraphs) == "REGULATION"


def test_many_questions_make_a_faq() -> None:
    assert kind("Tko plaća porez? Svaki obveznik. " * 5) == "FAQ"


def test_many_fields_make_a_form() -> None:
    fields = "Ime i prezime OIB Naziv Sjedište Osnovica poreza Iznos obveze Datum Potpis"
    assert kind(fields) == "FORM"


def test_rules_that_nothing_names_are_a_guideline() -> None:
    assert kind(RULES * 3) == "GUIDELINE"


def test_words_about_the_site_make_boilerplate() -> None:
    assert kind("Cookies Privacy Contact Login Search Sitemap Accessibility Copyright " * 3) == (
        "BOILERPLATE"
    )


def test_letters_that_lost_their_accents_are_known_still() -> None:
    plain = RULES.translate(str.maketrans("čćšžđ", "ccszd"))
    assert PROFILE.count_signals(split_words(plain)) == PROFILE.count_signals(split_words(RULES))


def test_the_weights_are_those_of_the_specification() -> None:
    assert {name: kind.weight for name, kind in KINDS.items()} == {
        "LEGISLATION": 0.4,
        "REGULATION": 0.35,
        "GUIDELINE": 0.25,
        "FAQ": 0.2,
        "FORM": 0.15,
        "ANNOUNCEMENT": 0.15,
        "NEWS": 0.1,
        "BOILERPLATE": -0.3,
    }
