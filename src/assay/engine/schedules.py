"""Schedules, which start runs automatically."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

SCHEDULED_WORKFLOW = "assay.scheduled"


@dataclass(frozen=True)
class Schedule:
    """When runs start automatically, and the function that starts one."""

    name: str
    """The name of a pack's schedule; empty for Assay's own."""
    begin: Callable[[datetime], None]
    cron: str | None = None
    """None leaves the schedule as other workers have set it; 'off' removes it."""

    @property
    def workflow_name(self) -> str:
        """The name under which the queue knows the schedule."""
        return f"{SCHEDULED_WORKFLOW}.{self.name}" if self.name else SCHEDULED_WORKFLOW
