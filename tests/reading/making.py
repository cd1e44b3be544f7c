"""Small documents of every kind, made of bytes that the tests can see."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import openpyxl
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
GREY = b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray"


@dataclass(frozen=True)
class Sheet:
    """One page of a PDF: what is drawn, and what is noted on it."""

    content: bytes = b""
    notes: Sequence[bytes] = ()
    image: bytes = b""
    """An image object, drawn under the name /Im."""
    font: bytes = FONT


@dataclass
class _File:
    objects: list[bytes] = field(default_factory=list)

    def add(self, content: bytes) -> int:
        self.objects.append(content)
        return len(self.objects)

    def stream(self, content: bytes, head: bytes = b"<<") -> int:
        length = b"/Length %d>>stream\n" % len(content)
        return self.add(head + length + content + b"\nendstream")

    def written(self, trailer: bytes) -> bytes:
        out, places = bytearray(b"%PDF-1.7\n"), []
        for number, content in enumerate(self.objects, start=1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        out += b"trailer<</Size %d%s>>\nstartxref\n%d\n" % (len(places) + 1, trailer, start)
        return bytes(out) + b"%%EOF\n"


def pdf(*sheets: Sheet, info: bytes = b"", catalog: bytes = b"") -> bytes:
    """A PDF of these pages, each of 600 by 800 points."""
    file = _File()
    root, tree = file.add(b""), file.add(b"")
    kids = []
    for sheet in sheets:
        content, font = file.stream(sheet.content), file.add(sheet.font)
        resources = b"/Font<</F %d 0 R>>" % font
        if sheet.image:
            resources += b"/XObject<</Im %d 0 R>>" % file.add(sheet.image)
        notes = b" ".join(b"%d 0 R" % file.add(note) for note in sheet.notes)
        kids.append(
            file.add(
                b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<%s>>/Contents %d 0 R"
                b"/Annots[%s]>>" % (resources, content, notes)
            )
        )
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    file.objects[root - 1] = b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog
    file.objects[tree - 1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), listed)
    told = b"/Info %d 0 R" % file.add(info) if info else b""
    return file.written(b"/Root 1 0 R" + told)


def text(*lines: str, x: int = 50, y: int = 750, mode: int = 0) -> bytes:
    """What draws some lines of 12 points, one under the other."""
    shown = b"".join(
        b"(%s) Tj T* " % line.encode("cp1252").replace(b"(", b"\\(").replace(b")", b"\\)")
        for line in lines
    )
    return b"BT /F 12 Tf %d Tr 14 TL %d %d Td %sET\n" % (mode, x, y, shown)


def line(x: float, y: float, to_x: float, to_y: float) -> bytes:
    """What draws a thin line."""
    return f"0.5 w {x} {y} m {to_x} {to_y} l S\n".encode()


def scan(width: int = 600, height: int = 800) -> Sheet:
    """A page that is a picture."""
    return Sheet(b"q %d 0 0 %d 0 0 cm /Im Do Q" % (width, height), image=grey_image())


def grey_image(width: int = 8, height: int = 8, pixels: bytes | None = None) -> bytes:
    """An image object."""
    packed = zlib.compress(bytes(range(64)) if pixels is None else pixels)
    head = GREY % (width, height) + b"/Filter/FlateDecode/Length %d>>stream\n" % len(packed)
    return head + packed + b"\nendstream"


def prose(page: int = 1, lines: int = 20) -> Sheet:
    """A page of text."""
    return Sheet(text(*(f"Page {page}, line {n}: the rate of tax is 25 %." for n in range(lines))))


def encrypted_pdf(user: str, owner: str = "owner") -> bytes:
    """A PDF under a password."""
    held = io.BytesIO()
    canvas = Canvas(held, encrypt=StandardEncryption(user, owner), invariant=1)
    canvas.drawString(50, 750, "Words under a password, but long enough for a page of text.")
    canvas.save()
    return held.getvalue()


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def docx(body: str, **parts: str) -> bytes:
    """A Word document of this body; other parts by their name without `.xml`."""
    others = {f"word/{name}.xml": f'<w:{name} xmlns:w="{W}">{content}</w:{name}>'
              for name, content in parts.items()}  # fmt: skip
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    spaces = f'xmlns:w="{W}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    document = f"{head}<w:document {spaces}><w:body>{body}</w:body></w:document>"
    return packed({"word/document.xml": document, **others})


def p(*runs: str, properties: str = "") -> str:
    """A paragraph of a Word document."""
    told = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f"<w:p>{told}{''.join(runs)}</w:p>"


def r(words: str, properties: str = "", tag: str = "t") -> str:
    """A run of a Word document."""
    told = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{told}<w:{tag} xml:space="preserve">{words}</w:{tag}></w:r>'


def odt(body: str, styles: str = "", changes: str = "", **parts: str) -> bytes:
    """An OpenDocument text."""
    names = ("office", "text", "table", "style", "drawing")
    spaces = " ".join(
        f"xmlns:{'draw' if name == 'drawing' else name}="
        f'"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in names
    )
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:text>{changes}{body}</office:text>"
        f"</office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("content.xml", content, zipfile.ZIP_DEFLATED)
        for name, told in parts.items():
            archive.writestr(name.replace("__", "/") + ".xml", told)
    return held.getvalue()


def ods(rows: str) -> bytes:
    """An OpenDocument workbook with one sheet."""
    names = ("office", "text", "table")
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names
    )
    manifest = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="Rates">{rows}</table:table></office:spreadsheet>'
            f"</office:body></office:document-content>",
            zipfile.ZIP_DEFLATED,
        )
        archive.writestr("META-INF/manifest.xml", f"<manifest:manifest {manifest}/>")
    return held.getvalue()


def xlsx(sheets: Mapping[str, Sequence[Sequence[Any]]], hidden: Sequence[str] = ()) -> bytes:
    """A workbook."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        if name in hidden:
            sheet.sheet_state = "hidden"
    return saved(book)


def saved(book: Any) -> bytes:
    """A workbook of openpyxl as bytes."""
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def compound(streams: Mapping[str, bytes]) -> bytes:
    """An Office file of old with these streams, each filled up to 4096 bytes at least."""
    end, free, table = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    fat, sectors = [table], [b""]
    entries = [_entry("Root Entry", 5, end, 0, child=1)]
    for number, (name, content) in enumerate(streams.items(), start=1):
        content = content.ljust(max(4096, -(-len(content) // 512) * 512), b"\0")
        first, count = len(fat), len(content) // 512
        fat += [*range(first + 1, first + count), end]
        sectors += [content[at : at + 512] for at in range(0, len(content), 512)]
        after = number + 1 if number < len(streams) else free
        entries.append(_entry(name, 2, first, len(content), right=after))
    while len(entries) % 4:
        entries.append(bytes(128))
    directory = b"".join(entries)
    first_of_directory = len(fat)
    count = len(directory) // 512
    fat += [*range(first_of_directory + 1, first_of_directory + count), end]
    sectors += [directory[at : at + 512] for at in range(0, len(directory), 512)]
    sectors[0] = struct.pack("<128I", *fat, *[free] * (128 - len(fat)))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6xIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, first_of_directory, 0,
                        4096, end, 0, end)  # fmt: skip
    head += struct.pack("<I", 0) + struct.pack("<I", 0) + b"\xff\xff\xff\xff" * 108
    return head + b"".join(sectors)


def _entry(
    name: str, kind: int, first: int, size: int, child: int = 0xFFFFFFFF, right: int = 0xFFFFFFFF
) -> bytes:
    told = name.encode("utf-16-le") + b"\0\0"
    return (
        told.ljust(64, b"\0")
        + struct.pack("<HBBIII", len(told), kind, 1, 0xFFFFFFFF, right, child)
        + bytes(36)
        + struct.pack("<IQ", first, size)
    )


@dataclass(frozen=True)
class Words:
    """A stretch of an old Word document, and how it looks."""

    text: str
    looks: bytes = b""
    """Instructions for its characters, such as `STRUCK`."""
    paragraph: bytes = b""
    """Instructions for its paragraph, such as `IN_TABLE`."""


STRUCK, DELETED, INSERTED, HIDDEN = (
    struct.pack("<HB", code, 1) for code in (0x0837, 0x0800, 0x0801, 0x083C)
)
IN_TABLE, ROW_END = struct.pack("<HB", 0x2416, 1), struct.pack("<HB", 0x2417, 1)


def doc(*words: Words, wide: bool = True, flags: int = 0x0200, version: int = 0xC1) -> bytes:
    """An old Word document."""
    width = 2 if wide else 1
    encoding = "utf-16-le" if wide else "cp1252"
    written = "".join(one.text for one in words)
    main = bytearray(1024)
    struct.pack_into("<HH", main, 0, 0xA5EC, version)
    struct.pack_into("<H", main, 0x0A, flags)
    struct.pack_into("<I", main, 0x4C, len(written))
    places = [1024]
    for one in words:
        places.append(places[-1] + width * len(one.text))
    main += written.encode(encoding)
    main += bytes(-len(main) % 512)
    first_page = len(main) // 512
    looks = [one.looks and bytes([len(one.looks)]) + one.looks for one in words]
    main += _page_of_looks(places, looks, 1)
    told = [one.paragraph and _paragraph(one.paragraph) for one in words]
    main += _page_of_looks(places, told, 13)
    where = 1024 if wide else (1024 * 2) | 0x40000000
    order = struct.pack("<II", 0, len(written)) + struct.pack("<HIH", 0, where, 0)
    table = b"\x02" + struct.pack("<I", len(order)) + order
    struct.pack_into("<II", main, 0x1A2, 0, len(table))
    for number, place in enumerate((0xFA, 0x102)):
        pages = struct.pack("<III", 1024, places[-1], first_page + number)
        struct.pack_into("<II", main, place, len(table), len(pages))
        table += pages
    return compound({"WordDocument": bytes(main), "1Table": table})


def _paragraph(instructions: bytes) -> bytes:
    told = bytes(2) + instructions
    return bytes([0, -(-len(told) // 2)]) + told


def _page_of_looks(places: Sequence[int], looks: Sequence[bytes], step: int) -> bytes:
    page = bytearray(512)
    struct.pack_into(f"<{len(places)}I", page, 0, *places)
    free = 510
    for number, look in enumerate(looks):
        if look:
            free = (free - len(look)) // 2 * 2
            page[free : free + len(look)] = look
            page[4 * len(places) + step * number] = free // 2
    page[511] = len(looks)
    return bytes(page)
