"""A proxy on loopback between a program and its Postgres server, which can be told to hang."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path


class Proxy:
    """Passes bytes on in both directions, unless it hangs."""

    def __init__(self, server: Path) -> None:
        self._server = str(server)
        self._ends: list[socket.socket] = []
        self._flows = threading.Event()
        self._flows.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def hang(self) -> None:
        """Keep all connections open and pass nothing on."""
        self._flows.clear()

    def flow(self) -> None:
        self._flows.set()

    def close(self) -> None:
        for each in (self._listener, *self._ends):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                self._ends += [client, server]
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flows.wait()
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
        source.close()


@contextlib.contextmanager
def proxy_to(server: Path) -> Iterator[Proxy]:
    proxy = Proxy(server)
    try:
        yield proxy
    finally:
        proxy.flow()
        proxy.close()
