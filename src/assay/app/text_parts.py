"""A long text in parts, with the quotes in it marked, and an outline of its headings.

A statute book may have five million characters. A page shows one part of it, cut where a line
ends, so that the cuts are the same whichever part is asked for.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

PART_CHARACTERS = 30_000
_SLACK = 10_000
"""A part ends at the last line end within this many characters before its limit."""
_MOST_HEADINGS = 400
_MOST_PIECES = 4_000
_HEADING = re.compile(
    r"^[ \t]*+(?:"
    r"#{1,6}[ \t]+(?P<marked>\S.{0,110})"
    r"|(?P<named>(?:Art(?:icle|ikel|\.)|Section|Sec\.|Chapter|Part|Title|Annex|Schedule|Appendix|"
    r"§{1,2}|Abschnitt|Kapitel|Teil|Titel|Anhang|Anlage|Paragraf|"
    r"Članak|Član|Glava|Poglavlje|Dio|Odjeljak|Prilog|Stavak)"
    r"[ \t]*+(?:\d|[IVXLC]+\b|[A-Z]\b)[^\r\n]{0,90}+)"
    r"|(?P<capital>[IVXLC]{1,6}\.[ \t]+[^\W\d_][^\r\n]{2,90}+)"
    r")[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTE = re.compile(r"(\d{1,9})-(\d{1,9})")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text, counted from 1, and where it is."""

    number: int
    count: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextHeading:
    """A line that looks like a heading."""

    start: int
    title: str
    part: int


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A stretch of a part, and the quotes that it belongs to."""

    start: int
    text: str
    keys: tuple[str, ...] = ()
    is_asked: bool = False
    """Whether it belongs to the quote that was asked for."""
    is_first_asked: bool = False
    heading: int | None = None
    """Where its heading starts, if one does here."""


@dataclass(frozen=True, slots=True)
class KeyedSpan:
    """A stretch of a text under the name of what quotes it."""

    key: str
    start: int
    end: int


def parse_quote(given: str) -> tuple[int, int] | None:
    """The start and end of a quote, as an address gives them; None if it is not one."""
    found = _QUOTE.fullmatch(given)
    if found is None or int(found[1]) >= int(found[2]):
        return None
    return int(found[1]), int(found[2])


def cut_parts(text: str) -> list[int]:
    """Where the parts of a text begin."""
    starts, at = [0], 0
    while len(text) - at > PART_CHARACTERS + _SLACK:
        end = at + PART_CHARACTERS
        cut = text.rfind("\n", end - _SLACK, end) + 1
        at = cut or end
        starts.append(at)
    return starts


def select_part(text: str, starts: Sequence[int], number: int) -> TextPart:
    """A part by its number; the nearest one if there is no such part."""
    number = min(max(1, number), len(starts))
    end = starts[number] if number < len(starts) else len(text)
    return TextPart(number, len(starts), starts[number - 1], end)


def find_part(text: str, starts: Sequence[int], offset: int) -> TextPart:
    """The part with this character."""
    return select_part(text, starts, bisect_right(starts, offset))


def list_headings(text: str, starts: Sequence[int]) -> list[TextHeading]:
    """The lines that look like headings, up to a limit."""
    found = []
    for match in islice(_HEADING.finditer(text), _MOST_HEADINGS):
        title = match["marked"] or match["named"] or match["capital"]
        start = match.start(match.lastgroup or 0)
        found.append(TextHeading(start, " ".join(title.split()), bisect_right(starts, start)))
    return found


def mark_pieces(
    text: str,
    part: TextPart,
    spans: Iterable[KeyedSpan],
    asked: tuple[int, int] | None = None,
    headings: Iterable[TextHeading] = (),
) -> list[MarkedPiece]:
    """A part of a text, cut where a quote or a heading begins or ends."""
    spans = [span for span in spans if span.start < part.end and span.end > part.start]
    opened = {heading.start for heading in headings if heading.part == part.number}
    edges = {part.start, part.end, *opened}
    for start, end in [(span.start, span.end) for span in spans] + ([asked] if asked else []):
        edges.update(max(part.start, min(part.end, at)) for at in (start, end))
    cuts = sorted(edges)
    if len(cuts) > _MOST_PIECES:
        cuts = [*cuts[:_MOST_PIECES], part.end]
    return list(_iter_pieces(text, cuts, sorted(spans, key=lambda s: s.start), asked, opened))


def _iter_pieces(
    text: str,
    cuts: Sequence[int],
    spans: Sequence[KeyedSpan],
    asked: tuple[int, int] | None,
    opened: set[int],
) -> Iterator[MarkedPiece]:
    is_first, coming, open_spans = True, 0, list[KeyedSpan]()
    for start, end in pairwise(cuts):
        while coming < len(spans) and spans[coming].start <= start:
            open_spans.append(spans[coming])
            coming += 1
        open_spans = [span for span in open_spans if span.end > start]
        is_asked = asked is not None and asked[0] < end and asked[1] > start
        yield MarkedPiece(
            start,
            text[start:end],
            tuple(span.key for span in open_spans),
            is_asked,
            is_asked and is_first,
            start if start in opened else None,
        )
        is_first = is_first and not is_asked
