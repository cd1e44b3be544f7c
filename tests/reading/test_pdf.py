"""PDF: text, pages, classes, titles, and the way back to the page."""

import pytest

from assay.errors import (
    ContentBroken,
    ContentEmpty,
    ContentEncrypted,
    ContentTooLarge,
    InvalidInput,
)
from assay.model.content import ContentClass
from assay.reading.limits import ReadLimits
from assay.reading.pdf.reader import read_pdf
from assay.reading.pdf.rendering import find_text_boxes, render_page
from assay.reading.result import Reading, restore_reading
from tests.reading.making import Sheet, encrypted_pdf, grey_image, pdf, prose, scan, text

LIMITS = ReadLimits()
LONG = "A line that is long enough for the page to count as a page of text."
SPACE_29 = b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[<</Type/Font"
SPACE_29 += b"/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(A)/Ordering(B)/Supplement 0"
SPACE_29 += b">>/DW 500>>]>>"


def read(*sheets: Sheet, **given: bytes) -> Reading:
    return read_pdf(pdf(*sheets, **given), LIMITS)


def test_the_text_of_every_page_stands_in_its_span() -> None:
    reading = read(prose(1), prose(2))
    assert reading.content_class is ContentClass.PDF_TEXT
    assert [page.number for page in reading.pages] == [1, 2]
    for page in reading.pages:
        words = reading.text[page.start : page.end]
        assert words.count(f"Page {page.number}, line") == 20
        assert reading.page_of(words.index("line") + page.start) == page.number
    assert reading.pages[1].end == len(reading.text)


def test_a_line_of_the_page_is_a_line_of_the_text() -> None:
    lines = [line.strip() for line in read(Sheet(text("One.", LONG, "Three."))).text.splitlines()]
    assert lines == ["One.", LONG, "Three."]


def test_every_segment_leads_back_to_characters_whose_boxes_lie_on_the_page() -> None:
    data = pdf(prose(1), Sheet(text(LONG, "Below.", x=100, y=400)))
    reading = read_pdf(data, LIMITS)
    assert [segment.place for segment in reading.segments] == ["page 1", "page 2"]
    segment = reading.segments[1]
    at = reading.text.index("Below.")
    first = segment.source_start + at - segment.start
    (area,) = find_text_boxes(data, 2, first, first + len("Below."))
    assert area.left == pytest.approx(100 / 600, abs=0.01)
    assert area.bottom == pytest.approx(1 - (400 - 14) / 800, abs=0.01)
    assert area.top < area.bottom and area.right < 0.3


def test_boxes_of_a_turned_page_lie_on_the_page_as_it_is_shown() -> None:
    turned = pdf(Sheet(text(LONG))).replace(b"/MediaBox", b"/Rotate 90/MediaBox")
    (area, *_) = find_text_boxes(turned, 1, 0, 6)
    assert area.left > 0.9
    assert area.bottom - area.top > area.right - area.left


@pytest.mark.parametrize(("page", "start", "end"), [(0, 0, 1), (2, 0, 1), (1, 5, 5), (1, -1, 2)])
def test_boxes_of_what_is_not_there_are_refused(page: int, start: int, end: int) -> None:
    with pytest.raises(InvalidInput):
        find_text_boxes(pdf(prose()), page, start, end)


def test_a_word_that_a_line_breaks_is_one_word_and_a_hyphen_stays_a_hyphen() -> None:
    reading = read(
        Sheet(text("The law of the exam-", "ple is EU-", "wide since COVID-", "19 came."))
    )
    assert "exam\xadple" in reading.text
    assert "EU-wide" in reading.text or "EU\xadwide" in reading.text
    assert "COVID-19" in reading.text
    assert "\ufffe" not in reading.text


def test_the_title_is_the_one_of_the_metadata() -> None:
    assert read(prose(), info=b"<</Title(Microsoft Word - Law  on VAT)>>").title == "Law on VAT"
    assert read(prose(), info=b"<</Title(untitled)>>").title is None
    assert read(prose()).title is None


def test_pages_that_are_pictures_make_a_scanned_document() -> None:
    reading = read(scan(), scan(), prose())
    assert reading.content_class is ContentClass.PDF_SCANNED
    assert reading.pages_without_text == (1, 2)
    assert reading.page_of(0) == 3


def test_a_mixed_document_stays_text_and_names_its_pictures() -> None:
    reading = read(prose(), scan(), prose(3))
    assert reading.content_class is ContentClass.PDF_TEXT
    assert reading.pages_without_text == (2,)


def test_a_stamp_on_a_scan_is_not_the_text_of_the_page() -> None:
    stamped = Sheet(
        scan().content + text("Downloaded from the portal on 1 May"), image=grey_image()
    )
    reading = read(stamped)
    assert reading.content_class is ContentClass.PDF_SCANNED
    assert "Downloaded" in reading.text


def test_a_page_with_a_small_picture_is_text() -> None:
    short = Sheet(b"q 60 0 0 60 0 700 cm /Im Do Q " + text("Annex II"), image=grey_image())
    assert read(short).pages_without_text == ()


def test_a_blank_page_is_neither_text_nor_picture() -> None:
    reading = read(prose(), Sheet(), Sheet(b"1 1 1 rg 0 0 600 800 re f"))
    assert reading.content_class is ContentClass.PDF_TEXT
    assert reading.pages_without_text == ()
    assert len(reading.pages) == 3
    with pytest.raises(ContentEmpty, match="blank on all of its 2 pages"):
        read(Sheet(), Sheet())


def test_letters_drawn_as_outlines_are_a_picture() -> None:
    assert read(Sheet(b"100 100 m 200 300 l 300 100 l f")).pages_without_text == (1,)


def test_a_layer_of_a_scanner_is_kept_where_it_reads_and_is_told_of() -> None:
    layered = Sheet(scan().content + text(LONG, LONG, mode=3), image=grey_image())
    reading = read(layered)
    assert reading.content_class is ContentClass.PDF_TEXT
    assert reading.text.count("long enough") == 2
    assert reading.warnings == ("The text of page 1 is a scanner's, under a picture.",)


def test_a_layer_of_noise_counts_as_no_text() -> None:
    noise = "|!. ;'~ ^^ _-:; ,.~ *!|| =+ ;:'. ~~ ..,,;: !!|| ^.^ __-- ;;;; ~.~ |||"
    reading = read(Sheet(scan().content + text(noise, noise, mode=3), image=grey_image()))
    assert reading.pages_without_text == (1,)
    assert reading.text == ""


def test_letters_that_cannot_be_told_count_as_no_text() -> None:
    shifted = "".join(f"{ord(letter) - 29:04x}" for letter in LONG * 2)
    garbled = Sheet(f"BT /F 12 Tf 50 700 Td <{shifted}> Tj ET".encode(), font=SPACE_29)
    reading = read(prose(), garbled, prose(3))
    assert reading.pages_without_text == (2,)
    assert "cannot be identified" in reading.warnings[0]
    assert reading.pages[1].start == reading.pages[1].end


def test_more_pages_than_are_allowed_are_refused_before_reading() -> None:
    with pytest.raises(ContentTooLarge, match="has 3 pages; at most 2"):
        read_pdf(pdf(prose(), prose(), prose()), ReadLimits(max_pages=2))


def test_a_long_text_is_cut_and_says_so() -> None:
    reading = read_pdf(pdf(prose(1), prose(2)), ReadLimits(max_characters=1_000))
    assert 900 < len(reading.text) <= 1_001
    assert reading.warnings == (
        "Only the first 1000 characters are kept; they end on page 2 of 2.",
    )


def test_no_pages_and_no_pdf() -> None:
    with pytest.raises(ContentEncrypted):
        read_pdf(encrypted_pdf("secret"), LIMITS)
    # Pdfium tells of an empty document with the fault of the one before it.
    with pytest.raises((ContentEmpty, ContentBroken)):
        read()
    with pytest.raises(ContentBroken):
        read_pdf(b"%PDF-1.7 and nothing else", LIMITS)


def test_an_encrypted_document_is_read_only_without_a_password() -> None:
    assert "Words under a password" in read_pdf(encrypted_pdf(""), LIMITS).text
    with pytest.raises(ContentEncrypted):
        read_pdf(encrypted_pdf("secret"), LIMITS)


def test_of_a_truncated_document_the_rest_is_read_with_a_warning() -> None:
    data = pdf(*(prose(number) for number in range(1, 11)))
    reading = read_pdf(data[: int(len(data) * 0.99)], LIMITS)
    assert "Page 1, line 3" in reading.text
    assert "The file is cut off: its end is missing." in reading.warnings
    with pytest.raises(ContentBroken):
        read_pdf(data[: len(data) // 50], LIMITS)


def test_scripts_attachments_and_forms_are_ignored_and_told_of() -> None:
    names = b"/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(app.alert)>>]>>"
    names += b"/EmbeddedFiles<</Names[(f)<</Type/Filespec/F(f)>>]>>>>"
    form = b"/AcroForm<</Fields[<</FT/Tx/T(x)>>]>>"
    warnings = read(prose(), catalog=names + form).warnings
    assert [warning.split()[1] for warning in warnings] == ["contains", "has", "has"]


def test_pages_are_drawn_for_recognition_within_bounds() -> None:
    data = pdf(Sheet(b"0 0 300 800 re f"))
    page = render_page(data, 1, dpi=72)
    assert (page.width, page.height, len(page.pixels)) == (600, 800, 480_000)
    assert page.pixels[0] == 0 and page.pixels[599] == 255
    small = render_page(data, 1, dpi=300, max_pixels=10_000)
    assert small.width * small.height <= 10_000 and small.dpi < 72


def test_a_reading_can_be_stored_and_restored() -> None:
    reading = read(prose(), scan())
    assert restore_reading(reading.text, reading.map_json(), reading.table_json()) == reading
