"""Memory that a process has freed, returned to the system.

By itself, glibc only returns what is free at the end of its heap. In a process that serves, what is
kept lies between what is freed, and each large request would leave more gaps.
"""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_EVERY_S = 2.0
"""How often it is returned, which takes a few milliseconds: work may outlast its request."""


@contextmanager
def trimming(every_s: float = _EVERY_S) -> Iterator[None]:
    """Return freed memory regularly inside the context, if the C library can do that."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    over = threading.Event()

    def run() -> None:
        while trim is not None and not over.wait(every_s):
            trim(0)

    threading.Thread(target=run, name="trimming", daemon=True).start()
    try:
        yield
    finally:
        over.set()
