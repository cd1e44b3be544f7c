"""What sums and percentages mean in wordings of many kinds, and where they mean nothing."""

import pytest

from assay.model.content import ContentClass
from tests.packs.regulatory.passages import facts_of

# language, title, sentence, the facts as predicate, value, unit
SAID = [
    (
        "de",
        "Hundesteuersatzung",
        "Die Steuer beträgt für den ersten Hund 84 Euro und für jeden weiteren Hund 120 Euro.",
        [("amount", "84", "EUR"), ("amount", "120", "EUR")],
    ),
    (
        "de",
        None,
        "Gegen die Beteiligten ist ein Ordnungsgeld von zweitausendfünfhundert Euro festzusetzen.",
        [("penalty", "2500", "EUR")],
    ),
    (
        "de",
        None,
        "Die Gebühr beträgt 2 Prozent des Wertes, mindestens jedoch 25 Euro.",
        [("fee", "2", "%"), ("fee", "25", "EUR")],
    ),
    (
        "de",
        None,
        "Übersteigen die Einnahmen insgesamt nicht 45.000 Euro im Jahr, entfällt die Anzeige.",
        [("threshold", "45000", "EUR")],
    ),
    ("en", None, "Seniors pay 40% less.", [("reduction", "40", "%")]),
    (
        "en",
        None,
        "There is hereby imposed a tax of six and one-half percent on retail sales.",
        [("rate", "6.5", "%")],
    ),
    (
        "en",
        None,
        "Contributions are payable on earnings between £6,396 and £50,270.",
        [("threshold", "6396", "GBP"), ("threshold", "50270", "GBP")],
    ),
    (
        "hr",
        None,
        "Za pravnu osobu ne može se propisati kazna manja od 260 eura niti veća od 13.000 eura.",
        [("penalty_min", "260", "EUR"), ("penalty_max", "13000", "EUR")],
    ),
    (
        "hr",
        None,
        "Porez se plaća po stopi 10 % ako su prihodi do 500 eura, ili 18 % ako su veći.",
        [("rate", "10", "%"), ("threshold", "500", "EUR"), ("rate", "18", "%")],
    ),
    (
        "hr",
        None,
        "Na dug se zaračunava zatezna kamata od 0,03 posto.",
        [("interest_rate", "0.03", "%")],
    ),
    ("hr", "Cjenik upravnih pristojbi", "Ovjera potpisa: 4,00 EUR", [("fee", "4", "EUR")]),
]
DENIED = [
    ("en", "The authority shall not charge a fee of EUR 17 for electronic filings."),
    ("hr", "Ne plaća se naknada od 20 eura za preslike."),
    ("de", "Für die Auskunft wird keine Gebühr von 20 Euro erhoben."),
]
TOLD = [
    ("en", "A restaurant owner was fined $3,200 after inspectors found mice in the kitchen."),
    ("en", "Critics say a tax of 70% on top incomes drives people abroad."),
    ("en", "The appellant had been assessed to tax of £48,310."),
    ("de", "Die Opposition fordert einen Spitzensteuersatz von 49 Prozent."),
    ("de", "Das Finanzamt setzte die Steuer auf 9.120 Euro fest."),
    ("hr", "Analitičari očekuju da će kamatna stopa pasti na 2 %."),
    ("hr", "Tijekom godine naplaćeno je 482.000 eura kazni."),
]


@pytest.mark.parametrize(("language", "title", "sentence", "expected"), SAID)
def test_figures_mean_what_the_wording_says(
    language: str, title: str | None, sentence: str, expected: list[tuple[str, str, str]]
) -> None:
    found = [
        (one.predicate, one.value, one.unit) for one in facts_of(sentence, language, title=title)
    ]
    assert [one for one in found if one[0] != "exemption"] == expected


@pytest.mark.parametrize(("language", "sentence"), DENIED)
def test_what_is_denied_is_no_fee(language: str, sentence: str) -> None:
    assert {one.predicate for one in facts_of(sentence, language)} <= {"exemption"}


@pytest.mark.parametrize(("language", "sentence"), TOLD)
def test_what_is_told_is_no_rule(language: str, sentence: str) -> None:
    assert facts_of(sentence, language) == []


def test_a_limit_of_what_the_sentence_before_was_about_is_in_doubt() -> None:
    (fact,) = facts_of("Er darf höchstens 25 000 Euro betragen.", "de")
    assert fact.confidence < 0.8


def test_a_row_whose_unit_stands_at_the_head_is_quoted_with_it() -> None:
    text = (
        "Razred\tPrimici (eura)\tPorez (eura)\n1.\tdo 12.000,00\t216,00\n2.\tdo 21.000,00\t378,00"
    )
    facts = facts_of(text, "hr", content_class=ContentClass.TEXT)
    assert [(one.predicate, one.value) for one in facts] == [
        ("threshold", "12000"),
        ("amount", "216"),
        ("threshold", "21000"),
        ("amount", "378"),
    ]
    assert {one.quote.splitlines()[0] for one in facts} == {"Razred\tPrimici (eura)\tPorez (eura)"}


def test_the_head_of_a_long_table_is_left_out() -> None:
    rows = [f"{row}. stupanj s dugim nazivom\tdo {row}.000,00\t{row},50" for row in range(1, 60)]
    text = "Razred\tPrimici (eura)\tPorez (eura)\n" + "\n".join(rows)
    facts = facts_of(text, "hr", content_class=ContentClass.TEXT)
    assert max(len(one.quote) for one in facts) <= 800
    assert facts[-1].quote == rows[-1]


def test_a_list_under_words_that_free_of_a_burden_is_of_exemptions() -> None:
    text = (
        "Naknadu ne snose:\n1) djeca mlađa od dvije godine;\n2) članovi posade.\n"
        "Račun se podmiruje u roku od 21 dan."
    )
    facts = facts_of(text, "hr", content_class=ContentClass.TEXT)
    freed = [one.value for one in facts if one.predicate == "exemption"]
    assert freed == ["djeca mlađa od dvije godine", "članovi posade"]
