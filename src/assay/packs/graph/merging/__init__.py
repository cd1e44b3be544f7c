"""Merges graphs: the same thing becomes one entity, and contradictions are listed."""

from assay.packs.graph.merging.graphs import check_relation, merge_graphs

__all__ = ["check_relation", "merge_graphs"]
