"""Facts as real acts draft them: their provision, their whole condition, and what is not a fact."""

import pytest

from assay.model.content import ContentClass
from assay.ruling.facts.proposals import ProposedFact
from tests.packs.regulatory.passages import facts_of

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
