"""Where a quotation ends that begins a line."""

import re
from collections.abc import Sequence
from typing import Final

from assay.packs.regulatory.acts.trees.lines import ActLine

CLOSERS: Final = {"»": "«", "„": "“”", "“": "”", "‘": "’", "«": "»", '"': '"'}
"""Opening quotation mark → the marks that close it."""
_CLOSED: Final = re.compile(r"[«“”’»\"][.;,:)]{0,3}(?:\s(?:and|or|und|oder|i|te|ili))?[.;,]?$")
_TAIL: Final = 12
_MOST_FAILED: Final = 20
"""Searches that may fail before no further one is made: each reads the rest of its article."""


class QuotedLines:
    """The lines of a text, asked for quotations."""

    def __init__(self, text: str, lines: Sequence[ActLine]) -> None:
        self._text = text
        self._lines = lines
        self._failed = 0

    def find_end(self, at: int, last: int) -> int:
        """The last line of a quotation that begins the line `at`; -1 if there is none.

        A quotation ends at the end of a line: those within it end within one.
        """
        opener = self._text[self._lines[at].start]
        closers = CLOSERS.get(opener)
        if closers is None or self._failed >= _MOST_FAILED:
            return -1
        depth = 1
        for one in range(at, last):
            line = self._lines[one]
            if line.is_heading:
                break
            words = self._text[line.start + 1 : line.end]
            opened = 0 if opener in closers else words.count(opener)
            depth = max(0, depth + opened - sum(map(words.count, closers)))
            if depth == 0 and _CLOSED.search(words[-_TAIL:]):
                return one
            if one == at and depth == 0:
                # “Tax” means …: only a term is quoted.
                return -1
            depth = max(depth, 1)
        self._failed += 1
        return -1
