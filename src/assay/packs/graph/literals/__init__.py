"""Typed values in a text. What the words make clear is typed; the rest waits for the ontology."""

from assay.packs.graph.literals.datatypes import FoundLiteral, fit_reading
from assay.packs.graph.literals.finding import find_literals, read_literal

__all__ = ["FoundLiteral", "find_literals", "fit_reading", "read_literal"]
