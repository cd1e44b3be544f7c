"""Sharing out a request's tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InvalidInput
from assay.llm.budget import (
    RESERVE,
    build_budget_from_percentages,
    build_budget_from_table,
    build_undivided_budget,
    can_afford,
    record_usage,
)
from assay.packs.graph.steps import TOKEN_PERCENTAGES, plan_budget

STEPS = ["entityExtraction", "relationExtraction", "grounding", "propertyScoping", "unheard-of"]


def test_the_default_total_is_shared_out_by_the_table() -> None:
    budget = plan_budget()
    shares = {step: share.max_tokens for step, share in budget.shares.items()}
    assert shares == {
        "entityExtraction": 1440, "relationExtraction": 1440, "grounding": 615,
        "propertyScoping": 328, RESERVE: 273,
    }  # fmt: skip
    assert budget.total == sum(shares.values()) == 4096


def test_a_budget_that_nobody_shared_out_is_for_all_steps() -> None:
    budget = build_undivided_budget()
    assert budget.total == budget.share_of("any").max_tokens == 4096
    assert not can_afford(record_usage(budget, "one", 4000), "other", 97)


@given(st.integers(0, 1_000_000))
def test_any_other_total_is_floored_and_the_rest_is_the_reserve(total: int) -> None:
    budget = build_budget_from_percentages(total, TOKEN_PERCENTAGES)
    for step, percent in TOKEN_PERCENTAGES.items():
        assert budget.shares[step].max_tokens == total * percent // 100
    assert sum(share.max_tokens for share in budget.shares.values()) == total


def test_a_step_spends_its_share_and_no_more() -> None:
    budget = record_usage(plan_budget(), "grounding", 600)
    assert can_afford(budget, "grounding", 15)
    assert not can_afford(budget, "grounding", 16)
    assert can_afford(budget, "relationExtraction", 1440)


def test_only_entity_extraction_may_overflow() -> None:
    budget = plan_budget()
    assert can_afford(budget, "entityExtraction", 4096)
    assert not can_afford(budget, "entityExtraction", 4097)
    for step in ("relationExtraction", "grounding", "propertyScoping"):
        assert not can_afford(budget, step, budget.shares[step].max_tokens + 1)


def test_an_unknown_step_draws_on_the_reserve() -> None:
    budget = plan_budget()
    assert can_afford(budget, "unheard-of", 273) and not can_afford(budget, "unheard-of", 274)
    after = record_usage(budget, "unheard-of", 200)
    assert after.shares[RESERVE].used_tokens == 200
    assert not can_afford(after, "another", 74)


def test_what_one_step_took_beyond_its_share_the_others_cannot_spend() -> None:
    budget = record_usage(plan_budget(), "entityExtraction", 3_000)
    assert not can_afford(budget, "relationExtraction", 1_097)
    assert can_afford(budget, "relationExtraction", 1_096)


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(1, 900)), max_size=40))
def test_no_order_of_affordable_calls_passes_the_total(calls: list[tuple[str, int]]) -> None:
    budget = plan_budget()
    before = budget
    for step, tokens in calls:
        if can_afford(budget, step, tokens):
            budget = record_usage(budget, step, tokens)
    assert budget.used <= budget.total
    assert budget.used == sum(share.used_tokens for share in budget.shares.values())
    assert before == plan_budget()


def test_the_specifications_example_is_refused() -> None:
    assert not can_afford(
        build_budget_from_percentages(100, {"entityExtraction": 100}), "entityExtraction", 150
    )


def test_bad_shares_are_refused() -> None:
    for wrong in ({"a": 60.0, "b": 41.0}, {"a": -1.0}):
        with pytest.raises(InvalidInput):
            build_budget_from_percentages(100, wrong)
    with pytest.raises(InvalidInput):
        build_budget_from_percentages(-1, {})
    with pytest.raises(InvalidInput, match="'a' cannot have -5"):
        build_budget_from_table({"a": -5})
