"""Amending acts that are cut off, badly quoted or very long."""

import pytest

from assay.packs.regulatory.acts.amending import Tradition, parse_amendments
from assay.packs.regulatory.acts.amending.croatian import CROATIAN
from assay.packs.regulatory.acts.amending.quoting import mask_quotations
from assay.packs.regulatory.acts.shapes import Operation, UnclearInstruction

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
    "text", ["", "\n\n", "»", "“" * 50, "(1)" * 200, "■", "■ 1.", "§ § §", "Članak 1.", "1. a) aa)"]
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
def test_ten_thousand_instructions_are_each_understood(
    tradition: Tradition, lead: str, line: str
) -> None:
    count = 10_000 if tradition == "hr" else 1_000
    text = lead + "".join(line.format(n=n) for n in range(1, count + 1))
    found = parse_amendments("act", text, tradition)
    assert len(found) == count
    assert all(isinstance(each, Operation) for each in found)


def test_ten_thousand_open_quotations_are_read_once() -> None:
    text = "U članku 1. riječi »x\n»y\n" * 10_000
    masked = mask_quotations(text, CROATIAN.marks, CROATIAN.drafting.heading)
    assert len(masked.text) == len(text)
    assert masked.unclosed
