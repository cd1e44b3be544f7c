"""Word documents of today: text, changes, tables, notes, lists, and the way back."""

from html import unescape

import docx as python_docx
import pytest

from assay.errors import (
    ContentBroken,
    ContentEmpty,
    ContentEncrypted,
    ContentHostile,
    ContentTooLarge,
    ContentUnsupported,
)
from assay.model.content import ContentClass
from assay.reading.archives import Archive
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading
from assay.reading.word.reader import read_word
from tests.reading.making import compound, docx, p, packed, r, saved

LIMITS = ReadLimits()


def read(body: str, **parts: str) -> Reading:
    return read_word(docx(body, **parts), LIMITS)


def marked(reading: Reading) -> list[tuple[str, str]]:
    return [(mark.kind.value, reading.text[mark.start : mark.end]) for mark in reading.marks]


def test_a_document_of_another_writer_is_read() -> None:
    made = python_docx.Document()
    made.core_properties.title = "Zakon o PDV-u"
    made.add_heading("Članak 1.", level=1)
    made.add_paragraph("Stopa poreza je 25 %.")
    table = made.add_table(rows=2, cols=2)
    for cell, words in zip(table._cells, ("Dobro", "Stopa", "Kruh", "5 %"), strict=True):
        cell.text = words
    reading = read_word(saved(made), LIMITS)
    assert reading.content_class is ContentClass.DOC
    assert reading.title == "Zakon o PDV-u"
    assert reading.text == "Članak 1.\nStopa poreza je 25 %.\nDobro\tStopa\nKruh\t5 %"
    (found,) = reading.tables
    assert found.rows == (("Dobro", "Stopa"), ("Kruh", "5 %"))
    assert reading.text[found.start : found.end] == "Dobro\tStopa\nKruh\t5 %"


def test_every_segment_leads_back_to_the_characters_of_the_part() -> None:
    body = p(r("Članak 1. &amp; žabe"), r(" – dalje")) + p(r("Đuro &lt;5&gt;"), r("čć"))
    data = docx(
        body, footnotes='<w:footnote w:id="2"><w:p><w:r><w:t>š</w:t></w:r></w:p></w:footnote>'
    )
    reading = read_word(data, LIMITS)
    part = (Archive(data, LIMITS).read_part("word/document.xml") or b"").decode()
    assert len(reading.segments) == 4
    for segment in reading.segments:
        assert segment.place == "word/document.xml"
        told = unescape(part[segment.source_start : segment.source_end])
        assert told == reading.text[segment.start : segment.end]


def test_tracked_changes_stay_in_the_text_and_are_marked() -> None:
    body = p(
        r("The rate is "),
        f"<w:del>{r('20', tag='delText')}</w:del><w:ins>{r('25')}</w:ins>",
        r(" %"),
        f"<w:moveFrom>{r(' from')}</w:moveFrom><w:moveTo>{r(' to')}</w:moveTo>",
        f"<w:ins><w:del>{r(' both', tag='delText')}</w:del></w:ins>",
    )
    reading = read(body)
    assert reading.text == "The rate is 2025 % from to both"
    assert marked(reading) == [
        ("struck", "20"), ("inserted", "25"), ("struck", " from"), ("inserted", " to"),
        ("struck", " both"),
    ]  # fmt: skip


def test_struck_words_are_marked_wherever_the_strike_is_said() -> None:
    styles = (
        '<w:style w:styleId="Gone"><w:rPr><w:strike/></w:rPr></w:style>'
        '<w:style w:styleId="Also"><w:basedOn w:val="Gone"/></w:style>'
    )
    body = p(
        r("a", "<w:strike/>"),
        r("b", '<w:strike w:val="false"/>'),
        r("c", "<w:dstrike/>"),
        r("d", '<w:rStyle w:val="Also"/>'),
        r("e", '<w:rStyle w:val="Also"/><w:strike w:val="0"/>'),
    )
    body += p(r("f"), properties='<w:pStyle w:val="Gone"/>')
    assert marked(read(body, styles=styles)) == [
        ("struck", "a"), ("struck", "cd"), ("struck", "f"),
    ]  # fmt: skip


def test_what_the_looks_were_before_a_change_strikes_nothing() -> None:
    before = "<w:rPrChange><w:rPr><w:strike/></w:rPr></w:rPrChange>"
    mark = "<w:rPr><w:del/></w:rPr>"
    reading = read(p(r("kept", before), properties=mark) + p(r("next")))
    assert marked(reading) == []
    assert reading.text == "kept\nnext"


def test_a_deleted_row_is_struck() -> None:
    cell = f"<w:tc>{p(r('Kruh'))}</w:tc>"
    rows = f"<w:tr><w:trPr><w:del/></w:trPr>{cell}</w:tr><w:tr>{cell}</w:tr>"
    assert marked(read(f"<w:tbl>{rows}</w:tbl>")) == [("struck", "Kruh")]


def test_hidden_text_is_left_out_with_a_warning() -> None:
    reading = read(p(r("seen "), r("unseen", "<w:vanish/>"), r("again")))
    assert reading.text == "seen again"
    assert reading.warnings == ("1 passages of hidden text are left out.",)


def test_tables_in_tables_and_cells_over_columns() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{p(r('in'))}</w:tc><w:tc>{p(r('ner'))}</w:tc></w:tr></w:tbl>"
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{p(r("wide"))}</w:tc>'
    one = f"<w:tc>{p(r('a'), r('b'))}{p(r('c'))}</w:tc>"
    body = (
        f"{p(r('before'))}<w:tbl><w:tr>{wide}{one}</w:tr><w:tr>{one}<w:tc>{p()}</w:tc>"
        f"<w:tc>{inner}{p()}</w:tc></w:tr></w:tbl>{p(r('after'))}"
    )
    reading = read(body)
    assert reading.text == "before\nwide\tab\nc\nab\nc\t\tin\tner\nafter"
    outer, nested = reading.tables
    assert outer.rows == (("wide", "", "ab c"), ("ab c", "", "in ner"))
    assert nested.rows == (("in", "ner"),)
    assert reading.text[outer.end :] == "\nafter"


def test_notes_stand_at_the_end_behind_their_number() -> None:
    notes = (
        '<w:footnote w:id="0" w:type="separator"><w:p><w:r><w:t>--</w:t></w:r></w:p></w:footnote>'
        '<w:footnote w:id="7"><w:p><w:r><w:t>See Article 5.</w:t></w:r></w:p></w:footnote>'
    )
    reading = read(p(r("Tax"), '<w:r><w:footnoteReference w:id="7"/></w:r>') + p(r("End")),
                   footnotes=notes)  # fmt: skip
    assert reading.text == "Tax[1]\nEnd\n[1] See Article 5."
    assert reading.segments[-1].place == "word/footnotes.xml"


def test_a_box_of_text_follows_its_paragraph_and_its_copy_is_not_read() -> None:
    box = f"<w:txbxContent>{p(r('in the box'))}</w:txbxContent>"
    both = (
        f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
        f"</mc:AlternateContent>"
    )
    reading = read(p(r("one "), f"<w:r>{both}</w:r>", r("line")) + p(r("next")))
    assert reading.text == "one line\nin the box\nnext"


def test_lists_are_numbered() -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        '<w:numFmt w:val="decimal"/><w:lvlText w:val="Članak %1."/></w:lvl><w:lvl w:ilvl="1">'
        '<w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
        '</w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>'
    )

    def item(words: str, level: int) -> str:
        told = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="3"/></w:numPr>'
        return p(r(words), properties=told)

    body = item("A", 0) + item("b", 1) + item("c", 1) + item("D", 0) + item("e", 1)
    assert read(body, numbering=numbering).text == (
        "Članak 1. A\n1.a) b\n1.b) c\nČlanak 2. D\n2.a) e"
    )


def test_pages_are_those_that_the_writer_last_saw() -> None:
    seen = "<w:r><w:lastRenderedPageBreak/></w:r>"
    hard = '<w:r><w:br w:type="page"/></w:r>'
    reading = read(p(r("one"), hard) + p(seen, r("two")) + p(r("still two"), seen, r("three")))
    assert [reading.text[page.start : page.end] for page in reading.pages] == [
        "one\n", "two\nstill two", "three",
    ]  # fmt: skip
    by_hand = read(p(r("one"), hard) + p(r("two")))
    assert [page.number for page in by_hand.pages] == [1, 2]
    assert read(p(r("one"))).pages == ()


def test_signs_that_are_elements_are_characters() -> None:
    signs = "<w:r><w:tab/><w:noBreakHyphen/><w:softHyphen/><w:br/><w:cr/></w:r>"
    assert read(p(r("a"), signs, r("b"))).text == "a\t\u2011\xad\n\nb"


def test_a_strict_document_in_another_place_and_encoding_is_read() -> None:
    space = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = f'<d xmlns:w="{space}"><w:p><w:r><w:t>Žaba</w:t></w:r></w:p></d>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    rels = f'<R xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Type="{kind}" Target="/Word/Other.xml"/></R>'  # noqa: E501
    data = packed({"_rels/.rels": rels, "Word/Other.xml": body.encode("utf-16"), "word/x": ""})
    reading = read_word(data, LIMITS)
    assert reading.text == "Žaba"
    (segment,) = reading.segments
    assert body[segment.source_start : segment.source_end] == "Žaba"


def test_a_damaged_body_is_read_up_to_the_damage() -> None:
    whole = docx(p(r("kept words")) + p(r("lost")))
    body = Archive(whole, LIMITS).read_part("word/document.xml") or b""
    reading = read_word(packed({"word/document.xml": body[: body.index(b"lost")]}), LIMITS)
    assert reading.text == "kept words"
    assert reading.warnings[0].startswith("Only the part before the damage was read.")


def test_entities_of_its_own_are_refused() -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    with pytest.raises(ContentHostile, match="entities"):
        read_word(packed({"word/document.xml": laughs}), LIMITS)


def test_a_bomb_is_stopped_while_it_unpacks() -> None:
    bomb = packed({"word/document.xml": b"<a>" + b" " * 30_000_000})
    assert len(bomb) < 60_000
    with pytest.raises(ContentHostile, match="200 times its size"):
        read_word(bomb, LIMITS)
    with pytest.raises(ContentTooLarge, match="more than 1,000,000 bytes"):
        read_word(bomb, ReadLimits(max_unpacked_bytes=1_000_000))


@pytest.mark.parametrize(
    ("data", "limits", "error"),
    [
        (docx(p(r("x")) * 100), ReadLimits(max_nodes=100), ContentTooLarge),
        (docx("<w:p>" * 500 + "</w:p>" * 500), LIMITS, ContentHostile),
        (packed({f"word/{n}": "" for n in range(50)}), ReadLimits(max_parts=40), ContentTooLarge),
        (docx(p()), LIMITS, ContentEmpty),
        (packed({"word/other.xml": "<a/>"}), LIMITS, ContentBroken),
        (docx(p(r("x")))[:-30], LIMITS, ContentBroken),
        (docx(p(r("x" * 5000)))[:200], LIMITS, ContentBroken),
        (compound({"EncryptedPackage": b"", "EncryptionInfo": b""}), LIMITS, ContentEncrypted),
        (b"plain words", LIMITS, ContentUnsupported),
    ],
    ids=["nodes", "depth", "parts", "empty", "no body", "no directory", "cut", "locked", "other"],
)
def test_what_cannot_be_read_is_said_in_one_way(
    data: bytes, limits: ReadLimits, error: type[Exception]
) -> None:
    with pytest.raises(error):
        read_word(data, limits)


def test_a_long_text_is_cut_and_says_so() -> None:
    reading = read_word(docx(p(r("0123456789")) * 50), ReadLimits(max_characters=101))
    assert len(reading.text) == 101
    assert reading.warnings == ("Only the first 101 characters are kept.",)


def test_past_the_limit_neighbours_share_one_way_back() -> None:
    body = p(*(r("x") for _ in range(100)))
    reading = read_word(docx(body), ReadLimits(max_segments=10))
    assert len(reading.segments) == 10
    assert reading.segments[-1].end == len(reading.text)
