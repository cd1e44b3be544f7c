"""A page to explore a graph with: text, picture and lists in one file that loads nothing."""

from assay.packs.graph.picture.page import render_page

__all__ = ["render_page"]
