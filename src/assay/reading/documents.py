"""Reading any document: what it is, and the reader for that."""

from collections.abc import Callable
from importlib import import_module
from typing import Final, cast

from assay.errors import ContentEmpty, ContentTooLarge
from assay.reading.classes import Sniffed, sniffed
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading

# Imported when first needed: a process that reads pages only never loads the engine for PDF.
_IN_A_CHARSET: Final = {
    Sniffed.HTML: ("assay.reading.html", "read_html"),
    Sniffed.XML: ("assay.reading.structured", "read_xml"),
    Sniffed.JSON: ("assay.reading.structured", "read_json"),
    Sniffed.TEXT: ("assay.reading.plain", "read_plain"),
}
_BINARY: Final = {
    Sniffed.PDF: ("assay.reading.pdf", "read_pdf"),
    Sniffed.DOCX: ("assay.reading.word", "read_word"),
    Sniffed.DOC_OLE: ("assay.reading.word", "read_word"),
    Sniffed.ODT: ("assay.reading.word", "read_word"),
    Sniffed.RTF: ("assay.reading.word", "read_word"),
    Sniffed.XLSX: ("assay.reading.sheets", "read_sheets"),
    Sniffed.XLS: ("assay.reading.sheets", "read_sheets"),
    Sniffed.ODS: ("assay.reading.sheets", "read_sheets"),
}


def read(data: bytes, limits: ReadLimits | None = None, charset: str | None = None) -> Reading:
    """A document as text, whatever it is; `charset` is what the sender said of its encoding.

    What cannot be read raises a content error that says what it is and what to do.
    """
    limits = limits or ReadLimits()
    refuse_larger(len(data), limits)
    form = sniffed(data)
    if form in _BINARY:
        binary = cast("Callable[[bytes, ReadLimits], Reading]", _reader(*_BINARY[form]))
        return binary(data, limits)
    textual = cast(
        "Callable[[bytes, ReadLimits, str | None], Reading]", _reader(*_IN_A_CHARSET[form])
    )
    reading = textual(data, limits, charset)
    if not reading.text.strip():
        raise ContentEmpty(
            " ".join(("The document has no text.", *reading.warnings)), advice=_WITHOUT_TEXT[form]
        )
    return reading


def refuse_larger(size: int, limits: ReadLimits) -> None:
    """Raises for a document of more bytes than are read; asked before they are loaded."""
    if size > limits.max_bytes:
        raise ContentTooLarge(
            f"The document has {size:,} bytes; at most {limits.max_bytes:,} are read.",
            advice="Take it in parts, or ask its publisher for a smaller copy.",
        )


def _reader(module: str, name: str) -> object:
    return getattr(import_module(module), name)


_WITHOUT_TEXT: Final = {
    Sniffed.HTML: "Pages that a script fills in the browser are empty here; look for the address "
    "that the script asks.",
    Sniffed.XML: "It has elements, and no words in them.",
    Sniffed.JSON: "It has no values.",
    Sniffed.TEXT: "It is blank.",
}
