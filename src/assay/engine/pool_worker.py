"""One process of the pool: receives tasks and sends back their results."""

import json
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from assay.engine.replies import TaskReply, TaskVerdict, pack_failure, pack_reply
from assay.engine.sandbox import Confinement, confine_process
from assay.errors import AssayError, ContentHostile, StageCrashed

_SIZE: Final = struct.Struct("!Q")
_confined: list[Confinement] = []
"""How this process is confined, if it is one of the pool."""


def describe_confinement() -> Confinement:
    """A task: what the kernel refuses to this process."""
    return _confined[0]


def pack_tasks(tasks: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> bytes:
    """Tasks as bytes, with their size in front. Only what this program sends is unpickled."""
    data = pickle.dumps(tasks, protocol=pickle.HIGHEST_PROTOCOL)
    return _SIZE.pack(len(data)) + data


def serve_tasks(source: BinaryIO, sink: BinaryIO, most_bytes: int) -> None:
    """Run tasks until the input ends; no result may take more than `most_bytes`."""
    while len(head := source.read(_SIZE.size)) == _SIZE.size:
        try:
            tasks = pickle.loads(source.read(*_SIZE.unpack(head)))
        except Exception as error:  # a module of the task cannot be imported here
            sink.write(pack_failure(f"The task cannot be loaded: {type(error).__name__}: {error}."))
            sink.flush()
            return
        for task, arguments in tasks:
            reply = _run_task(task, arguments)
            sink.write(pack_reply(task, reply, most_bytes))
            sink.flush()
            if reply.verdict is TaskVerdict.MEMORY:
                return


def _run_task(task: Callable[..., Any], arguments: tuple[Any, ...]) -> TaskReply:
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


def main() -> None:
    """Run as a process of the pool."""
    # What a library prints must not end up among the replies.
    own_out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    given = json.loads(sys.argv[1])
    _confined.append(
        confine_process(given["memory_mb"], [Path(each) for each in given["readable"]])
    )
    serve_tasks(sys.stdin.buffer, own_out, given["reply_bytes"])
