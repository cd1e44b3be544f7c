"""Figures near the words for a rate, an amount or a deadline that are something else."""

import pytest

from tests.packs.regulatory.passages import facts_of

_ACTS = {
    "de": "# Lagergesetz\n\n### § 4 Lager\n\n(1) {}\n",
    "en": "##### 4. **Powers.**\n\n**4.** {}\n",
    "hr": "Zakon o skladištu\n\nČlanak 4.\n\n(1) {}\n",
}


def list_meanings(language: str, sentence: str) -> list[str]:
    """The predicate and value of every figure of a sentence in an act."""
    found = facts_of(_ACTS[language].format(sentence), language)
    kept = (one for one in found if one.value_type != "cross_reference")
    return [f"{one.predicate} {one.value}" for one in kept]


@pytest.mark.parametrize(
    ("language", "sentence", "meanings"),
    [
        (
            "de",
            "Der Anteil darf 25 Prozent des Grundkapitals nicht überschreiten.",
            ["threshold 25"],
        ),
        ("en", "The share of each member shall not exceed 40 per cent.", ["threshold 40"]),
        ("en", "The rate of tax shall not exceed 5 per cent.", ["rate 5"]),
        (
            "de",
            "Bei einem Ausfall von mehr als sieben Stunden innerhalb von zwei Wochen wird das "
            "Entgelt erstattet.",
            ["period 2"],
        ),
        ("hr", "Radnik ima pravo na osmosatni odmor u vremenu od 24 sata.", ["period 24"]),
        ("de", "Die Verordnung tritt spätestens nach sechs Monaten außer Kraft.", ["period 6"]),
        (
            "de",
            "Das Bundesamt erstattet dem Ministerium innerhalb von sechs Monaten Bericht.",
            ["deadline 6"],
        ),
        ("en", "The Minister shall not, prior to 1 January 2030, grant a licence.", []),
        (
            "en",
            "A person who was employed before 5 April 1999 may apply to the Board within 30 days.",
            ["filing_deadline 30"],
        ),
        (
            "en",
            "The return must be filed before 1 June 2027.",
            ["filing_deadline 2027-06-01"],
        ),
    ],
)
def test_a_figure_is_what_its_clause_says(
    language: str, sentence: str, meanings: list[str]
) -> None:
    assert list_meanings(language, sentence) == meanings
