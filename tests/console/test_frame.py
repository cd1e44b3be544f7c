"""The frame around every page: headers, errors, keys, and what a browser thinks of it."""

from playwright.async_api import Browser
from starlette.testclient import TestClient

from assay.app import App
from assay.app.principals import Role
from assay.console import create_console
from assay.console.layout import STATIC
from tests.console.conftest import WatchedPage, identify, open_console, serving_console


def test_a_page_carries_a_policy_that_keeps_it_inert(published: App) -> None:
    answer = open_console(published).get("/")
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    assert answer.headers["Cache-Control"] == "no-store"
    assert "HttpOnly" in answer.headers["Set-Cookie"]


def test_a_static_file_may_be_kept_because_its_address_has_its_hash(published: App) -> None:
    console = open_console(published)
    page = console.get("/").text
    address = page.split('<link rel="stylesheet" href="')[1].split('"')[0]
    answer = console.get(address)
    assert "?v=" in address and "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Type"].startswith("text/css")


def test_every_section_of_the_sheet_ends_before_the_next_one() -> None:
    depth, unended = 0, []
    for line in (STATIC / "console.css").read_text(encoding="utf-8").splitlines():
        if line.startswith("/*") and depth:
            unended.append(line)
        depth += line.count("{") - line.count("}")
    assert (depth, unended) == (0, [])


def test_a_missing_page_is_explained_to_people_and_to_programs(published: App) -> None:
    console = open_console(published)
    page, problem = console.get("/nothing"), console.get("/api/nothing")
    assert page.status_code == problem.status_code == 404
    assert "There is nothing at /nothing." in page.text
    assert problem.headers["Content-Type"] == "application/problem+json"
    assert problem.json()["detail"] == "There is nothing at /api/nothing."


def test_an_error_below_static_is_not_kept(published: App) -> None:
    answer = open_console(published).get("/static/nothing.css")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (404, "no-store")


def test_a_bug_is_answered_with_the_headers_of_every_page(published: App) -> None:
    console = create_console(published)

    @console.get("/broken")
    def break_down() -> None:
        raise RuntimeError("a bug")

    client = TestClient(console, headers=identify("ana", Role.OPERATOR))
    page = client.get("/broken")
    assert page.status_code == 500 and "This is a bug in Assay." in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == "no-store"


def test_a_day_before_all_days_is_refused(published: App) -> None:
    answer = open_console(published).get("/budget", params={"day": "0001-01-01"})
    assert answer.status_code == 400 and "Nothing was spent" in answer.text


def test_head_is_answered_without_a_body(published: App) -> None:
    answer = open_console(published).head("/")
    assert answer.status_code == 200 and answer.text == ""


def test_a_reader_is_shown_as_such(published: App) -> None:
    page = open_console(published, "ivo", Role.READER).get("/").text
    assert '<a class="who" href="/account">ivo</a>' in page


async def test_the_page_works_in_a_browser_behind_the_real_server(
    published: App, browser: Browser
) -> None:
    async with serving_console(published) as url:
        watched = WatchedPage(await browser.new_page())
        page = watched.page
        await page.goto(url)
        assert await page.locator("h1").inner_text() == "Overview"
        await page.keyboard.press("?")
        assert await page.locator("dialog#keys").is_visible()
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Theme").click()
        await page.get_by_role("button", name="Theme").click()
        assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert watched.complaints == []
        assert all(address.startswith(url) for address in watched.requested)
