"""The console in tests: without a socket, and in a real browser behind the real server."""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.async_api import Browser, Page, async_playwright
from starlette.testclient import TestClient

from assay.app import App
from assay.app.principals import LOGIN_HEADER, ROLE_HEADER, USER_HEADER, LoginKind, Role
from assay.clock import TurnedClock
from assay.console import create_console
from assay.sdk.web import WebLimits
from assay.server import create_app
from assay.server.backend_process import CONSOLE, BackendProcess
from tests.browser.chromium import found
from tests.conftest import quick_settings
from tests.server.conftest import migrated_once
from tests.server.sites import MEMBERS, listening
from tests.server.stored import LINES, OLD, publish
from tests.waiting import PATIENCE_S

__all__ = ["migrated_once"]


@pytest.fixture
def empty(migrated_once: Path, tmp_path: Path) -> Iterator[App]:
    """A store without anything, on SQLite; the clock stands at 2023-11-14."""
    shutil.copytree(migrated_once, tmp_path / "home")
    with App(quick_settings(tmp_path / "home"), clock=TurnedClock()) as app:
        yield app


@pytest.fixture
def published(empty: App) -> App:
    """The same with two releases."""
    publish(empty, OLD)
    publish(empty, *LINES, version="2.0.0", number=2)
    return empty


def open_console(app: App, name: str = "ana", role: Role = Role.OPERATOR) -> TestClient:
    """A client of the console, with the headers that the server would set for that person."""
    return TestClient(
        create_console(app),
        base_url="http://localhost",
        headers=identify(name, role),
        follow_redirects=False,
    )


def identify(name: str, role: Role) -> dict[str, str]:
    """The headers in which the server says whose request it is."""
    return {USER_HEADER: name, ROLE_HEADER: role.value, LOGIN_HEADER: LoginKind.SESSION.value}


class AskedApi:
    """Asks the API, without a socket."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client

    async def get(self, path: str, **query: str) -> Any:
        """The JSON value of an answer that must be good."""
        answer = await self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == "application/json"
        return answer.json()

    async def refused(self, path: str, *pairs: tuple[str, str]) -> tuple[int, dict[str, Any]]:
        """Status and problem of an answer that must be none."""
        answer = (
            await self.client.get(path, params=list(pairs))
            if pairs
            else (await self.client.get(path))
        )
        assert answer.headers["Content-Type"] == "application/problem+json", answer.text
        told = answer.json()
        assert set(told) == MEMBERS and told["status"] == answer.status_code
        return answer.status_code, told


@asynccontextmanager
async def asking(app: App, role: Role = Role.OPERATOR) -> AsyncIterator[AskedApi]:
    """The API of a store."""
    transport = httpx2.ASGITransport(create_console(app), raise_app_exceptions=False)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://localhost", headers=identify("ana", role)
    ) as client:
        yield AskedApi(client)


@pytest.fixture
async def api(published: App) -> AsyncIterator[AskedApi]:
    """The API of a store with two releases."""
    async with asking(published) as asked:
        yield asked


@asynccontextmanager
async def serving_console(app: App) -> AsyncIterator[str]:
    """The address of the real server, with the console in a process of its own."""
    limits = WebLimits()
    console = BackendProcess(CONSOLE, app.settings, "127.0.0.1", limits)
    try:
        made = create_app(app, limits=limits, console=console)
        await console.start()
        async with listening(made, limits) as url:
            yield url
    finally:
        await console.close()


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    """A real Chromium without a window."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            await browser.close()


class WatchedPage:
    """A page of the browser, and everything that went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(PATIENCE_S * 1000)
        self.complaints: list[str] = []
        self.requested: list[str] = []
        page.on("console", lambda m: self._note(m.text, m.type in ("error", "warning")))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requested.append(request.url))

    def _note(self, text: str, is_bad: bool) -> None:
        if is_bad:
            self.complaints.append(text)


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """The browser; tests that need it are skipped where it is not installed."""
    if found() is None:
        pytest.skip("Chromium is not installed; install it with: apt install chromium")
    async with browsing() as opened:
        yield opened
