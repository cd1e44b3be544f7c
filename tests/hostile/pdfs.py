"""PDFs: cut off, locked, endless, turned in on themselves."""

import io
import random
from functools import cache, partial
from typing import BinaryIO

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from tests.hostile.bulk import Bulk
from tests.hostile.case import READ, SKIPPED, Case, Write, ends, said
from tests.hostile.case import law as law_text

_WIDTH = 90
_PDF = "application/pdf"


def plain_law(name: str) -> str:
    """A law in letters that every font has."""
    return law_text(name).translate(str.maketrans("čćžšđČĆŽŠĐ", "cczsdCCZSD"))


@cache
def law(pages: int = 3, password: str | None = None) -> bytes:
    """A good PDF. With a password, even an empty one, it is encrypted."""
    sink = io.BytesIO()
    locked = None if password is None else StandardEncryption(password, "owner", strength=128)
    canvas = Canvas(sink, invariant=1, encrypt=locked)
    for number in range(1, pages + 1):
        words = plain_law(f"pdf {password} {number}")
        for line in range(len(words) // _WIDTH + 1):
            canvas.drawString(72, 780 - 14 * line, words[line * _WIDTH : (line + 1) * _WIDTH])
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


def objects(*bodies: bytes, root: int = 1, trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1, with a table that is right."""
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer\n<< /Size %d /Root %d 0 R %s >>\n" % (len(bodies) + 1, root, trailer))
    out.write(b"startxref\n%d\n%%%%EOF\n" % table)
    return out.getvalue()


def stream(data: bytes, entries: bytes = b"") -> bytes:
    """An object with a stream."""
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
ONE_KID = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R %s >>"
WITH_FONT = b"/Resources << /Font << /F1 5 0 R >> >>"


def _cut(share: float, sink: BinaryIO, _scale: float) -> None:
    whole = law(pages=40)
    sink.write(whole[: round(len(whole) * share)])


def _cut_behind_the_catalog() -> bytes:
    """What is left has the catalog and the first pages: it can be read as far as it goes."""
    words = plain_law("cut").encode()
    text = stream(b"BT /F1 9 Tf 30 700 Td (" + words[:90] + b") Tj ET\n" * 8)
    kids = b"<< /Type /Pages /Kids [3 0 R 3 0 R 9 0 R] /Count 3 >>"
    whole = objects(CATALOG, kids, PAGE % WITH_FONT, text, FONT, stream(bytes(3000)))
    return whole[: len(whole) - 1500]


def _many_pages(count: int, sink: BinaryIO, scale: float) -> None:
    count = max(2001, round(count * scale))
    kids = b" ".join(b"%d 0 R" % number for number in range(5, 5 + count))
    bodies = [
        CATALOG,
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        FONT,
        stream(b"BT /F1 12 Tf 72 700 Td (Clanak 1. Porez se placa.) Tj ET"),
    ]
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>"
    )
    sink.write(objects(*bodies, *[page] * count))


def _deep_tree(depth: int, sink: BinaryIO, scale: float) -> None:
    depth = max(10, round(depth * scale))
    bodies = [CATALOG]
    bodies += [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (n + 3) for n in range(depth)]
    sink.write(objects(*bodies, b"<< /Type /Page /MediaBox [0 0 595 842] >>"))


def _content_bomb(piece: bytes, megabytes: int, sink: BinaryIO, scale: float) -> None:
    packed = Bulk(piece, max(1, round(megabytes * scale))).zlib()
    content = stream(packed, b"/Filter /FlateDecode")
    sink.write(objects(CATALOG, ONE_KID, PAGE % WITH_FONT, content, FONT))


def _huge_image() -> bytes:
    picture = stream(
        Bulk(b"\x00", 8).zlib(),
        b"/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceRGB "
        b"/BitsPerComponent 8 /Filter /FlateDecode",
    )
    shown = stream(b"q 595 0 0 842 0 0 cm /Im1 Do Q")
    page = PAGE % b"/Resources << /XObject << /Im1 5 0 R >> >>"
    return objects(CATALOG, ONE_KID, page, shown, picture)


def _form_in_itself() -> bytes:
    form = stream(
        b"/Fm1 Do /Fm1 Do",
        b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] "
        b"/Resources << /XObject << /Fm1 5 0 R >> >>",
    )
    page = PAGE % b"/Resources << /XObject << /Fm1 5 0 R >> >>"
    return objects(CATALOG, ONE_KID, page, stream(b"/Fm1 Do"), form)


def _deep_arrays(depth: int, sink: BinaryIO, scale: float) -> None:
    depth = round(depth * scale)
    odd = b"[" * depth + b"]" * depth
    sink.write(objects(b"<< /Type /Catalog /Pages 2 0 R /Odd %s >>" % odd, ONE_KID, PAGE % b""))


def _garbage(seed: str, size: int) -> Write:
    return said(b"%PDF-1.7\n" + random.Random(seed).randbytes(size))


_LOOP = objects(CATALOG, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>")
_TABLE_LOOP = objects(CATALOG, ONE_KID, PAGE % b"", stream(b""), trailer=b"/Prev 15")
_WIDE = objects(
    CATALOG,
    ONE_KID,
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1e30 1e30] /Contents 4 0 R %s >>" % WITH_FONT,
    stream(b"BT /F1 12 Tf 72 700 Td (" + plain_law("wide").encode() + b") Tj ET"),
    FONT,
)

CASES = (
    Case(
        "pdf/cut-at-10-percent",
        partial(_cut, 0.1),
        ends("content_broken"),
        "The PDF",
        content_type=_PDF,
    ),
    Case(
        "pdf/cut-at-50-percent", partial(_cut, 0.5), ends(READ, "content_broken"), content_type=_PDF
    ),
    Case(
        "pdf/cut-at-90-percent", partial(_cut, 0.9), ends(READ, "content_broken"), content_type=_PDF
    ),
    Case(
        "pdf/cut-behind-its-catalog",
        said(_cut_behind_the_catalog()),
        ends(READ, SKIPPED),
        "cut off",
        content_type=_PDF,
    ),
    Case(
        "pdf/header-alone",
        said(b"%PDF-1.7\n"),
        ends("content_broken"),
        "The PDF",
        content_type=_PDF,
    ),
    Case(
        "pdf/garbage-behind-header",
        _garbage("pdf", 300_000),
        ends("content_broken"),
        "The PDF",
        content_type=_PDF,
    ),
    Case(
        "pdf/locked",
        said(law(password="secret")),
        ends("content_encrypted"),
        "password",
        content_type=_PDF,
    ),
    Case(
        "pdf/locked-for-changes-only",
        said(law(password="")),
        ends(READ),
        holds="Clanak 5.",
        content_type=_PDF,
    ),
    Case(
        "pdf/10000-pages",
        partial(_many_pages, 10_000),
        ends("content_too_large"),
        "2000",
        content_type=_PDF,
    ),
    Case(
        "pdf/pages-in-a-circle",
        said(_LOOP),
        ends("content_broken", "content_empty"),
        content_type=_PDF,
    ),
    Case(
        "pdf/page-tree-of-100000-levels",
        partial(_deep_tree, 100_000),
        ends("content_broken", "content_empty", "content_hostile"),
        content_type=_PDF,
    ),
    Case(
        "pdf/tables-in-a-circle",
        said(_TABLE_LOOP),
        ends("content_broken", "content_empty"),
        content_type=_PDF,
    ),
    Case(
        "pdf/arrays-a-million-deep",
        partial(_deep_arrays, 1_000_000),
        ends("content_broken", "content_empty", "content_hostile"),
        content_type=_PDF,
    ),
    Case(
        "pdf/form-within-itself",
        said(_form_in_itself()),
        ends("content_broken", "content_empty", "content_hostile"),
        content_type=_PDF,
    ),
    Case(
        "pdf/picture-of-100000-by-100000",
        said(_huge_image()),
        ends(READ, "empty"),
        content_type=_PDF,
    ),
    Case(
        "pdf/sheet-without-end",
        said(_WIDE),
        ends(READ, SKIPPED, "content_broken", "content_empty"),
        content_type=_PDF,
    ),
    Case(
        "pdf/10-gb-of-blanks",
        partial(_content_bomb, b" ", 10_240),
        ends("content_broken", "content_empty", "content_hostile"),
        content_type=_PDF,
        heavy=True,
    ),
    Case(
        "pdf/lines-without-end",
        partial(_content_bomb, b"0 0 m 9 9 l S\n", 2_048),
        ends(READ, "content_empty", "content_hostile", "content_broken"),
        content_type=_PDF,
        heavy=True,
    ),
    Case(
        "pdf/words-without-end",
        partial(_content_bomb, b"BT /F1 9 Tf 9 9 Td (Porez) Tj ET\n", 512),
        ends(READ, SKIPPED, "content_hostile", "content_broken"),
        content_type=_PDF,
        heavy=True,
    ),
    Case(
        "pdf/blank-page",
        said(objects(CATALOG, ONE_KID, PAGE % b"", stream(b""))),
        ends("content_empty"),
        "blank",
        content_type=_PDF,
    ),
)
