"""Reference strings and the sections they come from. All references are invented."""

import pytest

from assay.packs.literature.listed import ListKind
from assay.packs.literature.lists import parse_list
from assay.packs.literature.references import (
    find_reference_section,
    parse_reference_text,
    split_references,
)
from assay.packs.literature.references.names import read_names
from tests.packs.civic.growth import grows_linearly


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("Reed, A. B., Lind, C., & Mo, D. (2001).", ("Reed, A. B.", "Lind, C.", "Mo, D.")),
        ("A. B. Reed, C. Lind, and D. Mo, “", ("A. B. Reed", "C. Lind", "D. Mo")),
        ("Reed AB, Lind C, Mo D. Boats", ("Reed AB", "Lind C", "Mo D")),
        ("Ada Reed, Bo van Lind and Cy Mo. Boats", ("Ada Reed", "Bo van Lind", "Cy Mo")),
        ("Reed, Ada, and Bo Lind. Boats", ("Reed, Ada", "Bo Lind")),
        ("Reed et al., 2001", ("Reed",)),
        ("Müller-Öz, Ž., Ó Briain, É.: Boats", ("Müller-Öz, Ž.",)),
    ],
)
def test_names_are_read_in_every_order(text: str, authors: tuple[str, ...]) -> None:
    run = read_names(text)
    assert run is not None
    assert run.names[: len(authors)] == authors


@pytest.mark.parametrize("text", ["The boats of wax", "boats", "IEEE Transactions on Boats", ""])
def test_words_are_not_names(text: str) -> None:
    run = read_names(text)
    assert run is None or text[run.end :].strip()


@pytest.mark.parametrize(
    ("text", "title", "year", "venue"),
    [
        (
            "Reed, A., & Lind, B. (2001). Boats of wax: a study. Journal of Boats, 12(3), 1-9.",
            "Boats of wax: a study",
            2001,
            "Journal of Boats",
        ),
        (
            "[12] A. Reed and B. Lind, “Boats of wax,” IEEE Trans. Boats, vol. 3, pp. 1–9, 2001.",
            "Boats of wax",
            2001,
            "IEEE Trans. Boats",
        ),
        (
            "7. Reed A, Lind B. Boats of wax in winter. J Boat Sci. 2001;12(3):1-9.",
            "Boats of wax in winter",
            2001,
            "J Boat Sci",
        ),
        (
            "Ada Reed, Bo Lind. Boats of wax. In Proceedings of the 21st Boat Days, 2001.",
            "Boats of wax",
            2001,
            "Proceedings of the 21st Boat Days",
        ),
        (
            "Reed, Ada. Boats of Wax and Tin. Harbour: Quay Press, 2001.",
            "Boats of Wax and Tin",
            2001,
            "",
        ),
    ],
)  # fmt: skip
def test_a_reference_gives_its_title_year_and_venue(
    text: str, title: str, year: int, venue: str
) -> None:
    found = parse_reference_text(text)
    assert (found.title, found.year, found.venue) == (title, year, venue)
    assert (found.start, found.end) == (0, len(text))


def test_the_ids_of_a_reference_are_found_and_are_not_its_year() -> None:
    found = parse_reference_text(
        "Ada Reed and Bo Lind. Boats of wax. arXiv preprint arXiv:2001.01234v3, 2021. "
        "https://doi.org/10.1000/WAX(1)."
    )
    assert found.ids == ("arxiv:2001.01234", "doi:10.1000/wax(1)")
    assert (found.version, found.year) == (3, 2021)


def test_words_and_addresses_broken_at_the_end_of_a_line_are_joined() -> None:
    found = parse_reference_text(
        "A. Reed and B. Lind. Boats of wax in the har-\nbour. Journal of\nBoats, 3, 2001. "
        "https://doi.org/10.1000/\nwax.2001"
    )
    assert found.title == "Boats of wax in the harbour"
    assert (found.venue, found.ids) == ("Journal of Boats", ("doi:10.1000/wax.2001",))


def test_what_is_not_certain_stays_empty() -> None:
    found = parse_reference_text("H. Fisher, Centre, 134, 3, 20-21")
    assert found.title == ""
    found = parse_reference_text("see the notes of last week")
    assert (found.title, found.authors, found.year, found.venue) == ("", (), None, "")


NUMBERED = """Boats
1 Introduction
Boats float (see References).
References
[1] A. Reed. Boats of wax.
    Journal of Boats, 2001.
[2] B. Lind. Boats of tin. arXiv:2101.00001,
    2021.
[3] C. Mo. Boats of glass and
    [7] of other things. 2003.
Appendix A
More boats.
"""
AUTHOR_YEAR = """Bibliography

Reed, A. and Lind, B. (2001). Boats of wax and of many other
things that float. Journal of Boats, 3:1–9.
Mo, C. (2003). Boats of tin in the deep water of the harbour,
Second Edition. Quay Press, London.
van der Zee, D. and Reed, A. (2004). Ships. Quay Press.
"""
HANGING = """REFERENCES
Reed, A. (2001). Boats of wax and
  other things. Quay Press.
Lind, B. (2002). Boats of tin and
  other metals. Quay Press.
"""


@pytest.mark.parametrize(
    ("text", "firsts"),
    [
        (NUMBERED, ["[1] A. Reed", "[2] B. Lind", "[3] C. Mo"]),
        (AUTHOR_YEAR, ["Reed, A. an", "Mo, C. (200", "van der Zee"]),
        (HANGING, ["Reed, A. (2", "Lind, B. (2"]),
    ],
)
def test_a_section_is_found_and_divided(text: str, firsts: list[str]) -> None:
    section = find_reference_section(text)
    assert section is not None
    body = text[section[0] : section[1]]
    assert "More boats" not in body
    spans = split_references(body)
    assert [
        body[start:end][: len(first)] for (start, end), first in zip(spans, firsts, strict=True)
    ] == firsts


def test_the_references_of_a_paper_have_their_places_in_its_text() -> None:
    parsed = parse_list(NUMBERED.encode(), ListKind.BIBLIOGRAPHY)
    assert [each.title for each in parsed.references] == [
        "Boats of wax",
        "Boats of tin",
        "Boats of glass and [7] of other things",
    ]
    assert parsed.references[1].ids == ("arxiv:2101.00001",)
    assert all(
        NUMBERED[each.start : each.end].startswith(f"[{number}]")
        for number, each in enumerate(parsed.references, 1)
    )


def test_a_text_without_the_heading_has_no_section() -> None:
    assert find_reference_section("Boats float.\nThey are made of wax, since 2001.\n") is None
    assert split_references("") == []


@pytest.mark.parametrize(
    "piece", ["Reed, A. ", "(2001 ", "A. B. ", "\nReferences\n", "“a ", "[1] a\n"]
)
def test_the_work_on_references_grows_with_the_text(piece: str) -> None:
    assert grows_linearly(lambda text: parse_list(text.encode(), ListKind.BIBLIOGRAPHY), piece)
