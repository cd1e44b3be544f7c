"""HTML pages: all their lines, which of them are the main text, and the resulting reading."""

from assay.reading.html.reader import read_html

__all__ = ["read_html"]
