"""A trial of the server: `/health` alongside hostile requests, and what becomes of slow clients.

    python -m tests.hostile_server                  all of them
    python -m tests.hostile_server ontology slow    only those with such a word in their names

`assay serve` runs as a process of its own on an empty store. For each hostile request, `/health` is
asked again and again until the server is done with it. No answer may take longer than 100 ms, and
the memory of the process must stay flat. A busy machine can spoil a measurement, so that a case is
tried up to three times and its best one counts; the first line is the same without any attack.
"""

import argparse
import asyncio
import http.client
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.app import App
from assay.app.composition import init_home
from assay.settings import load_settings
from tests.cli.calls import Called
from tests.server.hostile_requests import ALL, Hostile

MOST_MS = 100.0
MOST_GROWTH_MB = 150
_EVERY_S = 0.01
_PATIENCE_S = 180.0
_TRIES = 3
say = sys.stdout.write


class Prober:
    """Asks `/health` in a thread of its own, and writes down how long each answer took."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.took_ms: list[float] = []
        self.failed = 0

    def __enter__(self) -> "Prober":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._stop.wait(_EVERY_S):
            began = time.perf_counter()
            # Each on a connection of its own: a new client must get in, too.
            asked = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE_S)
            try:
                asked.request("GET", "/health")
                self.failed += asked.getresponse().status != 200
            except OSError:
                self.failed += 1
            finally:
                asked.close()
            self.took_ms.append((time.perf_counter() - began) * 1000)


@dataclass
class Outcome:
    """What one attack came to."""

    seconds: float
    probes: int
    worst_ms: float
    usual_ms: float
    failed: int
    dropped: int
    answers: dict[str, int]


async def attack(hostile: Hostile, port: int) -> tuple[int, dict[str, int]]:
    """Send it from all its clients; gives how many were disconnected, and the answers."""
    data = await asyncio.to_thread(hostile.build)
    answers: dict[str, int] = {}
    if hostile.before is not None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(hostile.before())
        await reader.read()
        writer.transport.abort()
    dropped = 0

    async def send() -> None:
        nonlocal dropped
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                dropped += await _send(hostile, data, reader, writer, answers)
        except TimeoutError:
            answers["waiting"] = answers.get("waiting", 0) + 1
        finally:
            writer.transport.abort()

    await asyncio.gather(*(send() for _ in range(hostile.clients)))
    return dropped, answers


async def _send(
    hostile: Hostile,
    data: bytes,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    answers: dict[str, int],
) -> bool:
    """Whether it was disconnected without an answer, or in the middle of one."""
    at_once = len(data) if hostile.pause_s == 0 else max(0, len(data) - 100)
    try:
        writer.write(data[:at_once])
        if not hostile.reads:
            # Until the server gives up: it never reads.
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            while not writer.transport.is_closing():
                await asyncio.sleep(0.5)
                writer.write(b"\n")
            answers["none"] = answers.get("none", 0) + 1
            return True
        for byte in data[at_once:]:
            if reader.at_eof() or writer.transport.is_closing():
                break
            writer.write(bytes([byte]))
            await asyncio.sleep(hostile.pause_s)
        first = (await reader.read(64)).split(b"\r\n")[0].decode("ascii", "replace")
        while await reader.read(1 << 16):
            pass
    except ConnectionError:
        first = ""
    status = first.partition(" ")[2][:3] or "none"
    answers[status] = answers.get(status, 0) + 1
    return status in ("none", "408")


def measure(hostile: Hostile | None, port: int) -> Outcome:
    """Ask `/health` while the attack lasts; without one, for a second."""
    dropped = 0
    answers: dict[str, int] = {}
    with Prober(port) as prober:
        time.sleep(0.2)
        began = time.monotonic()
        if hostile is None:
            time.sleep(1.0)
        else:
            dropped, answers = asyncio.run(attack(hostile, port))
        seconds = time.monotonic() - began
        time.sleep(0.2)
    took = sorted(prober.took_ms)
    return Outcome(
        seconds, len(took), took[-1], took[len(took) // 2], prober.failed, dropped, answers
    )


def resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS:"))) / 1024


def try_one(hostile: Hostile | None, port: int, pid: int) -> bool:
    """Measure one case and print its line; whether `/health` always answered in time."""
    number, good = 0, False
    while number < _TRIES and not good:
        number += 1
        found = measure(hostile, port)
        good = found.worst_ms <= MOST_MS and not found.failed
    told = ", ".join(f"{count} × {status}" for status, count in sorted(found.answers.items()))
    say(
        f"{'ok  ' if good else 'SLOW'} {hostile.name if hostile else 'nothing':44} "
        f"{found.seconds:6.1f} s {found.probes:5} asked, usually {found.usual_ms:5.1f} ms, "
        f"at most {found.worst_ms:6.1f} ms, {found.failed} failed, "
        f"{resident_mb(pid):5.0f} MB, try {number}  {told}\n"
    )
    sys.stdout.flush()
    return good


def run(cases: Sequence[Hostile], home: Path) -> int:
    """All cases against one server; gives how many went wrong."""
    settings = load_settings(home=home)
    init_home(settings)
    with App(settings) as app:
        app.migrate()
    program = Called(home, "serve", "--port", "0", anew=True)
    try:
        port = int(program.served_url().rpartition(":")[2])
        pid = program.process.pid
        try_one(None, port, pid)
        wrong, sizes = 0, [resident_mb(pid)]
        for hostile in cases:
            wrong += not try_one(hostile, port, pid)
            sizes.append(resident_mb(pid))
        half = len(sizes) // 2
        growth = max(sizes[half:]) - max(sizes[:half])
    finally:
        program.process.terminate()
        ended = program.end()
    tracebacks = (ended.err + _read_logs(home)).count("Traceback")
    say(
        f"{len(cases)} cases, {wrong} slow; memory {sizes[0]:.0f} MB before, at most "
        f"{max(sizes):.0f} MB, {growth:+.0f} MB from the first half to the second; "
        f"{tracebacks} tracebacks, {len(ended.err.splitlines())} lines on stderr\n"
    )
    return wrong + (growth > MOST_GROWTH_MB) + tracebacks


def _read_logs(home: Path) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in home.rglob("*.log*"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile_server")
    parser.add_argument("words", nargs="*", help="only cases with such a word in their names")
    words = parser.parse_args().words
    cases = [each for each in ALL if not words or any(word in each.name for word in words)]
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))
    with tempfile.TemporaryDirectory() as folder:
        return 1 if run(cases, Path(folder) / "home") else 0


if __name__ == "__main__":
    sys.exit(main())
