"""`python -m bench.extract_load`: texts that become graphs under load, beside their bare calls.

A running `assay serve` is sent different texts, five at a time; each asks its model several times,
and every answer is checked against its text. The peer is the least that anybody could do: the very
same prompts, sent five at a time to the same model by a plain HTTP client that only reads the
answers. `ours` and the peer's figure are texts a second, so that the ratio tells what chunks,
schemas, budgets, ledger, checks and the written graph cost beside the model's own time. The
model is Assay's server double in another process, which lets every call wait as a model would.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import aiohttp

from assay.app import App
from assay.app.composition import init_home
from assay.settings import load_settings
from bench.extract_texts import ONTOLOGY, claims_in, claims_of, text
from bench.peers import ROOT, PeerFailed
from bench.report import Report, print_report

AT_ONCE: Final = 5
STEPS: Final = (50, 150, 300)
ANSWER_MS: Final = 200.0
BARE: Final = "the same calls without Assay"
_STOP_SECONDS: Final = 30.0
_WARM_UP: Final = 9_999

T = TypeVar("T")


@dataclass
class Load:
    """What was seen of the requests."""

    seconds: float = 0.0
    took_s: list[float] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    """Texts that were not answered with their own, whole graph."""
    calls: int = 0
    tokens: int = 0
    resident_mb: dict[str, float] = field(default_factory=dict)
    """By how many requests were over."""
    open_files: dict[str, int] = field(default_factory=dict)
    cpu_s: float = 0.0
    """Of the server, over all requests."""
    open_permits: int = 0


class Process:
    """A process of the system, seen from outside."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}")

    @property
    def resident_mb(self) -> float:
        lines = (self._folder / "status").read_text().splitlines()
        return round(int(next(x.split()[1] for x in lines if x.startswith("VmRSS:"))) / 1024, 1)

    @property
    def open_files(self) -> int:
        return sum(1 for _ in (self._folder / "fd").iterdir())

    @property
    def cpu_s(self) -> float:
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(*command: str) -> Iterator[tuple[int, str]]:
    """A process and what it says first; it ends when its stdin is closed, or when told to."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        while first.strip().startswith("{") and "}" not in first:
            first += process.stdout.readline()
        if not first:
            raise PeerFailed(f"{command[0]} did not start")
        yield process.pid, first.strip()
    finally:
        process.terminate()
        process.communicate(timeout=_STOP_SECONDS)


async def in_lanes(items: Sequence[T], do: Callable[[T], Awaitable[None]]) -> float:
    """All of them, a few at a time; the seconds that it took."""
    left = iter(items)

    async def lane() -> None:
        for item in left:
            await do(item)

    began = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(lane())
    return time.monotonic() - began


async def loaded(url: str, server: Process, steps: Sequence[int]) -> Load:
    """Every text once, with a look at the server after each step."""
    found = Load()
    async with aiohttp.ClientSession(url) as session:

        async def send(number: int) -> None:
            # The double counts words, which makes the estimates of the first requests cautious.
            body = {"text": text(number), "ontology": ONTOLOGY}
            began = time.monotonic()
            async with session.post("/extract", json=body) as answered:
                told = await answered.json()
            found.took_s.append(time.monotonic() - began)
            if answered.status != 200 or not is_its_graph(told, number):
                found.wrong.append(number)
            found.tokens += told.get("tokens", {}).get("used", 0)

        # The first of all opens the store and reads the ontology.
        await send(_WARM_UP)
        found.took_s.clear()
        found.tokens = 0
        before_s = server.cpu_s
        for first, last in zip((0, *steps), steps, strict=False):
            found.seconds += await in_lanes(range(first, last), send)
            found.resident_mb[str(last)] = server.resident_mb
            found.open_files[str(last)] = server.open_files
        found.cpu_s = server.cpu_s - before_s
    return found


def is_its_graph(told: dict[str, Any], number: int) -> bool:
    """Whether a result is whole, of that text and of no other."""
    return told["completeness"] == "complete" and claims_in(told) == claims_of(text(number))


def is_warm_up(prompt: str) -> bool:
    return any(subject in prompt for subject, _, _ in claims_of(text(_WARM_UP)))


async def bare(url: str, prompts: Sequence[Sequence[str]]) -> float:
    """The prompts alone, with nothing around them; the seconds that they took."""
    async with aiohttp.ClientSession(url) as session:

        async def ask(texts: Sequence[str]) -> None:
            roles = ["system"] * (len(texts) - 1) + ["user"]
            messages = [
                {"role": role, "content": each} for role, each in zip(roles, texts, strict=True)
            ]
            body = {"model": "m", "stream": True, "max_tokens": 1024, "messages": messages}
            said = ""
            async with session.post("/v1/chat/completions", json=body) as answered:
                async for line in answered.content:
                    if line.startswith(b"data: {"):
                        for choice in json.loads(line[6:])["choices"]:
                            said += choice["delta"].get("content") or ""
            json.loads(said)

        return await in_lanes(prompts, ask)


def measure(steps: Sequence[int], answer_ms: float) -> tuple[Load, float]:
    """Our load, and the seconds of the bare calls."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        home, record = Path(folder, "home"), Path(folder, "prompts")
        model = ("bench.extract_server", "--first-delay-ms", str(answer_ms), "--record")
        with running(*model, str(record)) as (_, url):
            make_home(home, url)
            with running("assay.cli", "--home", str(home), "serve", "--port", "0", "--json") as (
                pid,
                said,
            ):
                found = asyncio.run(loaded(json.loads(said)["url"], Process(pid), steps))
                found.open_permits = open_permits(home)
        prompts = [
            p for p in map(json.loads, record.read_text().splitlines()) if not is_warm_up(p[-1])
        ]
        with running(*model, os.devnull) as (_, url):
            seconds = asyncio.run(bare(url, prompts))
    found.calls = len(prompts)
    return found, seconds


def make_home(home: Path, url: str) -> None:
    """A home whose only model is that one."""
    settings = load_settings(home=home, env={})
    init_home(settings)
    (home / "assay.toml").write_text(
        'daily_tokens = "none"\nrequest_tokens = 8000\n[providers.double]\nkind = "openai"\n'
        f'base_url = "{url}/v1"\n'
        f'model = "m"\nlane = "local"\nmax_concurrent = {AT_ONCE}\n'
    )
    with App(settings) as app:
        app.migrate()


def open_permits(home: Path) -> int:
    """Calls that the ledger still waits for."""
    command = [sys.executable, "-m", "assay.cli", "--home", str(home), "budget", "--json"]
    said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    told: dict[str, Any] = json.loads(said)
    return int(told["open"])


def report(found: Load, bare_s: float, answer_ms: float) -> Report:
    """Texts a second, ours and those of the bare calls."""
    requests = len(found.took_s)
    took = sorted(found.took_s)
    return Report(
        name="extract_load",
        unit="texts/s",
        better="higher",
        ours=round(requests / found.seconds, 3),
        peers={BARE: round(requests / bare_s, 3)},
        detail={
            "requests": requests,
            "at_once": AT_ONCE,
            "wrong_or_lost": len(found.wrong),
            "p50_s": round(took[requests // 2], 3),
            "p95_s": round(took[int(requests * 0.95)], 3),
            "calls": found.calls,
            "tokens": found.tokens,
            "model_waits_ms": answer_ms,
            "server_cpu_ms_per_text": round(1000 * found.cpu_s / requests, 1),
            "server_resident_mb": found.resident_mb,
            "server_open_files": found.open_files,
            "open_permits": found.open_permits,
        },
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.extract_load")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--steps", type=int, nargs="+", default=STEPS, help="when to look")
    parser.add_argument("--answer-ms", type=float, default=ANSWER_MS, help="the model's time")
    given = parser.parse_args()
    found, bare_s = measure(given.steps, given.answer_ms)
    print_report(report(found, bare_s, given.answer_ms), given.json)
    return 1 if found.wrong or found.open_permits else 0


if __name__ == "__main__":
    sys.exit(main())
