"""When runs begin by themselves."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

SCHEDULED_WORKFLOW = "assay.scheduled"


@dataclass(frozen=True)
class Schedule:
    """When runs begin by themselves, and what begins one."""

    name: str
    """Of a pack's schedule; empty for Assay's own."""
    begin: Callable[[datetime], None]
    cron: str | None = None
    """None leaves the schedule as other workers have set it; 'off' takes it away."""

    @property
    def workflow_name(self) -> str:
        """Under which the queue knows it."""
        return f"{SCHEDULED_WORKFLOW}.{self.name}" if self.name else SCHEDULED_WORKFLOW
