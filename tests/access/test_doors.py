"""Who may pass the server, and what it tells the processes behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from assay.app import App, access, logins
from assay.app.principals import SESSION_COOKIE, Role
from assay.server import access as doors
from assay.server import create_app
from assay.server.backend_process import BackendProcess
from tests.access.conftest import PASSWORD
from tests.server.sites import listening

BY = "shell:root"
OUTSIDE = "0.0.0.0"
PAGE = {"Accept": "text/html,*/*"}
FORGED = {
    "X-Assay-User": "root",
    "X-Assay-Role": "operator",
    "x-assay-login": "session",
    "X-Assay-Address": "127.0.0.1",
}


class EchoProcess:
    """Stands in for the console's process: it answers with whose request it was told it is."""

    def __init__(self, folder: Path) -> None:
        self._path = str(folder / "echo.socket")
        self.session = cast(aiohttp.ClientSession, None)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async def echo(request: web.Request) -> web.Response:
            told = {k: v for k, v in request.headers.items() if k.lower().startswith("x-assay")}
            return web.json_response({"path": request.path, "told": told})

        made = web.Application()
        made.router.add_route("*", "/{path:.*}", echo)
        runner = web.AppRunner(made)
        await runner.setup()
        await web.UnixSite(runner, self._path).start()
        async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(self._path)) as session:
            self.session = session
            yield
        await runner.cleanup()


@asynccontextmanager
async def served(
    app: App, folder: Path, host: str = OUTSIDE
) -> AsyncIterator[aiohttp.ClientSession]:
    """A client of a server that others can reach."""
    echo = EchoProcess(folder)
    made = create_app(app, host=host, console=cast(BackendProcess, echo))
    async with (
        echo.running(),
        listening(made) as url,
        aiohttp.ClientSession(url, cookie_jar=aiohttp.DummyCookieJar()) as session,
    ):
        yield session


@pytest.fixture
async def site(lone: App, tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    async with served(lone, tmp_path) as session:
        yield session


def let_in(app: App, who: str) -> dict[str, str]:
    """The headers of somebody, such as 'reviewer token', who is made known to the store."""
    strangers = {
        "nobody": {},
        "wrong token": {"Authorization": "Bearer assay_" + "x" * 43},
        "wrong session": {"Cookie": f"{SESSION_COOKIE}=xyz"},
        "session as token": {"Authorization": f"Bearer {logins.open_session(app, 'nobody')}"},
        "basic": {"Authorization": "Basic cm9vdDpyb290"},
        "forged headers": FORGED,
    }
    if who in strangers:
        return strangers[who]
    role, _, kind = who.partition(" ")
    if kind == "token":
        token, _ = access.create_token(app, f"{role}-bot", Role(role), actor=BY)
        return {"Authorization": f"Bearer {token}"}
    access.add_user(app, role, Role(role), PASSWORD, actor=BY)
    return {"Cookie": f"{SESSION_COOKIE}={logins.open_session(app, role)}"}


KINDS = {
    "health": ("GET", "/health", {}),
    "login": ("GET", "/login", {}),
    "static": ("GET", "/static/console.css", {}),
    "callback": ("GET", "/auth/callback", {}),
    "metrics": ("GET", "/metrics", {}),
    "rules": ("GET", "/rules", {}),
    "api": ("GET", "/api/rules", {}),
    "page": ("GET", "/review", PAGE),
    "form": ("POST", "/review/1/approve", PAGE),
    "pack reads": ("GET", "/extract", {}),
    "pack works": ("POST", "/extract", {}),
    "pack cancels": ("DELETE", "/extract/none", {}),
}
OPEN = ("health", "login", "static", "callback")
STRANGERS = (
    "nobody",
    "wrong token",
    "wrong session",
    "session as token",
    "basic",
    "forged headers",
)
KNOWN = tuple(f"{role} {kind}" for role in Role for kind in ("session", "token"))
PASSED = {"pack works": 400, "pack cancels": 404}
"""What a route of a pack says to a request that it gets: these are not complete."""


def expected(kind: str, who: str) -> int:
    """The table: what somebody gets for a request of a kind."""
    if kind in OPEN:
        return 200
    if who in STRANGERS:
        is_lost_person = kind == "page" and who in ("nobody", "wrong session", "forged headers")
        return 303 if is_lost_person else 401
    if kind in PASSED:
        return 403 if who.startswith("reader") else PASSED[kind]
    return 200


@pytest.mark.parametrize("who", [*STRANGERS, *KNOWN])
async def test_the_table_of_who_may_do_what(
    lone: App, site: aiohttp.ClientSession, who: str
) -> None:
    headers = let_in(lone, who)
    got = {}
    for kind, (method, path, more) in KINDS.items():
        asked = site.request(method, path, headers={**headers, **more}, allow_redirects=False)
        async with asked as answered:
            got[kind] = answered.status
            if answered.status == 401:
                assert answered.content_type == "application/problem+json"
                assert answered.headers["WWW-Authenticate"] == "Bearer"
                assert (await answered.json())["code"] == "login_needed"
            if answered.status == 303:
                assert answered.headers["Location"] == "/login?next=%2Freview"
    assert got == {kind: expected(kind, who) for kind in KINDS}


@pytest.mark.parametrize("who", ["nobody", *KNOWN])
async def test_the_console_is_told_who_it_is_and_no_client_can_say_so(
    lone: App, site: aiohttp.ClientSession, who: str
) -> None:
    headers = {**let_in(lone, who), **FORGED}
    path = "/login" if who == "nobody" else "/api/rules"
    async with site.get(path, headers=headers) as answered:
        told = {name.lower(): value for name, value in (await answered.json())["told"].items()}
    role, _, kind = who.partition(" ")
    name = role if kind == "session" else f"token:{role}-bot"
    known = {"x-assay-address": "127.0.0.1"}
    if who == "nobody":
        assert told == {"x-assay-user": "", "x-assay-login": "none", **known}
    else:
        said = {"x-assay-user": name, "x-assay-role": role, "x-assay-login": kind}
        assert told == {**said, **known}


async def test_a_login_that_ended_has_no_effect_a_moment_later(
    lone: App, site: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(doors, "monotonic", lambda: now[0])

    async def is_refused_after(headers: dict[str, str]) -> bool:
        now[0] += doors._KNOWN_S + 0.1
        async with site.get("/rules", headers=headers) as answered:
            return answered.status == 401

    person, program = let_in(lone, "reader session"), let_in(lone, "operator token")
    assert not await is_refused_after(person) and not await is_refused_after(program)
    access.disable_user(lone, "reader", actor=BY)
    access.revoke_token(lone, "operator-bot", actor=BY)
    assert await is_refused_after(person) and await is_refused_after(program)


async def test_requests_to_a_pack_belong_to_the_person_whatever_they_log_in_with(
    lone: App, site: aiohttp.ClientSession
) -> None:
    headers = let_in(lone, "reviewer session")
    again = {"Cookie": f"{SESSION_COOKIE}={logins.open_session(lone, 'reviewer')}"}
    other = let_in(lone, "operator session")
    body = {"request_id": "mine", "text": "x", "ontology": ""}
    async with site.post("/extract", json=body, headers=headers) as answered:
        assert "Assay-Token" not in answered.headers
    for some, known in ((headers, ["mine"]), (again, ["mine"]), (other, [])):
        async with site.get("/extract", headers=some) as answered:
            listed = (await answered.json())["requests"]
        assert [each["request_id"] for each in listed] == known


async def test_a_part_of_a_page_leads_the_whole_page_to_the_login(
    site: aiohttp.ClientSession,
) -> None:
    async with site.get("/review", headers={"HX-Request": "true"}) as answered:
        assert (answered.status, answered.headers["HX-Redirect"]) == (401, "/login")


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
async def test_without_a_login_a_proxy_brings_nobody(
    lone: App, tmp_path: Path, header: str
) -> None:
    async with served(lone, tmp_path, "127.0.0.1") as site:
        async with site.get("/rules") as answered:
            assert answered.status == 200
        async with site.get("/api/rules") as answered:
            told = (await answered.json())["told"]
        assert (told["X-Assay-User"], told["X-Assay-Role"]) == ("local", "operator")
        assert told["X-Assay-Login"] == "none"
        async with site.get("/rules", headers={header: "203.0.113.7"}) as answered:
            assert answered.status == 403
            assert "serve_login" in (await answered.json())["advice"]


@pytest.mark.parametrize(
    ("trusts", "forwarded", "address"),
    [
        (False, "203.0.113.7", "127.0.0.1"),
        (True, "203.0.113.7", "203.0.113.7"),
        (True, "10.9.8.7, 203.0.113.7", "203.0.113.7"),
        (True, "", "127.0.0.1"),
    ],
)
async def test_an_address_is_believed_only_from_a_declared_proxy(
    lone: App, tmp_path: Path, trusts: bool, forwarded: str, address: str
) -> None:
    lone.settings = lone.settings.model_copy(update={"serve_proxy": trusts})
    async with served(lone, tmp_path) as site:
        async with site.get("/login", headers={"X-Forwarded-For": forwarded}) as answered:
            told: dict[str, Any] = (await answered.json())["told"]
    assert told["X-Assay-Address"] == address


async def test_many_wrong_tokens_take_no_memory(
    lone: App, site: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "_MOST_KNOWN", 3)
    good = [let_in(lone, "reader token")]
    good += [
        {"Authorization": f"Bearer {access.create_token(lone, f'b{n}', Role.READER, actor=BY)[0]}"}
        for n in range(5)
    ]
    wrong = [{"Authorization": f"Bearer {n}"} for n in range(20)]

    async def ask(headers: dict[str, str]) -> int:
        async with site.get("/rules", headers=headers) as answered:
            return answered.status

    assert set(await asyncio.gather(*map(ask, good))) == {200}
    assert set(await asyncio.gather(*map(ask, wrong))) == {401}
    assert set(await asyncio.gather(*map(ask, good))) == {200}
