"""A sentence with its context: the words that introduce it, its heading, its article."""

import re
from dataclasses import dataclass

from assay.packs.regulatory.extractor.figures import VALUES, Figure
from assay.packs.regulatory.extractor.references import Reference

_PART = re.compile(
    r";|\s[–—]\s|,\s+(?=(?:a|dok|odnosno|pri\s+čemu|s\s+tim[e]?|te\s+se|whereas|while|wobei|während"
    r"|jedoch)\s)"
)
_CATCHLINE = re.compile(
    r"[A-Z][^.,;:()\d“”—·]{2,90}?\s(?=(?:The|A|An|Any|If|In\sthe\scase|There|Every|Each|No|For"
    r"|Except|Where"
    r"|Whoever|Subject|Subsection|Paragraph|Such|Not)\s+[a-z(])"
)
"""`General rule In the case of …`: American codes run a heading on into its sentence."""
_REACH = 220
"""How far before a figure the words for its meaning may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A sentence, list item or row, flattened and without the markers before it."""

    start: int
    quote: str
    """As the document has it."""
    text: str
    """With plain spaces; in prose, a line break with its indent is one space."""
    masked: str
    """The same, with references masked, because their numbers are not figures."""
    figures: tuple[Figure, ...]
    references: tuple[Reference, ...]
    lead: str = ""
    """The words that introduce the list it is in."""
    heading: str = ""
    chapter: str = ""
    """The heading of the chapter that its section belongs to."""
    title: str = ""
    """The title of its document."""
    article: str = ""
    is_row: bool = False
    cells: tuple[tuple[int, int], ...] = ()
    """Where the cells of a row are in its text."""
    heads: tuple[str, ...] = ()
    """The words at the head of each of these cells."""
    labels: tuple[str, ...] = ()
    """The heading of its group in a table, and labels of rows above that it continues."""
    places: tuple[int, ...] = ()
    """Where each letter of `text` is in `quote`, if line breaks were shortened."""

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.start + len(self.quote)

    def locate(self, at: int) -> int:
        """Where a letter of `text` is in the document."""
        return self.start + (self.places[at] if self.places else at)

    @property
    def begin(self) -> int:
        """Where the sentence begins after a heading that runs on into it."""
        heading = _CATCHLINE.match(self.masked)
        return heading.end() if heading else 0

    def part_of(self, at: int) -> tuple[int, int]:
        """The part of the sentence, between semicolons and the like, that contains a place."""
        start, end = 0, len(self.masked)
        for match in _PART.finditer(self.masked):
            if match.end() <= at:
                start = match.end()
            elif match.start() >= at:
                end = match.start()
                break
        return start, end

    def cell_of(self, at: int) -> int:
        """The cell that contains a place; -1 if none does."""
        found = (place for place, (start, end) in enumerate(self.cells) if start <= at < end)
        return next(found, -1)

    def words_before(self, figure: Figure, *, past_others: bool = False) -> str:
        """The words before a figure: in its part, after the last figure of its kind."""
        start, _ = self.part_of(figure.start)
        if not past_others:
            same = VALUES if figure.kind in VALUES else {figure.kind}
            for other in self.figures:
                if other.kind in same and other.end <= figure.start:
                    start = max(start, other.end)
        return self.masked[max(start, figure.start - _REACH) : figure.start]

    def words_after(self, figure: Figure) -> str:
        """The words after a figure in its part, up to the next figure of its kind."""
        _, end = self.part_of(figure.start)
        for other in self.figures:
            if other.kind is figure.kind and other.start >= figure.end:
                end = min(end, other.start)
                break
        return self.masked[figure.end : min(end, figure.end + _REACH)]
