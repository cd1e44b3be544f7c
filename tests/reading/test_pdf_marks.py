"""What a page of a PDF says of its own words: struck, put in, or standing in a table."""

import pytest

from assay.reading.limits import ReadLimits
from assay.reading.pdf.reader import read_pdf
from assay.reading.result import MarkKind, Reading
from tests.reading.making import Sheet, line, pdf, text

LIMITS = ReadLimits()
LINE = "Taxes of twenty per cent are due in May, and those who are late shall pay a fine."


def read(sheet: Sheet) -> Reading:
    return read_pdf(pdf(sheet), LIMITS)


def marked(reading: Reading) -> list[tuple[str, str]]:
    return [(mark.kind.value, reading.text[mark.start : mark.end]) for mark in reading.marks]


def across(words: str, share: float) -> tuple[float, float, float]:
    """Where some words of LINE begin and end, and the height of a line through them."""
    width = 5.63
    start = 50 + LINE.index(words) * width
    return start, start + len(words) * width, 750 + 12 * share


@pytest.mark.parametrize("share", [0.22, 0.3, 0.36])
def test_a_line_through_words_strikes_them(share: float) -> None:
    y = 750 + 12 * share
    reading = read(Sheet(text(LINE, "The second line stays.") + line(50, y, 480, y)))
    assert marked(reading) == [("struck", LINE)]


def test_a_thin_box_strikes_as_a_line_does() -> None:
    y = 750 + 3.3
    reading = read(Sheet(text(LINE) + f"50 {y} 430 0.6 re f".encode()))
    assert marked(reading) == [("struck", LINE)]


@pytest.mark.parametrize("share", [-0.15, -0.05, 0.8, 1.0])
def test_a_line_under_or_over_words_strikes_nothing(share: float) -> None:
    y = 750 + 12 * share
    assert marked(read(Sheet(text(LINE) + line(50, y, 480, y)))) == []


def test_a_rule_that_passes_by_a_word_strikes_nothing() -> None:
    words = text("Title", x=280) + text(LINE, y=700)
    assert marked(read(Sheet(words + line(20, 753.5, 580, 753.5)))) == []


def test_many_lines_on_a_page_are_told_apart() -> None:
    rules = b"".join(line(50, y, 550, y) for y in range(100, 600, 20))
    reading = read(Sheet(text(LINE) + rules + line(50, 753.5, 480, 753.5)))
    assert marked(reading) == [("struck", LINE)]


def note(subtype: str, said: str = "") -> bytes:
    x, to_x, _ = across("twenty per cent", 0)
    quad = f"{x} 760 {to_x} 760 {x} 747 {to_x} 747"
    return (
        f"<</Type/Annot/Subtype/{subtype}/Rect[{x} 747 {to_x} 760]/QuadPoints[{quad}]{said}>>"
    ).encode()


def test_notes_strike_words() -> None:
    ((kind, words),) = marked(read(Sheet(text(LINE), notes=[note("StrikeOut")])))
    assert kind == "struck"
    assert "twenty per" in words and "Taxes" not in words and "due" not in words


def test_an_underline_means_an_insertion_only_where_the_note_says_so() -> None:
    assert marked(read(Sheet(text(LINE), notes=[note("Underline")]))) == []
    reading = read(Sheet(text(LINE), notes=[note("Underline", "/Subj(Inserted Text)")]))
    assert [mark.kind for mark in reading.marks] == [MarkKind.INSERTED]


def test_words_that_only_a_note_has_are_told_of() -> None:
    caret = b"<</Type/Annot/Subtype/Caret/Rect[50 747 60 760]/Contents(new words)>>"
    reading = read(Sheet(text(LINE), notes=[caret]))
    assert "new words" not in reading.text
    assert reading.warnings == ("1 notes contain text of their own, which is left out.",)


def grid(lefts: list[int], tops: list[int]) -> bytes:
    level = b"".join(line(lefts[0], y, lefts[-1], y) for y in tops)
    return level + b"".join(line(x, tops[0], x, tops[-1]) for x in lefts)


CELLS = [["Good", "Rate", "From"], ["Bread", "5 %", "2024-01-01"], ["Wine", "25 %", "2013-01-01"]]


def cells(rows: list[list[str]] = CELLS) -> bytes:
    return b"".join(
        text(cell, x=105 + 100 * column, y=585 - 20 * row)
        for row, told in enumerate(rows)
        for column, cell in enumerate(told)
        if cell
    )


LEFTS, TOPS = [100, 200, 300, 400], [600, 580, 560, 540]


def test_a_table_with_lines_is_data_and_text() -> None:
    reading = read(Sheet(text(LINE) + grid(LEFTS, TOPS) + cells()))
    (table,) = reading.tables
    assert [list(row) for row in table.rows] == CELLS
    assert table.page == 1
    inside = reading.text[table.start : table.end]
    assert inside.startswith("Good") and inside.rstrip().endswith("2013-01-01")
    assert LINE not in inside


def test_a_table_of_boxes_is_a_table() -> None:
    boxes = b"".join(b"%d %d 100 20 re S\n" % (x, y - 20) for x in LEFTS[:-1] for y in TOPS[:-1])
    (table,) = read(Sheet(boxes + cells())).tables
    assert [list(row) for row in table.rows] == CELLS


def test_a_cell_over_two_columns_fills_the_first() -> None:
    lines = b"".join(line(100, y, 400, y) for y in TOPS) + b"".join(
        line(x, 600 if x != 200 else 580, x, 540) for x in LEFTS
    )
    rows = [["Goods and rates", "", "From"], *CELLS[1:]]
    (table,) = read(Sheet(lines + cells(rows))).tables
    assert [list(row) for row in table.rows] == rows


def test_a_table_open_at_its_sides_keeps_its_outer_columns() -> None:
    lines = b"".join(line(100, y, 400, y) for y in TOPS) + b"".join(
        line(x, 600, x, 540) for x in (200, 300)
    )
    (table,) = read(Sheet(lines + cells())).tables
    assert [list(row) for row in table.rows] == CELLS


@pytest.mark.parametrize(
    "drawn",
    [
        grid(LEFTS, TOPS),
        grid([100, 400], [600, 540]) + cells(),
        cells() + line(100, 580, 400, 580),
        grid([100, 120, 140, 160], [760, 740, 720]) + text("Words that lines run through", x=101),
        grid([100, 300, 500], [600, 560, 400])
        + text("Name", x=110, y=580) + text("Sum", x=310, y=580)
        + text("10", "20", "30", x=110, y=540) + text("11", "22", "33", x=310, y=540),
    ],
    ids=["empty", "one cell", "one line", "through words", "rows in one cell"],
)  # fmt: skip
def test_what_is_not_clearly_a_table_is_none(drawn: bytes) -> None:
    assert read(Sheet(text(LINE) + drawn)).tables == ()


def test_more_tables_than_are_allowed_are_not_kept() -> None:
    data = pdf(*[Sheet(grid(LEFTS, TOPS) + cells())] * 3)
    assert len(read_pdf(data, ReadLimits(max_tables=2)).tables) == 2
    assert len(read_pdf(data, ReadLimits(max_table_cells=10)).tables) == 1
