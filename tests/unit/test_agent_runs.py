"""Success follows from what was produced; nobody can claim it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from assay.model.agent_runs import (
    OUTCOMES,
    SUCCESS_APPLIED,
    SUCCESS_NO_CHANGE,
    AgentRun,
    Failure,
)
from assay.store import tables as t

TAXONOMY = {
    "SUCCESS_APPLIED",
    "SUCCESS_NO_CHANGE",
    "DUPLICATE_CACHED",
    "VALIDATION_REJECTED",
    "LOW_CONFIDENCE",
    "EMPTY_OUTPUT",
    "PARSE_FAILED",
    "CONTENT_LOW_QUALITY",
    "SKIPPED_DETERMINISTIC",
    "CIRCUIT_OPEN",
    "RETRY_EXHAUSTED",
    "TIMEOUT",
}


def run(**fields: object) -> AgentRun:
    base = {"agent_run_id": "a", "run_id": "r", "job_id": "j", "stage": "extract"}
    return AgentRun.model_validate({**base, **fields})


def test_the_outcomes_are_those_of_the_specification() -> None:
    assert set(OUTCOMES) == TAXONOMY
    assert len(OUTCOMES) == len(TAXONOMY)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.integers(0, 10**9))
def test_success_is_derived_from_the_items_produced(items: int) -> None:
    expected = SUCCESS_APPLIED if items > 0 else SUCCESS_NO_CHANGE
    assert run(items_produced=items).outcome == expected


@pytest.mark.parametrize("claimed", [SUCCESS_APPLIED, SUCCESS_NO_CHANGE])
@pytest.mark.parametrize("field", ["outcome", "failure", "success"])
def test_no_caller_can_pass_a_success(field: str, claimed: str) -> None:
    with pytest.raises(ValidationError):
        run(**{field: claimed})


@pytest.mark.parametrize("claimed", OUTCOMES)
def test_no_caller_can_pass_any_outcome_at_all(claimed: str) -> None:
    with pytest.raises(ValidationError):
        run(outcome=claimed)


def test_an_outcome_cannot_be_set_afterwards() -> None:
    finished = run(failure=Failure.TIMEOUT)
    with pytest.raises((ValidationError, AttributeError)):
        finished.outcome = SUCCESS_APPLIED  # type: ignore[misc]
    with pytest.raises(ValidationError):
        finished.failure = None
    assert finished.outcome == "TIMEOUT"


@pytest.mark.parametrize("failure", Failure)
def test_a_failure_is_its_outcome_and_produces_nothing(failure: Failure) -> None:
    assert run(failure=failure).outcome == failure.value
    with pytest.raises(ValidationError, match="produced no items"):
        run(failure=failure, items_produced=1)


def test_no_failure_is_named_like_a_success() -> None:
    assert not any(failure.value.startswith("SUCCESS") for failure in Failure)


@pytest.mark.parametrize("field", ["items_produced", "tokens_used"])
def test_counts_are_never_negative(field: str) -> None:
    with pytest.raises(ValidationError):
        run(**{field: -1})


@pytest.mark.parametrize("failure", [None, Failure.EMPTY_OUTPUT])
def test_a_row_has_the_outcome_and_no_failure_field(failure: Failure | None) -> None:
    row = run(failure=failure).row()
    assert row["outcome"] == ("EMPTY_OUTPUT" if failure else SUCCESS_NO_CHANGE)
    assert "failure" not in row
    assert row.keys() == set(t.agent_run.columns.keys())
