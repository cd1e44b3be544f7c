"""HTML: the main text, its tables and what is struck."""

import pytest

from assay.reading.html.reader import read_html
from assay.reading.limits import ReadLimits
from assay.reading.result import MarkKind, Reading

LAW = "Članak {n}. Stopa poreza iznosi {n} % i plaća se do kraja mjeseca za prethodni mjesec."
CROSSED = "text-decoration: line-through"
MENU = "".join(f"<li><a href=/{n}>Odjeljak broj {n}</a></li>" for n in range(12))


def read(markup: str, limits: ReadLimits | None = None) -> Reading:
    return read_html(markup.encode(), limits)


def law(count: int = 6) -> str:
    return "".join(f"<p>{LAW.format(n=n)}</p>" for n in range(count))


def marked(reading: Reading) -> list[tuple[str, str]]:
    return [(mark.kind.value, reading.text[mark.start : mark.end]) for mark in reading.marks]


@pytest.mark.parametrize(
    "page",
    [
        "<nav>{menu}</nav><main>{law}</main><footer>Kontakt i uvjeti</footer>",
        "<header><a href=/>Službeni list</a><nav>{menu}</nav></header><article>{law}</article>",
        "<div class='site-nav'>{menu}</div><div id=content>{law}</div><div id=footer>Kontakt</div>",
        "<ul>{menu}</ul><div>{law}</div>",
        "<div class=cookie-banner>Ova stranica koristi kolačiće.</div><ul>{menu}</ul>{law}",
        "<table><tr><td><ul>{menu}</ul></td><td>{law}</td></tr></table>",
        "<form><div role=navigation>{menu}</div><div role=main>{law}</div></form>",
    ],
)
def test_the_main_text_comes_without_the_furniture(page: str) -> None:
    reading = read("<html><body>" + page.format(menu=MENU, law=law()) + "</body></html>")
    for n in range(6):
        assert LAW.format(n=n) in reading.text
    for furniture in ("Odjeljak", "Kontakt", "kolačiće"):
        assert furniture not in reading.text


def test_an_annex_beside_the_main_part_is_kept() -> None:
    annex = "<div><p>Prilog: " + "obveznik navodi podatke o isporukama, " * 8 + "</p></div>"
    reading = read(f"<body><div class=act>{law(60)}</div>{annex}</body>")
    assert "Prilog:" in reading.text


def test_names_are_not_believed_where_most_of_the_text_is() -> None:
    reading = read(f"<body><div class='sidebar menu'>{law()}</div><p>x</p></body>")
    assert LAW.format(n=3) in reading.text


def test_a_page_of_links_is_an_index_and_its_links_are_its_text() -> None:
    rows = "".join(f"<div><a href=/{n}>Sjednica vijeća broj {n}</a> 1.{n}.</div>" for n in range(9))
    assert read(f"<body><div>{rows}</div></body>").text.count("Sjednica") == 9


def test_short_lines_and_definition_lists_are_text() -> None:
    terms = "".join(f"<dt>Pojam {n}</dt><dd>Opis {n}</dd>" for n in range(9))
    reading = read(f"<body><nav>{MENU}</nav><dl>{terms}</dl></body>")
    assert reading.text.splitlines()[:2] == ["Pojam 0", "Opis 0"]
    assert "Odjeljak" not in reading.text


def test_what_is_never_seen_is_never_text() -> None:
    unseen = (
        "<script>var a = '<p>1';</script><style>p{}</style><!-- 2 --><template>3</template>"
        "<noscript>4</noscript><select><option>5</select><svg><title>6</title></svg>"
        "<textarea>7</textarea><button>8</button><iframe>9</iframe>"
    )
    assert read(f"<p>Tekst {unseen}kraj.</p>").text == "Tekst kraj."


def test_lines_follow_blocks_and_white_space_is_squeezed() -> None:
    reading = read(
        "<h1>A  b</h1><p>c\n d<br>e<b>f</b> <i>g</i><p>h<ul><li>i<li>j</ul><pre>k\n  l</pre>"
    )
    assert reading.text.splitlines() == ["A b", "c d", "ef g", "h", "i", "j", "k", "l"]


def test_the_title_is_the_first_and_its_entities_are_resolved() -> None:
    assert read("<title>\n Zakon &amp; red </title><p>x</p>").title == "Zakon & red"
    assert read("<svg><title>icon</title></svg><p>x</p>").title is None


@pytest.mark.parametrize(
    ("markup", "marks"),
    [
        ("<p>a <del>b c</del> d</p>", [("struck", "b c")]),
        ("<p><s>a</s> <strike>b</strike> c</p>", [("struck", "a b")]),
        ("<p>a <ins>b</ins></p>", [("inserted", "b")]),
        ("<p>a <del>b <ins>c</ins></del></p>", [("struck", "b c")]),
        (f"<p><span style='color:red;{CROSSED}'>a</span> b</p>", [("struck", "a")]),
        (f"<p><span style='{CROSSED.upper()}'>a</span> b</p>", [("struck", "a")]),
        (f"<style>.old {{ {CROSSED} }}</style><p><b class=old>a</b> b", [("struck", "a")]),
        (f"<div style='{CROSSED}'><p>a</p><p>b</p></div>", [("struck", "a"), ("struck", "b")]),
        ("<p>pro<del>hib</del>it &amp; x</p>", [("struck", "hib")]),
        ("<p>&amp; <ins>x&nbsp;y</ins>z</p>", [("inserted", "x y")]),
        ("<p>a <del> </del> b</p>", []),
        ("<p>a <span style='text-decoration:underline'>b</span></p>", []),
    ],
)
def test_struck_and_inserted_text_stays_and_is_marked(
    markup: str, marks: list[tuple[str, str]]
) -> None:
    assert marked(read(markup)) == marks


def test_a_mark_ends_where_its_element_does() -> None:
    reading = read("<del><p>a</p></del><p>b</p><table><tr><td><s>c</td><td>d</td></tr></table>")
    assert [text for _, text in marked(reading)] == ["a", "c"]
    assert {mark.kind for mark in reading.marks} == {MarkKind.STRUCK}


TABLE = (
    "<table><caption>Pristojbe</caption><thead><tr><th>Djelatnost<th>Upis<th>Brisanje</thead>"
    "<tr><td rowspan=2>Ribolov<td>10,00 €<td>5,00 €<tr><td colspan=2><p>bez</p><p>naknade</p>"
    "<tr><td>Prijevoz<td><td>7,00 €</table>"
)


def test_a_table_is_rows_in_the_text_and_cells_as_data() -> None:
    reading = read(f"<p>Uvod</p>{TABLE}<p>Kraj</p>")
    assert reading.text.splitlines() == [
        "Uvod",
        "Pristojbe",
        "Djelatnost\tUpis\tBrisanje",
        "Ribolov\t10,00 €\t5,00 €",
        "bez naknade",
        "Prijevoz\t7,00 €",
        "Kraj",
    ]
    [table] = reading.tables
    assert table.caption == "Pristojbe"
    assert table.rows == (
        ("Djelatnost", "Upis", "Brisanje"),
        ("Ribolov", "10,00 €", "5,00 €"),
        ("Ribolov", "bez naknade", "bez naknade"),
        ("Prijevoz", "", "7,00 €"),
    )
    assert reading.text[table.start : table.end].startswith("Djelatnost\t")
    assert reading.text[table.start : table.end].endswith("7,00 €")


def test_tables_that_only_lay_out_a_page_are_not_data() -> None:
    inner = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    reading = read(f"<table><tr><td>{law()}<td>{inner}<tr><td>x<td>y</table>")
    assert [table.rows for table in reading.tables] == [(("a", "b"), ("c", "d"))]
    numbered = "<table><tr><td>(1)<td>Prvi stavak.</table><table><tr><td>(2)<td>Drugi.</table>"
    reading = read(numbered)
    assert (reading.text, reading.tables) == ("(1)\tPrvi stavak.\n(2)\tDrugi.", ())


def test_limits_cut_with_a_warning_and_say_what_they_cut() -> None:
    cut = read(law(50), ReadLimits(max_characters=500))
    assert len(cut.text) == 500
    assert "first 500 characters" in cut.warnings[0]
    few = read(law(50), ReadLimits(max_segments=10))
    assert len(few.segments) == 10
    assert "first 10 lines of 50" in few.warnings[0]
    nodes = read(law(50), ReadLimits(max_nodes=30))
    assert nodes.text
    assert "more than 30 tags and texts" in nodes.warnings[0]
    tables = read(TABLE * 3, ReadLimits(max_tables=2))
    assert len(tables.tables) == 2
    assert "2 of 3 tables" in tables.warnings[0]


def test_the_charset_of_the_sender_is_used() -> None:
    reading = read_html("<p>Članak šđžć</p>".encode("cp1250"), None, "windows-1250")
    assert (reading.text, reading.encoding) == ("Članak šđžć", "cp1250")
