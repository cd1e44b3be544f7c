"""How rules of one concept stand to each other: by what they say, never by their order."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.hashes import canonical_json
from assay.model.rules import RuleEdge
from assay.ruling.rules.contradictions import RulePosition, contradict, find_contradicting
from assay.ruling.rules.rule_relations import (
    GroundedRule,
    drop_cycles,
    find_relations,
    ground_rule,
)
from tests.ruling.rule_makers import a_grounded, a_pointer, a_rule


def kinds(*entries: GroundedRule) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    found = find_relations(entries, now_ms=0)
    return (
        [(edge.from_rule, edge.kind, edge.to_rule) for edge in found.edges],
        [(conflict.kind, conflict.sign) for conflict in found.conflicts],
    )


def sides(*entries: GroundedRule) -> list[str]:
    return [side.rule_id for side in find_relations(entries, now_ms=0).sides]


def test_a_later_rule_ends_no_earlier_one() -> None:
    old = a_grounded(a_rule("old", "23", effective_from="2024-01-01"), "d1")
    new = a_grounded(a_rule("new", "25", effective_from="2026-01-01"), "d2")
    assert kinds(old, new) == ([], [("TEMPORAL", "DATE_OVERLAP")])


def test_an_amending_act_ends_no_value_that_it_does_not_name() -> None:
    old = a_grounded(a_rule("old", "23", effective_from="2024-01-01"), "d1")
    new = a_grounded(
        a_rule("new", "25", effective_from="2026-01-01", amends=True), "d2", replaces="24"
    )
    assert kinds(old, new) == ([], [("TEMPORAL", "DATE_OVERLAP")])


def test_an_amendment_that_names_the_old_value_ends_it() -> None:
    old = a_grounded(a_rule("old", "23", effective_from="2024-01-01"), "d1")
    new = a_grounded(a_rule("new", "25", effective_from="2026-01-01"), "d2", replaces="23")
    assert kinds(old, new) == ([("new", "AMENDS", "old")], [])
    undated = a_grounded(a_rule("undated", "23"), "d3")
    assert kinds(undated, new) == ([("new", "AMENDS", "undated")], [])


def test_an_amendment_without_a_day_leaves_open_since_when() -> None:
    old = a_grounded(a_rule("old", "23", effective_from="2024-01-01"), "d1")
    new = a_grounded(a_rule("new", "25"), "d2", replaces="23")
    assert kinds(old, new) == ([("new", "AMENDS", "old")], [("TEMPORAL", "DATE_OVERLAP")])


def test_guidance_does_not_amend_law() -> None:
    law = a_grounded(a_rule("law", "23", effective_from="2024-01-01"), "d1", hierarchy=1)
    said = a_grounded(
        a_rule("said", "25", effective_from="2026-01-01"), "d2", hierarchy=4, replaces="23"
    )
    assert kinds(law, said) == ([], [("SOURCE", "AUTHORITY_SUPERSEDE")])


def test_guidance_and_law_contradict_each_other() -> None:
    law = a_grounded(a_rule("law", "23", effective_from="2024-01-01"), "d1", hierarchy=1)
    said = a_grounded(a_rule("said", "25", effective_from="2026-01-01"), "d2", hierarchy=4)
    assert kinds(law, said) == ([], [("SOURCE", "AUTHORITY_SUPERSEDE")])


def test_two_values_from_one_day_contradict_each_other() -> None:
    a = a_grounded(a_rule("a", "23", effective_from="2026-01-01"), "d1")
    b = a_grounded(a_rule("b", "25", effective_from="2026-01-01"), "d2")
    assert kinds(a, b) == ([], [("SOURCE", "VALUE_MISMATCH")])


def test_one_source_that_says_two_things_is_a_matter_of_reading() -> None:
    a = a_grounded(a_rule("a", "23"), "d1", source_slug="gazette")
    b = a_grounded(a_rule("b", "25"), "d2", source_slug="gazette")
    assert kinds(a, b)[1] == [("INTERPRETATION", "VALUE_MISMATCH")]


def test_a_stated_end_after_the_beginning_of_the_next_overlaps() -> None:
    ends = a_rule("a", "23", effective_from="2024-01-01", effective_until="2027-01-01")
    b = a_grounded(a_rule("b", "25", effective_from="2026-01-01"), "d2")
    assert kinds(a_grounded(ends, "d1"), b) == ([], [("TEMPORAL", "DATE_OVERLAP")])
    over = a_rule("a", "23", effective_from="2024-01-01", effective_until="2026-01-01")
    assert kinds(a_grounded(over, "d1"), b)[1] == []


def test_one_document_does_not_contradict_itself() -> None:
    a, b = a_grounded(a_rule("a", "23"), "d1"), a_grounded(a_rule("b", "25"), "d1")
    assert kinds(a, b) == ([], [])


BOOKS = '{"field":"activity","op":"eq","value":"books"}'


def overrides(quote: str, general: str, special: str, doc_id: str = "d1") -> bool:
    one = a_grounded(a_rule("general", "25"), "d1", article=general)
    rule = a_rule("special", "5", applies_when=BOOKS)
    two = a_grounded(rule, doc_id, article=special, quote=quote)
    edges, conflicts = kinds(one, two)
    assert conflicts == []
    assert edges in ([], [("special", "OVERRIDES", "general")])
    return bool(edges)


@pytest.mark.parametrize(
    ("quote", "general", "special"),
    [
        ("Iznimno od stavka 1. ovoga članka, stopa je 5 %.", "čl. 38. st. 1.", "čl. 38. st. 2."),
        ("Iznimno od članka 38. stavka 1. ovoga Zakona …", "čl. 38. st. 1.", "čl. 40."),
        ("Abweichend von Absatz 6 beträgt die Steuer 5 %.", "§ 38 Abs. 6", "§ 38 Abs. 9"),
        ("Abweichend von § 23 gilt ein Satz von 5 %.", "§ 23 Abs. 1", "§ 9 Abs. 3"),
        ("By way of derogation from paragraph 4, it is 5 %.", "Article 11(4)", "Article 11(5)(a)"),
        ("Notwithstanding Article 11(4), it is 5 %.", "Article 11(4)", "Article 12(1)"),
        ("Notwithstanding paragraph 4 of Article 11, it is 5 %.", "Article 11(4)", "Article 12(1)"),
    ],
)
def test_a_special_case_goes_before_the_provision_that_it_names(
    quote: str, general: str, special: str
) -> None:
    assert overrides(quote, general, special)
    assert not overrides(quote, general, special, "d2")
    assert not overrides("Für Bücher gilt ein Satz von 5 %.", general, special)


@pytest.mark.parametrize(
    ("quote", "general", "special"),
    [
        ("Iznimno, stopa je 5 %.", "čl. 38. st. 1.", "čl. 38. st. 2."),
        ("Iznimno od stavka 3., stopa je 5 %.", "čl. 38. st. 1.", "čl. 38. st. 4."),
        ("Iznimno od članka 38. Zakona o radu, stopa je 5 %.", "čl. 38.", "čl. 40."),
        ("Abweichend von Absatz 1 Satz 2 beträgt sie 5 %.", "§ 38 Abs. 1", "§ 38 Abs. 9"),
        ("Abweichend von § 38 UStG beträgt sie 5 %.", "§ 38 Abs. 1", "§ 40"),
        ("Notwithstanding Article 11 of Directive 2006/112/EC, it is 5 %.", "Article 11", "12"),
        ("Notwithstanding Articles 11 to 14, it is 5 %.", "Article 11", "Article 15"),
        ("Notwithstanding paragraph 1, it is 5 %.", "", ""),
        ("Abweichend von Absatz 2 beträgt sie 5 %.", "§ 6 Abs. 2 Nr. 1", "§ 6 Abs. 3"),
        ("Abweichend von Absatz 2 beträgt sie 5 %.", "§ 6", "§ 6 Abs. 3"),
    ],
)
def test_a_provision_that_is_not_named_for_certain_is_not_overridden(
    quote: str, general: str, special: str
) -> None:
    assert not overrides(quote, general, special)


def test_a_special_case_goes_before_none_of_several_values() -> None:
    special = a_grounded(
        a_rule("special", "5", applies_when=BOOKS),
        "d1",
        article="§ 6 Abs. 3",
        quote="Abweichend von Absatz 1 sind es 5 %.",
    )
    others = [a_grounded(a_rule(f"g{n}", str(20 + n)), "d1", article="§ 6 Abs. 1") for n in (1, 2)]
    assert kinds(*others, special) == ([], [])
    assert len(kinds(others[0], special)[0]) == 1


def test_an_equal_value_is_no_contradiction_and_ends_nothing() -> None:
    old = a_grounded(a_rule("old", "23", effective_from="2024-01-01"), "d1")
    said = a_grounded(a_rule("said", "23"), "d3", hierarchy=4)
    assert kinds(old, said) == ([], [])


def test_many_rules_of_one_case_are_one_conflict() -> None:
    rules = [a_grounded(a_rule(f"r{n}", str(n)), f"d{n}") for n in range(9)]
    other_case = '{"field":"activity","op":"eq","value":"books"}'
    apart = [a_grounded(a_rule(f"b{n}", str(n), applies_when=other_case), f"e{n}") for n in (1, 2)]
    found = find_relations([*rules, *apart], now_ms=0)
    of_conflict: dict[str, list[str]] = {}
    for side in found.sides:
        of_conflict.setdefault(side.conflict_id, []).append(side.rule_id)
    assert len(found.conflicts) == 2
    assert sorted(of_conflict.values()) == [["b1", "b2"], [f"r{n}" for n in range(9)]]


def test_only_what_is_contradicted_is_a_side() -> None:
    over = a_rule("over", "20", effective_from="2010-01-01", effective_until="2012-01-01")
    a = a_grounded(a_rule("a", "23", effective_from="2020-01-01"), "d1")
    b = a_grounded(a_rule("b", "25", effective_from="2021-01-01"), "d2")
    same = a_grounded(a_rule("same", "23", effective_from="2022-01-01"), "d3")
    assert sides(a_grounded(over, "d0"), a, b, same) == ["a", "b", "same"]
    assert sides(a_grounded(over, "d0"), a, same) == []


def test_a_rule_without_ground_or_refused_by_a_person_counts_for_nothing() -> None:
    pointer = a_pointer("a", "d1")
    a = ground_rule(a_rule("a", "23"), [pointer], {}, refused=True)
    b = a_grounded(a_rule("b", "25"), "d2", hierarchy=7)
    bare = GroundedRule(a_rule("c", "27"), (), b.authority)
    assert kinds(a, b, bare) == ([], [])
    assert kinds(ground_rule(a_rule("a", "23"), [pointer], {}), b)[1] == [
        ("SOURCE", "VALUE_MISMATCH")
    ]


@pytest.mark.parametrize(
    "status", ["DRAFT", "PENDING_REVIEW", "APPROVED", "DEPRECATED", "REJECTED"]
)
def test_what_became_of_a_rule_does_not_matter(status: str) -> None:
    a = a_grounded(a_rule("a", "23", effective_from="2026-01-01", status=status), "d1")
    b = a_grounded(a_rule("b", "25", effective_from="2026-01-01"), "d2")
    assert sides(a, b) == ["a", "b"]


def test_two_that_replace_each_other_are_a_conflict_and_no_circle() -> None:
    a = a_grounded(a_rule("a", "23", effective_from="2026-01-01"), "d1", replaces="25")
    b = a_grounded(a_rule("b", "25", effective_from="2026-01-01"), "d2", replaces="23")
    assert kinds(a, b) == ([], [("SOURCE", "VALUE_MISMATCH")])


def test_a_rule_has_an_edge_from_each_of_its_next_amendments() -> None:
    """A person may refuse the first."""
    old = a_grounded(a_rule("old", "10", effective_from="2020-01-01"), "d")
    days = range(2021, 2030)
    rules = [
        a_grounded(
            a_rule(f"r{day}", str(day), effective_from=f"{day}-01-01", effective_until=f"{day}-06"),
            f"d{day}",
            replaces="10",
        )
        for day in days
    ]
    edges, conflicts = kinds(old, *rules)
    assert edges == [(f"r{day}", "AMENDS", "old") for day in range(2021, 2026)]
    assert conflicts == []


def test_a_thousand_amendments_and_a_thousand_contradictions() -> None:
    chain = [
        a_grounded(
            a_rule(f"r{n}", str(n), effective_from=f"{1000 + n}-01-01"),
            f"d{n}",
            replaces=str(n - 1),
        )
        for n in range(1000)
    ]
    found = find_relations(chain, now_ms=0)
    assert (found.conflicts, len(found.edges)) == ((), 999)
    crowd = [a_grounded(a_rule(f"r{n}", str(n)), f"d{n}") for n in range(1000)]
    found = find_relations(crowd, now_ms=0)
    assert (len(found.conflicts), len(found.sides)) == (1, 1000)


def rules_in_turn(count: int) -> list[GroundedRule]:
    days = [(f"{1000 + n}-01-01", f"{1001 + n}-01-01") for n in range(count)]
    return [
        a_grounded(
            a_rule(f"r{n}", str(n), effective_from=begin, effective_until=end), f"d{n}"
        )
        for n, (begin, end) in enumerate(days)
    ]  # fmt: skip


def rules_of_one_document(count: int) -> list[GroundedRule]:
    return [a_grounded(a_rule(f"r{n}", str(n)), "d") for n in range(count)]


def rules_that_contradict(count: int) -> list[GroundedRule]:
    return [a_grounded(a_rule(f"r{n}", str(n)), f"d{n}") for n in range(count)]


def special_rules_of_many_documents(count: int) -> list[GroundedRule]:
    books = canonical_json({"op": "eq", "field": "activity", "value": "books"}).decode()
    general = [a_grounded(a_rule(f"g{n}", "25"), f"d{n}") for n in range(count)]
    special = [a_grounded(a_rule(f"s{n}", "5", applies_when=books), f"d{n}") for n in range(count)]
    return [*general, *special]


def count_calls(work: Callable[[], object]) -> int:
    """How many functions are called: unlike time, it is the same on every machine."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "make",
    [
        rules_in_turn, rules_of_one_document, rules_that_contradict,
        special_rules_of_many_documents,
    ],
)  # fmt: skip
def test_the_work_grows_with_the_number_of_rules(
    make: Callable[[int], list[GroundedRule]],
) -> None:
    few, many = make(100), make(400)
    small = count_calls(lambda: find_relations(few, now_ms=0))
    # Comparing all pairs would take sixteen times as many.
    assert count_calls(lambda: find_relations(many, now_ms=0)) < 6 * small


POSITIONS = st.lists(
    st.builds(
        RulePosition,
        rule_id=st.uuids().map(str),
        value=st.sampled_from(["23", "25", "27"]),
        begins=st.sampled_from([None, "2024-01-01", "2025-01-01", "2026-01-01"]),
        until=st.sampled_from([None, "2024-01-01", "2025-01-01", "2026-01-01"]),
        documents=st.frozensets(st.sampled_from(["d1", "d2", "d3"])),
    ),
    max_size=7,
)


@settings(max_examples=150, deadline=None)
@given(POSITIONS, st.data())
def test_counting_finds_what_comparing_all_pairs_finds(
    positions: list[RulePosition], data: st.DataObject
) -> None:
    ids = [position.rule_id for position in positions]
    agreed = data.draw(st.sets(st.sampled_from(ids)) if ids else st.just(set()))
    dated = {position.value for position in positions if position.begins is not None}
    held = [each for each in positions if each.begins is not None or each.value not in dated]
    assert find_contradicting(positions, agreed) == {
        one.rule_id
        for one in held
        for other in held
        if contradict(one, other) and not {one.rule_id, other.rule_id} <= agreed
    }


def test_a_circle_is_never_drawn() -> None:
    edges = [
        RuleEdge(from_rule=a, to_rule=b, kind="SUPERSEDES")
        for a, b in (("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"))
    ]
    assert [(e.from_rule, e.to_rule) for e in drop_cycles(edges)] == [
        ("a", "b"), ("b", "c"), ("c", "d")
    ]  # fmt: skip


DATES = st.sampled_from([None, "2024-01-01", "2025-01-01", "2026-01-01"])
ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(["23", "25", "27"]),
        DATES,
        st.integers(1, 7),
        st.integers(0, 4),
        st.sampled_from([None, None, "23", "25"]),
    ),
    min_size=1,
    max_size=9,
)


@settings(max_examples=150, deadline=None)
@given(ENTRIES, st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(entries: list[tuple], chance: object) -> None:  # type: ignore[type-arg]
    made = [
        a_grounded(
            a_rule(f"r{number}", value, effective_from=day),
            f"d{document}",
            hierarchy=hierarchy,
            replaces=replaced,
        )
        for number, (value, day, hierarchy, document, replaced) in enumerate(entries)
    ]
    before = find_relations(made, now_ms=0)
    chance.shuffle(made)  # type: ignore[attr-defined]
    assert find_relations(made, now_ms=0) == before
    assert len(drop_cycles(before.edges)) == len(before.edges)
