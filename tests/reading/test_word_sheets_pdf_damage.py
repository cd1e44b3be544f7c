"""Damaged documents: whatever is wrong with the bytes, a reading or one clear error comes out.

The engines for PDF and workbooks are not ours, so theirs are read in a child process.
"""

import io
import os
import random
import resource
import signal
import struct
import sys
import traceback
import zipfile
from collections.abc import Callable, Iterator

import pytest

from assay.errors import AssayError, ContentError, ContentTooLarge
from assay.reading.limits import ReadLimits
from assay.reading.pdf.reader import read_pdf
from assay.reading.result import Reading
from assay.reading.sheets.reader import read_sheets
from assay.reading.sheets.records import check_xls, check_xlsb
from assay.reading.word.reader import read_word
from tests.reading import making
from tests.reading.making import DELETED, IN_TABLE, ROW_END, Sheet, Words, line, p, r, text

LIMITS = ReadLimits()
Reader = Callable[[bytes, ReadLimits], Reading]


def mutations(seed: bytes, count: int) -> Iterator[bytes]:
    """Copies of a document with bits turned, stretches lost, doubled or replaced."""
    chance = random.Random(20_240_501)
    for _ in range(count):
        data, at = bytearray(seed), chance.randrange(len(seed))
        how = chance.randrange(4)
        if how == 0:
            del data[at:]
        elif how == 1:
            for _ in range(chance.choice((1, 2, 5, 20))):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        elif how == 2:
            data[at : at + chance.randrange(1, 64)] = chance.randbytes(chance.randrange(64))
        else:
            data[at:at] = data[at : at + chance.randrange(300)]
        yield bytes(data)


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(held, "w") as new:
        for member in old.namelist():
            new.writestr(member, content if member == name else old.read(member))
    return held.getvalue()


def part_of(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)


def survives(reader: Reader, documents: Iterator[bytes]) -> set[type]:
    """Every document is read, or refused by an error of ours that says why; gives what came."""
    outcomes: set[type] = set()
    for data in documents:
        try:
            outcomes.add(type(reader(data, LIMITS)))
        except AssayError as error:
            assert isinstance(error, ContentError) and error.what.endswith(".")
            outcomes.add(type(error))
    assert len(outcomes) > 1
    return outcomes


DOCX = making.docx(
    p(r("Članak")) + f"<w:tbl><w:tr><w:tc>{p(r('x'))}</w:tc></w:tr></w:tbl>"
    + p(f"<w:del>{r('z', tag='delText')}</w:del>", r("b", "<w:strike/>"))
)  # fmt: skip
ODT = making.odt(
    "<text:p>a<text:span>b</text:span></text:p><table:table><table:table-row/></table:table>"
)
RTF = (
    b"{\\rtf1\\ansi\\ansicpg1250{\\fonttbl{\\f0\\fcharset238 A;}}\\f0 H\\'e8\\u268?{\\strike x}"
    b"\\par\\trowd\\intbl a\\cell b\\cell\\row\\pard{\\footnote n}\\page end}"
)
DOC = making.doc(
    Words("The rate is "), Words("20", DELETED), Words("Kruh\x07", paragraph=IN_TABLE),
    Words("\x07", paragraph=IN_TABLE + ROW_END), Words("end\r"),
)  # fmt: skip


@pytest.mark.parametrize(
    "documents",
    [
        mutations(DOCX, 150),
        (with_part(DOCX, "word/document.xml", part)
         for part in mutations(part_of(DOCX, "word/document.xml"), 150)),
        (with_part(ODT, "content.xml", part)
         for part in mutations(part_of(ODT, "content.xml"), 150)),
        mutations(RTF, 300),
        mutations(DOC, 300),
    ],
    ids=["docx", "docx body", "odt content", "rtf", "doc"],
)  # fmt: skip
def test_documents_of_word_processors(documents: Iterator[bytes]) -> None:
    assert Reading in survives(read_word, documents)


def in_a_child(work: Callable[[], object]) -> int:
    """Does it in a process of its own, with bounded memory and time; 0 where all went well."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        signal.alarm(60)
        try:
            work()
        except BaseException:
            # A forked copy of the test runner must not go on as one.
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


PDF = making.pdf(
    making.prose(1, 4), making.scan(),
    Sheet(text("Table") + line(100, 600, 400, 600) + line(100, 560, 400, 560)
          + line(100, 600, 100, 560) + line(400, 600, 400, 560)),
    info=b"<</Title(x)>>",
)  # fmt: skip
XLSX = making.xlsx({"A": [["x", 1, 2.5, True]] * 5, "B": [["y"]]})
ODS = making.ods(
    '<table:table-row><table:table-cell office:value-type="string"><text:p>x</text:p>'
    "</table:table-cell></table:table-row>"
)


@pytest.mark.parametrize(
    ("reader", "documents"),
    [
        (read_pdf, mutations(PDF, 150)),
        (read_sheets, mutations(XLSX, 60)),
        (read_sheets, (with_part(XLSX, "xl/worksheets/sheet1.xml", part)
                       for part in mutations(part_of(XLSX, "xl/worksheets/sheet1.xml"), 60))),
        (read_sheets, (with_part(ODS, "content.xml", part)
                       for part in mutations(part_of(ODS, "content.xml"), 60))),
    ],
    ids=["pdf", "xlsx", "xlsx sheet", "ods content"],
)  # fmt: skip
def test_documents_of_other_engines(reader: Reader, documents: Iterator[bytes]) -> None:
    assert in_a_child(lambda: survives(reader, documents)) == 0


def xls_cell(row: int, column: int) -> bytes:
    return struct.pack("<HHHHHd", 0x0203, 14, row, column, 0, 1.0)


def test_far_cells_of_binary_workbooks_are_refused() -> None:
    begin = struct.pack("<HHI", 0x0809, 4, 0)
    check_xls(begin + xls_cell(0, 0) + xls_cell(60_000, 100))
    check_xls(begin + xls_cell(0, 0) + begin + xls_cell(65_535, 65_535))
    with pytest.raises(ContentTooLarge, match="spans 65,536 rows"):
        check_xls(begin + xls_cell(0, 0) + xls_cell(65_535, 65_535))
    row, cell = b"\x00\x04" + struct.pack("<I", 1_048_575), b"\x02\x04" + struct.pack("<I", 16_383)
    first = b"\x00\x04" + bytes(4) + b"\x02\x04" + bytes(4)
    check_xlsb(row + cell, "sheet1.bin")
    with pytest.raises(ContentTooLarge, match="sheet sheet1"):
        check_xlsb(first + row + cell, "sheet1.bin")
