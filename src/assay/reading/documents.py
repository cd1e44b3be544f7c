"""Read any document: find out what it is, and call the reader for it."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from assay.errors import ContentEmpty, ContentTooLarge, CorruptBlob
from assay.model.hashes import content_hash
from assay.reading.forms import DocumentForm, sniff_form
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading

# Imported when first needed: a process that only reads HTML never loads the PDF engine.
_IN_A_CHARSET: Final = {
    DocumentForm.HTML: ("assay.reading.html.reader", "read_html"),
    DocumentForm.XML: ("assay.reading.structured.xml_reader", "read_xml"),
    DocumentForm.JSON: ("assay.reading.structured.json_reader", "read_json"),
    DocumentForm.TEXT: ("assay.reading.plain", "read_plain"),
}
_BINARY: Final = {
    DocumentForm.PDF: ("assay.reading.pdf.reader", "read_pdf"),
    DocumentForm.DOCX: ("assay.reading.word.reader", "read_word"),
    DocumentForm.DOC_OLE: ("assay.reading.word.reader", "read_word"),
    DocumentForm.ODT: ("assay.reading.word.reader", "read_word"),
    DocumentForm.RTF: ("assay.reading.word.reader", "read_word"),
    DocumentForm.XLSX: ("assay.reading.sheets.reader", "read_sheets"),
    DocumentForm.XLS: ("assay.reading.sheets.reader", "read_sheets"),
    DocumentForm.ODS: ("assay.reading.sheets.reader", "read_sheets"),
}


def read_document(
    data: bytes, limits: ReadLimits | None = None, charset: str | None = None
) -> Reading:
    """Read a document of any form as text; `charset` is the encoding its sender declared.

    A document that cannot be read raises a content error that says why and what to do.
    """
    limits = limits or ReadLimits()
    refuse_larger(len(data), limits)
    form = sniff_form(data)
    if form in _BINARY:
        binary = cast("Callable[[bytes, ReadLimits], Reading]", _load_reader(*_BINARY[form]))
        return binary(data, limits)
    textual = cast(
        "Callable[[bytes, ReadLimits, str | None], Reading]", _load_reader(*_IN_A_CHARSET[form])
    )
    reading = textual(data, limits, charset)
    if not reading.text.strip():
        raise ContentEmpty(
            " ".join(("The document has no text.", *reading.warnings)), advice=_WITHOUT_TEXT[form]
        )
    return reading


def load_stored_bytes(file: Path, hash_of_content: str) -> bytes:
    """The bytes of a stored document, checked against their hash, in a process that has only its
    file."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise CorruptBlob(f"The bytes stored under {hash_of_content} are gone.") from None
    if content_hash(data) != hash_of_content:
        raise CorruptBlob(f"The bytes stored under {hash_of_content} were altered.")
    return data


def refuse_larger(size: int, limits: ReadLimits) -> None:
    """Raise for a document that is too large; called before its bytes are loaded."""
    if size > limits.max_bytes:
        raise ContentTooLarge(
            f"The document has {size:,} bytes; at most {limits.max_bytes:,} are read.",
            advice="Split it, or ask its publisher for a smaller copy.",
        )


def _load_reader(module: str, name: str) -> object:
    return getattr(import_module(module), name)


_WITHOUT_TEXT: Final = {
    DocumentForm.HTML: "A page that a script fills in the browser is empty here; "
    "look for the address that the script loads its data from.",
    DocumentForm.XML: "It has elements, but no words in them.",
    DocumentForm.JSON: "It has no values.",
    DocumentForm.TEXT: "It is blank.",
}
