"""What goes wrong is reported once, bounded, and stops nothing else."""

from collections.abc import Callable, Iterator

import pytest

from assay.app import App
from assay.model.records import IngestCandidate, ReviewRequest
from assay.packs.literature.corpus import plan_discovery, plan_resolution
from assay.packs.literature.listed import ListKind
from assay.packs.literature.matches import decide_match
from assay.packs.literature.records import (
    FullText,
    IdentityDecision,
    WorkId,
    WorkReference,
    WorkResolution,
)
from assay.packs.literature.works import load_works
from assay.settings import Settings
from assay.store.upserts import upsert_records
from tests.packs.literature.library import (
    Corpus,
    Library,
    make_work,
    opening_corpus,
    write_list,
    write_paper,
)
from tests.spine.sites import Workplace

OPEN = make_work(1, "arxiv")
CLOSED = make_work(3, "doi")
DAYS = 15


@pytest.fixture
def world() -> Library:
    made = Library(works=(OPEN, CLOSED))
    made.pages = {
        "lists.test/reading.md": write_list(
            f"[{OPEN.title}](https://arxiv.org/abs/2401.00001)",
            f"[{CLOSED.title}](https://doi.org/10.5555/w3)",
        ),
        "arxiv.org/pdf/2401.00001v2": write_paper(OPEN),
    }
    return made


@pytest.fixture
def corpus(
    make_app: Callable[..., App],
    settings: Settings,
    shared_workplace: Workplace,
    world: Library,
) -> Iterator[Corpus]:
    with opening_corpus(make_app, settings, shared_workplace, world) as made:
        made.add("reading")
        yield made


def find_candidate(corpus: Corpus, doc_id: str) -> IngestCandidate:
    (found,) = [row for row in corpus.read(IngestCandidate) if row.doc_id == doc_id]
    assert isinstance(found, IngestCandidate)
    return found


def test_a_work_without_text_is_blocked_tried_again_and_given_up_in_the_end(
    corpus: Corpus,
) -> None:
    corpus.work(plan_discovery)
    first = find_candidate(corpus, "doi:10.5555/w3")
    assert (first.state, first.retry_count) == ("blocked", 1)
    assert first.last_error == "no open full text is known"
    assert first.next_retry_unix is not None
    corpus.work(plan_resolution)
    assert find_candidate(corpus, "doi:10.5555/w3").retry_count == 1, "it was not due"
    states = []
    for _ in range(6):
        corpus.watch.clock.turn(seconds=DAYS * 86_400)
        corpus.work(plan_resolution)
        found = find_candidate(corpus, "doi:10.5555/w3")
        states.append((found.state, found.retry_count))
    assert states == [
        ("blocked", 2), ("blocked", 3), ("blocked", 4), ("blocked", 5), ("failed", 6),
        ("failed", 6),
    ]  # fmt: skip
    assert find_candidate(corpus, "arxiv:2401.00001").state == "ingested"
    assert not corpus.watch.dead()


def test_a_text_that_appears_later_is_taken_in(corpus: Corpus, world: Library) -> None:
    corpus.work(plan_discovery)
    later = CLOSED.model_copy(update={"pdf_urls": ("http://papers.test/3.pdf",)})
    world.works = (OPEN, later)
    world.pages["papers.test/3.pdf"] = write_paper(later)
    corpus.watch.clock.turn(seconds=DAYS * 86_400)
    corpus.work(plan_resolution)
    assert find_candidate(corpus, "doi:10.5555/w3").state == "ingested"


def test_a_service_that_is_down_blocks_works_until_it_is_back(
    corpus: Corpus, world: Library
) -> None:
    world.fault = 500
    corpus.work(plan_discovery)
    found = find_candidate(corpus, "doi:10.5555/w3")
    assert (found.state, found.retry_count) == ("blocked", 1)
    assert "500" in (found.last_error or "")
    world.fault = 0
    corpus.watch.clock.turn(seconds=2 * 3600)
    corpus.work(plan_resolution)
    assert find_candidate(corpus, "arxiv:2401.00001").state == "ingested"
    assert find_candidate(corpus, "doi:10.5555/w3").last_error == "no open full text is known"
    assert not corpus.watch.dead()


def test_a_service_that_answers_with_a_different_work_is_not_believed(
    corpus: Corpus, world: Library
) -> None:
    world.instead = {"doi:10.5555/w3": make_work(9, "doi")}
    corpus.work(plan_discovery)
    (resolution,) = [r for r in corpus.read(WorkResolution) if r.doc_id == "doi:10.5555/w3"]
    assert resolution.status == "unresolved"
    assert "doi:10.5555/w9" not in {row.id for row in corpus.read(WorkId)}
    assert find_candidate(corpus, "doi:10.5555/w3").state == "blocked"
    assert find_candidate(corpus, "arxiv:2401.00001").state == "ingested"


def test_a_page_without_text_is_never_ingested(corpus: Corpus, world: Library) -> None:
    world.pages["arxiv.org/pdf/2401.00001v2"] = b"Withdrawn."
    corpus.work(plan_discovery)
    found = find_candidate(corpus, "arxiv:2401.00001")
    assert found.state in ("blocked", "skipped")
    assert corpus.read(FullText) == []


def test_titles_with_control_characters_and_hostile_ids_are_stored_clean(
    corpus: Corpus, world: Library
) -> None:
    world.pages["lists.test/reading.md"] = (
        "# List\n\n- [On \x00bells\x1b[31m and \u202eclocks](https://arxiv.org/abs/2401.00001)\n"
        "- [Bobby](https://doi.org/10.5555/w3'%3B%20DROP%20TABLE%20documents)\n"
    ).encode()
    corpus.work(plan_discovery)
    assert not corpus.watch.dead()
    titles = [row.title for row in corpus.read(WorkReference)]
    assert titles and all(title.isprintable() for title in titles)
    assert find_candidate(corpus, "arxiv:2401.00001").state == "ingested"


def test_a_list_that_cannot_be_read_is_blocked_and_the_others_go_on(
    corpus: Corpus, world: Library
) -> None:
    world.pages["lists.test/empty.md"] = b"# Nothing here\n\nNo papers at all.\n"
    corpus.add("empty", "http://lists.test/empty.md")
    corpus.work(plan_discovery)
    blocked = [c.last_error for c in corpus.read(IngestCandidate) if c.state == "blocked"]
    assert any("the list has no references" in (error or "") for error in blocked)
    assert find_candidate(corpus, "arxiv:2401.00001").state == "ingested"


def test_what_a_person_decides_about_two_ids_stands(corpus: Corpus, world: Library) -> None:
    twin = make_work(2, "arxiv")
    world.works = (*world.works, twin)
    world.pages["arxiv.org/pdf/2401.00002v2"] = write_paper(twin)
    entries = [
        "@article{a, title={One}, eprint={2401.00001}, doi={10.5555/w3}}\n",
        "@article{b, title={Two}, eprint={2401.00002}, doi={10.5555/w3}}\n",
    ]
    world.pages["lists.test/all.bib"] = "".join(entries).encode()
    corpus.add("bib", "http://lists.test/all.bib", kind=ListKind.BIBTEX)
    corpus.work(plan_discovery)
    (request,) = corpus.read(ReviewRequest)
    assert request.subject == "arxiv:2401.00001 = doi:10.5555/w3" and request.state == "OPEN"
    disputed = {row.id: row for row in corpus.read(WorkId)}["doi:10.5555/w3"]
    assert disputed.is_disputed and disputed.doc_id == "arxiv:2401.00001"
    answer = decide_match(request, "different")
    with corpus.watch.app.engine.begin() as connection:
        upsert_records(connection, list(answer.records))
    corpus.work(lambda _: [(job.stage, job.payload) for job in answer.next])
    decided = {row.id: row for row in corpus.read(WorkId)}["doi:10.5555/w3"]
    assert (decided.doc_id, decided.is_disputed) == ("arxiv:2401.00002", False)
    corpus.work(plan_discovery, plan_resolution)
    (kept,) = corpus.read(IdentityDecision)
    assert not kept.is_same
    works = load_works(corpus.watch.app.services, ["doi:10.5555/w3"])
    assert [work.doc_id for work in works] == ["arxiv:2401.00002"]
