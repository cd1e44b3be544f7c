"""The search index: what is found, on both databases, and what survives."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.errors import InvalidInput
from assay.packs.literature.index import (
    IndexedPassage,
    IndexedWork,
    LiteratureIndex,
    SearchFilters,
    SearchMode,
    embed_work,
    memory,
    open_index,
    search_works,
)
from assay.packs.literature.index.entries import fuse_scores
from assay.packs.literature.index.postgres import PostgresIndexDatabase
from assay.packs.literature.vectors import DEFAULT_EMBEDDER, Embedder, LetterEmbedder
from assay.store.database import open_engine

SPLATTING = IndexedWork(
    doc_id="arxiv:2308.04079",
    title="3D Gaussian Splatting for Real-Time Radiance Field Rendering",
    abstract="Radiance field methods have revolutionised novel-view synthesis of scenes.",
    authors=("Bernhard Kerbl", "Georgios Kopanas"),
    year=2023,
    venue="ACM Transactions on Graphics",
    sources=("awesome-3dgs",),
    tiers=("A",),
    passages=(
        IndexedPassage(
            text="Anisotropic covariance is optimised together with opacity.",
            start=900,
            end=958,
            page=4,
            section="4 Optimisation",
            artifact_id="ar_1",
        ),
    ),
)
STATINS = IndexedWork(
    doc_id="doi:10.1000/statins",
    title="Statins and survival after breast cancer",
    abstract="A nationwide cohort of patients in Finland who took statins.",
    authors=("Teemu Murtola", "Ülle Jänes"),
    year=2014,
    venue="PLoS ONE",
    sources=("pubmed",),
    tiers=("B",),
)
VACCINES = IndexedWork(
    doc_id="doi:10.1000/vaccines",
    title="Immunisation of infants",
    abstract="Schedules of vaccination in the first year of life.",
    year=2019,
    venue="Vaccine",
    sources=("pubmed", "zotero"),
)
WORKS = (SPLATTING, STATINS, VACCINES)


class Opener:
    """Opens the index of one home as often as a test wants, and closes everything afterwards."""

    def __init__(self, url: str | None, home: Path) -> None:
        home.mkdir()
        self.home = home
        self._engine = open_engine(url or f"sqlite:///{home / 'store.db'}")
        self._opened: list[LiteratureIndex] = []

    def __call__(self, embedder: Embedder = DEFAULT_EMBEDDER) -> LiteratureIndex:
        services = cast("Any", SimpleNamespace(engine=self._engine, home=self.home))
        self._opened.append(open_index(services, embedder))
        return self._opened[-1]

    def close(self) -> None:
        for opened in self._opened:
            opened.close()
        self._engine.dispose()


@pytest.fixture
def opener(database_url: str | None, home: Path) -> Iterator[Opener]:
    opened = Opener(database_url, home)
    yield opened
    opened.close()


@pytest.fixture
def index(opener: Opener) -> LiteratureIndex:
    return opener()


@pytest.fixture
def in_file(home: Path) -> Iterator[Opener]:
    """The index of a home with SQLite."""
    opened = Opener(None, home)
    yield opened
    opened.close()


async def fill(index: LiteratureIndex, works: tuple[IndexedWork, ...] = WORKS) -> None:
    index.update([await embed_work(work, index.embedder) for work in works], state="day 1")


async def find(index: LiteratureIndex, query: str, **given: Any) -> list[str]:
    return [hit.doc_id for hit in await search_works(index, query, **given)]


async def test_a_work_is_found_by_its_title_its_abstract_and_its_text(
    index: LiteratureIndex,
) -> None:
    await fill(index)
    for mode in SearchMode:
        for query in ("gaussian splatting", "synthesis of novel views", "covariance and opacity"):
            assert (await find(index, query, mode=mode))[0] == SPLATTING.doc_id
        assert (await find(index, "statin survival Finland", mode=mode))[0] == STATINS.doc_id


async def test_a_hit_says_where_its_words_are(index: LiteratureIndex) -> None:
    await fill(index)
    best = (await search_works(index, "anisotropic covariance"))[0]
    passage = best.passages[0]
    assert (passage.page, passage.start, passage.end) == (4, 900, 958)
    assert (passage.section, passage.artifact_id) == ("4 Optimisation", "ar_1")
    assert passage.text == SPLATTING.passages[0].text
    assert best.title == SPLATTING.title and best.score == passage.score


async def test_vectors_find_a_word_that_is_spelt_differently(index: LiteratureIndex) -> None:
    await fill(index)
    assert await find(index, "immunised", mode=SearchMode.TEXT) == [VACCINES.doc_id]
    assert await find(index, "immunizations", mode=SearchMode.TEXT) == []
    assert (await find(index, "immunizations"))[0] == VACCINES.doc_id


async def test_filters_leave_out_other_works(index: LiteratureIndex) -> None:
    await fill(index)
    query = "rendering of radiance fields, statins, vaccination"
    for filters, expected in (
        (SearchFilters(venue="plos one"), {STATINS.doc_id}),
        (SearchFilters(venue="PLoS"), set()),
        (SearchFilters(year_from=2015), {SPLATTING.doc_id, VACCINES.doc_id}),
        (SearchFilters(year_from=2014, year_to=2019), {STATINS.doc_id, VACCINES.doc_id}),
        (SearchFilters(author="janes"), {STATINS.doc_id}),
        (SearchFilters(author="Kerbl, Bernhard"), {SPLATTING.doc_id}),
        (SearchFilters(author="ker"), set()),
        (SearchFilters(author="%"), set()),
        (SearchFilters(source="pubmed"), {STATINS.doc_id, VACCINES.doc_id}),
        (SearchFilters(source="pubmed", tier="b"), {STATINS.doc_id}),
        (SearchFilters(tier="'; DROP TABLE works"), set()),
    ):
        for mode in SearchMode:
            assert set(await find(index, query, mode=mode, filters=filters)) == expected


async def test_a_query_may_contain_any_characters(index: LiteratureIndex) -> None:
    await fill(index)
    for query in (
        '"statins', "statins* OR (", "statins NEAR/3", "title:statins AND", "statins' --",
        "{statins}", "statins\x00", "\ud800 statins", "^statins + -", "STATINS & | ! <->",
        "statins " * 5000,
    ):  # fmt: skip
        assert (await find(index, query))[0] == STATINS.doc_id


async def test_a_query_without_words_is_refused(index: LiteratureIndex) -> None:
    await fill(index)
    for query in ("", "   ", "…?!", "\x00", '"""', "\u200b"):
        with pytest.raises(InvalidInput, match="no words"):
            await search_works(index, query)


async def test_a_query_of_stop_words_finds_only_what_has_them(index: LiteratureIndex) -> None:
    await fill(index)
    assert set(await find(index, "to be or not to be")) <= {work.doc_id for work in WORKS}
    assert await find(index, "zzzzqqqq", mode=SearchMode.TEXT) == []


async def test_an_update_replaces_a_work_and_repeating_it_changes_nothing(
    index: LiteratureIndex,
) -> None:
    await fill(index)
    works = [await embed_work(work, index.embedder) for work in WORKS]
    assert index.update(works) == 0
    before = await search_works(index, "statins vaccination rendering")
    changed = replace(STATINS, abstract="Cholesterol in Denmark.", vector=b"")
    assert index.update([await embed_work(changed, index.embedder)]) == 1
    assert index.count_works() == 3
    assert await find(index, "Finland", mode=SearchMode.TEXT) == []
    assert await find(index, "cholesterol", mode=SearchMode.TEXT) == [STATINS.doc_id]
    assert index.update(works) == 1
    assert await search_works(index, "statins vaccination rendering") == before


async def test_the_order_in_which_works_arrive_makes_no_difference(index: LiteratureIndex) -> None:
    twin = replace(STATINS, doc_id="doi:10.1000/again")
    await fill(index, (twin, *WORKS))
    first = await search_works(index, "statins in patients")
    index.rebuild([await embed_work(work, index.embedder) for work in (*reversed(WORKS), twin)])
    assert await search_works(index, "statins in patients") == first
    assert [hit.doc_id for hit in first][:2] == [twin.doc_id, STATINS.doc_id]


async def test_the_state_is_stored_with_the_works_or_not_at_all(
    opener: Opener, index: LiteratureIndex
) -> None:
    assert index.get_state() == ""
    await fill(index)
    assert index.get_state() == "day 1"
    broken = replace(STATINS, doc_id="doi:10.1000/broken", vector=cast("Any", object()))
    with pytest.raises(TypeError):
        index.update([replace(VACCINES, doc_id="doi:10.1000/new"), broken], state="day 2")
    assert (index.get_state(), index.count_works()) == ("day 1", 3)
    again = opener()
    assert (again.get_state(), again.count_works()) == ("day 1", 3)


async def test_a_removed_work_is_no_longer_found(index: LiteratureIndex) -> None:
    await fill(index)
    assert index.remove([STATINS.doc_id, "doi:unknown"], state="day 3") == 1
    assert STATINS.doc_id not in await find(index, "statins")
    assert (index.get_state(), index.check()) == ("day 3", [])
    assert index.read_work(STATINS.doc_id) is None
    assert index.read_work(VACCINES.doc_id) == (VACCINES.title, VACCINES.abstract)


async def test_another_process_sees_the_rebuilt_index(
    opener: Opener, index: LiteratureIndex
) -> None:
    await fill(index)
    other = opener()
    assert other.count_works() == 3
    index.rebuild([await embed_work(SPLATTING, index.embedder)], state="new")
    assert (other.count_works(), other.get_state()) == (1, "new")
    assert await find(other, "gaussian splatting") == [SPLATTING.doc_id]


async def test_a_rebuild_that_fails_leaves_the_old_index(index: LiteratureIndex) -> None:
    await fill(index)

    def stop() -> Iterator[IndexedWork]:
        yield VACCINES
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        index.rebuild(stop(), state="never")
    assert (index.count_works(), index.get_state(), index.check()) == (3, "day 1", [])


async def test_vectors_of_another_embedder_are_neither_mixed_nor_compared(
    opener: Opener, index: LiteratureIndex
) -> None:
    await fill(index)
    other = opener(LetterEmbedder(64))
    with pytest.raises(InvalidInput, match="reindex") as refused:
        other.update([await embed_work(VACCINES, other.embedder)])
    assert "stems-letters/1/64" in str(refused.value)
    assert "stems-letters/1/1024" in " ".join(other.check())
    assert (await find(other, "statins"))[0] == STATINS.doc_id
    other.rebuild([await embed_work(work, other.embedder) for work in WORKS])
    assert (other.check(), (await find(other, "statins"))[0]) == ([], STATINS.doc_id)


async def test_vectors_of_another_length_are_refused(index: LiteratureIndex) -> None:
    await fill(index)
    with pytest.raises(InvalidInput, match="dimensions") as refused:
        index.update([replace(STATINS, abstract="changed", vector=b"\x01" * 8)], state="day 2")
    assert "reindex" in str(refused.value)
    assert (index.get_state(), index.read_work(STATINS.doc_id)) == (
        "day 1",
        (STATINS.title, STATINS.abstract),
    )


async def test_control_characters_do_not_stop_an_update(index: LiteratureIndex) -> None:
    hostile = replace(STATINS, title="Sta\x00tins \ud800 \x1b[31m statins", abstract="x" * 10**6)
    await fill(index, (hostile,))
    assert await find(index, "statins") == [STATINS.doc_id]


async def test_a_damaged_file_is_reported_with_what_to_do(in_file: Opener) -> None:
    index = in_file()
    await fill(index)
    index.close()
    path = in_file.home / "literature" / "search.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    damaged = in_file()
    assert "reindex" in " ".join(damaged.check())
    damaged.rebuild([await embed_work(STATINS, damaged.embedder)])
    assert (damaged.check(), damaged.count_works()) == ([], 1)


async def test_a_leftover_of_a_killed_rebuild_is_removed(in_file: Opener) -> None:
    index = in_file()
    await fill(index)
    (in_file.home / "literature" / "search.db.new").write_bytes(b"half")
    index.rebuild([await embed_work(STATINS, index.embedder)])
    assert index.count_works() == 1
    assert [each.name for each in (in_file.home / "literature").iterdir()] == ["search.db"]


async def test_words_that_do_not_fit_the_passages_are_noticed(in_file: Opener) -> None:
    index = in_file()
    await fill(index)
    with sqlite3.connect(in_file.home / "literature" / "search.db") as connection:
        connection.execute("DROP TRIGGER passage_removed")
        connection.execute("DELETE FROM passages WHERE page = 4")
    connection.close()
    assert "words" in " ".join(index.check())


async def test_many_vectors_are_kept_in_a_file_that_is_never_out_of_date(
    in_file: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "WORTH_A_FILE", 1)
    kept = in_file.home / "literature" / "search.vectors"
    await fill(in_file())
    first = await search_works(in_file(), "immunizations")
    written = kept.read_bytes()
    assert await search_works(in_file(), "immunizations") == first
    assert kept.read_bytes() == written
    for damaged in (written[:-10], b"", b"\xff" * 200):
        kept.write_bytes(damaged)
        assert await search_works(in_file(), "immunizations") == first
    in_file().remove([VACCINES.doc_id])
    assert VACCINES.doc_id not in await find(in_file(), "immunizations")
    assert kept.read_bytes() != written


@pytest.mark.postgres
async def test_without_pgvector_vectors_are_compared_in_memory(
    postgres_url: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgresIndexDatabase, "_add_extension", lambda self: None)
    opener = Opener(postgres_url, home)
    index = opener()
    await fill(index)
    assert "Install pgvector" in " ".join(index.check())
    filters = SearchFilters(source="pubmed")
    found = await find(index, "immunizations", mode=SearchMode.VECTORS, filters=filters)
    assert found[0] == VACCINES.doc_id and SPLATTING.doc_id not in found
    opener.close()


def test_fused_scores_are_shares_of_the_best_of_each_ranking() -> None:
    fused = fuse_scores({1: 10.0, 2: 5.0}, {2: 0.8, 3: 0.4}, 0.5)
    assert fused == {1: 0.5, 2: 0.75, 3: 0.25}
    assert fuse_scores({}, {4: 0.2}, 1.0) == {4: 1.0}


async def test_a_work_in_one_more_list_keeps_its_passages(in_file: Opener) -> None:
    index = in_file()
    await fill(index)
    vectors = await search_works(index, "statins", mode=SearchMode.VECTORS)
    path = in_file.home / "literature" / "search.db"

    def read_ids() -> list[int]:
        with sqlite3.connect(path) as connection:
            return [row[0] for row in connection.execute("SELECT passage_id FROM passages")]

    before = read_ids()
    listed = replace(STATINS, sources=("pubmed", "second"), year=2015)
    assert index.update([await embed_work(listed, index.embedder)]) == 1
    assert read_ids() == before
    for filters in (SearchFilters(source="second"), SearchFilters(year_from=2015, year_to=2015)):
        hits = await search_works(index, "statins", filters=filters)
        assert [hit.doc_id for hit in hits] == [STATINS.doc_id]
    assert await search_works(index, "statins", mode=SearchMode.VECTORS) == vectors
    assert index.update([await embed_work(listed, index.embedder)]) == 0
    assert index.check() == []
