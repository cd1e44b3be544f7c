"""The tree of an act's provisions, from its markup or from the numbering in its text."""

from assay.packs.regulatory.acts.trees.reading import read_act, read_passage

__all__ = ["read_act", "read_passage"]
