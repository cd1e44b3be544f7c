"""The pages of the library: the board, search, and what is known about a work."""

from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from assay.app import App
from assay.app.principals import Role
from assay.model.records import Artifact, Evidence, IngestCandidate, ReviewRequest
from assay.model.storage import Record
from assay.packs.literature.matches import build_match_request
from assay.packs.literature.records import FullText, ReferenceList, WorkId, WorkReference
from assay.packs.literature.searching import rebuild_index
from assay.packs.literature.vectors import DEFAULT_EMBEDDER
from assay.sdk.records import canonical_json
from assay.store.upserts import upsert_records
from tests.conftest import quick_settings
from tests.console.conftest import open_console

ICE, BELLS, LEVY = "arxiv:2601.00001", "doi:10.5555/bells/2", "url:abc"
EVIL = "<img src=x onerror=alert(1)>"
TEXT = "1 Introduction\n\nIce closed the harbour on forty days.\n\n2 Results\n\nThe pilots counted."


def build_entry(doc_id: str, title: str, *, citing: str = "") -> WorkReference:
    return WorkReference(
        reference_id=f"r_{doc_id}_{citing}", list_id="reading", kind="item", doc_id=doc_id,
        citing=citing, ids=[doc_id], urls=["javascript:alert(1)"], title=title, venue="",
        authors=["Ana Kovač", "Ben Okri", "Cy Day", "Di Eve"], year=2026, evidence_id="ev_list",
        start=4, end=9,
    )  # fmt: skip


def list_works(app: App) -> list[Record]:
    """Three works: one with a text that cites another, one that waits, and one that failed."""
    passages = canonical_json([[16, 53, 3, "1 Introduction"], [66, 85, 4, "2 Results"]])
    vectors = b"".join(
        DEFAULT_EMBEDDER.embed_text(words) for words in ("Ice", TEXT[16:53], TEXT[66:85])
    )
    return [
        ReferenceList(list_id="reading", kind="item", url="http://lists.test/a.md"),
        *(WorkId(id=each, doc_id=each) for each in (ICE, BELLS, LEVY)),
        WorkId(id="doi:10.5555/ice", doc_id=ICE),
        build_entry(ICE, "Counting harbour ice"),
        build_entry(BELLS, f"Bells {EVIL}"),
        build_entry(LEVY, ""),
        build_entry(BELLS, "Bells", citing=ICE),
        build_entry("doi:10.5555/unknown", "Unknown", citing=ICE),
        IngestCandidate(doc_id=ICE, state="ingested", evidence_id="ev_ice", updated_ms=3),
        IngestCandidate(doc_id=BELLS, state="blocked", last_error="HTTP 503", updated_ms=2),
        IngestCandidate(doc_id=LEVY, state="failed", last_error=EVIL, updated_ms=1),
        # A document of another pack, which is no work.
        IngestCandidate(doc_id="url:law", state="failed", last_error="not ours"),
        Evidence(
            evidence_id="ev_ice",
            url="http://a.test/ice",
            content_hash="c",
            doc_id=ICE,
            source_slug="reading",
            content_type="text/plain",
            size=1,
        ),
        Artifact(
            artifact_id="ar_ice",
            evidence_id="ev_ice",
            kind="text",
            content_hash=app.blobs.put(TEXT.encode()),
            length=len(TEXT),
        ),
        FullText(
            doc_id=ICE,
            evidence_id="ev_ice",
            artifact_id="ar_ice",
            text_hash="t",
            passages_hash=app.blobs.put(passages),
            vectors_hash=app.blobs.put(vectors),
            embedder=DEFAULT_EMBEDDER.name,
            passages=2,
            pages=4,
        ),
    ]


@pytest.fixture
def library(home: Path, make_app: Callable[..., App]) -> App:
    app: App = make_app(quick_settings(home))
    store(app, *list_works(app))
    return app


def store(app: App, *records: Record) -> None:
    with app.engine.begin() as connection:
        upsert_records(connection, records)


def read_page(app: App, path: str, status: int = 200, /, **query: str) -> str:
    answer = open_console(app, "ivo", Role.READER).get(path, params=query)
    assert answer.status_code == status, answer.text
    return " ".join(answer.text.split())


def test_the_board_shows_each_work_in_the_column_of_its_state(library: App) -> None:
    page = read_page(library, "/literature/library")
    assert "3 works from 1 list" in page and "not ours" not in page
    columns = {part.split(" <span")[0]: part for part in page.split("<h2>")[1:]}
    assert list(columns) == ["Read", "Waiting", "Failed"]
    assert "Counting harbour ice" in columns["Read"] and "and 1 more" in columns["Read"]
    assert "HTTP 503" in columns["Waiting"]
    # A work without a title is called by its id.
    assert '<a href="/literature/works/url%3Aabc">url:abc</a>' in columns["Failed"]


def test_a_state_can_be_shown_alone_and_leads_on(library: App) -> None:
    many = range(30)
    store(library, *(WorkId(id=f"arxiv:{n}", doc_id=f"arxiv:{n}") for n in many))
    store(library, *(IngestCandidate(doc_id=f"arxiv:{n}", state="discovered") for n in many))
    board = read_page(library, "/literature/library")
    assert '<a href="?state=discovered">All 30</a>' in board
    alone = read_page(library, "/literature/library", state="discovered")
    assert alone.count('class="work-card"') == 30 and "HTTP 503" not in alone
    assert "No state has that name." in read_page(library, "/literature/library", state="x")


def test_doubtful_matches_lead_to_the_person_who_decides(library: App) -> None:
    request: ReviewRequest = build_match_request(ICE, LEVY, f"the titles agree {EVIL}", 1)
    store(library, request)
    for path in ("/literature/library", f"/literature/works/{ICE}"):
        page = read_page(library, path)
        assert f'href="/review/{request.request_id}"' in page and EVIL not in page
    assert request.request_id not in read_page(library, f"/literature/works/{BELLS}")


def test_a_search_finds_passages_and_leads_to_their_place(library: App) -> None:
    rebuild_index(library.services)
    page = read_page(library, "/literature/library", q="harbour forty days")
    assert "Counting harbour ice" in page and f"/literature/works/{ICE.replace(':', '%3A')}" in page
    assert "/evidence/ev_ice?quote=16-53" in page and "page 3" in page
    nothing = read_page(library, "/literature/library", q='"\x00 zzqq NEAR( *')
    assert "Nothing in the library matches." in nothing


def test_a_work_shows_what_it_cites_and_its_text(library: App) -> None:
    page = read_page(library, f"/literature/works/{ICE}")
    assert "doi:10.5555/ice" in page and "Di Eve" in page
    assert "/evidence/ev_list?quote=4-9" in page and "/evidence/ev_ice?quote=66-85" in page
    assert f"/literature/works/{BELLS.replace(':', '%3A')}" in page
    assert "1 that the library does not have" in page and "doi:10.5555/unknown" in page
    assert "@misc" in page or "@article" in page
    cited = read_page(library, f"/literature/works/{BELLS}")
    assert "Counting harbour ice" in cited.split("Cited by")[1]


def test_every_id_of_a_work_leads_to_it_and_no_other_does(library: App) -> None:
    assert "Counting harbour ice" in read_page(library, "/literature/works/doi:10.5555/ice")
    assert "has no work" in read_page(library, "/literature/works/doi:10.1/none", 404)


def test_hostile_titles_and_addresses_are_only_words(library: App) -> None:
    for path in ("/literature/library", f"/literature/works/{BELLS}"):
        page = read_page(library, path)
        assert EVIL not in page and 'href="javascript:' not in page
        assert f"Bells {EVIL}" in unescape(page)


def test_a_lost_text_does_not_hide_the_work(library: App) -> None:
    (text,) = library.services.read_records(FullText, doc_id=ICE)
    store(library, text.model_copy(update={"passages_hash": "0" * 64}))
    page = read_page(library, f"/literature/works/{ICE}")
    assert "Counting harbour ice" in page and "Passages" not in page


def test_an_empty_library_says_how_to_fill_it(home: Path, make_app: Callable[..., App]) -> None:
    page = read_page(make_app(quick_settings(home)), "/literature/library")
    assert "The library is empty." in page and "assay literature add" in page
