"""PDF: text with its pages, marks and tables; and pages as pictures."""

from assay.reading.pdf.reader import read_pdf
from assay.reading.pdf.showing import Area, RenderedPage, boxes, rendered_page

__all__ = ["Area", "RenderedPage", "boxes", "read_pdf", "rendered_page"]
