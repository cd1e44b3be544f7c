"""`python -m tests.console.pictures HOME FOLDER`: the pictures of the console for the docs.

HOME is one in which the demo was played. Each page is opened behind the real server, in Chromium.
"""

import asyncio
import sys
from pathlib import Path

from playwright.async_api import Page

from assay.app import App
from assay.app.reviewing import list_open_requests
from assay.app.rule_queries import list_facts
from assay.settings import load_settings
from tests.console.conftest import browsing, serving_console

_SIZE = {"width": 1180, "height": 740}


async def take_pictures(home: Path, folder: Path) -> None:
    """Take all of them."""
    with App(load_settings(home=home)) as app:
        async with serving_console(app) as url, browsing() as browser:
            page = await browser.new_page(viewport=_SIZE, color_scheme="light")  # type: ignore[arg-type]
            for name, path in _list_pages(app).items():
                await _open(page, url + path)
                await page.screenshot(path=folder / f"{name}.png")


async def _open(page: Page, address: str) -> None:
    answer = await page.goto(address)
    assert answer is not None and answer.ok, address
    await page.wait_for_load_state("networkidle")


def _list_pages(app: App) -> dict[str, str]:
    questions, _ = list_open_requests(app, limit=2)
    facts, _ = list_facts(app, limit=1, concept="pdv.rate")
    evidence = facts[0]["evidence_id"]
    return {
        "overview": "/",
        "review": f"/review/{questions[-1]['request_id']}",
        "evidence": f"/evidence/{evidence}?quote={facts[0]['start']}-{facts[0]['end']}",
        "ask": "/ask?q=pdv.rate&as_of=2026-06-30",
        "sources": "/sources",
        "meetings": "/civic/meetings",
        "library": "/literature/library",
    }


if __name__ == "__main__":
    asyncio.run(take_pictures(Path(sys.argv[1]), Path(sys.argv[2])))
