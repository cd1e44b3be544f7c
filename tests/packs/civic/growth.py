"""Whether the work on a text grows with its length and not with the square of it."""

import time
from collections.abc import Callable

_SMALL = 8_000


def grows_linearly(work: Callable[[str], object], piece: str, length: int = _SMALL) -> bool:
    """Ten times the text: quadratic work would take a hundred times the computing time."""
    small = min(_measure(work, piece, length) for _ in range(3))
    return min(_measure(work, piece, 10 * length) for _ in range(2)) < 40 * small + 0.2


def _measure(work: Callable[[str], object], piece: str, length: int) -> float:
    text = piece * (length // len(piece))
    # The time of this thread: other work on the machine does not count.
    started = time.thread_time()
    work(text)
    return time.thread_time() - started
