"""Evidence is displayed inert: whatever a document says, the page that shows it does nothing."""

import pytest
from playwright.async_api import Browser

from assay.app import App
from assay.app.principals import LOGIN_HEADER, LoginKind
from tests.console.conftest import WatchedPage, open_console, serving_console
from tests.console.hostile import (
    HostileStore,
    MarkupCheck,
    list_open_pages,
    listening_beacon,
    seed_hostile,
    visit_inert,
)

ELSEWHERE = "http://127.0.0.1:9"
"""In tests without a browser, nobody listens there."""


def list_own_pages(store: HostileStore) -> list[str]:
    """The pages of this document, of its versions, and of what quotes it."""
    start, end = store.quote
    old, new = store.evidence_ids
    return [
        f"/documents/{store.doc_id}",
        f"/documents/{store.doc_id}/versions?a=1&b=2",
        f"/evidence/{new}?quote={start}-{end}",
        f"/evidence/{new}?part=2",
        f"/evidence/{old}",
    ]


@pytest.fixture
def hostile(empty: App) -> HostileStore:
    return seed_hostile(empty, ELSEWHERE)


@pytest.mark.parametrize("path", list_open_pages())
def test_nothing_in_a_page_acts(path: str, empty: App, hostile: HostileStore) -> None:
    # Where nobody logs in, no account is needed.
    answer = open_console(empty).get(path, headers={LOGIN_HEADER: LoginKind.NONE.value})
    assert answer.status_code == 200, answer.text
    assert MarkupCheck(answer.text).found == []
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]


def test_nothing_in_the_pages_of_a_document_acts(empty: App, hostile: HostileStore) -> None:
    with open_console(empty) as console:
        for path in list_own_pages(hostile):
            answer = console.get(path)
            assert answer.status_code == 200, (path, answer.text[:2000])
            assert MarkupCheck(answer.text).found == [], path
            assert "{{7*7}}" in answer.text, path


def test_pages_of_packs_are_inert_as_well(empty: App, hostile: HostileStore) -> None:
    console = open_console(empty)
    for pack in empty.packs.installed.values():
        for page in () if pack.pages is None else pack.pages():
            if "{" not in page.path:
                answer = console.get(f"/{pack.name}{page.path.rstrip('/')}")
                assert answer.status_code == 200, answer.text
                assert MarkupCheck(answer.text).found == [], page.path


def test_a_check_sees_what_acts() -> None:
    acting = (
        "<script>1</script><img src=x onerror=y><a href='javascript:1'>a</a><iframe></iframe>"
        "<meta http-equiv=refresh content=0><p style='x'></p><a href='http://x/'>a</a>\u202e"
    )
    assert len(MarkupCheck(acting).found) == 9


@pytest.mark.parametrize("number", [0, 1])
def test_an_upload_is_only_saved(number: int, empty: App, hostile: HostileStore) -> None:
    """A page and a drawing, both with scripts: the browser gets bytes without a kind."""
    answer = open_console(empty).get(f"/evidence/{hostile.evidence_ids[number]}/original")
    assert answer.status_code == 200 and ELSEWHERE in answer.text
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert answer.headers["Content-Security-Policy"].startswith("sandbox;")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_a_browser_runs_nothing_and_asks_nobody(empty: App, browser: Browser) -> None:
    async with listening_beacon() as beacon:
        store = seed_hostile(empty, beacon.url)
        async with serving_console(empty) as own:
            watched = WatchedPage(await browser.new_page())
            for path in [*list_own_pages(store), *list_open_pages()]:
                await visit_inert(watched, own, path)
            await watched.page.goto(f"{own}/evidence/{store.evidence_ids[0]}")
            async with watched.page.expect_download() as saved:
                await watched.page.get_by_role("link", name="Save the original").click()
            assert (await saved.value).suggested_filename.isascii()
        assert beacon.heard == []
