"""Pages, XML and JSON: too deep, too wide, never closed, and growing when they are read."""

from functools import partial
from typing import BinaryIO

from tests.hostile.case import READ, SKIPPED, Case, ends, law, page, repeated, said

_XML = "application/xml"
_JSON = "application/json"
_SEEN = "Članak 5."


def _begun(name: str) -> str:
    """A page that is not at its end."""
    return f"<!doctype html><html><title>Zakon {name}</title><body><p>{law(name)}</p>"


def laughs(levels: int = 10) -> str:
    """Ten names, each of which stands for ten of the one before."""
    grown = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels + 1))
    return f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "ha">{grown}]><a>&l{levels};</a>'


def _quadratic(sink: BinaryIO, scale: float) -> None:
    size = round(100_000 * scale)
    sink.write(b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "' + b"x" * size + b'">]><a>')
    sink.write(b"&x;" * size)
    sink.write(b"</a>")


def _nested(opening: bytes, closing: bytes, count: int, sink: BinaryIO, scale: float) -> None:
    count = round(count * scale)
    text = law(opening.decode()).encode()
    declared = b'<?xml version="1.0"?>' if opening == b"<law>" else b""
    sink.write(declared + opening * count + text + closing * count)


def _attributes(count: int, sink: BinaryIO, scale: float) -> None:
    sink.write(_begun("attributes").encode() + b"<div")
    for number in range(round(count * scale)):
        sink.write(b' a%d="%d"' % (number, number))
    sink.write(b">Kraj.</div></body></html>")


def _wide_table(rows: int, sink: BinaryIO, scale: float) -> None:
    sink.write(_begun("table").encode() + b"<table>")
    for _ in range(round(rows * scale)):
        sink.write(b"<tr><td colspan=99999 rowspan=99999>Porez<td colspan=99999 rowspan=99999>25 %")
    sink.write(b"</table>")


def _deep_list(depth: int, values: int, sink: BinaryIO, scale: float) -> None:
    """As deep as may be, and all values at the bottom."""
    sink.write(b'{"a rather long name": ' * depth + b"[")
    sink.write(b"1," * round(values * scale) + b"1]" + b"}" * depth)


def _long_numbers(digits: int, sink: BinaryIO, scale: float) -> None:
    sink.write(f'{{"text": "{law("numbers")}", "n": ['.encode())
    sink.write(b",".join([b"9" * round(digits * scale)] * 5) + b"]}")


_OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY out SYSTEM "file:///etc/passwd">'
    '<!ENTITY % more SYSTEM "http://127.0.0.1:9/more.dtd"> %more;]>'
    f"<a><p>{law('outside')}</p><p>&out;</p></a>"
)
_CUT_XML = f'<?xml version="1.0"?><law><p>{law("cut xml")}</p><p>Članak 9.'
_TWO_ROOTS = f'<?xml version="1.0"?><a>{law("two roots")}</a><b>&nope; <</b></c>'
_CUT_JSON = f'{{"title": "Zakon", "number": 17, "text": "{law("cut json")}'
_EXPONENT = f'{{"text": "{law("exponent")}", "n": 1e999999999}}'
_HALVES = f'{{"text": "\\ud800\\ud800 {law("halves")} \\udfff"}}'
_BY_SCRIPT = (
    "<!doctype html><html><head><title>Zakon</title></head><body><div id=app></div>"
    "<script src=app.js></script></body></html>"
)
_ENTITIES = b"&amp;&#x41;&lt;&NotAnEntity;"
_ODD = ends(READ, SKIPPED, "content_hostile")

HTML = (
    Case("html/a-million-nested-tags", partial(_nested, b"<div>", b"</div>", 1_000_000), _ODD),
    Case("html/a-million-tags-never-closed", partial(_nested, b"<b><i>", b"", 1_000_000), _ODD),
    Case(
        "html/a-million-nested-tables", partial(_nested, b"<table><tr><td>", b"", 1_000_000), _ODD
    ),
    Case("html/a-million-attributes", partial(_attributes, 1_000_000), ends(READ), holds=_SEEN),
    Case(
        "html/cells-over-all-rows-and-columns",
        partial(_wide_table, 20_000),
        ends(READ, SKIPPED),
        holds=_SEEN,
    ),
    Case(
        "html/comment-never-closed",
        repeated(b" Porez se ne vidi.", 500_000, before=_begun("comment") + "<!--"),
        ends(READ),
        holds=_SEEN,
    ),
    Case(
        "html/quotation-never-closed",
        repeated(b" porez", 1_000_000, before=_begun("quotation") + '<a href="'),
        ends(READ, SKIPPED),
        holds=_SEEN,
    ),
    Case(
        "html/script-never-closed",
        repeated(b"</scrip>", 1_000_000, before=_begun("script") + "<script>"),
        ends(READ),
        holds=_SEEN,
    ),
    Case(
        "html/flood-of-entities",
        repeated(_ENTITIES, 600_000, before=_begun("entities")),
        ends(READ, SKIPPED),
    ),
    Case(
        "html/ampersands-alone",
        repeated(b"&", 15_000_000, before=_begun("ampersands")),
        ends(READ, SKIPPED),
    ),
    Case(
        "html/15-mb-of-angles",
        repeated(b"<", 15_000_000),
        ends(SKIPPED, "content_hostile", "content_empty", "content_unsupported"),
    ),
    Case(
        "html/300-mb-of-angles",
        repeated(b"<", 300_000_000, before="<html>"),
        ends("content_too_large"),
        "300,000,006",
        heavy=True,
    ),
    Case("html/angles-and-letters", repeated(b"<a ", 6_000_000, before=_begun("angles")), _ODD),
    Case("html/closing-tags-alone", repeated(b"</p>", 4_000_000, before=_begun("closing")), _ODD),
    Case(
        "html/zeros-between-letters",
        said(page("zeros").replace("a", "a\x00")),
        ends(READ, SKIPPED, "content_unsupported"),
    ),
    Case(
        "html/a-line-of-190-mb",
        repeated(b"<p>Porez se placa. ", 10_000_000, before=_begun("line")),
        _ODD,
        served=False,
        heavy=True,
    ),
    Case(
        "html/a-line-of-1-gb",
        repeated(b"<p>Porez se placa. ", 53_000_000, before=_begun("long line")),
        ends("content_too_large"),
        "1,007,00",
        heavy=True,
    ),
    Case("html/filled-by-a-script", said(_BY_SCRIPT), ends("content_empty"), "script"),
)

XML = (
    Case("xml/billion-laughs", said(laughs()), ends("content_hostile"), "entit", content_type=_XML),
    Case("xml/quadratic-growth", _quadratic, ends("content_hostile"), "entit", content_type=_XML),
    Case(
        "xml/entity-from-outside",
        said(_OUTSIDE),
        ends(READ),
        "in another file",
        _SEEN,
        content_type=_XML,
    ),
    Case(
        "xml/a-million-levels",
        partial(_nested, b"<law>", b"</law>", 1_000_000),
        ends("content_hostile"),
        "nested",
        content_type=_XML,
    ),
    Case("xml/cut-in-half", said(_CUT_XML), ends(READ), "never closed", _SEEN, content_type=_XML),
    Case("xml/two-roots", said(_TWO_ROOTS), ends(READ), "", _SEEN, content_type=_XML),
)

JSON = (
    Case(
        "json/a-million-levels",
        repeated(b"[", 1_000_000),
        ends("content_hostile"),
        "nested",
        content_type=_JSON,
    ),
    Case(
        "json/a-million-objects-deep",
        repeated(b'{"a":', 1_000_000),
        ends("content_hostile"),
        "nested",
        content_type=_JSON,
    ),
    Case(
        "json/a-million-values-at-the-bottom",
        partial(_deep_list, 390, 1_000_000),
        _ODD,
        content_type=_JSON,
    ),
    Case(
        "json/cut-in-half",
        said(_CUT_JSON),
        ends(READ, SKIPPED),
        "not JSON from",
        content_type=_JSON,
    ),
    Case(
        "json/numbers-of-a-million-digits",
        partial(_long_numbers, 1_000_000),
        ends(READ, SKIPPED),
        content_type=_JSON,
    ),
    Case("json/exponents-without-end", said(_EXPONENT), ends(READ), "", _SEEN, content_type=_JSON),
    Case(
        "json/a-million-keys",
        repeated(b'"k":1,', 1_000_000, before="{", after='"z":2}'),
        ends(READ, SKIPPED),
        content_type=_JSON,
    ),
    Case(
        "json/one-key-of-nothing",
        repeated(b'"":{},', 3_000_000, before="{", after='"z":2}'),
        ends(READ, SKIPPED, "content_empty"),
        content_type=_JSON,
    ),
    Case(
        "json/a-long-key-of-one-key",
        repeated(b'"a":1,', 1_000_000, before='{"' + "k" * 1_000_000 + '":{', after='"z":2}}'),
        ends(READ, SKIPPED),
        content_type=_JSON,
    ),
    Case("json/halves-of-surrogates", said(_HALVES), ends(READ), "", _SEEN, content_type=_JSON),
)

CASES = (*HTML, *XML, *JSON)
