"""Amending acts: their instructions as operations, and the acts that result from applying them."""

from assay.packs.regulatory.acts.amending.applying import apply_operations
from assay.packs.regulatory.acts.amending.parsing import (
    Tradition,
    hide_quotations,
    list_own_articles,
    parse_amendments,
)

__all__ = [
    "Tradition",
    "apply_operations",
    "hide_quotations",
    "list_own_articles",
    "parse_amendments",
]
