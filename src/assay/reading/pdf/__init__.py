"""PDF: text with its pages, marks and tables; and pages as images."""

from assay.reading.pdf.reader import read_pdf
from assay.reading.pdf.rendering import Area, RenderedPage, find_text_boxes, render_page

__all__ = ["Area", "RenderedPage", "find_text_boxes", "read_pdf", "render_page"]
