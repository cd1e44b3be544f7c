"""Lists that were made to break a reader: long, deep, binary, unbalanced, or bombs."""

import pytest

from assay.packs.literature.listed import ListKind
from assay.packs.literature.lists import parse_list
from tests.packs.civic.growth import grows_linearly

MARKDOWN = [
    "- [A paper on boats](https://arxiv.org/abs/2301.00001)\n",
    "[A paper on boats](https://arxiv.org/abs/2301.00001) ",
    "x",
    "[",
    "](a",
    "[a](",
    "**a ",
    "**a\n",
    '" a',
    "```x\n",
    "<!-- ",
    "|boats that float|on water|\n|-|-|\n",
    "# A heading with words\n",
    '<a href="x" ',
    "<li>boats that float on water",
    "- Ada Reed, ",
    "> ",
    "[1]: http://boats.org/wax\n[boats of wax][1]\n",
    "   - boats that float on deep water\n",
    "$\\",
]
OTHERS = [
    (ListKind.BIBTEX, "@article{a, title={{ "),
    (ListKind.BIBTEX, "@article{k, title={Boats of wax}, author={A, B and C, D}}\n"),
    (ListKind.BIBTEX, "@"),
    (ListKind.RIS, "TY  - JOUR\n"),
    (ListKind.RIS, "TY  - JOUR\nTI  - Boats\nER  - \n"),
    (ListKind.CSL, '{"a":{"b":1}},'),
    (ListKind.CSL, '{"title":"Boats of wax","type":"book"},'),
    (ListKind.CSL, "["),
    (ListKind.CSV, '"Title\n'),
    (ListKind.ARXIV, "<entry>"),
    (ListKind.VISIONBIB, '<a name="TT1">Reed, A.[Ada], BibRef 0101 '),
    (ListKind.VISIONBIB, "<h2>a"),
    (ListKind.AWESOME, "- title: a\n  b: [c]\n"),
]


@pytest.mark.parametrize("piece", MARKDOWN)
def test_the_work_on_markdown_grows_with_its_length(piece: str) -> None:
    assert grows_linearly(lambda text: parse_list(text.encode(), ListKind.AWESOME), piece)


@pytest.mark.parametrize(("kind", "piece"), OTHERS)
def test_the_work_on_a_file_grows_with_its_length(kind: ListKind, piece: str) -> None:
    assert grows_linearly(lambda text: parse_list(text.encode(), kind), piece)


def test_a_very_long_list_is_bounded_and_the_rest_is_counted() -> None:
    entry = "- [Boats](https://arxiv.org/abs/2301.%05d)\n"
    text = "".join(entry % number for number in range(5_000))
    parsed = parse_list(text.encode(), ListKind.AWESOME, most=500)
    assert len(parsed.references) == 500
    assert parsed.left_out == 4_500


def test_ten_megabytes_on_one_line_are_read_in_pieces() -> None:
    parsed = parse_list(b"- boats " * 1_250_000, ListKind.AWESOME)
    assert parsed.references == ()
    assert "read in pieces" in parsed.notes[0].message


@pytest.mark.parametrize("kind", list(ListKind))
def test_binary_bytes_give_no_titles_with_control_characters(kind: ListKind) -> None:
    parsed = parse_list(bytes(range(256)) * 40, kind)
    assert all(each.title.isprintable() for each in parsed.references)
    assert parse_list(b"", kind).references == ()


def test_a_yaml_bomb_is_not_expanded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    lines += ["papers:", "- title: *a39", "- title: Boats of wax", "  doi: 10.1000/wax"]
    parsed = parse_list("\n".join(lines).encode(), ListKind.AWESOME)
    assert [each.ids for each in parsed.references] == [("doi:10.1000/wax",)]


@pytest.mark.parametrize(
    "text", ["- a: " + "[" * 5000, "".join(f"{'  ' * depth}- a:\n" for depth in range(300))]
)
def test_deep_yaml_is_noted(text: str) -> None:
    parsed = parse_list(b"- title: Boats\n" + text.encode(), ListKind.AWESOME)
    assert parsed.references == ()
    assert "nested too deep" in parsed.notes[0].message


def test_deep_json_is_noted() -> None:
    parsed = parse_list(b'[{"title": "Boats of wax", "a": ' + b"[" * 100_000, ListKind.CSL)
    assert parsed.references == ()
    assert parsed.notes


def test_entities_of_a_feed_are_refused() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><feed><entry>&b;</entry></feed>'
    parsed = parse_list(bomb, ListKind.ARXIV)
    assert parsed.references == ()
    assert "declares entities" in parsed.notes[0].message


def test_unbalanced_braces_do_not_swallow_the_file() -> None:
    text = (
        "@article{a, title = {"
        + "{" * 5000
        + "\n@article{b, title = {Boats of wax}, year = 2001}\n"
    )
    parsed = parse_list(text.encode(), ListKind.BIBTEX)
    assert "Boats of wax" in [each.title for each in parsed.references]
    assert "braces" in parsed.notes[0].message
