"""The page of the first hour: each of its commands prints what it shows."""

import asyncio
import os
import shutil
import socket
import sys
from pathlib import Path

import pytest

from tests.docs.console_page import matches_output, play_page, read_commands
from tests.docs.test_docs import DOCS
from tests.providers.server import ProviderServer

PAGE = DOCS / "first-hour.md"
BROWSER = shutil.which("chromium")


def find_free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


@pytest.mark.skipif(BROWSER is None, reason="prints a page with Chromium")
async def test_each_command_of_the_first_hour_prints_what_the_page_shows(tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    async with ProviderServer() as model:
        replaced = {
            "8070": find_free_port(),
            "8025": find_free_port(),
            "http://127.0.0.1:11434": model.url,
            # The environment of the tests stays as it is.
            "$ pip install -e ships": (
                f"$ {sys.executable} -m pip install --quiet --no-build-isolation --no-deps "
                f"--target {packs} ./ships"
            ),
        }
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(packs),
        }
        played = await asyncio.to_thread(play_page, PAGE, tmp_path, environment, replaced)
    assert played.differences == []
    assert played.commands > 30


def test_a_difference_would_be_found() -> None:
    shown = ("a fee of 5 EUR", "...", "the end of run 20261119T220947Z-2c1a56 ... in 0.3 s")
    assert matches_output(shown, ["a fee of 5 EUR", "", "x", "the  end of run "
                                  "20250101T000000Z-000000, sealed, in 12.7 s"])  # fmt: skip
    assert not matches_output(shown, ["a fee of 6 EUR", "the end of run r in 1.0 s"])
    assert not matches_output(("one",), ["one", "two"])
    assert not matches_output(("one", "two"), ["one"])


def test_commands_are_read_with_their_documents_and_marks() -> None:
    text = (
        "```console\n$ cat > a <<'EOF'\nx\n$ y\nEOF\n$ ls \\\n  -l\na\n```\n"
        "<!-- another terminal -->\n```console\n$ serve\n```\n"
    )
    found = list(read_commands(text))
    assert [(one.line, one.command, one.output, one.mark) for one in found] == [
        (2, "cat > a <<'EOF'\nx\n$ y\nEOF", (), ""),
        (6, "ls \\\n  -l", ("a",), ""),
        (12, "serve", (), "another terminal"),
    ]
