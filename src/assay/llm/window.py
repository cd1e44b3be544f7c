"""What may go out when: requests and tokens per minute, requests per second, and a steady pace.

Starts are counted in slots of a fifth of a second. A slot counts until all of it has left the
window, plus `MARGIN_MS`: a call may reach its provider a little after it was granted, and the
provider's own count for any sixty seconds must not exceed the limit either.

In addition to the count there is a pace: a bucket for requests and one for tokens, which hold a few
seconds' worth of the allowance and refill constantly, so that a minute's worth never goes out at
once.
"""

from collections import deque
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import Any

from assay.llm.limits import MINUTE_MS, ProviderLimits
from assay.llm.messages import RateHints

SLOT_MS = 200
MARGIN_MS = 300
SECOND_MARGIN_MS = 100
_HELD_MS = 1_000
_HELD_MOST_MS = 60_000

Slot = tuple[int, int, int]
"""Number of the slot, requests, tokens."""


@dataclass(frozen=True)
class RateWindow:
    """What recently went out to one provider."""

    slots: tuple[Slot, ...] = ()
    requests_whole_ms: float = 0.0
    """When the bucket of requests is full again."""
    tokens_whole_ms: float = 0.0
    held_until_ms: int = 0
    """The time until which the provider asked for silence."""
    refusals: int = 0
    """How often in a row it asked."""
    requests_per_minute: int | None = None
    """The limits that the provider itself reported."""
    tokens_per_minute: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "slots": tuple(zip(*self.slots, strict=True)),
            "pace": (self.requests_whole_ms, self.tokens_whole_ms),
            "held": (self.held_until_ms, self.refusals),
            "told": (self.requests_per_minute, self.tokens_per_minute),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "RateWindow":
        return cls(
            tuple(zip(*value["slots"], strict=True)),
            *value["pace"],
            *value["held"],
            *value["told"],
        )


class RateForecast:
    """Walks forward from a window: when may the next call start, and the one after it?"""

    def __init__(self, window: RateWindow, limits: ProviderLimits, now_ms: int) -> None:
        self.limits = apply_learned_limits(limits, window)
        self._window = window
        self._now = now_ms
        oldest = (now_ms - MINUTE_MS - MARGIN_MS) // SLOT_MS
        self._slots: deque[Slot] = deque(slot for slot in window.slots if slot[0] >= oldest)
        self._requests = sum(slot[1] for slot in self._slots)
        self._tokens = sum(slot[2] for slot in self._slots)
        self._requests_whole = window.requests_whole_ms
        self._tokens_whole = window.tokens_whole_ms

    def find_start(self, tokens: int) -> int:
        """The earliest start of a call, which then counts as made."""
        limits = self.limits
        at: float = max(self._now, self._window.held_until_ms)
        at = max(at, self._find_room_in_minute(tokens), self._find_room_in_second())
        burst_ms = _earning_time_ms(limits.burst or 1, limits.requests_per_minute)
        smooth_ms = limits.smooth_s * 1_000
        at = max(
            at,
            _advance_pace(
                self._requests_whole, 1, limits.requests_per_minute, max(smooth_ms, burst_ms)
            ),
            _advance_pace(self._tokens_whole, tokens, limits.tokens_per_minute, smooth_ms),
        )
        starts_ms = ceil(at)
        self._count_start(starts_ms, tokens)
        self._now = starts_ms
        return starts_ms

    def build_window(self) -> RateWindow:
        """The window after starts that were really made now."""
        return replace(
            self._window,
            slots=tuple(self._slots),
            requests_whole_ms=self._requests_whole,
            tokens_whole_ms=self._tokens_whole,
        )

    def _find_room_in_minute(self, tokens: int) -> float:
        limits, at = self.limits, 0.0
        most_requests = inf if limits.requests_per_minute is None else limits.requests_per_minute
        most_tokens = inf if limits.tokens_per_minute is None else limits.tokens_per_minute
        while self._slots and (
            self._requests + 1 > most_requests or self._tokens + tokens > most_tokens
        ):
            number, requests, spent = self._slots.popleft()
            self._requests -= requests
            self._tokens -= spent
            at = (number + 1) * SLOT_MS + MINUTE_MS + MARGIN_MS
        return at

    def _find_room_in_second(self) -> float:
        burst = self.limits.burst
        if burst is None:
            return 0.0
        started = 0
        for number, requests, _ in reversed(self._slots):
            started += requests
            if started >= burst:
                return (number + 1) * SLOT_MS + 1_000 + SECOND_MARGIN_MS
        return 0.0

    def _count_start(self, at_ms: int, tokens: int) -> None:
        limits = self.limits
        _add_to_slots(self._slots, at_ms // SLOT_MS, 1, tokens)
        self._requests += 1
        self._tokens += tokens
        self._requests_whole = max(self._requests_whole, at_ms) + _earning_time_ms(
            1, limits.requests_per_minute
        )
        self._tokens_whole = max(self._tokens_whole, at_ms) + _earning_time_ms(
            tokens, limits.tokens_per_minute
        )


def apply_learned_limits(limits: ProviderLimits, window: RateWindow) -> ProviderLimits:
    """The configured limits, or those the provider reported if it may change them."""
    if not limits.learn or (window.requests_per_minute, window.tokens_per_minute) == (None, None):
        return limits
    return replace(
        limits,
        requests_per_minute=_choose_limit(
            limits.requests_per_minute, window.requests_per_minute, limits.may_rise
        ),
        tokens_per_minute=_choose_limit(
            limits.tokens_per_minute, window.tokens_per_minute, limits.may_rise
        ),
    )


def correct_window(
    window: RateWindow, limits: ProviderLimits, slot: int, *, tokens: int, requests: int = 0
) -> RateWindow:
    """The window after a call used more (or, if negative, less) than was counted for it."""
    if tokens == 0 and requests == 0:
        return window
    limits = apply_learned_limits(limits, window)
    slots = tuple(
        (number, max(0, count + requests), max(0, spent + tokens)) if number == slot
        else (number, count, spent)
        for number, count, spent in window.slots
    )  # fmt: skip
    return replace(
        window,
        slots=slots,
        requests_whole_ms=window.requests_whole_ms
        + _earning_time_ms(requests, limits.requests_per_minute),
        tokens_whole_ms=window.tokens_whole_ms + _earning_time_ms(tokens, limits.tokens_per_minute),
    )


def move_call(window: RateWindow, slot: int, to_ms: int, tokens: int) -> RateWindow:
    """The window after a call went out later than it was granted."""
    slots = deque(
        (number, requests - 1, spent - tokens) if number == slot else (number, requests, spent)
        for number, requests, spent in window.slots
    )
    _add_to_slots(slots, to_ms // SLOT_MS, 1, tokens)
    return replace(window, slots=tuple(s for s in slots if s[1] or s[2]))


def apply_hints(window: RateWindow, limits: ProviderLimits, hints: RateHints) -> RateWindow:
    """The window after an answer whose headers may report the provider's limits.

    The reported remainder is not used: it is the level of a bucket whose size is not reported.
    """
    if window.refusals:
        window = replace(window, refusals=0)
    if not limits.learn or (hints.requests_limit, hints.tokens_limit) == (None, None):
        return window
    return replace(
        window,
        requests_per_minute=hints.requests_limit or window.requests_per_minute,
        tokens_per_minute=hints.tokens_limit or window.tokens_per_minute,
    )


def apply_refusal(window: RateWindow, retry_after_ms: int | None, now_ms: int) -> RateWindow:
    """The window after the provider asked for silence; if it does not say how long, the wait
    grows each time."""
    wait_ms = retry_after_ms
    if wait_ms is None:
        wait_ms = min(_HELD_MS * 2 ** min(window.refusals, 10), _HELD_MOST_MS)
    return replace(
        window,
        held_until_ms=max(window.held_until_ms, now_ms + wait_ms),
        refusals=window.refusals + 1,
    )


def _earning_time_ms(amount: int, per_minute: int | None) -> float:
    """How long the allowance takes to earn that amount."""
    return 0.0 if per_minute is None else amount * MINUTE_MS / max(per_minute, 1)


def _advance_pace(whole_ms: float, amount: int, per_minute: int | None, bucket_ms: float) -> float:
    if per_minute is None:
        return 0.0
    worth = _earning_time_ms(amount, per_minute)
    # A call larger than the bucket goes out when the bucket is full.
    return whole_ms + worth - max(bucket_ms, worth)


def _choose_limit(configured: int | None, reported: int | None, may_rise: bool) -> int | None:
    if reported is None or configured is None:
        return reported or configured
    return reported if may_rise else min(reported, configured)


def _add_to_slots(slots: deque[Slot], number: int, requests: int, tokens: int) -> None:
    if slots and slots[-1][0] >= number:
        last = slots.pop()
        slots.append((last[0], last[1] + requests, last[2] + tokens))
    else:
        slots.append((number, requests, tokens))
