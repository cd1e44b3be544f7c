"""OpenDocument, RTF and the old Word format."""

import pytest

from assay.errors import (
    ContentBroken,
    ContentEmpty,
    ContentEncrypted,
    ContentHostile,
    ContentUnsupported,
)
from assay.model.content import ContentClass
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading
from assay.reading.word.reader import read_word
from tests.reading.making import (
    DELETED,
    HIDDEN,
    IN_TABLE,
    INSERTED,
    ROW_END,
    STRUCK,
    Words,
    doc,
    odt,
)

LIMITS = ReadLimits()


def marked(reading: Reading) -> list[tuple[str, str]]:
    return [(mark.kind.value, reading.text[mark.start : mark.end]) for mark in reading.marks]


def rtf(body: str, head: str = "") -> Reading:
    return read_word(("{\\rtf1\\ansi\\ansicpg1250" + head + body + "}").encode("cp1250"), LIMITS)


class TestOpenDocument:
    def test_paragraphs_headings_spaces_and_the_way_back(self) -> None:
        body = (
            "<text:h>Članak 1.</text:h><text:p>Stopa<text:s text:c='2'/>je<text:tab/>25 %</text:p>"
        )
        reading = read_word(odt(body), LIMITS)
        assert reading.content_class is ContentClass.DOC
        assert reading.text == "Članak 1.\nStopa  je\t25 %"
        assert [segment.place for segment in reading.segments] == ["content.xml"] * 4
        assert all(s.end - s.start == s.source_end - s.source_start for s in reading.segments)

    def test_deleted_words_come_back_where_they_were_and_are_marked(self) -> None:
        changes = (
            '<text:tracked-changes><text:changed-region text:id="a"><text:deletion>'
            "<office:change-info>someone</office:change-info><text:p>20</text:p></text:deletion>"
            '</text:changed-region><text:changed-region text:id="b"><text:insertion/>'
            "</text:changed-region></text:tracked-changes>"
        )
        body = (
            '<text:p>The rate is <text:change text:change-id="a"/>'
            '<text:change-start text:change-id="b"/>25<text:change-end text:change-id="b"/> %'
            "</text:p>"
        )
        reading = read_word(odt(body, changes=changes), LIMITS)
        assert reading.text == "The rate is 2025 %"
        assert marked(reading) == [("struck", "20"), ("inserted", "25")]

    def test_styles_strike_and_hide(self) -> None:
        styles = (
            '<style:style style:name="S"><style:text-properties '
            'style:text-line-through-style="solid"/></style:style>'
            '<style:style style:name="T" style:parent-style-name="S"/>'
            '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
        )
        body = (
            '<text:p>a<text:span text:style-name="T">b</text:span>'
            '<text:span text:style-name="H">c</text:span>d</text:p>'
        )
        reading = read_word(odt(body, styles=styles), LIMITS)
        assert reading.text == "abd"
        assert marked(reading) == [("struck", "b")]
        assert "hidden" in reading.warnings[0]

    def test_tables_notes_boxes_and_pages(self) -> None:
        cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
        row = f"<table:table-row>{cell.format('Kruh')}{cell.format('5 %')}</table:table-row>"
        note = (
            "<text:note><text:note-citation>1</text:note-citation><text:note-body>"
            "<text:p>See below.</text:p></text:note-body></text:note>"
        )
        body = (
            f"<text:p>Rates{note}</text:p><table:table>{row}{row}</table:table>"
            "<text:soft-page-break/><text:p>End<draw:text-box><text:p>box</text:p>"
            "</draw:text-box></text:p><office:annotation><text:p>no</text:p></office:annotation>"
        )
        reading = read_word(odt(body), LIMITS)
        assert reading.text == "Rates[1]\nKruh\t5 %\nKruh\t5 %\nEnd\nbox\n[1] See below."
        assert reading.tables[0].rows == (("Kruh", "5 %"), ("Kruh", "5 %"))
        assert reading.page_of(reading.text.index("End")) == 2

    def test_a_closed_or_damaged_file(self) -> None:
        with pytest.raises(ContentEncrypted):
            read_word(
                odt("<text:p>x</text:p>", **{"META-INF__manifest": "<encryption-data/>"}), LIMITS
            )
        with pytest.raises(ContentEmpty):
            read_word(odt(""), LIMITS)
        with pytest.raises(ContentBroken):
            read_word(odt("<text:p>"), LIMITS)


class TestRichText:
    def test_letters_of_code_pages_and_of_unicode(self) -> None:
        reading = rtf("\\'c8lanak \\u268?ur\\u273 ?ica \\uc0\\u381 aba \\uc1 Šuma\\par Next\\~one")
        assert reading.text == "Članak Čurđica Žaba Šuma\nNext\xa0one"

    def test_a_font_brings_its_own_code_page(self) -> None:
        fonts = "{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial CYR;}}"
        assert rtf("\\f0 a{\\f1 \\'e4\\'e0} b", fonts).text == "aда b"

    def test_the_way_back_is_the_place_in_the_file(self) -> None:
        source = "{\\rtf1\\ansi Tax is {\\b due} in May.}"
        reading = read_word(source.encode(), LIMITS)
        assert reading.encoding == "latin-1"
        for segment in reading.segments:
            assert (
                source[segment.source_start : segment.source_end]
                == reading.text[segment.start : segment.end]
            )

    def test_struck_changed_and_hidden_words(self) -> None:
        reading = rtf("a{\\strike b}{\\deleted c}{\\revised d}{\\v e}\\strike f\\strike0 g")
        assert reading.text == "abcdfg"
        assert marked(reading) == [("struck", "bc"), ("inserted", "d"), ("struck", "f")]
        assert "hidden" in reading.warnings[0]

    def test_tables_pages_and_notes(self) -> None:
        row = "\\trowd\\cellx1\\cellx2\\pard\\intbl {}\\cell {}\\cell\\row"
        body = (
            "Rates{\\footnote See below.}\\par" + row.format("Kruh", "5 %") + row.format("Vino", "")
            + "\\pard After\\page Second"
        )  # fmt: skip
        reading = rtf(body)
        assert reading.text == "Rates[1]\nKruh\t5 %\nVino\nAfter\nSecond\n[1] See below."
        assert reading.tables[0].rows == (("Kruh", "5 %"), ("Vino", ""))
        assert reading.page_of(reading.text.index("Second")) == 2

    def test_what_is_not_text_is_left_out(self) -> None:
        head = "{\\info{\\title The  law}{\\author Someone}}{\\*\\generator X;}{\\header top}"
        reading = rtf("{\\pict\\bin4 }}}}00}{\\field{\\*\\fldinst LINK}{\\fldrslt shown}}", head)
        assert reading.text == "shown"
        assert reading.title == "The law"

    def test_broken_and_hostile_groups(self) -> None:
        assert "cut off" in read_word(b"{\\rtf1 words {\\b and", LIMITS).warnings[0]
        with pytest.raises(ContentHostile):
            read_word(b"{\\rtf1" + b"{" * 1000, LIMITS)
        with pytest.raises(ContentEmpty):
            read_word(b"{\\rtf1 }", LIMITS)
        assert rtf("a\\u-3913 ?\\'zz\\bin9999999999 never").text.startswith("a")


class TestOldWord:
    @pytest.mark.parametrize("wide", [True, False])
    def test_the_text_comes_in_order_with_its_marks(self, wide: bool) -> None:
        words = [
            Words("The rate is "), Words("20", DELETED), Words("25", INSERTED), Words(" %"),
            Words("old", STRUCK), Words("unseen", HIDDEN),
            Words(" end\rNext\x0bline\x0cPage two\r"),
        ]  # fmt: skip
        reading = read_word(doc(*words, wide=wide), LIMITS)
        assert reading.text == "The rate is 2025 %old end\nNext\nline\nPage two"
        assert marked(reading) == [("struck", "20"), ("inserted", "25"), ("struck", "old")]
        assert reading.warnings == ("1 passages of hidden text are left out.",)
        assert reading.page_of(reading.text.index("Page two")) == 2
        written = "".join(one.text for one in words)
        for segment in reading.segments:
            told = written[segment.source_start : segment.source_end]
            assert told == reading.text[segment.start : segment.end]

    def test_letters_outside_of_latin(self) -> None:
        reading = read_word(doc(Words("Članak žaba \U0001f600 кит\r")), LIMITS)
        assert reading.text == "Članak žaba \ufffd\ufffd кит"

    def test_rows_and_cells_are_told_apart_by_the_paragraphs(self) -> None:
        reading = read_word(
            doc(
                Words("Before\r"),
                Words("Kruh\x07", paragraph=IN_TABLE), Words("\x07", paragraph=IN_TABLE),
                Words("\x07", paragraph=IN_TABLE + ROW_END),
                Words("Vino\x07", paragraph=IN_TABLE), Words("25 %\x07", paragraph=IN_TABLE),
                Words("\x07", paragraph=IN_TABLE + ROW_END), Words("After\r"),
            ), LIMITS,
        )  # fmt: skip
        assert reading.text == "Before\nKruh\nVino\t25 %\nAfter"
        assert reading.tables[0].rows == (("Kruh", ""), ("Vino", "25 %"))

    def test_of_a_field_the_result_is_read(self) -> None:
        field = '\x13 HYPERLINK "x" \x14see \x13 PAGE \x141\x15 here\x15.\r'
        assert read_word(doc(Words("We " + field)), LIMITS).text == "We see 1 here."

    def test_what_cannot_be_read(self) -> None:
        with pytest.raises(ContentEncrypted):
            read_word(doc(Words("x"), flags=0x0300), LIMITS)
        with pytest.raises(ContentUnsupported, match="older than Word 97"):
            read_word(doc(Words("x"), version=0x65), LIMITS)
        with pytest.raises(ContentEmpty):
            read_word(doc(Words("\r\r")), LIMITS)
        with pytest.raises(ContentBroken):
            read_word(doc(Words("x"))[:700], LIMITS)
        with pytest.raises(ContentBroken):
            read_word(doc(Words("x"), flags=0), LIMITS)

    def test_pieces_that_repeat_the_same_bytes_end(self) -> None:
        reading = read_word(doc(Words("again and again\r")), ReadLimits(max_characters=5))
        assert reading.text == "again"
