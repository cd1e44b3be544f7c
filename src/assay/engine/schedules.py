"""Schedules, which start runs automatically."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

SCHEDULED_WORKFLOW = "assay.scheduled"
OFF = "off"
"""The setting that removes a schedule."""


@dataclass(frozen=True)
class Schedule:
    """When runs start automatically, and the function that starts one."""

    name: str
    """The name of a pack's schedule; empty for Assay's own."""
    begin: Callable[[datetime], None]
    cron: str | None = None
    """None leaves the schedule as other workers have set it; `OFF` removes it."""

    @property
    def workflow_name(self) -> str:
        """The name under which the queue knows the schedule."""
        return f"{SCHEDULED_WORKFLOW}.{self.name}" if self.name else SCHEDULED_WORKFLOW


def is_valid_cron(cron: str) -> bool:
    """Whether a schedule can be set to this: an expression that the queue understands, or `OFF`."""
    # Imported here, because most packs have no schedules.
    from croniter import croniter

    return cron == OFF or bool(croniter.is_valid(cron, second_at_beginning=True))
