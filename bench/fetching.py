"""What politeness and safety cost: CPU for each page, beside bare aiohttp on the same pages.

The site runs in a process of its own, so the figures are the client's alone. Rounds alternate,
and the median counts. Besides, a process of its own fetches bombs and tells its peak of memory.
"""

import argparse
import asyncio
import multiprocessing
import resource
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final

import aiohttp
from tests.bad_site.behaviours import send_bomb, send_endless, serve_page
from tests.bad_site.site import serve_in_thread

from assay.errors import ContentError
from assay.sources.fetching import Fetcher, FetchPolicy
from bench.report import Report, print_report

PAGES: Final = 5_000
QUICK_PAGES: Final = 500
ROUNDS: Final = 5
AT_A_TIME: Final = 16
BODY: Final = b"<p>Good day to all who read this page.</p>\n" * 100
HOSTILE: Final = ("/bomb", "/nested", "/deflate", "/endless")
_SPAWN: Final = multiprocessing.get_context("spawn")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args(arguments)
    pages = QUICK_PAGES if given.quick else PAGES
    with _site() as url:
        report = asyncio.run(_compare(url, pages, 1 if given.quick else ROUNDS))
        peaks = {path: _peak_mb(url, path) for path in HOSTILE}
    print_report(_with_peaks(report, peaks), given.json)


async def _compare(url: str, pages: int, rounds: int) -> Report:
    ours: list[tuple[float, float]] = []
    bare: list[tuple[float, float]] = []
    for _ in range(rounds):
        ours.append(await _timed(_with_fetcher, url, pages))
        bare.append(await _timed(_with_aiohttp, url, pages))
    cpu_ours, cpu_bare = (statistics.median(cpu for cpu, _ in found) for found in (ours, bare))
    return Report(
        name="CPU for a fetched page",
        unit="µs/page",
        better="lower",
        ours=cpu_ours / pages * 1e6,
        peers={"bare aiohttp": cpu_bare / pages * 1e6},
        detail={
            "pages": pages,
            "rounds": rounds,
            "pages at a time": AT_A_TIME,
            "bytes of a page": len(BODY),
            "pages/s, ours": round(pages / statistics.median(wall for _, wall in ours)),
            "pages/s, bare": round(pages / statistics.median(wall for _, wall in bare)),
        },
    )


async def _timed(
    work: Callable[[str, int], Awaitable[None]], url: str, pages: int
) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    await work(url, pages)
    return time.process_time() - cpu, time.perf_counter() - wall


async def _with_fetcher(url: str, pages: int) -> None:
    policy = FetchPolicy(
        allow_private=("127.0.0.1",), host_gap_s=0.0,
        host_concurrency=AT_A_TIME, concurrency=AT_A_TIME,
    )  # fmt: skip
    async with Fetcher(policy) as fetcher:

        async def one(number: int) -> bytes:
            return (await fetcher.fetch(f"{url}/page?n={number}")).body

        await _all(one, pages)


async def _with_aiohttp(url: str, pages: int) -> None:
    async with aiohttp.ClientSession() as session:

        async def one(number: int) -> bytes:
            async with session.get(f"{url}/page?n={number}") as response:
                return await response.read()

        await _all(one, pages)


async def _all(one: Callable[[int], Awaitable[bytes]], pages: int) -> None:
    """So many at a time, each of the same number of hands taking the next page."""
    left: Iterator[int] = iter(range(pages))

    async def hand() -> None:
        for number in left:
            if await one(number) != BODY:
                raise RuntimeError(f"page {number} is not as it was served")

    await asyncio.gather(*(hand() for _ in range(AT_A_TIME)))


@contextmanager
def _site() -> Iterator[str]:
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("stop")
        process.join(timeout=10)


def _serve(pipe: Connection) -> None:
    paths = {
        "/page": serve_page(BODY),
        "/bomb": send_bomb(),
        "/nested": send_bomb(layers=2),
        "/deflate": send_bomb(coding="deflate"),
        "/endless": send_endless(),
    }
    with serve_in_thread(paths) as site:
        pipe.send(site.url)
        pipe.recv()


def _peak_mb(url: str, path: str) -> dict[str, Any]:
    """By how much fetching this makes a fresh process grow, and what comes of it."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_fetch_one, args=(theirs, url + path), daemon=True)
    process.start()
    try:
        found: dict[str, Any] = ours.recv()
    finally:
        process.join(timeout=10)
    return found


def _fetch_one(pipe: Connection, url: str) -> None:
    async def fetch() -> dict[str, Any]:
        async with Fetcher(FetchPolicy(allow_private=("127.0.0.1",), host_gap_s=0.0)) as fetcher:
            # The first request opens what every request needs.
            await fetcher.fetch(url.rpartition("/")[0] + "/page")
            before_kb, start = _peak_kb(), time.perf_counter()
            try:
                await fetcher.fetch(url)
                end = "an answer"
            except ContentError as error:
                end = error.code
            return {
                "peak growth, MB": round((_peak_kb() - before_kb) / 1024, 1),
                "seconds": round(time.perf_counter() - start, 2),
                "ends in": end,
            }

    pipe.send(asyncio.run(fetch()))


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _with_peaks(report: Report, peaks: dict[str, dict[str, Any]]) -> Report:
    detail = {**report.detail, "10 GB bombs and an endless body, 20 MB taken": peaks}
    return Report(
        name=report.name, unit=report.unit, better=report.better,
        ours=report.ours, peers=report.peers, detail=detail,
    )  # fmt: skip


if __name__ == "__main__":
    main()
