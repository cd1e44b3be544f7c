"""The pages about the work in a real browser: renewal, keys, selection, and a small screen."""

import sqlalchemy as sa
from playwright.async_api import Browser, expect

from assay.app import App
from assay.store import tables as t
from tests.console.conftest import WatchedPage, serving_console
from tests.console.large import fill_store
from tests.console.large_plan import SMALL


async def test_an_operator_follows_the_work_and_retries_what_died(
    empty: App, browser: Browser
) -> None:
    fill_store(empty, SMALL)
    async with serving_console(empty) as url:
        watched = WatchedPage(await browser.new_page())
        page = watched.page
        await page.goto(url)
        fetch = page.locator("#stage-fetch")
        await expect(fetch).to_contain_text("50 dead")
        await fetch.focus()
        assert await page.locator(".pipeline .arrow.own").count() >= 3
        with empty.engine.begin() as connection:
            connection.execute(sa.delete(t.dead_letter).where(t.dead_letter.c.attempt == 1))
        # The page renews itself, and what has the focus keeps it.
        await expect(fetch).not_to_contain_text("50 dead", timeout=60_000)
        assert await page.evaluate("document.activeElement.id") == "stage-fetch"

        await page.keyboard.press("g")
        await page.keyboard.press("j")
        await expect(page.locator("h1")).to_have_text("Jobs")
        await page.get_by_label("State").select_option("queued")
        await page.get_by_role("button", name="Filter").click()
        await page.wait_for_url("**state=queued**")
        await page.keyboard.press("x")
        await expect(page.locator(".selected")).to_have_text("7 selected:")
        await page.get_by_role("button", name="Cancel…").click()
        await expect(page.locator("h1")).to_have_text("Cancel 7 jobs?")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status").first).to_have_text("7 jobs cancelled.")
        for path in ("/sources", "/sources/gazette-005", "/sources/add", "/runs", "/budget"):
            await page.goto(url + path)
            await page.set_viewport_size({"width": 360, "height": 700})
            width = await page.evaluate("document.documentElement.scrollWidth")
            assert width <= 360, (path, width)
        assert watched.complaints == []
        assert all(address.startswith(url) for address in watched.requested)
