"""New text that an act quotes: where it ends, and the paragraphs and points in it.

In the tree of an act, a quotation is a part of the words that introduce it. Only a reader who asks
what a quoted point belongs to needs the tree inside the quotation.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assay.packs.regulatory.acts.shapes import Provision, ProvisionKind
from assay.packs.regulatory.acts.trees.drafting import ActDraft
from assay.packs.regulatory.acts.trees.headings import Tradition
from assay.packs.regulatory.acts.trees.lines import ActLine, split_lines
from assay.packs.regulatory.acts.trees.quoted_lines import CLOSERS, QuotedLines
from assay.packs.regulatory.acts.trees.walking import ArticleWalker

_TRADITIONS: Final = {"hr": Tradition.CROATIAN, "de": Tradition.GERMAN}
_NUMBERED: Final = re.compile(
    r"(?:\d{1,4}[A-Z]{0,3}\.?\s?[—–]\s*|\d{1,4}[A-Z]{0,3}\.\s(?=\([1a]\))|\d{1,4}[A-Z]{1,3}\.\s(?=[A-Z])"
    r"|§\s?\d{1,4}[a-z]{0,2}\s*|(?:Članak|Artikel)\s\d{1,4}[a-z]?\.?\s*)"
)
"""`25.—(1) …`, `9A. (1) …`: the number of a quoted section."""
_LEADS: Final = ":—–"


def read_quotations(text: str, language: str) -> Iterator[Provision]:
    """The provisions of each quoted text, in order; the root of each one has a path of its own."""
    if not any(mark in text for mark in CLOSERS):
        return
    lines = split_lines(text).lines
    quoted = QuotedLines(text, lines)
    bare = [_skip_mark(text, line) for line in lines]
    act = ActDraft("", text)
    tradition = _TRADITIONS.get(language, Tradition.BRITISH)
    walker = ArticleWalker(act, bare, tradition, by_indent=False)
    at = 1
    while at < len(lines):
        end = quoted.find_end(at, len(lines)) if _may_begin(text, lines, at) else -1
        if end < 0:
            at += 1
            continue
        for first, last in _split_sections(text, bare, at, end + 1):
            root = act.add(ProvisionKind.SECTION, f"quoted{at}", "")
            number = _NUMBERED.match(text, bare[first].start, bare[first].end)
            walker.walk(root, first, last, number.end() if number else bare[first].start)
        at = end + 1
    yield from act.finish().provisions


def _may_begin(text: str, lines: Sequence[ActLine], at: int) -> bool:
    return text[lines[at].start] in CLOSERS and text[lines[at - 1].end - 1] in _LEADS


def _skip_mark(text: str, line: ActLine) -> ActLine:
    """The line without a quotation mark before it, which some acts repeat for each paragraph."""
    marked = text[line.start] in CLOSERS and line.end - line.start > 1
    return line._replace(start=line.start + 1) if marked else line


def _split_sections(
    text: str, lines: Sequence[ActLine], first: int, end: int
) -> Iterator[tuple[int, int]]:
    for at in range(first + 1, end):
        if _NUMBERED.match(text, lines[at].start, lines[at].end):
            yield first, at
            first = at
    yield first, end
