"""What the deterministic extractor makes of sentences in three languages."""

import pickle

import pytest

from assay.packs.regulatory.extractor import extract_facts
from assay.ruling.facts.proposals import ProposedFact
from tests.packs.regulatory.passages import facts_of, passage

# language, sentence, the facts as predicate, value, unit
SENTENCES = [
    ("hr", "Stopa poreza na dohodak iznosi 20 %.", [("rate", "20", "%")]),
    ("hr", "PDV se obračunava i plaća po stopi od 25 posto.", [("rate", "25", "%")]),
    (
        "hr",
        "Opća stopa je 25 %, a snižena stopa 13 %.",
        [("rate", "25", "%"), ("reduced_rate", "13", "%")],
    ),
    (
        "hr",
        "Na zakašnjele uplate obračunava se kamata po stopi od 8,15 % godišnje.",
        [("interest_rate", "8.15", "%")],
    ),
    ("hr", "Osobni odbitak iznosi 560,00 eura.", [("allowance", "560", "EUR")]),
    ("hr", "Za izdavanje potvrde plaća se pristojba od 2,65 eura.", [("fee", "2.65", "EUR")]),
    (
        "hr",
        "Prijava se podnosi do 20. u mjesecu za prethodni mjesec.",
        [("filing_deadline", "20", "day_of_month")],
    ),
    (
        "hr",
        "Porez se plaća u roku od petnaest dana od dana dostave rješenja.",
        [("payment_deadline", "15", "days")],
    ),
    (
        "hr",
        "Protiv rješenja može se izjaviti žalba u roku od 30 dana.",
        [("appeal_deadline", "30", "days")],
    ),
    (
        "hr",
        "Povrat se isplaćuje u roku od 60 dana od dana zahtjeva.",
        [("refund_deadline", "60", "days")],
    ),
    (
        "hr",
        "Račune je obveznik dužan čuvati najmanje 11 godina.",
        [("retention_period", "11", "years")],
    ),
    (
        "hr",
        "Izvješće se podnosi do 31. siječnja tekuće godine.",
        [("filing_deadline", "--01-31", "")],
    ),
    (
        "hr",
        "Novčanom kaznom od 500 do 5.000 eura kaznit će se pravna osoba.",
        [("penalty_min", "500", "EUR"), ("penalty_max", "5000", "EUR")],
    ),
    (
        "hr",
        "Novčanom kaznom do 2.000,00 eura kaznit će se fizička osoba.",
        [("penalty_max", "2000", "EUR")],
    ),
    ("hr", "Ovaj Zakon stupa na snagu 1. siječnja 2026.", [("entry_into_force", "2026-01-01", "")]),
    ("en", "The rate of value added tax shall be 23%.", [("rate", "23", "%")]),
    ("en", "A reduced rate of 5 per cent shall apply to books.", [("reduced_rate", "5", "%")]),
    ("en", "Late payments bear interest at 4.5% a year.", [("interest_rate", "4.5", "%")]),
    ("en", "The personal allowance is £12,570.", [("allowance", "12570", "GBP")]),
    ("en", "A fee of $35 must accompany the application.", [("fee", "35", "USD")]),
    (
        "en",
        "The tax shall be paid within 30 days of the assessment.",
        [("payment_deadline", "30", "days")],
    ),
    ("en", "Returns shall be filed by 31 March each year.", [("filing_deadline", "--03-31", "")]),
    ("en", "An appeal may be lodged within two months.", [("appeal_deadline", "2", "months")]),
    ("en", "Records shall be retained for six years.", [("retention_period", "6", "years")]),
    (
        "en",
        "Whoever does so shall be fined not more than $10,000.",
        [("penalty_max", "10000", "USD")],
    ),
    (
        "en",
        "This Regulation shall enter into force on 2 March 2026.",
        [("entry_into_force", "2026-03-02", "")],
    ),
    ("de", "Der Steuersatz beträgt 19 %.", [("rate", "19", "%")]),
    ("de", "Der ermäßigte Satz von 7 % gilt für Bücher.", [("reduced_rate", "7", "%")]),
    ("de", "Die Steuer ermäßigt sich um 50 %.", [("reduction", "50", "%")]),
    ("de", "Der Freibetrag beträgt 801 Euro.", [("allowance", "801", "EUR")]),
    (
        "de",
        "Für die Ausstellung wird eine Gebühr von 25,50 Euro erhoben.",
        [("fee", "25.5", "EUR")],
    ),
    (
        "de",
        "Der Betrag ist innerhalb von 10 Tagen nach der Anmeldung zu zahlen.",
        [("payment_deadline", "10", "days")],
    ),
    (
        "de",
        "Die Erklärung ist bis zum 28. Februar des Folgejahres einzureichen.",
        [("filing_deadline", "--02-28", "")],
    ),
    (
        "de",
        "Gegen den Bescheid kann binnen eines Monats Einspruch eingelegt werden.",
        [("appeal_deadline", "1", "months")],
    ),
    ("de", "Belege sind zehn Jahre lang aufzubewahren.", [("retention_period", "10", "years")]),
    ("de", "Er wird mit Geldbuße bis zu 500,00 Euro belegt.", [("penalty_max", "500", "EUR")]),
    (
        "de",
        "Dieses Gesetz tritt am 1. Januar 2026 in Kraft.",
        [("entry_into_force", "2026-01-01", "")],
    ),
]


def said(facts: list[ProposedFact]) -> list[tuple[str, str, str]]:
    return [
        (fact.predicate, fact.value, fact.unit)
        for fact in facts
        if fact.predicate not in ("refers_to", "form")
    ]


@pytest.mark.parametrize(("language", "sentence", "expected"), SENTENCES)
def test_a_sentence_says_what_it_says(
    language: str, sentence: str, expected: list[tuple[str, str, str]]
) -> None:
    assert said(facts_of(sentence, language)) == expected


@pytest.mark.parametrize(("language", "sentence", "expected"), SENTENCES)
def test_what_it_says_is_sure_enough_for_the_pack(
    language: str, sentence: str, expected: list[tuple[str, str, str]]
) -> None:
    assert all(fact.confidence >= 0.8 for fact in facts_of(sentence, language))


@pytest.mark.parametrize(
    ("language", "sentence", "value"),
    [
        ("hr", "Upisuje se osoba čiji su primici prešli 60.000,00 eura.", "60000"),
        (
            "hr",
            "Paušalni porez plaća obrtnik čiji primitak ne prelazi 60.000 eura.",
            "60000",
        ),
        ("en", "A person whose turnover exceeded EUR 67,500 shall register.", "67500"),
        ("en", "The limit is applied where assets are at least $10 million.", "10000000"),
        ("de", "Das gilt bei Einnahmen unter 18.500 Euro.", "18500"),
        (
            "de",
            "Befreit sind Personen, deren Einnahmen 9.000 Euro im Jahr nicht übersteigen.",
            "9000",
        ),
    ],
)
def test_what_something_is_compared_with_is_a_threshold(
    language: str, sentence: str, value: str
) -> None:
    found = [fact for fact in facts_of(sentence, language) if fact.predicate == "threshold"]
    assert [(fact.value, fact.value_type) for fact in found] == [(value, "threshold")]


def test_employees_are_counted_without_a_unit() -> None:
    (fact,) = facts_of("Das gilt für Betriebe mit mehr als 50 Beschäftigten.", "de")
    assert (fact.predicate, fact.value, fact.unit) == ("threshold", "50", "")


@pytest.mark.parametrize(
    ("language", "sentence", "old", "new", "predicate"),
    [
        (
            "hr",
            "Snižena stopa: riječi »12 %« zamjenjuju se riječima »13 %«.",
            "12",
            "13",
            "reduced_rate",
        ),
        ("hr", "Umjesto „95.500 eura” stoji „95.000 eura” (prag).", "95500", "95000", "threshold"),
        ("en", "In the general rate, “20%” is replaced by “21%”.", "20", "21", "rate"),
        ("en", "The rate is increased from 5% to 6%.", "5", "6", "rate"),
        ("de", "Im Steuersatz wird „16 %“ durch „19 %“ ersetzt.", "16", "19", "rate"),
    ],
)
def test_an_amendment_is_one_fact_with_both_values(
    language: str, sentence: str, old: str, new: str, predicate: str
) -> None:
    (fact,) = [one for one in facts_of(sentence, language) if one.predicate != "refers_to"]
    assert (fact.predicate, fact.value, fact.replaces, fact.amends) == (predicate, new, old, True)


def test_an_amendment_that_does_not_name_what_it_amends_is_not_sure() -> None:
    found = facts_of("U članku 38. stavku 2. riječi »12 %« zamjenjuju se riječima »13 %«.", "hr")
    assert [fact.confidence < 0.8 for fact in found if fact.replaces] == [True]


@pytest.mark.parametrize(
    ("language", "sentence", "values"),
    [
        (
            "hr",
            "Primjenjuje se članak 4. stavak 2. Zakona o PDV-u.",
            ["članak 4. stavak 2. Zakona o PDV-u"],
        ),
        ("hr", "Porez iz stavka 1. ovoga članka ne vraća se.", ["stavka 1. ovoga članka"]),
        (
            "en",
            "Article 5(2) of Regulation (EU) 2016/679 applies.",
            ["Article 5(2) of Regulation (EU) 2016/679"],
        ),
        (
            "en",
            "It is issued under 12 U.S.C. 2801 et seq. by the Bureau.",
            ["12 U.S.C. 2801 et seq."],
        ),
        ("en", "Terms are defined in 12 CFR 1003.2 as amended.", ["12 CFR 1003.2"]),
        (
            "en",
            "Consent under section 45R of the Public Health Act 1984 is needed.",
            ["section 45R of the Public Health Act 1984"],
        ),
        ("de", "Nach § 4 Abs. 2 UStG ist das befreit.", ["§ 4 Abs. 2 UStG"]),
        (
            "de",
            "Es gilt Artikel 5 Absatz 2 der Verordnung (EU) 2016/679.",
            ["Artikel 5 Absatz 2 der Verordnung (EU) 2016/679"],
        ),
    ],
)
def test_references_stand_as_they_are_written(
    language: str, sentence: str, values: list[str]
) -> None:
    found = facts_of(sentence, language)
    assert [fact.value for fact in found if fact.predicate == "refers_to"] == values
    assert {fact.domain for fact in found if fact.predicate == "refers_to"} == {"references"}
    assert not [fact for fact in found if fact.value_type == "count"]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("hr", "Plaćanja poreza oslobođene su ustanove socijalne skrbi."),
        ("en", "Museums shall be exempt from the levy."),
        ("de", "Von der Steuer befreit sind Museen."),
        ("de", "Blindenführhunde sind von der Steuer befreit."),
    ],
)
def test_an_exemption_is_told_in_its_own_words(language: str, sentence: str) -> None:
    (fact,) = facts_of(sentence, language)
    assert (fact.predicate, fact.value) == ("exemption", sentence.removesuffix("."))


def test_an_act_that_is_repealed_is_no_mere_reference() -> None:
    text = "Danom stupanja na snagu prestaje važiti Zakon o pristojbama (»NN«, br. 7/09)."
    (fact,) = facts_of(text, "hr")
    assert (fact.predicate, fact.value) == ("repeal", "Zakon o pristojbama (»NN«, br. 7/09)")


def test_the_extractor_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(extract_facts)) is extract_facts


def test_the_same_document_gives_the_same_facts() -> None:
    text = "Stopa PDV-a iznosi 25 %. Prijava se podnosi u roku od 20 dana."
    assert extract_facts(passage(text, "hr")) == extract_facts(passage(text, "hr"))
