"""HTML inside something else: in a JSON string, or in the text of a feed."""

import re
from typing import Final

from assay.reading.html.page import HtmlPage
from assay.reading.limits import ReadLimits
from assay.reading.markup.flow import TextLine
from assay.reading.markup.traced_text import TracedText

_TAG: Final = re.compile(
    r"</?(?:p|br|div|span|a|b|i|u|s|em|strong|ul|ol|li|table|tr|td|h[1-6]|img|del|ins|sup|sub|"
    r"blockquote|font|pre|code|hr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


def has_markup(text: str) -> bool:
    """Whether a text is written in HTML, rather than merely about it."""
    return "<" in text and _TAG.search(text) is not None


def read_fragment_lines(traced: TracedText, limits: ReadLimits, place: str = "") -> list[TextLine]:
    """The lines of a fragment, with the stretches of the source that they came from."""
    lines = HtmlPage(traced.text, limits).lines
    for line in lines:
        line.start, line.end = traced.source_of(line.start), traced.source_of(line.end)
        # The tables of a fragment are not distinguished from those around it.
        line.cell = None
        line.place = place
    return lines
