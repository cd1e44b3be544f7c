"""Sources: what a person sees of one, and pausing, looking, reopening, removing and adding."""

from collections.abc import AsyncIterator

import anyio.to_thread
import pytest
import sqlalchemy as sa
from aiohttp import web
from httpx2 import Response
from starlette.testclient import TestClient

from assay.app import App
from assay.app.principals import Role
from assay.app.source_previews import FOLDER
from assay.clock import SystemClock
from assay.console.forms import TOKEN_COOKIE
from assay.console.pages import sources as pages
from assay.store import tables as t
from tests.console.conftest import open_console
from tests.console.large import fill_store
from tests.console.large_plan import SMALL
from tests.server.sites import listening


@pytest.fixture
def watched(empty: App) -> App:
    """Six sources; the fourth is paused, the sixth failed too often."""
    fill_store(empty, SMALL)
    return empty


def _send(console: TestClient, address: str, **fields: str) -> Response:
    console.get("/jobs")
    return console.post(address, data={"token": console.cookies[TOKEN_COOKIE], **fields})


def _row(app: App, table: sa.Table, *where: sa.ColumnElement[bool]) -> dict[str, object]:
    return app.fetch_rows(sa.select(table).where(*where))[0]


def test_sources_are_listed_with_their_state(watched: App) -> None:
    page = open_console(watched).get("/sources").text
    assert page.count('<th scope="row">') == SMALL.sources
    assert "paused" in page and "closed" in page and "regulatory" in page
    trouble = open_console(watched).get("/sources?show=trouble").text
    assert trouble.count('<th scope="row">') == 2


def test_a_source_shows_its_looks_its_errors_and_what_it_must_yield(watched: App) -> None:
    page = open_console(watched).get("/sources/gazette-005").text
    assert "at least 10 in each look" in page and "usually" in page
    assert "New items by day, 92 days" in page and 'class="bars"' in page
    assert "answered 503" in page and "5 times in a row" in page
    assert "/dead-letters?source=gazette-005" in page
    assert open_console(watched).get("/sources/nothing").status_code == 404


def test_a_source_is_paused_and_resumed(watched: App) -> None:
    console = open_console(watched)
    _send(console, "/sources/gazette-001/pause", reason="<b>rebuilt", hours="2")
    page = console.get("/sources/gazette-001").text
    assert "&lt;b&gt;rebuilt (ana)" in page and "2023-11-15 00:13" in page
    _send(console, "/sources/gazette-001/resume")
    assert "Pause…" in console.get("/sources/gazette-001").text
    _send(console, "/sources/gazette-001/pause", reason="x", until_resumed="true")
    assert "until a person resumes it" in console.get("/sources/gazette-001").text
    assert _send(console, "/sources/gazette-001/pause", reason="").status_code == 400


def test_a_look_is_queued_once_and_it_says_who_does_it(watched: App) -> None:
    console = open_console(watched)
    with watched.engine.begin() as connection:
        connection.execute(sa.update(t.worker).values(heartbeat_ms=SystemClock().now_ms()))
    assert _send(console, "/sources/gazette-001/look").status_code == 303
    page = console.get("/sources/gazette-001").text
    assert "The look is queued; w0 does it." in page and "look queued" in page
    job = _row(watched, t.job, t.job.c.subject == "gazette-001/feed")
    run = _row(watched, t.run, t.run.c.run_id == job["run_id"])
    assert (job["stage"], job["state"], run["label"]) == ("sentinel", "queued", "look")
    assert run["params"] == {"sources": ["gazette-001"], "asked_by": "ana"}
    with watched.engine.begin() as connection:
        connection.execute(sa.delete(t.worker))
    _send(console, "/sources/gazette-001/look")
    page = console.get("/sources/gazette-001").text
    assert "A look already waits, but no worker is running." in page and "assay run" in page


def test_a_closed_endpoint_is_reopened(watched: App) -> None:
    console = open_console(watched)
    assert "Reopen" in console.get("/sources/gazette-005").text
    _send(console, "/sources/gazette-005/reopen", endpoint="gazette-005/feed")
    found = _row(watched, t.endpoint, t.endpoint.c.endpoint_id == "gazette-005/feed")
    assert (found["consecutive_errors"], found["last_error"]) == (0, None)
    assert "looked at again" in console.get("/sources/gazette-005").text
    assert _send(console, "/sources/gazette-005/reopen", endpoint="no/thing").status_code == 404


def test_a_source_is_removed_and_its_documents_stay(watched: App) -> None:
    console = open_console(watched)
    _send(console, "/sources/gazette-004/remove")
    page = console.get("/sources/gazette-004").text
    assert "no longer watched" in page and ">Look now</button>" not in page
    assert watched.fetch_rows(
        sa.select(t.document).where(t.document.c.source_slug == "gazette-004")
    )


def test_nobody_but_an_operator_changes_a_source(watched: App) -> None:
    reviewer = open_console(watched, "ivo", Role.REVIEWER)
    assert ">Look now</button>" not in reviewer.get("/sources/gazette-001").text
    for address in ("pause", "resume", "look", "reopen", "remove"):
        fields = {"reason": "x", "endpoint": "x"}
        answer = _send(reviewer, f"/sources/gazette-001/{address}", **fields)
        assert answer.status_code == 403, address
    assert reviewer.get("/sources/add").status_code == 403
    assert _send(reviewer, "/sources/preview", url="http://x.example/").status_code == 403
    forged = open_console(watched).post("/sources/gazette-001/remove")
    assert forged.status_code == 403


_LISTING = """<!doctype html><title>The gazette</title><main><ul>
<li><time datetime="2026-01-31">31 January</time> <a href="/acts/1">The first act</a></li>
<li><time datetime="2026-02-01">1 February</time> <a href="/acts/2">The second act</a></li>
<li><time datetime="2026-02-02">2 February</time> <a href="/acts/3">&lt;img src=x&gt; act</a></li>
</ul></main>"""


@pytest.fixture
async def site() -> AsyncIterator[str]:
    """A page that lists three acts."""
    made = web.Application()

    async def show(_request: web.Request) -> web.Response:
        return web.Response(text=_LISTING, content_type="text/html")

    made.router.add_get("/", show)
    async with listening(made) as url:
        yield url


@pytest.fixture
def open_minded(empty: App) -> App:
    """An installation that may fetch from this machine."""
    settings = empty.settings.model_copy(update={"fetch_allow_private": ("127.0.0.1",)})
    return App(settings, clock=empty.clock)


async def test_an_address_is_previewed_and_then_watched(open_minded: App, site: str) -> None:
    console = open_console(open_minded)

    def play() -> tuple[Response, Response]:
        tried = _send(
            console, "/sources/preview", url=site, strategy="HTML_LIST", selects="item=li"
        )
        fields = {"name": "gazette", "pack": "regulatory", "strategy": "HTML_LIST"}
        return tried, _send(console, "/sources/add", url=site, selects="item=li", **fields)

    tried, added = await anyio.to_thread.run_sync(play)
    assert tried.status_code == 200, tried.text
    assert "The first act" in tried.text and "2026-01-31" in tried.text
    assert "<img" not in tried.text
    assert "Watch this source" in tried.text
    assert (added.status_code, added.headers.get("Location")) == (303, "/sources/gazette")
    source = _row(open_minded, t.source)
    assert (source["source_slug"], source["packs"]) == ("gazette", ["regulatory"])
    assert _row(open_minded, t.endpoint)["options"]["item"] == "li"  # type: ignore[index]
    assert (open_minded.settings.home / FOLDER / "gazette" / "source.yml").is_file()
    assert "gazette" in console.get("/sources/gazette").text


async def test_what_cannot_be_fetched_is_explained_in_the_form(empty: App, site: str) -> None:
    console = open_console(empty)
    answers = await anyio.to_thread.run_sync(
        lambda: [_send(console, "/sources/preview", url=url) for url in (site, "/etc/passwd")]
    )
    for answer, given in zip(answers, (site, "/etc/passwd"), strict=True):
        assert answer.status_code == 400 and f'value="{given}"' in answer.text
        assert "Watch this source" not in answer.text
    assert "must begin with http" in answers[1].text and "root:" not in answers[1].text


def test_one_preview_runs_at_a_time(empty: App) -> None:
    with pages._Turn():
        answer = _send(open_console(empty), "/sources/preview", url="http://x.example/")
    assert answer.status_code == 503 and answer.headers["Retry-After"]
