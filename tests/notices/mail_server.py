"""A mail server on loopback that keeps what it gets, and can be made to refuse."""

import email
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from typing import Any


@dataclass
class MailServer:
    """What a test sees of it."""

    port: int
    mails: list[EmailMessage] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    refusals: dict[str, bytes] = field(default_factory=dict)
    """Answers to give to a command, such as `RCPT` or `DATA`, in place of the usual ones."""
    tries: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "smtp_host": "127.0.0.1",
            "smtp_port": self.port,
            "smtp_security": "none",
            "smtp_sender": "assay@example.org",
        }

    def subjects(self) -> list[str]:
        return [mail["Subject"] for mail in self.mails]

    def text(self, number: int = -1) -> str:
        part = self.mails[number].get_body(("plain",))
        assert part is not None
        return str(part.get_content()).replace("\r\n", "\n")

    def html(self, number: int = -1) -> str:
        part = self.mails[number].get_body(("html",))
        assert part is not None
        return str(part.get_content())


class _Talk(socketserver.StreamRequestHandler):
    server: "_Listener"

    def handle(self) -> None:
        known = self.server.known
        known.tries += 1
        self._answer(b"220 mail.test")
        while line := self.rfile.readline():
            word = line.split()[0].upper().decode() if line.split() else ""
            if word == "DATA" and word not in known.refusals:
                self._answer(b"354 go on")
                self._keep(known)
                continue
            usual = {"EHLO": b"250 mail.test", "QUIT": b"221 bye"}.get(word, b"250 ok")
            self._answer(known.refusals.get(word, usual))
            if word == "QUIT":
                return

    def _keep(self, known: MailServer) -> None:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b".") else line)
        body = b"".join(lines)
        known.raw.append(body)
        found = email.message_from_bytes(body, policy=default)
        assert isinstance(found, EmailMessage)
        known.mails.append(found)
        self._answer(known.refusals.get("END", b"250 taken"))

    def _answer(self, line: bytes) -> None:
        self.wfile.write(line + b"\r\n")


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    known: MailServer


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Serve until the end of the block."""
    with _Listener(("127.0.0.1", 0), _Talk) as listener:
        listener.known = MailServer(listener.server_address[1])
        thread = threading.Thread(target=listener.serve_forever, daemon=True)
        thread.start()
        try:
            yield listener.known
        finally:
            listener.shutdown()
            thread.join()
