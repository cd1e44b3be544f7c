"""What an exploited parser would try, done in a process of the pool."""

import ctypes
import fcntl
import json
import os
import pickle
import resource
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SECRET = "sk-secret-of-a-provider"
_GIGABYTE = 1024**3


@dataclass(frozen=True)
class Attempt:
    """How the kernel answered: an error's name, or what was gained."""

    error: str
    gained: str = ""


def try_everything(parent: int, store: Path, document: Path, port: int) -> dict[str, Attempt]:
    """Try one thing after the other, as code inside a parser could."""
    attempts: dict[str, Callable[[], object]] = {
        "read the key": lambda: _find_secret(dict(os.environ)),
        "read the key of the parent": lambda: Path(f"/proc/{parent}/environ").read_bytes(),
        "read the memory of the parent": lambda: os.open(f"/proc/{parent}/mem", os.O_RDONLY),
        "read the store": store.read_bytes,
        "write the store": lambda: store.write_bytes(b"forged"),
        "cut off the store": lambda: os.truncate(store, 0),
        "delete the store": store.unlink,
        "change the rights of the store": lambda: store.chmod(0o777),
        "list the home": lambda: list(Path("~").expanduser().iterdir()),
        "list the folder of users": lambda: list(Path("/root").iterdir()),
        "read the list of users": Path("/etc/passwd").read_bytes,
        "alter the document": lambda: document.write_bytes(b"forged"),
        "write a gigabyte": lambda: Path("/tmp/probe").write_bytes(bytes(_GIGABYTE // 1024)),
        "connect by TCP": lambda: socket.create_connection(("127.0.0.1", port), 2),
        "send by UDP": lambda: socket.socket(type=socket.SOCK_DGRAM),
        "connect to a local socket": lambda: socket.socket(socket.AF_UNIX),
        "listen": lambda: socket.create_server(("127.0.0.1", 0)),
        "fork": os.fork,
        "start a program": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "become a program": lambda: os.execv("/bin/true", ["true"]),
        "kill the parent": lambda: os.kill(parent, signal.SIGTERM),
        "signal the parent through a pipe": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, parent),
        "choose another signal for it": lambda: fcntl.fcntl(0, 10, signal.SIGKILL),
        "signal the parent's group through a pipe": lambda: fcntl.fcntl(
            0, 15, struct.pack("=ii", 2, parent)
        ),
        "signal the parent through a socket": lambda: _own_socket(0x8901, parent),
        "signal the parent's group through a socket": lambda: _own_socket(0x8902, parent),
        "outlive the parent": lambda: _call("prctl", 1, 0, 0, 0, 0),
        "slow the parent": lambda: os.sched_setscheduler(parent, os.SCHED_IDLE, os.sched_param(0)),
        "trace the parent": lambda: _call("ptrace", 16, parent, 0, 0),
        "limit the parent": lambda: resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1)),
        "lift its own limits": lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        ),
        "make a namespace": lambda: _call("unshare", 0x10000000),
        "mount": lambda: _call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    }
    return {name: _try(attempt) for name, attempt in attempts.items()}


def try_what_is_needed(document: Path) -> dict[str, Attempt]:
    """What reading documents needs."""

    def use_thread() -> str:
        done: list[str] = []
        thread = threading.Thread(target=lambda: done.append("done"))
        thread.start()
        thread.join()
        return done[0]

    attempts: dict[str, Callable[[], object]] = {
        "read the document": document.read_text,
        "import a library": lambda: __import__("lxml.html").__name__,
        "use a thread": use_thread,
    }
    return {name: _try(attempt) for name, attempt in attempts.items()}


def forge_reply(marker: Path) -> int:
    """Send a pickled call in place of an answer, as the protocol once took it."""

    class Call:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(marker),)

    data = pickle.dumps(Call())
    _write_reply(_make_head("ok", len(data)) + data)
    time.sleep(3600)
    return 0


def forge_size() -> int:
    """Announce an answer that would fill all memory."""
    _write_reply(_make_head("ok", 1 << 60))
    time.sleep(3600)
    return 0


def forge_type() -> int:
    """Send text where a number is declared."""
    body = b'["one"]'
    _write_reply(_make_head("ok", len(body)) + body)
    time.sleep(3600)
    return 0


def forge_verdict() -> int:
    """End in a way that does not exist."""
    _write_reply(_make_head("perfect", 0))
    time.sleep(3600)
    return 0


def forge_error(codes: list[str], what: str) -> int:
    """Report an error that this process did not have."""
    sent = {"codes": codes, "what": what, "advice": what, "final": False}
    body = json.dumps(sent).encode()
    _write_reply(_make_head("error", len(body)) + body)
    time.sleep(3600)
    return 0


def return_much(size: int) -> bytes:
    """Answer as declared, but at length."""
    return bytes(size)


def stay_behind(_number: int) -> int:
    """Try to leave something that goes on after the task."""
    try:
        return os.fork()
    except PermissionError:
        return -1


def _make_head(verdict: str, size: int) -> bytes:
    return struct.pack("!Q8s", size, verdict.encode())


def _write_reply(data: bytes) -> None:
    # The pipe of the replies is whichever of the first descriptors takes the bytes.
    for number in range(3, 12):
        try:
            os.write(number, data)
        except OSError:
            continue
        return


def _try(attempt: Callable[[], object]) -> Attempt:
    try:
        gained = attempt()
    except OSError as error:
        return Attempt(type(error).__name__)
    except ValueError as error:
        return Attempt(f"ValueError: {error}")
    return Attempt("", repr(gained)[:200])


def _own_socket(request: int, process: int) -> int:
    """Without a socket, the kernel would answer that the request does not fit the file."""
    try:
        fcntl.ioctl(0, request, struct.pack("=i", process))
    except PermissionError:
        raise
    except OSError as error:
        return error.errno or -1
    return 0


def _find_secret(environment: dict[str, str]) -> str:
    if not any(SECRET in value for value in environment.values()):
        raise PermissionError("not here")
    return SECRET


def _call(name: str, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result: int = getattr(libc, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
