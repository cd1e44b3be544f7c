"""Memory that a process no longer needs, returned to the system.

By itself, glibc only returns what is free at the end of its heap. In a process that serves, what is
kept lies between what is freed, and each large request would leave more gaps. And Python keeps
thousands of freed tuples and lists for later; each of them may keep a megabyte from being returned,
until a full collection of garbage lets go of them.
"""

import ctypes
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_EVERY_S = 2.0
"""How often it is returned, which takes a few milliseconds: work may outlast its request."""
_MOST_ROUNDS = 5
"""After how many such rounds garbage is collected although work goes on. It takes a tenth of a
second."""


@contextmanager
def trimming(every_s: float = _EVERY_S) -> Iterator[None]:
    """Inside the context, collect garbage when work has paused, and now and then while it goes on;
    return freed memory regularly if the C library can do that."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    over = threading.Event()

    def run() -> None:
        seen, collected, rounds = _count_collections(), 0, 0
        while not over.wait(every_s):
            before, seen, rounds = seen, _count_collections(), rounds + 1
            # Python collects young objects by itself as long as something is being done.
            if seen != collected and (seen == before or rounds >= _MOST_ROUNDS):
                gc.collect()
                seen = collected = _count_collections()
                rounds = 0
            if trim is not None:
                trim(0)

    threading.Thread(target=run, name="trimming", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _count_collections() -> int:
    """How often Python has looked for garbage, in any generation."""
    return sum(each["collections"] for each in gc.get_stats())
