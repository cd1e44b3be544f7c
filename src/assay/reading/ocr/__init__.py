"""OCR: scanned pages as text, one by one, with what is known of how good the text is."""

from assay.reading.ocr.assembly import OcrDocument, assembled
from assay.reading.ocr.availability import Availability, availability
from assay.reading.ocr.options import OcrOptions
from assay.reading.ocr.page import OcrLine, OcrPage
from assay.reading.ocr.raster import page_count
from assay.reading.ocr.recognition import ocr_page

__all__ = [
    "Availability",
    "OcrDocument",
    "OcrLine",
    "OcrOptions",
    "OcrPage",
    "assembled",
    "availability",
    "ocr_page",
    "page_count",
]
