"""Logging in with a real browser, through the real server and the console's process."""

from playwright.async_api import Browser

from assay.app import App, access
from assay.app.principals import Role
from tests.access.conftest import PASSWORD
from tests.console.conftest import WatchedPage, browser, serving_console

__all__ = ["browser"]


async def test_a_person_logs_in_and_out_with_the_keyboard(lone: App, browser: Browser) -> None:
    lone.settings = lone.settings.model_copy(update={"serve_login": "always"})
    access.add_user(lone, "ana", Role.OPERATOR, PASSWORD, actor="shell:root")
    async with serving_console(lone) as url:
        context = await browser.new_context()
        watched = WatchedPage(await context.new_page())
        page = watched.page
        await page.goto(f"{url}/account")
        assert page.url == f"{url}/login?next=%2Faccount"
        # The first field has the focus.
        await page.keyboard.type("ana")
        await page.keyboard.press("Tab")
        await page.keyboard.type(PASSWORD)
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"{url}/account")
        assert await page.locator("a.who").inner_text() == "ana"
        cookies = {each["name"]: each for each in await context.cookies()}
        assert cookies["assay_session"]["httpOnly"]
        assert "assay_session" not in await page.evaluate("document.cookie")
        await page.get_by_role("link", name="People and tokens").click()
        assert await page.locator("h1").inner_text() == "People and tokens"
        await page.goto(f"{url}/account")
        await page.get_by_role("button", name="Log out").click()
        await page.wait_for_url(f"{url}/login")
        assert await page.locator("nav a").count() == 0
        await page.goto(f"{url}/account")
        assert "/login" in page.url
        assert watched.complaints == []
