"""Stored documents for people who look at them: pages as images, and texts that were not kept.

A document is opened in a process that is confined to reading (`engine/sandbox.py`), and only so
many people are served at once: somebody else's damaged document must not keep the console busy.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from assay.app.tools import build_bounds, build_scout_options, list_readable
from assay.engine.loop import LoopThread
from assay.engine.process_pool import ProcessPool
from assay.errors import AssayError, TransientError
from assay.notices.notice import read_stored_text
from assay.reading.pdf.rendering import (
    Area,
    PageGeometry,
    Span,
    draw_stored_page,
    measure_stored_page,
)
from assay.settings import Settings

_PROCESSES = 2
_TIMEOUT_S = 20.0
_MOST_KEPT = 64
"""Images and measures of pages that are kept: a page of text takes about 200 KB."""
T = TypeVar("T")


class DocumentViewer:
    """Opens documents for people; its processes are started when they are first needed."""

    def __init__(self, settings: Settings, most_waiting: int = 12) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._most_waiting = most_waiting
        self._places = threading.BoundedSemaphore(most_waiting)
        self._loop: LoopThread | None = None
        self._pool: ProcessPool | None = None
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def draw_page(
        self, file: Path, hash_of_content: str, page: int, areas: tuple[Area, ...] = ()
    ) -> bytes:
        """A page of a PDF as a PNG, with these areas highlighted."""
        return self._remember(
            ("drawn", hash_of_content, page, areas),
            lambda: self._run(draw_stored_page, file, hash_of_content, page, areas),
        )

    def measure_page(
        self, file: Path, hash_of_content: str, page: int, spans: tuple[Span, ...]
    ) -> PageGeometry:
        """The size of a page of a PDF, and the places of some of its characters."""
        return self._remember(
            ("measured", hash_of_content, page, spans),
            lambda: self._run(measure_stored_page, file, hash_of_content, page, spans),
        )

    def read_text(self, file: Path, hash_of_content: str, charset: str | None) -> str:
        """The text of a document that was not kept when it was fetched."""
        limits = build_scout_options(self._settings).limits
        return self._run(read_stored_text, file, hash_of_content, charset, limits)

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            loop, pool, self._loop, self._pool = self._loop, self._pool, None, None
        if loop is not None and pool is not None:
            loop.submit(pool.close()).result(timeout=10)
            loop.stop()

    def _remember(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast("T", self._kept[key])
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return made

    def _run(self, task: Callable[..., T], *arguments: Any) -> T:
        loop, pool = self._open()

        async def work() -> T:
            (result,) = await pool.run_each(task, [arguments], timeout_s=_TIMEOUT_S)
            if isinstance(result, AssayError):
                raise result
            return result

        with self._hold_place():
            return loop.submit(work()).result()

    def _open(self) -> tuple[LoopThread, ProcessPool]:
        with self._lock:
            if self._loop is None or self._pool is None:
                self._loop = LoopThread()
                self._loop.start()
                bounds, readable = build_bounds(self._settings), list_readable(self._settings)
                self._pool = ProcessPool(_PROCESSES, bounds, readable)
            return self._loop, self._pool

    @contextmanager
    def _hold_place(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise TransientError(
                f"{self._most_waiting} documents are being opened, which is the limit.",
                advice="Try again in a few seconds.",
            )
        try:
            yield
        finally:
            self._places.release()
