"""Stored results: found again, never replaced by less, and never half."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.store import spending as t
from assay.store.blobs import BlobStore
from assay.store.results import COMPLETE, ResultStore


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")


@pytest.fixture
def shelf(engine: sa.Engine, blobs: BlobStore) -> ResultStore:
    return ResultStore(engine, blobs)


def rows(engine: sa.Engine) -> list[tuple[str, str, str]]:
    c = t.result.c
    with engine.connect() as connection:
        query = sa.select(c.key, c.request_id, c.completeness).order_by(c.key)
        return [(row[0], row[1], row[2]) for row in connection.execute(query)]


def test_what_was_kept_is_found_by_key_and_by_request(shelf: ResultStore) -> None:
    shelf.keep("k", "rq_1", "graph", COMPLETE, "č".encode())
    assert shelf.find("k") == shelf.find_by_request("rq_1") == "č".encode()
    assert shelf.find("other") is None
    assert shelf.find_by_request("rq_2") is None


def test_results_are_listed_the_latest_first_page_by_page(
    engine: sa.Engine, blobs: BlobStore
) -> None:
    clock = TurnedClock()
    shelf = ResultStore(engine, blobs, clock)
    for number in range(7):
        shelf.keep(f"k{number}", f"rq_{number}", "graph", COMPLETE, b"one")
        clock.turn(seconds=number % 2)
    shelf.keep("other", "rq", "something else", COMPLETE, b"two")
    everything = shelf.list_kept("graph", 100)
    assert [row.key for row in everything] == ["k6", "k5", "k4", "k3", "k2", "k1", "k0"]
    listed, before = [], None
    while page := shelf.list_kept("graph", 3, before):
        listed += page
        before = page[-1].created_ms, page[-1].key
    assert listed == everything
    assert everything[0].request_id == "rq_6" and everything[0].completeness == COMPLETE


def test_keeping_it_again_changes_nothing(shelf: ResultStore, engine: sa.Engine) -> None:
    for _ in range(2):
        shelf.keep("k", "rq_1", "graph", COMPLETE, b"one")
    assert rows(engine) == [("k", "rq_1", COMPLETE)]


@pytest.mark.parametrize("later", ["partial_early_exit", "empty", COMPLETE])
def test_a_complete_result_stays(shelf: ResultStore, engine: sa.Engine, later: str) -> None:
    shelf.keep("k", "rq_1", "graph", COMPLETE, b"whole")
    shelf.keep("k", "rq_2", "graph", later, b"later")
    assert shelf.find("k") == b"whole"
    assert rows(engine) == [("k", "rq_1", COMPLETE)]


@pytest.mark.parametrize("later", ["partial_entity_only", COMPLETE])
def test_any_other_makes_room(shelf: ResultStore, engine: sa.Engine, later: str) -> None:
    shelf.keep("k", "rq_1", "graph", "partial_early_exit", b"half")
    shelf.keep("k", "rq_2", "graph", later, b"later")
    assert shelf.find("k") == b"later"
    assert shelf.find_by_request("rq_1") is None
    assert rows(engine) == [("k", "rq_2", later)]


def test_many_at_once_leave_one_complete_result(engine: sa.Engine, blobs: BlobStore) -> None:
    def keep(number: int) -> None:
        shelf = ResultStore(engine, blobs)
        completeness = COMPLETE if number % 2 else "empty"
        shelf.keep("k", f"rq_{number}", "graph", completeness, f"{number}".encode())

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(keep, range(8)))
    ((key, request_id, completeness),) = rows(engine)
    assert (key, completeness) == ("k", COMPLETE)
    found = ResultStore(engine, blobs).find("k")
    assert found is not None
    assert request_id == f"rq_{found.decode()}"


def test_lost_bytes_are_no_result_and_no_failure(shelf: ResultStore, blobs: BlobStore) -> None:
    shelf.keep("k", "rq_1", "graph", COMPLETE, b"one")
    blobs.path(next(blobs.hashes())).unlink()
    assert shelf.find("k") is None


def test_the_bytes_are_stored_before_the_row(
    shelf: ResultStore, engine: sa.Engine, blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(_data: bytes) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(blobs, "put", crash)
    with pytest.raises(KeyboardInterrupt):
        shelf.keep("k", "rq_1", "graph", COMPLETE, b"one")
    assert rows(engine) == []
