"""A scripted person answers the questions of a large store, at the desk and on the command line.

Run as `python -m tests.console.desk_trial`; it prints seconds and keystrokes per question. At the
desk, everything is done with keys in a real browser: every question is shown before it is answered,
and every seventh is rejected with a reason. On the command line, each question is shown, and then
answered, by a process of its own, as a person would start it; ids are typed as 10 characters.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.async_api import Page

from assay.app import App
from assay.app.composition import init_home
from assay.settings import Settings, load_settings
from tests.console.conftest import browsing, serving_console
from tests.console.desk_store import ask, fill, make_questions

_REASON = "not a levy of ours"
_REJECTED_EVERY = 7
_TYPED_ID = 10
_PATIENCE_MS = 600_000


def main() -> None:
    """Seed the store, let the person work, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--commands", type=int, default=20, help="How many by command line.")
    parser.add_argument("--facts", type=int, default=20_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(home=Path(folder) / "home")
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            questions = ask(app, *make_questions(chosen.questions + chosen.commands))
            fill(app, chosen.facts)
            seconds, keys = asyncio.run(_answer_at_desk(app, chosen.questions))
            _report("review desk, one at a time", chosen.questions, seconds, keys)
        seconds, keys = _answer_by_command(settings, questions[chosen.questions :])
        _report("command line", chosen.commands, seconds, keys)


def _report(name: str, count: int, seconds: float, keys: int) -> None:
    sys.stdout.write(
        f"{name}: {count} questions, {seconds / count:.2f} s and {keys / count:.1f} keystrokes "
        "per question\n"
    )
    sys.stdout.flush()


async def _answer_at_desk(app: App, count: int) -> tuple[float, int]:
    async with serving_console(app) as url, browsing() as browser:
        page = await browser.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        await page.goto(f"{url}/review")
        began = time.monotonic()
        keys = await _press(page, "n")
        for number in range(count):
            # The quote is on the page before anything is decided.
            await page.locator("mark").first.wait_for()
            if number % _REJECTED_EVERY:
                await page.keyboard.press("a")
                await page.locator("[data-decides]:focus").wait_for()
                keys += 1
            else:
                await page.keyboard.press("r")
                await page.locator("[name=note]:focus").wait_for()
                await page.keyboard.type(_REASON)
                keys += 1 + len(_REASON)
            keys += await _press(page, "Enter")
        return time.monotonic() - began, keys


async def _press(page: Page, key: str) -> int:
    async with page.expect_navigation():
        await page.keyboard.press(key)
    return 1


def _answer_by_command(settings: Settings, questions: list[str]) -> tuple[float, int]:
    began, keys = time.monotonic(), 0
    environment = {**os.environ, "ASSAY_HOME": str(settings.home)}
    for number, question in enumerate(questions):
        name = question[:_TYPED_ID]
        answer = ["review", "approve", name, "--by", "ana"]
        if number % _REJECTED_EVERY == 0:
            answer = ["review", "reject", name, "--by", "ana", "--note", f"'{_REASON}'"]
        for words in (["review", "show", name], answer):
            subprocess.run(
                [sys.executable, "-m", "assay.cli", *words],
                env=environment,
                check=True,
                capture_output=True,
            )
            # The name of the program, the words, the spaces between them, and Enter.
            keys += len(" ".join(["assay", *words])) + 1
    return time.monotonic() - began, keys


if __name__ == "__main__":
    main()
