"""Facts as real acts draft them: their provision, their whole condition, and what is not a fact."""

import pytest

from assay.model.content import ContentClass
from assay.ruling.facts.proposals import ProposedFact
from tests.packs.regulatory.passages import facts_of, is_limited_by

FIGURES = ("currency", "percentage", "threshold", "count")


def list_figures(text: str, language: str, **known: object) -> list[ProposedFact]:
    """The facts of a text that have a figure."""
    return [fact for fact in facts_of(text, language, **known) if fact.value_type in FIGURES]


GERMAN = """# Körperschaftsteuergesetz

### § 23 Steuersatz

(1) Die Körperschaftsteuer beträgt 15 Prozent des zu versteuernden Einkommens.

### § 24 Freibetrag

Vom Einkommen ist ein Freibetrag von 5 000 Euro abzuziehen.
"""
CROATIAN = r"""**ZAKON O FISKALIZACIJI**

Članak 34.

(NN [114/23](https://example.org/cms.htm?id=1))

\(1\) Novčanom kaznom od 3.980,00 do 66.360,00 eura kaznit će se pravna osoba.

\(2\) Novčanom kaznom od 660,00 eura kaznit će se odgovorna osoba.
"""
BRITISH = """Finance Act 2020
Default and savings rates
3 1 For the tax year 2020-21 the default rates of income tax are as follows—
a the default basic rate is 20%,
2 The savings rate of income tax is 40%.
Main rate of corporation tax
4 The main rate of corporation tax is 19%.
"""
AMERICAN = """# § 11. Tax imposed

(a) In general A tax is hereby imposed.

(b) Amount of tax The amount of the tax imposed by subsection (a) shall be 21 percent.
"""


@pytest.mark.parametrize(
    ("text", "language", "kind", "cited"),
    [
        (GERMAN, "de", ContentClass.TEXT, ["§ 23 Abs. 1", "§ 24"]),
        (CROATIAN, "hr", ContentClass.TEXT, ["čl. 34. st. 1."] * 2 + ["čl. 34. st. 2."]),
        (BRITISH, "en", ContentClass.XML, ["section 3(1)(a)", "section 3(2)", "section 4"]),
        (AMERICAN, "en", ContentClass.TEXT, ["§ 11(b)"]),
    ],
)
def test_a_fact_names_its_provision_as_its_tradition_prints_it(
    text: str, language: str, kind: ContentClass, cited: list[str]
) -> None:
    facts = list_figures(text, language, content_class=kind)
    assert [fact.article for fact in facts] == cited


@pytest.mark.parametrize(
    ("language", "text", "value", "words"),
    [
        (
            "de",
            "Tritt ein Ereignis ein, das die Aufhebung begründet, beträgt die Gebühr 50 Euro.",
            "50",
            "Tritt ein Ereignis ein, das die Aufhebung begründet",
        ),
        (
            "hr",
            "Novčanom kaznom od 500,00 eura kaznit će se kupac koji ne zadrži račun iz stavka 1. "
            "ovoga članka, a zatraži se.",
            "500",
            "kupac koji ne zadrži račun iz stavka 1. ovoga članka, a zatraži se",
        ),
        (
            "en",
            "Non-compliance with the duties of importers shall be subject to fines of up to "
            "EUR 500 or, if the offender is an undertaking, up to 7 % of its turnover.",
            "500",
            "Non-compliance with the duties of importers",
        ),
    ],
)
def test_a_condition_is_kept_whole_and_in_its_own_words(
    language: str, text: str, value: str, words: str
) -> None:
    (fact,) = [one for one in list_figures(text, language) if one.value == value]
    assert is_limited_by(fact, words)


def test_the_lead_of_a_list_limits_its_items() -> None:
    text = (
        "§ 3 Zuschlag\n\n(1) Beim Abzug vom Lohn beträgt der Zuschlag\n"
        "1. bei monatlicher Zahlung 20 Euro,\n2. bei täglicher Zahlung 1 Euro.\n"
    )
    found = list_figures(text, "de", content_class=ContentClass.TEXT)
    conditions = [str(fact.applies_when["value"]) for fact in found]
    lead = "Beim Abzug vom Lohn beträgt der Zuschlag"
    assert conditions == [
        f"{lead} 1. bei monatlicher Zahlung […], 2. bei täglicher Zahlung 1 Euro.",
        f"{lead} 1. bei monatlicher Zahlung 20 Euro, 2. bei täglicher Zahlung […].",
    ]


def test_a_table_written_as_a_list_has_one_fact_for_each_row() -> None:
    text = (
        "# Gebührenverordnung\n\n### § 44 Gebühren\n\nAn Gebühren sind zu erheben\n\n"
        "*    *   1.\n\n    *   für die Erteilung\n        einer Erlaubnis\n\n"
        "    *   147 Euro,\n\n\n"
        "*    *   2.\n\n    *   für die Verlängerung\n\n    *   24 Euro.\n"
    )
    found = list_figures(text, "de", content_class=ContentClass.TEXT)
    assert [(fact.predicate, fact.value) for fact in found] == [("fee", "147"), ("fee", "24")]


def test_an_act_is_about_its_own_levy() -> None:
    text = "# Biersteuergesetz\n\n### § 2 Steuertarif\n\nDer Steuersatz beträgt 5 Prozent."
    (fact,) = list_figures(text, "de", content_class=ContentClass.TEXT)
    assert fact.subject == "biersteuer"


@pytest.mark.parametrize(
    "text",
    [
        "The notice, which gave the threshold as £85,000, is withdrawn.",
        "The threshold is [[deleted: £120]].",
        "#### Amendments\n\n2017. Prior to amendment, text read as follows:\n\n"
        "“(A) The rate of tax is 15 percent of taxable income.",
    ],
)
def test_old_figures_are_not_facts(text: str) -> None:
    assert list_figures(text, "en", content_class=ContentClass.TEXT) == []


def test_a_figure_names_what_kind_it_is_in_the_words_of_its_sentence() -> None:
    (fact,) = list_figures("Die Steuerentlastung beträgt 5,13 Euro je Megawattstunde.", "de")
    assert fact.qualifiers == ("Steuerentlastung", "je Megawattstunde")
