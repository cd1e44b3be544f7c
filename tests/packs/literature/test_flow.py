"""From a list on the web to works with texts that can be searched and cited."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from assay.app import App
from assay.model.records import IngestCandidate
from assay.packs.literature.corpus import plan_discovery
from assay.packs.literature.index import SearchFilters
from assay.packs.literature.records import (
    FullText,
    WorkId,
    WorkReference,
    WorkResolution,
)
from assay.packs.literature.searching import share_index
from assay.packs.literature.works import load_works
from assay.settings import Settings
from assay.store import tables as t
from tests.packs.literature.library import (
    Corpus,
    Library,
    make_work,
    opening_corpus,
    write_list,
    write_paper,
)
from tests.spine.sites import Workplace

BOTH = make_work(1, "arxiv", "doi")
PUBLISHED = make_work(2, "doi", pdf_urls=("http://papers.test/2.pdf",))
CLOSED = make_work(3, "doi")


@pytest.fixture
def corpus(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[Corpus]:
    world = Library(works=(BOTH, PUBLISHED, CLOSED))
    world.pages = {
        "lists.test/reading.md": write_list(
            f"[{BOTH.title}](https://arxiv.org/abs/2401.00001)",
            f"[{BOTH.title}](https://doi.org/10.5555/W1) Journal of Vedrine Studies",
            f"[{PUBLISHED.title}](https://doi.org/10.5555/w2)",
            f"{CLOSED.title}, Ana Kovač and Ben Okri, {CLOSED.year}",
        ),
        "arxiv.org/pdf/2401.00001v2": write_paper(BOTH),
        "papers.test/2.pdf": write_paper(PUBLISHED),
    }
    with opening_corpus(make_app, settings, shared_workplace, world) as made:
        made.add("reading")
        yield made


def find_states(corpus: Corpus) -> dict[str, str]:
    ids = {row.id for row in corpus.read(WorkId)}
    return {row.doc_id: row.state for row in corpus.read(IngestCandidate) if row.doc_id in ids}


def test_a_list_becomes_works_with_texts(corpus: Corpus) -> None:
    corpus.work(plan_discovery)
    assert not corpus.watch.dead()
    assert len(corpus.read(WorkReference)) >= 3
    states = find_states(corpus)
    assert states["arxiv:2401.00001"] == "ingested"
    assert states["doi:10.5555/w1"] == "resolved"
    assert states["doi:10.5555/w2"] == "ingested"
    assert {text.doc_id for text in corpus.read(FullText)} == {
        "arxiv:2401.00001",
        "doi:10.5555/w2",
    }
    works = load_works(corpus.watch.app.services, ["doi:10.5555/w1"])
    assert [work.doc_id for work in works] == ["arxiv:2401.00001"]
    assert works[0].title == BOTH.title and works[0].has_text


def test_a_paper_given_as_a_file_is_the_work_that_its_first_page_names(
    corpus: Corpus, tmp_path: Path
) -> None:
    first_page = write_paper(BOTH).replace(b"Abstract", b"arXiv:2401.00001v2\n\nAbstract", 1)
    file = tmp_path / "paper.txt"
    file.write_bytes(first_page)
    corpus.watch.app.services.add_documents([file], pack="literature")
    corpus.watch.drain()
    works = load_works(corpus.watch.app.services, ["arxiv:2401.00001"])
    assert [work.has_text for work in works] == [True]
    assert works[0].venue == BOTH.venue, "services were asked about it"
    states = find_states(corpus)
    (given,) = [each for each in states if each.startswith("url:")]
    assert (states[given], states["arxiv:2401.00001"]) == ("resolved", "ingested")
    # Another version of the file is taken in, although its document is an alias by now.
    file.write_bytes(first_page + b"\nThe harbour froze again in the spring of 2026.\n")
    corpus.watch.app.services.add_documents([file], pack="literature")
    corpus.watch.drain()
    assert not corpus.watch.dead()
    (text,) = [row for row in corpus.read(FullText) if row.doc_id == given]
    assert find_states(corpus)[given] == "resolved"
    assert text.evidence_id in {row["evidence_id"] for row in corpus.watch.rows(t.evidence)}
    assert len({row["evidence_id"] for row in corpus.watch.rows(t.evidence, doc_id=given)}) == 2


def test_a_blocked_paper_is_ingested_when_its_file_is_given_and_names_another_id(
    corpus: Corpus, tmp_path: Path
) -> None:
    unknown = make_work(9, "arxiv", "doi")
    corpus.world.pages["lists.test/reading.md"] = write_list(
        f"[{unknown.title}](https://arxiv.org/abs/2401.00009)"
    )
    corpus.work(plan_discovery)
    assert find_states(corpus) == {"arxiv:2401.00009": "blocked"}
    named = b"arXiv:2401.00009\n\ndoi:10.5555/w9\n\nAbstract"
    file = tmp_path / "paper.txt"
    file.write_bytes(write_paper(unknown).replace(b"Abstract", named, 1))
    corpus.watch.app.services.add_documents([file], pack="literature")
    corpus.watch.drain()
    states = find_states(corpus)
    assert states["arxiv:2401.00009"] == "ingested"
    assert states["doi:10.5555/w9"] == "resolved"
    assert {row.doc_id for row in corpus.read(WorkResolution)} >= {"doi:10.5555/w9"}


def test_a_work_that_a_second_list_names_is_found_among_the_works_of_both(corpus: Corpus) -> None:
    entry = f"[{BOTH.title}](https://arxiv.org/abs/2401.00001)"
    corpus.world.pages["lists.test/second.md"] = write_list(entry)
    corpus.work(plan_discovery)
    corpus.add("second", "http://lists.test/second.md")
    corpus.work(partial(plan_discovery, list_id="second"))
    index = corpus.watch.app.services.share(share_index).index
    for source in ("reading", "second"):
        hits = index.search(BOTH.title, filters=SearchFilters(source=source))
        assert "arxiv:2401.00001" in {hit.doc_id for hit in hits}, source
