"""The review desk in a real browser: keys only, two people at once, a phone, and stray clicks."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Thread
from typing import Any

import uvicorn
from playwright.async_api import Browser, Page

from assay.app import App
from assay.app.principals import Role
from assay.app.releases import create_release, load_manifest
from assay.console import create_console
from tests.console.conftest import WatchedPage, identify, serving_console
from tests.console.desk_store import ask, make_questions, pending
from tests.console.test_review import decisions, rule_of
from tests.ruling.release_builders import PACK, RATE, THRESHOLD
from tests.waiting import until


@contextmanager
def serving_alone(app: App) -> Iterator[str]:
    """The console without the server in front of it: a browser says itself who it belongs to."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_console(app), ws="none", log_config=None))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        until(lambda: server.started)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@asynccontextmanager
async def person(browser: Browser, name: str, **more: Any) -> AsyncIterator[WatchedPage]:
    """Somebody with a browser of their own."""
    context = await browser.new_context(extra_http_headers=identify(name, Role.REVIEWER), **more)
    try:
        yield WatchedPage(await context.new_page())
    finally:
        await context.close()


def release(app: App) -> list[dict[str, Any]]:
    """The rules of the release that follows."""
    with App(app.settings) as later:
        made = create_release(later, PACK, by="ana").release
        assert made is not None
        return list(load_manifest(later, made).rules)


async def state_name(page: Page, url: str) -> None:
    """Say who decides: nobody logs in here."""
    await page.goto(f"{url}/account")
    await page.get_by_label("Your name").fill("Ana")
    await page.get_by_role("button", name="Keep the name").click()
    await page.locator(".message").wait_for()


async def press(page: Page, key: str) -> None:
    """Press a key that leads to another page."""
    async with page.expect_navigation():
        await page.keyboard.press(key)


async def focused(page: Page) -> str:
    """The text of the button, or the name of the field, that has the focus."""
    script = "document.activeElement.textContent.trim() || document.activeElement.name"
    return str(await page.evaluate(script))


async def test_from_question_to_release_with_keys_alone(empty: App, browser: Browser) -> None:
    first, second, third, fourth = ask(empty, pending(RATE), *make_questions(2), pending(THRESHOLD))
    async with serving_console(empty) as url:
        watched = WatchedPage(await browser.new_page())
        page = watched.page
        await state_name(page, url)
        await page.goto(f"{url}/review")
        await press(page, "n")
        assert page.url.endswith(first)
        # Choosing decides nothing; it focuses what confirms, next to what will happen.
        await page.keyboard.press("a")
        await page.locator("[data-decides]:focus").wait_for()
        assert "Confirm: approve" in await focused(page)
        assert await page.get_by_text("the next release may contain it").is_visible()
        await page.keyboard.press("Escape")
        assert decisions(empty) == []
        await page.keyboard.press("a")
        await page.locator("[data-decides]:focus").wait_for()
        await press(page, "Enter")
        assert page.url.split("?")[0].endswith(second)
        assert "Approved: pdv.rate: 25 %." in await page.locator(".message").inner_text()
        # Undo, which is shown first, and decide again.
        await press(page, "u")
        await press(page, "Enter")
        assert rule_of(empty, first)["status"] == "PENDING_REVIEW"
        await page.keyboard.press("a")
        await page.locator("[data-decides]:focus").wait_for()
        await press(page, "Enter")
        # A rejection asks for its reason first.
        await page.keyboard.press("r")
        await page.locator("[name=note]:focus").wait_for()
        await page.keyboard.type("not a levy of ours")
        await press(page, "Enter")
        assert rule_of(empty, second)["status"] == "REJECTED"
        # A correction starts in its first field.
        assert third in page.url
        await page.keyboard.press("e")
        await page.locator("[name=value]:focus").wait_for()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.keyboard.type("2040-01-01")
        await press(page, "Enter")
        assert rule_of(empty, third)["person_version"] == {"effective_until": "2040-01-01"}
        assert fourth in page.url
        await press(page, "s")
        assert page.url.endswith("/review"), "nothing else is left"
        await press(page, "n")
        assert fourth in page.url, "somebody has to decide it after all"
        await page.keyboard.press("a")
        await page.locator("[data-decides]:focus").wait_for()
        await press(page, "Enter")
        assert await page.get_by_text("No question waits for a person.").is_visible()
        assert watched.complaints == []
        assert all(address.startswith(url) for address in watched.requested)
    assert [row["decision"] for row in decisions(empty)] == [
        "APPROVE", "UNDO", "APPROVE", "REJECT", "EDIT", "APPROVE",
    ]  # fmt: skip
    lines = await asyncio.to_thread(release, empty)
    until_of = {line["concept"]: line["effective_until"] for line in lines}
    assert until_of == {"pdv.rate": None, "levy_0.rate": "2040-01-01", "pdv.threshold": None}


async def test_two_reviewers_at_once(empty: App, browser: Browser) -> None:
    questions = ask(empty, *make_questions(3))
    with serving_alone(empty) as url:
        async with person(browser, "ana") as ana, person(browser, "bo") as bo:
            await ana.page.goto(f"{url}/review")
            await press(ana.page, "n")
            await bo.page.goto(f"{url}/review")
            assert await bo.page.get_by_text("ana has this open").is_visible()
            await press(bo.page, "n")
            assert bo.page.url.split("?")[0] != ana.page.url.split("?")[0]
            # Both look at the same one after all, and both choose.
            await bo.page.goto(f"{url}/review/{questions[0]}")
            assert await bo.page.get_by_text("ana has this open").is_visible()
            await ana.page.keyboard.press("a")
            await bo.page.keyboard.press("r")
            await bo.page.locator("[name=note]:focus").wait_for()
            await bo.page.keyboard.type("doubtful")
            await ana.page.locator("[data-decides]:focus").wait_for()
            await press(ana.page, "Enter")
            await press(bo.page, "Enter")
            told = await bo.page.locator("main").inner_text()
            assert "ana approved" in told and "Nothing was decided in your name." in told
            # The next question is one key away, and is not the one that ana has now.
            await press(bo.page, "n")
            assert bo.page.url.split("?")[0] != ana.page.url.split("?")[0]
            assert ana.complaints == []
            refusal = "status of 409 (Conflict)"
            assert [text for text in bo.complaints if refusal not in text] == []
    assert [(row["person"], row["decision"]) for row in decisions(empty)] == [("ana", "APPROVE")]


async def test_stray_clicks_and_keys_decide_nothing(empty: App, browser: Browser) -> None:
    questions = ask(empty, *make_questions(5))
    with serving_alone(empty) as url:
        async with person(browser, "ana") as ana:
            page = ana.page
            await page.goto(f"{url}/review/{questions[0]}")
            for key in ("Enter", " ", "x", "1", "y", "Enter"):
                await page.keyboard.press(key)
            for summary in await page.locator("details.answer > summary").all():
                await summary.dblclick()
                await summary.click()
            for place in ("h1", "blockquote", "mark", ".effect >> nth=0", ".desk"):
                await page.locator(place).first.click()
            await page.keyboard.press("Escape")
            await page.keyboard.press("Enter")
            for key in ("a", "r", "e", "a"):
                await page.keyboard.press("Escape")
                await page.keyboard.press(key)
            assert page.url.endswith(questions[0])
            await page.goto(f"{url}/review/{questions[0]}/similar")
            # No answer is chosen: with one, `t` and Enter would be two deliberate steps.
            for key in ("Enter", "t", "x", "Enter", "Escape", "Enter"):
                await page.keyboard.press(key)
            await page.locator(".alike").last.scroll_into_view_if_needed()
            await page.locator("mark").first.click()
            await page.goto(f"{url}/review")
            await page.keyboard.press("j")
            await page.keyboard.press("x")
            assert decisions(empty) == []
            assert ana.complaints == []


async def test_similar_questions_are_ticked_after_each_was_on_the_screen(
    empty: App, browser: Browser
) -> None:
    questions = ask(empty, *make_questions(5))
    with serving_alone(empty) as url:
        async with person(browser, "ana", viewport={"width": 1000, "height": 700}) as ana:
            page = ana.page
            await page.goto(f"{url}/review/{questions[0]}")
            await press(page, "m")
            everything = page.locator("#tick-all")
            await page.get_by_text("not yet on the screen").wait_for()
            assert await everything.is_disabled()
            await page.keyboard.press("x")
            assert await page.locator("input[name=item]:checked").count() == 1
            for _ in questions:
                await page.keyboard.press("j")
            for item in await page.locator(".alike .end").all():
                await item.scroll_into_view_if_needed()
            await page.locator("#tick-all:enabled").wait_for()
            await page.keyboard.press("t")
            assert await page.locator("#ticked").inner_text() == "5 of 5 ticked"
            await page.keyboard.press("a")
            await page.locator("[data-decides]:focus").wait_for()
            assert decisions(empty) == []
            await press(page, "Enter")
            assert "Approved: 5 questions." in await page.locator(".message").inner_text()
            assert ana.complaints == []
    assert len(decisions(empty)) == 5


async def test_a_phone_is_enough(empty: App, browser: Browser) -> None:
    (question, _, _) = ask(empty, pending(RATE), *make_questions(2))
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    with serving_alone(empty) as url:
        async with person(browser, "ana", **phone) as ana:
            page = ana.page
            for path in ("/review", "/conflicts", f"/review/{question}/similar"):
                await page.goto(url + path)
                wide = "document.documentElement.scrollWidth - window.innerWidth"
                assert await page.evaluate(wide) <= 0, path
            await page.goto(f"{url}/review")
            await page.get_by_text("Start with the most urgent").click()
            await page.wait_for_url(f"**/{question}")
            assert await page.evaluate(wide) <= 0
            answer = page.locator("details.answer > summary").first
            box = await answer.bounding_box()
            assert box is not None and box["height"] >= 44, "large enough for a thumb"
            await answer.click()
            confirm = page.get_by_role("button", name="Confirm: approve")
            await confirm.wait_for()
            async with page.expect_navigation():
                await confirm.click()
            assert await page.get_by_text("Approved: pdv.rate").is_visible()
            assert ana.complaints == []
    assert [row["decision"] for row in decisions(empty)] == ["APPROVE"]
