"""Processes that read documents, each within limits.

A document may crash the library that reads it, use up all memory, or take forever. It is therefore
read in a process that can be killed: the document is blamed, the process is replaced, and the other
processes continue. It may also take a library over. The process is therefore confined to reading
(`engine/sandbox.py`), and what it answers is data (`engine/replies.py`).
"""

import asyncio
import contextlib
import json
import os
import resource
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

from assay.engine.pool_worker import pack_tasks
from assay.engine.replies import (
    HEAD_BYTES,
    ReplyInvalid,
    TaskReply,
    TaskVerdict,
    read_head,
    unpack_reply,
)
from assay.engine.sandbox import scrub_environment
from assay.errors import AssayError, ContentHostile
from assay.logs import Log
from assay.settings import read_environment

T = TypeVar("T")
_PATIENCE = 5
"""How many times its CPU limit a piece may take in real time."""
_LOOK_S = 0.05
_CPU_S_PER_PROCESS = 6 * 3600
"""Far more than a process uses before it is replaced."""
log = Log("assay.engine.process_pool")


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """What one piece of work may use."""

    timeout_s: float = 60.0
    """CPU time; in real time, a busy machine may take several times as long."""
    memory_mb: int = 1536
    reply_mb: int = 64
    """Size of an answer. It costs this program several times as much, whoever wrote it."""
    handful: int = 16
    """Pieces sent to a process at a time, so that it does not have to wait for each one."""
    pieces_per_process: int = 5000
    """A process is replaced after this many pieces, because libraries leak memory."""

    @property
    def reply_bytes(self) -> int:
        """The same as `reply_mb`, in bytes."""
        return self.reply_mb * 1_000_000


class ProcessPool:
    """A few processes for work on untrusted documents."""

    def __init__(
        self,
        processes: int = 0,
        bounds: PoolLimits | None = None,
        readable: Sequence[Path] = (),
    ) -> None:
        """`readable` are the folders whose files the tasks open; they can open no others."""
        self.size = processes or os.cpu_count() or 1
        self._bounds = bounds or PoolLimits()
        self._readable = readable
        self._idle: list[_Process] = []
        self._places = asyncio.Semaphore(self.size)

    def open_for(self, folder: Path) -> "ProcessPool":
        """Another pool with the same limits, whose processes may read this folder as well."""
        return ProcessPool(self.size, self._bounds, (*self._readable, folder))

    async def __aenter__(self) -> "ProcessPool":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all processes."""
        while self._idle:
            await self._idle.pop().end()

    async def run(self, task: Callable[..., T], *arguments: Any) -> T:
        """Do one piece of work in another process; an error there is raised here."""
        (result,) = await self.run_each(task, [arguments])
        if isinstance(result, AssayError):
            raise result
        return result

    async def run_each(
        self,
        task: Callable[..., T],
        pieces: Sequence[tuple[Any, ...]],
        *,
        timeout_s: float | None = None,
        on_done: Callable[[int, T | AssayError], None] | None = None,
    ) -> list[T | AssayError]:
        """Run the task with each of these arguments on all processes; results keep the order.

        `on_done` is called with the number and the result of each piece, as soon as it is done.
        For a piece that fails, crashes its process or exceeds the limits, the result is the error.
        """
        work = _Work(task, pieces, timeout_s or self._bounds.timeout_s, on_done)
        lanes = min(self.size, len(pieces))
        async with asyncio.TaskGroup() as group:
            for _ in range(lanes):
                group.create_task(self._work_lane(work, lanes))
        return work.results()

    async def _work_lane(self, work: "_Work[T]", lanes: int) -> None:
        while work.left:
            async with self._places:
                if not (numbers := work.take(self._bounds.handful, lanes)):
                    return
                process = self._take_process(fresh=numbers[0] in work.suspects)
                try:
                    await process.do(work, numbers)
                except BaseException:
                    # A process interrupted in the middle of an exchange cannot start another.
                    process.kill()
                    raise
                if process.usable:
                    self._idle.append(process)
                else:
                    await process.end()

    def _take_process(self, *, fresh: bool) -> "_Process":
        return (
            self._idle.pop() if self._idle and not fresh else _Process(self._bounds, self._readable)
        )


class _Work(Generic[T]):
    """Pieces of work to do, and their results."""

    def __init__(
        self,
        task: Callable[..., T],
        pieces: Sequence[tuple[Any, ...]],
        timeout_s: float,
        on_done: Callable[[int, T | AssayError], None] | None,
    ) -> None:
        self.task = task
        self.pieces = pieces
        self.timeout_s = timeout_s
        self.left = deque(range(len(pieces)))
        self.suspects: set[int] = set()
        """Pieces whose process died. Each is tried once more, alone in a new process, because what
        earlier documents left behind may be to blame."""
        self._found: dict[int, T | AssayError] = {}
        self._on_done = on_done

    def take(self, most: int, lanes: int) -> list[int]:
        """The next pieces for one process; fewer near the end, so that every process has work."""
        if self.left and self.left[0] in self.suspects:
            return [self.left.popleft()]
        count = max(1, min(most, len(self.left) // lanes))
        numbers: list[int] = []
        while self.left and len(numbers) < count and self.left[0] not in self.suspects:
            numbers.append(self.left.popleft())
        return numbers

    def put(self, number: int, result: T | AssayError) -> None:
        self._found[number] = result
        if self._on_done is not None:
            self._on_done(number, result)

    def results(self) -> list[T | AssayError]:
        return [self._found[number] for number in range(len(self.pieces))]


class _Process:
    """One process, and the exchange with it."""

    def __init__(self, bounds: PoolLimits, readable: Sequence[Path]) -> None:
        self._bounds = bounds
        self._readable = readable
        self._process: asyncio.subprocess.Process | None = None
        self._done = 0
        self._most_cpu_s = 0
        self.usable = True

    async def do(self, work: _Work[T], numbers: list[int]) -> None:
        """Work through these pieces; if one kills the process, the ones after it are returned."""
        process = self._process or await self._begin()
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):
            process.stdin.write(pack_tasks([(work.task, work.pieces[n]) for n in numbers]))
            await process.stdin.drain()
        self._limit_cpu(process.pid, work.timeout_s * len(numbers))
        for place, number in enumerate(numbers):
            reply = await self._read_reply(process, work)
            self._done += 1
            if reply.verdict in (TaskVerdict.OK, TaskVerdict.ERROR):
                work.put(number, reply.value)
                continue
            self.usable = False
            work.left.extendleft(reversed(numbers[place + 1 :]))
            if self._done == 1 or number in work.suspects or reply.verdict is TaskVerdict.LATE:
                work.put(number, self._build_error(reply.verdict, work.timeout_s))
            else:
                work.suspects.add(number)
                work.left.appendleft(number)
            return
        self.usable = not self._is_used_up(process.pid)

    async def _begin(self) -> asyncio.subprocess.Process:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            # Not with -m: the classes it sends would then belong to __main__, not to this module.
            # -P: the folder that it is started in must not add modules.
            "-P",
            "-c",
            "from assay.engine.pool_worker import main; main()",
            self._describe_limits(),
            env=scrub_environment(read_environment()),
            start_new_session=True,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        return self._process

    def _describe_limits(self) -> str:
        folders = [*self._readable, *_list_code_folders()]
        return json.dumps(
            {
                "memory_mb": self._bounds.memory_mb,
                "reply_bytes": self._bounds.reply_bytes,
                "readable": [str(each) for each in folders],
            }
        )

    def _is_used_up(self, pid: int) -> bool:
        if self._done >= self._bounds.pieces_per_process:
            return True
        return 0 < self._most_cpu_s < 2 * _read_cpu_s(pid)

    def _limit_cpu(self, pid: int, allowed_s: float) -> None:
        """Let the kernel end the process if this program cannot, because it is suspended.

        The process can ignore the first limit, but not the second. That one cannot be raised again,
        so it is for all its work, and the process is replaced once it has used half of it.
        """
        if sys.platform == "linux":
            most = int(_read_cpu_s(pid) + allowed_s * 2) + 10
            self._most_cpu_s = self._most_cpu_s or max(2 * most, _CPU_S_PER_PROCESS)
            limits = (min(most, self._most_cpu_s), self._most_cpu_s)
            with contextlib.suppress(OSError):
                resource.prlimit(pid, resource.RLIMIT_CPU, limits)

    async def _read_reply(self, process: asyncio.subprocess.Process, work: _Work[T]) -> TaskReply:
        """The reply to one piece. The limit applies to CPU time, because a verdict must not depend
        on how busy the machine is; a process that only waits is ended as well, but later."""
        assert process.stdout is not None
        timeout_s = work.timeout_s
        receiving = asyncio.ensure_future(
            _receive(process.stdout, work.task, self._bounds.reply_bytes)
        )
        began_s, cpu_s = monotonic(), _read_cpu_s(process.pid)
        try:
            left_s = timeout_s
            while left_s > 0:
                await asyncio.wait([receiving], timeout=max(left_s, _LOOK_S))
                if receiving.done():
                    return receiving.result()
                left_s = min(
                    cpu_s + timeout_s - _read_cpu_s(process.pid),
                    began_s + timeout_s * _PATIENCE - monotonic(),
                )
        except (asyncio.IncompleteReadError, ConnectionError):
            return TaskReply(TaskVerdict.DIED)
        except ReplyInvalid as error:
            log.warning(
                "reply_invalid", "A reading process sent an invalid answer.", why=str(error)
            )
            self.kill()
            return TaskReply(TaskVerdict.DIED)
        finally:
            receiving.cancel()
        self.kill()
        return TaskReply(TaskVerdict.LATE)

    def _build_error(self, verdict: TaskVerdict, timeout_s: float) -> AssayError:
        # Scout stores these messages with the document, in the canonical state.
        if verdict is TaskVerdict.LATE:
            return ContentHostile(
                f"Reading it takes more than {timeout_s:g} s.",
                advice="If it may take that long, raise read_timeout_s; otherwise leave it alone.",
            )
        if verdict is TaskVerdict.MEMORY:
            return ContentHostile(
                f"Reading it takes more than {self._bounds.memory_mb} MB of memory.",
                advice="If it may take that much, raise read_memory_mb; otherwise leave it alone.",
            )
        log.warning("reader_died", "A reading process died.")
        return ContentHostile(
            "It crashes the process that reads it.",
            advice="It is damaged or malicious, or takes more than "
            f"{self._bounds.memory_mb} MB of memory (read_memory_mb).",
        )

    def kill(self) -> None:
        self.usable = False
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def end(self) -> None:
        self.kill()
        if self._process is not None:
            with contextlib.suppress(ConnectionError):
                await self._process.communicate()


async def _receive(
    source: asyncio.StreamReader, task: Callable[..., Any], most_bytes: int
) -> TaskReply:
    # The body is read by itself: cutting off a head would copy it.
    verdict, size = read_head(await source.readexactly(HEAD_BYTES))
    if size > most_bytes:
        raise ReplyInvalid(f"an answer of {size} bytes")
    return unpack_reply(task, verdict, await source.readexactly(size))


def _list_code_folders() -> list[str]:
    """Where the packages that are in use here come from, wherever they are installed."""
    return [
        str(place)
        for name, module in list(sys.modules.items())
        if "." not in name
        for place in getattr(module, "__path__", ())
    ]


def _read_cpu_s(pid: int) -> float:
    """The CPU seconds that a process has used; where the system does not say, real time."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
