"""Content classes: told by bytes."""

import gzip
import io
import random
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ContentEmpty, ContentError, ContentUnsupported
from assay.reading.forms import DocumentForm, sniff_form


def packed(*names: str, mimetype: str | None = None) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        if mimetype is not None:
            archive.writestr("mimetype", mimetype)
        for name in names:
            archive.writestr(name, "<x/>")
    return held.getvalue()


def compound(*streams: str) -> bytes:
    """The outline of an old Office file: a header, and a directory with these streams."""
    entries = b"".join(name.encode("utf-16-le").ljust(128, b"\x00") for name in streams)
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\x00") + entries.ljust(512, b"\x00")


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", DocumentForm.PDF),
        (b"\r\n\x00junk before %PDF-1.4", DocumentForm.PDF),
        (b"<!DOCTYPE html><p>x", DocumentForm.HTML),
        (b"\xef\xbb\xbf\n\n<!-- saved --> <!doctype HTML PUBLIC '-//W3C//DTD'>", DocumentForm.HTML),
        (b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html/>', DocumentForm.HTML),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', DocumentForm.HTML),
        (b'<html xmlns:o="urn:schemas-microsoft-com:office:office"><p class=MsoNormal>', "HTML"),
        (b"<p>a fragment", DocumentForm.HTML),
        (b"Some words first <p>one</p><p>two</p><p>three</p>", DocumentForm.HTML),
        ("<html><p>Članak".encode("utf-16"), DocumentForm.HTML),
        (b'\n<?xml version="1.0"?>\n<urlset><url/></urlset>', DocumentForm.XML),
        (b'<?xml version="1.0"?><?xml-stylesheet href="a"?><ACT/>', DocumentForm.XML),
        (
            b'<?xml version="1.0"?><!-- c --><!DOCTYPE rss [<!ENTITY a "b">]><rss/>',
            DocumentForm.XML,
        ),
        (b'<rss version="2.0"><channel></channel></rss>', DocumentForm.XML),
        (b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0"/></svg>', DocumentForm.XML),
        (b"<RULE><PREAMB>x</PREAMB></RULE>", DocumentForm.XML),
        (b'{"a": 1}', DocumentForm.JSON),
        (b'\xef\xbb\xbf  [{"a": NaN}]', DocumentForm.JSON),
        (b'{"a": 1}\n{"a": 2}\n', DocumentForm.JSON),
        (b'{"html": "<p>x</p><p>y</p><p>z</p>"}', DocumentForm.JSON),
        (b'{"cut": "in the mid', DocumentForm.JSON),
        (b'"[{\\"double\\": \\"encoded\\"}]"', DocumentForm.JSON),
        (b"{\\rtf1\\ansi hello}", DocumentForm.RTF),
        (packed("[Content_Types].xml", "word/document.xml"), DocumentForm.DOCX),
        (packed("[Content_Types].xml", "xl/workbook.xml"), DocumentForm.XLSX),
        (packed("a", mimetype="application/vnd.oasis.opendocument.text"), DocumentForm.ODT),
        (packed("a", mimetype="application/vnd.oasis.opendocument.spreadsheet"), DocumentForm.ODS),
        (compound("Root Entry", "WordDocument"), DocumentForm.DOC_OLE),
        (compound("Root Entry", "Workbook"), DocumentForm.XLS),
        (compound("Root Entry", "Book"), DocumentForm.XLS),
        (compound("Root Entry", "EncryptedPackage"), DocumentForm.DOC_OLE),
        (b"Just words, 5 < 6 and 7 > 3.", DocumentForm.TEXT),
        (b"# Heading\n\n[1] Smith, J.: <b> is a tag.", DocumentForm.TEXT),
        (b"[a link](https://x) and {braces}", DocumentForm.TEXT),
        (b"<tag> is how a line may begin", DocumentForm.TEXT),
        (b"name,rate\nA,5\n", DocumentForm.TEXT),
        (b"MZ and BM may begin a word.", DocumentForm.TEXT),
        ("Članak 1. Šećer".encode("cp1250"), DocumentForm.TEXT),
    ],
)
def test_a_document_is_what_its_bytes_say(data: bytes, form: str) -> None:
    assert sniff_form(data) == form


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", "PNG"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "JPEG"),
        (gzip.compress(b"<urlset/>", mtime=0), "gzip"),
        (b"MZ\x90\x00\x03\x00\x00\x00", "Windows program"),
        (b"\x7fELF\x02\x01\x01\x00", "program"),
        (b"\x00\x00\x00\x20ftypisom\x00\x00", "MP4"),
        (b"Rar!\x1a\x07\x01\x00", "RAR"),
        (packed("photo.png"), "ZIP"),
        (packed("ppt/slides/slide1.xml"), "PowerPoint"),
        (compound("Root Entry", "PowerPoint Document"), "Office file"),
    ],
)
def test_what_is_not_read_is_refused_by_name_with_advice(data: bytes, name: str) -> None:
    with pytest.raises(ContentUnsupported, match=name) as refused:
        sniff_form(data)
    assert refused.value.advice


def test_random_bytes_are_not_text() -> None:
    with pytest.raises(ContentUnsupported, match="neither text"):
        sniff_form(random.Random(5).randbytes(5000))


@pytest.mark.parametrize("data", [b"", b"  \r\n", b"\x00" * 100])
def test_nothing_is_said_to_be_nothing(data: bytes) -> None:
    with pytest.raises(ContentEmpty):
        sniff_form(data)


@pytest.mark.parametrize("garbage, is_text", [(19, True), (21, False)])
def test_text_is_garbage_under_0_8_printable(garbage: int, is_text: bool) -> None:
    # Private-use characters: no control characters, and nothing to read.
    data = ("\ue000" * garbage + "a" * (100 - garbage)).encode()
    if is_text:
        assert sniff_form(data) is DocumentForm.TEXT
    else:
        with pytest.raises(ContentUnsupported, match="79% of it"):
            sniff_form(data)


def test_a_damaged_archive_is_told_by_what_it_begins_with() -> None:
    whole = packed("[Content_Types].xml", "word/document.xml")
    assert sniff_form(whole[:-30]) is DocumentForm.DOCX


@given(st.binary(max_size=300) | st.text(alphabet='<>{}[]"\\:,?!-/ab \n', max_size=80))
def test_any_bytes_are_told_or_refused(data: bytes | str) -> None:
    try:
        assert sniff_form(data if isinstance(data, bytes) else data.encode()) in DocumentForm
    except ContentError as refused:
        assert refused.what
        assert refused.advice
