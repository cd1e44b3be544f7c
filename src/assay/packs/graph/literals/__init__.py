"""Typed values in a text. What the words tell is typed; the rest waits for the ontology."""

from assay.packs.graph.literals.datatypes import FoundLiteral, fitted
from assay.packs.graph.literals.finding import literals_in, read_literal

__all__ = ["FoundLiteral", "fitted", "literals_in", "read_literal"]
