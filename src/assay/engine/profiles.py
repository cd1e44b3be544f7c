"""The limits of a stage's queue, given the settings and the profile (production or local)."""

from assay.engine.contract import QueueLimits, Stage
from assay.settings import Settings


def compute_limits(stage: Stage, settings: Settings) -> QueueLimits:
    """The declared limits, as modified by the profile and the settings.

    The local profile removes the rate limit of stages that call neither a site nor a provider.
    """
    declared = stage.queue
    rate, per, concurrency = declared.rate, declared.per, declared.concurrency
    if settings.profile == "local" and not _reaches_out(stage, settings):
        rate = None
    changed = settings.queues.get(stage.name)
    if changed is not None:
        if changed.rate is not None:
            rate = changed.rate or None
        per = changed.per_s or per
        concurrency = changed.concurrency or concurrency
    return QueueLimits(rate, per, concurrency)


def choose_batch_size(stage: Stage, settings: Settings) -> int:
    """Documents in one batch. A rate counts documents, so a queue with a rate is not batched."""
    if compute_limits(stage, settings).rate is not None:
        return 1
    return min(stage.batch, settings.batch_size)


def _reaches_out(stage: Stage, settings: Settings) -> bool:
    """Whether the stage calls a site, or a model where one is configured."""
    return "http" in stage.uses or ("model" in stage.uses and bool(settings.providers))
