"""Harnesses of the readers: the real functions with the real limits, below the sandbox."""

import io
import zipfile

from assay.errors import AssayError, ContentError
from assay.reading.archives import Archive
from assay.reading.compound import Compound
from assay.reading.decoding import decode_bytes
from assay.reading.documents import read_document
from assay.reading.forms import sniff_form
from assay.reading.html.reader import read_html
from assay.reading.limits import ReadLimits
from assay.reading.page_look import look_at_page
from assay.reading.pdf import reader as _pdf_reader
from assay.reading.plain import read_plain
from assay.reading.result import Reading
from assay.reading.sheets import reader as _sheet_reader
from assay.reading.structured.json_reader import read_json
from assay.reading.structured.xml_reader import read_xml
from assay.reading.word import reader as _word_reader
from assay.sources.listing import ListingOptions, read_listing
from tests.fuzz.oracles import check_listing, check_reading, check_words, require, run_twice
from tests.reading.ways_back import coverage, squeezed

LIMITS = ReadLimits()
SITE = "https://example.org/list"
# `read_document` imports these when it first needs them, which is too late to be traced.
TRACED = (_pdf_reader, _sheet_reader, _word_reader)
JSON_OPTIONS = ListingOptions(items="items", url="url", title="title", date="date", next="next")


def check_html(data: bytes) -> None:
    """A page: read with care, looked at cheaply, and read as a list of links."""
    _sniff(data)
    reading = run_twice(lambda: read_html(data, LIMITS))
    _check_textual(reading, data)
    look = run_twice(lambda: look_at_page(data))
    check_words("a look", (look.text, look.title))
    require(0.0 <= look.boilerplate_ratio <= 1.0, "look", look.boilerplate_ratio)
    for strategy in ("HTML_LIST", "HTML_TABLE", "CRAWL"):
        _list(strategy, data)


def check_xml(data: bytes) -> None:
    """An XML document."""
    _sniff(data)
    _check_textual(run_twice(lambda: read_xml(data, LIMITS)), data)


def check_json(data: bytes) -> None:
    """A JSON document, also as the answer of an API that lists items."""
    _sniff(data)
    _list("JSON_API", data)
    _check_textual(run_twice(lambda: read_json(data, LIMITS)), data)


def check_text(data: bytes) -> None:
    """A text without markup."""
    _check_textual(run_twice(lambda: read_plain(data, LIMITS)), data)


def check_packed(data: bytes) -> None:
    """Whatever the bytes are: a PDF, a document of a word processor, a workbook."""
    check_reading(run_twice(lambda: read_document(data, LIMITS)))


def check_sheets(data: bytes) -> None:
    """A workbook; tables as text with commas are read as plain text."""
    reading = run_twice(lambda: read_document(data, LIMITS))
    check_reading(reading)
    for table in reading.tables:
        words = squeezed(reading.text[table.start : table.end])
        held = squeezed("".join("".join(row) for row in table.rows))
        require(words == held, "table", f"the text {words[:40]!r} is not the table {held[:40]!r}")


def check_archive(data: bytes) -> None:
    """The parts of a ZIP archive, or the streams of an old Office file."""
    if data.startswith(b"\xd0\xcf"):
        compound = run_twice(lambda: [Compound(data).read_title()])
        check_words("a title", compound)
        return
    archive = Archive(data, LIMITS)
    for name in archive.names:
        part = run_twice(lambda name=name: Archive(data, LIMITS).read_part(name))  # type: ignore[misc]
        require(part is not None, "part", f"{name!r} is named and missing")
        if part is not None and len(part) < 100_000:
            _compare_part(data, name, part)


def _compare_part(data: bytes, name: str, part: bytes) -> None:
    """What was unpacked is what Python's own module unpacks."""
    with zipfile.ZipFile(io.BytesIO(data)) as plain:
        same = [
            i for i in plain.infolist() if i.filename.replace("\\", "/").lstrip("/").lower() == name
        ]
        require(plain.read(same[-1]) == part, "part", f"{name!r} is unpacked differently")


def _sniff(data: bytes) -> None:
    try:
        sniff_form(data)
    except ContentError as error:
        check_words("an error", (str(error),))


def _list(strategy: str, data: bytes) -> None:
    options = JSON_OPTIONS if strategy == "JSON_API" else ListingOptions()
    try:
        listing = run_twice(lambda: read_listing(strategy, data, SITE, options))
    except AssayError as error:
        check_words("an error", (str(error),))
    else:
        check_listing(listing)


def _check_textual(reading: Reading, data: bytes) -> None:
    decoded = decode_bytes(data).text
    check_reading(reading, len(decoded))
    is_whole = len(reading.segments) < LIMITS.max_segments and not reading.warnings
    if reading.encoding and is_whole and reading.content_class.value not in ("JSON", "json"):
        require(coverage(reading) > 0.999, "coverage", f"{coverage(reading):.3f} has a way back")
