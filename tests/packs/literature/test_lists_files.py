"""Files of references: BibTeX, RIS, CSL-JSON, CSV, databases, feeds and VisionBib pages.

All references are invented. No page of VisionBib was at hand: those here follow its grammar.
"""

import json

import pytest

from assay.packs.literature.listed import ListedReference, ListKind
from assay.packs.literature.lists import ParsedList, detect_kind, parse_list
from tests.packs.literature.samples import needs_samples, read_sample

BIBTEX = r"""
@string{quay = "Proc. of the Quay"}
@comment{not an entry}
@inproceedings{reed, title = {Boats of {W}ax and T{\"u}n: $x^2$}, author = {Reed, Ada and
   M{\"u}ller, J{\'o}zef and {The Boat Group}}, crossref = {proc}, eprint = {2101.00001v2},
   archivePrefix = {arXiv}, url = {https://doi.org/10.1000/WAX\_1}}
@proceedings{proc, title = quay # " 2021", year = 2021, isbn = {0-306-40615-2}}
@article{lind, title = "Boats of tin", author = "Bo Lind", journal = {J. of Boats},
  date = {2019-03}, doi = {10.1000/TIN}, pmid = {77}, abstract = {They rust.}}
"""


def read_bibtex(text: str) -> ParsedList:
    return parse_list(text.encode(), ListKind.BIBTEX)


def test_bibtex_gives_accents_strings_and_the_fields_of_its_parent() -> None:
    reed, proceedings, lind = read_bibtex(BIBTEX).references
    assert reed.title == "Boats of Wax and Tün: $x^2$"
    assert reed.authors == ("Reed, Ada", "Müller, Józef", "The Boat Group")
    assert reed.ids == ("arxiv:2101.00001", "doi:10.1000/wax_1")
    assert (reed.version, reed.year, reed.venue) == (2, 2021, "Proc. of the Quay 2021")
    assert proceedings.ids == ("isbn:9780306406157",)
    assert lind.ids == ("doi:10.1000/tin", "pmid:77")
    assert (lind.year, lind.venue, lind.abstract) == (2019, "J. of Boats", "They rust.")
    assert BIBTEX[lind.start : lind.end].startswith("@article{lind,")
    assert BIBTEX[lind.start : lind.end].endswith("{They rust.}}")


def test_a_broken_entry_is_noted_and_the_next_is_read() -> None:
    parsed = read_bibtex(
        "@article{bad, title = {Boats of {lead, year = 2001, doi = {10.1000/lead}\n"
        '@article{quote, title = "Boats of air, year = 2002}\n'
        "@article{twice, title = {Boats of oil}, title = {Boats of oil}, year = 2003}\n"
        "@article{good, title = {Boats of glass}, year = 2004}\n"
        "@article{empty, year = 2005}\n"
    )
    titles = [each.title for each in parsed.references]
    assert "Boats of glass" in titles
    assert "Boats of oil" in titles
    assert "doi:10.1000/lead" in {name for each in parsed.references for name in each.ids}
    assert len(parsed.notes) >= 3
    assert all(note.message.endswith(".") for note in parsed.notes)


RIS = """TY  - JOUR
AU  - Reed, Ada
AU  - Lind, Bo
TI  - Boats of wax
JO  - J. of Boats
PY  - 2001/03/04
DO  - https://doi.org/10.1000/WAX
UR  - https://boats.org/wax
SN  - 1234-5678
AB  - They melt.
ER  -

TY  - BOOK
T1  - Boats of tin
A1  - Mo, Cy
Y1  - 2002
SN  - 978-0-306-40615-7
L1  - http://arxiv.org/pdf/2101.00001
TY  - CHAP
T1  - A chapter without its end
"""


def test_ris_is_read_record_by_record() -> None:
    wax, tin, chapter = parse_list(RIS.replace("\n", "\r\n").encode(), ListKind.RIS).references
    assert (wax.title, wax.year, wax.venue) == ("Boats of wax", 2001, "J. of Boats")
    assert wax.authors == ("Reed, Ada", "Lind, Bo")
    assert (wax.ids, wax.urls) == (("doi:10.1000/wax",), ("https://boats.org/wax",))
    assert tin.ids == ("arxiv:2101.00001", "isbn:9780306406157")
    assert (tin.authors, tin.year) == (("Mo, Cy",), 2002)
    assert chapter.title == "A chapter without its end"


CSL = [
    {
        "id": "a",
        "type": "article-journal",
        "title": "Boats of wax",
        "author": [{"family": "Reed", "given": "Ada"}, {"literal": "The Boat Group"}],
        "issued": {"date-parts": [[2001, 3]]},
        "container-title": "J. of Boats",
        "DOI": "10.1000/WAX",
        "URL": "https://boats.org/wax",
        "note": "arXiv:2101.00001 [cs]",
    },
    {
        "type": "book",
        "title": ["Boats of tin"],
        "ISBN": ["9780306406157"],
        "issued": {"raw": "2002"},
    },
]


@pytest.mark.parametrize("wrap", [lambda items: items, lambda items: {"message": {"items": items}}])
def test_csl_is_read_as_zotero_and_as_crossref_give_it(wrap: object) -> None:
    assert callable(wrap)
    text = json.dumps(wrap(CSL))
    wax, tin = parse_list(text.encode(), ListKind.CSL).references
    assert wax.ids == ("arxiv:2101.00001", "doi:10.1000/wax")
    assert wax.authors == ("Reed, Ada", "The Boat Group")
    assert (wax.year, wax.venue) == (2001, "J. of Boats")
    assert (tin.ids, tin.year) == (("isbn:9780306406157",), 2002)
    assert json.loads(text[wax.start : wax.end]) == CSL[0]


def test_json_that_breaks_off_gives_what_came_before() -> None:
    text = json.dumps(CSL)[:-20]
    parsed = parse_list(text.encode(), ListKind.CSL)
    assert [each.title for each in parsed.references] == ["Boats of wax"]
    assert "broken" in parsed.notes[0].message


def test_zoteros_csv_is_read_with_cells_over_several_lines() -> None:
    text = (
        '\ufeff"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN",'
        '"DOI","Url","Abstract Note","Extra"\n'
        '"K1","journalArticle","2001","Reed, Ada; Lind, Bo","Boats of ""wax"", and\nof tin",'
        '"J. of Boats","","10.1000/WAX","https://boats.org/wax","Long.","arXiv:2101.00001 [cs]"\n'
        '"K2","book","","","","","","","","",""\n'
    )
    parsed = parse_list(text.encode(), ListKind.CSV)
    [wax] = parsed.references
    assert wax.title == 'Boats of "wax", and of tin'
    assert wax.authors == ("Reed, Ada", "Lind, Bo")
    assert wax.ids == ("arxiv:2101.00001", "doi:10.1000/wax")
    assert text.removeprefix("\ufeff")[wax.start : wax.end].startswith('"K1"')
    assert "no title" in parsed.notes[0].message


def test_databases_in_yaml_and_json_give_only_works() -> None:
    yaml = (
        "- title: Boats of wax\n  authors: Ada Reed, Bo Lind\n  year: '2001'\n"
        "  paper: https://arxiv.org/pdf/2101.00001.pdf\n  code: https://github.com/a/b\n"
        "  abstract: It builds on https://arxiv.org/abs/1901.00009\n"
        "- title: A boat shop\n  url: https://shop.org\n"
    )
    [wax] = parse_list(yaml.encode(), ListKind.AWESOME).references
    assert (wax.title, wax.ids) == ("Boats of wax", ("arxiv:2101.00001",))
    assert wax.urls == ("https://github.com/a/b",)
    assert yaml[wax.start : wax.end].startswith("title: Boats of wax")
    wrapped = {"title": "My boats", "papers": [{"title": "Boats of ice", "doi": "10.1000/ice"}]}
    [ice] = parse_list(json.dumps(wrapped).encode(), ListKind.AWESOME).references
    assert (ice.title, ice.section) == ("Boats of ice", "papers")
    data = {"boats": {"small": [{"name": "Boats of tin", "links": {"pdf": "https://a.org/t.pdf"}}]}}
    [tin] = parse_list(json.dumps(data).encode(), ListKind.AWESOME).references
    assert (tin.title, tin.section, tin.urls) == ("Boats of tin", "small", ("https://a.org/t.pdf",))


RSS = """<?xml version="1.0"?><rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>cs.CV updates on arXiv.org</title>
<item><title>Boats of wax</title><link>https://arxiv.org/abs/2101.00001</link>
<description>arXiv:2101.00001v3 Announce Type: new
Abstract: They melt.</description><guid>oai:arXiv.org:2101.00001v3</guid>
<dc:creator>Ada Reed, Bo Lind</dc:creator><pubDate>Mon, 4 Jan 2021 00:00:00 -0500</pubDate></item>
</channel></rss>"""


def test_a_daily_feed_of_arxiv_gives_papers_with_versions() -> None:
    [wax] = parse_list(RSS.encode(), ListKind.ARXIV).references
    assert (wax.title, wax.ids, wax.version) == ("Boats of wax", ("arxiv:2101.00001",), 3)
    assert (wax.authors, wax.year, wax.abstract) == (("Ada Reed", "Bo Lind"), 2021, "They melt.")
    assert RSS[wax.start : wax.end].startswith("<item>")
    assert RSS[wax.start : wax.end].endswith("</item>")


@needs_samples
def test_the_answers_of_the_arxiv_api_are_read() -> None:
    def read(name: str) -> ParsedList:
        body = json.loads(read_sample(name))["body"].encode()
        assert detect_kind("query", "application/atom+xml", body) is ListKind.ARXIV
        return parse_list(body, ListKind.ARXIV)

    assert len(read("arxiv_api_search_page0_100.json").references) == 100
    [old] = read("arxiv_api_id_oldstyle.json").references
    assert (old.ids, old.version) == (("arxiv:astro-ph/0601001",), 1)
    [zero] = read("arxiv_api_title_zero.json").references
    assert zero.title == "0"
    failed = read("arxiv_api_error_bad_id.json")
    assert failed.references == ()
    assert "incorrect id format" in failed.notes[0].message


VISIONBIB = """<html><head><title>Keith Price Bibliography Boats</title></head><body>
<h2>13.2.1 Boats and Ships</h2>
<p><a name="TT101"></a>Reed, A.[Ada], Lind, B.C.[Bo C.], and Mo, C.,
<br><b>Boats of Wax, Tin and Glass,</b>
<br><a href="../journal/pami.html">PAMI(23)</a>, No. 8, August 2001, pp. 1-9.
<br><a href="http://dx.doi.org/10.1109/34.1">IEEE DOI</a> <a href="#x">BibRef</a> <b>0108</b>
<br>Earlier: <a href="https://arxiv.org/abs/cs/0101001">Boats</a>, ICCV99(12-19).
<p><a name="TT102"></a>Mo, C.[Cy],
<br><b>Boats in Deep Water,</b>
<br>BMVC15(xx-yy). <a href="deep.pdf">PDF File.</a> BibRef 1509
</body></html>"""


def test_a_page_of_visionbib_gives_entries_and_their_other_versions() -> None:
    page = VISIONBIB.encode()
    assert detect_kind("compute42.html", "text/html", page) is ListKind.VISIONBIB
    wax, earlier, deep = parse_list(page, ListKind.VISIONBIB).references
    assert wax.title == "Boats of Wax, Tin and Glass"
    assert wax.authors == ("Reed, Ada", "Lind, Bo C.", "Mo, C.")
    assert (wax.year, wax.venue, wax.ids) == (2001, "PAMI", ("doi:10.1109/34.1",))
    assert wax.section == "13.2.1 Boats and Ships"
    assert (earlier.ids, earlier.title) == (("arxiv:cs/0101001",), "")
    assert (deep.title, deep.year, deep.venue) == ("Boats in Deep Water", 2015, "BMVC")
    assert deep.urls == ("https://www.visionbib.com/bibliography/deep.pdf",)


@pytest.mark.parametrize(
    ("name", "media", "data", "kind"),
    [
        ("refs.bib", "", b"", ListKind.BIBTEX),
        ("refs", "", b"% mine\n@article{a, title={B}}", ListKind.BIBTEX),
        ("export", "application/x-research-info-systems", b"", ListKind.RIS),
        ("export.txt", "", b"TY  - JOUR\nER  - \n", ListKind.RIS),
        ("items.json", "", json.dumps(CSL).encode(), ListKind.CSL),
        ("papers.json", "", b'{"papers": [{"title": "T", "links": {}}]}', ListKind.AWESOME),
        ("list.csv", "", b'"Key","Item Type","Title"\n', ListKind.CSV),
        ("prices.csv", "", b"day,price\n", None),
        ("README.md", "", b"# Boats", ListKind.AWESOME),
        ("feed", "", RSS.encode(), ListKind.ARXIV),
        ("feed.xml", "", b"<rss><channel><title>News</title></channel></rss>", None),
        ("page.html", "", b"<html><body>Hello</body></html>", None),
        ("refs.txt", "", b"[1] A. Reed. Boats. 2001.\n", ListKind.BIBLIOGRAPHY),
        ("paper.pdf", "application/pdf", b"%PDF-1.7\n\x00\x01", None),
        ("empty.txt", "", b" \n", None),
    ],
)
def test_the_kind_of_a_list_is_told_by_name_type_and_content(
    name: str, media: str, data: bytes, kind: ListKind | None
) -> None:
    assert detect_kind(name, media, data) is kind


def test_other_encodings_than_utf8_are_read() -> None:
    text = "@article{a, title = {Bücher über Boote}, year = 2001}"
    for data in (text.encode("cp1252"), text.encode("utf-16"), b"\xef\xbb\xbf" + text.encode()):
        [found] = parse_list(data, ListKind.BIBTEX).references
        assert isinstance(found, ListedReference)
        assert found.title == "Bücher über Boote"
