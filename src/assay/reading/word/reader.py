"""Any document of a word processor, by its first bytes."""

from assay.errors import ContentUnsupported
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading
from assay.reading.word.docx import read_docx


def read_word(data: bytes, limits: ReadLimits) -> Reading:
    return read_docx(data, limits)
