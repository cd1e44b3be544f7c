"""Agent runs and their outcome taxonomy. Success is derived here and nowhere else."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from pydantic import Field, computed_field, model_validator

from assay.model.records import Record


class Failure(StrEnum):
    """The ways in which a model execution ends without a success."""

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


class AgentRun(Record):
    """One model execution. It has no field into which a caller could write a success."""

    agent_run_id: str
    run_id: str
    job_id: str
    stage: str
    source_slug: str | None = None
    evidence_id: str | None = None
    provider: str | None = None
    model: str | None = None
    failure: Failure | None = None
    """Why it is no success; None where the model ran and its output was valid."""
    items_produced: int = Field(default=0, ge=0)
    tokens_used: int = Field(default=0, ge=0)
    error_message: str | None = None
    started_ms: int = 0
    ended_ms: int = 0

    @model_validator(mode="after")
    def _failure_produces_nothing(self) -> "AgentRun":
        if self.failure is not None and self.items_produced:
            raise ValueError(f"an agent run that ended in {self.failure} produced no items")
        return self

    @computed_field  # type: ignore[prop-decorator]
    @property
    def outcome(self) -> str:
        """The single choke point: success follows from what was produced."""
        if self.failure is not None:
            return self.failure.value
        return SUCCESS_APPLIED if self.items_produced > 0 else SUCCESS_NO_CHANGE

    def row(self) -> dict[str, Any]:
        row = self.model_dump(mode="json")
        del row["failure"]
        return row

    @classmethod
    def restored(cls, row: Mapping[Any, Any]) -> Self:
        values = dict(row)
        outcome = values.pop("outcome")
        succeeded = outcome in (SUCCESS_APPLIED, SUCCESS_NO_CHANGE)
        return super().restored({**values, "failure": None if succeeded else Failure(outcome)})
