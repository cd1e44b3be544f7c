"""Typed values in a text. What the words tell is typed; the rest waits for the ontology."""

from assay.packs.graph.literals.datatypes import fitted
from assay.packs.graph.literals.finding import literals_in, read_literal
from assay.packs.graph.literals.found import FoundLiteral

__all__ = ["FoundLiteral", "fitted", "literals_in", "read_literal"]
