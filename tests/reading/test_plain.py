"""Plain text: as it stands."""

from hypothesis import given
from hypothesis import strategies as st

from assay.reading.html.reader import read_html
from assay.reading.limits import ReadLimits
from assay.reading.plain import read_plain


def test_text_is_itself() -> None:
    reading = read_plain("# Naslov\n\nČlanak 1.\n".encode())
    assert reading.text == "# Naslov\n\nČlanak 1.\n"
    assert (reading.title, reading.encoding, reading.pages) == ("Naslov", "utf-8", ())


def test_form_feeds_begin_pages() -> None:
    reading = read_plain(b"one\x0ctwo\x0cthree")
    assert [reading.text[p.start : p.end] for p in reading.pages] == ["one\x0c", "two\x0c", "three"]
    assert reading.page_of(5) == 2


@given(st.text(alphabet="ab\r\n č", max_size=60))
def test_line_ends_are_one_kind_and_every_segment_is_its_source(source: str) -> None:
    reading = read_plain(source.encode())
    assert reading.text == source.replace("\r\n", "\n").replace("\r", "\n")
    covered = 0
    for segment in reading.segments:
        shown = reading.text[segment.start : segment.end]
        assert source[segment.source_start : segment.source_end] == shown
        covered += len(shown)
    assert covered >= len(reading.text) - source.count("\r") - source.count("\n")


def test_limits_hold() -> None:
    cut = read_plain(b"x" * 500, limits=ReadLimits(max_characters=100))
    assert len(cut.text) == 100
    assert "first 100 characters" in cut.warnings[0]
    kept = read_plain(b"a\r\n" * 50, limits=ReadLimits(max_segments=10))
    assert kept.text == "a\r\n" * 50
    assert len(kept.segments) == 1


def test_nul_is_read_as_an_unreadable_character() -> None:
    """Postgres does not store it, and a quote from the text must be stored as it is."""
    reading = read_plain(b"The rate\0 is 5 %.\n" + b"It applies from 1 May.\n" * 9)
    assert reading.text.startswith("The rate\ufffd is 5 %.")
    page = b"<title>A\0ct</title><p>x</p><table><tr><td>a\0b<td>c<tr><td>d<td>e</table>"
    read = read_html(page)
    assert (read.title, "a\ufffdb" in read.text, "\0" in read.text) == ("A ct", True, False)
    assert [table.rows for table in read.tables] == [(("a\ufffdb", "c"), ("d", "e"))]
