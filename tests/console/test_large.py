"""The large store, in little: what the pages are measured with is a store like any other."""

from assay.app import App
from assay.app.documents import DocumentFilter, list_documents
from assay.app.status import collect_status
from assay.governor.accounts import find_meter_mismatches
from assay.llm.admission import day_of
from tests.console.large import fill_store
from tests.console.large_plan import SMALL


def test_a_filled_store_has_what_its_size_says_and_books_that_agree(empty: App) -> None:
    fill_store(empty, SMALL)
    status = collect_status(empty)
    assert (status["facts"], status["documents"]) == (SMALL.facts, SMALL.documents)
    assert sum(status["open_questions"].values()) == SMALL.questions
    assert status["dead_letters"] == SMALL.dead
    assert list_documents(empty, DocumentFilter(), 3).documents[0]["doc_id"]
    assert find_meter_mismatches(empty.engine, day_of(empty.clock.now_ms())) == []
