"""Encodings that are not what they say, texts that are none, and files of another kind."""

import gzip
import random
import struct
import zlib

from tests.hostile.case import READ, SKIPPED, Case, Write, ends, law, page, repeated, said

_TEXT = "text/plain"
_SEEN = "Članak 5."
_WALL = (
    "<!doctype html><html><head><title>Just a moment...</title></head><body><h1>Checking your "
    "browser before accessing the site.</h1><p>This process is automatic. Please enable JavaScript "
    "and cookies to continue.</p><p>Ray ID: 7d1f0c2b8a9e4f11</p></body></html>"
)


def _declared(name: str, charset: str) -> str:
    return page(name, head=f"<meta charset={charset}>")


def _mixed() -> bytes:
    lines = [f"<p>{law(f'mixed {number}')}</p>\n" for number in range(4)]
    coded = [line.encode("cp1250" if at % 2 else "utf-8") for at, line in enumerate(lines)]
    return b"<!doctype html><html><title>Zakon</title><body>\n" + b"".join(coded)


def _noise(seed: str, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


def _picture() -> bytes:
    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(1_000_000))
    chunks = ((b"IHDR", head), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def _in_cp1250(name: str) -> Write:
    return said(page(name).encode("cp1250"))


def _says(charset: str, name: str | None = None) -> Case:
    """A page in windows-1250 whose server says that it is something else."""
    named = name or charset
    return Case(
        f"charset/says-{named}", _in_cp1250(named), ends(READ), "cp1250", _SEEN, charset=charset
    )


CHARSETS = (
    Case(
        "charset/says-utf-8-is-windows-1250",
        said(_declared("c1", "utf-8").encode("cp1250")),
        ends(READ),
        "cp1250",
        _SEEN,
        charset="utf-8",
    ),
    Case(
        "charset/says-windows-1250-is-utf-8",
        said(_declared("c2", "windows-1250")),
        ends(READ),
        "UTF-8",
        _SEEN,
        charset="windows-1250",
    ),
    Case("charset/says-nothing-is-windows-1250", _in_cp1250("c3"), ends(READ), "cp1250", _SEEN),
    Case(
        "charset/says-latin-1-is-windows-1250",
        said(_declared("c4", "iso-8859-1").encode("cp1250")),
        ends(READ),
        "cp1250",
        _SEEN,
        charset="iso-8859-1",
    ),
    Case(
        "charset/utf-16-without-a-mark", said(page("c5").encode("utf-16-le")), ends(READ), "", _SEEN
    ),
    Case(
        "charset/utf-16-with-half-a-letter",
        said(page("c6").encode("utf-16")[:-1]),
        ends(READ),
        "UTF-16",
        _SEEN,
        charset="utf-8",
    ),
    Case("charset/mixed-line-by-line", said(_mixed()), ends(READ), "mixed", _SEEN, charset="utf-8"),
    Case(
        "charset/marks-everywhere",
        said("\ufeff\ufeff" + page("c7", after="\ufeff<p>\ufeffKraj.\ufeff</p>")),
        ends(READ),
        "",
        _SEEN,
    ),
    Case(
        "charset/utf-16-mark-before-utf-8",
        said(b"\xff\xfe" + page("c8").encode()),
        ends(SKIPPED, READ, "content_unsupported"),
    ),
    Case(
        "charset/bad-bytes-in-utf-8",
        said(page("c9").encode() + b"\xed\xa0\x80\xc0\xaf\xf8\x88\x80\x80\x80"),
        ends(READ),
        "UTF-8",
        _SEEN,
    ),
    _says("x-klingon"),
    _says("punycode"),
    _says("idna"),
    _says("unicode_escape"),
    _says("utf-7"),
    _says("zlib"),
    _says("\"'; x=" + "a" * 500, "no-name-at-all"),
)

NOT_TEXT = (
    Case("text/empty", said(b""), ends("content_empty"), "empty"),
    Case("text/one-byte", said(b"a"), ends(SKIPPED), "too short", content_type=_TEXT),
    Case(
        "text/white-space",
        repeated(b" \n\t\r", 2_000_000),
        ends("content_empty"),
        "empty",
        content_type=_TEXT,
    ),
    Case(
        "text/zeros",
        repeated(b"\x00", 10_000_000),
        ends("content_empty"),
        "empty",
        content_type=_TEXT,
    ),
    Case(
        "text/noise",
        said(_noise("noise", 1_000_000)),
        ends("content_unsupported"),
        "neither text",
        content_type=_TEXT,
    ),
    Case(
        "text/one-word-a-million-times",
        repeated(b"porez ", 1_000_000, before=law("word")),
        ends(SKIPPED),
        content_type=_TEXT,
    ),
    Case("text/a-line-of-19-mb", repeated(b"x", 19_000_000), ends(SKIPPED), content_type=_TEXT),
    Case(
        "text/a-line-of-190-mb",
        repeated(b"x", 190_000_000),
        ends(SKIPPED, "content_hostile"),
        content_type=_TEXT,
        served=False,
        heavy=True,
    ),
    Case(
        "text/a-line-of-1-gb",
        repeated(b"x", 1_000_000_000),
        ends("content_too_large"),
        "1,000,000,000",
        content_type=_TEXT,
        heavy=True,
    ),
    Case(
        "text/returns-without-end",
        repeated(b"\r", 10_000_000, before=law("returns")),
        ends(READ, SKIPPED),
        content_type=_TEXT,
    ),
    Case(
        "text/page-breaks-without-end",
        repeated(b"\x0c", 10_000_000, before=law("breaks")),
        ends(READ, SKIPPED),
        content_type=_TEXT,
    ),
    Case("kind/picture-as-page", said(_picture()), ends("content_unsupported"), "PNG"),
    Case(
        "kind/program-as-page",
        said(b"MZ\x90\x00\x03\x00\x00\x00" + _noise("exe", 100_000)),
        ends("content_unsupported"),
        "Windows program",
    ),
    Case(
        "kind/film-as-page",
        said(b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00" + _noise("mp4", 100_000)),
        ends("content_unsupported"),
        "MP4",
    ),
    Case(
        "kind/gzip-as-page",
        said(gzip.compress(page("gzip").encode(), mtime=0)),
        ends("content_unsupported"),
        "gzip",
    ),
    Case(
        "kind/page-as-pdf",
        said(page("as pdf")),
        ends(READ),
        "",
        _SEEN,
        content_type="application/pdf",
    ),
    # It is refused where it is fetched; a file of it is no worse than any page without worth.
    Case("kind/wall-in-place-of-a-page", said(_WALL), ends(SKIPPED, "fetch_failed")),
)

CASES = (*CHARSETS, *NOT_TEXT)
