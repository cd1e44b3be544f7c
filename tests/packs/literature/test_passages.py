"""Passages: what a paper is divided into."""

import pytest

from assay.packs.literature.passages import (
    MOST,
    MOST_PASSAGES,
    TextPassage,
    divide_text,
)
from assay.packs.literature.references.sections import find_reference_section
from assay.sdk.reading import ContentClass, PageSpan, Reading

SENTENCE = "The method is compared with four others on the same data and wins on each of them. "
PAPER = f"""A Study of Bridges
Ana Kovač, Ivo Horvat

Abstract—We study bridges. {SENTENCE * 3}

1 Introduction
{SENTENCE * 40}
1. Bridges are long.
2. Bridges are high.

2 Related Work
{SENTENCE * 4}
2.1 Arches
{SENTENCE * 4}
Table 1: Lengths of bridges in metres.

{SENTENCE * 2}
3 Methods
{SENTENCE * 5}
References
[1] A. Gull. 1992. Okapi at TREC-3. In Proceedings.
[2] B. Riloff. 1999. Learning dictionaries.
Appendix A Proofs
{SENTENCE * 3}
"""


def read(text: str, pages: int = 1) -> Reading:
    size = max(1, -(-len(text) // pages))
    spans = [(number, number * size, (number + 1) * size) for number in range(pages)]
    return Reading(
        content_class=ContentClass.PDF_TEXT,
        text=text,
        title="A Study of Bridges",
        pages=tuple(PageSpan(number + 1, start, end) for number, start, end in spans),
    )


def sections(passages: list[TextPassage]) -> list[str]:
    return list(dict.fromkeys(passage.section for passage in passages))


def test_a_paper_is_divided_at_its_headings_and_captions() -> None:
    assert sections(divide_text(read(PAPER))) == [
        "A Study of Bridges",
        "Abstract",
        "1 Introduction",
        "2 Related Work",
        "2.1 Arches",
        "Table 1",
        "3 Methods",
        "Appendix A Proofs",
    ]


def test_references_are_not_passages() -> None:
    passages = divide_text(read(PAPER))
    assert not any("Okapi" in passage.text for passage in passages)
    found = find_reference_section(PAPER)
    assert found is not None
    assert PAPER[slice(*found)].split()[0] == "[1]" and "Appendix" not in PAPER[slice(*found)]
    assert find_reference_section("No list here.") is None


def test_a_passage_knows_its_place_and_page() -> None:
    reading = read(PAPER, pages=4)
    passages = divide_text(reading)
    for passage in passages:
        assert reading.text[passage.start : passage.end] == passage.text
        assert passage.page == reading.page_of(passage.start)
    assert [p.start for p in passages] == sorted(p.start for p in passages)
    assert divide_text(reading) == passages


def test_passages_have_whole_sentences_and_a_similar_length() -> None:
    passages = [p for p in divide_text(read(PAPER)) if p.section == "1 Introduction"]
    assert all(900 <= len(passage.text) <= MOST for passage in passages[:-1])
    assert all(passage.text.endswith(".") for passage in passages)
    joined = " ".join(passage.text for passage in passages)
    assert joined.count("The method is compared") == 40


def test_the_abstract_may_begin_on_the_line_of_its_heading() -> None:
    abstract = [p for p in divide_text(read(PAPER)) if p.section == "Abstract"]
    assert abstract[0].text.startswith("We study bridges.")


def test_roman_numbers_count_as_well() -> None:
    text = f"I. INTRODUCTION\n{SENTENCE}\nII. METHODS\n{SENTENCE}\nVI. Wrong\n{SENTENCE}"
    assert sections(divide_text(read(text))) == ["I. INTRODUCTION", "II. METHODS"]


@pytest.mark.parametrize(
    "text",
    ["", " \n\n ", "x" * 1_000_000, "1 Heading\n" * 30_000, "Figure 1: x\n" * 30_000,
     "a. " * 100_000, "\x00" * 100_000, "References\n" * 30_000, "Abstract: " * 50_000,
     "\u202e\ud800 1. A\n" * 20_000],
    ids=["empty", "blank", "no spaces", "headings", "captions", "stops", "zeros", "references",
         "abstracts", "surrogates"],
)  # fmt: skip
def test_hostile_text_is_bounded(text: str) -> None:
    reading = read(text)
    passages = divide_text(reading)
    assert len(passages) <= MOST_PASSAGES
    assert all(len(passage.text) <= MOST for passage in passages)
    assert all(reading.text[p.start : p.end] == p.text for p in passages)
