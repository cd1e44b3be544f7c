"""A stage is data plus a function. This module holds the data, and the check that all fits."""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from assay.engine.retries import RetryAction
from assay.errors import ContractViolation, ErrorClass, StartupRefused
from assay.events import Event
from assay.model.audit import AuditNote
from assay.model.bookkeeping import PipelineProgress
from assay.model.lifecycle import Move
from assay.model.records import IngestCandidate, Record
from assay.model.rules import AuditEntry
from assay.store.changes import refuse_impossible_change

if TYPE_CHECKING:
    from assay.engine.reader import Reader


class Payload(BaseModel, ABC):
    """The input of a job: ids and options, never text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @property
    @abstractmethod
    def subject(self) -> str:
        """What the job is about; together with the stage's name it makes the job unique."""

    @property
    def source_slug(self) -> str | None:
        """The source that the work is for, if any."""
        return None


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How many documents may start per period, and how many batches run at a time."""

    rate: int | None = None
    per: float = 60.0
    concurrency: int = 4


@dataclass(frozen=True, slots=True)
class NextJob:
    """A job to schedule next."""

    stage: str
    payload: Payload
    priority: int | None = None
    """By default, the priority of the job that schedules it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A request to change one stored row, applied only if the row is still as the stage saw it.

    A late stage therefore cannot undo anything: what a person decided in the meantime stays.
    """

    record: type[Record]
    key: str
    when: Mapping[str, Any]
    """Columns and the values they must still have."""
    to: Mapping[str, Any]
    """Columns and their new values."""
    audit: AuditNote | None = None
    """What the audit log records if the change is applied."""
    must: bool = False
    """Whether the batch depends on this change: if it cannot be applied, nothing of the batch is
    stored, and the batch is tried again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stage asks to be stored. The runner checks it, then stores all of it or nothing."""

    records: tuple[Record, ...] = ()
    moves: tuple[Move, ...] = ()
    next: tuple[NextJob, ...] = ()
    events: tuple[Event, ...] = ()
    blobs: tuple[bytes, ...] = ()
    """Bytes that the records refer to by hash."""
    changes: tuple[Change, ...] = ()
    audit: tuple[AuditNote, ...] = ()
    """Notes for the audit log."""
    note: str = "done"
    """The outcome shown in the progress: `done`, or why there was nothing to do."""


@dataclass(frozen=True, slots=True)
class Failed:
    """One failed job of a batch; the other jobs continue."""

    error: Exception
    last: Outcome | None = None
    """What to store if the job is given up for good."""


Result = Outcome | Failed
StageFunction = Callable[[Sequence[Any], "Reader"], Awaitable[Sequence[Result]]]
GateFunction = Callable[[Sequence[Any], "Reader"], Awaitable[Sequence[str | None]]]
ErrorHandler = Callable[[Any, Exception], Outcome]


@dataclass(frozen=True, slots=True)
class Gate:
    """A statement that must be true before the work starts. The check answers for each job: None
    lets it in, anything else is the reason why not."""

    name: str
    check: GateFunction
    error_class: ErrorClass = ErrorClass.VALIDATION


@dataclass(frozen=True)
class Stage:
    """The frozen declaration of a stage. A stage may not do anything it does not declare."""

    name: str
    version: int
    payload: type[Payload]
    queue: QueueLimits
    reads: frozenset[type[Record]] = frozenset()
    writes: frozenset[type[Record]] = frozenset()
    gates: tuple[Gate, ...] = ()
    next: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    """The external services it calls: `http`, `model`, `ocr`. Empty means none."""
    batch: int = 1
    once: Literal["ever", "run", "waiting"] = "ever"
    """Whether the same subject is processed only once ever, once per run, or whenever something
    changed. In the last case no second job is queued while one of the same run waits for the
    subject. The waiting job sees the change, because a job stops waiting once its batch begins to
    read."""
    timeout_s: float | None = None
    entry: bool = False
    """Whether a run can begin here; no other stage needs to lead to it."""
    on_error: Mapping[ErrorClass, ErrorHandler | RetryAction] = field(default_factory=dict)
    """The stage's row of the retry matrix, where it differs from the default: an action, or a
    handler that returns the outcome (skipped, empty, sent to a person)."""
    purpose: str = ""

    def job_id(self, payload: Payload, run_id: str) -> str:
        """The id of a job. Where a subject may come up repeatedly, a token keeps ids unique."""
        scope = f"{run_id}:" if self.once == "run" else ""
        token = f"@{secrets.token_hex(6)}" if self.once == "waiting" else ""
        return f"{self.name}.{self.version}:{scope}{payload.subject}{token}"

    def waiting_key(self, payload: Payload, run_id: str) -> str | None:
        """A key that only one waiting job can have; None where the job id alone is enough."""
        if self.once != "waiting":
            return None
        return f"{self.name}.{self.version}:{run_id}:{payload.subject}"


@dataclass(frozen=True)
class BoundStage:
    """A declaration with the function that implements it."""

    stage: Stage
    function: StageFunction
    events: frozenset[type[Event]] | None = None
    """The events that it may emit; None: any."""


class Pipeline:
    """All stages of an application, checked against each other at startup."""

    def __init__(self, bound: Iterable[BoundStage], *, given: Iterable[type[Record]] = ()) -> None:
        stages = list(bound)
        _refuse_duplicates(stages)
        _refuse_missing_handlers(stages)
        self._bound = {entry.stage.name: entry for entry in stages}
        _refuse_dangling(self._bound)
        _refuse_unwritten_reads(self._bound, frozenset(given))
        _refuse_unreached(self._bound)

    def __contains__(self, name: object) -> bool:
        return name in self._bound

    @property
    def stages(self) -> list[Stage]:
        return [entry.stage for entry in self._bound.values()]

    def stage(self, name: str) -> Stage:
        return self._bound[name].stage

    def check(self, stage: Stage, outcome: Outcome) -> None:
        """Refuse anything in the outcome that the stage's contract does not declare."""
        undeclared = list_written_types(outcome) - stage.writes
        if undeclared:
            names = ", ".join(sorted(record.__name__ for record in undeclared))
            raise ContractViolation(
                f"Stage {stage.name} tried to write {names}, which its contract does not declare."
            )
        if outcome.blobs and not stage.writes:
            raise ContractViolation(
                f"Stage {stage.name} tried to store bytes, but its contract declares no writes."
            )
        for change in outcome.changes:
            refuse_impossible_change(change.record, change.when, change.to)
        _refuse_approvals(stage, outcome)
        for next_job in outcome.next:
            self._check_next(stage, next_job)
        if not all(isinstance(event, Event) for event in outcome.events):
            raise ContractViolation(f"Stage {stage.name} returned something that is not an event.")
        bound = self._bound.get(stage.name)
        if bound is not None and bound.events is not None:
            refuse_undeclared_events(f"Stage {stage.name}", outcome, bound.events)

    def _check_next(self, stage: Stage, next_job: NextJob) -> None:
        if next_job.stage not in stage.next:
            raise ContractViolation(
                f"Stage {stage.name} tried to schedule {next_job.stage}, "
                "which its contract does not declare."
            )
        expected = self.stage(next_job.stage).payload
        if not isinstance(next_job.payload, expected):
            raise ContractViolation(
                f"Stage {stage.name} scheduled {next_job.stage} with a "
                f"{type(next_job.payload).__name__}, but it takes a {expected.__name__}."
            )

    def function(self, name: str) -> StageFunction:
        return self._bound[name].function


def _refuse_duplicates(bound: Sequence[BoundStage]) -> None:
    names = [entry.stage.name for entry in bound]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise StartupRefused(f"Two stages are called {', '.join(doubled)}.")


def _refuse_missing_handlers(bound: Sequence[BoundStage]) -> None:
    for entry in bound:
        for error_class, declared in entry.stage.on_error.items():
            if declared is RetryAction.HANDLE:
                raise StartupRefused(
                    f"Stage {entry.stage.name} declares that it handles {error_class.value} "
                    "errors, but has no handler for them.",
                    advice="Declare the handler itself in 'on_error'.",
                )


def _refuse_dangling(bound: Mapping[str, BoundStage]) -> None:
    for name, entry in bound.items():
        for target in sorted(entry.stage.next):
            if target not in bound:
                raise StartupRefused(f"Stage {name} leads to {target}, which does not exist.")


def _refuse_unwritten_reads(
    bound: Mapping[str, BoundStage], given: frozenset[type[Record]]
) -> None:
    written = given.union(*(entry.stage.writes for entry in bound.values())) | {PipelineProgress}
    for name, entry in bound.items():
        for record in sorted(entry.stage.reads - written, key=lambda r: r.__name__):
            raise StartupRefused(f"Stage {name} reads {record.__name__}, which no stage writes.")


def _refuse_unreached(bound: Mapping[str, BoundStage]) -> None:
    reached = {name for name, entry in bound.items() if entry.stage.entry}
    frontier = set(reached)
    while frontier:
        frontier = {n for name in frontier for n in bound[name].stage.next} - reached
        reached |= frontier
    unreached = sorted(set(bound) - reached)
    if unreached:
        raise StartupRefused(f"No run ever reaches stage {', '.join(unreached)}.")


def list_written_types(outcome: Outcome) -> set[type[Record]]:
    """The record classes that an outcome would write."""
    types: set[type[Record]] = {type(record) for record in outcome.records}
    types |= {change.record for change in outcome.changes}
    if outcome.moves:
        types.add(IngestCandidate)
    if outcome.audit or any(change.audit for change in outcome.changes):
        types.add(AuditEntry)
    return types


def refuse_undeclared_events(
    emitter: str, outcome: Outcome, declared: Collection[type[Event]]
) -> None:
    """Refuse an event that no declaration lists."""
    for event in outcome.events:
        if type(event) not in declared:
            raise ContractViolation(
                f"{emitter} tried to emit {type(event).__name__}, which its pack does not declare."
            )


def _refuse_approvals(stage: Stage, outcome: Outcome) -> None:
    """Some fields only a person may write; no stage may, whatever it declares."""
    for record in outcome.records:
        for name in type(record).PERSON_FIELDS:
            if getattr(record, name) is not None:
                raise ContractViolation(
                    f"Stage {stage.name} tried to write {name} of a {type(record).__name__}, "
                    "which only a person may write."
                )
    for change in outcome.changes:
        # A stage may withdraw an approval, but never give one.
        for name in sorted(change.record.PERSON_FIELDS & change.to.keys()):
            if change.to[name] is not None:
                raise ContractViolation(
                    f"Stage {stage.name} tried to write {name} of a {change.record.__name__}, "
                    "which only a person may write."
                )
