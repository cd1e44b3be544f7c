"""One run of the limiter bench: a strict server, the worker processes of one contender, a count."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias

from bench.limiter_server import Allowance
from bench.peers import ROOT, Peer, PeerFailed, install, postgres

Store: TypeAlias = Literal["none", "sqlite", "postgres"]

READY_SECONDS: Final = 120.0
STOP_SECONDS: Final = 30.0
STEP_SECONDS: Final = 5.0
# The newest release whose own requirements an ordinary installation can meet.
LITELLM: Final = ("litellm==1.106.2",)


@dataclass(frozen=True)
class Contender:
    """Who makes the calls."""

    name: str
    """What the report calls it."""
    module: tuple[str, ...]
    """What follows `python -m` for one of its worker processes."""
    venv: str | None = None
    """Its virtual environment; None runs it in Assay's own."""
    pins: tuple[str, ...] = ()
    store: Store = "none"
    """The database that its worker processes share."""

    def python(self) -> str:
        """The Python that runs it, installed when needed."""
        if self.venv is None:
            return sys.executable
        return str(install(Peer(self.name, self.venv, "sqlite", self.pins)))


@dataclass(frozen=True)
class Setting:
    """What every contender of a comparison has in common."""

    allowance: Allowance
    in_flight: int
    """Calls under way or waiting, in all workers together."""
    warm_up_s: float
    """Time for the full bucket of the start to be used; not counted."""
    measured_s: float
    tells_limits: bool = False


@dataclass(frozen=True)
class Figures:
    """What the server counted of one contender with so many workers."""

    seconds: float
    requests: int
    tokens: int
    refused: int
    """429s in the measured time."""
    refused_in_warm_up: int
    cpu_ms_per_request: float
    """Of the worker processes, over warm-up and measured time."""
    token_share: float
    """Of the tokens that the server granted in the measured time."""
    request_share: float
    token_share_by_step: tuple[float, ...]
    """The same for each few seconds of the measured time, in order."""


@dataclass(frozen=True)
class Counts:
    """The server's counts at one moment of its own clock."""

    now: float
    accepted: int
    tokens: int
    refused: int


class Server:
    """The strict server, seen from the bench."""

    def __init__(self, url: str) -> None:
        self.url = url

    def counts(self) -> Counts:
        with urllib.request.urlopen(f"{self.url}/_totals", timeout=10) as response:
            told = json.load(response)
        return Counts(told["now_s"], told["charged"], told["charged_tokens"], told["busy"])


@contextmanager
def strict_server(allowance: Allowance, *, tells_limits: bool = False) -> Iterator[Server]:
    """The server in a process of its own, with full buckets."""
    command = [sys.executable, "-m", "bench.limiter_server"]
    command += ["--requests-per-minute", str(allowance.requests_per_minute)]
    command += ["--tokens-per-minute", str(allowance.tokens_per_minute)]
    command += ["--bucket-s", str(allowance.bucket_s)]
    command += ["--tells-limits"] if tells_limits else []
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield Server(process.stdout.readline().strip())
    finally:
        process.communicate(timeout=STOP_SECONDS)


def environment() -> dict[str, str]:
    """What a contender's process finds in its environment: the bench can be imported."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


class Worker:
    """One worker process of a contender."""

    def __init__(self, name: str, command: Sequence[str], errors: IO[str]) -> None:
        self._name = name
        self._errors = errors
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )

    def wait_until_ready(self) -> None:
        assert self._process.stdout is not None
        while (line := self._process.stdout.readline()).strip() != "ready":
            if not line:
                raise self._failure()

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def stop(self) -> None:
        """Tell it to end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.stdin = None

    def last_word(self) -> dict[str, Any]:
        """What it says when it has ended."""
        try:
            said, _ = self._process.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise PeerFailed(f"a worker of {self._name} did not stop when told to") from error
        if self._process.returncode != 0:
            raise self._failure()
        last: dict[str, Any] = json.loads(said.strip().splitlines()[-1])
        return last

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _failure(self) -> PeerFailed:
        self._errors.seek(0)
        return PeerFailed(f"a worker of {self._name} failed:\n{self._errors.read()[-3000:]}")


def measure(
    contender: Contender, workers: int, setting: Setting, start: threading.Barrier
) -> Figures:
    """Run a contender once; `start` is passed when all that run beside it are ready too."""
    with ExitStack() as stack:
        stack.enter_context(_aborting(start))
        server = stack.enter_context(
            strict_server(setting.allowance, tells_limits=setting.tells_limits)
        )
        place = stack.enter_context(database(contender.store))
        errors = stack.enter_context(tempfile.TemporaryFile("w+"))
        lanes = []
        for number in range(workers):
            command = _command(contender, server, setting, number, workers) + place
            lanes.append(Worker(contender.name, command, errors))
            stack.callback(lanes[-1].kill)
        for lane in lanes:
            lane.wait_until_ready()
        start.wait(READY_SECONDS)
        for lane in lanes:
            lane.go()
        time.sleep(setting.warm_up_s)
        looks = _look_on(server, setting.measured_s)
        for lane in lanes:
            lane.stop()
        told = [lane.last_word() for lane in lanes]
    return figures(setting.allowance, looks, sum(one["cpu_seconds"] for one in told))


@contextmanager
def _aborting(start: threading.Barrier) -> Iterator[None]:
    """Let nobody wait for a contender that failed."""
    try:
        yield
    except BaseException:
        start.abort()
        raise


def _look_on(server: Server, seconds: float) -> list[Counts]:
    """The server's counts now, every few seconds, and after so many seconds."""
    began = time.monotonic()
    looks = [server.counts()]
    steps = max(1, round(seconds / STEP_SECONDS))
    for step in range(1, steps + 1):
        time.sleep(max(0.0, began + seconds * step / steps - time.monotonic()))
        looks.append(server.counts())
    return looks


def figures(allowance: Allowance, looks: Sequence[Counts], cpu_seconds: float) -> Figures:
    """What looks at the server's counts tell of the time between the first and the last."""
    before, after = looks[0], looks[-1]
    seconds = after.now - before.now
    requests, tokens = after.accepted - before.accepted, after.tokens - before.tokens
    return Figures(
        seconds=round(seconds, 2),
        requests=requests,
        tokens=tokens,
        refused=after.refused - before.refused,
        refused_in_warm_up=before.refused,
        cpu_ms_per_request=round(1000 * cpu_seconds / max(1, after.accepted), 2),
        token_share=_token_share(allowance, before, after),
        request_share=round(requests / (allowance.requests_per_minute / 60 * seconds), 4),
        token_share_by_step=tuple(
            _token_share(allowance, *pair) for pair in itertools.pairwise(looks)
        ),
    )


def _token_share(allowance: Allowance, before: Counts, after: Counts) -> float:
    granted = allowance.tokens_per_minute / 60 * (after.now - before.now)
    return round((after.tokens - before.tokens) / granted, 4)


def _command(
    contender: Contender, server: Server, setting: Setting, worker: int, workers: int
) -> list[str]:
    # What does not divide evenly goes to the first workers.
    share, left = divmod(setting.in_flight, workers)
    options = {
        "server": server.url,
        "worker": worker,
        "workers": workers,
        "in-flight": share + (worker < left),
        "requests-per-minute": setting.allowance.requests_per_minute,
        "tokens-per-minute": setting.allowance.tokens_per_minute,
        "bucket-s": setting.allowance.bucket_s,
    }
    given = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return [contender.python(), "-m", *contender.module, *given]


@contextmanager
def database(store: Store) -> Iterator[list[str]]:
    """A fresh database, as the option that names it to a worker process."""
    if store == "none":
        yield []
    elif store == "postgres":
        with postgres() as url:
            yield ["--database-url", url]
    else:
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as directory:
            yield ["--database-url", f"sqlite:///{Path(directory, 'bench.db')}"]
