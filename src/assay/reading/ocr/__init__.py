"""OCR: scanned pages as text, one by one, with an estimate of how good the text is.

What works with images is in `raster` and `recognition`; it needs the extra `assay[ocr]`.
"""

from assay.reading.ocr.assembly import OcrDocument, assemble_document
from assay.reading.ocr.options import OcrAvailability, OcrOptions, check_availability
from assay.reading.ocr.page import OcrLine, OcrPage

__all__ = [
    "OcrAvailability",
    "OcrDocument",
    "OcrLine",
    "OcrOptions",
    "OcrPage",
    "assemble_document",
    "check_availability",
]
