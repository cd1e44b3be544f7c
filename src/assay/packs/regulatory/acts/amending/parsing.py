"""Choose the drafting tradition of an amending act."""

from typing import Literal, TypeAlias

from assay.packs.regulatory.acts.amending.american import parse_american
from assay.packs.regulatory.acts.shapes import Operation, UnclearInstruction

Tradition: TypeAlias = Literal["hr", "de", "uk", "us", "eu"]
"""The drafting traditions; `eu` also for Croatian and German versions of Union law."""


def parse_amendments(
    source: str, text: str, tradition: Tradition
) -> list[Operation | UnclearInstruction]:
    """The changes that an amending act makes, in order, and instructions that were not understood."""
    return parse_american(source, text)
