"""Checking that every segment of a reading stands in the document where it says."""

import html
import re

from assay.reading.result import Reading

_UNSEEN = re.compile(r"<(script|style|title|textarea|select|svg)\b.*?</\1>", re.DOTALL)
_TAGS = re.compile(r"<!--.*?-->|<!\[CDATA\[|\]\]>|<[a-zA-Z/!?][^>]*>", re.DOTALL)


def squeezed(text: str) -> str:
    """Without white space, which tags may hide or stand for."""
    return "".join(text.split())


def visible(markup: str) -> str:
    return squeezed(html.unescape(_TAGS.sub(" ", _UNSEEN.sub(" ", markup))))


def coverage(reading: Reading) -> float:
    """The share of the characters of the text that have a way back."""
    inked = len(squeezed(reading.text))
    traced = sum(len(squeezed(reading.text[s.start : s.end])) for s in reading.segments)
    return traced / inked if inked else 1.0


def assert_segments_hold(reading: Reading, source: str) -> None:
    """Every segment's source, without tags, is its text; and they follow one another."""
    reached = 0
    for segment in reading.segments:
        assert reached <= segment.start < segment.end <= len(reading.text)
        reached = segment.end
        shown = squeezed(reading.text[segment.start : segment.end])
        assert visible(source[segment.source_start : segment.source_end]) == shown
