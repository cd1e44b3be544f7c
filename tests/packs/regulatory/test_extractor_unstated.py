"""Figures that are named without being laid down, and conditions that must not be lost."""

import pytest

from assay.model.content import ContentClass
from assay.reading.result import TableData
from assay.sdk.facts import ALWAYS, ProposedFact
from tests.packs.regulatory.passages import facts_of, words_of

_NOTE = (
    "# The Tea Regulations 2026\n\n## Regulation 2\n\nThe fee is £20.\n\n## Explanatory note\n\n"
)


def values_of(text: str, language: str) -> list[tuple[str, str]]:
    facts = facts_of(text, language)
    return [(fact.predicate, fact.value) for fact in facts if fact.predicate != "refers_to"]


def find_value(text: str, language: str, value: str) -> ProposedFact:
    return next(fact for fact in facts_of(text, language) if fact.value == value)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("hr", "Stopa poreza nije 12 %."),
        ("hr", "Stopa ne iznosi 12 %."),
        ("en", "The fee is not £20."),
        ("hr", "Naknada od 30,00 eura se ukida."),
        ("hr", "Ukida se naknada od 30,00 eura."),
        ("de", "Die bisher geltende Gebühr von 30 Euro entfällt."),
        ("en", "The fee of £20 is abolished."),
        ("hr", "Ministar može propisati stopu do 6 %."),
        ("hr", "Vlada može propisati stopu do 6 %."),
        ("en", "The Minister may by order prescribe a rate not exceeding 6%."),
        ("hr", "Ako bi stopa iznosila 40 %, obveznik bi platio 400,00 eura."),
        ("en", "Comments were due on March 1, 2026."),
    ],
)
def test_a_figure_that_is_denied_abolished_or_supposed_is_no_fact(language: str, text: str) -> None:
    assert values_of(text, language) == []


def test_a_levy_that_is_no_longer_charged_has_no_amount() -> None:
    text = "Die bisherige Abgabe von 12 Euro wird nicht mehr erhoben."
    assert {name for name, _ in values_of(text, "de")} == {"exemption"}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Der Zuschlag beträgt nicht 4 Prozent, sondern 6 Prozent.", [("surcharge", "6")]),
        ("de", "Die Gebühr von 30 Euro entfällt, wenn der Hund alt ist.", [("fee", "30")]),
        ("hr", "Stopa nije veća od 12 %.", [("rate", "12")]),
        ("hr", "Vijeće može odrediti novčanu kaznu do 300,00 eura.", [("penalty_max", "300")]),
        ("hr", "Naknada za bolovanje iznosi 70 %.", [("rate", "70")]),
    ],
)
def test_a_figure_that_applies_is_read_beside_such_words(
    language: str, text: str, expected: list[tuple[str, str]]
) -> None:
    assert values_of(text, language) == expected


def test_an_explanatory_note_lays_nothing_down() -> None:
    prose = "The levy raised £3 million, and the fee is now £25.\n\nThe rate was 4 per cent."
    assert values_of(_NOTE + prose, "en") == [("fee", "20")]
    rows = "| Year | Fee |\n| --- | --- |\n| 2026 | £31 |"
    assert values_of(f"{_NOTE}{rows}", "en") == [("fee", "20")]


@pytest.mark.parametrize(
    ("language", "text", "value", "words"),
    [
        ("hr", "Dobici do 1.500 eura oporezuju se sa 10 posto.", "10", "Dobici do 1.500 eura"),
        ("hr", "Dobici do 1.500 eura oporezuju se sa 10 posto.", "1500", "sa 10 posto"),
        ("hr", "Iznimno, za male obveznike rok iznosi 45 dana.", "45", "Iznimno, za male"),
    ],
)
def test_what_is_not_understood_is_the_whole_wording(
    language: str, text: str, value: str, words: str
) -> None:
    assert words in words_of(find_value(text, language, value))


def test_the_upper_end_of_a_limit_is_not_an_amount() -> None:
    text = "Ako dohodak premašuje 1.500 eura, ali ne i 66.000 eura, stopa iznosi 20 %."
    found = {(fact.predicate, fact.value) for fact in facts_of(text, "hr")}
    assert found == {("threshold", "1500"), ("threshold", "66000"), ("rate", "20")}
    assert find_value(text, "hr", "20").applies_when["all"] == [
        {"op": "gt", "field": "income", "value": "1500"},
        {"op": "lte", "field": "income", "value": "66000"},
    ]


@pytest.mark.parametrize(
    ("language", "text", "value", "words"),
    [
        (
            "hr",
            "## Članak 4.\n\n(1) Rok iznosi 30 dana.\n\n(2) Iznimno, za male obveznike rok iznosi "
            "45 dana.",
            "30",
            "Iznimno, za male obveznike",
        ),
        (
            "en",
            "# Tea Act 2026\n\n## Section 5\n\n(1) The rate of tea duty is 20 %.\n\n(2) Unless "
            "the tea is herbal, the rate is 25 %.",
            "20",
            "Unless the tea is herbal",
        ),
    ],
)
def test_a_paragraph_is_limited_by_an_exception_that_names_none(
    language: str, text: str, value: str, words: str
) -> None:
    assert words in words_of(find_value(text, language, value))


def test_an_exception_of_another_article_or_of_a_named_paragraph_limits_nothing() -> None:
    text = (
        "## Članak 4.\n\nRok za uplatu iznosi 30 dana.\n\n## Članak 5.\n\n"
        "Iznimno, za male obveznike rok iznosi 45 dana."
    )
    assert find_value(text, "hr", "30").applies_when == ALWAYS
    text = (
        "## Članak 4.\n\n(1) Rok za uplatu iznosi 30 dana.\n\n(2) Naknada iznosi 5 eura.\n\n"
        "(3) Iznimno od stavka 1., za male obveznike rok iznosi 45 dana i naknada 4 eura."
    )
    assert find_value(text, "hr", "5").applies_when == ALWAYS


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "hr",
            "Novčana kazna iznosi najmanje 100,00 eura, a najviše 900,00 eura.",
            [("penalty_min", "100"), ("penalty_max", "900")],
        ),
        (
            "en",
            "The fine is at least £100 and at most £900.",
            [("penalty_min", "100"), ("penalty_max", "900")],
        ),
    ],
)
def test_both_ends_of_a_penalty_have_names_of_their_own(
    language: str, text: str, expected: list[tuple[str, str]]
) -> None:
    assert values_of(text, language) == expected


_ROWS = (
    ("up to EUR 10,000", "10 %", "8 %"),
    ("over EUR 10,000", "20 %", "18 %"),
)
_MARKDOWN = """Income tax

| Income | Rate | |
| --- | --- | --- |
| | Single | Married |
| up to EUR 10,000 | 10 % | 8 % |
| over EUR 10,000 | 20 % | 18 % |
"""


def test_the_second_row_of_a_head_tells_columns_apart() -> None:
    rows = (("Income", "Rate", "Rate"), ("Income", "Single", "Married"), *_ROWS)
    words = [" ".join(row) for row in (("Income", "Rate"), ("Single", "Married"), *_ROWS)]
    text = "\n".join(["Income tax", *words])
    table = TableData(start=len("Income tax\n"), end=len(text), rows=rows)
    read = (
        facts_of(text, "en", tables=(table,)),
        facts_of(_MARKDOWN, "en", content_class=ContentClass.TEXT),
    )
    for facts in read:
        found = {(fact.value, fact.kind) for fact in facts if fact.predicate == "rate"}
        assert found == {("10", "singl"), ("8", "marr"), ("20", "singl"), ("18", "marr")}


def test_a_first_row_without_figures_is_not_part_of_the_head() -> None:
    rows = (("Good", "Fee", "Fee"), ("Tea", "none", "none"), ("Juice", "EUR 5", "EUR 7"))
    text = "\n".join(["Fees", *(" ".join(row) for row in rows)])
    table = TableData(start=len("Fees\n"), end=len(text), rows=rows)
    facts = facts_of(text, "en", tables=(table,))
    assert {fact.value for fact in facts if fact.predicate == "fee"} == {"5", "7"}
    assert not any("none" in words for fact in facts for words in fact.qualifiers)
