"""Typed jobs: process a meeting, or a matter with all its appearances."""

from datetime import UTC, date, datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.sdk.stages import NextJob, Payload

PROCESS_STAGE: Final = "civic_process"
BATCH_STAGE: Final = "civic_batch"
TEXTS_STAGE: Final = "civic_texts"
RESULT_STAGE: Final = "civic_result"
HIGHEST_PRIORITY: Final = 150


class MeetingJob(BaseModel):
    """Process a meeting: its items, or its packet if no items are known."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    job_type: Literal["meeting"] = "meeting"
    meeting_id: str


class MatterJob(BaseModel):
    """Process a matter once for all its appearances."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    job_type: Literal["matter"] = "matter"
    matter_id: str


class CivicJob(Payload):
    """A job of the processing queue."""

    banana: str
    work: Annotated[MeetingJob | MatterJob, Field(discriminator="job_type")]

    @property
    def subject(self) -> str:
        work = self.work
        subject = work.matter_id if isinstance(work, MatterJob) else work.meeting_id
        return f"{work.job_type}:{subject}"

    @property
    def source_slug(self) -> str:
        return self.banana


class TextJob(Payload):
    """Read the agenda and the minutes of a meeting, or find the meeting of a document."""

    meeting_id: str = ""
    doc_id: str = ""

    @property
    def subject(self) -> str:
        return self.meeting_id or self.doc_id


HELD: Final = "held"
"""Stands for a batch with questions that the budget or the limits did not allow."""


class QuestionBatchJob(Payload):
    """Send a batch of questions to a model, or save its answers."""

    batch_id: str = ""
    """Empty: make batches of the questions that wait for one. `HELD`: of those that were denied."""

    @property
    def subject(self) -> str:
        return self.batch_id or "questions"


def make_endpoint_id(banana: str) -> str:
    """The id of the endpoint at which a city's portal is checked."""
    return f"{banana}/portal"


def compute_priority(starts: str, today: date) -> int:
    """A meeting's priority: 150 today, one less for every day before or after."""
    return max(0, HIGHEST_PRIORITY - abs((date.fromisoformat(starts[:10]) - today).days))


def make_meeting_job(banana: str, meeting_id: str, starts: str, now_ms: int) -> NextJob:
    """The job that processes a meeting."""
    payload = CivicJob(banana=banana, work=MeetingJob(meeting_id=meeting_id))
    return NextJob(PROCESS_STAGE, payload, compute_priority(starts, day_of(now_ms)))


def make_matter_job(banana: str, matter_id: str, starts: str, now_ms: int) -> NextJob:
    """The job that processes a matter; `starts` is when one of its meetings begins."""
    payload = CivicJob(banana=banana, work=MatterJob(matter_id=matter_id))
    return NextJob(PROCESS_STAGE, payload, compute_priority(starts, day_of(now_ms)))


def day_of(now_ms: int) -> date:
    """The day of a moment, in UTC."""
    return datetime.fromtimestamp(now_ms / 1000, UTC).date()
