"""Amendments of acts of the Union: subparagraphs, notes, and places that are not understood."""

import pytest

from assay.packs.regulatory.acts.amending import apply_operations, parse_amendments
from assay.packs.regulatory.acts.shapes import Act, Operation, UnclearInstruction
from assay.packs.regulatory.acts.trees import read_act

BASE = """Article 1
1. The rate is 15 %.
Member States may set a lower rate.
The Commission shall be informed.
2. The rate is reduced for:
(a) books;
(b) water.
The Council shall review the list.
Article 2
The duty is EUR 134000 a year.
It is paid in May.
"""
LEAD = (
    "HAS ADOPTED THIS REGULATION:\nArticle 1\nRegulation (EU) No 10/2015 is amended as follows:\n"
)


def parse(text: str) -> list[Operation | UnclearInstruction]:
    return parse_amendments("amending", LEAD + text, "eu")


def amend(text: str) -> tuple[Act, list[str]]:
    """The base after the instructions, and why any of them was not applied."""
    found = parse(text)
    act, _, deferred = apply_operations(
        read_act("base", BASE), [each for each in found if isinstance(each, Operation)]
    )
    unclear = [each.reason for each in found if isinstance(each, UnclearInstruction)]
    return act, unclear + [each.reason for each in deferred]


def words_of(act: Act, path: str) -> str:
    found = act.by_path()[path]
    return " / ".join(filter(None, (found.opening.text, found.closing.text))).replace("\n", " | ")


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        (
            "(1) in Article 1(1), the second subparagraph is replaced by the following:\n‘New.’;",
            "art_1__para_1",
            "The rate is 15 %. | New. | The Commission shall be informed.",
        ),
        (
            "(1) in Article 1(1), the first and second subparagraphs are replaced by the following:"
            "\n‘1. New.’;",
            "art_1__para_1",
            "New. | The Commission shall be informed.",
        ),
        (
            "(1) the third subparagraph of Article 1(1) is deleted;",
            "art_1__para_1",
            "The rate is 15 %. | Member States may set a lower rate.",
        ),
        (
            "(1) in Article 1(2), the following subparagraph is added:\n‘Last.’;",
            "art_1__para_2",
            "The rate is reduced for: / The Council shall review the list. | Last.",
        ),
        (
            "(1) in Article 1(1), the following subparagraph is inserted after the first "
            "subparagraph:\n‘Between.’;",
            "art_1__para_1",
            "The rate is 15 %. | Between. | Member States may set a lower rate. "
            "| The Commission shall be informed.",
        ),
        (
            "(1) in Article 1(1), second subparagraph, ‘lower’ is replaced by ‘higher’;",
            "art_1__para_1",
            "The rate is 15 %. | Member States may set a higher rate. "
            "| The Commission shall be informed.",
        ),
        (
            "(1) in Article 1(2), the introductory part is replaced by the following:\n"
            "‘2. No rate applies to:’;",
            "art_1__para_2",
            "No rate applies to: / The Council shall review the list.",
        ),
        (
            "(1) in Article 2, the second paragraph is replaced by the following:\n‘In June.’;",
            "art_2",
            "The duty is EUR 134000 a year. | In June.",
        ),
        (
            "(1) in Article 2, the amount ‘EUR 134 000’ is replaced by ‘EUR 135 000’;",
            "art_2",
            "The duty is EUR 135 000 a year. | It is paid in May.",
        ),
    ],
)
def test_a_subparagraph_changes_and_the_others_stay(text: str, path: str, words: str) -> None:
    act, problems = amend(text)
    assert problems == []
    assert words_of(act, path) == words


def test_points_of_a_subparagraph_are_found_where_they_are() -> None:
    act, problems = amend("(1) in Article 1(2), first subparagraph, point (b) is deleted;")
    assert problems == []
    assert "art_1__para_2__point_b" not in act.by_path()


@pytest.mark.parametrize(
    "text",
    [
        "(1) in Article 1(2), second subparagraph, point (b) is deleted;",
        "(1) in Article 1(1), the fifth subparagraph is deleted;",
        "(1) in Article 1(1), the introductory part is replaced by the following:\n‘New:’;",
        "(1) in Article 1(2), point (a) and the second subparagraph are deleted;",
    ],
)
def test_a_subparagraph_that_is_not_certain_is_a_question(text: str) -> None:
    act, problems = amend(text)
    assert len(problems) == 1
    assert act == read_act("base", BASE)


def test_footnotes_of_new_text_are_not_law() -> None:
    act, problems = amend(
        "(1) in Article 1(2), point (b) is replaced by the following:\n‘(b) water (*1);\n"
        "(*1) Directive (EU) 2020/2184 (OJ L 435, 23.12.2020, p. 1).’;\n(2) Article 2 is deleted.\n"
    )
    assert problems == []
    assert words_of(act, "art_1__para_2__point_b") == "water (*1);"
    assert "art_2" not in act.by_path()


def test_new_points_may_have_their_number_on_a_line_of_its_own() -> None:
    act, problems = amend(
        "(1) in Article 1(2), the following points are added:\n‘(ba)\nair;\n(bb)\nfire.’;\n"
    )
    assert problems == []
    assert words_of(act, "art_1__para_2__point_ba") == "air;"
    assert words_of(act, "art_1__para_2__point_bb") == "fire."


def test_a_quotation_that_swallows_an_instruction_changes_nothing() -> None:
    """The act and the article may have been named inside, so what follows is not certain either."""
    found = parse(
        "(1) in Article 1(1), the following subparagraph is added:\n‘Text without an end.\n"
        "(2) in Article 2 of Regulation (EU) No 99/2018, point (a) is replaced by the following:\n"
        "‘(a) text.’;\n(3) the following paragraph is inserted:\n‘3a. Text.’;\n"
    )
    assert found
    assert all(isinstance(each, UnclearInstruction) for each in found)


def test_clauses_below_an_instruction_that_is_not_understood_are_not_applied() -> None:
    """Otherwise they would reach the provision that the clause before was about."""
    found = parse(
        "(1) Annex V is amended as follows:\n(a) point 1 is deleted;\n"
        "(2) Annex VI, Part 2 is amended as follows:\n(a) point 8 is deleted;\n"
    )
    assert [(type(each), each.target) for each in found] == [
        (Operation, "annex_v__point_1"),
        (UnclearInstruction, "annex_vi"),
        (UnclearInstruction, ""),
    ]


def test_reasons_before_the_enacting_words_are_not_instructions() -> None:
    text = "(1) Article 5 of Regulation (EU) No 10/2015 is replaced by a better one.\n" + LEAD
    (found,) = parse_amendments("amending", text + "(1) Article 2 is deleted.\n", "eu")
    assert isinstance(found, Operation)
    assert found.target == "art_2"


def test_defined_terms_of_the_amending_act_quote_only_the_term() -> None:
    found = parse_amendments(
        "amending",
        "HAS ADOPTED THIS REGULATION:\nArticle 1\n‘bank’ means a bank:\n(a) of a Member State.\n"
        "Article 2\nRegulation (EU) No 10/2015 is amended as follows:\n"
        "(1) in Article 1(1), ‘15 %’ is replaced by ‘16 %’.\n",
        "eu",
    )
    assert [(type(each), each.target) for each in found] == [(Operation, "art_1__para_1")]
