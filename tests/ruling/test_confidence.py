"""How sure a rule is, how long a person has, and whose word counts for more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InvalidInput
from assay.ruling.review.deadlines import HOUR_MS, ReviewReason, answer_time_ms, reason_of_tier
from assay.ruling.review.judgement import compute_confidence
from assay.ruling.rules.authority import Authority, authority_of
from tests.ruling.rule_makers import a_pointer


@pytest.mark.parametrize(
    ("pointers", "model", "expected"),
    [
        ([], None, 0.0),
        ([("a", 0.9)], None, 0.9),
        ([("a", 0.9), ("a", 0.8)], None, 0.85),
        ([("a", 0.9), ("b", 0.9)], None, 0.93),
        ([("a", 0.8), ("b", 0.9), ("c", 1.0)], None, 0.96),
        ([("a", 0.85), ("b", 0.85), ("c", 0.85), ("d", 0.85)], None, 0.94),
        ([(name, 0.85) for name in "abcdef"], None, 0.95),
        ([("a", 0.99), ("b", 0.99)], None, 1.0),
        ([("a", 0.9), ("b", 0.9)], 0.7, 0.7),
        ([("a", 0.9)], 0.99, 0.9),
    ],
)
def test_the_confidence_of_a_rule(
    pointers: list[tuple[str, float]], model: float | None, expected: float
) -> None:
    made = [
        a_pointer("r", f"d{number}", source_slug=source, confidence=confidence)
        for number, (source, confidence) in enumerate(pointers)
    ]
    assert compute_confidence(made, model) == expected


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 1)), max_size=8), st.randoms())
def test_it_is_a_share_and_the_order_does_not_matter(
    told: list[tuple[str, float]],
    chance: "st.randoms",  # type: ignore[valid-type]
) -> None:
    made = [a_pointer("r", source_slug=source, confidence=sure) for source, sure in told]
    found = compute_confidence(made)
    assert 0.0 <= found <= 1.0
    chance.shuffle(made)  # type: ignore[attr-defined]
    assert compute_confidence(made) == found


@pytest.mark.parametrize(
    ("reason", "tier", "hours"),
    [
        (ReviewReason.TIER_T0, "T0", 4),
        (ReviewReason.TIER_T1, "T1", 24),
        (ReviewReason.CONFLICT, "T0", 24),
        (ReviewReason.OCR_FAILED, "T0", 48),
        (ReviewReason.LOW_CONFIDENCE, "T2", 48),
        (ReviewReason.QUALITY, "T2", 72),
        (ReviewReason.INVALID_DOMAIN, "T0", 168),
        (ReviewReason.EVIDENCE_CHANGED, "T0", 4),
        (ReviewReason.EVIDENCE_CHANGED, "T1", 24),
        (ReviewReason.EVIDENCE_CHANGED, "T3", 48),
        (ReviewReason.EVIDENCE_CHANGED, "unheard of", 4),
    ],
)
def test_how_long_a_person_has(reason: ReviewReason, tier: str, hours: int) -> None:
    assert answer_time_ms(reason, tier) == hours * HOUR_MS


def test_every_reason_has_a_deadline_and_an_unknown_tier_is_the_gravest() -> None:
    assert all(answer_time_ms(reason) > 0 for reason in ReviewReason)
    assert reason_of_tier("T7") is ReviewReason.TIER_T0


def test_authority_follows_the_rank() -> None:
    assert [authority_of(rank).name for rank in range(1, 8)] == [
        "LAW", "LAW", "GUIDANCE", "GUIDANCE", "PROCEDURE", "PRACTICE", "PRACTICE",
    ]  # fmt: skip
    assert Authority.LAW > Authority.GUIDANCE > Authority.PROCEDURE > Authority.PRACTICE
    for rank in (0, 8, -1):
        with pytest.raises(InvalidInput, match="not a valid source rank"):
            authority_of(rank)
