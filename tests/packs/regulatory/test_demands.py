"""What a lawyer wants to see covered: sentences with values and duties, and nothing else."""

import pytest

from assay.packs.regulatory.extractor import extract_facts
from assay.reading.result import TableData
from assay.ruling.facts.proposals import Sentence
from tests.packs.regulatory.passages import passage


def sentences(text: str, language: str) -> list[Sentence]:
    return list(extract_facts(passage(text, language)).sentences)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The owner shall display the licence at the entrance."),
        ("en", "The court must hear both sides, and may not delay."),
        ("en", "Importers are required to keep a register."),
        ("hr", "Obveznik je dužan voditi evidenciju."),
        ("hr", "Poslodavac mora osigurati zaštitu."),
        ("hr", "Podaci se ne smiju mijenjati."),
        ("de", "Der Händler hat die Bücher auf Verlangen vorzulegen."),
        ("de", "Die Unterlagen sind geordnet aufzubewahren."),
        ("de", "Der Betreiber ist zur Auskunft verpflichtet."),
        ("de", "Die Daten dürfen an Dritte nicht weitergegeben werden."),
    ],
)
def test_a_duty_is_to_be_covered(language: str, text: str) -> None:
    (found,) = sentences(text, language)
    assert (found.is_relevant, found.values) == (True, ())


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The library is open to everybody."),
        ("en", "In this Act, 'owner' shall mean the person in the register."),
        ("en", "Article 5 shall apply to the procedure."),
        ("en", "This Act shall enter into force on 1 January 2026."),
        ("hr", "Ovaj Zakon stupa na snagu 1. siječnja 2026."),
        ("hr", "Naručitelji nisu obvezni primjenjivati ovaj Zakon."),
        ("de", "Die Behörde hat das Recht, die Räume zu betreten."),
        ("de", "Dieses Gesetz tritt am 1. Januar 2026 in Kraft."),
        ("de", "Näheres regelt § 5."),
    ],
)
def test_definitions_references_rights_and_beginnings_are_not(language: str, text: str) -> None:
    assert [found.is_relevant for found in sentences(text, language)] == [False]


@pytest.mark.parametrize(
    ("language", "text", "values"),
    [
        ("en", "The rate is 25 %, for books 5 %.", ("25 %", "5 %")),
        ("en", "A mast carries EUR 17 in gold.", ("17 EUR",)),
        ("en", "Returns are due by 31 March, and kept for 7 years.", ("--03-31", "7 years")),
        ("hr", "Naknada od 40 eura plaća se u roku od 15 dana.", ("40 EUR", "15 days")),
        ("de", "Die Gebühr beträgt 30 Euro.", ("30 EUR",)),
        ("en", "From 1 January 2026 the rate is 25 %.", ("25 %",)),
    ],
)
def test_a_sentence_names_its_values(language: str, text: str, values: tuple[str, ...]) -> None:
    (found,) = sentences(text, language)
    assert (found.is_relevant, found.values) == (True, values)


def test_what_binds_nobody_has_nothing_to_cover() -> None:
    recitals = "Whereas:\n(1) Fees of EUR 5 must be avoided.\nHAVE ADOPTED THIS REGULATION:\n"
    draft = "Draft of an act on fees\n\nThe fee must be EUR 5."
    question = "Must the fee of EUR 5 be paid?"
    for text in (recitals, draft, question):
        assert not any(found.is_relevant for found in sentences(text, "en")), text


@pytest.mark.parametrize(
    ("heading", "is_relevant"), [("Visits by month", False), ("Fees by month", True)]
)
def test_a_table_counts_if_words_say_that_it_regulates(heading: str, is_relevant: bool) -> None:
    rows = (("Month", "Gold"), ("May", "17 EUR"), ("June", "19 EUR"))
    table = "\n".join("\t".join(row) for row in rows)
    text = f"{heading}\n\n{table}"
    at = text.index(table)
    given = passage(text, "en", tables=(TableData(at, len(text), rows),))
    assert any(one.is_relevant for one in extract_facts(given).sentences) is is_relevant


def test_a_sentence_knows_its_provision_and_the_words_that_lead_into_it() -> None:
    text = (
        "Article 5\nFees for vessels\n\nThe following is shown on the mast:\n"
        "(a) EUR 17 by a vessel in the old harbour;\n(b) a flag.\n"
    )
    (found,) = [one for one in sentences(text, "en") if one.values]
    assert found.context.startswith("Article 5")
    assert "Fees for vessels" in found.context
    assert found.context.endswith("The following is shown on the mast:")


def test_a_duty_comes_with_its_list() -> None:
    text = (
        "Article 5\n\nThe invoice shall contain:\n(a) the name of the buyer;\n"
        "(b) the address.\n\nArticle 6\n\nThe library is open.\n"
    )
    (found,) = [one for one in sentences(text, "en") if one.is_relevant]
    assert text[found.start : found.end] == text[text.index("The invoice") : text.index(".") + 1]


def test_items_with_values_stand_for_the_words_that_lead_into_them() -> None:
    text = "Article 5\n\nOwners must pay:\n(a) EUR 17 for a mast;\n(b) EUR 19 for a door.\n"
    found = [one for one in sentences(text, "en") if one.is_relevant]
    assert [one.values for one in found] == [("17 EUR",), ("19 EUR",)]
