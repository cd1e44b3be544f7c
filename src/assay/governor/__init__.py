"""The governor: which source may spend now, and how well each has done."""

from assay.governor.governor import Governor, Verdict
from assay.governor.health import HealthLevel, HealthOutcome, health_score, level_of
from assay.governor.standings import Standings

__all__ = [
    "Governor",
    "HealthLevel",
    "HealthOutcome",
    "Standings",
    "Verdict",
    "health_score",
    "level_of",
]
