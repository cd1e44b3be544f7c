"""What a pack looks for when scout judges cheaply whether a document is worth reading."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Scouting:
    """A pack's scouting profile. The default judges by length and quality alone."""

    languages: frozenset[str] = frozenset()
    """Languages that the pack reads; empty: every language."""
    vocabulary: str = ""
    """Words that speak for a document, in the notation of `assay.reading.stems`."""
    kinds: Mapping[str, float] = field(default_factory=dict)
    """Kinds of document, each with what it adds to the score."""
    threshold: float | None = None
    """The least score; None: what the health of the source demands."""
