"""Amending acts that are cut off, badly quoted or very long."""

import pytest

from assay.packs.regulatory.acts.amending import Tradition, parse_amendments
from assay.packs.regulatory.acts.amending.croatian import CROATIAN
from assay.packs.regulatory.acts.amending.quoting import mask_quotations
from assay.packs.regulatory.acts.amending.sentences import find_sentences
from assay.packs.regulatory.acts.shapes import Operation, UnclearInstruction
from tests.packs.civic.growth import grows_linearly

GERMAN = "Artikel 1\nDas Steuergesetz wird wie folgt geändert:\n"


@pytest.mark.parametrize(
    ("tradition", "text", "target"),
    [
        (
            "de",
            GERMAN + "1. § 19 Absatz 1 wird wie folgt gefasst:\n„(1) Die Steuer",
            "sec_19__para_1",
        ),
        ("de", GERMAN + "1. In § 12 wird das Wort „alt durch das Wort neu ersetzt.", "sec_12"),
        ("uk", "(1) In section 5, for “old substitute new.", "sec_5"),
        ("hr", "Članak 1.\nU članku 5. riječ »stara zamjenjuje se riječju nova.", "art_5"),
        ("hr", "Članak 1.\nU članku 5. riječ »stara« zamjenjuje se", "art_5"),
        (
            "us",
            "■ 2. Section 10.3 is amended by revising paragraph (a) to read as follows:",
            "sec_10.3__para_a",
        ),
    ],
)
def test_an_instruction_that_is_cut_off_is_reported(
    tradition: Tradition, text: str, target: str
) -> None:
    found = parse_amendments("act", text, tradition)
    assert [type(each) for each in found] == [UnclearInstruction]
    assert found[0].target == target


def test_a_quotation_without_an_end_does_not_hide_the_next_article() -> None:
    text = (
        "Članak 1.\nČlanak 5. mijenja se i glasi:\n»Članak 5.\nNovi tekst bez kraja.\n"
        "Članak 2.\nČlanak 6. briše se.\n"
    )
    found = parse_amendments("act", text, "hr")
    assert isinstance(found[0], UnclearInstruction)
    assert "art_6" in {each.target for each in found}


@pytest.mark.parametrize("tradition", ["hr", "de", "uk", "us", "eu"])
@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "»", "“" * 1_000, "(1)" * 1_000, "■", "■ 1.", "§ § §", "Članak 1.", "1. a) aa)"],
)
def test_fragments_of_text_are_not_instructions(tradition: Tradition, text: str) -> None:
    assert [
        each for each in parse_amendments("act", text, tradition) if isinstance(each, Operation)
    ] == []


@pytest.mark.parametrize(
    ("tradition", "lead", "line"),
    [
        (
            "hr",
            "Članak 1.\n",
            "U članku {n}. stavku 1. riječi: »stara« zamjenjuju se riječima: »nova«.\n",
        ),
        ("de", GERMAN, "{n}. In § {n} wird das Wort „alt“ durch das Wort „neu“ ersetzt.\n"),
        (
            "uk",
            "The Tax Act 1994 is amended as follows.\n",
            "({n}) In section {n}, for “old” substitute “new”.\n",
        ),
        ("eu", "Article 1\n", "({n}) in Article {n}, ‘old’ is replaced by ‘new’;\n"),
        ("us", "", "■ {n}. Section 10.{n} is removed.\n"),
    ],
)
def test_thousands_of_instructions_are_each_understood(
    tradition: Tradition, lead: str, line: str
) -> None:
    text = lead + "".join(line.format(n=n) for n in range(1, 5_001))
    found = parse_amendments("act", text, tradition)
    assert len(found) == 5_000
    assert all(isinstance(each, Operation) for each in found)


def test_ten_thousand_open_quotations_are_read_once() -> None:
    text = "U članku 1. riječi »x\n»y\n" * 10_000
    masked = mask_quotations(text, CROATIAN.marks, CROATIAN.drafting.heading)
    assert len(masked.text) == len(text)
    assert masked.unclosed


@pytest.mark.parametrize(
    ("tradition", "piece"), [("de", "a) x\n"), ("eu", "(i) x\n"), ("uk", "(1)")]
)
def test_the_work_on_a_list_grows_with_its_length(tradition: Tradition, piece: str) -> None:
    assert grows_linearly(lambda text: parse_amendments("act", text, tradition), piece, 1_000)


AMENDED = "■ 1. Section 10.3 is amended by revising paragraphs "


@pytest.mark.parametrize(
    ("tradition", "lead", "piece"),
    [
        ("de", "", "“"),
        ("hr", "U članku 1. ", "»a« "),
        ("hr", "U članku 1. ", "dosadašnji stavak 1. postaje "),
        ("de", "", "wird "),
        ("uk", "(1) In section 1, ", "paragraph 1 becomes "),
        ("eu", "", "a\n \n"),
        ("hr", "", "članak,\n"),
        ("us", AMENDED, "(a)(1)(i), "),
        ("us", "", "■ 1. Amend § 10.3 by revising paragraph (a):\n"),
        ("us", "", "■ Amend § 10.3:\n"),
        ("us", AMENDED + "(a) to read as follows:\n", "(abc) x\n"),
        ("us", "■ 1. Amend § 10.3 by adding ", "paragraph (a), as amended "),
        ("us", "", "In "),
        ("us", "1. ", " "),
    ],
)
def test_the_work_grows_with_the_length(tradition: Tradition, lead: str, piece: str) -> None:
    assert grows_linearly(
        lambda text: parse_amendments("act", lead + text, tradition), piece, length=4_000
    )


def test_a_revised_text_is_looked_up_once_for_each_of_its_parts() -> None:
    def parse(text: str) -> None:
        named = text.replace("x", "").replace("\n", ", ")
        parse_amendments("act", f"{AMENDED}(a) to read as follows:\n{text}■ 2. {named}", "us")

    assert grows_linearly(parse, "(a) x\n", length=4_000)


@pytest.mark.parametrize("tradition", ["hr", "de", "uk", "us", "eu"])
@pytest.mark.parametrize("number", ["1" * 5_000, "²"])
@pytest.mark.parametrize("line", ["{n}. x\n{n}. y", "({n}) x\n({n}) y", "§ {n} bis {n} wird"])
def test_numbers_that_count_nothing_are_not_read(
    tradition: Tradition, number: str, line: str
) -> None:
    assert parse_amendments("act", line.format(n=number), tradition) == []


def test_a_line_of_spaces_at_the_end_is_ignored() -> None:
    assert parse_amendments("act", "a\n   ", "de") == []


def test_a_long_line_is_not_the_heading_of_an_article() -> None:
    text = "Artikel 1 " + "dieses Gesetzes " * 40 + "wird aufgehoben.\nArtikel 2\n"
    assert [type(each) for each in parse_amendments("act", text, "de")] == [UnclearInstruction]


def test_ranges_within_ranges_are_not_multiplied() -> None:
    rows = "§§ 1 bis 400 Absatz 1 bis 400 Satz 1 bis 400 Nummer 1 bis 400"
    (found,) = parse_amendments("act", GERMAN + f"1. {rows} wird aufgehoben.\n", "de")
    assert isinstance(found, UnclearInstruction)
    assert "is not understood" in found.reason


def test_a_clause_that_is_longer_than_any_instruction_is_reported() -> None:
    text = GERMAN + "1. In § 12 wird " + "und so weiter " * 200 + "ersetzt.\n"
    (found,) = parse_amendments("act", text, "de")
    assert isinstance(found, UnclearInstruction)
    assert found.target == "sec_12"


@pytest.mark.parametrize("piece", ["a. ", "Nr. 5 ", "x1. ", "Ja. „„"])
def test_the_work_on_sentences_grows_with_their_length(piece: str) -> None:
    assert grows_linearly(find_sentences, piece)
