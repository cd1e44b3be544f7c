"""Why a person is asked, and how long he has.

A deadline that is over is shown as over, and nothing else ever follows from it.
"""

from enum import StrEnum

HOUR_MS = 3_600_000


class ReviewReason(StrEnum):
    """Why a person is asked."""

    TIER_T0 = "TIER_T0"
    """A rate, a deadline, a penalty: nobody but a person approves it."""
    TIER_T1 = "TIER_T1"
    """A threshold or a base: nobody but a person approves it."""
    CONFLICT = "CONFLICT"
    OCR_FAILED = "OCR_FAILED"
    LOW_CONFIDENCE = "LOW_CONFIDENCE"
    QUALITY = "QUALITY"
    INVALID_DOMAIN = "INVALID_DOMAIN"
    EVIDENCE_CHANGED = "EVIDENCE_CHANGED"
    """A person had decided, and the words that he saw are no longer there."""


ANSWER_HOURS = {
    ReviewReason.TIER_T0: 4,
    ReviewReason.TIER_T1: 24,
    ReviewReason.CONFLICT: 24,
    ReviewReason.OCR_FAILED: 48,
    ReviewReason.LOW_CONFIDENCE: 48,
    ReviewReason.QUALITY: 72,
    ReviewReason.INVALID_DOMAIN: 168,
}
_BY_TIER = {
    "T0": ReviewReason.TIER_T0,
    "T1": ReviewReason.TIER_T1,
    "T2": ReviewReason.LOW_CONFIDENCE,
    "T3": ReviewReason.LOW_CONFIDENCE,
}


def reason_of_tier(tier: str) -> ReviewReason:
    """Why a rule of that tier that nobody has decided about is asked about.

    What is no tier at all is treated as the gravest.
    """
    return _BY_TIER.get(tier, ReviewReason.TIER_T0)


def answer_time_ms(reason: ReviewReason, tier: str = "T0") -> int:
    """How long a person has, in milliseconds; where the evidence changed, the tier decides."""
    if reason is ReviewReason.EVIDENCE_CHANGED:
        reason = reason_of_tier(tier)
    return ANSWER_HOURS[reason] * HOUR_MS
