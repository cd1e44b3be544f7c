"""HTML: every line of the text stands in the page where its segment says."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.reading.decoding import decode_bytes
from assay.reading.documents import read_document
from assay.reading.html.reader import read_html
from assay.reading.limits import ReadLimits
from assay.reading.result import restore_reading
from tests.reading.ways_back import assert_segments_hold, coverage

WORDS = st.text(alphabet="ab č\u00a0\n\t&<;", min_size=1, max_size=12)
MARKUP = """
<p> </p> <div> </div> <b> </b> <br> <table> <tr> <td> </td> </table> <ul> <li> </ul> <del> </del>
&amp; &lt;p&gt; &nbsp; &#269; &bogus; &copy <!--c--> <script>x</script> <td><p> <pre> </pre> </span>
<span/style='text-decoration:line-through'> <title>t</title> </tr> <th>"""
PIECES = st.sampled_from(MARKUP.split())
PAGES = st.lists(PIECES | WORDS.map(lambda text: text.replace("<", "< ")), max_size=40).map("".join)


@settings(max_examples=300)
@given(PAGES)
def test_every_segment_is_its_source_without_tags(page: str) -> None:
    reading = read_html(page.encode())
    assert_segments_hold(reading, decode_bytes(page.encode()).text)
    assert coverage(reading) == 1.0
    for mark in reading.marks:
        assert 0 <= mark.start < mark.end <= len(reading.text)
    for table in reading.tables:
        assert 0 <= table.start <= table.end <= len(reading.text)
    again = restore_reading(reading.text, reading.map_json(), reading.table_json())
    assert again == reading


@settings(max_examples=200)
@given(st.text(alphabet="<>/!-\"'= apbdtrel&;\n", max_size=120))
def test_any_markup_is_read(page: str) -> None:
    reading = read_html(page.encode())
    assert coverage(reading) == 1.0
    reading.text.encode()


@pytest.mark.parametrize(
    "piece",
    ["<nav>", "<", "<a ", "<!--", "<script>", "<title>", "&amp;<nav", '<a b="', "<a b='x' ", "</p>",
     "<td><p>", "<li>", "<del>a", "<table><tr><td>", "</td></tr></table>", "&", "<a =", "<b a=1 ",
     "<td rowspan=100 colspan=100>x<tr>", "<pre>\n", "<p style='line-through'>", "<!", "<![CDATA["],
)  # fmt: skip
def test_a_page_that_never_closes_anything_costs_no_more_than_its_length(piece: str) -> None:
    # A quadratic reader would take hours for this; a linear one ends before anybody notices.
    limits = ReadLimits(max_nodes=100_000)
    try:
        reading = read_html(("<p>text</p>" + piece * 30_000).encode(), limits)
    except AssayError as refused:
        pytest.fail(f"{refused}")
    assert reading.text.startswith("text")


def test_what_hides_the_rest_of_a_page_is_told() -> None:
    for hiding in ("<!-- never closed", '<a href="never', "<script>var", "<title>never"):
        reading = read_html(f"<p>seen</p>{hiding} hidden words".encode())
        assert reading.text == "seen"
        assert reading.warnings == (
            "What begins at character 11 is never closed; it was not read.",
        )


def test_a_million_nested_tags_are_refused_with_the_reason() -> None:
    with pytest.raises(AssayError, match="before its first word") as refused:
        read_html(b"<div>" * 60_000 + b"text", ReadLimits(max_nodes=50_000))
    assert refused.value.code == "content_hostile"
    deep = read_html(b"<div>" * 30_000 + b"text" + b"</div>" * 30_000 + b"<p>after</p>")
    assert deep.text.splitlines() == ["text", "after"]


def samples() -> list[Path]:
    for parent in Path(__file__).resolve().parents:
        found = parent.parent / "shared" / "samples"
        if found.is_dir():
            return sorted(path for path in found.rglob("*") if path.is_file())
    return []


@pytest.mark.skipif(not samples(), reason="the folder of real documents is not on this machine")
@pytest.mark.parametrize("path", samples() or [Path("none")], ids=lambda path: path.name)
def test_every_real_document_is_read_or_refused_with_a_reason(path: Path) -> None:
    data = path.read_bytes()
    if path.suffix == ".gz":
        with pytest.raises(AssayError, match="gzip"):
            read_document(data)
        return
    reading = read_document(data)
    assert reading.text.strip()
    if path.suffix == ".html":
        assert_segments_hold(reading, decode_bytes(data).text)
        assert coverage(reading) == 1.0
