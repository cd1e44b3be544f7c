"""How long to wait between two checks of an endpoint."""

import hashlib
import math

from assay.errors import InvalidInput

HOUR_MS = 3_600_000
SHORTEST_H = 4.0
LONGEST_H = 720.0
JITTER = 0.1
"""An adaptive interval is lengthened or shortened by up to this share."""
CHANGE_WEIGHT = 0.3
"""The weight of a check that found a change against all earlier checks."""
STABLE_WEIGHT = 0.1
FIRST_VELOCITY = 0.5
"""The assumed velocity of an endpoint that was never checked."""
FIXED_H: dict[str, float] = {
    "EVERY_RUN": 0.0,
    "DAILY": 24.0,
    "TWICE_WEEKLY": 84.0,
    "WEEKLY": 168.0,
    "MONTHLY": 720.0,
}
ADAPTIVE = "ADAPTIVE"
FREQUENCIES = (*FIXED_H, ADAPTIVE)


def update_velocity(velocity: float, *, changed: bool) -> float:
    """How often an endpoint changes, 0 to 1, after one more check: rises fast, falls slowly."""
    weight = CHANGE_WEIGHT if changed else STABLE_WEIGHT
    remaining = min(1.0, max(0.0, velocity)) * (1.0 - weight)
    return remaining + (weight if changed else 0.0)


def compute_adaptive_hours(velocity: float, risk: float = 1.0) -> float:
    """4 hours divided by velocity and risk, from 4 hours to 30 days."""
    if not (math.isfinite(risk) and risk > 0):
        raise InvalidInput(f"A risk factor is a number above 0, not {risk}.")
    if math.isnan(velocity):
        raise InvalidInput("A velocity is a number from 0 to 1.")
    pull = velocity * risk
    # A number so small that dividing by it overflows counts as zero.
    hours = SHORTEST_H / pull if pull > SHORTEST_H / LONGEST_H else LONGEST_H
    return min(LONGEST_H, max(SHORTEST_H, hours))


def add_jitter(hours: float, endpoint_id: str, looked_ms: int) -> float:
    """The interval, shifted by up to a tenth; always the same for the same endpoint and check.

    Otherwise endpoints that were added together would be checked together forever.
    """
    digest = hashlib.sha256(f"{endpoint_id}\x1f{looked_ms}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return hours * (1.0 + JITTER * (2.0 * share - 1.0))


def compute_next_due_ms(
    frequency: str,
    endpoint_id: str,
    last_look_ms: int | None,
    *,
    velocity: float = FIRST_VELOCITY,
    risk: float = 1.0,
) -> int:
    """When an endpoint may be checked again; 0 if it never was.

    Only the adaptive interval is jittered: a daily check that slips by minutes each time would
    miss the run of its day.
    """
    fixed = FIXED_H.get(frequency)
    if fixed is None and frequency != ADAPTIVE:
        raise InvalidInput(
            f"Frequency {frequency} is not known.", advice=f"Use {', '.join(FREQUENCIES)}."
        )
    if last_look_ms is None:
        return 0
    if fixed is not None:
        return last_look_ms + int(fixed * HOUR_MS)
    hours = add_jitter(compute_adaptive_hours(velocity, risk), endpoint_id, last_look_ms)
    return last_look_ms + int(hours * HOUR_MS)


def is_due(
    frequency: str,
    endpoint_id: str,
    last_look_ms: int | None,
    now_ms: int,
    *,
    velocity: float = FIRST_VELOCITY,
    risk: float = 1.0,
) -> bool:
    """Whether a check is due; also if the clock was set back before the last check."""
    if last_look_ms is not None and last_look_ms > now_ms:
        return True
    due = compute_next_due_ms(frequency, endpoint_id, last_look_ms, velocity=velocity, risk=risk)
    return now_ms >= due
