"""A trial of the server: `/health` alongside hostile requests, and what becomes of slow clients.

    python -m tests.hostile_server                  all of them
    python -m tests.hostile_server ontology slow    only those with such a word in their names

`assay serve` runs as a process of its own on an empty store. For each hostile request, `/health` is
asked again and again until the server is done with it, and no answer may take longer than 100 ms. A
server that does nothing is asked at the same time. If it is slow, too, the machine is, which spoils
the measurement: it is repeated up to twice, and the worst one that was not spoiled counts. The
first line is the same without any attack. A single client must get its answer within two minutes.

Memory is that of the server and of the processes that it starts, added up: after each case, and at
its peak, which is reported only. The list is gone through three more times without the slow
clients. The first two passes fill caches and the heap; the least that the fourth pass leaves after
any case may not be more than the least of the second. After twenty minutes the rest is left out,
which counts as a failure; an idle machine takes less than ten.
"""

import argparse
import asyncio
import contextlib
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.app import App
from assay.app.composition import init_home
from assay.settings import load_settings
from tests.cli.calls import Called
from tests.server.hostile_requests import ALL, Hostile
from tests.server.probers import Answers, Prober, start_idle_server

MOST_MS = 100.0
MOST_MB = 550
"""Limit on the memory of all processes together, after any case; without one they take 250."""
MOST_GROWTH_MB = 12.0
"""What may be left after the fourth pass more than after the second; without a leak, it differs by
half of this."""
MOST_S = 1_200.0
_PASSES = 4
_REST_S = 6.0
"""How long after its last request freed memory may still be in use."""
_PATIENCE_S = 120.0
_TRIES = 3
_SPOILED_MS = MOST_MS / 2
"""If a server that does nothing takes longer, the machine is busy."""
say = sys.stdout.write


@dataclass
class Outcome:
    """What one attack came to."""

    seconds: float
    health: Answers
    idle: Answers
    """Of a server that does nothing, at the same time."""
    dropped: int
    answers: dict[str, int]

    @property
    def is_good(self) -> bool:
        """Whether `/health` always answered in time."""
        return self.health.worst_ms <= MOST_MS and not self.health.failed

    @property
    def is_spoiled(self) -> bool:
        """Whether the machine was too busy to measure anything."""
        return self.idle.worst_ms > _SPOILED_MS or bool(self.idle.failed)


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
                is_dropped = await _send(hostile, data, reader, writer, answers)
                # Not in one line: others count, too, while this one waits.
                dropped += is_dropped
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


def resident_mb(pid: int, what: str = "VmRSS") -> float:
    """Memory of a process and of all below it; `VmHWM` is the most since `forget_peaks`."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has just ended
        return 0.0
    own = next((int(line.split()[1]) for line in lines if line.startswith(f"{what}:")), 0) / 1024
    return own + sum(resident_mb(int(child), what) for child in children)


def forget_peaks(pid: int) -> None:
    """Let the peaks of a process and of all below it begin anew."""
    with contextlib.suppress(OSError):  # it has just ended
        Path(f"/proc/{pid}/clear_refs").write_text("5")
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            forget_peaks(int(child))


class Trial:
    """One server, and what was found out about it."""

    def __init__(self, port: int, pid: int) -> None:
        self._port, self._pid = port, pid
        self._server, self._idle = Prober(port), Prober(start_idle_server())
        self._ends_at = time.monotonic() + MOST_S
        self.slow: list[str] = []
        self.left_out: list[str] = []
        self.not_dropped: list[str] = []
        self.not_answered: list[str] = []
        self.most_mb = 0.0
        """The most memory that was held after a case."""
        self.peak_mb = 0.0

    def run_pass(self, cases: Sequence[Hostile], tries: int = _TRIES) -> float:
        """Try each case; gives the least memory that was left after one of them."""
        least_mb = float("inf")
        for hostile in cases:
            if time.monotonic() > self._ends_at:
                self.left_out.append(hostile.name)
                continue
            self.try_one(hostile, tries)
            held_mb = resident_mb(self._pid)
            self.most_mb, least_mb = max(self.most_mb, held_mb), min(least_mb, held_mb)
        time.sleep(_REST_S)
        return min(least_mb, resident_mb(self._pid))

    def measure(self, hostile: Hostile | None) -> Outcome:
        """Ask `/health` while the attack lasts; without one, for a second."""
        dropped, answers = 0, dict[str, int]()
        forget_peaks(self._pid)
        with self._server, self._idle:
            time.sleep(0.2)
            began = time.monotonic()
            if hostile is None:
                time.sleep(1.0)
            else:
                dropped, answers = asyncio.run(attack(hostile, self._port))
            seconds = time.monotonic() - began
            time.sleep(0.2)
        self.peak_mb = max(self.peak_mb, resident_mb(self._pid, "VmHWM"))
        return Outcome(seconds, self._server.answers, self._idle.answers, dropped, answers)

    def try_one(self, hostile: Hostile | None, tries: int = _TRIES) -> None:
        """Measure one case and print its line."""
        tried: list[Outcome] = []
        while not tried or (len(tried) < tries and not tried[-1].is_good and tried[-1].is_spoiled):
            tried.append(self.measure(hostile))
        counted = [each for each in tried if each.is_good or not each.is_spoiled] or tried
        found = max(counted, key=lambda each: (not each.is_good, each.health.worst_ms))
        good = found.is_good
        name = hostile.name if hostile else "nothing"
        if hostile is not None and not good:
            self.slow.append(name)
        if hostile is not None and hostile.must_drop and found.dropped < hostile.clients:
            self.not_dropped.append(name)
        if hostile is not None and hostile.clients == 1 and "waiting" in found.answers:
            self.not_answered.append(name)
        told = ", ".join(f"{count} × {status}" for status, count in sorted(found.answers.items()))
        say(
            f"{'ok  ' if good else 'SLOW'} {name:44} "
            f"{found.seconds:6.1f} s {len(found.health.took_ms):5} asked, "
            f"usually {found.health.usual_ms:5.1f} ms, at most {found.health.worst_ms:6.1f} ms "
            f"(idle server {found.idle.worst_ms:6.1f} ms), {found.health.failed} failed, "
            f"{resident_mb(self._pid):5.0f} MB, "
            f"{resident_mb(self._pid, 'VmHWM'):5.0f} MB at its peak, {len(tried)} tries  {told}\n"
        )
        sys.stdout.flush()


def run(cases: Sequence[Hostile], home: Path) -> int:
    """All cases against one server; gives how many things went wrong."""
    settings = load_settings(home=home)
    init_home(settings)
    with App(settings) as app:
        app.migrate()
    program = Called(home, "serve", "--port", "0", anew=True)
    began = time.monotonic()
    try:
        trial = Trial(int(program.served_url().rpartition(":")[2]), program.process.pid)
        trial.try_one(None)
        left_mb = [trial.run_pass(cases)]
        measured, left_out = list(trial.slow), list(trial.left_out)
        again = [each for each in cases if not each.must_drop]
        while len(left_mb) < _PASSES:
            say(f"{left_mb[-1]:.0f} MB were left; once more, for the memory:\n")
            left_mb.append(trial.run_pass(again, tries=1))
    finally:
        program.process.terminate()
        ended = program.end()
    tracebacks = (ended.err + _read_logs(home)).count("Traceback")
    is_flat = is_level(left_mb) and trial.most_mb <= MOST_MB
    wrong = [*measured, *trial.left_out, *trial.not_dropped, *trial.not_answered]
    say(
        f"{len(cases)} cases in {time.monotonic() - began:.0f} s: "
        f"{len(cases) - len(measured) - len(left_out)} within {MOST_MS:.0f} ms, "
        f"{len(measured)} slow{_list_names(measured)}, "
        f"{len(trial.left_out)} left out{_list_names(trial.left_out)}, "
        f"{len(trial.not_dropped)} with clients that were not dropped"
        f"{_list_names(trial.not_dropped)}, "
        f"{len(trial.not_answered)} without an answer{_list_names(trial.not_answered)}\n"
        f"memory of all processes: {', '.join(f'{each:.0f}' for each in left_mb)} MB left by "
        f"the passes, at most {trial.most_mb:.0f} MB: {'flat' if is_flat else 'NOT FLAT'}; "
        f"at its peak {trial.peak_mb:.0f} MB; "
        f"{tracebacks} tracebacks, "
        f"{len(ended.err.splitlines())} lines on stderr\n"
    )
    return len(wrong) + (not is_flat) + tracebacks


def is_level(left_mb: Sequence[float]) -> bool:
    """Whether the last pass left no more memory than the second, which found everything warm."""
    return left_mb[-1] <= left_mb[1] + MOST_GROWTH_MB


def _list_names(names: Sequence[str]) -> str:
    return f" ({'; '.join(names)})" if names else ""


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
