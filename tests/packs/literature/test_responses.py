"""Requests to services, and their recorded answers."""

import json

import pytest

from assay.packs.literature.resolving import arxiv, crossref, openalex
from assay.packs.literature.resolving.requests import (
    ServiceLimitReached,
    ServiceRequest,
    WrongWorkAnswered,
)
from assay.packs.literature.resolving.works import FoundWork
from assay.sdk.errors import AssayError, InvalidInput
from tests.packs.literature.responses import load_cassette, load_json, needs_samples

ANY = ServiceRequest(service="any", url="https://api.test/", key="any")


def test_a_lookup_by_id_is_free_and_lists_and_searches_have_a_price() -> None:
    assert openalex.build_id_request("doi:10.1234/a(b)").cost_micros == 0
    request = openalex.build_list_request(["doi:10.1234/a", "arxiv:2312.07559"])
    assert request.cost_micros == 100
    assert "filter=doi:10.1234%2Fa|10.48550%2Farxiv.2312.07559" in request.url
    assert openalex.build_search_request("A title: with, signs|!", 2020).cost_micros == 1000


def test_a_list_of_too_many_works_or_of_separators_is_refused() -> None:
    with pytest.raises(InvalidInput, match="1 to 50"):
        openalex.build_list_request([f"doi:10.1234/{n}" for n in range(51)])
    with pytest.raises(InvalidInput, match="cannot be in a list"):
        openalex.build_list_request(["doi:10.1234/a|b"])
    with pytest.raises(InvalidInput, match="not an arXiv id"):
        arxiv.build_arxiv_request(["arxiv:abc"])


def test_the_sender_is_not_a_part_of_what_is_asked() -> None:
    one = crossref.build_doi_request("doi:10.1234/a", "a@example.org")
    other = crossref.build_doi_request("doi:10.1234/a", "b@example.org")
    assert one.url != other.url
    assert one.key == other.key


@needs_samples
def test_a_work_of_openalex_is_read_with_its_ids_and_references() -> None:
    answer = load_json("openalex_work_W4408732759.json")
    request = openalex.build_id_request("doi:10.1016/j.xgen.2025.100814")
    (work,) = openalex.parse_openalex_response(answer.status, answer.body, request).works
    assert work.ids == ("doi:10.1016/j.xgen.2025.100814", "openalex:W4408732759", "pmid:40120586")
    assert work.title.startswith("High-throughput screening of human genetic variants")
    assert (work.year, work.venue, work.authors[0]) == (2025, "Cell Genomics", "Michael Herger")
    assert work.cites and all(each.startswith("openalex:W") for each in work.cites)


@needs_samples
def test_a_sparse_work_and_a_doi_with_a_colon_are_read() -> None:
    answer = load_json("openalex_work_W4381738344_sparse.json")
    request = openalex.build_id_request("doi:10.1007/s40278-023-41815-2")
    (work,) = openalex.parse_openalex_response(answer.status, answer.body, request).works
    assert (work.authors, work.abstract, work.year) == ((), "", 2023)
    answer = load_json("openalex_work_W1554322594.json")
    request = openalex.build_id_request("doi:10.1023/a:1007154515475")
    (work,) = openalex.parse_openalex_response(answer.status, answer.body, request).works
    assert "openalex:W1554322594" in work.ids


@needs_samples
def test_an_answer_about_another_work_is_refused() -> None:
    answer = load_json("openalex_work_W1554322594.json")
    request = openalex.build_id_request("doi:10.1016/j.xgen.2025.100814")
    with pytest.raises(WrongWorkAnswered, match="was asked for doi"):
        openalex.parse_openalex_response(answer.status, answer.body, request)
    answer = load_json("crossref_work_10.1016_j.xgen.2025.100814.json")
    with pytest.raises(WrongWorkAnswered):
        crossref.parse_crossref_response(
            answer.status, answer.body, crossref.build_doi_request("doi:10.1234/other")
        )


@needs_samples
def test_a_search_of_openalex_gives_all_its_hits() -> None:
    answer = load_json("openalex_list_title_search_1hit.json")
    page = openalex.parse_openalex_response(
        answer.status, answer.body, openalex.build_search_request("Effect of native oxide layers")
    )
    assert [work.ids for work in page.works] == [("doi:10.1063/1.4938384", "openalex:W2277923667")]
    assert (page.works[0].volume, page.following) == ("118", None)
    assert page.works[0].abstract.startswith("Metal-oxide layers are likely to be present")


@needs_samples
def test_not_found_is_an_answer_also_as_html() -> None:
    (answer,) = load_cassette("openalex_vcr_404_html.yaml")
    assert b"<html" in answer.body
    request = openalex.build_id_request("doi:10.1046/j.1365-2699.2003.00795")
    page = openalex.parse_openalex_response(answer.status, answer.body, request)
    assert (page.works, page.missing) == ((), request.wanted)


@needs_samples
def test_a_work_with_few_selected_fields_is_read() -> None:
    (answer,) = load_cassette("openalex_vcr_select_oa.yaml")
    request = openalex.build_id_request("doi:10.1021/acs.jctc.5b00178")
    (work,) = openalex.parse_openalex_response(answer.status, answer.body, request).works
    assert work.ids == request.wanted


def test_a_merged_work_keeps_the_id_that_was_asked_for() -> None:
    body = json.dumps({"id": "https://openalex.org/W2", "title": "T"}).encode()
    request = openalex.build_id_request("openalex:W1")
    with pytest.raises(WrongWorkAnswered):
        openalex.parse_openalex_response(200, body, request, request.url)
    final = "https://api.openalex.org/works/W2"
    (work,) = openalex.parse_openalex_response(200, body, request, final).works
    assert (work.ids, work.same_work_ids) == (("openalex:W2",), ("openalex:W1",))


def test_the_arxiv_id_is_found_in_the_locations() -> None:
    places = [
        {"landing_page_url": "http://arxiv.org/abs/2312.07559"},
        {"landing_page_url": "https://arxiv.org/abs/2312.07559", "pdf_url": "https://x.test/a.pdf"},
    ]
    value = {
        "id": "https://openalex.org/W1",
        "doi": "https://doi.org/10.1234/X",
        "locations": places,
    }
    request = openalex.build_id_request("doi:10.1234/x")
    page = openalex.parse_openalex_response(200, json.dumps(value).encode(), request)
    assert page.works[0].ids == ("arxiv:2312.07559", "doi:10.1234/x", "openalex:W1")
    assert page.works[0].pdf_urls == ("https://x.test/a.pdf",)


@pytest.mark.parametrize("status", [401, 403, 429])
def test_a_limit_is_reported_as_one(status: int) -> None:
    for parse in (
        openalex.parse_openalex_response,
        crossref.parse_crossref_response,
        arxiv.parse_arxiv_response,
    ):
        with pytest.raises(ServiceLimitReached, match=str(status)):
            parse(status, b"", ANY)


@pytest.mark.parametrize(
    "body", [b"", b"<html><title>Just a moment</title>", b"[]", b'{"results": 3}', b'{"x', b"\xff"]
)
def test_an_unexpected_body_is_an_error_and_never_a_work(body: bytes) -> None:
    for parse in (
        openalex.parse_openalex_response,
        crossref.parse_crossref_response,
        arxiv.parse_arxiv_response,
    ):
        with pytest.raises(AssayError):
            parse(200, body, ANY)


@needs_samples
def test_crossref_works_are_read_and_arxiv_dois_are_unknown_to_it() -> None:
    seen = {}
    for answer in load_cassette("vcr_bulk_doi.yaml"):
        if "api.crossref.org" in answer.url and "transform" not in answer.url:
            doi = answer.url.split("/works/")[1].split("?")[0].replace("%2F", "/")
            request = crossref.build_doi_request(f"doi:{doi}")
            seen[doi] = crossref.parse_crossref_response(answer.status, answer.body, request)
    assert seen["10.48550/arxiv.2312.07559"].missing == ("doi:10.48550/arxiv.2312.07559",)
    work = seen["10.1063/1.4938384"].works[0]
    assert (work.authors[0], work.year) == ("Michael D. Skarlinski", 2015)
    assert (work.volume, work.pages) == ("118", "235306")
    assert seen["10.1101/2024.04.01.587366"].works[0].kind == "posted-content"
    assert len(seen) == 6


@needs_samples
def test_every_recorded_answer_of_crossref_is_read() -> None:
    names = ("crossref_vcr_many_ids.yaml", "crossref_vcr_cursor.yaml",
             "crossref_vcr_field_queries.yaml")  # fmt: skip
    works: list[FoundWork] = []
    for name in names:
        for answer in load_cassette(name):
            works += crossref.parse_crossref_response(answer.status, answer.body, ANY).works
    assert len(works) == 5 + 5 * 20 + 20
    assert sum(bool(work.title and work.year and work.ids) for work in works) >= 0.9 * len(works)


@needs_samples
def test_crossref_finds_something_for_every_title_with_any_score() -> None:
    for name in ("WRONG_attention", "WRONG_nonsense", "WRONG_paperqa", "truncated_OK"):
        answer = load_json(f"crossref_title_search_{name}.json")
        page = crossref.parse_crossref_response(answer.status, answer.body, ANY)
        assert len(page.works) == 1
        assert page.works[0].ids[0].startswith("doi:")


def test_versions_that_crossref_states_are_kept() -> None:
    value = {
        "DOI": "10.1234/A", "title": ["T"],
        "relation": {"has-preprint": [{"id-type": "doi", "id": "10.48550/arXiv.2312.07559"}],
                     "references": [{"id-type": "doi", "id": "10.1234/other"}]},
        "updated-by": [{"type": "retraction"}],
    }  # fmt: skip
    body = json.dumps({"message": value}).encode()
    (work,) = crossref.parse_crossref_response(200, body, ANY).works
    assert work.same_work_ids == ("arxiv:2312.07559",)
    assert work.is_retracted


@needs_samples
def test_old_and_new_papers_of_arxiv_are_read_with_their_version() -> None:
    answer = load_json("arxiv_api_id_oldstyle.json")
    request = arxiv.build_arxiv_request(["arxiv:astro-ph/0601001"])
    (work,) = arxiv.parse_arxiv_response(answer.status, answer.body, request).works
    assert (work.ids, work.version, work.year) == (("arxiv:astro-ph/0601001",), 1, 2006)
    assert work.pdf_urls == ("https://arxiv.org/pdf/astro-ph/0601001v1",)
    assert work.title.startswith("Frequency of Hot Jupiters")


@needs_samples
def test_papers_that_arxiv_leaves_out_are_missing() -> None:
    answer = load_json("arxiv_api_id_partial.json")
    found = arxiv.parse_arxiv_response(answer.status, answer.body, ANY).works
    assert len(found) == 1
    request = arxiv.build_arxiv_request([found[0].ids[0], "arxiv:2412.99999"])
    page = arxiv.parse_arxiv_response(answer.status, answer.body, request)
    assert page.missing == ("arxiv:2412.99999",)
    answer = load_json("arxiv_api_id_empty.json")
    request = arxiv.build_arxiv_request(["arxiv:2412.99999"])
    page = arxiv.parse_arxiv_response(answer.status, answer.body, request)
    assert (page.works, page.missing) == ((), ("arxiv:2412.99999",))


@needs_samples
def test_an_error_of_arxiv_is_not_a_paper_called_error() -> None:
    answer = load_json("arxiv_api_error_bad_id.json")
    with pytest.raises(InvalidInput, match="incorrect id format for abc"):
        arxiv.parse_arxiv_response(answer.status, answer.body, ANY)


@needs_samples
def test_a_paper_may_be_called_0() -> None:
    for name in ("arxiv_api_title_zero.json", "arxiv_api_id_oldstyle_versioned.json"):
        answer = load_json(name)
        (work,) = arxiv.parse_arxiv_response(answer.status, answer.body, ANY).works
        assert work.title


@needs_samples
def test_a_page_of_arxiv_is_read_whole() -> None:
    for name, count in (("page0_100", 100), ("start10_10", 10)):
        answer = load_json(f"arxiv_api_search_{name}.json")
        works = arxiv.parse_arxiv_response(answer.status, answer.body, ANY).works
        assert len(works) == count
        assert all(work.title and work.authors and work.year and work.abstract for work in works)
    assert any(work.same_work_ids for work in works)
