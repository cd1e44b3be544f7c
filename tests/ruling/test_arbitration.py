"""Which of several rules prevails: the order of the grounds, and when a person has to decide."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ruling.arbiter.arbitration import (
    ConflictVerdict,
    ModelOpinion,
    Precedent,
    RankedSide,
    conclude_verdict,
    decide_by_grounds,
)

KIND = "SOURCE"


def side(name: str, **more: Any) -> RankedSide:
    told: dict[str, Any] = {"value": name, "tier": "T2", "hierarchy": 7, "source": f"source-{name}"}
    return RankedSide(rule_id=name, **{**told, **more})


def precedents(for_a: int, for_b: int, kind: str = KIND) -> list[Precedent]:
    a = Precedent(kind=kind, winner="source-a", loser="source-b")
    b = Precedent(kind=kind, winner="source-b", loser="source-a")
    return [a] * for_a + [b] * for_b


def test_the_first_ground_that_tells_them_apart_decides() -> None:
    later = {"effective_from": "2026-01-01"}
    earlier = {"effective_from": "2025-01-01"}
    ladder = [
        (side("a", hierarchy=2, **earlier), side("b", hierarchy=3, **later), "authority", "a"),
        (side("a", hierarchy=4, **later), side("b", hierarchy=3, **earlier), "hierarchy", "b"),
        (side("a", **earlier), side("b", **later), "later", "in-turn"),
        (side("a"), side("b"), "precedent", "a"),
    ]
    for a, b, ground, winner in ladder:
        found = decide_by_grounds([a, b], KIND, precedents(3, 0))
        assert found is not None
        assert (found.ground, found.winner) == (ground, winner)


def test_no_date_is_not_an_earlier_date() -> None:
    assert decide_by_grounds([side("a"), side("b", effective_from="2026-01-01")], KIND, []) is None


def test_each_ground_leaves_out_those_that_it_ranks_lower() -> None:
    low = [side(f"l{n}", hierarchy=7) for n in range(3)]
    guides = [side("g1", hierarchy=3), side("g2", hierarchy=4)]
    found = decide_by_grounds([*low, *guides], KIND, [])
    assert found is not None and (found.winner, found.ground) == ("g1", "hierarchy")
    same = [side("a", hierarchy=1, value="25"), side("b", hierarchy=1, value="25")]
    found = decide_by_grounds([*low, *guides, *same], KIND, [])
    assert found is not None and (found.winner, found.ground) == ("a", "authority")
    assert (
        decide_by_grounds([*low, side("x", hierarchy=1), side("y", hierarchy=1)], KIND, []) is None
    )


def test_rules_hold_in_turn_only_if_every_dated_one_is_among_them() -> None:
    laws = [
        side("a", hierarchy=1, effective_from="2024-01-01"),
        side("b", hierarchy=1, effective_from="2026-01-01"),
    ]
    found = decide_by_grounds(laws, KIND, [])
    assert found is not None and (found.winner, found.ground) == ("in-turn", "later")
    # A person could not choose it: a rule without a first day has no turn.
    assert decide_by_grounds([*laws, side("said")], KIND, []) is None
    dated = side("said", effective_from="2025-01-01")
    assert decide_by_grounds([*laws, dated], KIND, []) is None
    # A later day alone decides nothing, whatever the tier.
    assert conclude_verdict(laws, found).escalated == "confidence 0.75 is under 0.8"


def test_laws_that_follow_each_other_go_before_what_is_said_about_them() -> None:
    laws = [
        side("a", value="12", hierarchy=1, effective_from="2024-01-01", until="2026-01-01"),
        side("b", value="13", hierarchy=1, effective_from="2026-01-01"),
    ]
    found = decide_by_grounds([*laws, side("said", value="20")], KIND, [])
    assert found is not None and (found.winner, found.ground) == ("b", "authority")
    overlapping = [replace(laws[0], until="2026-02-01"), laws[1]]
    assert decide_by_grounds([*overlapping, side("said", value="20")], KIND, []) is None


@pytest.mark.parametrize(
    ("for_a", "for_b", "winner", "escalated"),
    [
        (2, 0, None, True),
        (3, 0, "a", False),
        (0, 3, "b", False),
        (2, 1, None, True),
        (7, 3, "a", True),
        (69, 31, None, True),
        (4, 1, "a", False),
        (5, 5, None, True),
    ],
)
def test_precedent_counts_from_three_and_from_seventy_per_cent(
    for_a: int, for_b: int, winner: str | None, escalated: bool
) -> None:
    a, b = side("a"), side("b")
    verdict = conclude_verdict([a, b], decide_by_grounds([a, b], KIND, precedents(for_a, for_b)))
    assert (verdict.winner, verdict.escalated is not None) == (winner, escalated)
    assert verdict.ground == ("tie" if winner is None else "precedent")


def test_a_precedent_is_of_the_same_kind_between_the_same_sources() -> None:
    other_kind = precedents(5, 0, "TEMPORAL")
    others = [Precedent(kind=KIND, winner="source-a", loser="source-c")] * 5
    assert decide_by_grounds([side("a"), side("b")], KIND, other_kind + others) is None
    # Two rules of one source are no pair that could be told apart.
    same = [Precedent(kind=KIND, winner="s", loser="s")] * 5
    assert decide_by_grounds([side("a", source="s"), side("b", source="s")], KIND, same) is None


@pytest.mark.parametrize(
    ("tiers", "why"),
    [(("T0", "T0"), "all are T0"), (("T2", "T1"), "b is T1"), (("T0", "T3"), "a is T0"),
     (("T2", "T8"), "b is T8")],
)  # fmt: skip
def test_a_grave_rule_goes_to_a_person_with_a_recommendation(
    tiers: tuple[str, str], why: str
) -> None:
    a, b = side("a", hierarchy=1, tier=tiers[0]), side("b", tier=tiers[1])
    verdict = conclude_verdict([a, b], decide_by_grounds([a, b], KIND, []))
    assert (verdict.winner, verdict.ground, verdict.escalated) == ("a", "authority", why)


def test_what_a_person_approved_goes_to_a_person() -> None:
    a, b = side("a", hierarchy=1), side("b", approved_by="Ana")
    assert (
        conclude_verdict([a, b], decide_by_grounds([a, b], KIND, [])).escalated == "Ana approved b"
    )


@pytest.mark.parametrize(
    ("said", "winner", "ground", "escalated"),
    [
        (None, None, "tie", True),
        (ModelOpinion(winner=None, confidence=1.0), None, "tie", True),
        (ModelOpinion(winner="someone else", confidence=1.0), None, "tie", True),
        (ModelOpinion(winner="b", confidence=0.8), "b", "model", False),
        (ModelOpinion(winner="b", confidence=0.799), "b", "model", True),
    ],
)
def test_a_model_has_the_last_word_only_where_nothing_else_speaks(
    said: ModelOpinion | None, winner: str | None, ground: str, escalated: bool
) -> None:
    a, b = side("a"), side("b")
    verdict = conclude_verdict([a, b], None, said)
    assert (verdict.winner, verdict.ground) == (winner, ground)
    assert (verdict.escalated is not None) is escalated
    known = ConflictVerdict(winner="a", ground="authority", confidence=0.95)
    assert conclude_verdict([a, b], known, said).winner == "a"


SIDES = st.builds(
    RankedSide,
    rule_id=st.just("x"),
    value=st.just("x"),
    tier=st.sampled_from(["T0", "T1", "T2", "T3"]),
    hierarchy=st.integers(1, 7),
    source=st.sampled_from(["source-a", "source-b"]),
    effective_from=st.sampled_from([None, "2025-01-01", "2026-01-01"]),
)
OPINIONS = st.none() | st.builds(
    ModelOpinion, winner=st.sampled_from(["a", "b", None]), confidence=st.floats(0, 1)
)


@given(SIDES, SIDES, st.integers(0, 6), st.integers(0, 6), OPINIONS)
def test_no_t0_or_t1_is_ever_decided_and_the_sides_are_equal(
    one: RankedSide, other: RankedSide, for_a: int, for_b: int, said: ModelOpinion | None
) -> None:
    a = side("a", **{n: getattr(one, n) for n in ("tier", "hierarchy", "source", "effective_from")})
    b = side(
        "b", **{n: getattr(other, n) for n in ("tier", "hierarchy", "source", "effective_from")}
    )
    before = precedents(for_a, for_b)
    verdict = conclude_verdict([a, b], decide_by_grounds([a, b], KIND, before), said)
    if {a.tier, b.tier} & {"T0", "T1"}:
        assert verdict.escalated is not None
    if verdict.escalated is None:
        assert verdict.winner in ("a", "b") and verdict.confidence >= 0.8
    turned = conclude_verdict([b, a], decide_by_grounds([b, a], KIND, before), said)
    assert (turned.winner, turned.ground) == (verdict.winner, verdict.ground)
