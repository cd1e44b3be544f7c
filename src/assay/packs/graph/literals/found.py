"""A value where it stands in a text, with everything that it can mean."""

from dataclasses import dataclass

from assay.packs.graph.literals.datatypes import fitted
from assay.packs.graph.model import Literal


@dataclass(frozen=True, slots=True)
class FoundLiteral:
    """A value of a text."""

    start: int
    end: int
    words: str
    """As it is written, white space folded."""
    readings: tuple[Literal, ...]
    """All that it can mean, the likeliest first."""

    @property
    def literal(self) -> Literal:
        """What the words tell without an ontology."""
        return self.readings[0]

    def as_(self, datatype: str) -> Literal | None:
        """The reading that fits a wanted datatype; None where there is none."""
        return fitted(self.readings, self.words, datatype)
