"""The stages over real HTTP: what a site does to us, and what is kept of it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from assay.app import App, runs
from assay.clock import TurnedClock
from assay.demo import DemoServer, SiteFault, serve_in_thread
from assay.demo.play import build_demo_settings
from assay.model.records import Endpoint, Source
from assay.settings import Settings
from assay.store import tables as t
from assay.store.dump import dump_canonical
from assay.store.upserts import upsert_records
from tests.engine.hand import all_rows, drain, hand, open_batches
from tests.gazette.world import HOST, World
from tests.spine.sites import sinking_app

MakeApp = Callable[..., App]
WORLD = World(documents=24)
SOURCE = Source(source_slug="gazette", name="", base_url="", packs=["regulatory"])
ENDPOINT = Endpoint(
    endpoint_id="gazette/sitemap",
    source_slug="gazette",
    url=f"http://{HOST}/sitemap.xml",
    strategy="SITEMAP_XML",
)


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with serve_in_thread(WORLD) as running:
        yield running


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def gazette(settings: Settings, make_app: MakeApp, server: DemoServer, clock: TurnedClock) -> App:
    """An application that watches the gazette."""
    own = build_demo_settings(settings, server.base_url, [HOST])
    app = sinking_app(make_app, own, clock=clock)
    with app.engine.begin() as connection:
        upsert_records(connection, [SOURCE, ENDPOINT])
    return app


def run(app: App) -> str:
    run_id = runs.start_run(app)
    drain(app)
    runs.seal_finished_runs(app)
    return run_id


def states(app: App) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in all_rows(app, t.candidate):
        found[row["state"]] = found.get(row["state"], 0) + 1
    return found


def dump(app: App) -> bytes:
    with app.engine.connect() as connection:
        return b"".join(dump_canonical(connection))


def evidence_at(app: App, path: str) -> list[dict[str, Any]]:
    url = f"http://{HOST}{path}"
    return [row for row in all_rows(app, t.evidence) if row["url"] == url]


def test_everything_listed_becomes_evidence_with_its_bytes(
    gazette: App, server: DemoServer
) -> None:
    run(gazette)
    evidence = all_rows(gazette, t.evidence)
    pages = WORLD.build_pages()
    assert len(evidence) == len(WORLD.gazette())
    for row in evidence:
        path = row["url"].removeprefix(f"http://{HOST}")
        assert gazette.blobs.get(row["content_hash"]) == pages[path].body
        assert row["run_id"] == runs.list_runs(gazette)[0].run_id
    assert len(all_rows(gazette, t.routing_decision)) == len(evidence)
    assert set(states(gazette)) <= {"ready", "skipped"}


def test_a_second_look_finds_nothing_new(gazette: App, server: DemoServer) -> None:
    run(gazette)
    before = dump(gazette)
    scouted = sum(row["stage"] == "scout" for row in all_rows(gazette, t.job))
    run(gazette)
    assert dump(gazette) == before
    assert sum(row["stage"] == "scout" for row in all_rows(gazette, t.job)) == scouted


def test_a_changed_page_is_new_evidence_of_the_same_document(
    gazette: App, server: DemoServer
) -> None:
    run(gazette)
    documents = len(all_rows(gazette, t.document))
    tomorrow = WORLD.next()
    server.show(tomorrow)
    run(gazette)
    changes = tomorrow.changes()
    assert len(all_rows(gazette, t.document)) == documents + len(changes.added)
    for path in changes.amended:
        versions = evidence_at(gazette, path)
        assert len(versions) == 2
        assert len({row["doc_id"] for row in versions}) == 1
    tags = [row["tag"] for row in all_rows(gazette, t.event)]
    assert tags.count("document.changed") == len(changes.amended)


def test_a_page_that_changed_its_noise_alone_is_no_new_evidence(
    gazette: App, server: DemoServer
) -> None:
    run(gazette)
    tomorrow = WORLD.next()
    (path,) = tomorrow.changes().noisy
    assert tomorrow.build_pages()[path].body != WORLD.build_pages()[path].body
    server.show(tomorrow)
    run(gazette)
    (row,) = evidence_at(gazette, path)
    assert gazette.blobs.get(row["content_hash"]) == WORLD.build_pages()[path].body
    notes = [row["outcome"] for row in all_rows(gazette, t.progress) if row["stage"] == "fetch"]
    assert notes.count("noise") == 1


def test_the_original_of_two_equal_pages_does_not_depend_on_the_order(
    settings: Settings,
    make_app: MakeApp,
    server: DemoServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    dumps = []
    for order in (1, -1):
        home = tmp_path_factory.mktemp("order") / "home"
        own = settings.model_copy(update={"home": home, "database_url": None, "batch_size": 1})
        watching = build_demo_settings(own, server.base_url, [HOST])
        app = sinking_app(make_app, watching)
        with app.engine.begin() as connection:
            upsert_records(connection, [SOURCE, ENDPOINT])
        runs.start_run(app)
        _drain_in_order(app, order)
        copies = [row for row in all_rows(app, t.scout_result) if row["duplicate_of"]]
        assert len(copies) == 1
        assert copies[0]["duplicate_of"] < copies[0]["evidence_id"]
        dumps.append(dump(app))
    assert dumps[0] == dumps[1]


def _drain_in_order(app: App, order: int) -> None:
    """Take each document all the way before the next one, first to last or last to first."""
    depth = {"sentinel": 0, "fetch": 1, "scout": 2, "router": 3, "sink": 4}
    subjects = {row["batch_id"]: row["subject"] for row in all_rows(app, t.job)}
    assert subjects
    with hand(app) as runner:
        while batches := open_batches(app):
            deepest = max(depth[stage] for _, stage in batches)
            ready = sorted(
                (_subject(app, batch), batch, stage)
                for batch, stage in batches
                if depth[stage] == deepest
            )
            _, batch, stage = ready[::order][0]
            runner.run(batch, stage)


def _subject(app: App, batch_id: str) -> str:
    with app.engine.connect() as connection:
        query = sa.select(t.job.c.subject).where(t.job.c.batch_id == batch_id)
        return str(connection.execute(query).scalar())


def test_content_that_returns_is_judged_again(gazette: App, server: DemoServer) -> None:
    tomorrow = WORLD.next()
    run(gazette)
    before = {row["doc_id"]: row["state"] for row in all_rows(gazette, t.candidate)}
    for world in (tomorrow, WORLD, tomorrow, WORLD):
        server.show(world)
        run(gazette)
    for path in tomorrow.changes().amended:
        url = f"http://{HOST}{path}"
        versions = [row for row in all_rows(gazette, t.evidence) if row["url"] == url]
        assert len(versions) == 2
        doc_id = versions[0]["doc_id"]
        (candidate,) = [row for row in all_rows(gazette, t.candidate) if row["doc_id"] == doc_id]
        assert candidate["state"] == before[doc_id]
        moves = [row for row in all_rows(gazette, t.candidate_event) if row["doc_id"] == doc_id]
        assert sum(row["reason"] == "changed" for row in moves) == 4


def test_a_page_that_fails_for_a_while_is_fetched_in_the_end(
    gazette: App, server: DemoServer
) -> None:
    path = next(iter(WORLD.gazette()))
    server.faults[path] = SiteFault(status=503, times=2)
    run(gazette)
    assert len(all_rows(gazette, t.evidence)) == len(WORLD.gazette())
    attempts = [
        row["outcome"] for row in all_rows(gazette, t.progress) if row["outcome"] == "retried"
    ]
    assert attempts == ["retried", "retried"]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (SiteFault(status=500), "fetch_failed"),
        (SiteFault(cut_after=100), "fetch_failed"),
        (SiteFault(status=403), "content_unsupported"),
    ],
    ids=["500", "cut", "403"],
)
def test_a_page_that_never_comes_blocks_its_candidate_and_nobody_else(
    gazette: App, server: DemoServer, clock: TurnedClock, fault: SiteFault, code: str
) -> None:
    path = next(iter(WORLD.gazette()))
    server.faults[path] = fault
    run(gazette)
    (letter,) = all_rows(gazette, t.dead_letter)
    assert letter["error_code"] == code
    (blocked,) = [row for row in all_rows(gazette, t.candidate) if row["state"] == "blocked"]
    assert blocked["retry_count"] == 1
    assert blocked["next_retry_unix"] > gazette.clock.now_ms() // 1000 + 13 * 86_400
    assert path in blocked["last_error"]
    assert len(all_rows(gazette, t.evidence)) == len(WORLD.gazette()) - 1
    server.faults.clear()
    run(gazette)
    assert states(gazette)["blocked"] == 1, "its time has not come"
    clock.turn(days=14)
    run(gazette)
    assert "blocked" not in states(gazette)


def test_a_page_that_is_gone_is_tried_again_later(gazette: App, server: DemoServer) -> None:
    path = next(iter(WORLD.gazette()))
    server.faults[path] = SiteFault(status=404)
    run(gazette)
    assert states(gazette)["blocked"] == 1
    assert all_rows(gazette, t.dead_letter) == []
    assert "document.gone" in {row["tag"] for row in all_rows(gazette, t.event)}


def test_an_endpoint_that_fails_five_times_is_left_alone(gazette: App, server: DemoServer) -> None:
    server.faults["/sitemap.xml"] = SiteFault(status=500)
    for failures in range(1, 6):
        run(gazette)
        (endpoint,) = all_rows(gazette, t.endpoint)
        assert endpoint["consecutive_errors"] == failures
    asked = server.requests
    run(gazette)
    assert server.requests == asked
    assert "gate_failed" in {row["error_code"] for row in all_rows(gazette, t.dead_letter)}


def test_an_endpoint_that_recovers_starts_anew(gazette: App, server: DemoServer) -> None:
    server.faults["/sitemap.xml"] = SiteFault(status=500, times=3)
    run(gazette)
    assert all_rows(gazette, t.endpoint)[0]["consecutive_errors"] == 1
    run(gazette)
    (endpoint,) = all_rows(gazette, t.endpoint)
    assert (endpoint["consecutive_errors"], endpoint["last_error"]) == (0, None)
    assert endpoint["item_count"] == len(WORLD.gazette())


def test_a_page_is_given_up_after_five_waits_and_not_sooner(
    gazette: App, server: DemoServer, clock: TurnedClock
) -> None:
    path = next(iter(WORLD.gazette()))
    server.faults[path] = SiteFault(status=403)
    for tries in range(1, 6):
        run(gazette)
        run(gazette)  # a second run on the same day must not use up a try
        (blocked,) = [row for row in all_rows(gazette, t.candidate) if row["state"] == "blocked"]
        assert blocked["retry_count"] == tries
        clock.turn(days=14)
    run(gazette)
    assert states(gazette)["failed"] == 1


def test_a_blocked_page_that_is_listed_no_more_is_tried_again_all_the_same(
    gazette: App, server: DemoServer, clock: TurnedClock
) -> None:
    path = next(iter(WORLD.gazette()))
    server.faults[path] = SiteFault(status=403)
    run(gazette)
    server.faults.clear()
    (blocked,) = [row for row in all_rows(gazette, t.candidate) if row["state"] == "blocked"]
    with gazette.engine.begin() as connection:
        connection.execute(sa.update(t.endpoint).values(active=False))
    clock.turn(days=14)
    run(gazette)
    history = [
        row["to_state"]
        for row in all_rows(gazette, t.candidate_event)
        if row["doc_id"] == blocked["doc_id"]
    ]
    assert history[:2] == ["blocked", "ready"]


def test_a_source_that_is_switched_off_is_not_asked(gazette: App, server: DemoServer) -> None:
    with gazette.engine.begin() as connection:
        connection.execute(sa.update(t.source).values(active=False))
    run(gazette)
    assert server.requests == 0


def test_evidence_whose_bytes_were_lost_is_dead_and_not_skipped(
    gazette: App, server: DemoServer
) -> None:
    runs.start_run(gazette)
    with hand(gazette) as runner:
        for stage in ("sentinel", "fetch"):
            for batch, name in open_batches(gazette):
                if name == stage:
                    runner.run(batch, name)
    victim = all_rows(gazette, t.evidence)[0]
    gazette.blobs.path(victim["content_hash"]).unlink()
    drain(gazette)
    letters = all_rows(gazette, t.dead_letter)
    assert {letter["error_code"] for letter in letters} == {"corrupt_blob"}
