"""The examples of `docs/how-to/use-the-api.md`, run as they are printed."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from assay.app import App
from assay.model.records import Document
from assay.store.upserts import upsert_records
from tests.console.conftest import empty, migrated_once, serving_console
from tests.console.questions import ask_people

__all__ = ["empty", "migrated_once"]

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "use-the-api.md"
_EXAMPLE = re.compile(r"```(bash|python)\n# example: ([a-z ]+)\n(.*?)```", re.DOTALL)
EXAMPLES = {
    (language, name): text for language, name, text in _EXAMPLE.findall(GUIDE.read_text("utf-8"))
}
IDS = ["do_1", "do_x0", "do_x1", "do_x2", "do_x3"]


@pytest.fixture
def stored(empty: App) -> App:
    """A store with five documents and a question."""
    ask_people(empty)
    documents = [Document(doc_id=name, source_slug="s", url=name) for name in IDS[1:]]
    with empty.engine.begin() as connection:
        upsert_records(connection, documents)
    return empty


async def run(url: str, language: str, name: str) -> str:
    """What an example prints."""
    text = EXAMPLES[language, name]
    if language == "python":
        command = [sys.executable, "-c", f"URL = {url!r}\n{text}"]
    else:
        command = ["bash", "-euc", f"URL={url}\n{text}"]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode()


async def test_the_examples_work_as_they_are_printed(stored: App) -> None:
    async with serving_console(stored) as url:
        assert (await run(url, "python", "pages")).split() == IDS
        page = json.loads(await run(url, "bash", "first page"))
        assert [each["doc_id"] for each in page["documents"]] == IDS[:2]
        assert (await run(url, "python", "decide")).strip() == "ANSWER"
        # The same key, so that it is the same decision.
        again = json.loads(await run(url, "bash", "decide"))
        assert (again["decision"], again["person"]) == ("ANSWER", "Ana")
    assert len(EXAMPLES) == 4
