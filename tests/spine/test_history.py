"""A watched git repository: its versions become evidence, in order, once."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.app import runs
from assay.app.repositories import add_repository, count_versions
from assay.errors import AddressRefused, InvalidInput
from assay.model.records import Evidence, RepositoryFile
from assay.settings import Settings
from assay.sources.git import history as git_history
from assay.store import tables as t
from assay.store.record_tables import table_of
from tests.engine.workers import MakeApp
from tests.repositories import GitRepository, make_repository, serve_repositories
from tests.spine.sites import Watch, Workplace, act, watching


@pytest.fixture
def watch(make_app: MakeApp, settings: Settings, shared_workplace: Workplace) -> Iterator[Watch]:
    with watching(make_app, settings, shared_workplace) as made:
        yield made


@pytest.fixture
def laws(tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "laws")


def add(watch: Watch, repository: GitRepository | str, **options: Any) -> None:
    """Add the repository, or look at it again, and do all the work."""
    own = {n: options.pop(n) for n in ("accept_rewritten", "source") if n in options}
    target = repository if isinstance(repository, str) else str(repository.path)
    add_repository(watch.app, target, options, pack="regulatory", **own)
    watch.drain()


def versions(watch: Watch) -> list[tuple[str, str, int]]:
    """Document, day and rate of every version."""
    titles = {row["doc_id"]: row["title"] for row in watch.rows(t.document)}
    return sorted(
        (titles[row["doc_id"]], day_of(row["version_ms"]), rate_of(watch, row["content_hash"]))
        for row in watch.rows(table_of(Evidence))
    )


def day_of(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).date().isoformat()


def rate_of(watch: Watch, digest: str) -> int:
    return int(watch.app.blobs.get(digest).decode().partition("tax rate is ")[2].split(" ")[0])


def newest(watch: Watch) -> dict[str, int]:
    """The rate that each document has now."""
    titles = {row["doc_id"]: row["title"] for row in watch.rows(t.document)}
    hashes = {row["evidence_id"]: row["content_hash"] for row in watch.rows(t.evidence)}
    return {
        titles[row["doc_id"]]: rate_of(watch, hashes[row["evidence_id"]])
        for row in watch.rows(t.candidate)
    }


def test_commits_are_versions_with_their_days(watch: Watch, laws: GitRepository) -> None:
    laws.commit("2019-05-01", {"vat.html": act(rate=20), "duty.html": act(2, rate=5)})
    second = laws.commit("2021-07-01", {"vat.html": act(rate=22)})
    add(watch, laws)
    assert versions(watch) == [
        ("duty.html", "2019-05-01", 5),
        ("vat.html", "2019-05-01", 20),
        ("vat.html", "2021-07-01", 22),
    ]
    assert newest(watch) == {"vat.html": 22, "duty.html": 5}
    (later,) = [row for row in watch.rows(t.evidence) if row["version"] == second]
    assert later["previous_seen_ms"] == later["version_ms"] - 1
    assert count_versions(watch.app, "laws/history") == {
        "documents": 2,
        "versions": 3,
        "gone": 0,
    }
    assert {row["state"] for row in watch.rows(t.candidate)} <= {"ingested", "skipped", "ready"}
    assert watch.dead() == []


def test_a_second_look_reads_only_new_commits(watch: Watch, laws: GitRepository) -> None:
    laws.commit("2019-05-01", {"vat.html": act(rate=20)})
    add(watch, laws)
    before = versions(watch), watch.rows(t.candidate_event)
    run_id = watch.run()
    assert watch.notes("sentinel", run_id) == ["unchanged"]
    assert watch.notes("history", run_id) == watch.notes("scout", run_id) == []
    assert (versions(watch), watch.rows(t.candidate_event)) == before
    laws.commit("2020-05-01", {"vat.html": act(rate=21)})
    run_id = watch.run()
    assert len(watch.notes("scout", run_id)) == 1
    assert newest(watch) == {"vat.html": 21}


def test_a_mirror_changed_on_an_unknown_day_between_two_commits(
    watch: Watch, laws: GitRepository
) -> None:
    laws.commit("2019-05-01", {"vat.html": act(rate=20)})
    laws.commit("2020-05-01", {"other.html": act(2)})
    last = laws.commit("2021-05-01", {"vat.html": act(rate=21)})
    add(watch, laws, mirror=True)
    (row,) = [row for row in watch.rows(t.evidence) if row["version"] == last]
    assert day_of(row["previous_seen_ms"]) == "2020-05-01"


def test_deleted_files_are_gone_and_may_come_back(watch: Watch, laws: GitRepository) -> None:
    laws.commit("2019-05-01", {"vat.html": act(rate=20)})
    laws.commit("2020-05-01", {"vat.html": None})
    add(watch, laws)
    assert [event["status"] for event in watch.events("document.gone")] == [410]
    assert count_versions(watch.app, "laws/history")["gone"] == 1
    laws.commit("2021-05-01", {"vat.html": act(rate=21)})
    watch.run()
    assert len(watch.rows(t.document)) == 1
    assert newest(watch) == {"vat.html": 21}
    assert count_versions(watch.app, "laws/history")["gone"] == 0


def test_a_file_that_is_moved_unchanged_stays_the_same_document(
    watch: Watch, laws: GitRepository
) -> None:
    laws.commit("2019-05-01", {"vat.html": act(rate=20)})
    laws.git("mv", "vat.html", "tax.html")
    laws.commit_index("2020-05-01")
    laws.commit("2021-05-01", {"tax.html": act(rate=21)})
    add(watch, laws)
    assert versions(watch) == [("vat.html", "2019-05-01", 20), ("vat.html", "2021-05-01", 21)]
    assert watch.events("document.gone") == []
    # Another file in the old place is another document.
    laws.commit("2022-05-01", {"vat.html": act(7, rate=3)})
    watch.run()
    assert len(watch.rows(t.document)) == 2
    laws.commit("2023-05-01", {"vat.html": act(7, rate=4), "tax.html": act(rate=22)})
    watch.run()
    rates = sorted(rate for *_, rate in versions(watch))
    assert rates == [3, 4, 20, 21, 22]
    assert len(watch.rows(t.candidate)) == 2


def test_content_that_comes_back_is_the_newest_again(watch: Watch, laws: GitRepository) -> None:
    for year, rate in ((2019, 20), (2020, 21), (2021, 20)):
        laws.commit(f"{year}-05-01", {"vat.html": act(rate=rate)})
    add(watch, laws)
    assert newest(watch) == {"vat.html": 20}
    assert len(watch.rows(t.evidence)) == 2


def test_commits_of_one_second_stay_in_order(watch: Watch, laws: GitRepository) -> None:
    for rate in (20, 21, 22):
        laws.commit("2019-05-01", {"vat.html": act(rate=rate)})
    laws.commit("2018-05-01", {"vat.html": act(rate=23)})
    add(watch, laws)
    found = sorted(watch.rows(t.evidence), key=lambda row: row["version_ms"])
    assert [rate_of(watch, row["content_hash"]) for row in found] == [20, 21, 22, 23]
    assert newest(watch) == {"vat.html": 23}


def test_a_rewritten_history_is_said_and_not_read(watch: Watch, laws: GitRepository) -> None:
    laws.commit("2019-05-01", {"vat.html": act(rate=20)})
    laws.commit("2020-05-01", {"vat.html": act(rate=21)})
    add(watch, laws)
    laws.git("reset", "--quiet", "--hard", "HEAD~1")
    laws.commit("2020-06-01", {"vat.html": act(rate=30)})
    before = versions(watch)
    watch.run()
    (dead,) = watch.dead()
    assert "The history of" in dead and "was rewritten" in dead
    assert versions(watch) == before
    assert "was rewritten" in watch.state("laws/history")["last_error"]
    add(watch, laws, accept_rewritten=True)
    assert newest(watch) == {"vat.html": 30}
    assert watch.state("laws/history")["last_error"] is None
    run_id = watch.run()
    assert watch.notes("sentinel", run_id) == ["unchanged"]


def test_a_branch_that_went_back_is_accepted_too(watch: Watch, laws: GitRepository) -> None:
    laws.commit("2019-05-01", {"vat.html": act(rate=20)})
    laws.commit("2020-05-01", {"vat.html": act(rate=21), "new.html": act(3, rate=9)})
    add(watch, laws)
    laws.git("reset", "--quiet", "--hard", "HEAD~1")
    watch.run()
    assert len(watch.dead()) == 1
    add(watch, laws, accept_rewritten=True)
    assert newest(watch)["vat.html"] == 20
    assert count_versions(watch.app, "laws/history")["gone"] == 1


def test_parts_are_stored_one_after_the_other(
    watch: Watch, laws: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_history, "_MOST_VERSIONS", 3)
    for year in range(2010, 2014):
        files = {f"{n}.html": act(n, rate=year - 2000) for n in range(1, 6)}
        laws.commit(f"{year}-05-01", files)
    add(watch, laws)
    assert len(versions(watch)) == 20
    assert set(newest(watch).values()) == {13}
    assert len(watch.notes("history")) == 7


def test_two_runs_over_one_history_store_it_once(
    watch: Watch, laws: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restart: the first run is still open when the second one begins."""
    monkeypatch.setattr(git_history, "_MOST_VERSIONS", 1)
    for year in range(2010, 2014):
        laws.commit(f"{year}-05-01", {"vat.html": act(rate=year - 2000)})
    add_repository(watch.app, str(laws.path), {}, pack="regulatory")
    runs.start_run(watch.app)
    watch.drain()
    assert [rate for *_, rate in versions(watch)] == [10, 11, 12, 13]
    assert newest(watch) == {"vat.html": 13}
    assert "overtaken" in watch.notes("history")
    assert watch.dead() == []


def test_more_of_a_history_can_be_read_later(watch: Watch, laws: GitRepository) -> None:
    laws.commit("2012-05-01", {"vat.html": act(rate=18), "x/duty.html": act(2, rate=1)})
    laws.commit("2014-05-01", {"vat.html": act(rate=20)})
    laws.commit("2016-05-01", {"vat.html": act(rate=22)})
    add(watch, laws, since="2015", path=["vat.html"])
    assert [day for _, day, _ in versions(watch)] == ["2014-05-01", "2016-05-01"]
    add(watch, laws, since="2010", path=["**"])
    assert versions(watch) == [
        ("vat.html", "2012-05-01", 18),
        ("vat.html", "2014-05-01", 20),
        ("vat.html", "2016-05-01", 22),
        ("x/duty.html", "2012-05-01", 1),
    ]
    assert newest(watch) == {"vat.html": 22, "x/duty.html": 1}
    # The newest version is judged again after the earlier one, so that it is not left waiting.
    scouted = [row["subject"] for row in watch.rows(t.job, stage="scout")]
    assert len(scouted) == 2 + 3


def test_a_repository_by_address_is_watched(
    make_app: MakeApp, settings: Settings, shared_workplace: Workplace, laws: GitRepository,
    tmp_path: Path,
) -> None:  # fmt: skip
    laws.commit("2019-05-01", {"vat.html": act(rate=20)})
    with (
        serve_repositories(tmp_path / "served") as server,
        watching(make_app, settings, shared_workplace, hosts={"laws.test": server.url}) as watch,
    ):
        server.offer(laws)
        add(watch, "https://laws.test/laws.git")
        laws.commit("2020-05-01", {"vat.html": act(rate=21)})
        server.offer(laws)
        watch.run()
        assert newest(watch) == {"vat.html": 21}
        (source,) = watch.rows(t.source)
        assert (source["source_slug"], source["base_url"]) == ("laws", "https://laws.test/")


def test_what_cannot_be_a_repository_is_refused(
    watch: Watch, laws: GitRepository, tmp_path: Path
) -> None:
    laws.commit("2019-05-01", {"vat.html": act(rate=20)})
    add(watch, laws)
    other = make_repository(tmp_path / "b" / "laws")
    with pytest.raises(InvalidInput, match="already watches"):
        add(watch, other)
    with pytest.raises(InvalidInput, match="is not a git repository"):
        add(watch, str(tmp_path))
    with pytest.raises(AddressRefused, match="is not an https address"):
        add(watch, "ext::sh -c true")
    files = watch.rows(table_of(RepositoryFile))
    assert [row["path"] for row in files] == ["vat.html"]
