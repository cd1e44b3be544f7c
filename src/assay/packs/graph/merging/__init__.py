"""One graph of many: the same thing is one entity, and what excludes each other is listed."""

from assay.packs.graph.merging.graphs import checked, merged

__all__ = ["checked", "merged"]
