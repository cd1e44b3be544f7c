"""The queues of the specification with their rates, and the two profiles."""

from assay.engine.contract import QueueLimits, Stage
from assay.settings import Settings

QUEUES: dict[str, QueueLimits] = {
    "sentinel": QueueLimits(5, per=60, concurrency=2),
    "listing": QueueLimits(None, concurrency=2),
    "fetch": QueueLimits(None, concurrency=2),
    "intake": QueueLimits(None, concurrency=2),
    "scout": QueueLimits(20, per=60),
    "router": QueueLimits(20, per=60),
    "ocr": QueueLimits(2, per=60, concurrency=2),
    "extract": QueueLimits(10, per=60),
    "compose": QueueLimits(5, per=60),
    "apply": QueueLimits(5, per=60),
    "review": QueueLimits(5, per=60),
    "arbiter": QueueLimits(3, per=60),
    "release": QueueLimits(2, per=60, concurrency=1),
    "embed": QueueLimits(None, concurrency=2),
}
"""The ten stage queues; `listing` and `fetch`, the hands of sentinel, which are paced per host
instead; `intake`, for what a person gives; and `embed`, the hand of release, which calls nobody."""

LIFTED_LOCALLY = frozenset({"scout", "router", "ocr", "compose", "apply", "review", "release"})
"""Stages that call nobody: the local profile lifts their rates."""
ASKING = frozenset({"extract", "arbiter"})
"""Stages that may ask a model; where none is configured, they call nobody either."""


def limits_of(name: str, declared: QueueLimits, settings: Settings) -> QueueLimits:
    """What holds for a queue under these settings."""
    rate, per, concurrency = declared.rate, declared.per, declared.concurrency
    if settings.profile == "local" and (
        name in LIFTED_LOCALLY or (name in ASKING and not settings.providers)
    ):
        rate = None
    changed = settings.queues.get(name)
    if changed is not None:
        if changed.rate is not None:
            rate = changed.rate or None
        per = changed.per_s or per
        concurrency = changed.concurrency or concurrency
    return QueueLimits(rate, per, concurrency)


def batch_size(stage: Stage, settings: Settings) -> int:
    """Documents in one job. A rate counts documents, so a queue with a rate has no batches."""
    if limits_of(stage.name, stage.queue, settings).rate is not None:
        return 1
    return min(stage.batch, settings.batch_size)
