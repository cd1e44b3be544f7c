"""XML: laws, feeds and vocabularies that nobody has heard of."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ContentBroken, ContentHostile
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading
from assay.reading.structured.xml_reader import read_xml
from tests.reading.ways_back import assert_segments_hold, coverage


def read(source: str, limits: ReadLimits | None = None) -> Reading:
    reading = read_xml(source.encode(), limits)
    assert_segments_hold(reading, source)
    assert coverage(reading) == 1.0
    return reading


FORMEX = """<?xml version="1.0" encoding="UTF-8"?>
<ACT><BIB.INSTANCE><COLL>L</COLL><YEAR>2024</YEAR></BIB.INSTANCE>
<TITLE><TI><P><HT TYPE="UC">Regulation</HT> (EU) 2024/903</P>
<P>of <DATE>13 March</DATE></P></TI></TITLE>
<VISA>Having regard to the opinion<NOTE><P>OJ C 184.</P></NOTE>,</VISA>
<CONSID><NP><NO.P>(1)</NO.P><TXT>It is <HT>necessary</HT>.</TXT></NP></CONSID>
<TBL><CORPUS><ROW><CELL COL="1">Rate</CELL><CELL COL="2">Year</CELL></ROW>
<ROW><CELL COL="1" ROWSPAN="2">5 %</CELL><CELL COL="2">2024</CELL></ROW>
<ROW><CELL COL="2">2025</CELL></ROW></CORPUS></TBL></ACT>"""


def test_formex_gives_lines_numbers_notes_and_tables() -> None:
    reading = read(FORMEX)
    assert reading.title == "Regulation (EU) 2024/903 of 13 March"
    assert reading.text.splitlines() == [
        "Regulation (EU) 2024/903",
        "of 13 March",
        "Having regard to the opinion OJ C 184. ,",
        "(1) It is necessary.",
        "Rate\tYear",
        "5 %\t2024",
        "2025",
    ]
    assert [table.rows for table in reading.tables] == [
        (("Rate", "Year"), ("5 %", "2024"), ("5 %", "2025"))
    ]


def test_metadata_is_read_where_there_is_nothing_else() -> None:
    only = "<PUBLICATION><BIB.INSTANCE><YEAR>2024</YEAR></BIB.INSTANCE></PUBLICATION>"
    assert read(only).text == "2024"


def test_amendments_are_marked_where_the_file_tells() -> None:
    reading = read(
        "<leg:Legislation><leg:Text>A person <leg:Addition>or body</leg:Addition> shall "
        "<leg:Repeal>not</leg:Repeal> <leg:Substitution>pay</leg:Substitution>.</leg:Text>"
        "<Text>a <del>b</del><ins>c</ins></Text></leg:Legislation>"
    )
    assert [(m.kind.value, reading.text[m.start : m.end]) for m in reading.marks] == [
        ("inserted", "or body"),
        ("struck", "not"),
        ("inserted", "pay"),
        ("struck", "b"),
        ("inserted", "c"),
    ]


def test_an_unknown_vocabulary_is_told_by_where_its_elements_stand() -> None:
    reading = read(
        "<statute><clause>The <defined>rate</defined> is <amount>5 %</amount>.</clause>"
        "<clause>It <defined>applies</defined> now.</clause></statute>"
    )
    assert reading.text.splitlines() == ["The rate is 5 %.", "It applies now."]


def test_cals_tables_and_tables_of_the_federal_register() -> None:
    cals = (
        "<table><title>Fees</title><tgroup><tbody><row><entry morerows='1'>A</entry>"
        "<entry>1</entry></row><row><entry>2</entry></row></tbody></tgroup></table>"
    )
    assert read(f"<doc>{cals}</doc>").tables[0].rows == (("A", "1"), ("A", "2"))
    gpo = (
        "<GPOTABLE><TTITLE>Fees</TTITLE><BOXHD><CHED>Kind</CHED><CHED>Fee</CHED></BOXHD>"
        "<ROW><ENT>Entry</ENT><ENT>$5</ENT></ROW></GPOTABLE>"
    )
    [table] = read(f"<RULE><P>x</P>{gpo}</RULE>").tables
    assert (table.caption, table.rows) == ("Fees", (("Kind", "Fee"), ("Entry", "$5")))


def test_the_html_of_a_feed_is_read_as_html() -> None:
    reading = read_xml(
        b"\n<?xml version='1.0'?><rss><channel><title>News</title><item>"
        b"<title>One</title><description>&lt;p&gt;A &lt;del&gt;b&lt;/del&gt; &amp;amp; c&lt;/p&gt;"
        b"&lt;p&gt;d&lt;/p&gt;</description></item><item><title>Two</title>"
        b"<content><![CDATA[<p>e &lt; f</p>]]></content></item></channel></rss>"
    )
    assert reading.title == "News"
    assert reading.text.splitlines() == ["News", "One", "A b & c", "d", "Two", "e < f"]
    assert [reading.text[m.start : m.end] for m in reading.marks] == ["b"]


def test_cdata_comments_and_instructions() -> None:
    reading = read(
        "<a><!-- no --><?php no ?><b><![CDATA[x & y]]></b><c>1 &lt; 2 &#269;&nbsp;z</c></a>"
    )
    assert reading.text.splitlines() == ["x & y", "1 < 2 č z"]


def bomb(levels: int, width: int = 10) -> str:
    entities = '<!ENTITY e0 "lol">'
    for level in range(1, levels):
        entities += f'<!ENTITY e{level} "{f"&e{level - 1};" * width}">'
    return f"<!DOCTYPE a [{entities}]><a>&e{levels - 1};</a>"


def test_entities_that_explode_or_never_end_are_refused_unexpanded() -> None:
    with pytest.raises(ContentHostile, match="would grow to"):
        read_xml(bomb(10).encode())
    with pytest.raises(ContentHostile, match="refers to itself"):
        read_xml(b'<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>')
    flood = b'<!DOCTYPE a [<!ENTITY x "' + b"A" * 9000 + b'">]><a>' + b"&x;" * 200 + b"</a>"
    with pytest.raises(ContentHostile, match="own entities would grow"):
        read_xml(flood)


def test_small_entities_are_resolved_and_other_files_are_never_opened() -> None:
    assert read_xml(bomb(3, 2).encode()).text == "lol" * 4
    told = read_xml(
        b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/x.dtd" [<!ENTITY nb "&#160;"><!ENTITY f SYSTEM '
        b'"file:///etc/passwd">]><a>p&nb;q &f; &unknown;</a>'
    )
    assert told.text == "p q &f; &unknown;"
    assert told.warnings == ("The entity f is in another file; it was not read.",)


def test_broken_xml_is_read_as_far_as_it_goes() -> None:
    cut = read_xml(b"<?xml version='1.0'?><a><b>one</b><b>tw")
    assert cut.text.splitlines() == ["one", "tw"]
    assert "never closed" in cut.warnings[0]
    crossed = read_xml(b"<a><b>one<c>two</b>three</c></a>")
    assert crossed.text == "onetwothree"
    with pytest.raises(ContentBroken, match="no element"):
        read_xml(b"<?xml version='1.0'?>")


def test_depth_and_size_are_bounded() -> None:
    with pytest.raises(ContentHostile, match="400 levels"):
        read_xml(b"<a>" * 500 + b"x")
    cut = read_xml(b"<a>" + b"<b>x</b>" * 100 + b"</a>", ReadLimits(max_nodes=50))
    assert "more than 50 tags and texts" in cut.warnings[0]


MARKUP = """
<a> </a> <b> </b> <TBL> <ROW> <CELL> </CELL> </ROW> </TBL> <del> </del> <NO.P> </NO.P> <e/> &amp;
&#269; <!--c--> x yy <![CDATA[z]]> </c>"""
PIECES = st.sampled_from([*MARKUP.split(), " ", "\n", "<c d='1'>"])


@settings(max_examples=200)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_every_segment_is_its_source_without_tags(inside: str) -> None:
    reading = read(f"<root>{inside}</root>")
    for mark in reading.marks:
        assert 0 <= mark.start < mark.end <= len(reading.text)


@pytest.mark.parametrize(
    "piece", ["<a", "<a>", "</a>", "<!--", "<![CDATA[", "&", "<!ENTITY", '<a b="']
)
def test_what_never_closes_costs_no_more_than_its_length(piece: str) -> None:
    # A quadratic reader would take hours for this; a linear one ends before anybody notices.
    try:
        read_xml(("<r>" + piece * 30_000).encode())
    except ContentHostile as refused:
        assert "levels" in refused.what


def test_what_an_amendment_deleted_in_consolidated_formex_is_struck() -> None:
    reading = read(
        '<CONS.ACT><P>Kept 1 %.</P><?CLG.MDFO ID="O1" IDREF="C1" ACTION="DELETED"?><P>Gone 2 %.</P>'
        '<?CLG.MDFC ID="C1" IDREF="O1"?><?CLG.MDFO ID="O2" IDREF="C2" ACTION="REPLACED"?>'
        '<P>New 3 %.</P><?CLG.MDFC ID="C2" IDREF="O2"?>'
        '<?CLG.MDFO ID="O3" IDREF="C3" ACTION="DELETED"?><P>Without an end.</P></CONS.ACT>'
    )
    struck = [(mark.kind, reading.text[mark.start : mark.end]) for mark in reading.marks]
    assert struck == [("struck", "Gone 2 %.")]
