"""A graph as RDF, with where everything in it is from; and whether it keeps to given shapes."""

from assay.packs.graph.writing.quotes import Cited, provenance_of, quotes_hold
from assay.packs.graph.writing.shapes import hierarchy, violations
from assay.packs.graph.writing.writer import written

__all__ = ["Cited", "hierarchy", "provenance_of", "quotes_hold", "violations", "written"]
