"""Documents in the console: the list, the life of one, and two versions side by side."""

import pytest

from assay.app import App
from assay.app.document_search import DocumentSearch, count_states, find_documents
from assay.errors import InvalidInput
from assay.model.lifecycle import CandidateState
from assay.model.records import Document, RoutingDecision
from tests.console.conftest import open_console
from tests.console.stored_documents import (
    AT_MS,
    store_document,
    store_fact,
    store_records,
    store_version,
)


def list_all(app: App, wanted: DocumentSearch, limit: int) -> list[list[str]]:
    pages, after = [], None
    while True:
        found = find_documents(app, wanted, after, limit)
        pages.append([entry["doc_id"] for entry in found.documents])
        after = found.after
        if after is None:
            return pages


def test_pages_of_the_list_neither_lose_nor_repeat_a_document(app: App) -> None:
    for number in range(25):
        # Several have the same moment: then their ids decide.
        store_document(app, f"do_{number:02}", at_ms=AT_MS + number // 10)
    pages = list_all(app, DocumentSearch(), 4)
    expected = sorted(range(25), key=lambda number: (number // 10, number), reverse=True)
    assert [len(page) for page in pages] == [4, 4, 4, 4, 4, 4, 1]
    assert [doc_id for page in pages for doc_id in page] == [f"do_{n:02}" for n in expected]
    assert list_all(app, DocumentSearch(), 25) == [[f"do_{n:02}" for n in expected]]


def test_documents_are_found_by_words_source_state_and_time(app: App) -> None:
    store_document(app, "do_a", title="Act on Fees, 100% new", at_ms=AT_MS + 5)
    store_document(app, "do_b", title=None, url="https://city.example/FEES_x", source="city")
    store_document(app, "do_c", title="Another 1000 things", state="skipped", reason="too short")

    def find(**given: object) -> list[str]:
        (page,) = list_all(app, DocumentSearch(**given), 50)  # type: ignore[arg-type]
        return sorted(page)

    assert find(words="fees") == ["do_a", "do_b"]
    assert find(words="FEES act") == ["do_a"]
    # What a pattern would mean is only a sign here.
    assert find(words="100%") == ["do_a"] and find(words="s_x") == ["do_b"]
    assert find(source="city") == ["do_b"]
    assert find(state=CandidateState.SKIPPED) == ["do_c"]
    assert find(since_ms=AT_MS + 1) == ["do_a"]
    assert find(words="nowhere") == []
    with pytest.raises(InvalidInput):
        find_documents(app, DocumentSearch(), "from-somewhere")


def test_the_list_says_why_a_document_waits_or_was_skipped(empty: App) -> None:
    evidence_id = store_version(empty, b"An act.", kept=False)
    store_document(
        empty, "do_act", state="blocked", reason="the model was denied", evidence_id=evidence_id
    )
    store_document(empty, "do_b", state="skipped", reason="too short: 56 characters")
    store_records(
        empty,
        [
            RoutingDecision(
                evidence_id=evidence_id,
                pack="regulatory",
                decision="BLOCKED",
                reason="denied",
                worth_it_score=0.9,
                threshold=0.4,
                denial="SOURCE_DAILY_CAP_EXCEEDED",
            )
        ],
    )
    page = open_console(empty).get("/documents").text
    assert "the model was denied · daily cap of the source reached" in page
    assert "too short: 56 characters" in page
    assert "No document matches." in open_console(empty).get("/documents?words=nothing").text


def test_a_document_that_is_only_listed_counts_as_discovered(app: App) -> None:
    store_document(app, "do_a")
    store_records(
        app, [Document(doc_id="do_b", source_slug="gazette", url="https://g.example/", title="B")]
    )
    assert count_states(app) == {"ingested": 1, "discovered": 1}
    assert list_all(app, DocumentSearch(state=CandidateState.DISCOVERED), 9) == [["do_b"]]
    assert list_all(app, DocumentSearch(), 9) == [["do_a", "do_b"]]


def test_the_list_is_turned_by_its_link(empty: App) -> None:
    for number in range(60):
        store_document(empty, f"do_{number:02}", title=f"Act {number:02}")
    console = open_console(empty)
    first = console.get("/documents?words=act").text
    link = first.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    second = console.get(link).text
    assert "Act 59" in first and "Act 09" not in first
    assert "Act 09" in second and "Act 59" not in second and 'rel="next"' not in second


def test_what_cannot_be_asked_for_is_explained(empty: App) -> None:
    console = open_console(empty)
    for path, said in (
        ("/documents?state=gone", "The states are discovered"),
        ("/documents?since=yesterday", "YYYY-MM-DD"),
        ("/documents?after=x", "Start again from its first page."),
    ):
        answer = console.get(path)
        assert answer.status_code == 400 and said in answer.text
    assert console.get("/documents/do_nothing").status_code == 404
    assert "No documents yet." in console.get("/documents").text


def test_a_document_shows_its_versions_facts_and_history(empty: App) -> None:
    name = "doi:10.5555/fees?a#b"
    old = store_version(empty, b"The fee is 8.15 EUR.", doc_id=name)
    new = store_version(empty, b"The fee is 7.90 EUR.", doc_id=name, at_ms=AT_MS + 1)
    store_fact(empty, old, 4, "fee is 8.15 EUR")
    store_document(empty, name, evidence_id=new)
    console = open_console(empty)
    listed = console.get("/documents").text
    address = listed.split('class="clamp" href="')[1].split('"')[0]
    page = console.get(address).text
    assert "Act on Fees" in page and "its facts were extracted" in page
    assert f'/evidence/{old}?quote=4-19"' in page and "/runs/run_1" in page
    assert "/versions?a=1&amp;b=2" in page
    assert 'rel="noreferrer noopener"' in page
    changes = console.get(f"{address}/versions").text
    assert "The fee is <del>8.15</del> EUR." in changes
    assert "The fee is <ins>7.90</ins> EUR." in changes
    assert "1 line of 1 changed." in changes


def test_unchanged_lines_are_folded_and_can_be_unfolded(empty: App) -> None:
    lines = [f"Line {number}." for number in range(40)]
    store_version(empty, "\n".join(lines).encode())
    lines[20] = "Another line."
    last = store_version(empty, "\n".join(lines).encode(), at_ms=AT_MS + 1)
    store_document(empty, evidence_id=last)
    page = open_console(empty).get("/documents/do_act/versions").text
    assert page.count('<details class="fold">') == 2
    assert "17 unchanged lines" in page and "16 unchanged lines" in page
    folded = page.split('<details class="fold">')[1].split("</details>")[0]
    assert "Line 0." in folded and "Line 17." not in folded


def test_a_long_comparison_goes_on_on_the_next_page(empty: App) -> None:
    old = [f"Line {number} of old." for number in range(3000)]
    store_version(empty, "\n".join(old).encode())
    new = [line.replace("old", "new") for line in old]
    last = store_version(empty, "\n".join(new).encode(), at_ms=AT_MS + 1)
    store_document(empty, evidence_id=last)
    console = open_console(empty)
    first = console.get("/documents/do_act/versions").text
    link = first.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    second = console.get(link).text
    assert first.count("<tr>") + second.count("<tr>") == 3000 + 2
    assert "Line 2999 of" in second and 'rel="next"' not in second


def test_only_one_version_is_no_comparison(empty: App) -> None:
    only = store_version(empty, b"The fee is 8.15 EUR.")
    store_document(empty, evidence_id=only)
    answer = open_console(empty).get("/documents/do_act/versions")
    assert answer.status_code == 404 and "only one version" in answer.text
