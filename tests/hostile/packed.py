"""Office files: bombs, locks, and XML that means harm, in packages that look right."""

import io
import random
import struct
import zipfile
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from tests.bad_site.behaviours import MEGABYTE
from tests.hostile.bulk import Bulk
from tests.hostile.case import READ, SKIPPED, Case, ends, law, said

_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_FIXED = (2024, 1, 1, 0, 0, 0)


def packed(parts: dict[str, bytes | str]) -> bytes:
    """A package of these parts."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(zipfile.ZipInfo(name, _FIXED), data, zipfile.ZIP_DEFLATED)
    return sink.getvalue()


def _relations(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/{kind}" Target="{target}"/></Relationships>'
    )


def _types(part: str, content_type: str) -> str:
    return (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/{part}" ContentType="{content_type}.main+xml"/></Types>'
    )


def docx(document: str, **more: bytes | str) -> bytes:
    """A Word document with this as its main part."""
    return packed({**docx_frame(), "word/document.xml": document, **more})


def docx_frame() -> dict[str, bytes | str]:
    return {
        "[Content_Types].xml": _types("word/document.xml", _DOCX),
        "_rels/.rels": _relations("officeDocument", "word/document.xml"),
    }


def xlsx(sheet: str, **more: bytes | str) -> bytes:
    """A workbook with this as its only sheet."""
    return packed({**xlsx_frame(), "xl/worksheets/sheet1.xml": sheet, **more})


def xlsx_frame() -> dict[str, bytes | str]:
    return {
        "[Content_Types].xml": _types("xl/workbook.xml", _XLSX),
        "_rels/.rels": _relations("officeDocument", "xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": _relations("worksheet", "worksheets/sheet1.xml"),
        "xl/workbook.xml": f'<workbook {_S} {_R}><sheets><sheet name="Stope" sheetId="1" '
        'r:id="rId1"/></sheets></workbook>',
    }


@dataclass(frozen=True, slots=True)
class _Entry:
    """A part that is written by hand, because it would not fit into memory, or because it lies."""

    name: str
    data: bytes
    check: int
    told_size: int


def _bomb_entry(name: str, megabytes: int, *, lies: bool = False) -> _Entry:
    """A part of so many megabytes of blanks."""
    bulk = Bulk(b" ", megabytes)
    return _Entry(name, bulk.deflated(), bulk.crc(), 1000 if lies else bulk.size)


def _by_hand(parts: dict[str, bytes | str], entry: _Entry, *, copies: int = 1) -> bytes:
    """A package with one more part; its copies share the same bytes under other names."""
    base = packed(parts)
    end = base.rfind(b"PK\x05\x06")
    begin, size = (
        struct.unpack_from("<I", base, end + 16)[0],
        struct.unpack_from("<I", base, end + 12)[0],
    )
    wide = struct.pack("<HHQQ", 1, 16, entry.told_size, len(entry.data))
    head = struct.pack("<HHHHHIII", 45, 0, 8, 0, 0x5800, entry.check, 0xFFFFFFFF, 0xFFFFFFFF)
    name = entry.name.encode()
    local = (
        b"PK\x03\x04" + head + struct.pack("<HH", len(name), len(wide)) + name + wide + entry.data
    )
    names = [name] + [b"word/media/%05d.xml" % number for number in range(copies - 1)]
    central = b"".join(
        b"PK\x01\x02" + struct.pack("<H", 45) + head
        + struct.pack("<HHHHHII", len(one), len(wide), 0, 0, 0, 0, begin) + one + wide
        for one in names
    )  # fmt: skip
    count = len(parts) + copies
    directory = base[begin : begin + size] + central
    tail = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), begin + len(local), 0)
    return base[:begin] + local + directory + b"PK\x05\x06" + tail


def _flat_bomb(
    frame: str, part: str, megabytes: int, lies: bool, sink: BinaryIO, scale: float
) -> None:
    parts = docx_frame() if frame == "docx" else xlsx_frame()
    entry = _bomb_entry(part, max(300, round(megabytes * scale)), lies=lies)
    sink.write(_by_hand(parts, entry))


def _overlapping(copies: int, sink: BinaryIO, _scale: float) -> None:
    entry = _bomb_entry("word/media/bomb.xml", 100)
    document = _document(_paragraph(law("overlapping")))
    sink.write(_by_hand({**docx_frame(), "word/document.xml": document}, entry, copies=copies))


def _nested(depth: int, sink: BinaryIO, _scale: float) -> None:
    """Sixteen packages in each of sixteen, and so on; none is larger than a picture."""
    inner = packed({"0.dll": bytes(MEGABYTE)})
    for _ in range(depth):
        inner = packed({f"lib {number:x}.zip": inner for number in range(16)})
    sink.write(packed({**docx_frame(), "word/embeddings/lib.zip": inner}))


def compound(streams: dict[str, bytes], *, looped: bool = False) -> bytes:
    """An old Office container with these streams, each longer than the small ones of its format."""
    sector, free, last = 512, 0xFFFFFFFF, 0xFFFFFFFE
    table: list[int] = [0xFFFFFFFD, last]
    bodies, entries = b"", b""
    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    entries += _directory_entry("Root Entry", 5, child=1 if names else free, start=last, size=0)
    for number, name in enumerate(names, 1):
        data = streams[name].ljust(4096, b"\x00")
        data += b"\x00" * (-len(data) % sector)
        start = len(table)
        count = len(data) // sector
        table += [*range(start + 1, start + count), start if looped else last]
        right = number + 1 if number < len(names) else free
        entries += _directory_entry(name, 2, right=right, start=start, size=len(data))
        bodies += data
    table += [free] * (128 - len(table))
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
        + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
        + struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, last, 0, last, 0)
        + struct.pack("<I", 0) + struct.pack("<I", free) * 108
    )  # fmt: skip
    return header + struct.pack("<128I", *table) + entries.ljust(sector, b"\x00") + bodies


def _directory_entry(
    name: str, kind: int, *, right: int = 0xFFFFFFFF, child: int = 0xFFFFFFFF, start: int, size: int
) -> bytes:
    written = name.encode("utf-16-le") + b"\x00\x00"
    links = struct.pack("<III", 0xFFFFFFFF, right, child)
    tail = bytes(36) + struct.pack("<IQ", start, size)
    return written.ljust(64, b"\x00") + struct.pack("<HBB", len(written), kind, 1) + links + tail


def _paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def _document(body: str, *, prologue: str = "") -> str:
    return f'<?xml version="1.0"?>{prologue}<w:document {_W}><w:body>{body}</w:body></w:document>'


_LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
_BILLION = f'<!DOCTYPE w:document [<!ENTITY l0 "ha">{_LAUGHS}]>'
_OUTSIDE = '<!DOCTYPE w:document [<!ENTITY out SYSTEM "file:///etc/passwd">]>'
_KEY = random.Random("key").randbytes(6000)


def _deep_document(depth: int, sink: BinaryIO, scale: float) -> None:
    depth = round(depth * scale)
    nested = (
        "<w:sdt><w:sdtContent>" * depth
        + _paragraph(law("deep docx"))
        + "</w:sdtContent></w:sdt>" * depth
    )
    sink.write(docx(_document(nested)))


def _far_cell() -> bytes:
    row = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>daleko</t></is></c></row>'
    return xlsx(
        f'<worksheet {_S}><dimension ref="A1:XFD1048576"/><sheetData>{row}</sheetData></worksheet>'
    )


def _deep_rtf(depth: int, sink: BinaryIO, scale: float) -> None:
    depth = round(depth * scale)
    words = law("rtf").encode("ascii", "replace")
    sink.write(b"{\\rtf1 " + b"{" * depth + words + b"}" * depth + b"}")


def _word(**streams: bytes) -> bytes:
    """What begins as a document of Word 97 does."""
    head = bytes.fromhex("eca5c1001304090400a0") + bytes(22)
    body = head + random.Random("word").randbytes(9000)
    return compound(
        {"WordDocument": body, "1Table": random.Random("table").randbytes(9000), **streams}
    )


_ODS = "application/vnd.oasis.opendocument.spreadsheet"
_REPEATED = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
    '<table:table table:name="S"><table:table-row table:number-rows-repeated="1000000000">'
    '<table:table-cell table:number-columns-repeated="1000000000" office:value-type="string">'
    "<text:p>stopa</text:p></table:table-cell></table:table-row></table:table>"
    "</office:spreadsheet></office:body></office:document-content>"
)


def _ods() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as package:
        package.writestr(zipfile.ZipInfo("mimetype", _FIXED), _ODS)
        package.writestr(zipfile.ZipInfo("content.xml", _FIXED), _REPEATED)
    return sink.getvalue()


_GOOD = docx(_document(_paragraph(law("docx cut")) * 50))
_HOSTILE = ("content_hostile", "content_too_large", "content_broken")

CASES = (
    Case(
        "docx/bomb-of-10-gb",
        partial(_flat_bomb, "docx", "word/document.xml", 10_240, False),
        ends(*_HOSTILE),
        content_type=_DOCX,
    ),
    Case(
        "docx/bomb-that-lies-about-its-size",
        partial(_flat_bomb, "docx", "word/document.xml", 10_240, True),
        ends(*_HOSTILE),
        content_type=_DOCX,
    ),
    Case(
        "docx/10000-parts-in-one-place",
        partial(_overlapping, 10_000),
        ends(READ, *_HOSTILE),
        content_type=_DOCX,
    ),
    Case("docx/packages-in-packages", partial(_nested, 4), ends(*_HOSTILE), content_type=_DOCX),
    Case(
        "docx/billion-laughs",
        said(docx(_document(_paragraph("&l11;"), prologue=_BILLION))),
        ends(SKIPPED, "content_empty", *_HOSTILE),
        content_type=_DOCX,
    ),
    Case(
        "docx/entity-from-outside",
        said(docx(_document(_paragraph(law("docx outside") + "&out;"), prologue=_OUTSIDE))),
        ends(READ, *_HOSTILE),
        content_type=_DOCX,
    ),
    Case(
        "docx/nested-200000-deep",
        partial(_deep_document, 200_000),
        ends(READ, *_HOSTILE),
        content_type=_DOCX,
    ),
    Case(
        "docx/under-a-password",
        said(compound({"EncryptionInfo": _KEY, "EncryptedPackage": _KEY})),
        ends("content_encrypted"),
        "password",
        content_type=_DOCX,
    ),
    Case(
        "docx/cut-in-half",
        said(_GOOD[: len(_GOOD) // 2]),
        ends("content_broken"),
        content_type=_DOCX,
    ),
    Case(
        "docx/without-a-document",
        said(packed({**docx_frame(), "word/styles.xml": "<x/>"})),
        ends("content_broken"),
        content_type=_DOCX,
    ),
    Case(
        "doc/garbage",
        said(_word()),
        ends("content_broken", "content_unsupported"),
        content_type="application/msword",
    ),
    Case(
        "doc/sectors-in-a-circle",
        said(compound({"WordDocument": bytes(9000)}, looped=True)),
        ends("content_broken", "content_unsupported"),
        content_type="application/msword",
    ),
    Case(
        "xlsx/bomb-of-10-gb",
        partial(_flat_bomb, "xlsx", "xl/worksheets/sheet1.xml", 10_240, False),
        ends(*_HOSTILE),
        content_type=_XLSX,
    ),
    Case(
        "xlsx/one-cell-at-the-far-end",
        said(_far_cell()),
        ends(READ, SKIPPED, "content_empty", *_HOSTILE),
        content_type=_XLSX,
    ),
    Case(
        "ods/a-row-a-billion-times", said(_ods()), ends(READ, SKIPPED, *_HOSTILE), content_type=_ODS
    ),
    Case(
        "rtf/nested-a-million-deep",
        partial(_deep_rtf, 1_000_000),
        ends(READ, SKIPPED, *_HOSTILE),
        content_type="application/rtf",
    ),
    Case(
        "zip/no-office-file",
        said(packed({"a.txt": law("zip")})),
        ends("content_unsupported"),
        "ZIP archive",
        content_type="application/zip",
    ),
)
