"""Agent runs and their possible outcomes. Success is derived here and nowhere else."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field, computed_field, model_validator

from assay.model.storage import Merge, Moment, Record


class Failure(StrEnum):
    """The ways in which a model execution can end without success."""

    DUPLICATE_CACHED = "DUPLICATE_CACHED"
    VALIDATION_REJECTED = "VALIDATION_REJECTED"
    LOW_CONFIDENCE = "LOW_CONFIDENCE"
    EMPTY_OUTPUT = "EMPTY_OUTPUT"
    PARSE_FAILED = "PARSE_FAILED"
    CONTENT_LOW_QUALITY = "CONTENT_LOW_QUALITY"
    SKIPPED_DETERMINISTIC = "SKIPPED_DETERMINISTIC"
    CIRCUIT_OPEN = "CIRCUIT_OPEN"
    RETRY_EXHAUSTED = "RETRY_EXHAUSTED"
    TIMEOUT = "TIMEOUT"


SUCCESS_APPLIED = "SUCCESS_APPLIED"
SUCCESS_NO_CHANGE = "SUCCESS_NO_CHANGE"
OUTCOMES = (SUCCESS_APPLIED, SUCCESS_NO_CHANGE, *(failure.value for failure in Failure))


class AgentRun(Record, table="agent_runs", key=("agent_run_id",), canonical=False):
    """One model execution. It has no field in which a caller could claim success."""

    agent_run_id: str
    run_id: str
    job_id: str
    stage: str
    source_slug: str | None = None
    evidence_id: str | None = None
    provider: str | None = None
    model: str | None = None
    failure: Failure | None = Field(default=None, exclude=True)
    """Why it is not a success; None where the model ran and its output was valid. Stored as
    `outcome`."""
    items_produced: Annotated[int, Merge.NEW] = Field(default=0, ge=0)
    tokens_used: Annotated[int, Merge.NEW] = Field(default=0, ge=0)
    error_message: Annotated[str | None, Merge.NEW] = None
    started_ms: Moment = 0
    ended_ms: Annotated[Moment, Merge.NEW] = 0

    @model_validator(mode="after")
    def _failure_produces_nothing(self) -> "AgentRun":
        if self.failure is not None and self.items_produced:
            raise ValueError(f"an agent run that ended in {self.failure} produced no items")
        return self

    @computed_field  # type: ignore[prop-decorator]
    @property
    def outcome(self) -> Annotated[str, Merge.NEW]:
        """The only place that decides: success follows from what was produced."""
        if self.failure is not None:
            return self.failure.value
        return SUCCESS_APPLIED if self.items_produced > 0 else SUCCESS_NO_CHANGE

    @classmethod
    def from_row(cls, row: Mapping[Any, Any]) -> Self:
        values = dict(row)
        outcome = values.pop("outcome")
        succeeded = outcome in (SUCCESS_APPLIED, SUCCESS_NO_CHANGE)
        return super().from_row({**values, "failure": None if succeeded else Failure(outcome)})
