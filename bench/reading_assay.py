"""Assay's side of the reading bench: `python -m bench.reading_assay FOLDER`.

`reading` is a whole reading with everything that is stored of it: segments, tables, marks and the
map. `bare` is the same page read for its words alone: its lines keep no offsets, no cells and no
marks. The difference is what the bookkeeping costs.
"""

import html
import sys
from dataclasses import dataclass
from pathlib import Path

from assay.reading.decoding import decode_bytes
from assay.reading.documents import read_document
from assay.reading.forms import sniff_form
from assay.reading.html.main_part import find_main_lines
from assay.reading.html.page import HtmlPage
from assay.reading.limits import ReadLimits
from assay.reading.markup.flow import Flow, TextLine
from bench.reading_peers.turns import take_turns


def reading(data: bytes) -> object:
    """Read a document, and write down what is stored."""
    found = read_document(data)
    return found.map_json(), found.table_json()


def bare(data: bytes) -> object:
    """The words of a page, and nothing of where they stood."""
    sniff_form(data)
    source = decode_bytes(data).text
    page = HtmlPage(source, ReadLimits(), _BareFlow(source))
    return "\n".join(line.text for line in find_main_lines(page))


@dataclass(slots=True)
class _BareFlow(Flow):
    """Lines without offsets, cells and marks; links are still counted, to find the main part."""

    def add_text(self, start: int, end: int, *, escaped: bool = True) -> None:
        piece = self.source[start:end]
        if not piece.strip():
            if self._parts:
                self._parts.append(" ")
            return
        if escaped and "&" in piece:
            piece = html.unescape(piece)
        if self.linked:
            self._links += len(piece)
        self._parts.append(piece)

    def end_line(self) -> None:
        if not self._parts:
            return
        text = " ".join("".join(self._parts).split())
        if text:
            self.lines.append(TextLine(text, 0, 0, min(self._links, len(text)), self.zone))
        self._parts.clear()
        self._links = 0


def main() -> None:
    take_turns(
        Path(sys.argv[1]), {"reading": reading, "bare": bare}, lambda data: read_document(data).text
    )


if __name__ == "__main__":
    main()
