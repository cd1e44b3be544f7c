"""A graph to look at: an SVG picture, and a page to explore it with."""

from assay.packs.graph.picture.drawing import svg
from assay.packs.graph.picture.page import page

__all__ = ["page", "svg"]
