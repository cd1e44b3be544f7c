"""Freed memory goes back to the system, although what is kept lies between what is freed, and
although nothing but the garbage collector can find it."""

import ctypes
import gc
import weakref
from pathlib import Path

import pytest

from assay.server.freed_memory import trimming
from tests.waiting import until

BLOCKS = 20_000
BLOCK_BYTES = 4_000


def resident_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS:"))) / 1024


@pytest.mark.skipif(
    not (Path("/proc/self/status").exists() and hasattr(ctypes.CDLL(None), "malloc_trim")),
    reason="The C library does not return memory on request.",
)
def test_gaps_between_what_is_kept_are_returned() -> None:
    kept = [bytes(BLOCK_BYTES) for _ in range(BLOCKS)]
    del kept[1::2], kept[1::2], kept[1::2]
    before = resident_mb()
    with trimming(every_s=0.01):
        until(lambda: resident_mb() < before - 40)
    assert len(kept) == BLOCKS // 8


class Held:
    """Something large that refers to itself."""

    def __init__(self) -> None:
        self.data = bytes(1_000_000)
        self.itself = self


@pytest.mark.parametrize("is_working", [False, True])
def test_garbage_of_a_few_objects_is_collected(is_working: bool) -> None:
    gc.disable()
    gc.collect()

    def is_gone() -> bool:
        if is_working:
            # What Python does by itself when there are many new objects.
            gc.collect(0)
        return held() is None

    try:
        made = Held()
        held = weakref.ref(made)
        # From here on, only a full collection finds it.
        gc.collect(1)
        del made
        with trimming(every_s=0.05 if is_working else 0.01):
            until(is_gone)
        assert held() is None
    finally:
        gc.enable()
