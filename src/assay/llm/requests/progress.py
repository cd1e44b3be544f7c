"""What can be seen of a request while it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Step(StrEnum):
    """What has just happened in a stage."""

    STARTED = "started"
    ITEMS = "items"
    """It has kept one more."""
    WARNING = "warning"
    RETRY = "retry"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One step of a request."""

    request_id: str
    stage: str
    what: Step
    items: int = 0
    """How many items the stage has."""
    attempt: int = 1
    end: str = ""
    """How the stage ended."""
    detail: str = ""


Report = Callable[[Progress], None]


def unheard(progress: Progress) -> None:
    """Nobody looks on."""
