"""A stage is data plus a function; this is the data, and the check that it all fits."""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
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
    """What a job is told: ids and options, never text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @property
    @abstractmethod
    def subject(self) -> str:
        """What the job is about; with the stage's name it makes the job unique."""

    @property
    def source_slug(self) -> str | None:
        """The source that the work is for, where there is one."""
        return None


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How many documents may start per period, and how many batches run at a time."""

    rate: int | None = None
    per: float = 60.0
    concurrency: int = 4


@dataclass(frozen=True, slots=True)
class NextJob:
    """A job that is to follow."""

    stage: str
    payload: Payload
    priority: int | None = None
    """By default the priority of the job that asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A wish to change one stored row, which counts only while the row is still as it was seen.

    So a stage that is late takes nothing back: what a person decided meanwhile stands.
    """

    record: type[Record]
    key: str
    when: Mapping[str, Any]
    """Columns and the values that they must still have."""
    to: Mapping[str, Any]
    """Columns and their new values."""
    audit: AuditNote | None = None
    """What the audit log keeps of it, if it came about."""
    must: bool = False
    """Whether nothing of the batch may be stored unless it comes about; it is tried anew."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stage wants to be true; the runner checks it and makes it so, or nothing at all."""

    records: tuple[Record, ...] = ()
    moves: tuple[Move, ...] = ()
    next: tuple[NextJob, ...] = ()
    events: tuple[Event, ...] = ()
    blobs: tuple[bytes, ...] = ()
    """Bytes that the records name by their hash."""
    changes: tuple[Change, ...] = ()
    audit: tuple[AuditNote, ...] = ()
    """What the audit log is to keep."""
    note: str = "done"
    """What progress says of it: `done`, or why nothing was to do."""


@dataclass(frozen=True, slots=True)
class Failed:
    """One job of a batch that failed; the others go on."""

    error: Exception
    last: Outcome | None = None
    """What is to be true if the job is given up for good."""


Result = Outcome | Failed
StageFunction = Callable[[Sequence[Any], "Reader"], Awaitable[Sequence[Result]]]
GateFunction = Callable[[Sequence[Any], "Reader"], Awaitable[Sequence[str | None]]]
ErrorHandler = Callable[[Any, Exception], Outcome]


@dataclass(frozen=True, slots=True)
class Gate:
    """A statement that must be true before the work; each job is let in or told why not."""

    name: str
    check: GateFunction
    error_class: ErrorClass = ErrorClass.VALIDATION


@dataclass(frozen=True)
class Stage:
    """The frozen declaration of a stage. What it does not name, the stage may not do."""

    name: str
    version: int
    payload: type[Payload]
    queue: QueueLimits
    reads: frozenset[type[Record]] = frozenset()
    writes: frozenset[type[Record]] = frozenset()
    gates: tuple[Gate, ...] = ()
    next: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    """What it calls outside: `http`, `model`, `ocr`. Empty: it calls nobody."""
    batch: int = 1
    once: Literal["ever", "run", "waiting"] = "ever"
    """Whether the same subject is worked on once for ever, once in each run, or whenever something
    changed: while a job of the same run waits for its subject, another one is not queued. The job
    that waits sees the change, because a job no longer waits once its batch begins to read."""
    timeout_s: float | None = None
    entry: bool = False
    """A run begins here; no other stage need lead to it."""
    on_error: Mapping[ErrorClass, ErrorHandler | RetryAction] = field(default_factory=dict)
    """The stage's row of the retry matrix, where it differs from the default: an action, or a
    handler that says what holds now (skipped, empty, for a person)."""
    purpose: str = ""

    def job_id(self, payload: Payload, run_id: str) -> str:
        """What names a job; where a subject comes up again and again, a token tells them apart."""
        scope = f"{run_id}:" if self.once == "run" else ""
        token = f"@{secrets.token_hex(6)}" if self.once == "waiting" else ""
        return f"{self.name}.{self.version}:{scope}{payload.subject}{token}"

    def waiting_key(self, payload: Payload, run_id: str) -> str | None:
        """What only one waiting job has; None where jobs are told apart by their id alone."""
        if self.once != "waiting":
            return None
        return f"{self.name}.{self.version}:{run_id}:{payload.subject}"


@dataclass(frozen=True)
class BoundStage:
    """A declaration with the function that carries it out."""

    stage: Stage
    function: StageFunction


class Pipeline:
    """All stages of an application, checked against each other at start-up."""

    def __init__(self, bound: Iterable[BoundStage], *, given: Iterable[type[Record]] = ()) -> None:
        listed = list(bound)
        _refuse_duplicates(listed)
        self._bound = {entry.stage.name: entry for entry in listed}
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
        """Refuse whatever a stage wants and its contract does not declare."""
        undeclared = list_written_types(outcome) - stage.writes
        if undeclared:
            names = ", ".join(sorted(record.__name__ for record in undeclared))
            raise ContractViolation(
                f"Stage {stage.name} tried to write {names}, which its contract does not declare."
            )
        if outcome.blobs and not stage.writes:
            raise ContractViolation(
                f"Stage {stage.name} tried to store bytes, and its contract lets it write nothing."
            )
        for change in outcome.changes:
            refuse_impossible_change(change.record, change.when, change.to)
        _refuse_approvals(stage, outcome)
        for wanted in outcome.next:
            self._check_next(stage, wanted)
        if not all(isinstance(event, Event) for event in outcome.events):
            raise ContractViolation(f"Stage {stage.name} returned something that is no event.")

    def _check_next(self, stage: Stage, wanted: NextJob) -> None:
        if wanted.stage not in stage.next:
            raise ContractViolation(
                f"Stage {stage.name} tried to schedule {wanted.stage}, "
                "which its contract does not declare."
            )
        expected = self.stage(wanted.stage).payload
        if not isinstance(wanted.payload, expected):
            raise ContractViolation(
                f"Stage {stage.name} gave {wanted.stage} a {type(wanted.payload).__name__}, "
                f"which takes {expected.__name__}."
            )

    def function(self, name: str) -> StageFunction:
        return self._bound[name].function


def _refuse_duplicates(bound: Sequence[BoundStage]) -> None:
    names = [entry.stage.name for entry in bound]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise StartupRefused(f"Two stages are called {', '.join(doubled)}.")


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
            raise StartupRefused(f"Stage {name} reads {record.__name__}, which nobody writes.")


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


def _refuse_approvals(stage: Stage, outcome: Outcome) -> None:
    """What only a person may write, no stage writes, whatever it declares."""
    for record in outcome.records:
        for name in type(record).PERSON_FIELDS:
            if getattr(record, name) is not None:
                raise ContractViolation(
                    f"Stage {stage.name} tried to write {name} of a {type(record).__name__}, "
                    "which only a person does."
                )
    for change in outcome.changes:
        # Taking an approval back is a stage's right; giving one is not.
        for name in sorted(change.record.PERSON_FIELDS & change.to.keys()):
            if change.to[name] is not None:
                raise ContractViolation(
                    f"Stage {stage.name} tried to write {name} of a {change.record.__name__}, "
                    "which only a person does."
                )
