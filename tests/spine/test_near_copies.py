"""Near copies through the whole spine: in whatever order they come, one of them is the original."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from assay.app import App, runs
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id
from assay.settings import Settings
from assay.store import tables as t
from tests.engine.hand import open_batches
from tests.spine.sites import HOME, Watch, Workplace, act, sitemap, watching

MakeApp = Callable[..., App]
NewWatch = Callable[..., AbstractContextManager[Watch]]


def near(note: str = "", rate: int = 25) -> bytes:
    """The same act, with a few words more and maybe another figure."""
    told = f"it is also shown on the board {note} for all who come to look at it {note}"
    return act(1, rate=rate, words=14, extra=f"<p>{told}</p>")


def ids(pages: dict[str, bytes]) -> dict[str, str]:
    """path → evidence id."""
    return {
        path: derive_evidence_id(f"{HOME}{path}", content_hash(body))
        for path, body in pages.items()
    }


def in_turn(watch: Watch, pages: dict[str, bytes], turns: Sequence[Sequence[str]]) -> None:
    """Each turn brings some of the pages, and they go all the way before the next."""
    watch.endpoint()
    shown: list[str] = []
    for turn in turns:
        shown += turn
        for path in turn:
            watch.show(path, pages[path])
        watch.show("/sitemap.xml", sitemap(*sorted(shown)))
        watch.run()


def decisions(watch: Watch) -> dict[str, tuple[str, str]]:
    """path → decision and reason."""
    urls = {row["evidence_id"]: row["url"].removeprefix(HOME) for row in watch.rows(t.evidence)}
    return {
        urls[row["evidence_id"]]: (row["decision"], row["reason"])
        for row in watch.rows(t.routing_decision)
    }


def one_by_one(watch: Watch, pages: dict[str, bytes], order: Sequence[str]) -> bytes:
    """What comes of one run in which each page goes all the way before the next is fetched."""
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap(*sorted(pages)))
    for path, body in pages.items():
        watch.show(path, body)
    runs.start_run(watch.app)
    ((batch, stage),) = open_batches(watch.app)
    watch.runner.run(batch, stage)
    fetches = {
        row["subject"].removeprefix(HOME): row["batch_id"]
        for row in watch.rows(t.job, stage="fetch")
    }
    for path in order:
        watch.runner.run(fetches[path], "fetch")
        while ready := [entry for entry in open_batches(watch.app) if entry[1] != "fetch"]:
            watch.runner.run(*ready[0])
    return watch.dump()


@pytest.fixture
def new_watch(
    settings: Settings,
    make_app: MakeApp,
    shared_workplace: Workplace,
    tmp_path_factory: pytest.TempPathFactory,
) -> NewWatch:
    """As many applications as a test needs, each on SQLite and in a home of its own."""

    @contextmanager
    def make(**changed: Any) -> Iterator[Watch]:
        home = tmp_path_factory.mktemp("near") / "home"
        own = settings.model_copy(update={"home": home, "database_url": None})
        with watching(make_app, own, shared_workplace, **changed) as made:
            yield made

    return make


def test_the_one_with_the_greater_id_is_skipped_whoever_comes_first(watch: Watch) -> None:
    pages = {"/a": near(), "/b": near("here")}
    names = ids(pages)
    first, second = sorted(pages, key=lambda path: names[path])
    in_turn(watch, pages, [[second], [first]])
    found = decisions(watch)
    assert found[first][0] == "EXTRACT_LOCAL"
    assert found[second][0] == "SKIP"
    assert found[second][1].startswith(f"a near copy of {names[first]}: 9")
    states = {row["evidence_id"]: row["state"] for row in watch.rows(t.candidate)}
    assert states == {names[first]: "ready", names[second]: "skipped"}
    before, jobs = watch.dump(), len(watch.rows(t.job, stage="router"))
    watch.run()
    assert (watch.dump(), len(watch.rows(t.job, stage="router"))) == (before, jobs)


def test_the_order_of_copies_near_copies_and_versions_does_not_show(
    watch: Watch, new_watch: NewWatch
) -> None:
    """Equal bytes are found by scout and near ones by the router; both must agree in the end."""
    pages = {
        "/a": near(), "/b": near("here"), "/c": near("there"), "/copy": near("here"),
        "/version": near(rate=26),
    }  # fmt: skip
    names = ids(pages)
    by_id = sorted(pages, key=lambda path: names[path])
    in_turn(watch, pages, [by_id])
    at_once = watch.dump()
    for order in (by_id, by_id[::-1], [*by_id[1:], by_id[0]], [by_id[2], *by_id[3:], *by_id[:2]]):
        with new_watch(batch_size=1) as made:
            assert one_by_one(made, pages, order) == at_once, order
    originals = {row["duplicate_of"] for row in watch.rows(t.scout_result)}
    assert originals == {None, min(names[path] for path in pages if path != "/version")}


def test_another_figure_makes_a_version_that_is_routed_on(watch: Watch) -> None:
    pages = {"/a": near(), "/b": near(rate=26)}
    names = ids(pages)
    in_turn(watch, pages, [["/a"], ["/b"]])
    assert {decision for decision, _ in decisions(watch).values()} == {"EXTRACT_LOCAL"}
    results = {row["evidence_id"]: row for row in watch.rows(t.scout_result)}
    least, greatest = sorted(names.values())
    assert results[greatest]["version_of"] == least
    assert 0.9 <= results[greatest]["similarity"] < 1
    assert results[least]["version_of"] is None
    assert {row["duplicate_of"] for row in results.values()} == {None}


def test_an_amended_page_is_no_copy_of_what_it_was(watch: Watch) -> None:
    notes = ("", "here", "there", "again")
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap("/a"))
    for note in notes:
        watch.show("/a", near(note))
        watch.run()
    assert len(watch.evidence("/a")) == len(notes)
    assert {row["decision"] for row in watch.rows(t.routing_decision)} == {"EXTRACT_LOCAL"}
    assert {row["state"] for row in watch.rows(t.candidate)} == {"ready"}


def test_a_crowd_of_copies_all_end_as_copies(watch: Watch) -> None:
    """More than are compared with each newcomer."""
    pages = {f"/p{number}": near(f"w{'x' * number}") for number in range(60)}
    names = ids(pages)
    late = sorted(pages, key=lambda path: names[path])[:3]
    early = [path for path in pages if path not in late]
    in_turn(watch, pages, [early[:30], early[30:], late])
    results = watch.rows(t.scout_result)
    assert sum(row["duplicate_of"] is None for row in results) == 1
    assert [d for d, _ in decisions(watch).values()].count("SKIP") == 59
    before = watch.dump()
    watch.run()
    assert watch.dump() == before


def test_two_workers_at_a_time_come_to_the_same(
    settings: Settings, make_app: MakeApp, shared_workplace: Workplace, new_watch: NewWatch
) -> None:
    pages = {f"/p{number}": near(f"w{'x' * number}") for number in range(8)}
    with watching(make_app, settings, shared_workplace, batch_size=2) as watch:
        watch.endpoint()
        for path, body in pages.items():
            watch.show(path, body)
        watch.show("/sitemap.xml", sitemap(*pages))
        runs.start_run(watch.app)
        _drained_by_two(watch, shared_workplace)
        together = watch.dump()
    with new_watch() as alone:
        in_turn(alone, pages, [list(pages)])
        assert together == alone.dump()


def _drained_by_two(watch: Watch, shared: Workplace) -> None:
    app = watch.app
    runners = [app.make_runner(app.make_committer(), shared.loop) for _ in range(2)]
    failures: list[BaseException] = []

    def work(number: int, batches: Sequence[tuple[str, str]]) -> None:
        try:
            for batch, stage in batches:
                runners[number].run(batch, stage)
        except BaseException as error:
            failures.append(error)

    while batches := open_batches(app):
        threads = [
            threading.Thread(target=work, args=(number, batches[number::2])) for number in (0, 1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
