"""Workbooks: sheets as pages, cells as they would be read, and the way back to each."""

import datetime as dt
import zipfile
from io import BytesIO

import openpyxl
import pytest

from assay.errors import (
    ContentBroken,
    ContentEmpty,
    ContentEncrypted,
    ContentHostile,
    ContentTooLarge,
)
from assay.model.content import ContentClass
from assay.reading.limits import ReadLimits
from assay.reading.sheets.cells import column_name, column_number, format_cell
from assay.reading.sheets.reader import read_sheets
from tests.reading.making import compound, ods, saved, xlsx

LIMITS = ReadLimits()
RATES: list[list[object]] = [
    ["Good", "Rate", "From"],
    ["Bread", 5, dt.date(2024, 1, 1)],
    ["Wine", 25.5, None],
]


def cell(value: str, told: str = "") -> str:
    begin = f'<table:table-cell office:value-type="string"{told}>'
    return f"{begin}<text:p>{value}</text:p></table:table-cell>"


def test_a_sheet_is_a_page_and_a_row_is_a_line() -> None:
    reading = read_sheets(xlsx({"Rates": RATES, "Notes": [["See the law."]]}), LIMITS)
    assert reading.content_class is ContentClass.XLSX
    assert reading.text == "Good\tRate\tFrom\nBread\t5\t2024-01-01\nWine\t25.5\nSee the law.\n"
    assert [(page.number, page.label) for page in reading.pages] == [(1, "Rates"), (2, "Notes")]
    assert reading.page_of(reading.text.index("See")) == 2
    (table,) = reading.tables
    assert table.rows[1] == ("Bread", "5", "2024-01-01")
    assert (table.caption, table.page) == ("Rates", 1)
    assert reading.text[table.start : table.end].endswith("25.5")


def test_every_cell_leads_back_to_its_place() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Tax rates"
    sheet["C4"], sheet["D4"], sheet["C6"] = "PDV", 25, "two\nlines"
    reading = read_sheets(saved(book), LIMITS)
    found = {s.place: reading.text[s.start : s.end] for s in reading.segments}
    assert found == {"Tax rates!C4": "PDV", "Tax rates!D4": "25", "Tax rates!C6": "two lines"}
    assert all(s.source_end - s.source_start == s.end - s.start for s in reading.segments)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234.0, "1234"), (0.1 + 0.2, "0.3"), (-2.50, "-2.5"), (1e20, "100000000000000000000"),
        (1.5e-7, "0.00000015"), (1e300, "1e+300"), (12345678.9, "12345678.9"), (True, "TRUE"),
        (dt.date(2024, 1, 2), "2024-01-02"), (dt.datetime(2024, 1, 2), "2024-01-02"),
        (dt.datetime(2024, 1, 2, 3, 4, 5), "2024-01-02T03:04:05"), (dt.time(3, 4), "03:04:00"),
        (dt.time(15, 30, 17, 999_999), "15:30:18"), (dt.timedelta(hours=30), "30:00:00"),
        (" a\tb\r\nc ", "a b  c"), ("", ""),
    ],
)  # fmt: skip
def test_a_value_reads_as_a_person_would_read_it(value: object, text: str) -> None:
    assert format_cell(value) == text  # type: ignore[arg-type]


def test_columns_have_letters() -> None:
    assert [column_name(n) for n in (0, 25, 26, 701, 702, 16383)] == [
        "A", "Z", "AA", "ZZ", "AAA", "XFD",
    ]  # fmt: skip
    assert all(column_number(column_name(n)) == n for n in range(0, 16384, 7))


def test_a_share_is_shown_in_percent_where_the_cell_says_so() -> None:
    book = openpyxl.Workbook()
    book.create_sheet("Other")["A1"] = 0.25
    sheet = book.worksheets[0]
    for place, value, form in (("A1", 0.25, "0%"), ("B1", 0.055, "0.00%"), ("C1", 0.25, "0.00"),
                               ("D1", 0.13, '0.0" "%')):  # fmt: skip
        sheet[place] = value
        sheet[place].number_format = form
    assert read_sheets(saved(book), LIMITS).text == "25%\t5.5%\t0.25\t13%\n0.25\n"


def test_hidden_sheets_are_left_out_and_named() -> None:
    reading = read_sheets(xlsx({"Shown": RATES, "Codes": [["secret"]]}, hidden=["Codes"]), LIMITS)
    assert "secret" not in reading.text
    assert reading.warnings == ("Hidden sheets are left out: Codes.",)


def test_an_open_document_workbook_is_read() -> None:
    rows = (
        f"<table:table-row>{cell('Kruh')}{cell('5 %')}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="1048570"><table:table-cell '
        f'table:number-columns-repeated="16384"/></table:table-row>'
    )
    assert read_sheets(ods(rows), LIMITS).text == "Kruh\t5 %\n"


def test_limits_cut_with_a_warning() -> None:
    data = xlsx({"A": [[f"{row}.{column}" for column in range(5)] for row in range(10)]})
    few_rows = read_sheets(data, ReadLimits(max_rows=3))
    assert few_rows.text.count("\n") == 3
    assert few_rows.warnings == ("Only the first 3 rows of the sheet A are read.",)
    few_columns = read_sheets(data, ReadLimits(max_columns=2))
    assert few_columns.text.startswith("0.0\t0.1\n")
    assert few_columns.warnings == ("Only the first 2 of 5 columns of the sheet A are read.",)
    short = read_sheets(data, ReadLimits(max_characters=60))
    assert len(short.text) <= 60 and "characters are kept" in short.warnings[0]
    few_sheets = read_sheets(xlsx({"A": [[1]], "B": [[2]]}), ReadLimits(max_pages=1))
    assert few_sheets.warnings == ("Only the first 1 of 2 sheets are read.",)
    no_table = read_sheets(data, ReadLimits(max_table_cells=10))
    assert no_table.tables == () and "too large" in no_table.warnings[0]


def test_past_a_count_a_row_has_one_way_back() -> None:
    data = xlsx({"A": [[f"{row}.{column}" for column in range(5)] for row in range(10)]})
    segments = read_sheets(data, ReadLimits(max_segments=20)).segments
    assert [s.place for s in segments[:6]] == ["A!A1", "A!B1", "A!C1", "A!D1", "A!E1", "A!A2"]
    assert segments[-1].place == "A!A10:E10"
    assert len(segments) <= 20


def test_two_cells_far_apart_are_refused_before_they_fill_memory() -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = 1, 2
    with pytest.raises(ContentTooLarge, match="spans 1,048,576 rows"):
        read_sheets(saved(book), LIMITS)
    wide = cell("x", ' table:number-columns-repeated="1000"')
    many = 'table:number-rows-repeated="1000000"'
    far = f"<table:table-row {many}>{wide}</table:table-row>"
    with pytest.raises(ContentTooLarge, match="cells"):
        read_sheets(ods(far), LIMITS)


def test_a_far_cell_that_is_only_coloured_does_no_harm() -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "x"
    book.active["XFD1048576"].fill = openpyxl.styles.PatternFill("solid", fgColor="FF0000")
    assert read_sheets(saved(book), LIMITS).text == "x\n"


def test_a_bomb_is_stopped_before_it_is_read() -> None:
    data = xlsx({"A": [["x"]]})
    held = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(data)) as old,
        zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            blank = b" " * 40_000_000 if name == "xl/worksheets/sheet1.xml" else b""
            new.writestr(name, old.read(name) + blank)
    with pytest.raises(ContentHostile, match="unpacks to more than 200 times"):
        read_sheets(held.getvalue(), LIMITS)


def test_what_cannot_be_read_is_said_in_one_way() -> None:
    with pytest.raises(ContentEmpty):
        read_sheets(xlsx({"A": []}), LIMITS)
    with pytest.raises(ContentEncrypted):
        read_sheets(compound({"EncryptedPackage": b"", "EncryptionInfo": b""}), LIMITS)
    with pytest.raises(ContentBroken):
        read_sheets(compound({"Workbook": b"\x09\x08"}), LIMITS)
    for data in (xlsx({"A": [["x"]]})[:-40], xlsx({"A": [["x"]]})[:300], b"PK\x03\x04"):
        with pytest.raises(ContentBroken):
            read_sheets(data, LIMITS)
