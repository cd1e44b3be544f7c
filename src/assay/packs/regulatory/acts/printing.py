"""Print provisions as a text that an extractor can read, with the way back to their sources."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.packs.regulatory.acts.shapes import Act, Provision, Span, Words

_HEADED_FIRST = "Član"
"""How the number of an article begins that Croatian acts print below its heading."""


@dataclass(slots=True)
class PrintedArticles:
    """A text put together from the words of provisions."""

    text: str
    pieces: list[tuple[int, Span]] = field(default_factory=list)
    """Where each piece starts, and where its characters come from."""
    provisions: list[tuple[int, str]] = field(default_factory=list)
    """Where each provision starts, and its path."""

    def find_sources(self, start: int, end: int) -> list[Span]:
        """Where the characters of a part come from, in order."""
        found = []
        first = max(0, bisect_right(self.pieces, start, key=lambda piece: piece[0]) - 1)
        for at, span in self.pieces[first:]:
            if at >= end:
                break
            low, high = max(start, at), min(end, at + span.end - span.start)
            if low < high and span.source:
                found.append(Span(span.source, span.start + low - at, span.start + high - at))
        return found

    def find_path(self, at: int) -> str:
        """The provision that a character belongs to; empty if none."""
        place = bisect_right(self.provisions, at, key=lambda entry: entry[0]) - 1
        return self.provisions[place][1] if place >= 0 else ""


class _Printer:
    def __init__(self, title: str) -> None:
        self._parts = [title, "\n"] if title else []
        self._at = sum(map(len, self._parts))
        self.printed = PrintedArticles("")

    def add(self, text: str) -> None:
        self._parts.append(text)
        self._at += len(text)

    def add_words(self, words: Words) -> None:
        at = 0
        for span in words.spans:
            self.printed.pieces.append((self._at + at, span))
            at += span.end - span.start
        self.add(words.text)

    def add_provision(self, provision: Provision) -> None:
        self.printed.provisions.append((self._at, provision.path))
        top = not provision.parent
        headed_first = top and provision.number.startswith(_HEADED_FIRST)
        if headed_first:
            self._add_line(provision.heading)
        if provision.number:
            self.add(provision.number + ("\n" if top else " "))
        if not headed_first:
            self._add_line(provision.heading)
        self._add_line(provision.opening)

    def _add_line(self, words: Words) -> None:
        if words.text:
            self.add_words(words)
            self.add("\n")

    def finish(self) -> PrintedArticles:
        self.printed.text = "".join(self._parts)
        return self.printed


def print_articles(act: Act, tops: Iterable[str], title: str) -> PrintedArticles:
    """Some articles of an act, below its title; each provision starts a line."""
    wanted = set(tops)
    printer = _Printer(title)
    closings: list[Provision] = []
    for provision in act.provisions:
        if provision.path.split("__", 1)[0] not in wanted:
            continue
        _close(printer, closings, provision.path)
        printer.add_provision(provision)
        closings.append(provision)
    _close(printer, closings, "")
    return printer.finish()


def _close(printer: _Printer, closings: list[Provision], path: str) -> None:
    """Print the closing words of provisions that end before another one."""
    while closings and not path.startswith(closings[-1].path + "__"):
        ended = closings.pop()
        if ended.closing.text:
            printer.printed.provisions.append((printer._at, ended.path))
            printer.add_words(ended.closing)
            printer.add("\n")
