"""One graph of many: the same thing is one entity, and what excludes each other is listed."""

from assay.packs.graph.merging.graphs import check_relation, merge_graphs

__all__ = ["check_relation", "merge_graphs"]
