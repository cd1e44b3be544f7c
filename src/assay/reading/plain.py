"""Plain text, Markdown, CSV and YAML: read unchanged, with uniform line ends."""

import re
from itertools import pairwise
from typing import Final

from assay.model.content import ContentClass
from assay.reading.decoding import decode_bytes
from assay.reading.limits import ReadLimits
from assay.reading.result import PageSpan, Reading, Segment, clean_title

_RETURN: Final = re.compile(r"\r\n?")
_HEADING: Final = re.compile(r"^#{1,2}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_TITLE_WITHIN: Final = 2000
_PAGE_BREAK: Final = "\f"


def read_plain(
    data: bytes, limits: ReadLimits | None = None, charset: str | None = None
) -> Reading:
    """Read the text unchanged. A form feed begins a new page."""
    limits = limits or ReadLimits()
    read = decode_bytes(data, charset)
    source, warnings = read.text, [*read.warnings]
    if len(source) > limits.max_characters:
        source = source[: limits.max_characters]
        warnings.append(
            f"Only the first {limits.max_characters:,} characters of the text were kept."
        )
    text, segments = _unify_line_ends(source, limits)
    heading = _HEADING.search(text, 0, _TITLE_WITHIN)
    return Reading(
        content_class=ContentClass.TEXT,
        text=text,
        title=clean_title(heading[1]) if heading else None,
        encoding=read.encoding,
        pages=_find_pages(text, limits),
        segments=segments,
        warnings=tuple(warnings),
    )


def _unify_line_ends(source: str, limits: ReadLimits) -> tuple[str, tuple[Segment, ...]]:
    """The text with line feeds as its only line ends; unchanged if it has too many others."""
    returns = source.count("\r")
    if not returns or returns >= limits.max_segments:
        return source, (Segment(0, len(source), 0, len(source)),) if source else ()
    parts: list[str] = []
    segments: list[Segment] = []
    at, reached = 0, 0
    for match in _RETURN.finditer(source):
        parts += (source[reached : match.start()], "\n")
        _add_segment(segments, at, reached, match.start())
        at += match.start() - reached + 1
        reached = match.end()
    parts.append(source[reached:])
    _add_segment(segments, at, reached, len(source))
    return "".join(parts), tuple(segments)


def _add_segment(segments: list[Segment], at: int, start: int, end: int) -> None:
    if end > start:
        segments.append(Segment(at, at + end - start, start, end))


def _find_pages(text: str, limits: ReadLimits) -> tuple[PageSpan, ...]:
    breaks = text.count(_PAGE_BREAK)
    if not breaks or breaks >= limits.max_pages:
        return ()
    edges = [0, *(at + 1 for at, one in enumerate(text) if one == _PAGE_BREAK), len(text)]
    spans = [(start, end) for start, end in pairwise(edges) if end > start]
    return tuple(PageSpan(number, start, end) for number, (start, end) in enumerate(spans, 1))
