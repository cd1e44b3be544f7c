"""What a cancellation is: its signals, and every row of the cascade table."""

import pytest

from assay.errors import InvalidInput
from assay.llm.requests.cancellation import (
    CancellationMode,
    CancellationSignal,
    CascadeRow,
    CleanUpAction,
    CleanUpPhase,
    find_cascade,
)
from assay.packs.graph.steps import CASCADE
from tests.llm.requests.pipeline import GRAPH
from tests.llm.requests.stopping import M


@pytest.mark.parametrize(
    ("reason", "mode", "timeout_ms"),
    [
        ("user_request", M.GRACEFUL, 30_000),
        ("timeout", M.IMMEDIATE, 5_000),
        ("resource_exhaustion", M.GRACEFUL, 30_000),
    ],
)
def test_the_signal_of_a_reason(reason: str, mode: CancellationMode, timeout_ms: int) -> None:
    found = CancellationSignal.for_reason("r1", reason)
    assert found == CancellationSignal(
        request_id="r1", mode=mode, reason=reason, cascade=True, timeout_ms=timeout_ms
    )


def test_an_unknown_reason_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not a known reason"):
        CancellationSignal.for_reason("r1", "boredom")


ROWS = [
    (
        "chunking", {"entityExtraction", "propertyScoping"}, {"entityExtraction"}, 1_000, (),
        {"entityExtraction", "propertyScoping", "relationExtraction", "grounding",
         "serialization"},
    ),
    (
        "entityExtraction", {"relationExtraction", "grounding"},
        {"propertyScoping", "relationExtraction"}, 5_000,
        ("abort_llm_call", "drain_stream", "release_semaphore"),
        {"propertyScoping", "relationExtraction", "grounding", "serialization"},
    ),
    (
        "propertyScoping", {"relationExtraction"}, {"relationExtraction"}, 2_000, (),
        {"relationExtraction", "grounding", "serialization"},
    ),
    (
        "relationExtraction", {"grounding"}, {"grounding"}, 5_000,
        ("abort_llm_call", "release_semaphore"), {"grounding", "serialization"},
    ),
    (
        "grounding", {"serialization"}, {"serialization"}, 3_000, ("abort_llm_call",),
        {"serialization"},
    ),
    ("serialization", set(), set(), 2_000, (), set()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("step", "siblings", "dependents", "exit_ms", "actions", "all_of_them"),
    ROWS,
    ids=[str(row[0]) for row in ROWS],
)
def test_each_row_of_the_cascade_table(
    step: str,
    siblings: set[str],
    dependents: set[str],
    exit_ms: int,
    actions: tuple[str, ...],
    all_of_them: set[str],
) -> None:
    row = CASCADE[step]
    assert set(row.cancels_siblings) == siblings
    assert set(row.dependents) == dependents
    assert row.graceful_exit_ms == exit_ms
    assert row.clean_up == actions
    assert find_cascade(step, CASCADE) == all_of_them


def test_the_table_has_the_six_steps_and_no_other() -> None:
    assert CASCADE.keys() == GRAPH.keys()
    with pytest.raises(InvalidInput, match="no step"):
        find_cascade("publication", CASCADE)


def test_a_cascade_that_goes_in_a_circle_ends() -> None:
    table = {"a": CascadeRow(dependents=("b",)), "b": CascadeRow(dependents=("a", "c"))}
    assert find_cascade("a", table) == {"b", "c"}


def test_every_named_action_is_done_in_a_phase() -> None:
    assert [action.phase for action in CleanUpAction] == [
        CleanUpPhase.ABORT_MODEL_CALLS,
        CleanUpPhase.ABORT_MODEL_CALLS,
        CleanUpPhase.RELEASE_PERMITS,
    ]
