"""Pages, XML and JSON: too deep, too wide, never closed, and growing when they are read."""

from functools import partial
from typing import BinaryIO

from tests.hostile.case import LAW, READ, SKIPPED, Case, ends, page, repeated, said

_XML = "application/xml"
_JSON = "application/json"
_HEAD = f"<!doctype html><html><title>Zakon</title><body><p>{LAW}</p>".encode()


def _laughs(levels: int = 10) -> str:
    grown = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels + 1))
    return f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "ha">{grown}]><a>&l{levels};</a>'


def _quadratic(sink: BinaryIO, scale: float) -> None:
    size = round(100_000 * scale)
    sink.write(b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "' + b"x" * size + b'">]><a>')
    sink.write(b"&x;" * size)
    sink.write(b"</a>")


def _nested(opening: bytes, closing: bytes, count: int, sink: BinaryIO, scale: float) -> None:
    count = round(count * scale)
    sink.write(opening * count + LAW.encode() + closing * count)


def _attributes(count: int, sink: BinaryIO, scale: float) -> None:
    sink.write(_HEAD + b"<div")
    for number in range(round(count * scale)):
        sink.write(b' a%d="%d"' % (number, number))
    sink.write(b">" + LAW.encode() + b"</div></body></html>")


def _wide_table(rows: int, sink: BinaryIO, scale: float) -> None:
    sink.write(_HEAD + b"<table>")
    for _ in range(round(rows * scale)):
        sink.write(b"<tr><td colspan=99999 rowspan=99999>Porez<td colspan=99999 rowspan=99999>25 %")
    sink.write(b"</table>")


_OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY out SYSTEM "file:///etc/passwd">'
    '<!ENTITY % more SYSTEM "http://127.0.0.1:9/more.dtd"> %more;]>'
    f"<a><p>{LAW}</p><p>&out;</p></a>"
)
_LAWS = f'{{"title": "Zakon", "text": "{LAW}"}}'

HTML = (
    Case("html/a-million-nested-tags", partial(_nested, b"<div>", b"</div>", 1_000_000), ends(READ, SKIPPED, "content_hostile")),
    Case("html/a-million-tags-never-closed", partial(_nested, b"<b><i>", b"", 1_000_000), ends(READ, SKIPPED, "content_hostile")),
    Case("html/a-million-nested-tables", partial(_nested, b"<table><tr><td>", b"", 1_000_000), ends(READ, SKIPPED, "content_hostile")),
    Case("html/a-million-attributes", partial(_attributes, 1_000_000), ends(READ), holds="Članak 5."),
    Case("html/cells-over-100-rows-and-columns", partial(_wide_table, 20_000), ends(READ), holds="Članak 5."),
    Case("html/comment-never-closed", repeated(b" Porez se ne vidi.", 500_000, before=_HEAD + b"<!--"), ends(READ), holds="Članak 5."),
    Case("html/quotation-never-closed", repeated(b" porez", 1_000_000, before=_HEAD + b'<a href="'), ends(READ), holds="Članak 5."),
    Case("html/script-never-closed", repeated(b"</scrip>", 1_000_000, before=_HEAD + b"<script>"), ends(READ), holds="Članak 5."),
    Case("html/flood-of-entities", repeated(b"&amp;&#x41;&lt;&NotAnEntity;", 600_000, before=_HEAD), ends(READ, SKIPPED)),
    Case("html/ampersands-alone", repeated(b"&", 15_000_000, before=_HEAD), ends(READ, SKIPPED)),
    Case("html/15-mb-of-angles", repeated(b"<", 15_000_000), ends(SKIPPED, "content_hostile", "content_empty", "content_unsupported")),
    Case("html/300-mb-of-angles", repeated(b"<", 300_000_000, before=b"<html>"), ends("content_too_large", SKIPPED, "content_hostile"), "300,000,006", heavy=True),
    Case("html/angles-and-letters", repeated(b"<a ", 6_000_000, before=_HEAD), ends(READ, SKIPPED, "content_hostile")),
    Case("html/closing-tags-alone", repeated(b"</p>", 4_000_000, before=_HEAD), ends(READ, SKIPPED, "content_hostile")),
    Case("html/zeros-between-all-letters", said(page("").replace("a", "a\x00")), ends(READ, SKIPPED, "content_unsupported")),
    Case("html/a-line-of-190-mb", repeated(b"<p>Porez se placa. ", 10_000_000, before=_HEAD), ends(READ, SKIPPED, "content_hostile"), served=False, heavy=True),
    Case("html/filled-by-a-script", said("<!doctype html><html><head><title>Zakon</title></head><body><div id=app></div><script src=a.js></script></body></html>"), ends(SKIPPED, "content_empty")),
)  # fmt: skip

XML = (
    Case("xml/billion-laughs", said(_laughs()), ends("content_hostile"), "entit", content_type=_XML),
    Case("xml/quadratic-growth", _quadratic, ends("content_hostile"), "entit", content_type=_XML),
    Case("xml/entity-from-outside", said(_OUTSIDE), ends(READ), holds="Članak 5.", content_type=_XML),
    Case("xml/a-million-levels", partial(_nested, b"<a>", b"</a>", 1_000_000), ends("content_hostile"), "nested", content_type=_XML),
    Case("xml/cut-in-half", said(f'<?xml version="1.0"?><law><p>{LAW}</p><p>Članak 6.'), ends(READ), "never closed", holds="Članak 5.", content_type=_XML),
    Case("xml/two-roots", said(f'<?xml version="1.0"?><a>{LAW}</a><b>&nope; <</b></c>'), ends(READ), holds="Članak 5.", content_type=_XML),
)  # fmt: skip

JSON = (
    Case("json/a-million-levels", repeated(b"[", 1_000_000), ends("content_hostile", "content_broken"), content_type=_JSON),
    Case("json/a-million-objects-deep", repeated(b'{"a":', 1_000_000), ends("content_hostile", "content_broken"), content_type=_JSON),
    Case("json/cut-in-half", said(_LAWS[: len(_LAWS) * 3 // 4]), ends(READ, "content_broken"), content_type=_JSON),
    Case("json/numbers-of-a-million-digits", said('{"text": "' + LAW + '", "n": [' + ",".join(["9" * 1_000_000] * 5) + "]}"), ends(READ, SKIPPED, "content_broken"), content_type=_JSON),
    Case("json/exponents-without-end", said('{"text": "' + LAW + '", "n": 1e999999999}'), ends(READ), holds="Članak 5.", content_type=_JSON),
    Case("json/a-million-keys", repeated(b'"k":1,', 1_000_000, before=b"{", after=b'"z":2}'), ends(READ, SKIPPED, "content_broken"), content_type=_JSON),
    Case("json/halves-of-surrogates", said('{"text": "\\ud800\\ud800 ' + LAW + ' \\udfff"}'), ends(READ), holds="Članak 5.", content_type=_JSON),
)  # fmt: skip

CASES = (*HTML, *XML, *JSON)
