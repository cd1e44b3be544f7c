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


def outline(text: str) -> list[tuple[str, str]]:
    return [
        (each.kind.value if isinstance(each, Operation) else "unclear", each.target)
        for each in parse_amendments("amending", text, "eu")
    ]


def test_reasons_with_quotations_hide_no_instruction() -> None:
    text = (
        "(1) The report ‘Upgrading the Single Market’s rules’ called for ‘simple rules’ on fees "
        "and ‘the Member States’ agreed.\n"
        "(2) So-called ‘special rights’ are not ‘exclusive rights’\n"
    )
    assert outline(text + LEAD + "(1) Article 2 is deleted;\n") == [("delete", "art_2")]


def test_a_defined_term_ends_where_its_definition_begins() -> None:
    text = (
        LEAD + "(1) Article 2 is deleted;\nArticle 2\nFor the purposes of this Regulation:\n"
        "(9) ‘transfer of funds’ means a transfer of the payers’ funds;\n"
        "‘family members’ includes the following:\n(a) the spouse.\n"
        "‘No creditor worse off’ principle\nIt is upheld.\n"
        "Article 3\nIn Regulation (EU) No 10/2015, Article 1 is deleted.\n"
    )
    assert outline(text) == [("delete", "art_2"), ("delete", "art_1")]


NOTED = (
    "(1) in Article 1, paragraph 1 is replaced by the following:\n"
    "‘1. The rate of Regulation (EU) 2018/1 (*1) is 16 %.\nIt is paid in May.\n"
)
NEXT = "Article 2\nAmendment of Regulation (EU) No 10/2015\n"


def test_a_quotation_whose_end_was_in_a_footnote_ends_before_the_next_instruction() -> None:
    text = NOTED + NEXT + "In Regulation (EU) No 10/2015, Article 2 is replaced by the following:\n"
    found = parse(text + "‘Article 2\nIt is EUR 5.’.\n")
    assert [(e.target, isinstance(e, Operation)) for e in found] == [
        ("art_1__para_1", True),
        ("art_2", True),
    ]
    first = found[0]
    assert isinstance(first, Operation)
    assert first.provisions[0].opening.text.endswith("It is paid in May.")


@pytest.mark.parametrize(
    "between",
    [
        "(2) Article 2 is deleted;\n",
        "Regulation (EU) No 9/2015 is amended as follows:\n(2) Article 2 is deleted;\n",
    ],
)
def test_what_may_be_an_instruction_makes_the_end_of_a_quotation_uncertain(between: str) -> None:
    text = (
        NOTED + between + "(3) in Article 2, paragraph 1 is replaced by the following:\n‘1. New.’;"
    )
    assert not any(isinstance(each, Operation) for each in parse(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "(1) paragraph 1 of Article 1 is hereby replaced by the following;\n‘1. New.’;\n",
            [("replace", "art_1__para_1")],
        ),
        (
            "(1) in Article 1, paragraph 1 is replaced by the following:\n"
            "‘1. New.\n1a. More.\n(a) one;\n1b. Even more.’;\n",
            [
                ("replace", "art_1__para_1"),
                ("insert", "art_1__para_1a"),
                ("insert", "art_1__para_1b"),
            ],
        ),
        (
            "(1) in Article 1, paragraphs 4 and 5 are replaced by the following:\n"
            "‘4. A.\n4a. B.\n5. C.’;\n",
            [
                ("replace", "art_1__para_4"),
                ("insert", "art_1__para_4a"),
                ("replace", "art_1__para_5"),
            ],
        ),
        (
            "(1) in Article 1, paragraphs 4 and 5 are replaced by the following:\n‘4. A.’;\n",
            [("unclear", "art_1")],
        ),
        (
            "(1) Article 1 is amended as follows:\n(a) paragraph 2 is amended as follows:\n"
            "— point (a) is deleted;\n— points (c) to (e) are deleted;\n"
            "(b) paragraph 3 is deleted;\n",
            [
                ("delete", "art_1__para_2__point_a"),
                ("delete", "art_1__para_2__point_c"),
                ("delete", "art_1__para_2__point_d"),
                ("delete", "art_1__para_2__point_e"),
                ("delete", "art_1__para_3"),
            ],
        ),
        ("(1) in the Annex, point 3 is deleted;\n", [("delete", "annex__point_3")]),
        (
            "(1) in Article 4(1), points (v) and (vi) are replaced by the following:\n"
            "‘(v) a;\n(va) b;\n(vb) c;\n(vi) d;\n(via) e.’;\n",
            [
                ("replace", "art_4__para_1__point_v"),
                ("insert", "art_4__para_1__point_va"),
                ("insert", "art_4__para_1__point_vb"),
                ("replace", "art_4__para_1__point_vi"),
                ("insert", "art_4__para_1__point_via"),
            ],
        ),
        (
            "(1) in point (2) of Article 4, the following point is added:\n‘(viii) fees.’;\n",
            [("insert", "art_4__point_2__point_viii")],
        ),
        (
            "(1) in Article 4, point (a) is amended as follows:\n"
            "(i) the following point is inserted:\n‘(iia) fees;’;\n",
            [("insert", "art_4__point_a__point_iia")],
        ),
        (
            "(1) Annex III is amended as follows:\n(a) in Section II, point (b) is deleted;\n"
            "(b) Part A is amended as follows:\n(i) point 2 is deleted;\n",
            [
                ("delete", "annex_iii__point_II__point_b"),
                ("delete", "annex_iii__point_A__point_2"),
            ],
        ),
        ("(1) Annex VI, Part 1, point 2 is deleted;\n", [("unclear", "annex_vi__point_2")]),
        ("In the absence of a decision within the following periods:\n", []),
    ],
)
def test_formulas_of_the_union(text: str, expected: list[tuple[str, str]]) -> None:
    assert outline(LEAD + text) == expected


def test_a_reference_to_an_annex_is_answered_by_its_instructions() -> None:
    text = LEAD + "(1) Annex II is amended in accordance with the Annex to this Regulation.\n"
    annex = "ANNEX\nIn Annex {} to Regulation (EU) No 10/2015, point 3 is deleted.\n"
    assert outline(text) == [("unclear", "annex_ii")]
    assert outline(text + annex.format("II")) == [("delete", "annex_ii__point_3")]
    assert outline(text + annex.format("IV")) == [
        ("unclear", "annex_ii"),
        ("delete", "annex_iv__point_3"),
    ]


@pytest.mark.parametrize(
    "citing",
    [
        "Article 2, point (h), as established by Directive 2008/8/EC, is replaced by the following:"
        "\n‘New.’;",
        "in Article 2, the date ‘1 May’ is replaced by ‘1 June’ and the reference to Annex V of "
        "Directive 93/6/EEC is replaced by a reference to Annex VIII;",
        "Part Five is deleted and all references to it shall be read as references to Chapter 2 of "
        "Regulation (EU) 2017/2402;",
        'Article 2 is replaced by the following:\n"As laid down in Directive 2002/87/EC."',
    ],
)
def test_an_act_that_an_instruction_cites_is_not_the_one_to_change(citing: str) -> None:
    found = parse(f"(1) {citing}\n(2) Article 1(2) is deleted.")
    assert isinstance(found[0], UnclearInstruction)
    assert {each.instrument for each in found} == {"Regulation (EU) No 10/2015"}
    assert found[-1].target == "art_1__para_2"


def test_an_act_that_one_point_names_is_not_that_of_the_next() -> None:
    found = parse(
        "(1) Article 1 is amended as follows:\n"
        "(a) in Article 4 of Directive 2002/65/EC, paragraph 2 is deleted;\n"
        "(2) Article 2 is amended as follows:\n(a) paragraph 1 is amended as follows:\n"
        "(i) point (a) is deleted."
    )
    assert [(each.instrument, each.target) for each in found] == [
        ("Directive 2002/65/EC", "art_4__para_2"),
        ("Regulation (EU) No 10/2015", "art_2__para_1__point_a"),
    ]


def test_a_line_without_a_number_may_name_the_next_act() -> None:
    found = parse(
        "(1) Article 1(2) is deleted.\n"
        "Accordingly, Directive 2002/65/EC is hereby amended as follows:\n(1) Article 4 is deleted."
    )
    regulation, directive = "Regulation (EU) No 10/2015", "Directive 2002/65/EC"
    assert [each.instrument for each in found] == [regulation, directive, directive]


@pytest.mark.parametrize(
    ("text", "words", "reasons"),
    [
        (
            "(a) the second subparagraph is deleted;\n"
            "(b) the third subparagraph is replaced by the following:\n‘New.’.",
            "The rate is 15 %. | The Commission shall be informed.",
            ["an earlier instruction changed how many"],
        ),
        (
            "(a) the first subparagraph is replaced by the following:\n‘1. One.\nTwo.’;\n"
            "(b) the second subparagraph is deleted.",
            "One. | Two. | Member States may set a lower rate. | The Commission shall be informed.",
            ["an earlier instruction changed how many"],
        ),
        (
            "(a) the first and second subparagraphs are deleted.",
            "The Commission shall be informed.",
            [],
        ),
        (
            "(a) the third subparagraph is deleted;\n"
            "(b) the second subparagraph is replaced by the following:\n‘New.’.",
            "The rate is 15 %. | New.",
            [],
        ),
        (
            "(a) the second subparagraph is deleted;\n"
            "(b) the following subparagraph is added:\n‘New.’.",
            "The rate is 15 %. | The Commission shall be informed. | New.",
            [],
        ),
    ],
)
def test_subparagraphs_are_not_counted_after_their_number_changed(
    text: str, words: str, reasons: list[str]
) -> None:
    act, found = amend(f"(1) in Article 1, paragraph 1 is amended as follows:\n{text}")
    assert words_of(act, "art_1__para_1") == words
    assert len(found) == len(reasons)
    assert all(part in reason for part, reason in zip(reasons, found, strict=True))
