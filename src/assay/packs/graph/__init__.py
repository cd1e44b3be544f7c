"""The graph pack: what a text says of things, guided by any ontology."""

from assay.packs.graph.extracting import extract
from assay.packs.graph.ontology_pack import graph_pack, pack

__all__ = ["extract", "graph_pack", "pack"]
