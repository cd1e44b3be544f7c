"""Read any word processor document, identified by its first bytes."""

from assay.errors import ContentUnsupported
from assay.reading import compound
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading
from assay.reading.word.doc import read_doc
from assay.reading.word.docx import read_docx
from assay.reading.word.odt import read_odt
from assay.reading.word.rtf import read_rtf

_PACKED = b"PK"
_OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument.text"
_RTF_WITHIN = 1024


def read_word(data: bytes, limits: ReadLimits) -> Reading:
    """Read the text of a DOCX, ODT, RTF or DOC file."""
    if data.startswith(compound.MAGIC):
        return read_doc(data, limits)
    if data.startswith(_PACKED):
        is_open = _OPEN_DOCUMENT in data[:200] or (b"word/" not in data and b"content.xml" in data)
        return read_odt(data, limits) if is_open else read_docx(data, limits)
    if b"{\\rtf" in data[:_RTF_WITHIN]:
        return read_rtf(data, limits)
    raise ContentUnsupported(
        "The document is not from a word processor that Assay knows.",
        advice="Save it as DOCX or PDF.",
    )
