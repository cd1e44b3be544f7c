"""What must hold of every result, whatever the bytes were: the oracles of the fuzzer.

A fuzzer that only waits for crashes misses a citation that points beside its words. Each function
here raises `Violation` with the rule that was broken.
"""

import datetime as dt
import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from assay.errors import AssayError, InternalError
from assay.reading.result import Reading, restore_reading
from assay.sources.listing import Listing

T = TypeVar("T")
_MEGABYTE = 1 << 20


class Violation(Exception):
    """A rule that an input broke; the first word of the message names the rule."""


@dataclass(frozen=True, slots=True)
class CostBounds:
    """What one input may cost: a fixed amount, and more for each of its bytes."""

    seconds: float = 1.0
    seconds_per_kb: float = 0.05
    megabytes: int = 200
    megabytes_per_kb: float = 1.0

    def relax(self, times: float) -> "CostBounds":
        """The same bounds for code that is so many times slower."""
        return replace(
            self, seconds=self.seconds * times, seconds_per_kb=self.seconds_per_kb * times
        )

    def check(self, size: int, seconds: float, megabytes: float) -> None:
        """Refuse what took longer, or more memory, than its size explains."""
        most_s = self.seconds + self.seconds_per_kb * size / 1024
        if seconds > most_s:
            raise Violation(f"time: {size} bytes took {seconds:.1f} s of CPU, not {most_s:.1f} s")
        most_mb = self.megabytes + self.megabytes_per_kb * size / 1024
        if megabytes > most_mb:
            raise Violation(f"memory: {size} bytes took {megabytes:.0f} MB, not {most_mb:.0f} MB")


def run_bounded(check: Callable[[bytes], None], data: bytes, bounds: CostBounds) -> None:
    """Check one input, and what it cost; an error of Assay's with a code is a good end."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    try:
        check(data)
    except AssayError as error:
        check_error(error)
    seconds = time.process_time() - began
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
    bounds.check(len(data), seconds, grown * 1024 / _MEGABYTE)


def measure_again(check: Callable[[bytes], None], data: bytes, bounds: CostBounds) -> None:
    """Measure the best of three: a machine that paused once is not a slow reader."""
    broken: Violation | None = None
    for _ in range(3):
        try:
            run_bounded(check, data, bounds)
        except Violation as violation:
            broken = violation
            if not str(violation).startswith("time"):
                break
        else:
            return
    if broken is not None:
        raise broken


def check_error(error: AssayError) -> None:
    """An error has a code and says what happened, in words that can be shown and stored."""
    require(bool(error.code), "error", "without a code")
    require(not isinstance(error, InternalError), "error", f"{error.code} says that it is a bug")
    require(bool(str(error).strip()), "error", "without words")
    check_words("error", (error.what, error.advice or ""))


def require(holds: bool, rule: str, detail: object) -> None:
    """Raise unless a rule holds."""
    if not holds:
        raise Violation(f"{rule}: {detail}")


def run_twice(read: Callable[[], T]) -> T:
    """The same bytes give the same result, or the same error."""
    first, second = _capture(read), _capture(read)
    if isinstance(first, AssayError):
        same = isinstance(second, AssayError) and (first.code, str(first)) == (
            second.code,
            str(second),
        )
        require(same, "same", f"first {first!r}, then {second!r}")
        raise first
    require(first == second, "same", "a second reading differs")
    assert not isinstance(second, AssayError)
    return first


def _capture(read: Callable[[], T]) -> T | AssayError:
    try:
        return read()
    except AssayError as error:
        return error


def check_words(what: str, texts: Iterable[str | None]) -> None:
    """Texts that can be encoded: no half of a surrogate pair."""
    for text in texts:
        if text:
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise Violation(f"surrogate: {what} has half a pair at {error.start}") from None


def check_stored_words(what: str, texts: Iterable[str | None]) -> None:
    """Texts that go into a column: also without NUL, which Postgres does not store."""
    told = [text for text in texts if text]
    check_words(what, told)
    require(not any("\0" in text for text in told), "nul", f"{what} contains NUL")


def check_reading(reading: Reading, decoded: int | None = None) -> None:
    """Every offset lies in the text, every text can be stored, and storing loses nothing.

    `decoded` is the length of the decoded document, for readers whose segments point into it.
    """
    length = len(reading.text)
    check_words("a warning", reading.warnings)
    # A quote may be any part of the text, or a cell.
    check_stored_words("the text", (reading.text,))
    check_stored_words("the title", (reading.title,))
    for table in reading.tables:
        check_stored_words(
            "a table", (table.caption, *(cell for row in table.rows for cell in row))
        )
    for page in reading.pages:
        _check_span("page", page.start, page.end, length)
    numbers = [page.number for page in reading.pages]
    require(numbers == sorted(set(numbers)), "page", f"numbers {numbers[:20]}")
    for mark in reading.marks:
        _check_span("mark", mark.start, mark.end, length)
    for table in reading.tables:
        _check_span("table", table.start, table.end, length)
        require(table.page is None or table.page in numbers, "table", f"on page {table.page}")
    reached = 0
    for segment in reading.segments:
        _check_span("segment", segment.start, segment.end, length)
        require(reached <= segment.start, "segment", f"{segment} begins before {reached}")
        reached = segment.end
        source = (segment.source_start, segment.source_end)
        require(0 <= source[0] <= source[1], "segment", f"{segment} has a negative source")
        if decoded is not None:
            require(source[1] <= decoded, "segment", f"{segment} ends after the document")
    stored = restore_reading(reading.text, reading.map_json(), reading.table_json())
    require(stored == reading, "store", "a stored reading differs from what was read")


def _check_span(what: str, start: int, end: int, length: int) -> None:
    require(0 <= start <= end <= length, "span", f"{what} {start}-{end} of {length} characters")


def check_listing(listing: Listing) -> None:
    """Every item has an address that can be fetched, and words that can be stored."""
    for item in listing.items:
        _check_address(item.url)
        check_stored_words("an item", (item.url, item.title, item.published, item.changed))
        for moment in (item.published, item.changed):
            _check_moment(moment)
    for part in listing.parts:
        _check_address(part.url)
        check_stored_words("a part", (part.url, part.changed, part.body))
        _check_moment(part.changed)
    check_words("a warning", listing.warnings)


def _check_address(url: str) -> None:
    is_web = url.startswith(("http://", "https://"))
    require(is_web and not any(ord(c) < 33 or ord(c) == 127 for c in url), "address", repr(url))


def _check_moment(moment: str | None) -> None:
    """A day, a month, a year or a moment, as ISO 8601 writes them."""
    if moment is None:
        return
    padded = moment + "0001-01-01"[len(moment) :] if len(moment) < 10 else moment
    try:
        dt.datetime.fromisoformat(padded)
    except ValueError:
        raise Violation(f"moment: {moment!r} is not a date") from None
