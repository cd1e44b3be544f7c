"""How fast the console's pages are: p50 and p95 of each, asked one after the other in this process.

python -m tests.console.speed /tmp/large-home [TIMES] [PATH ...]
"""

import argparse
import re
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from assay.app import App
from tests.conftest import quick_settings
from tests.console.conftest import open_console

_SLOW_MS = 150


def list_addresses(app: App) -> list[str]:
    """The pages about the work, with the first address of each kind."""
    console = open_console(app)
    found = {
        name: re.findall(rf'href="({name}/[^"?#]+)"', console.get(name).text)
        for name in ("/jobs", "/runs", "/sources")
    }
    return [
        "/", "/?part=now", "/jobs", "/jobs?stage=extract", "/jobs?state=queued",
        "/jobs?state=discarded", "/jobs?source=gazette-007", found["/jobs"][0], "/dead-letters",
        "/dead-letters?source=gazette-001", "/runs", found["/runs"][1], "/sources",
        "/sources?show=trouble", found["/sources"][5], "/sources/add", "/budget", "/budget/ledger",
    ]  # fmt: skip


def measure(app: App, addresses: Sequence[str], times: int) -> list[tuple[str, float, float]]:
    """Each address with its p50 and p95 in milliseconds."""
    console = open_console(app)
    figures = []
    for address in addresses:
        answer = console.get(address)
        assert answer.status_code == 200, f"{address}: {answer.status_code}"
        taken = []
        for _ in range(times):
            began = time.perf_counter()
            console.get(address)
            taken.append((time.perf_counter() - began) * 1000)
        figures.append((address, statistics.median(taken), sorted(taken)[int(times * 0.95)]))
    return figures


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each page; those above 150 ms are marked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("times", type=int, nargs="?", default=20)
    parser.add_argument("path", nargs="*")
    given = parser.parse_args(arguments)
    with App(quick_settings(given.home)) as app:
        for address, middle, high in measure(app, given.path or list_addresses(app), given.times):
            mark = "  slow" if high > _SLOW_MS else ""
            sys.stdout.write(f"{middle:8.1f} {high:8.1f} ms  {address}{mark}\n")


if __name__ == "__main__":
    main()
