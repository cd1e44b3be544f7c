"""A long list is read job by job: killed, repeated or broken in one place, nothing is lost."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from assay.app import App, runs
from assay.app.job_admin import retry_jobs
from assay.errors import ContentHostile
from assay.model.records import IngestCandidate
from assay.packs.literature import corpus as planning
from assay.packs.literature.jobs import LIST_STAGE, PIECE_STAGE, RECORD_STAGE, WorksJob
from assay.packs.literature.listed import ListKind, ListPiece, PiecePlace
from assay.packs.literature.lists import parse_list
from assay.packs.literature.records import WorkId, WorkReference
from assay.packs.literature.stages import list as list_stage
from assay.sdk.services import Services
from assay.settings import Settings
from assay.store import tables as t
from tests.engine.hand import open_batches
from tests.packs.literature.library import Corpus, Library, opening_corpus, write_list
from tests.spine.sites import Workplace

POINTS = ("batch.after_work", "commit.after_jobs", "commit.before_commit", "commit.after")
STAGES = ("sentinel", LIST_STAGE, PIECE_STAGE, RECORD_STAGE)
ENTRIES = [f"[On boats of wäx, part {n}](https://arxiv.org/abs/2401.{n:05})" for n in range(1, 80)]
LIST = write_list(*ENTRIES)


@pytest.fixture
def corpus(
    make_app: Callable[..., App],
    settings: Settings,
    shared_workplace: Workplace,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Corpus]:
    monkeypatch.setattr(list_stage, "WINDOW_BYTES", 2_000)
    world = Library(pages={"lists.test/reading.md": LIST})
    with opening_corpus(make_app, settings, shared_workplace, world) as made:
        made.add("reading")
        yield made


class _Deaths:
    """Dies once at each point of each batch."""

    def __init__(self) -> None:
        self.points: list[str] = []

    def reach(self, point: str) -> None:
        if self.points and point == self.points[0]:
            self.points.pop(0)
            raise SystemExit


def read_lists(corpus: Corpus, deaths: _Deaths | None = None) -> None:
    """A run up to the recorded references; what follows from them is left waiting."""
    runs.start_run(corpus.watch.app, first=planning.plan_discovery(corpus.watch.app.services))
    finish_reading(corpus, deaths)


def finish_reading(corpus: Corpus, deaths: _Deaths | None = None) -> None:
    runner = corpus.watch.runner
    if deaths is not None:
        runner._committer = corpus.watch.app.make_committer()
        runner._committer._faults = runner._faults = deaths
    while batches := [each for each in open_batches(corpus.watch.app) if each[1] in STAGES]:
        for batch, stage in batches:
            if deaths is not None and stage != "sentinel":
                deaths.points = [*POINTS]
            for _ in POINTS:
                with suppress(SystemExit):
                    runner.run(batch, stage)


def list_places(corpus: Corpus) -> list[tuple[Any, ...]]:
    rows = corpus.read(WorkReference)
    return sorted((row.start, row.end, row.section, *row.ids) for row in rows)


def expect_places() -> list[tuple[Any, ...]]:
    references = parse_list(LIST, ListKind.AWESOME).references
    return sorted((each.start, each.end, each.section, *each.ids) for each in references)


def find_list(corpus: Corpus) -> IngestCandidate:
    (found,) = [row for row in corpus.read(IngestCandidate) if row.doc_id.startswith("url:")]
    assert isinstance(found, IngestCandidate)
    return found


def test_a_list_read_in_pieces_that_are_killed_is_complete(corpus: Corpus) -> None:
    read_lists(corpus, _Deaths())
    assert not corpus.watch.dead()
    assert len(corpus.watch.notes(PIECE_STAGE)) > 3
    assert list_places(corpus) == expect_places()
    assert find_list(corpus).state == "ingested"


def test_a_list_that_has_not_changed_is_not_read_again(corpus: Corpus) -> None:
    read_lists(corpus)
    before = len(corpus.watch.notes(PIECE_STAGE))
    read_lists(corpus)
    assert len(corpus.watch.notes(PIECE_STAGE)) == before
    corpus.world.pages["lists.test/reading.md"] = write_list(
        "[New](https://arxiv.org/abs/2402.00001)", *ENTRIES
    )
    read_lists(corpus)
    assert len(corpus.read(WorkReference)) == len(ENTRIES) + 1
    notes = corpus.watch.notes(RECORD_STAGE)
    assert notes.count("unchanged") > notes.count("done") / 2


def test_a_piece_that_cannot_be_read_is_reported_and_the_others_are_read(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list_stage._ListReading.read
    broken: set[int] = set()

    async def read_most(reading: Any, at: PiecePlace) -> ListPiece:
        if at.start and (not broken or at.start in broken):
            broken.add(at.start)
            raise ContentHostile("Reading it takes more than 60 s.")
        return await read(reading, at)

    with monkeypatch.context() as patched:
        patched.setattr(list_stage._ListReading, "read", read_most)
        read_lists(corpus)
    assert [message.partition(".")[0] for message in corpus.watch.dead()] == [
        "Reading it takes more than 60 s"
    ]
    assert len(ENTRIES) / 2 < len(corpus.read(WorkReference)) < len(ENTRIES)
    assert find_list(corpus).state == "ingested"
    letters = [row["job_id"] for row in corpus.watch.rows(t.dead_letter)]
    retry_jobs(corpus.watch.app, letters)
    finish_reading(corpus)
    assert not corpus.watch.dead()
    assert list_places(corpus) == expect_places()


def test_a_long_list_that_can_only_be_read_whole_says_what_to_do(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read_nothing(_reading: Any, _at: PiecePlace) -> ListPiece:
        raise ContentHostile("Reading it takes more than 60 s.")

    monkeypatch.setattr(list_stage._ListReading, "read", read_nothing)
    read_lists(corpus)
    [message] = corpus.watch.dead()
    assert "Divide a long list of another format into several files" in message
    assert find_list(corpus).state == "blocked"


def test_a_large_corpus_is_counted_and_planned_page_by_page(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [f"arxiv:2401.{n:05}" for n in range(7)]
    corpus.watch.store(
        *(WorkId(id=each, doc_id=each) for each in ids),
        WorkId(id="doi:10.5555/1", doc_id=ids[0]),
        *(IngestCandidate(doc_id=each, state="discovered") for each in [*ids, "url:of/others"]),
    )
    services = corpus.watch.app.services
    monkeypatch.setattr(planning, "_PAGE", 2)
    counts = planning.count_corpus(services)
    assert (counts["works"], counts["ids"], counts["states"]) == (7, 8, {"discovered": 7})
    assert list_asked(services) == {*ids, "doi:10.5555/1"}
    monkeypatch.setattr(planning, "_MOST_WORKS", 3)
    assert len(list_asked(services)) == 3


def list_asked(services: Services) -> set[str]:
    planned = planning.plan_resolution(services)
    return {each for _, job in planned if isinstance(job, WorksJob) for each in job.doc_ids}
