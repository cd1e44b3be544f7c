"""Stopping on SIGINT and SIGTERM: the first lets work in hand end, the second does not wait."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import typer

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignal:
    """Whether this process was told to stop, and by what."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.signal: signal.Signals | None = None

    @property
    def name(self) -> str | None:
        return self.signal.name if self.signal else None

    @property
    def exit_code(self) -> int:
        """128 and the signal's number, as a shell would say; 0 if nobody asked."""
        return 128 + self.signal if self.signal else 0

    def _receive_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = signal.Signals(number)
        self.event.set()


@contextmanager
def catch_signals(say: Callable[[str], None]) -> Iterator[StopSignal]:
    """Inside, a signal sets the event instead of ending the process."""
    stop = StopSignal()

    def announce() -> None:
        # A thread, because a signal handler may interrupt the console in the middle of a line.
        stop.event.wait()
        if stop.signal is not None:
            say(f"{stop.name}: work in hand is brought to its end; once more stops at once.")

    announcer = threading.Thread(target=announce, name="assay-stopping", daemon=True)
    announcer.start()
    before = {number: signal.signal(number, stop._receive_signal) for number in _SIGNALS}
    try:
        yield stop
    except KeyboardInterrupt:
        raise typer.Exit(stop.exit_code) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.event.set()
        announcer.join(timeout=1)
