"""Notices of the Federal Register: instructions first, new text with asterisks behind them."""

from assay.packs.regulatory.acts.amending import apply_operations, parse_amendments
from assay.packs.regulatory.acts.shapes import (
    Act,
    Operation,
    OperationKind,
    Provision,
    UnclearInstruction,
    Words,
)

PART = "PART 1005—ELECTRONIC FUND TRANSFERS\n"


def parse(text: str) -> list[Operation | UnclearInstruction]:
    return parse_amendments("notice", PART + text, "us")


def outline(text: str) -> list[tuple[str, str]]:
    return [
        (each.kind.value, each.renumbered or each.target)
        if isinstance(each, Operation)
        else ("unclear", each.target)
        for each in parse(text)
    ]


def provision(path: str, words: str = "", number: str = "") -> Provision:
    return Provision(path, number, opening=Words(words))


def test_one_instruction_revises_and_adds_paragraphs() -> None:
    text = (
        "■ 2. Section 1005.31 is amended by revising paragraphs (a)(1) and (b)(1)"
        "(ii) and (iii), and "
        "adding paragraph (c) to read as follows:\n§ 1005.31 Disclosures.\n"
        "(a) General form—(1) Clear. New words.\n* * * * *\n(b) * * *\n(1) * * *\n"
        "(ii) Fees;\n(iii) Taxes.\n* * * * *\n(c) Format. Whole.\n"
    )
    assert outline(text) == [
        ("replace", "sec_1005.31__para_a__point_1"),
        ("replace", "sec_1005.31__para_b__point_1__point_ii"),
        ("replace", "sec_1005.31__para_b__point_1__point_iii"),
        ("insert", "sec_1005.31__para_c"),
    ]
    first = parse(text)[0]
    assert isinstance(first, Operation)
    assert first.provisions[0].opening.text == "Clear. New words."
    assert first.instrument == "CFR part 1005"


def test_lettered_instructions_belong_to_the_section_above_them() -> None:
    text = (
        "■ 3. Amend § 1005.33 by:\n■ a. Revising paragraph (g)(2) introductory text;\n"
        "■ b. Removing and reserving paragraph (c); and\n■ c. Adding paragraph (h).\n"
        "The revisions and additions read as follows:\n§ 1005.33 Errors.\n* * * * *\n"
        "(g) * * *\n(2) New opening:\n* * * * *\n(h) New paragraph.\n"
    )
    found = parse(text)
    assert outline(text) == [
        ("replace", "sec_1005.33__para_g__point_2"),
        ("delete", "sec_1005.33__para_c"),
        ("insert", "sec_1005.33__para_h"),
    ]
    assert isinstance(found[0], Operation)
    assert found[0].opening_only


def test_comments_of_a_supplement_are_found_under_their_headings() -> None:
    text = (
        "■ 5. In Supplement I to part 1005:\n■ a. Under Section 1005.31—Disclosures:\n"
        "■ i. Under Paragraph 31(b)(2), paragraph 1 is revised and paragraphs 2 and 3 are added.\n"
        "Supplement I to Part 1005—Official Interpretations\nSection 1005.31—Disclosures\n"
        "31(b)(2) Receipts\n1. One. New.\n2. Two. i. First.\nii. Second.\n3. Three.\n"
    )
    base = "annex_I__sec_1005.31__para_31.b.2__point_"
    assert outline(text) == [
        ("replace", base + "1"),
        ("insert", base + "2"),
        ("insert", base + "3"),
    ]


def test_redesignation_comes_before_what_uses_the_new_numbers() -> None:
    text = (
        "■ 4. Section 1005.36 is amended by redesignating paragraphs (c) and (d) as paragraphs (d) "
        "and (e), and adding new paragraph (c) to read as follows:\n§ 1005.36 Transfers.\n"
        "* * * * *\n(c) New.\n* * * * *\n"
    )
    assert outline(text) == [
        ("renumber", "sec_1005.36__para_e"),
        ("renumber", "sec_1005.36__para_d"),
        ("insert", "sec_1005.36__para_c"),
    ]


def test_words_are_swapped_wherever_they_appear() -> None:
    text = (
        "■ 2. In § 478.11(b), remove the words “Director” wherever they appear "
        "and add, in their place, the words “Attorney General”.\n"
    )
    (found,) = parse(text)
    assert isinstance(found, Operation)
    assert (found.kind, found.target) == (OperationKind.REPLACE_WORDS, "sec_478.11__para_b")
    assert (found.old, found.new.text, found.everywhere) == ("Director", "Attorney General", True)


def test_an_authority_citation_that_continues_changes_nothing() -> None:
    text = (
        "■ 1. The authority citation for part 1005 continues to read as follows:\nAuthori"
        "ty: 12 U.S.C. 5512.\n"
    )
    assert parse(text) == []


def test_what_is_not_a_numbered_provision_is_unclear() -> None:
    text = (
        "■ 6. Appendix A to part 1005 is amended as follows:\n■ a. Model Forms "
        "A-31 and A-40 are revised.\n"
    )
    assert outline(text) == [("unclear", "annex_A")]


def test_a_target_that_the_new_text_does_not_show_is_unclear() -> None:
    text = (
        "■ 2. Section 1005.31 is amended by revising paragraph (f) to read as follows:\n§"
        " 1005.31 Disclosures.\n(a) Other words.\n"
    )
    assert outline(text) == [("unclear", "sec_1005.31__para_f")]


def test_asterisks_keep_the_parts_between_those_shown() -> None:
    act = Act(
        (
            provision("sec_1005.3"),
            provision("sec_1005.3__para_b", "Old:", "(b)"),
            *(
                provision(f"sec_1005.3__para_b__point_{n}", f"Part {n}.", f"({n})")
                for n in (1, 2, 3)
            ),
            provision("sec_1005.3__para_c", "Last.", "(c)"),
        )
    )
    text = (
        "■ 2. Section 1005.3 is amended by revising paragraph (b) to read as follows:\n"
        "§ 1005.3 Coverage.\n* * * * *\n(b) New:\n(1) First.\n* * * * *\n(3) Third.\n* * * * *\n"
    )
    operations = [each for each in parse(text) if isinstance(each, Operation)]
    changed, applied, deferred = apply_operations(act, operations)
    assert len(applied) == 1, deferred
    assert [(each.path, each.opening.text) for each in changed.provisions] == [
        ("sec_1005.3", ""),
        ("sec_1005.3__para_b", "New:"),
        ("sec_1005.3__para_b__point_1", "First."),
        ("sec_1005.3__para_b__point_2", "Part 2."),
        ("sec_1005.3__para_b__point_3", "Third."),
        ("sec_1005.3__para_c", "Last."),
    ]


def test_a_reserved_number_is_filled_without_the_asterisks_behind_the_new_text() -> None:
    act = Act((provision("sec_1005.3"), provision("sec_1005.3__para_b", "[Reserved]", "(b)")))
    text = (
        "■ 2. Section 1005.3 is amended by adding paragraph (b) to read as follows:\n"
        "§ 1005.3 Coverage.\n* * * * *\n(b) New.\n* * * * *\n"
    )
    operations = [each for each in parse(text) if isinstance(each, Operation)]
    changed, _, deferred = apply_operations(act, operations)
    assert deferred == []
    assert [each.opening.text for each in changed.provisions] == ["", "New."]


def test_words_that_a_colon_announces_stay_in_their_comment() -> None:
    text = (
        "■ 9. Supplement I to part 1005 is revised to read as follows:\n"
        "Supplement I to Part 1005—Official Interpretations\nIntroduction\n1. Status. Binding.\n"
        "Section 1005.5—Disclosure\n5(b) Notice\n1. Text. The following is suggested:\n"
        "Home Mortgage Notice\nThe data are online.\n2. Form. On paper.\n"
        "5(c) Register\nNo number here; see above.\n1. Text. The following is suggested:\n"
        "Home Mortgage Notice\nThe data are online, too.\n"
    )
    (found,) = parse(text)
    assert isinstance(found, Operation)
    words = {each.path: each.opening.text for each in found.provisions}
    assert words == {
        "annex_I": "Introduction",
        "annex_I__point_1": "Status. Binding.",
        "annex_I__sec_1005.5": "",
        "annex_I__sec_1005.5__para_5.b": "",
        "annex_I__sec_1005.5__para_5.b__point_1": (
            "Text. The following is suggested:\nHome Mortgage Notice\nThe data are online."
        ),
        "annex_I__sec_1005.5__para_5.b__point_2": "Form. On paper.",
        "annex_I__sec_1005.5__para_5.c": "No number here; see above.",
        "annex_I__sec_1005.5__para_5.c__point_1": (
            "Text. The following is suggested:\nHome Mortgage Notice\nThe data are online, too."
        ),
    }


def test_a_number_that_the_new_text_has_twice_is_a_question() -> None:
    text = (
        "■ 9. Supplement I to part 1005 is revised to read as follows:\n"
        "Supplement I to Part 1005—Official Interpretations\nSection 1005.2—Definitions\n"
        "Account\n1. One.\nAgent\n1. Two.\nAccount\n1. Three.\n"
    )
    (found,) = parse(text)
    assert isinstance(found, UnclearInstruction)
    assert "twice" in found.reason


def test_paragraphs_reserved_at_once_are_reserved_one_by_one() -> None:
    text = (
        "■ 4. Section 1005.4 is revised to read as follows:\n§ 1005.4 Data.\n(a) First.\n"
        "(b)-(d) [Reserved]\n(e) Last.\n"
    )
    (found,) = parse(text)
    assert isinstance(found, Operation)
    assert [(each.path[12:], each.number, each.opening.text) for each in found.provisions[1:]] == [
        ("para_a", "(a)", "First."),
        ("para_b", "(b)", "[Reserved]"),
        ("para_c", "(c)", "[Reserved]"),
        ("para_d", "(d)", "[Reserved]"),
        ("para_e", "(e)", "Last."),
    ]


def test_a_heading_may_be_followed_by_two_numbers_at_once() -> None:
    text = (
        "■ 8. Section 1005.5 is revised to read as follows:\n§ 1005.5 Reporting.\n"
        "(a) Reporting to agency. (1)(i) Annual reporting. By March 1.\n(ii) [Reserved]\n"
        "(iii) On the next Monday.\n(2) A subsidiary.\n(b)(1)(i)(A) Deep.\n(B) Deeper.\n"
    )
    (operation,) = parse(text)
    assert isinstance(operation, Operation)
    lead = "sec_1005.5__para_"
    assert [each.path for each in operation.provisions] == [
        "sec_1005.5",
        *(f"{lead}a{rest}" for rest in ("", "__point_1", "__point_1__point_i")),
        *(f"{lead}a__point_1__point_{number}" for number in ("ii", "iii")),
        f"{lead}a__point_2",
        *(f"{lead}b{rest}" for rest in ("", "__point_1", "__point_1__point_i")),
        *(f"{lead}b__point_1__point_i__point_{number}" for number in "AB"),
    ]
    assert operation.provisions[1].opening.text == "Reporting to agency."
