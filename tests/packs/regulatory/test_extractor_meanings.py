"""What a figure of an act is about: its predicate, the act's name, and whether it is a fact."""

import pytest

from assay.model.content import ContentClass
from assay.ruling.facts.proposals import ProposedFact
from tests.packs.regulatory.passages import facts_of

FIGURES = ("currency", "percentage", "threshold", "count", "date")
HEADS = {
    "de": "# Mustergesetz (MuG)\n\n## § 5 {}\n\n(1) ",
    "hr": "**ZAKON O VODAMA**\n\n{}\n\nČlanak 5.\n\n\\(1\\) ",
    "en": '---\ntitle: "Water Services Act 2011"\n---\n\n##### 5. **{}**\n\n**5**.— (1) ',
}


def list_meanings(language: str, heading: str, sentence: str) -> list[tuple[str, str]]:
    """The predicates and values of a sentence in a section of an act."""
    text = HEADS[language].format(heading) + sentence + "\n"
    return [(one.predicate, one.value) for one in list_figures(text, language)]


def list_figures(text: str, language: str) -> list[ProposedFact]:
    """The facts of a text in Markdown that have a figure."""
    found = facts_of(text, language, content_class=ContentClass.TEXT)
    return [fact for fact in found if fact.value_type in FIGURES]


@pytest.mark.parametrize(
    ("language", "heading", "sentence", "predicate"),
    [
        (
            "en",
            "Notice",
            "Where the Executive refuses an application, it shall, not later than 10 working days "
            "after the refusal, give the person notice in writing of the decision.",
            "deadline",
        ),
        (
            "hr",
            "Prigovor",
            "Trgovac je dužan odgovoriti na prigovore u roku od 15 dana od dana zaprimanja "
            "prigovora.",
            "deadline",
        ),
        (
            "de",
            "Zulassung",
            "Die Entscheidung über den Antrag auf Zulassung ist innerhalb einer Frist von sieben "
            "Monaten zu treffen.",
            "deadline",
        ),
        ("en", "Appeal", "The complaint must be filed within 60 days.", "appeal_deadline"),
        (
            "hr",
            "Zahtjev",
            "Zahtjev se podnosi u roku od tri godine od dana nastanka prava.",
            "filing_deadline",
        ),
    ],
)
def test_a_deadline_is_named_by_what_must_be_done(
    language: str, heading: str, sentence: str, predicate: str
) -> None:
    assert [name for name, _ in list_meanings(language, heading, sentence)] == [predicate]


@pytest.mark.parametrize(
    ("language", "heading", "sentence", "meanings"),
    [
        (
            "de",
            "Kapital",
            "Bei Vereinen auf Gegenseitigkeit ermäßigt sich der Mindestbetrag der Anforderung um "
            "25 Prozent.",
            [("reduction", "25")],
        ),
        (
            "de",
            "Sätze",
            "Bei langen Klausuren erhöhen sich die Sätze nach Satz 2 um 30 Euro.",
            [("surcharge", "30")],
        ),
        (
            "hr",
            "Naknada",
            "Naknada za predsjednika može se odrediti u iznosu uvećanom za najviše 50%.",
            [("surcharge", "50")],
        ),
        (
            "de",
            "Grenze",
            "Die Jahresarbeitsentgeltgrenze nach § 6 Absatz 6 des Fünften Buches für das Jahr 2017 "
            "beträgt 57 600 Euro.",
            [("threshold", "57600")],
        ),
        ("de", "Gebühren", "Die Gebühr beträgt mindestens 15 Euro.", [("fee", "15")]),
        (
            "de",
            "Vergütung",
            "Auszubildende haben Anspruch auf eine Vergütung von monatlich mindestens 515 Euro.",
            [("amount", "515")],
        ),
        (
            "en",
            "Wages",
            "Every employer shall pay wages of not less than $7.25 an hour.",
            [("amount", "7.25")],
        ),
        (
            "en",
            "Rate of benefit",
            "The weekly rate of jobseeker's allowance shall be €232.00.",
            [("amount", "232")],
        ),
        (
            "en",
            "Fines",
            "The Commission may impose fines not exceeding 6 % of the total turnover.",
            [("penalty_max", "6")],
        ),
        (
            "de",
            "Kilometer",
            "Bei Benutzung eines Kraftfahrzeugs werden 0,42 Euro für jeden gefahrenen Kilometer "
            "ersetzt.",
            [("amount", "0.42")],
        ),
        (
            "de",
            "Dauer",
            "Insolvenzgeld wird für längstens drei Monate geleistet.",
            [("period", "3")],
        ),
        (
            "hr",
            "Osnovica",
            "Najniža osnovica za obračun iznosi 697,75 eura, a najviša 11.017,50 eura.",
            [("base", "697.75"), ("base", "11017.5")],
        ),
        (
            "en",
            "Offences",
            "A person is liable to a fine not exceedingF3[€3,000].",
            [("penalty_max", "3000")],
        ),
    ],
)
def test_a_figure_has_the_meaning_that_its_words_give_it(
    language: str, heading: str, sentence: str, meanings: list[tuple[str, str]]
) -> None:
    assert list_meanings(language, heading, sentence) == meanings


@pytest.mark.parametrize(
    ("language", "heading", "sentence"),
    [
        ("de", "Rundung", "Bruchteile eines Euro werden ab 0,50 Euro nach oben aufgerundet."),
        (
            "de",
            "Angaben",
            "Der Verein macht Angaben zu seiner Tätigkeit in den letzten zwölf Monaten vor der "
            "Antragstellung.",
        ),
        ("en", "Funds", "There is authorized to be appropriated $25,000,000 for the fiscal year."),
        ("hr", "Izvor", "Tekst je na https://example.org/nn-52-2025-%2821.3.2025.%29 objavljen."),
    ],
)
def test_a_figure_that_states_no_rule_is_not_a_fact(
    language: str, heading: str, sentence: str
) -> None:
    assert list_meanings(language, heading, sentence) == []


def test_the_notes_of_a_publisher_are_not_law() -> None:
    text = (
        "# § 7513. Cause and procedure\n\n(a) An employee is entitled to a reply within 30 "
        "days.\n\n"
        "#### **Statutory Notes and Related Subsidiaries**\n\n#### Effective Date\n\n"
        "Section effective 90 days after Oct. 13, 1978, and a fine of $100 was substituted.\n"
    )
    assert [fact.value for fact in list_figures(text, "en")] == ["30"]


def test_acts_that_differ_in_brackets_have_different_names() -> None:
    names = set()
    for title in ("Local Government (Charges) Act 2009", "Local Government (Rates) Act 2009"):
        text = f'---\ntitle: "{title}"\n---\n\n##### 3. **Charge**\n\n**3**.— The charge is €200.\n'
        names |= {fact.subject for fact in list_figures(text, "en")}
    assert names == {"local_government_charges_2009", "local_government_rates_2009"}


def test_an_ordinance_is_about_itself_and_not_about_a_tax_that_it_leaves_out() -> None:
    text = (
        "# Verordnung über die Abgrenzung der Kosten (AbgrV)\n\n## § 2 Begriffe\n\n"
        "Güter sind Sachen, deren Kosten ohne Umsatzsteuer 150 Euro nicht übersteigen.\n"
    )
    assert {fact.subject for fact in list_figures(text, "de")} == {"abgrenzung_kosten_abgrv"}


def test_a_wrapped_line_that_begins_with_a_noun_is_not_a_heading() -> None:
    text = (
        "# Mustergesetz (MuG)\n\n## § 1 Beitragssatz\n\n"
        "Der Beitragssatz für das Jahr 2012 beträgt in der allgemeinen\n"
        "Rentenversicherung 19,6 Prozent und in der knappschaftlichen\n"
        "Rentenversicherung 26,0 Prozent. Er gilt für alle Versicherten, die\n"
        "in einem der Länder wohnen und nicht nach anderen Vorschriften\n"
        "befreit sind, soweit dieses Gesetz nichts anderes bestimmt und\n"
        "keine Ausnahme vorsieht.\n"
    )
    assert [fact.value for fact in list_figures(text, "de")] == ["19.6", "26"]


def test_a_range_in_a_column_of_fees_is_no_bracket() -> None:
    text = (
        "# Kostenverordnung (KoV)\n\n## § 1 Gebühren\n\n"
        "| Nr. | Amtshandlung | Gebühr in Euro |\n| --- | --- | --- |\n"
        "| 1.1 | Erteilung der Erlaubnis | 120 - 700 |\n| 1.2 | Erteilung einer Kopie | 40 - 160 "
        "|\n"
    )
    assert {fact.predicate for fact in list_figures(text, "de")} == {"fee"}


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        # A time in a condition is not a deadline, unless somebody missed it.
        (
            "en",
            "If a resolution annulling the order is passed by either House within the next 21 days"
            " on which that House has sat, the order shall be annulled.",
            [("period", "21")],
        ),
        (
            "en",
            "If a resolution is not passed within 21 days, the order shall be annulled.",
            [("deadline", "21")],
        ),
        (
            "de",
            "Wer sich innerhalb von zwei Jahren anmeldet, ist von der Prüfung zu befreien.",
            [("period", "2")],
        ),
        (
            "hr",
            "Dostava se ne može izvršiti prije isteka roka od 24 sata od prvog pokušaja.",
            [("period", "24")],
        ),
        (
            "de",
            "Vorzulegen ist ein Zeugnis, das nicht früher als drei Monate vor der Vorlage"
            " ausgestellt sein darf.",
            [("period", "3")],
        ),
        (
            "de",
            "Bestände dürfen noch drei Jahre nach Inkrafttreten weiter in den Verkehr gebracht"
            " werden.",
            [("period", "3")],
        ),
        ("de", "Der Betrieb ist mindestens bis zum 31. Dezember 1990 zu gewährleisten.", []),
        (
            "en",
            "The allocation shall not exceed 10 percent of the total allocated in any one year.",
            [("threshold", "10")],
        ),
        (
            "hr",
            "Inspektor nadzire meso životinja starosti do 12 mjeseci.",
            [("threshold", "12")],
        ),
        # Figures without a word say nothing.
        ("hr", "13 4 (30,8 %)", []),
        # Maxima and majorities are limits.
        (
            "en",
            "The amount of a grant shall be half of the costs but subject to a maximum amount of"
            " €1,000.",
            [("threshold", "1000")],
        ),
        (
            "en",
            "The principal amount of loans guaranteed under this section shall not exceed, in the"
            " aggregate, €18,000,000.",
            [("threshold", "18000000")],
        ),
        (
            "en",
            "The Fund may, by a seventy percent majority of the total voting power, terminate the"
            " suspension at any time.",
            [("threshold", "70")],
        ),
        (
            "de",
            "Der Satz der Mindestpunktzahl ist erreicht, wenn 60 Prozent der erreichbaren Punkte"
            " erzielt sind.",
            [("threshold", "60")],
        ),
        (
            "en",
            "In the case of a violation of section 9 by an importer, up to €500,000 per violation.",
            [("penalty_max", "500000")],
        ),
        # What is only reported or demanded is neither paid back nor handed in.
        (
            "de",
            "Dem Ministerium ist innerhalb von sechs Monaten Bericht zu erstatten.",
            [("deadline", "6")],
        ),
        (
            "hr",
            "Ministarstvo može zatražiti dostavu dodatnih podataka u roku od 90 dana.",
            [("deadline", "90")],
        ),
    ],
)
def test_times_of_a_case_and_limits_are_neither_deadlines_nor_rates(
    language: str, sentence: str, expected: list[tuple[str, str]]
) -> None:
    assert list_meanings(language, "Note", sentence) == expected


def test_a_point_of_a_case_sets_no_deadline() -> None:
    text = HEADS["en"].format("Disposals") + (
        "Where a company acquires an asset which is used for its business, and following that"
        " acquisition—\n\n(a) the asset is developed, and\n\n(b) the asset is disposed of within"
        " the period of three years beginning with the completion of the development,\n\nthen the"
        " profits shall be chargeable.\n"
    )
    assert [fact.predicate for fact in list_figures(text, "en")] == ["period"]


def test_heads_that_reach_over_two_rows_do_not_move_the_others() -> None:
    text = (
        "# Finance Act 2023\n\n##### 52. Rates of mineral oil tax\n\n**52.** The rates are:\n\n"
        "| With effect as on and from: | Light Oil: Rates per 1,000 litres |  | Heavy Oil: Rates "
        "per 1,000 litres |  | Vehicle gas: Rate per megawatt hour |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| Petrol | Aviation gasoline | Fuel oil | Other heavy oil |  |  |\n"
        "| 10 March 2022 | €474.11 | €474.12 | €413.51 | €413.52 | €9.36 |\n"
        "| 1 April 2022 | €465.98 | €465.99 | €405.38 | €405.39 | €9.37 |\n"
    )
    found = {fact.value: fact for fact in list_figures(text, "en")}
    assert found["413.51"].qualifiers[-1] == "Heavy Oil: Rates per 1,000 litres Fuel oil"
    assert found["9.36"].qualifiers[-1] == "Vehicle gas: Rate per megawatt hour"
    days = [(found[one].effective_from, found[one].effective_until) for one in ("9.36", "9.37")]
    assert days == [("2022-03-10", "2022-04-01"), ("2022-04-01", None)]
