"""Ids: one spelling for each, from all the ways in which lists and papers write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.packs.literature.ids import (
    doc_id_of,
    find_ids,
    id_of_url,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_pmid,
)
from assay.sdk.errors import InvalidInput
from assay.sdk.records import doc_id_of_url
from tests.packs.civic.growth import grows_linearly


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("2312.07559", "2312.07559", None),
        ("arXiv:2312.07559v2", "2312.07559", 2),
        ("arXiv preprint arXiv:0704.0001", "0704.0001", None),
        ("https://arxiv.org/abs/2312.07559v12", "2312.07559", 12),
        ("http://arxiv.org/pdf/2312.07559", "2312.07559", None),
        ("https://arxiv.org/pdf/2312.07559v1.pdf", "2312.07559", 1),
        ("arxiv.org/2503.19881", "2503.19881", None),
        ("https://arxiv.org/abs//2306.08707", "2306.08707", None),
        ("https://arxiv.org/html/2312.07559v3/", "2312.07559", 3),
        ("https://ar5iv.labs.arxiv.org/html/2312.07559", "2312.07559", None),
        ("https://www.alphaxiv.org/overview/2312.07559v1", "2312.07559", 1),
        ("https://img.shields.io/badge/arXiv-2312.07559-b31b1b.svg", "2312.07559", None),
        ("10.48550/arXiv.2312.07559", "2312.07559", None),
        ("CoRR abs/1706.03762", "1706.03762", None),
        ("hep-th/9901001", "hep-th/9901001", None),
        ("math.GT/0309136v1", "math/0309136", 1),
        ("https://arxiv.org/pdf/cs.CV/0309136.pdf", "cs/0309136", None),
        ("http://xxx.lanl.gov/abs/hep-th/9901001", "hep-th/9901001", None),
    ],
)
def test_an_arxiv_id_is_read_from_every_spelling(text: str, name: str, version: int | None) -> None:
    assert parse_arxiv_id(text) == (name, version)


@pytest.mark.parametrize(
    "text", ["2313.07559", "1501.0001", "1412.00001", "0703.0001", "12.5", "hep-th/9913001", ""]
)
def test_a_number_that_arxiv_never_gave_is_no_id(text: str) -> None:
    assert parse_arxiv_id(text) is None


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1145/3366423.3380211", "10.1145/3366423.3380211"),
        ("doi:10.1016/S0969-2126(97)00260-8).", "10.1016/s0969-2126(97)00260-8"),
        ("DOI: 10.1109/TPAMI.2020.1234567,", "10.1109/tpami.2020.1234567"),
        ("https://doi.org/10.1145%2F3366423.3380211", "10.1145/3366423.3380211"),
        ("http://dx.doi.org/10.1007/978-3-540\\_12}", "10.1007/978-3-540_12"),
        (
            "10.1002/(SICI)1097-0258(19980815/30)17:15/16&lt;1661::AID-SIM968&gt;3.0.CO;2-2",
            "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2",
        ),
        (
            "https://link.springer.com/content/pdf/10.1007/s11263-020-01335-3.pdf",
            "10.1007/s11263-020-01335-3",
        ),
        (
            "https://www.biorxiv.org/content/10.1101/2020.01.01.123456v1.full.pdf",
            "10.1101/2020.01.01.123456",
        ),
    ],
)
def test_a_doi_ends_where_its_text_ends(text: str, doi: str) -> None:
    assert parse_doi(text) == doi


def test_the_doi_of_an_arxiv_paper_is_its_arxiv_id() -> None:
    assert parse_doi("10.48550/arXiv.2312.07559") is None
    assert find_ids("https://doi.org/10.48550/arXiv.2312.07559") == ["arxiv:2312.07559"]


def test_an_isbn_needs_its_check_digit_and_has_13_digits() -> None:
    assert parse_isbn("0-306-40615-2") == "9780306406157"
    assert parse_isbn("ISBN-13: 978-3-16-148410-0") == "9783161484100"
    assert parse_isbn("080442957X") == "9780804429573"
    assert parse_isbn("0-306-40615-3") is None
    assert parse_isbn("9783161484101") is None


def test_a_pmid_is_a_number_without_leading_zeros() -> None:
    assert parse_pmid("PMID: 012345") == "12345"
    assert parse_pmid("https://pubmed.ncbi.nlm.nih.gov/12345/") == "12345"
    assert parse_pmid("0") is None
    assert parse_pmid("1234567890") is None


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://huggingface.co/papers/2312.07559", "arxiv:2312.07559"),
        ("https://www.semanticscholar.org/arxiv/1706.03762", "arxiv:1706.03762"),
        ("https://dl.acm.org/doi/pdf/10.1145/3306346.3323020", "doi:10.1145/3306346.3323020"),
        ("https://link.springer.com/article/10.1007/s1-2", "doi:10.1007/s1-2"),
        ("https://www.nature.com/articles/s41586-020-2649-2", "doi:10.1038/s41586-020-2649-2"),
        (
            "https://aclanthology.org/2020.acl-main.1.pdf",
            "doi:10.18653/v1/2020.acl-main.1",
        ),
        ("https://www.aclweb.org/anthology/P19-1001/", "doi:10.18653/v1/p19-1001"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/123", "pmid:123"),
        ("https://link.springer.com/10.1007/s1-003-7/fulltext.html", "doi:10.1007/s1-003-7"),
        (
            "https://academic.oup.com/aob/article-pdf/doi/10.1093/aob/mcae033/57127941/mcae033.pdf",
            "doi:10.1093/aob/mcae033",
        ),
        ("https://openalex.org/W2741809807", "openalex:W2741809807"),
        (
            "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0123456",
            "doi:10.1371/journal.pone.0123456",
        ),
        ("http://www.amazon.com/A-Book/dp/013608592X/ref=x", "isbn:9780136085928"),
        ("https://aclanthology.org/2020.lrec-1.1/", None),
        ("https://aclanthology.org/Q19-1001/", None),
        ("https://github.com/someone/arxiv-2312.07559", None),
        ("https://www.nature.com/subjects/physics", None),
        ("https://openreview.net/forum?id=abc", None),
        ("not an address", None),
    ],
)
def test_an_address_stands_for_an_id_only_where_that_is_certain(url: str, name: str | None) -> None:
    assert id_of_url(url) == name


def test_ids_are_found_in_markdown_and_latex_each_once() -> None:
    text = (
        "[![arXiv](https://img.shields.io/badge/arXiv-2312.07559-b31b1b)]"
        "(https://arxiv.org/abs/2312.07559) see \\url{https://doi.org/10.1016/S0969(97)00260-8} "
        "and [x](https://doi.org/10.1016/S0969(97)00260-8), pp. 2312.07558, PMID 77"
    )
    assert find_ids(text) == ["arxiv:2312.07559", "doi:10.1016/s0969(97)00260-8", "pmid:77"]


def test_a_document_is_named_by_arxiv_then_doi_then_address_then_title() -> None:
    urls = ["https://github.com/a/b", "https://a.org/paper.pdf"]
    assert doc_id_of(["doi:10.1/x", "arxiv:2312.07559"], urls, "", [], None) == "arxiv:2312.07559"
    assert doc_id_of(["doi:10.1/x", "pmid:1"], urls, "", [], None) == "doi:10.1/x"
    assert doc_id_of([], urls, "A title", [], None) == doc_id_of_url(urls[1])
    named = doc_id_of([], urls[:1], "A Title!", ["Müller, J."], 2001)
    assert named == doc_id_of([], [], "a  title", ["J. Muller"], 2001)
    assert named.startswith("title:")
    assert named != doc_id_of([], [], "a title", ["J. Muller"], 2002)
    assert doc_id_of(["pmid:1"], urls, "", [], None) == doc_id_of_url(
        "https://pubmed.ncbi.nlm.nih.gov/1"
    )
    with pytest.raises(InvalidInput):
        doc_id_of([], [], " ", [], None)


@given(st.text(alphabet="10./()[]{}<>&;%arxivdo:hep-th v\\_#?", max_size=200))
def test_any_text_gives_well_formed_ids_and_the_same_again(text: str) -> None:
    for name in find_ids(text):
        assert name.partition(":")[0] in {"arxiv", "doi", "pmid", "isbn", "openalex"}
        assert name == name.strip()
        assert find_ids(f"see {name} .") == [name] or "(" in name or name.startswith("doi:")


@pytest.mark.parametrize(
    "piece",
    ["10.1234/a(", "arxiv abs/", "arxiv", "https://a%2F", "isbn 1 2 3 ", "10.1234/", "pmid "],
)
def test_the_search_for_ids_grows_with_the_text(piece: str) -> None:
    assert grows_linearly(find_ids, piece)
