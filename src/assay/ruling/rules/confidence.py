"""How sure Assay is of a rule, from the words that it rests on."""

from collections.abc import Sequence
from statistics import median

from assay.model.rules import SourcePointer

ADDED_PER_SOURCE = 0.03
"""What each further independent source adds."""
MAX_ADDED = 0.1
_DIGITS = 4


def compute_confidence(current: Sequence[SourcePointer], model: float | None = None) -> float:
    """The median of the pointers that still hold, raised by every further source, and never more
    than the model's own confidence where a model had a part in it.

    Two documents of one source are not independent of each other. Nothing to rest on gives 0.
    """
    if not current:
        return 0.0
    further = len({pointer.source_slug for pointer in current}) - 1
    middle = median(pointer.confidence for pointer in current)
    raised = min(1.0, middle + min(MAX_ADDED, ADDED_PER_SOURCE * further))
    # Rounded, so that what is the floor on paper is the floor here as well.
    return round(raised if model is None else min(raised, model), _DIGITS)
