"""The kinds of document, determined by their bytes, and the kinds of text derived from them."""

from enum import StrEnum


class ContentClass(StrEnum):
    """The kinds of document that Assay reads."""

    HTML = "HTML"
    PDF_TEXT = "PDF_TEXT"
    PDF_SCANNED = "PDF_SCANNED"
    DOC = "DOC"
    XLSX = "XLSX"
    JSON = "JSON"
    XML = "XML"
    TEXT = "TEXT"


class ArtifactKind(StrEnum):
    """The kinds of text that are derived from evidence."""

    HTML_CLEANED = "HTML_CLEANED"
    PDF_TEXT = "PDF_TEXT"
    OCR_TEXT = "OCR_TEXT"
    OCR_HOCR = "OCR_HOCR"
    TABLE_JSON = "TABLE_JSON"
    DOC_TEXT = "DOC_TEXT"
    XLSX_TEXT = "XLSX_TEXT"
    JSON_TEXT = "JSON_TEXT"
    XML_TEXT = "XML_TEXT"
    PLAIN_TEXT = "PLAIN_TEXT"


TEXT_OF = {
    ContentClass.HTML: ArtifactKind.HTML_CLEANED,
    ContentClass.PDF_TEXT: ArtifactKind.PDF_TEXT,
    ContentClass.PDF_SCANNED: ArtifactKind.OCR_TEXT,
    ContentClass.DOC: ArtifactKind.DOC_TEXT,
    ContentClass.XLSX: ArtifactKind.XLSX_TEXT,
    ContentClass.JSON: ArtifactKind.JSON_TEXT,
    ContentClass.XML: ArtifactKind.XML_TEXT,
    ContentClass.TEXT: ArtifactKind.PLAIN_TEXT,
}
"""The kind of text that each class of document yields."""
