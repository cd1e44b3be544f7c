"""One process of the pool: receives tasks and sends back their results."""

import ctypes
import os
import pickle
import resource
import signal
import struct
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, BinaryIO

from assay.errors import AssayError, ContentHostile, StageCrashed

_PR_SET_PDEATHSIG = 1


class TaskVerdict(StrEnum):
    """How a task ended."""

    OK = "ok"
    ERROR = "error"
    MEMORY = "memory"
    DIED = "died"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class TaskReply:
    """The result of one task."""

    verdict: TaskVerdict
    value: Any = None


def frame_message(message: object) -> bytes:
    """Serialize a message, with its size in front."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return struct.pack("!Q", len(data)) + data


def read_size(head: bytes) -> int:
    """Read the size in front of a message."""
    size: int = struct.unpack("!Q", head)[0]
    return size


def serve_tasks(source: BinaryIO, sink: BinaryIO) -> None:
    """Run tasks until the input ends."""
    while len(head := source.read(8)) == 8:
        for task, arguments in pickle.loads(source.read(read_size(head))):
            reply = _run_task(task, arguments)
            sink.write(_pack_reply(reply))
            sink.flush()
            if reply.verdict is TaskVerdict.MEMORY:
                return


def _run_task(task: Any, arguments: tuple[Any, ...]) -> TaskReply:
    try:
        return TaskReply(TaskVerdict.OK, task(*arguments))
    except AssayError as error:
        return TaskReply(TaskVerdict.ERROR, error)
    except MemoryError:
        return TaskReply(TaskVerdict.MEMORY)
    except RecursionError:
        return TaskReply(TaskVerdict.ERROR, ContentHostile("It is nested too deeply to be read."))
    except Exception as error:  # an error in a library must not stop the other tasks
        name = getattr(task, "__name__", "the reader")
        message = f"{name} raised {type(error).__name__}: {str(error)[:500]}."
        return TaskReply(TaskVerdict.ERROR, StageCrashed(message))


def _pack_reply(reply: TaskReply) -> bytes:
    try:
        return frame_message(reply)
    except MemoryError:
        return frame_message(TaskReply(TaskVerdict.MEMORY))


def _limit_memory(memory_mb: int) -> None:
    """Limit this process's memory, and make it end when its parent does."""
    most = memory_mb * 1024 * 1024
    on_linux = sys.platform == "linux"
    # Some libraries reserve a gigabyte of addresses that they never use. Linux can tell reserved
    # addresses from memory in use.
    limited = resource.RLIMIT_DATA if on_linux else resource.RLIMIT_AS
    resource.setrlimit(limited, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if on_linux:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    """Run as a process of the pool."""
    # What a library prints must not end up among the replies.
    own_out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # With one process per core, threads cost more than they gain, and each takes memory before it
    # does anything.
    for library in ("OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.putenv(library, "1")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(int(sys.argv[1]))
    serve_tasks(sys.stdin.buffer, own_out)


if __name__ == "__main__":
    main()
