"""Amendments of acts of the Union: points of points, rows of points, and lines after a list."""

import pytest

from assay.packs.regulatory.acts.amending import apply_operations, parse_amendments
from assay.packs.regulatory.acts.amending.paths import order_key
from assay.packs.regulatory.acts.shapes import Act, Operation, UnclearInstruction
from assay.packs.regulatory.acts.trees import read_act

BASE = """Article 1
1. Fees are due from:
(a) shops;
(b) stalls;
(c) carts.
Article 2
For the purposes of this Regulation:
(1) ‘shop’ means a room;
(3) ‘trader’ means any of the following:
(a) a baker;
(b) a butcher;
(c) a brewer.
Article 3
1. The list names:
(a) bread;
(b) meat.
The register names:
(a) salt;
(b) sugar.
"""
LEAD = (
    "HAS ADOPTED THIS REGULATION:\nArticle 1\nRegulation (EU) No 10/2015 is amended as follows:\n"
)


def amend(text: str) -> tuple[Act, list[str]]:
    """The base after the instructions, and why any of them was not applied."""
    found = parse_amendments("amending", LEAD + text, "eu")
    operations = [each for each in found if isinstance(each, Operation)]
    act, _, deferred = apply_operations(read_act("base", BASE), operations)
    unclear = [each.reason for each in found if isinstance(each, UnclearInstruction)]
    return act, unclear + [each.reason for each in deferred]


def show(act: Act, path: str) -> dict[str, str]:
    return {
        each.path.removeprefix(path): " / ".join(
            filter(None, (each.opening.text, each.closing.text))
        ).replace("\n", " | ")
        for each in act.list_within(path)
    }


@pytest.mark.parametrize(
    "text",
    [
        "(1) in Article 2, point (3), points (a) and (b) are deleted;",
        "(1) in Article 2, points (a) and (b) of point (3) are deleted;",
        "(1) Article 2 is amended as follows:\n(a) in point (3), points (a) and (b) are deleted;",
        "(1) points (a) and (b) of point (3) of Article 2 are deleted;",
    ],
)
def test_letters_after_a_point_with_a_figure_are_its_points(text: str) -> None:
    act, problems = amend(text)
    assert problems == []
    assert list(show(act, "art_2__point_3")) == ["", "__point_c"]
    assert "art_2__point_1" in act.by_path()


@pytest.mark.parametrize(
    "text",
    [
        "(1) in Article 2, point (3) and point (a) are deleted;",
        "(1) in Article 2, points (3)(a) and (b) are deleted;",
        "(1) in Article 1(1), point (a) of point (b) is deleted;",
    ],
)
def test_points_that_may_be_parts_of_each_other_are_a_question(text: str) -> None:
    act, problems = amend(text)
    assert len(problems) == 1
    assert act == read_act("base", BASE)


def test_an_inserted_point_follows_the_point_it_is_named_after() -> None:
    act, problems = amend(
        "(1) in Article 1(1), the following points are inserted:\n‘(aa)\tkiosks;’;\n"
        "(2) in Article 1(1), the following points are inserted:\n‘(ba)\ttents;\n(bb)\tvans;’;\n"
    )
    assert problems == []
    found = [each.rpartition("_")[2] for each in show(act, "art_1__para_1")][1:]
    assert found == ["a", "aa", "b", "ba", "bb", "c"]


@pytest.mark.parametrize(
    "numbers",
    [
        ["a", "aa", "ab", "b", "ba", "bb", "c"],
        ["y", "z", "aa", "ab", "aba", "ac"],
        ["y", "z", "aa", "bb", "cc"],
        ["o", "oa", "p", "z", "aa"],
        ["i", "ii", "iia", "iii", "ix"],
        ["2", "2a", "2b", "10"],
        ["A", "B", "Ba", "C"],
    ],
)
def test_numbers_sort_as_they_are_printed(numbers: list[str]) -> None:
    shuffled = numbers[::-1]
    assert sorted(shuffled, key=lambda each: order_key(each, numbers)) == numbers


def test_lines_after_a_list_belong_to_the_provision_around_it() -> None:
    act, problems = amend(
        "(1) in Article 1, paragraph 1 is replaced by the following:\n"
        "‘1. Fees are due from:\n(a)\tshops;\n(b)\tstalls,\nif they are open.\n"
        "The Council sets them.’;\n"
    )
    assert problems == []
    assert show(act, "art_1__para_1") == {
        "": "Fees are due from: / if they are open. | The Council sets them.",
        "__point_a": "shops;",
        "__point_b": "stalls,",
    }


def test_lines_before_the_next_point_belong_to_the_point_before() -> None:
    act, problems = amend(
        "(1) in Article 1, paragraph 1 is replaced by the following:\n‘1. Fees are due from:\n"
        "(a)\nshops that are:\n(i)\tlarge;\n(ii)\tnew.\nA shop may object;\n(b)\tstalls.\n"
        "The Council sets them.’;\n"
    )
    assert problems == []
    assert show(act, "art_1__para_1") == {
        "": "Fees are due from: / The Council sets them.",
        "__point_a": "shops that are: / A shop may object;",
        "__point_a__point_i": "large;",
        "__point_a__point_ii": "new.",
        "__point_b": "stalls.",
    }


def test_lines_of_a_last_point_that_begins_on_its_own_line_stay_with_it() -> None:
    act, problems = amend(
        "(1) in Article 1, paragraph 1 is replaced by the following:\n"
        "‘1. Fees are due from:\n(a)\tshops;\n(b)\nstalls.\nA stall may object.’;\n"
    )
    assert problems == []
    assert show(act, "art_1__para_1")["__point_b"] == "stalls. | A stall may object."


def test_a_second_row_of_points_is_not_a_part_of_the_first() -> None:
    act, problems = amend(
        "(1) in Article 1, paragraph 1 is replaced by the following:\n"
        "‘1. Fees are due from:\n(a)\tshops;\n(b)\tstalls.\nNo fees are due from:\n(a)\tcarts;\n"
        "(b)\tvans.\nThe Council sets them.’;\n"
    )
    assert problems == []
    assert show(act, "art_1__para_1") == {
        "": "Fees are due from: / No fees are due from: | The Council sets them.",
        "__point_a": "shops;",
        "__point_b": "stalls.",
        "__point_a_2": "carts;",
        "__point_b_2": "vans.",
    }


def test_subparagraphs_may_follow_the_points_of_a_new_one() -> None:
    act, problems = amend(
        "(1) in Article 1(1), the first subparagraph is replaced by the following:\n"
        "‘Fees are due from:\n(a)\tkiosks;\n(b)\ttents.\nThe Council sets them.’;\n"
    )
    assert problems == []
    assert show(act, "art_1__para_1") == {
        "": "Fees are due from: / The Council sets them.",
        "__point_a": "kiosks;",
        "__point_b": "tents.",
    }


def test_dashes_belong_to_the_point_that_announces_them() -> None:
    act, problems = amend(
        "(1) in Article 1(1), points (a) and (b) are replaced by the following:\n"
        "‘(a)\tshops:\n—\tlarge,\n—\tnew;\n(b)\tstalls.’;\n"
    )
    assert problems == []
    assert show(act, "art_1__para_1")["__point_a"] == "shops: | —\tlarge, | —\tnew;"


@pytest.mark.parametrize(
    "text",
    [
        "(1) in Article 3(1), point (a) is deleted;",
        "(1) in Article 3(1), point (b), ‘meat’ is replaced by ‘fish’;",
        "(1) in Article 3(1), the following point is added:\n‘(c)\tflour.’;",
        "(1) in Article 1(1), the following point is added:\n‘(d)\tvans.\nThe Council decides.’;",
        "(1) in Article 1, paragraph 1 is replaced by the following:\n‘1. The fee is calculated "
        "in accordance with the following formula:\nwhere:\nF = the fee.’;",
    ],
)
def test_what_the_text_does_not_settle_is_a_question(text: str) -> None:
    act, problems = amend(text)
    assert len(problems) == 1
    assert act == read_act("base", BASE)


def test_a_new_heading_does_not_contain_the_number_above_it() -> None:
    act, problems = amend(
        "(1) in Article 2, the title is replaced by the following:\n‘Article 2\nTerms ’;\n"
        "(2) in Article 3, the title is replaced by the following:\n‘Lists’;\n"
    )
    assert problems == []
    assert act.by_path()["art_2"].heading.text == "Terms"
    assert act.by_path()["art_3"].heading.text == "Lists"
