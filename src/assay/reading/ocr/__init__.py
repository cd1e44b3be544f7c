"""OCR: scanned pages as text, one by one, with an estimate of how good the text is."""

from assay.reading.ocr.assembly import OcrDocument, assemble_document
from assay.reading.ocr.options import OcrAvailability, OcrOptions, check_availability
from assay.reading.ocr.page import OcrLine, OcrPage
from assay.reading.ocr.raster import count_pages
from assay.reading.ocr.recognition import ocr_page

__all__ = [
    "OcrAvailability",
    "OcrDocument",
    "OcrLine",
    "OcrOptions",
    "OcrPage",
    "assemble_document",
    "check_availability",
    "count_pages",
    "ocr_page",
]
