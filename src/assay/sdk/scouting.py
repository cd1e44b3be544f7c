"""Scouting profiles: how scout judges cheaply whether a document is worth reading for a pack."""

from assay.spine.scouting.profile import (
    NEUTRAL,
    UNKNOWN_KIND,
    DocumentKind,
    KindClues,
    Scouting,
    TextSignals,
)

__all__ = ["NEUTRAL", "UNKNOWN_KIND", "DocumentKind", "KindClues", "Scouting", "TextSignals"]
