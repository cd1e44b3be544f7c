"""Every page of the console, as axe-core sees it: nothing serious keeps anybody from using it."""

import re
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page

from assay.app import App
from tests.console.conftest import serving_console
from tests.console.hostile import list_open_pages
from tests.console.large import fill_store
from tests.console.large_plan import SMALL
from tests.waiting import PATIENCE_S

_ID = re.compile(r"[^/]*\d[^/]*")
_SERIOUS = {"serious", "critical"}
_MOST_PAGES = 60
_NOT_PAGES = re.compile(r"/(?:static|api|feeds)/|\.(?:png|jsonl|xml)$|/original$|/files/|/login")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_page_has_a_serious_problem(empty: App, browser: Browser, scheme: str) -> None:
    fill_store(empty, SMALL)
    found: dict[str, list[str]] = {}
    async with serving_console(empty) as url:
        page = await browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_default_timeout(PATIENCE_S * 1000)
        waiting, seen = list_open_pages(), set[str]()
        while waiting and len(seen) < _MOST_PAGES:
            path = waiting.pop(0)
            kind = name_kind(path)
            if kind in seen or _NOT_PAGES.search(urlsplit(path).path):
                continue
            seen.add(kind)
            answer = await page.goto(url + path)
            if answer is None or "html" not in answer.headers.get("content-type", ""):
                continue
            found |= {f"{path}: {name}": places for name, places in await list_problems(page)}
            waiting += await list_links(page)
    assert len(seen) > 20
    assert found == {}


def name_kind(path: str) -> str:
    """The same for pages that differ only in what they are about."""
    parts = urlsplit(path)
    return "/".join("{}" if _ID.fullmatch(name) else name for name in parts.path.split("/"))


async def list_problems(page: Page) -> list[tuple[str, list[str]]]:
    results = await Axe().run(page)
    return [
        (each["id"], [node["html"][:160] for node in each["nodes"][:3]])
        for each in results.response["violations"]
        if each["impact"] in _SERIOUS
    ]


async def list_links(page: Page) -> list[str]:
    """The addresses of this console that a page leads to."""
    read = """all => all.map(a => new URL(a.getAttribute("href"), location.href))
        .map(address => [address.host, address.pathname + address.search])"""
    links = await page.eval_on_selector_all("main a[href], nav a[href]", read)
    return [path for host, path in links if host == urlsplit(page.url).netloc]


def test_pages_about_different_things_are_of_one_kind() -> None:
    assert name_kind("/rules/rl_12?x=1") == name_kind("/rules/rl_9a") == "/rules/{}"
    assert name_kind("/rules") == "/rules"
