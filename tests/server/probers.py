"""Asks for `/health` again and again, from a process of its own: what attacks the server must not
delay who measures it."""

import asyncio
import http.client
import time
from dataclasses import dataclass, field
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection

_EVERY_S = 0.02
_PATIENCE_S = 120.0
_NOTHING = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass
class Answers:
    """How long the answers took, shortest first."""

    took_ms: list[float] = field(default_factory=list)
    failed: int = 0

    @property
    def worst_ms(self) -> float:
        return self.took_ms[-1]

    @property
    def usual_ms(self) -> float:
        return self.took_ms[len(self.took_ms) // 2]


class Prober:
    """Asks one server for as long as the context lasts; it can be entered many times."""

    def __init__(self, port: int) -> None:
        self._pipe, theirs = Pipe()
        Process(target=_probe, args=(port, theirs), daemon=True).start()
        self.answers = Answers()

    def __enter__(self) -> "Prober":
        self._pipe.send("begin")
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.send("end")
        self.answers = self._pipe.recv()


def start_idle_server() -> int:
    """A server that does nothing but answer: how long it takes is how busy the machine is."""
    ours, theirs = Pipe()
    Process(target=_serve_nothing, args=(theirs,), daemon=True).start()
    port: int = ours.recv()
    return port


def _probe(port: int, pipe: "Connection[object, object]") -> None:
    while True:
        try:
            pipe.recv()
        except EOFError:
            return
        found = Answers()
        while not pipe.poll(_EVERY_S) or not found.took_ms:
            _ask(port, found)
        pipe.recv()
        found.took_ms.sort()
        pipe.send(found)


def _ask(port: int, found: Answers) -> None:
    began = time.perf_counter()
    # Each on a connection of its own: a new client must get in, too.
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    try:
        asked.request("GET", "/health")
        found.failed += asked.getresponse().status != 200
    except OSError:
        found.failed += 1
    finally:
        asked.close()
    found.took_ms.append((time.perf_counter() - began) * 1000)


def _serve_nothing(pipe: "Connection[object, object]") -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(_NOTHING)
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())
