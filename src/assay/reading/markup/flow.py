"""The lines of a document: text between two breaks, with the stretch of source it comes from."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from assay.errors import ContentHostile
from assay.reading.markup.tables import Cell
from assay.reading.result import MarkKind

_MOST_GROWN: Final = 1_000_000
_ENTITY: Final = re.compile(r"&([^\s&;#]{1,100});")


@dataclass(slots=True)
class TextLine:
    """Text between two breaks."""

    text: str
    start: int
    """Where its first character is in the source."""
    end: int
    links: int = 0
    """How many of its characters are in a link."""
    zone: int = 0
    """The part of the document that contains it, as the reader counts them."""
    cell: Cell | None = None
    marks: tuple[tuple[MarkKind, int, int], ...] = ()
    """Which parts of it are struck out or inserted."""
    place: str = ""


@dataclass(slots=True)
class Flow:
    """Collects the text of a document into lines, with white space collapsed."""

    source: str
    lines: list[TextLine] = field(default_factory=list)
    entities: Mapping[str, str] = field(default_factory=dict)
    """What the entities that the document declares stand for."""
    zone: int = 0
    cell: Cell | None = None
    linked: int = 0
    """How many open elements are links."""
    verbatim: int = 0
    """How many open elements preserve their white space."""
    mark: MarkKind | None = None
    _parts: list[str] = field(default_factory=list)
    _marked: list[tuple[MarkKind, int]] = field(default_factory=list)
    _start: int = 0
    _end: int = 0
    _links: int = 0
    _grown: int = 0

    def add_text(self, start: int, end: int, *, escaped: bool = True) -> None:
        """Add a stretch of the source to the text of the line."""
        piece = self.source[start:end]
        if self.verbatim and "\n" in piece:
            self._add_verbatim(start, piece, escaped)
            return
        if not piece.strip():
            if self._parts:
                self._parts.append(" ")
            return
        if not self._parts:
            self._start = start + len(piece) - len(piece.lstrip())
        self._end = end
        if escaped and "&" in piece:
            piece = html.unescape(self._expand_entities(piece) if self.entities else piece)
        if self.mark is not None:
            self._marked.append((self.mark, len(self._parts)))
        if self.linked:
            self._links += len(piece)
        self._parts.append(piece)

    def _expand_entities(self, piece: str) -> str:
        """Replace the document's own entities in the piece, unless they would grow it too much."""
        known = self.entities
        self._grown += sum(len(known.get(name, "")) for name in _ENTITY.findall(piece))
        if self._grown > _MOST_GROWN:
            raise ContentHostile(
                f"The document's own entities would grow to more than {_MOST_GROWN:,} characters.",
                advice="Documents do that only to exhaust their reader; they were not expanded.",
            )
        # Escaped again, because the whole piece is unescaped afterwards.
        return _ENTITY.sub(
            lambda found: (
                html.escape(known[found[1]], quote=False) if found[1] in known else found[0]
            ),
            piece,
        )

    def add_space(self) -> None:
        """Separate what precedes from what follows, without a line break."""
        if self._parts:
            self._parts.append(" ")

    def end_line(self) -> None:
        """End the line, if it has begun."""
        if not self._parts:
            return
        joined = "".join(self._parts)
        text = joined.strip() if self.verbatim else " ".join(joined.split())
        if text:
            end, source = self._end, self.source
            while source[end - 1].isspace():
                end -= 1
            self.lines.append(
                TextLine(
                    text,
                    self._start,
                    end,
                    min(self._links, len(text)),
                    self.zone,
                    self.cell,
                    self._locate_marks(text) if self._marked else (),
                )
            )
        self._parts.clear()
        self._marked.clear()
        self._links = 0

    def _add_verbatim(self, start: int, piece: str, escaped: bool) -> None:
        self.verbatim, kept = 0, self.verbatim
        at = start
        for line in piece.splitlines(keepends=True):
            self.add_text(at, at + len(line), escaped=escaped)
            at += len(line)
            if line.endswith(("\n", "\r")):
                self.verbatim = kept
                self.end_line()
                self.verbatim = 0
        self.verbatim = kept

    def _locate_marks(self, text: str) -> tuple[tuple[MarkKind, int, int], ...]:
        """Where the marked pieces are in the line, counted without white space, because the line
        has less of it than its pieces."""
        lengths = [len("".join(part.split())) for part in self._parts]
        spans: list[tuple[MarkKind, int, int]] = []
        counted, reached = 0, 0
        for kind, index in self._marked:
            counted += sum(lengths[reached:index])
            reached = index
            if spans and spans[-1][0] is kind and spans[-1][2] == counted:
                spans[-1] = (kind, spans[-1][1], counted + lengths[index])
            else:
                spans.append((kind, counted, counted + lengths[index]))
        inked = [at for at, character in enumerate(text) if not character.isspace()]
        return tuple(
            (kind, inked[first], inked[last - 1] + 1)
            for kind, first, last in spans
            if first < last <= len(inked)
        )
