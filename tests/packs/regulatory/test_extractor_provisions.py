"""Figures of real acts that no cue names, what they are about, and what is not a fact at all."""

import pytest

from assay.model.content import ContentClass
from assay.packs.regulatory.extractor.reader import load_facts_with_extractor
from assay.ruling.facts.extraction import extract_facts
from tests.packs.regulatory.passages import facts_of, passage

FIGURES = ("currency", "percentage", "threshold", "count", "date")


def list_figures(text: str, language: str, **known: object) -> list[str]:
    """The predicates and values of the facts of a text that have a figure."""
    return [
        f"{fact.predicate} {fact.value} {fact.unit}".strip()
        for fact in facts_of(text, language, content_class=ContentClass.TEXT, **known)
        if fact.value_type in FIGURES
    ]


def list_provision(sentence: str, language: str) -> list[str]:
    """The same, of a sentence in a section of an act."""
    heads = {"de": "### § 7 Regelungen", "hr": "Članak 7.", "en": "##### 7. **Regulation.**"}
    return list_figures(f"{heads[language]}\n\n(1) {sentence}\n", language)


@pytest.mark.parametrize(
    ("language", "sentence", "found"),
    [
        ("de", "Der Anspruch auf Kurzzeitpflege ist auf acht Wochen beschränkt.", "period 8 weeks"),
        (
            "de",
            "Die Arbeitszeit darf 48 Stunden wöchentlich nicht überschreiten.",
            "period 48 hours",
        ),
        ("de", "Pauschal sind 30 Prozent der Einnahmen abzusetzen.", "rate 30 %"),
        ("de", "Ein Anteil von 14 Prozent des Entgelts ist anzusetzen.", "base 14 %"),
        ("hr", "Puno radno vrijeme ne može biti duže od četrdeset sati tjedno.", "period 40 hours"),
        ("hr", "Naknada plaće ne može biti niža od 70% osnovice.", "rate 70 %"),
        ("en", "A member shall not hold more than 25 % of the resources.", "threshold 25 %"),
        ("en", "The suspension shall not exceed 20 working days.", "period 20 working_days"),
        ("en", "The sum for each applicant shall then stand at £2,500.", "amount 2500 GBP"),
    ],
)
def test_a_figure_of_a_provision_means_something_by_default(
    language: str, sentence: str, found: str
) -> None:
    assert list_provision(sentence, language) == [found]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Kinder unter sechs Jahren sind nicht anzuhören."),
        ("de", "Das gilt für mehr als drei Monate alte Hunde."),
        ("de", "Die Umlage gilt nicht für Zeiten nach dem 31\\."),
        ("de", "Einkünfte der letzten zwölf Monate sind anzugeben."),
        ("hr", "Osoba koja je navršila 16 godina smije voditi zaprežno vozilo."),
        ("hr", "Trajanje oglasa u vremenu između 6 i 18 sati određuje Vijeće."),
        ("en", "He is liable to imprisonment for a term not exceeding 6 months."),
        ("en", "There are authorized to be appropriated $5,500,000 for each fiscal year."),
        ("en", "Within those 60 working days, authorities may ask for more."),
        ("en", "The increase shall be rounded to the next lowest multiple of $10."),
    ],
)
def test_ages_punishments_budgets_and_what_is_named_again_are_not_facts(
    language: str, sentence: str
) -> None:
    assert list_provision(sentence, language) == []


def test_a_figure_outside_provisions_has_no_default_meaning() -> None:
    assert list_figures("Der Anspruch ist auf acht Wochen beschränkt.", "de") == []


def test_an_offence_does_not_repeat_the_deadline_that_it_punishes() -> None:
    text = (
        "Članak 55.\n\n"
        "(1) Novčanom kaznom od 660,00 eura kaznit će se za prekršaj pravna osoba:\n\n"
        "1. ako ne dostavi podatke u roku od dva dana.\n"
    )
    assert list_figures(text, "hr") == ["penalty 660 EUR"]


@pytest.mark.parametrize(
    ("language", "sentence", "found"),
    [
        ("de", "Der Verzugszinssatz beträgt fünf Prozentpunkte über dem Basiszinssatz.",
         ["interest_rate 5 %"]),
        ("de", "Die Messzahl wird um 25 Prozent ermäßigt.", ["reduction 25 %"]),
        ("de", "Die Steuer wird in Höhe von 25 Prozent erlassen.", ["reduction 25 %"]),
        ("de", "Die Geldbuße kann bis zu einer Million Euro betragen.",
         ["penalty_max 1000000 EUR"]),
        ("en", "The rate of tax is zero per cent of the amount.", ["rate 0 %"]),
        ("en", "The fine is $25,000 ($100,000 in the case of a corporation).",
         ["penalty 25000 USD", "penalty 100000 USD"]),
    ],
)  # fmt: skip
def test_margins_reductions_and_figures_in_words_are_read(
    language: str, sentence: str, found: list[str]
) -> None:
    assert list_provision(sentence, language) == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("in subsection (3), by the substitution of “€22,920” for “€21,295”,", "22920"),
        ("by substituting “€1,600” for “€1,500”.", "1600"),
        ("“$400” for “$200”, and", "400"),
        ("for “£80” substitute “ £82 ”, and", "82"),
    ],
)
def test_a_substitution_states_the_new_value(sentence: str, found: str) -> None:
    heading = "##### 3. **Amendment of section 15 of Principal Act (rate of charge)**"
    text = f"{heading}\n\n(a) {sentence}\n"
    assert [
        fact.value for fact in facts_of(text, "en", title="Finance Act 2022") if fact.replaces
    ] == [found]


@pytest.mark.parametrize(
    ("language", "title", "subject"),
    [
        ("de", "Erbschaftsteuer- und Schenkungsteuergesetz (ErbStG 1974)",
         "erbschaftsteuer_schenkungsteuer"),
        ("de", "Gesetz über Teilzeitarbeit und befristete Arbeitsverträge (TzBfG)",
         "teilzeitarbeit_befristete_arbeitsvertrage_tzbfg"),
        ("en", "Minimum Notice and Terms of Employment Act, 1973",
         "minimum_notice_terms_employment_1973"),
        ("en", "§ 6656. Failure to make deposit of taxes", "failure_make_deposit_taxes"),
        ("en", "REGULATION (EU) 2023/1114 on markets in crypto-assets",
         "markets_crypto_assets_regulation_eu_2023_no_1114"),
    ],
)  # fmt: skip
def test_an_act_is_named_as_it_is_cited(language: str, title: str, subject: str) -> None:
    heads = {"de": "### § 7 Dauer", "en": "##### 7. **Duration.**"}
    rate = {"de": "Zu 30 %.", "en": "At 30 %."}
    text = f"{heads[language]}\n\n(1) {rate[language]}\n"
    found = facts_of(text, language, title=title)
    assert {fact.subject for fact in found} == {subject}


def test_a_section_that_only_says_tax_is_named_after_what_is_taxed() -> None:
    text = (
        "# § 4611. Imposition of tax\n\n"
        "(a) General rule There is hereby imposed a tax on crude oil.\n\n"
        "(b) Rate The rate of such tax shall be 9 percent.\n"
    )
    found = facts_of(text, "en", title="§ 4611. Imposition of tax", content_class=ContentClass.TEXT)
    assert {fact.subject for fact in found if fact.predicate == "rate"} == {"tax_crude_oil"}


def test_a_section_of_a_finance_act_is_about_its_heading() -> None:
    text = (
        "Finance Act 2020\nRates of air passenger duty\n"
        "90 1 The rate for each flight is £80.\n"
        "Annual allowance: tapered reduction\n22 1 The sum for the year is £4,000.\n"
    )
    found = facts_of(text, "en", title="Finance Act 2020", content_class=ContentClass.XML)
    assert [fact.subject for fact in found] == [
        "air_passenger_duty",
        "annual_allowance_tapered_reduction_finance_2020",
    ]


def test_a_number_keeps_its_unit_across_an_indented_line_break() -> None:
    item = "1.  bei der Hagelversicherung 0,3\n    Promille;\n"
    text = f"### § 6 Steuersatz\n\nDie Steuer beträgt\n\n{item}"
    made = passage(text, "de", content_class=ContentClass.TEXT)
    found = extract_facts(made, load_facts_with_extractor())
    assert [one.proposed.value + one.proposed.unit for one in found.accepted] == ["0.3‰"]


def test_a_table_written_as_a_list_names_the_unit_of_its_cells() -> None:
    text = (
        "### § 19 Steuersätze\n\nDie Steuer wird erhoben:\n\n"
        "*    *   Wert bis … Euro\n\n    *   Prozentsatz in der Steuerklasse\n\n\n"
        "*    *   I\n\n    *   II\n\n\n*    *   75 000\n\n    *   7\n\n    *   15\n\n\n"
    )
    made = passage(text, "de", content_class=ContentClass.TEXT)
    found = extract_facts(made, load_facts_with_extractor())
    assert [f"{one.proposed.value} {one.proposed.unit}" for one in found.accepted] == [
        "75000 EUR", "7 %", "15 %"
    ]  # fmt: skip
