"""Who looks at what, for a short while: so that two people do not answer the same question.

It is kept in the memory of the console and reserves nothing: a decision is checked when it is made.
"""

from collections.abc import Mapping
from threading import Lock
from typing import Final

OPEN_MS: Final = 90_000
"""How long a page counts as open after it was last heard of; it reports every 30 seconds."""
SKIPPED_MS: Final = 3_600_000
"""How long a question that somebody skipped is not chosen for them again."""
_MOST = 10_000


class Presence:
    """The questions that people have open, and those that they skipped."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[tuple[str, str], int] = {}
        self._skipped: dict[tuple[str, str], int] = {}

    def open(self, person: str, name: str, now_ms: int) -> list[str]:
        """Note that somebody has it open, and nothing else; return who else has."""
        with self._lock:
            self._forget(now_ms)
            # A person looks at one question at a time.
            self._open = {key: at for key, at in self._open.items() if key[0] != person}
            self._open[person, name] = now_ms
            return sorted(other for other, what in self._open if what == name and other != person)

    def close(self, person: str) -> None:
        """Note that somebody left the desk."""
        with self._lock:
            self._open = {key: at for key, at in self._open.items() if key[0] != person}

    def skip(self, person: str, name: str, now_ms: int) -> None:
        """Note that somebody does not want to decide it now."""
        with self._lock:
            self._forget(now_ms)
            self._skipped[person, name] = now_ms

    def list_taken(self, person: str, now_ms: int) -> set[str]:
        """What somebody else has open, and what this person skipped."""
        with self._lock:
            self._forget(now_ms)
            others = {what for who, what in self._open if who != person}
            return others | {what for who, what in self._skipped if who == person}

    def list_open(self, now_ms: int) -> Mapping[str, list[str]]:
        """Question → who has it open."""
        with self._lock:
            self._forget(now_ms)
            found: dict[str, list[str]] = {}
            for who, what in sorted(self._open):
                found.setdefault(what, []).append(who)
            return found

    def _forget(self, now_ms: int) -> None:
        self._open = {k: at for k, at in self._open.items() if now_ms - at < OPEN_MS}
        recent = {k: at for k, at in self._skipped.items() if now_ms - at < SKIPPED_MS}
        self._skipped = dict(list(recent.items())[-_MOST:])
