"""Writes a graph as RDF with its provenance, and checks it against SHACL shapes."""

from assay.packs.graph.writing.quotes import CitedRelation, check_quotes, read_provenance
from assay.packs.graph.writing.serializing import write_graph
from assay.packs.graph.writing.shapes import find_violations, write_hierarchy

__all__ = [
    "CitedRelation",
    "check_quotes",
    "find_violations",
    "read_provenance",
    "write_graph",
    "write_hierarchy",
]
