"""Why a person is asked, and how long they have to answer.

A deadline that has passed is shown as such, and nothing else ever follows from it.
"""

from enum import StrEnum

HOUR_MS = 3_600_000


class ReviewReason(StrEnum):
    """Why a person is asked."""

    TIER_T0 = "TIER_T0"
    """A rate, a deadline, a penalty: only a person may approve it."""
    TIER_T1 = "TIER_T1"
    """A threshold or a base: only a person may approve it."""
    CONFLICT = "CONFLICT"
    OCR_FAILED = "OCR_FAILED"
    LOW_CONFIDENCE = "LOW_CONFIDENCE"
    QUALITY = "QUALITY"
    INVALID_DOMAIN = "INVALID_DOMAIN"
    EVIDENCE_CHANGED = "EVIDENCE_CHANGED"
    """A person had decided, and the words they saw are no longer there."""


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
    """Why a person is asked about an undecided rule of that tier.

    An unknown tier is treated as the most critical one.
    """
    return _BY_TIER.get(tier, ReviewReason.TIER_T0)


def answer_time_ms(reason: ReviewReason, tier: str = "T0") -> int:
    """How long a person has, in milliseconds; if the evidence changed, the tier decides."""
    if reason is ReviewReason.EVIDENCE_CHANGED:
        reason = reason_of_tier(tier)
    return ANSWER_HOURS[reason] * HOUR_MS
