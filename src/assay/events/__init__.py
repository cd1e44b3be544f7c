"""What happened: one small class each, named in the past tense."""

from assay.events.happened import (
    CircuitTripped,
    DocumentChanged,
    DocumentGone,
    EndpointScanned,
    Event,
    EvidenceStored,
    JobCancelled,
    JobDied,
    JobRetried,
    RunResumed,
    RunStarted,
    WorkerLost,
)

__all__ = [
    "CircuitTripped",
    "DocumentChanged",
    "DocumentGone",
    "EndpointScanned",
    "Event",
    "EvidenceStored",
    "JobCancelled",
    "JobDied",
    "JobRetried",
    "RunResumed",
    "RunStarted",
    "WorkerLost",
]
