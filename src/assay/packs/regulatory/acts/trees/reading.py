"""Read an act: its articles and annexes with their headings, and everything in them."""

import re
from collections.abc import Sequence

from assay.packs.regulatory.acts.shapes import Act, ProvisionKind
from assay.packs.regulatory.acts.trees.drafting import ActDraft, ProvisionDraft
from assay.packs.regulatory.acts.trees.headings import (
    ArticleHeading,
    Tradition,
    find_articles,
    find_titles_before,
    is_structure,
    is_title,
)
from assay.packs.regulatory.acts.trees.lines import ActLine, ActLines, split_lines
from assay.packs.regulatory.acts.trees.markup import (
    find_law_segments,
    find_vocabulary,
    read_markup,
)
from assay.packs.regulatory.acts.trees.numbering import MARKER
from assay.packs.regulatory.acts.trees.walking import ArticleWalker
from assay.sdk.facts import Passage
from assay.sdk.reading import Segment

_TITLES_BEFORE = (Tradition.CROATIAN, Tradition.BRITISH)
"""Traditions that print the title of an article above its number."""
_NEXT = 3
"""After an annex, an article that follows the last one by so much belongs to the act again."""
_EMPHASISED = re.compile(r"([*_]{1,3})[^*_]+\1")


def read_act(source: str, text: str, document: str = "", segments: Sequence[Segment] = ()) -> Act:
    """The tree of an act's provisions; `source` is the id of its evidence, `text` what was read.

    `document` is the decoded file that the text was read from, and `segments` link the two; they
    are needed only for XML, whose markup names the provisions. Otherwise the numbering in the text
    shows them. Every word keeps its place in the text. What precedes the first article is the
    preamble; headings of chapters belong to no provision.
    """
    if document and segments:
        if vocabulary := find_vocabulary(document):
            act = ActDraft(source, text)
            read_markup(act, document, segments, vocabulary)
            return act.finish()
        if law := find_law_segments(document, segments):
            lines = [ActLine(one.start, one.end) for one in law]
            return _read_lines(source, text, ActLines(lines, is_markdown=False, wraps=False))
    return _read_lines(source, text, split_lines(text))


def read_passage(source: str, passage: Passage) -> Act:
    """The tree of an act as it was stored."""
    return read_act(source, passage.reading.text, passage.markup, passage.reading.segments)


def _read_lines(source: str, text: str, lines: ActLines) -> Act:
    tradition, headings = find_articles(text, lines)
    act = ActDraft(source, text, wraps=lines.wraps)
    _TextReader(act, lines, tradition).read(headings)
    return act.finish()


def _are_lists_indented(text: str, lines: ActLines) -> bool:
    """Whether the indents of Markdown show which list an item belongs to."""
    return lines.is_markdown and any(
        line.indent and MARKER.match(text, line.start, line.end) for line in lines.lines
    )


class _TextReader:
    def __init__(self, act: ActDraft, lines: ActLines, tradition: Tradition) -> None:
        self._act = act
        self._text = act.text
        self._lines = lines.lines
        self._tradition = tradition
        self._walker = ArticleWalker(
            act, lines.lines, tradition, by_indent=_are_lists_indented(act.text, lines)
        )
        self._annex: ProvisionDraft | None = None
        self._outer: ProvisionDraft | None = None
        self._nests = False
        """Whether sections are parts of articles, as in a German act that contains acts."""
        self._last = 0

    def read(self, headings: list[ArticleHeading]) -> None:
        self._nests = bool(headings) and headings[0].kind is ProvisionKind.ARTICLE
        floor = -1
        firsts = []
        for one in headings:
            firsts.append(self._find_first_title(one.line, floor))
            floor = one.line
        ends = [*firsts[1:], len(self._lines)] if headings else []
        self._add_preamble(self._find_preamble_end(headings[0]) if headings else len(self._lines))
        for one, first, end in zip(headings, firsts, ends, strict=True):
            self._read_article(one, first, end)

    def _find_preamble_end(self, heading: ArticleHeading) -> int:
        """The title of the act is before its first article, like that of the first chapter."""
        above = self._lines[heading.line - 1] if heading.line else None
        is_own = (
            above is not None
            and self._tradition in _TITLES_BEFORE
            and is_title(self._text, above)
            and not is_structure(self._text, above)
        )
        return heading.line - is_own

    def _add_preamble(self, end: int) -> None:
        if end > 0:
            draft = self._act.add(ProvisionKind.PREAMBLE, "", "")
            for line in self._lines[:end]:
                draft.add_words(line.start, line.end)

    def _find_first_title(self, at: int, floor: int) -> int:
        """Where the headings of chapters and the title before an article begin."""
        first = find_titles_before(self._text, self._lines, at, floor)
        if self._tradition in _TITLES_BEFORE:
            return first
        structure = (
            one
            for one in range(first, at)
            if self._lines[one].is_heading or is_structure(self._text, self._lines[one])
        )
        return next(structure, at)

    def _read_article(self, heading: ArticleHeading, first: int, end: int) -> None:
        parent = self._find_parent(heading)
        draft = self._act.add(heading.kind, heading.value, heading.number, parent)
        if heading.kind is ProvisionKind.ANNEX:
            self._annex = draft
        elif heading.kind is ProvisionKind.ARTICLE and parent is None and self._nests:
            self._outer = draft
        line = self._lines[heading.line]
        text, rest = self._text, heading.rest
        titled = line.is_heading or heading.kind is ProvisionKind.ANNEX
        if rest < line.end and (titled or self._is_title_after_number(rest, line.end)):
            draft.heading.append((rest, line.end))
            rest = line.end
        elif self._tradition in _TITLES_BEFORE:
            title = self._lines[heading.line - 1] if first < heading.line else None
            if title and not is_structure(text, title):
                draft.heading.append((title.start, title.end))
        body = heading.line
        if rest >= line.end:
            body, rest = heading.line + 1, -1
            if not draft.heading and body < end and self._is_title_below(body):
                draft.heading.append((self._lines[body].start, self._lines[body].end))
                body += 1
        if heading.kind is ProvisionKind.ANNEX:
            body = self._add_titles(draft, body, end)
        end = next((at for at in range(body, end) if self._lines[at].is_heading), end)
        self._walker.walk(draft, body, end, rest)

    def _add_titles(self, annex: ProvisionDraft, at: int, end: int) -> int:
        """Add the title of an annex, which Markdown may have as a heading below its number."""
        while (
            at < end
            and self._lines[at].is_heading
            and not is_structure(self._text, self._lines[at])
        ):
            annex.heading.append((self._lines[at].start, self._lines[at].end))
            at += 1
        return at

    def _find_parent(self, heading: ArticleHeading) -> ProvisionDraft | None:
        """Articles in an annex belong to it, and sections in an `Artikel` to that."""
        if heading.kind is ProvisionKind.ANNEX:
            return None
        digits = re.match(r"\d+", heading.value)
        count = int(digits[0]) if digits else 0
        if self._annex is not None:
            if not self._last < count <= self._last + _NEXT:
                return self._annex
            self._annex = None
        if self._outer is not None and heading.kind is ProvisionKind.SECTION:
            return self._outer
        self._last = count
        return None

    def _is_title_after_number(self, rest: int, end: int) -> bool:
        if MARKER.match(self._text, rest, end):
            return False
        if self._tradition is Tradition.AMERICAN:
            return True
        if self._tradition is Tradition.BRITISH:
            return False
        return end - rest <= 200 and self._text[end - 1] not in ".;:,"

    def _is_title_below(self, at: int) -> bool:
        line = self._lines[at]
        if self._lines[at - 1].is_heading:
            # In Markdown a title is part of the heading, or emphasised.
            return _EMPHASISED.fullmatch(self._text, line.start, line.end) is not None
        return (
            self._tradition is not Tradition.BRITISH
            and line.begins
            and not line.is_heading
            and is_title(self._text, line)
            and not MARKER.match(self._text, line.start, line.end)
            and (at + 1 == len(self._lines) or self._lines[at + 1].begins)
        )
