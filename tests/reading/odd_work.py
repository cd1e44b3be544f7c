"""Work for the process pool that goes wrong in every way."""

import os
import resource
import signal
import time

from assay.errors import ContentBroken

_served: list[int] = []


def double(number: int) -> int:
    return 2 * number


def wait_and_double(seconds: float, number: int) -> int:
    time.sleep(seconds)
    return 2 * number


def refuse(number: int) -> int:
    raise ContentBroken(f"Number {number} is broken.", advice="Take another.")


def odd(what: str) -> str:
    """Whatever the word says."""
    if what == "die":
        signal.raise_signal(signal.SIGKILL)
    if what == "exit":
        os._exit(3)
    if what == "hang":
        time.sleep(3600)
    if what == "fill":
        return "x" * (4 * 1024**3)
    if what == "raise":
        raise ValueError("odd")
    if what == "deep":
        return odd("deep")
    if what == "print":
        print("noise on the line", flush=True)  # noqa: T201
        os.write(1, b"more noise")
    return what.upper()


def once_in_a_process(number: int) -> int:
    """Dies when the process has served before."""
    if _served:
        os._exit(1)
    _served.append(number)
    return number


def read_cpu_limits(_number: int) -> tuple[int, int]:
    return resource.getrlimit(resource.RLIMIT_CPU)


def process_id(_number: int) -> int:
    return os.getpid()
