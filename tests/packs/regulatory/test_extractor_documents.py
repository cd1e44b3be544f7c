"""What the extractor makes of whole documents: subjects, places, days, conditions, tables."""

import pytest

from assay.model.content import ContentClass
from assay.packs.regulatory.extractor import extract_facts
from assay.packs.regulatory.extractor.subjects import load_declared_facts
from assay.reading.documents import read_document
from assay.reading.result import TableData
from assay.ruling.facts.gates import AcceptedFact, check_proposal
from assay.ruling.facts.proposals import Passage, ProposedFact
from assay.ruling.rules.conditions import fields_of, parse_condition
from tests.packs.regulatory.passages import facts_of

ACT = """ZAKON O POREZU NA DODANU VRIJEDNOST

Članak 38.

(1) Porez na dodanu vrijednost obračunava se i plaća po stopi od
25 %.

(2) Snižena stopa od 13 % primjenjuje se na ugostiteljske usluge.

Članak 39.

(1) Plaćanja PDV-a oslobođene su:
1. univerzalne poštanske usluge,
2. bolnička njega.

Članak 131.

(1) Novčanom kaznom od 260 do 26.540 eura kaznit će se pravna osoba.
(2) Odgovorna osoba kaznit će se novčanom kaznom od 130 do 5.300 eura.

Članak 155.

Ovaj Zakon stupa na snagu 1. srpnja 2026.
"""


def one(facts: list[ProposedFact], predicate: str) -> ProposedFact:
    (found,) = [fact for fact in facts if fact.predicate == predicate]
    return found


@pytest.fixture
def act() -> list[ProposedFact]:
    return facts_of(ACT, "hr", content_class=ContentClass.TEXT)


def test_a_sentence_that_wraps_is_quoted_with_its_line_end(act: list[ProposedFact]) -> None:
    assert one(act, "rate").quote.endswith("po stopi od\n25 %.")


def test_subject_and_domain_come_from_the_title(act: list[ProposedFact]) -> None:
    assert {(fact.subject, fact.domain) for fact in act} == {("pdv", "pdv")}


def test_article_and_paragraph_are_told(act: list[ProposedFact]) -> None:
    assert one(act, "rate").article == "čl. 38. st. 1."
    assert one(act, "reduced_rate").article == "čl. 38. st. 2."


def test_the_day_of_the_act_is_the_day_of_its_rules(act: list[ProposedFact]) -> None:
    assert one(act, "rate").effective_from == "2026-07-01"
    assert one(act, "entry_into_force").effective_from is None


def test_items_take_their_meaning_from_what_introduces_them(act: list[ProposedFact]) -> None:
    exempt = [fact.value for fact in act if fact.predicate == "exemption"]
    assert exempt == ["univerzalne poštanske usluge", "bolnička njega"]


def test_goods_and_persons_become_conditions(act: list[ProposedFact]) -> None:
    assert one(act, "reduced_rate").applies_when == {
        "op": "eq",
        "field": "activity",
        "value": "ugostiteljske usluge",
    }
    persons = [fact.applies_when["value"] for fact in act if fact.predicate == "penalty_max"]
    assert persons == ["legal_person", "responsible_person"]


@pytest.mark.parametrize(
    ("language", "sentence", "predicate", "condition"),
    [
        (
            "hr",
            "Osoba čija je vrijednost isporuka prešla 60.000 eura upisuje se u roku od 8 dana.",
            "registration_deadline",
            {"op": "gt", "field": "turnover", "value": "60000"},
        ),
        (
            "en",
            "A surcharge of 2% shall apply to the part of the base that exceeds EUR 3,000.",
            "surcharge",
            {"op": "gt", "field": "amount", "value": "3000"},
        ),
        (
            "en",
            "Where fishing is carried on for fewer than 45 days a year, the tax is reduced by 12%.",
            "reduction",
            {
                "op": "and",
                "all": [
                    {"op": "eq", "field": "activity", "value": "fishing"},
                    {"op": "lt", "field": "days", "value": "45"},
                ],
            },
        ),
        ("de", "Der Satz beträgt 19 %.", "rate", {"op": "true"}),
    ],
)
def test_limits_become_conditions(
    language: str, sentence: str, predicate: str, condition: dict[str, object]
) -> None:
    fact = one(facts_of(sentence, language), predicate)
    assert fact.applies_when == condition
    assert set(fields_of(parse_condition(fact.applies_when))) <= set(load_declared_facts().fields)


def test_a_scope_that_is_not_understood_makes_the_fact_less_sure() -> None:
    plain = one(facts_of("The rate is 5%.", "en"), "rate")
    vague = one(facts_of("The rate is 5%, unless the moon is full.", "en"), "rate")
    words = "The rate is […], unless the moon is full."
    assert vague.applies_when == {"op": "eq", "field": "wording", "value": words}
    assert vague.confidence < plain.confidence


@pytest.mark.parametrize(
    ("language", "text", "published", "day"),
    [
        (
            "hr",
            "Stopa iznosi 5 %. Ovaj Zakon stupa na snagu osmoga dana od dana objave.",
            "2026-01-10",
            "2026-01-18",
        ),
        (
            "hr",
            "Stopa iznosi 5 %. Ovaj Zakon stupa na snagu osmoga dana od dana objave.",
            None,
            None,
        ),
        (
            "hr",
            "Stopa je 5 %. Ovaj Zakon stupa na snagu 1. svibnja, a vrijedi od 1. srpnja 2026.",
            None,
            "2026-07-01",
        ),
        ("en", "The rate is 5%. This Act comes into force on 1 May 2026.", None, "2026-05-01"),
        ("en", "The rate is 5%. The Agreement entered into force on 1 May 2019.", None, None),
        (
            "de",
            "Der Satz beträgt 5 %. Diese Satzung tritt am 1. Mai 2026 in Kraft.",
            None,
            "2026-05-01",
        ),
        (
            "hr",
            "Od 1. srpnja 2026. stopa iznosi 5 %. Ovaj Zakon stupa na snagu 1. svibnja 2026.",
            None,
            "2026-07-01",
        ),
    ],
)
def test_from_when_a_rule_holds(
    language: str, text: str, published: str | None, day: str | None
) -> None:
    assert one(facts_of(text, language, published=published), "rate").effective_from == day


def test_until_when_a_rule_holds_is_the_day_after() -> None:
    text = "Od 1. siječnja 2026. do 30. lipnja 2026. stopa iznosi 8 %."
    fact = one(facts_of(text, "hr"), "rate")
    assert (fact.effective_from, fact.effective_until) == ("2026-01-01", "2026-07-01")


def test_a_subject_that_the_pack_does_not_know_is_named_by_the_title() -> None:
    facts = facts_of("Renta iznosi 5 eura.", "hr", title="Zakon o spomeničkoj renti")
    assert [(fact.subject, fact.domain) for fact in facts] == [("spomenickoj_renti", "ostalo")]


def test_in_the_act_about_one_tax_another_is_only_mentioned() -> None:
    facts = facts_of(
        "Porez plaća obrtnik izvan sustava PDV-a čiji primitak ne prelazi 60.000 eura.",
        "hr",
        title="Pravilnik o paušalnom oporezivanju",
    )
    assert {fact.subject for fact in facts} == {"pausalni"}


def test_an_amending_act_says_so() -> None:
    facts = facts_of("Stopa iznosi 5 %.", "hr", title="Zakon o izmjenama Zakona o porezu na dobit")
    assert [(fact.subject, fact.amends) for fact in facts] == [("porez_dobit", True)]


def table(*rows: tuple[str, ...], caption: str = "") -> tuple[str, tuple[TableData, ...]]:
    text = "\n".join("\t".join(row) for row in rows)
    return text, (TableData(0, len(text), rows, caption=caption),)


def test_the_head_of_a_column_tells_what_its_figures_are() -> None:
    text, tables = table(
        ("Djelatnost", "Pristojba"), ("upis", "65,20 eura"), ("brisanje", "11,63 eura")
    )
    facts = facts_of(text, "hr", tables=tables)
    assert [(fact.predicate, fact.value, fact.quote) for fact in facts] == [
        ("fee", "65.2", "upis\t65,20 eura"),
        ("fee", "11.63", "brisanje\t11,63 eura"),
    ]
    assert facts[0].applies_when == {"op": "eq", "field": "activity", "value": "upis"}


def test_the_unit_may_stand_at_the_head_and_brackets_are_thresholds() -> None:
    text, tables = table(
        ("Razred", "Primici (eura)", "Porez (eura)"), ("1.", "do 12.000,00", "216,00")
    )
    facts = facts_of(text, "hr", tables=tables)
    assert [(fact.predicate, fact.value, fact.unit) for fact in facts] == [
        ("threshold", "12000", "EUR"),
        ("amount", "216", "EUR"),
    ]
    assert facts[1].applies_when == {"op": "lte", "field": "income", "value": "12000"}


def test_columns_may_be_times() -> None:
    text, tables = table(
        ("", "until 30 June 2026", "from 1 July 2026"), ("general rate", "20 %", "21 %")
    )
    facts = facts_of(text, "en", tables=tables)
    assert [(fact.value, fact.effective_from, fact.effective_until) for fact in facts] == [
        ("20", None, "2026-07-01"),
        ("21", "2026-07-01", None),
    ]


def test_a_table_without_a_head_is_a_list_of_names_with_values() -> None:
    text, tables = table(("Stopa poreza", "3 %"), ("Rok žalbe", "30 dana"))
    facts = facts_of(text, "hr", tables=tables)
    assert [(fact.predicate, fact.value) for fact in facts] == [
        ("rate", "3"),
        ("appeal_deadline", "30"),
    ]


def test_a_table_of_which_no_word_tells_what_it_is_gives_nothing() -> None:
    text, tables = table(("Grad", "2024"), ("Zagreb", "12 %"), ("Split", "9 %"))
    assert facts_of(text, "hr", tables=tables) == []


def test_what_the_extractor_finds_passes_the_gates() -> None:
    title = "<title>Zakon o porezu na dodanu vrijednost</title>"
    page = f"<html>{title}<body><pre>{ACT}</pre></body></html>"
    reading = read_document(page.encode())
    extraction = extract_facts(Passage(reading=reading, language="hr"))
    judgements = [check_proposal(fact, reading, load_declared_facts()) for fact in extraction.facts]
    assert len(judgements) >= 8
    assert all(isinstance(judgement, AcceptedFact) for judgement in judgements)


def test_an_article_may_begin_to_hold_on_a_day_of_its_own() -> None:
    text = (
        "Članak 10.\nStopa iznosi 3 %.\nČlanak 17.\nPrijava se podnosi u roku od 30 dana.\n"
        "Članak 30.\nOvaj Zakon stupa na snagu 1. siječnja 2025., "
        "osim članka 17. koji stupa na snagu 1. ožujka 2025."
    )
    facts = facts_of(text, "hr")
    assert one(facts, "rate").effective_from == "2025-01-01"
    assert one(facts, "filing_deadline").effective_from == "2025-03-01"


def test_a_value_for_a_year_holds_in_that_year() -> None:
    fact = one(facts_of("Osobni odbitak za 2026. iznosi 560 eura.", "hr"), "allowance")
    assert (fact.effective_from, fact.effective_until) == ("2026-01-01", "2027-01-01")


def test_a_quoted_paragraph_means_the_same_wherever_its_line_begins() -> None:
    lead = "Članak 2.\nIza stavka 3. dodaje se stavak 4. koji glasi:"
    words = "»(4) Po sniženoj stopi od 6 % oporezuju se i usluge javnog prijevoza putnika.«"
    found = [
        [fact.concept for fact in facts_of(f"{lead}{space}{words}", "hr", title="Zakon o PDV-u")
         if fact.value == "6"]
        for space in (" ", "\n")
    ]  # fmt: skip
    assert found[0] == found[1] != []


def test_a_page_named_by_its_celex_number_is_about_its_act() -> None:
    text = (
        "02019R2088 — EN — 09.01.2024\n\n►B\n\nREGULATION (EU) 2019/2088 OF THE EUROPEAN PARLIAMENT"
        "\n\nof 27 November 2019\n\non sustainability-related disclosures\n\nArticle 1\n\n"
        "The report shall be submitted by 30 December 2022.\n"
    )
    title = "Consolidated TEXT: 32019R2088 — EN — 09.01.2024"
    subjects = {fact.subject for fact in facts_of(text, "en", title=title)}
    assert len(subjects) == 1
    assert "2019_no_2088" in subjects.pop()
