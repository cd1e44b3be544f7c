"""Stages: a frozen declaration, and a plain function that returns results and never writes."""

from assay.engine.contract import (
    Change,
    Failed,
    Gate,
    NextJob,
    Outcome,
    Payload,
    QueueLimits,
    Result,
    Stage,
)
from assay.engine.jobs import Job
from assay.engine.reader import Reader
from assay.engine.retries import RetryAction
from assay.errors import ErrorClass
from assay.events import Event
from assay.logs import Log
from assay.model.audit import AuditNote
from assay.model.lifecycle import CandidateState, Move
from assay.spine.payloads import EvidenceJob, FetchJob, LookJob, PackJob, SentinelJob

__all__ = [
    "AuditNote",
    "CandidateState",
    "Change",
    "ErrorClass",
    "Event",
    "EvidenceJob",
    "Failed",
    "FetchJob",
    "Gate",
    "Job",
    "Log",
    "LookJob",
    "Move",
    "NextJob",
    "Outcome",
    "PackJob",
    "Payload",
    "QueueLimits",
    "Reader",
    "Result",
    "RetryAction",
    "SentinelJob",
    "Stage",
]
