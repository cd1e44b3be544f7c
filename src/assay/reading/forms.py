"""Identify a document by its bytes alone: neither its name nor its header is trusted."""

import re
import struct
from enum import StrEnum
from typing import Final

from assay.errors import ContentEmpty, ContentUnsupported
from assay.reading.decoding import decode_bytes

LEAST_PRINTABLE: Final = 0.8
"""Text with a smaller share of printable characters than this is garbage."""

_HEAD: Final = 64 * 1024
_BLANK: Final = b"\x00 \t\r\n\x0c"
_MOST_CONTROLS: Final = 0.02
_ENTRY: Final = 128
_JSON_LOOK: Final = 4000


class DocumentForm(StrEnum):
    """The forms of document that Assay reads."""

    PDF = "PDF"
    HTML = "HTML"
    XML = "XML"
    JSON = "JSON"
    DOCX = "DOCX"
    DOC_OLE = "DOC_OLE"
    ODT = "ODT"
    RTF = "RTF"
    XLSX = "XLSX"
    XLS = "XLS"
    ODS = "ODS"
    TEXT = "TEXT"


_READ_INSTEAD: Final = "Watch the address of the document itself instead."
_UNPACK: Final = "Unpack it and add the files in it."
_PICTURE: Final = "If it is a scanned page, convert it to PDF: image files are not read."
_MAGIC: Final[tuple[tuple[int, bytes, str, str], ...]] = (
    (0, b"\x89PNG\r\n\x1a\n", "a PNG picture", _PICTURE),
    (0, b"\xff\xd8\xff", "a JPEG picture", _PICTURE),
    (0, b"GIF8", "a GIF picture", _PICTURE),
    (0, b"II*\x00", "a TIFF picture", _PICTURE),
    (0, b"MM\x00*", "a TIFF picture", _PICTURE),
    (0, b"BM", "a BMP picture", _PICTURE),
    (8, b"WEBP", "a WebP picture", _PICTURE),
    (4, b"ftypavif", "an AVIF picture", _PICTURE),
    (4, b"ftyp", "an MP4 film", _READ_INSTEAD),
    (0, b"\x1a\x45\xdf\xa3", "a Matroska film", _READ_INSTEAD),
    (0, b"ID3", "an MP3 recording", _READ_INSTEAD),
    (0, b"OggS", "an Ogg recording", _READ_INSTEAD),
    (0, b"RIFF", "a RIFF recording", _READ_INSTEAD),
    (0, b"\x1f\x8b", "a gzip file", _UNPACK),
    (0, b"BZh", "a bzip2 file", _UNPACK),
    (0, b"\xfd7zXZ\x00", "an xz file", _UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard file", _UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
    (0, b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (257, b"ustar", "a tar archive", _UNPACK),
    (0, b"MZ", "a Windows program", _READ_INSTEAD),
    (0, b"\x7fELF", "a program", _READ_INSTEAD),
    (0, b"\xca\xfe\xba\xbe", "a program", _READ_INSTEAD),
    (0, b"wOFF", "a font", _READ_INSTEAD),
    (0, b"wOF2", "a font", _READ_INSTEAD),
    (0, b"SQLite format 3\x00", "an SQLite database", _READ_INSTEAD),
    (0, b"%!PS", "a PostScript file", "Convert it to PDF."),
    (0, b"PAR1", "a Parquet file", _READ_INSTEAD),
)
_HTML_NAME: Final = re.compile(
    r"<!doctype\s+html|<(?:html|head|body|title|meta|link|script|style|frameset|nav|main|header|"
    r"section|article|aside|footer|div|span|p|h[1-6]|ul|ol|dl|table|tbody|tr|form|center|font|br|"
    r"hr|img|a|b|i|em|strong|pre|blockquote|iframe|base|svg:svg)(?=[\s/>])",
    re.IGNORECASE,
)
_PROLOGUE: Final = re.compile(r"\s*+(?:<!--[\s\S]*?-->\s*+|<\?(?!xml\s)[^>]*+>\s*+)*+")
_XML_DECLARATION: Final = re.compile(r"<\?xml\s[^>]*+>", re.IGNORECASE)
_DOCTYPE: Final = re.compile(r"<!doctype\s+([\w:.-]+)", re.IGNORECASE)
_ROOT: Final = re.compile(r"<([A-Za-z_][\w.:-]*+)")
_XHTML: Final = re.compile(r"xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml")
_JSON_BEGIN: Final = re.compile(r'\s*+(?:[\[{]|"[\[{])')
_JSON_SO_FAR: Final = re.compile(
    r"""(?:[\s{}\[\],:]++|"(?:[^"\\]++|\\[\s\S])*+(?:"|\\?\Z)|-?(?:\d[\d.eE+-]*+|Infinity)|NaN
    |true|false|null)*+(?:\w{0,8}\Z|\x1e)?""",
    re.VERBOSE,
)
_CLOSED: Final = re.compile(r"</(?:p|div|td|li|ul|table|span|a|h[1-6]|body)\s*>", re.IGNORECASE)


def sniff_form(data: bytes) -> DocumentForm:
    """Find the form of a document. Forms that Assay does not read are refused, by name if known."""
    if not data[:_HEAD].strip(_BLANK) and not data.strip(_BLANK):
        raise ContentEmpty("The document is empty.", advice="There is nothing in it to read.")
    if b"%PDF-" in data[:1024]:
        return DocumentForm.PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _sniff_zip(data)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _sniff_compound(data)
    if data[:_HEAD].lstrip()[:5] == b"{\\rtf":
        return DocumentForm.RTF
    _refuse_known(data)
    return _sniff_text(data)


def _refuse_known(data: bytes) -> None:
    for at, magic, name, advice in _MAGIC:
        if data.startswith(magic, at) and not _reads_as_text(data, magic):
            raise ContentUnsupported(
                f"The document is {name}, which Assay does not read.", advice=advice
            )


def _reads_as_text(data: bytes, magic: bytes) -> bool:
    # "BM" and "MZ" may well be the beginning of a word.
    return magic.isascii() and magic.isalnum() and _compute_control_share(data[:1024]) == 0.0


def _compute_control_share(data: bytes) -> float:
    controls = len(data) - len(data.translate(None, delete=_CONTROLS))
    return controls / max(1, len(data))


_CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\r\x0c\x1b\x85"))


def _sniff_zip(data: bytes) -> DocumentForm:
    """The form of a ZIP archive, by the names of its members."""
    names = _read_member_names(data)
    if any(name.startswith("word/") for name in names):
        return DocumentForm.DOCX
    if any(name.startswith("xl/") for name in names):
        return DocumentForm.XLSX
    declared = _sniff_open_document(data)
    if declared is not None:
        return declared
    if any(name.startswith("ppt/") for name in names):
        raise ContentUnsupported(
            "The document is a PowerPoint presentation, which Assay does not read.",
            advice="Convert it to PDF.",
        )
    if "META-INF/container.xml" in names:
        raise ContentUnsupported(
            "The document is an e-book, which Assay does not read.", advice="Convert it to PDF."
        )
    raise ContentUnsupported(
        "The document is a ZIP archive, which Assay does not read.", advice=_UNPACK
    )


def _sniff_open_document(data: bytes) -> DocumentForm | None:
    # By its standard, an OpenDocument file begins with its type, stored uncompressed.
    head = data[30:200]
    if not head.startswith(b"mimetype"):
        return None
    if b"opendocument.text" in head:
        return DocumentForm.ODT
    if b"opendocument.spreadsheet" in head:
        return DocumentForm.ODS
    return None


def _read_member_names(data: bytes, most: int = 2000) -> list[str]:
    """The first names in the central directory; in a damaged archive, those at its beginning."""
    end = data.rfind(b"PK\x05\x06", max(0, len(data) - 65_557))
    at, signature, fixed, lengths = 0, b"PK\x03\x04", 30, 26
    if end >= 0 and len(data) >= end + 22:
        at, signature, fixed, lengths = (
            struct.unpack_from("<I", data, end + 16)[0],
            b"PK\x01\x02",
            46,
            28,
        )
    names: list[str] = []
    while len(names) < most and data.startswith(signature, at) and len(data) >= at + fixed:
        name, extra = struct.unpack_from("<HH", data, at + lengths)
        comment = struct.unpack_from("<H", data, at + 32)[0] if fixed == 46 else 0
        names.append(data[at + fixed : at + fixed + name].decode("utf-8", errors="replace"))
        if fixed == 30:
            at = data.find(signature, at + fixed + name + extra)
            if at < 0:
                break
        else:
            at += fixed + name + extra + comment
    return names


def _sniff_compound(data: bytes) -> DocumentForm:
    """The form of an old Office file: its directory contains the name of its main stream."""
    for name, form in (("WordDocument", DocumentForm.DOC_OLE), ("Workbook", DocumentForm.XLS)):
        if _has_stream(data, name):
            return form
    if _has_stream(data, "Book"):
        return DocumentForm.XLS
    if _has_stream(data, "EncryptedPackage"):
        # An Office file protected by a password; its reader says so.
        return DocumentForm.DOC_OLE
    raise ContentUnsupported(
        "The document is an Office file of a kind that Assay does not read.",
        advice="Save it as PDF, DOCX or XLSX.",
    )


def _has_stream(data: bytes, name: str) -> bool:
    wanted = name.encode("utf-16-le") + b"\x00\x00"
    at = data.find(wanted)
    while at >= 0:
        # Directory entries are 128 bytes each, from the start of a sector of 512.
        if at % _ENTRY == 0:
            return True
        at = data.find(wanted, at + 2)
    return False


def _sniff_text(data: bytes) -> DocumentForm:
    head = decode_bytes(data[:_HEAD]).text
    form = DocumentForm.JSON if _is_json(head) else _sniff_markup(head)
    if form is not None and _compute_control_share(head.encode()) <= _MOST_CONTROLS:
        return form
    share = _compute_printable_share(head)
    # Compressed bytes read as letters of some old encoding, but never without control characters.
    if share < LEAST_PRINTABLE or _compute_control_share(head.encode()) > _MOST_CONTROLS:
        raise ContentUnsupported(
            "The document is neither text nor of another kind that Assay reads: "
            f"{share:.0%} of it is printable.",
            advice="Check that the address leads to a document, and that all of it arrived.",
        )
    return form or DocumentForm.TEXT


def _is_json(head: str) -> bool:
    """Whether a text begins as JSON, and stays JSON as far as it is checked."""
    if not _JSON_BEGIN.match(head):
        return False
    so_far = _JSON_SO_FAR.match(head, 0, _JSON_LOOK)
    return so_far is not None and so_far.end() == min(len(head), _JSON_LOOK)


def _sniff_markup(head: str) -> DocumentForm | None:
    """HTML or XML; None for text that merely contains a `<`."""
    begin = _PROLOGUE.match(head.lstrip("\ufeff"))
    rest = head.lstrip("\ufeff")[begin.end() if begin else 0 :]
    declaration = _XML_DECLARATION.match(rest)
    if declaration:
        rest = rest[declaration.end() :]
        inner = _PROLOGUE.match(rest)
        rest = rest[inner.end() if inner else 0 :]
    if not rest.startswith("<"):
        return DocumentForm.HTML if len(_CLOSED.findall(head)) >= 3 else None
    if doctype := _DOCTYPE.match(rest):
        return DocumentForm.HTML if doctype[1].lower() in ("html", "[if") else DocumentForm.XML
    root = _ROOT.match(rest)
    if root is None:
        return None
    if root[1].lower() == "html" or _XHTML.search(rest[:2000]):
        return DocumentForm.HTML
    if declaration:
        return DocumentForm.XML
    if _HTML_NAME.match(rest):
        return DocumentForm.HTML
    return DocumentForm.XML if _is_element(rest, root[1]) else None


def _is_element(text: str, name: str) -> bool:
    """Whether a text that begins with a tag consists of elements: the first one is complete."""
    return (
        f"</{name}" in text
        or ("xmlns" in text[:500] and ">" in text)
        or bool(re.match(r"<[^<>]*/>\s*\Z", text))
        or (len(text) >= _HEAD // 2 and text.count("</") > 20)
    )


def _compute_printable_share(text: str) -> float:
    unprintable = sum(
        text.count(character)
        for character in set(text)
        if character == "\ufffd" or not (character.isprintable() or character.isspace())
    )
    return 1.0 - unprintable / max(1, len(text))
