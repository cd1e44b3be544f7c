"""The governor: which sources may spend now, and how well each has performed."""

from assay.governor.governor import Governor, SpendingVerdict
from assay.governor.health import HealthLevel, HealthOutcome, compute_health_score, level_of
from assay.governor.standings import Standings

__all__ = [
    "Governor",
    "HealthLevel",
    "HealthOutcome",
    "SpendingVerdict",
    "Standings",
    "compute_health_score",
    "level_of",
]
