"""The progress of a request while it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class ProgressKind(StrEnum):
    """What has just happened in a step."""

    STARTED = "started"
    ITEMS = "items"
    """It has kept one more item."""
    WARNING = "warning"
    RETRY = "retry"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestProgress:
    """Something that happened in a request."""

    request_id: str
    step: str
    what: ProgressKind
    items: int = 0
    """How many items the step has."""
    attempt: int = 1
    end: str = ""
    """How the step ended."""
    detail: str = ""


ProgressListener = Callable[[RequestProgress], None]


def ignore_progress(progress: RequestProgress) -> None:
    """Do nothing, because nobody is listening."""
