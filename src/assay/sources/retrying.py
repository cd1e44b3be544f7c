"""Retries at the HTTP level: after which errors, and after how long."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from assay.errors import FetchFailed
from assay.sources.policy import FetchPolicy

RETRYABLE_STATUSES = frozenset({408, 425, 429})
JITTER = 0.2
LONGEST_HOLD_S = 86_400.0
"""Longest wait that a site's own request can impose: a day."""


class RequestFailed(FetchFailed):
    """A request without a usable response. `again` says whether to retry right away."""

    def __init__(
        self, what: str, *, retry_after_s: float | None = None, again: bool = True,
        advice: str | None = None, status: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(what, advice=advice)
        self.status = status
        self.retry_after_s = retry_after_s
        self.again = again


def is_retryable_status(status: int) -> bool:
    """Whether a status reports an error that may go away by itself."""
    return status in RETRYABLE_STATUSES or status >= 500


def parse_retry_after_s(value: str | None, now_ms: int) -> float | None:
    """What a Retry-After header asks for, in seconds from now; `None` if it says nothing."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        # More digits than that are not a number of seconds but an attack on this line.
        return float(text[:12]) if len(text) <= 12 else LONGEST_HOLD_S
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return max(0.0, (moment - datetime.fromtimestamp(now_ms / 1000, UTC)).total_seconds())
    except OverflowError:
        return None


def compute_delay_s(policy: FetchPolicy, retry: int, random: Callable[[], float]) -> float:
    """How long to wait before a retry, counted from 0; `random` is in [0, 1)."""
    delays = policy.retry_delays_s or (0.0,)
    return delays[min(retry, len(delays) - 1)] * (1 - JITTER + 2 * JITTER * random())


def compute_wait_s(
    policy: FetchPolicy, fault: RequestFailed, retries: int, random: Callable[[], float]
) -> float | None:
    """How long to wait before the next request; `None` if there is no point in one now."""
    if not fault.again or retries >= policy.retries:
        return None
    return max(fault.retry_after_s or 0.0, compute_delay_s(policy, retries, random))


def status_error(
    label: str, status: int, asked_s: float | None, policy: FetchPolicy
) -> RequestFailed:
    """The error that a status reports."""
    if asked_s is None or asked_s <= policy.max_retry_after_s:
        return RequestFailed(f"{label} answered {status}.", retry_after_s=asked_s, status=status)
    return RequestFailed(
        f"{label} answered {status} and may be asked again in {asked_s:.0f} s.",
        retry_after_s=asked_s,
        again=False,
        status=status,
    )
