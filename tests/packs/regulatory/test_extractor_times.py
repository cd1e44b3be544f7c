"""What times, dates, references and repeals say, in wordings of many kinds."""

import pytest

from tests.packs.regulatory.passages import facts_of

# language, sentence, the facts as predicate, value, unit
TIMES = [
    (
        "hr",
        "Obveznik je dužan podnijeti prijavu najkasnije četiri mjeseca nakon isteka godine.",
        [("filing_deadline", "4", "months")],
    ),
    ("hr", "Na odluku se može prigovoriti u osam dana.", [("appeal_deadline", "8", "days")]),
    (
        "hr",
        "Porez se plaća u dva obroka: 31. ožujka i 30. rujna.",
        [("payment_deadline", "--03-31", ""), ("payment_deadline", "--09-30", "")],
    ),
    (
        "hr",
        "Razlika se vraća u roku od 30 dana, odnosno 90 dana ako je pokrenut nadzor.",
        [("refund_deadline", "30", "days"), ("refund_deadline", "90", "days")],
    ),
    (
        "hr",
        "Gosta ste dužni prijaviti u roku od 24 sata.",
        [("registration_deadline", "24", "hours")],
    ),
    ("hr", "Popis gostiju zadržite dvije godine.", [("retention_period", "2", "years")]),
    ("hr", "Dozvola se izdaje na rok do godine dana.", [("period", "1", "years")]),
    (
        "hr",
        "Odluka stupa na snagu dan nakon objave, a primjenjuje se od 1. svibnja 2026.",
        [("entry_into_force", "1", "days"), ("entry_into_force", "2026-05-01", "")],
    ),
    ("en", "Pay within a month of the notice.", [("payment_deadline", "1", "months")]),
    (
        "en",
        "A notice of objection must be served on or before the day that is 90 days after sending.",
        [("appeal_deadline", "90", "days")],
    ),
    (
        "en",
        "The return must be sent and the tax paid within 14 days of completion.",
        [("filing_deadline", "14", "days"), ("payment_deadline", "14", "days")],
    ),
    ("en", "The annual return is due by 28 February.", [("filing_deadline", "--02-28", "")]),
    (
        "en",
        "This Order comes into force on the twenty-first day after it is laid.",
        [("entry_into_force", "21", "days")],
    ),
    (
        "en",
        "These Regulations cease to have effect at the end of 31 December 2026.",
        [("repeal", "2026-12-31", "")],
    ),
    ("en", "Article 3 is applicable from 15 March 2027.", [("entry_into_force", "2027-03-15", "")]),
    ("de", "Innert 60 Tagen ist die Steuer zu begleichen.", [("payment_deadline", "60", "days")]),
    (
        "de",
        "Die Vorauszahlungen sind am 10. März und 10. Juni zu entrichten.",
        [("payment_deadline", "--03-10", ""), ("payment_deadline", "--06-10", "")],
    ),
    (
        "de",
        "Der Betrieb führt den Beitrag bis zum 15. des Folgemonats an die Gemeinde ab.",
        [("payment_deadline", "15", "day_of_month")],
    ),
    (
        "de",
        "Gegen den Bescheid kann binnen Monatsfrist Widerspruch erhoben werden.",
        [("appeal_deadline", "1", "months")],
    ),
    ("de", "Die Verjährungsfrist beträgt vier Jahre.", [("period", "4", "years")]),
    ("de", "Belege müssen sieben Jahre aufgehoben werden.", [("retention_period", "7", "years")]),
    (
        "de",
        "Diese Verordnung tritt am 1. April 2026 in Kraft und am 31. März 2028 außer Kraft.",
        [("entry_into_force", "2026-04-01", ""), ("repeal", "2028-03-31", "")],
    ),
]
NO_TIMES = [
    ("hr", "Ne postoji rok od 30 dana za odgovor."),
    ("hr", "Računi izdani prije 1. siječnja 2023. iskazani su u kunama."),
    ("hr", "Osoba koja ovdje boravi dulje od 183 dana smatra se rezidentom."),
    ("hr", "Plaća se do posljednjeg dana u mjesecu."),
    ("en", "The index does not report a change on June 1."),
    ("en", "A grant applied for before 1 May 2027 keeps its conditions."),
    ("en", "The articles have been stored for the five year period prior to importation."),
    ("de", "Sondernutzungen sechs Wochen vor einer Wahl sind erlaubt."),
    ("de", "Wer länger als sechs Monate im Inland wohnt, ist steuerpflichtig."),
]
REPEALS = [
    ("hr", "Članak 15. stavak 3. briše se.", "Članak 15. stavak 3."),
    ("hr", "Prestaje važiti Odluka o članarini od 14. lipnja 2017.", "Odluka o članarini"),
    ("en", "Section 12 of the Finance Act 2019 is repealed.", "Section 12 of the Finance Act 2019"),
    ("en", "The Bye-laws of 1951 are hereby annulled.", "Bye-laws of 1951"),
    ("de", "Die Verordnung vom 12. Mai 2010 wird aufgehoben.", "Verordnung vom 12. Mai 2010"),
    ("de", "§ 7 entfällt.", "§ 7"),
]
REFERENCES = [
    ("hr", "Isporuke iz članka 39. stavka 1. točaka b) i c) oslobođene su.", 1),
    ("en", "An offence under regulation 3 is punishable.", 1),
    ("en", "Goods within Schedule 7A bear the tax.", 1),
    ("de", "Satz 1 ist nicht anzuwenden.", 1),
    ("de", "Die in der Anlage 2 bezeichneten Gegenstände sind begünstigt.", 1),
    ("hr", "Članak 58. mijenja se i glasi:", 0),
    ("en", "Article 5 ................ 12", 0),
    ("en", "These Rules may be cited as the Stamp Duty Regulations 2027.", 0),
    ("de", "„§ 8 Gebührenfrei sind Stände der Vereine.“", 0),
]


@pytest.mark.parametrize(("language", "sentence", "expected"), TIMES)
def test_a_time_says_what_is_due_or_how_long_it_lasts(
    language: str, sentence: str, expected: list[tuple[str, str, str]]
) -> None:
    found = [fact for fact in facts_of(sentence, language) if fact.value_type in ("count", "date")]
    assert sorted((fact.predicate, fact.value, fact.unit) for fact in found) == sorted(expected)
    assert all(fact.confidence >= 0.8 for fact in found)


@pytest.mark.parametrize(("language", "sentence"), NO_TIMES)
def test_a_time_that_binds_nobody_is_no_fact(language: str, sentence: str) -> None:
    found = facts_of(sentence, language)
    assert [fact for fact in found if fact.value_type in ("count", "date")] == []


@pytest.mark.parametrize(("language", "sentence", "value"), REPEALS)
def test_what_is_repealed_is_no_reference(language: str, sentence: str, value: str) -> None:
    found = [fact for fact in facts_of(sentence, language) if fact.value_type == "cross_reference"]
    assert [fact.predicate for fact in found] == ["repeal"]
    assert found[0].value.startswith(value)


@pytest.mark.parametrize(("language", "sentence", "count"), REFERENCES)
def test_only_what_refers_to_something_is_a_reference(
    language: str, sentence: str, count: int
) -> None:
    found = [fact for fact in facts_of(sentence, language) if fact.predicate == "refers_to"]
    assert len(found) == count


def test_a_numbered_sentence_is_no_heading() -> None:
    text = "Art. 5. The exemption requires a declaration within a month of the wedding."
    found = facts_of(text, "en")
    assert [(fact.predicate, fact.article) for fact in found] == [("filing_deadline", "Artikel 5")]


def test_an_amendment_may_change_two_values() -> None:
    text = (
        "U članku 24. riječi „u roku od 20 dana“ zamjenjuju se riječima „u roku od 18 dana“, "
        "a riječi „do 31. siječnja“ zamjenjuju se riječima „do 28. veljače“."
    )
    found = [fact for fact in facts_of(text, "hr") if fact.replaces]
    assert [(fact.value, fact.replaces) for fact in found] == [
        ("18", "20"),
        ("--02-28", "--01-31"),
    ]


def test_a_list_of_deadlines_names_them_once() -> None:
    text = "(2) Rokovi su sljedeći:\n- za prijavu: 15 dana\n- za plaćanje: 30 dana"
    assert [(fact.predicate, fact.value) for fact in facts_of(text, "hr")] == [
        ("filing_deadline", "15"),
        ("payment_deadline", "30"),
    ]


def test_the_head_of_a_page_refers_to_nothing() -> None:
    text = "Obveznik podnosi prijavu iz članka 7. ovoga Zakona.\nZAKON O POREZU — Članak 2."
    found = [fact.value for fact in facts_of(text, "hr") if fact.predicate == "refers_to"]
    assert found == ["članka 7. ovoga Zakona"]


def test_a_levy_that_has_a_name_of_its_own_is_no_social_contribution() -> None:
    text = "Doprinos se plaća u roku od 15 dana."
    (found,) = facts_of(text, "hr", title="Odluka o vatrogasnom doprinosu")
    assert (found.subject, found.domain) == ("vatrogasnom_doprinosu", "rokovi")
