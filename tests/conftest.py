"""Fixtures for all tests: homes, both databases, and a network that cannot be reached."""

import logging
import os
import secrets
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.app.installed_packs import load_installed_facts
from assay.settings import Settings, load_settings
from tests.examples import load_fixed_profile, prepare_properties
from tests.postgres import server_url
from tests.ready import ReadyStores, make_promised_databases, promise_database
from tests.spine.sites import Watch, Workplace, watching, workplace
from tests.waiting import PATIENCE_S

load_fixed_profile()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    prepare_properties(items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    make_promised_databases()


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches a network by accident."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0])
            if not (host.startswith("127.") or host in ("::1", "localhost")):
                raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("ASSAY_"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _fresh_logs() -> None:
    """A log that an earlier test set up must not hide or add lines in this one."""
    for name in ("dbos", "assay"):
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            logger.removeHandler(handler)
            handler.close()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session")
def postgres_server() -> str:
    """The address of a real Postgres server, started once."""
    return server_url()


@pytest.fixture
def postgres_url(request: pytest.FixtureRequest, postgres_server: str) -> Iterator[str]:
    """A fresh database on the real server; one that waits for a ready store is made with it."""
    name = f"assay_{secrets.token_hex(6)}"
    if "ready_stores" in request.fixturenames:
        promise_database(name)
    else:
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
    yield postgres_server.replace("/postgres?", f"/{name}?")
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """Both databases, one after the other; None is the SQLite file of the home."""
    if request.param == "sqlite":
        return None
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def store_url(tmp_path: Path, database_url: str | None) -> str:
    """The address of an empty database of either kind."""
    return database_url or f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def settings(home: Path, database_url: str | None) -> Settings:
    """Settings with short waits, on either database."""
    return quick_settings(home, database_url=database_url)


def quick_settings(home: Path, **changed: Any) -> Settings:
    given: dict[str, Any] = {
        "retry_delays_s": (0.2, 0.4, 0.8),
        "polling_s": 0.05,
        # Long enough for a process that waits for a core: nobody is thought dead by mistake.
        "lease_s": PATIENCE_S,
        "heartbeat_s": 0.3,
        "grace_s": PATIENCE_S,
        "database_wait_s": PATIENCE_S,
        "read_timeout_s": PATIENCE_S,
        "ocr_page_timeout_s": PATIENCE_S,
        "fetch_timeout_s": PATIENCE_S,
        "read_processes": 1,
        **changed,
    }
    return load_settings(home=home, env={}, **given)


@pytest.fixture(scope="session")
def ready_stores(tmp_path_factory: pytest.TempPathFactory) -> ReadyStores:
    """Migrated stores to be copied."""
    return ReadyStores(tmp_path_factory.mktemp("ready"))


@pytest.fixture
def app(settings: Settings, make_app: Callable[..., App]) -> App:
    """An application on a fresh, migrated store."""
    return make_app(settings)


@pytest.fixture
def make_app(ready_stores: ReadyStores) -> Iterator[Callable[..., App]]:
    """Applications made by a test with its own settings or stages, closed at its end."""
    made: list[App] = []

    def make(settings: Settings, **parts: Any) -> App:
        init_home(settings)
        placed = ready_stores.place(settings)
        application = App(settings, **parts)
        if not placed:
            application.migrate()
        made.append(application)
        return application

    yield make
    for application in made:
        application.close()


@pytest.fixture(scope="session")
def shared_workplace() -> Iterator[Workplace]:
    with workplace() as shared:
        yield shared


@pytest.fixture
def watch(
    settings: Settings, make_app: Callable[..., App], shared_workplace: Workplace
) -> Iterator[Watch]:
    """An application that watches a site of its own, on either database."""
    with watching(make_app, settings, shared_workplace) as made:
        yield made


@pytest.fixture
def regulated(
    settings: Settings, make_app: Callable[..., App], shared_workplace: Workplace
) -> Iterator[Watch]:
    """The same, with a pack that takes rules from what is found."""
    with watching(make_app, settings, shared_workplace, packs=load_installed_facts()) as made:
        yield made
