"""How confident Assay is in a rule, given the words that support it."""

from collections.abc import Sequence
from statistics import median

from assay.model.rules import SourcePointer

ADDED_PER_SOURCE = 0.03
"""How much each further independent source adds."""
MAX_ADDED = 0.1
_DIGITS = 4


def compute_confidence(current: Sequence[SourcePointer], model: float | None = None) -> float:
    """The median of the current pointers, raised by every further source, and never higher than
    the model's own confidence if a model was involved.

    Two documents of one source are not independent of each other. Without support it is 0.
    """
    if not current:
        return 0.0
    further = len({pointer.source_slug for pointer in current}) - 1
    middle = median(pointer.confidence for pointer in current)
    raised = min(1.0, middle + min(MAX_ADDED, ADDED_PER_SOURCE * further))
    # Rounded, so that a confidence which equals the floor on paper equals it here as well.
    return round(raised if model is None else min(raised, model), _DIGITS)
