"""Homes for the command line: with a played demo, a watched gazette, or calls in the ledger."""

import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.clock import SystemClock
from assay.demo import DemoServer, serve_in_thread
from assay.llm.admission import day_of
from assay.model.records import Endpoint, Source
from assay.settings import load_settings
from assay.store.upserts import upsert_records
from tests.cli.calls import PART, real
from tests.cli.graphs import Desk, Modelled, model
from tests.cli.spending import FILE, Spent
from tests.gazette.world import HOST, World
from tests.packs.graph.provider import Script
from tests.ready import ReadyStores


@pytest.fixture(autouse=True)
def _logs_put_back() -> Iterator[None]:
    """A call opens a log file; it must not stay open, nor speak into a closed console."""
    loggers = [logging.getLogger(name) for name in ("assay", "dbos")]
    before = [(logger, list(logger.handlers), logger.propagate) for logger in loggers]
    raising = logging.raiseExceptions
    yield
    logging.raiseExceptions = raising
    for logger, handlers, propagate in before:
        for handler in logger.handlers:
            if handler not in handlers:
                handler.close()
        logger.handlers[:] = handlers
        logger.propagate = propagate


@pytest.fixture(autouse=True)
def _no_colours_by_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that asks for colours everywhere must not change what is compared here."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two days of a small demo and its release; tests get copies of it."""
    home = tmp_path_factory.mktemp("played") / "home"
    # Tests compare its store with those that forks write: nothing may depend on the hash seed.
    ended = real(home, "demo", module=PART, anew=True)
    assert ended.code == 0, ended
    return home


@pytest.fixture
def played(played_once: Path, home: Path) -> Path:
    shutil.copytree(played_once, home)
    return home


@dataclass
class Watching:
    """A home that watches a gazette which this test serves."""

    home: Path
    server: DemoServer
    page: str
    """The path of one page that every run fetches."""


@pytest.fixture
def watching(home: Path, ready_stores: ReadyStores) -> Iterator[Watching]:
    world = World(seed=7, documents=20)
    with serve_in_thread(world) as server:
        settings = load_settings(home=home, env={})
        init_home(settings)
        (home / "assay.toml").write_text(
            f'[hosts]\n"{HOST}" = "{server.base_url}"\n[queues.sentinel]\nrate = 0\n'
        )
        ready_stores.place(settings)
        with App(settings) as app:
            with app.engine.begin() as connection:
                upsert_records(connection, [_SOURCE, _ENDPOINT])
        page = next(path for path in sorted(world.build_pages()) if path.startswith("/acts/2"))
        yield Watching(home, server, page)


_SOURCE = Source(source_slug="gazette", name="Gazette", base_url=f"http://{HOST}/")
_ENDPOINT = Endpoint(
    endpoint_id="gazette/sitemap",
    source_slug="gazette",
    url=f"http://{HOST}/sitemap.xml",
    strategy="SITEMAP_XML",
)


@pytest.fixture
def opened() -> Iterator[Callable[[Path], App]]:
    """The application on a home, for what a test must arrange behind the program's back."""
    made: list[App] = []

    def open_home(home: Path) -> App:
        made.append(App(load_settings(home=home, env={})))
        return made[-1]

    yield open_home
    for app in made:
        app.close()


@pytest.fixture
def spent(home: Path, ready_stores: ReadyStores) -> Iterator[Spent]:
    init_home(load_settings(home=home, env={}))
    (home / "assay.toml").write_text(FILE)
    ready_stores.place(load_settings(home=home, env={}))
    with App(load_settings(home=home, env={})) as app:
        yield Spent(home, app, day_of(SystemClock().now_ms()))


@pytest.fixture
def two_sources(spent: Spent) -> Spent:
    """Two ended calls, one under way, one on nobody's account."""
    first = spent.call("gazette", 1_000, 500, provider="gpt", model="large", step="extract",
                       run_id="run-1", request_id="req-1")  # fmt: skip
    spent.end(first, 900, 100)
    spent.end(spent.call("council", 20_000, 2_000, step="extract", run_id="run-1"), 19_000, 1_500)
    spent.call("gazette", 1_000, 500, step="compose", request_id="req-1")
    spent.end(spent.call(None, 50, 50), 50, 10)
    return spent


@pytest.fixture
def desk(tmp_path: Path, home: Path) -> Desk:
    """A text and an ontology, and no home."""
    return Desk(tmp_path, home)


@pytest.fixture
def modelled(
    tmp_path: Path, home: Path, ready_stores: ReadyStores
) -> Iterator[Callable[..., Modelled]]:
    """A desk whose home has a model that does as its script says."""
    with ExitStack() as open_until_the_end:

        def made(script: Script) -> Modelled:
            server = open_until_the_end.enter_context(model(script))
            settings = load_settings(home=home, env={})
            init_home(settings)
            ready_stores.place(settings)
            (home / "assay.toml").write_text(
                f'[providers.local]\nkind = "openai"\nbase_url = "{server.url}/v1"\n'
                'model = "m"\nlane = "local"\n'
            )
            return Modelled(tmp_path, home, server)

        yield made
