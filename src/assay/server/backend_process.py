"""The processes that answer requests, as the server sees them.

What a pack does for a request may take seconds of computing, and Python lets one thread compute at
a time. Packs therefore answer in a process of their own (`pack_server.py`), and so does the console
with the API (`console_server.py`). The server only passes requests and responses on (`relay.py`):
it stays free for everything else. A process is replaced if it ends, whatever ended it, and ended if
it no longer responds.
"""

import asyncio
import contextlib
import pickle
import shutil
import socket
import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import aiohttp

from assay.errors import TransientError
from assay.logs import Log
from assay.sdk.web import WebLimits
from assay.settings import Settings, read_environment

_BACKLOG = 512
_LEAVE_S = 15.0
"""How long it may take to finish when the server shuts down."""
_SHORT_LIFE_S = 10.0
_LONGEST_REST_S = 60.0
SIGN_OF_LIFE = "/health"
"""What the process answers at once. A pack cannot claim it, because the server has one, too."""
_SILENT_S = 20.0
"""How long it may take to give a sign of life. It is nice, and its threads compute, so that on a
busy machine it may be slow for long."""
_PAUSE_S = 10.0
"""Between two signs of life."""
_MOST_MISSED = 3
"""So many missed signs of life in a row end it."""
_MOST_MISSED_AT_START = 15
"""The same, before its first."""
_ALLOCATOR = {
    # Otherwise every thread keeps freed memory to itself, and large blocks are never returned.
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_TRIM_THRESHOLD_": "262144",
    "MALLOC_MMAP_THRESHOLD_": "262144",
}
log = Log("assay.server")


@dataclass(frozen=True)
class Backend:
    """What a process answers, and where its program is."""

    name: str
    who: str
    """What it is called in messages."""
    module: str
    """The module whose `main` is its program."""


PACKS = Backend("packs", "The process that answers for packs", "assay.server.pack_server")
CONSOLE = Backend("console", "The process of the console", "assay.server.console_server")


@dataclass(frozen=True)
class BackendOrder:
    """What the process is told when it starts."""

    settings: Settings
    host: str
    """The address that the server listens on; it decides under which names it answers."""
    limits: WebLimits
    listener: int
    """The file descriptor on which it accepts connections, which only come from the server."""


class BackendProcess:
    """Starts the process, starts it again if it ends, and opens connections to it."""

    def __init__(self, backend: Backend, settings: Settings, host: str, limits: WebLimits) -> None:
        self.backend = backend
        self._settings = settings
        self._host = host
        self._limits = limits
        self._folder = Path(tempfile.mkdtemp(prefix="assay-"))
        # The server keeps it open: requests that come while the process starts wait in it.
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._folder / "socket"))
        self._listener.listen(_BACKLOG)
        self._process: asyncio.subprocess.Process | None = None
        self._session: aiohttp.ClientSession | None = None
        self._watching: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Its process id; None while it does not run."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process is not None else None

    @property
    def session(self) -> aiohttp.ClientSession:
        """Connections to the process; an error if it is not running."""
        if self._session is None or self.pid is None:
            raise self.build_lost_error()
        return self._session

    def build_lost_error(self) -> TransientError:
        """The error of a request whose process ended, or is not there yet."""
        return TransientError(
            f"{self.backend.who} has ended, and is started again.",
            advice="Send the request again; if this repeats, see the log.",
        )

    async def start(self) -> None:
        """Start it, and keep it running until `close`."""
        self._session = aiohttp.ClientSession(
            # A connection that was used before may be closed at any moment.
            connector=aiohttp.UnixConnector(
                str(self._folder / "socket"), limit=0, force_close=True
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        await self._spawn()
        self._watching = asyncio.create_task(self._keep_running())

    async def close(self) -> None:
        """End it, and give it time to finish."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])
        if self._session is not None:
            await self._session.close()
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._process is not None and self._process.returncode is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LEAVE_S):
                    await self._process.wait()
                return
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def _keep_running(self) -> None:
        rest_s = 0.0
        while True:
            began = monotonic()
            assert self._process is not None
            listening = asyncio.create_task(self._end_silent(self._process))
            try:
                code = await self._process.wait()
            finally:
                listening.cancel()
            lived_s = monotonic() - began
            rest_s = min(_LONGEST_REST_S, 2 * rest_s + 1) if lived_s < _SHORT_LIFE_S else 0.0
            log.warning(
                "backend_ended", f"{self.backend.who} ended; starting it again.",
                backend=self.backend.name, code=code, rest_s=rest_s,
            )  # fmt: skip
            await asyncio.sleep(rest_s)
            # Without memory or processes to spare, it is tried again after a longer rest.
            with contextlib.suppress(OSError):
                await self._spawn()

    async def _end_silent(self, process: asyncio.subprocess.Process) -> None:
        """Kill the process once it has missed several signs of life."""
        missed, most = 0, _MOST_MISSED_AT_START
        while missed < most:
            if await self._gives_sign():
                missed, most = 0, _MOST_MISSED
            else:
                missed += 1
            await asyncio.sleep(_PAUSE_S)
        log.error(
            "backend_silent", f"{self.backend.who} does not respond; ending it.",
            backend=self.backend.name,
        )  # fmt: skip
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    async def _gives_sign(self) -> bool:
        """Whether the process answers anything in time."""
        try:
            async with asyncio.timeout(_SILENT_S):
                async with self.session.get(f"http://localhost{SIGN_OF_LIFE}") as answered:
                    await answered.read()
                    return True
        except (TimeoutError, TransientError, aiohttp.ClientError):
            return False

    async def _spawn(self) -> None:
        descriptor = self._listener.fileno()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            # -P: the folder that it is started in must not add modules.
            "-P",
            "-c",
            f"from {self.backend.module} import main; main()",
            env={**read_environment(), **_ALLOCATOR},
            pass_fds=(descriptor,),
            # Ctrl-C ends the server, which ends this process once its requests are done.
            start_new_session=True,
            stdin=asyncio.subprocess.PIPE,
            # What a library prints must not end up in the output of the command.
            stdout=asyncio.subprocess.DEVNULL,
        )
        assert self._process.stdin is not None
        serving = BackendOrder(self._settings, self._host, self._limits, descriptor)
        data = pickle.dumps(serving)
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(struct.pack("!Q", len(data)) + data)
            await self._process.stdin.drain()
