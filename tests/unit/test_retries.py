"""The error → retry matrix, cell by cell, as the specification draws it."""

import errno
from itertools import product

import pytest

from assay.app.contracts import list_declared_stages
from assay.engine.retries import MAX_ATTEMPTS, RetryAction, classify_error, decide_retry
from assay.errors import (
    AssayError,
    AuthError,
    ContentError,
    ContentUnsupported,
    DiskFailed,
    DiskFull,
    ErrorClass,
    InternalError,
    InvalidInput,
    QuotaError,
    StageCrashed,
    TransientError,
    WorkerDied,
)
from assay.settings.groups import EngineSettings

C = ErrorClass
DELAYS_S = EngineSettings().retry_delays_s
ROWS = {stage.name: stage.on_error for stage in list_declared_stages()}
RETRY, DEAD, CIRCUIT, HANDLE = (
    RetryAction.RETRY,
    RetryAction.DEAD,
    RetryAction.CIRCUIT,
    RetryAction.HANDLE,
)
ERRORS: dict[ErrorClass, AssayError] = {
    C.TRANSIENT: TransientError("t."),
    C.VALIDATION: InvalidInput("v."),
    C.AUTH: AuthError("a."),
    C.QUOTA: QuotaError("q."),
    C.CONTENT: ContentError("c."),
    C.INTERNAL: InternalError("i."),
}
# TRANSIENT, VALIDATION, AUTH, QUOTA, CONTENT, INTERNAL at the first attempt.
DEFAULT_ROW = (RETRY, DEAD, CIRCUIT, CIRCUIT, DEAD, RETRY)
TABLE: dict[str, tuple[RetryAction, ...]] = {
    "sentinel": DEFAULT_ROW,
    "fetch": DEFAULT_ROW,
    "scout": (RETRY, HANDLE, DEAD, DEAD, HANDLE, RETRY),
    "router": (RETRY, HANDLE, CIRCUIT, CIRCUIT, HANDLE, RETRY),
    "ocr": (RETRY, DEAD, CIRCUIT, CIRCUIT, HANDLE, RETRY),
    "extract": (RETRY, DEAD, CIRCUIT, CIRCUIT, HANDLE, RETRY),
    "compose": (RETRY, DEAD, CIRCUIT, CIRCUIT, HANDLE, RETRY),
    "apply": (RETRY, DEAD, DEAD, DEAD, DEAD, RETRY),
    "review": (RETRY, DEAD, CIRCUIT, CIRCUIT, HANDLE, RETRY),
    "arbiter": DEFAULT_ROW,
    "release": DEFAULT_ROW,
}
CELLS = [
    (stage, error_class, row[column])
    for stage, row in TABLE.items()
    for column, error_class in enumerate(C)
]


def test_the_table_has_every_stage_that_differs_and_every_class() -> None:
    assert {name for name, row in ROWS.items() if row} <= set(TABLE)
    assert list(ERRORS) == list(C)
    assert all(error.error_class is error_class for error_class, error in ERRORS.items())


@pytest.mark.parametrize(("stage", "error_class", "expected"), CELLS)
def test_each_cell_at_the_first_attempt(
    stage: str, error_class: ErrorClass, expected: RetryAction
) -> None:
    decision = decide_retry(ROWS[stage], ERRORS[error_class], 1, DELAYS_S)
    assert decision.action is expected
    assert decision.delay_s == (10.0 if expected is RETRY else 0.0)
    assert decision.alert is False


def test_the_attempts_are_those_of_the_specification() -> None:
    assert {error_class.value: count for error_class, count in MAX_ATTEMPTS.items()} == {
        "TRANSIENT": 3,
        "VALIDATION": 1,
        "AUTH": 1,
        "QUOTA": 1,
        "CONTENT": 1,
        "INTERNAL": 2,
    }


@pytest.mark.parametrize(("stage", "error_class"), list(product(TABLE, C)))
def test_no_class_is_tried_more_often_than_its_attempts(
    stage: str, error_class: ErrorClass
) -> None:
    tried = 1
    while decide_retry(ROWS[stage], ERRORS[error_class], tried, DELAYS_S).action is RETRY:
        tried += 1
        assert tried < 10
    assert tried == MAX_ATTEMPTS[error_class]


def test_a_transient_error_waits_10_then_20_seconds_and_is_then_dead() -> None:
    told = [
        decide_retry(ROWS["extract"], ERRORS[C.TRANSIENT], attempt, DELAYS_S)
        for attempt in (1, 2, 3)
    ]
    assert [(d.action, d.delay_s, d.alert) for d in told] == [
        (RETRY, 10.0, False),
        (RETRY, 20.0, False),
        (DEAD, 0.0, False),
    ]


def test_the_third_wait_is_40_seconds_where_more_attempts_are_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(MAX_ATTEMPTS, C.TRANSIENT, 6)
    waits = [
        decide_retry(ROWS["scout"], ERRORS[C.TRANSIENT], attempt, DELAYS_S).delay_s
        for attempt in range(1, 6)
    ]
    assert waits == [10.0, 20.0, 40.0, 40.0, 40.0]


def test_the_waits_may_be_set() -> None:
    waits = [decide_retry(ROWS["scout"], ERRORS[C.TRANSIENT], n, (0.5,)).delay_s for n in (1, 2)]
    assert waits == [0.5, 0.5]


def test_the_second_internal_error_alerts_and_the_first_does_not() -> None:
    first = decide_retry(ROWS["extract"], ERRORS[C.INTERNAL], 1, DELAYS_S)
    second = decide_retry(ROWS["extract"], ERRORS[C.INTERNAL], 2, DELAYS_S)
    assert (first.action, first.alert) == (RETRY, False)
    assert (second.action, second.alert) == (DEAD, True)


@pytest.mark.parametrize("stage", TABLE)
def test_a_final_error_is_dead_at_once_and_alerts(stage: str) -> None:
    decision = decide_retry(ROWS[stage], WorkerDied("w."), 1, DELAYS_S)
    assert (decision.action, decision.delay_s, decision.alert) == (DEAD, 0.0, True)


def test_a_subclass_is_treated_as_its_branch() -> None:
    assert decide_retry(ROWS["scout"], ContentUnsupported("c."), 1, DELAYS_S).action is HANDLE
    assert decide_retry(ROWS["apply"], ContentUnsupported("c."), 1, DELAYS_S).action is DEAD


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TimeoutError("slow"), TransientError),
        (ConnectionResetError("cut"), TransientError),
        (OSError(errno.ENOSPC, "full"), DiskFull),
        (PermissionError(errno.EACCES, "no"), InvalidInput),
        (OSError(errno.EIO, "bad disk"), DiskFailed),
        (ValueError("a bug"), StageCrashed),
        (KeyError("a bug"), StageCrashed),
    ],
)
def test_any_exception_becomes_one_of_the_tree(
    error: Exception, expected: type[AssayError]
) -> None:
    told = classify_error(error, "scout")
    assert type(told) is expected
    assert "scout" in str(told)


def test_an_error_of_the_tree_stays_itself() -> None:
    error = QuotaError("q.")
    assert classify_error(error, "scout") is error
