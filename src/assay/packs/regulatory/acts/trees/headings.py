"""Find the lines that begin an article, a section or an annex, and the headings around them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from assay.packs.regulatory.acts.shapes import ProvisionKind
from assay.packs.regulatory.acts.trees.lines import ActLine, ActLines
from assay.packs.regulatory.acts.trees.numbering import MARKER


class Tradition(StrEnum):
    """How acts number their provisions."""

    CROATIAN = "hr"
    GERMAN = "de"
    BRITISH = "uk"
    EUROPEAN = "eu"
    AMERICAN = "us"


@dataclass(frozen=True, slots=True)
class ArticleHeading:
    """A line that begins an article, a section or an annex."""

    line: int
    """Which line."""
    kind: ProvisionKind
    value: str
    """Its number as in a path."""
    number: str
    """Its number as printed."""
    rest: int
    """Where the line goes on after the number."""


_PATTERNS: Final = {
    Tradition.CROATIAN: re.compile(
        r"(?:članak|čl\.)\s+(?P<value>\d{1,4})\s?\.?\s?(?P<letter>[a-z]?)(?!\w)\.?(?=\s|$)\s*",
        re.IGNORECASE,
    ),
    Tradition.AMERICAN: re.compile(
        # "§ 1003.2 Definitions", and with a full stop "§ 6651. Failure to file", "§ 460m–9. Use".
        r"(?:§|sec\.|section)\s*(?P<value>\d{1,6}[a-z]{0,3}(?:[-–]\d{1,4}[a-z]{0,2}){0,2}"
        r"(?:\.\d{1,5}[a-z]?(?:-\d{1,3}[a-z]?)?|(?=\.\s)))\.?(?=\s|$)\s*",
        re.IGNORECASE,
    ),
    Tradition.GERMAN: re.compile(
        # `(XXXX)` marks a section that is no longer in force.
        r"(?:\(XXXX\)\s*)?(?:§§?\s*(?P<value>\d{1,5}[a-z]{0,3})(?![\w.]\w)"
        r"(?P<range>\s*(?:bis|und|u\.|,|-|–)\s*\d{1,5}[a-z]{0,3}(?!\w))?"
        r"|art(?:ikel|\.)?\s+(?P<article>\d{1,4}\s?[a-z]{0,2})(?![\w.])\.?)(?=\s|$)\s*",
        re.IGNORECASE,
    ),
    Tradition.EUROPEAN: re.compile(
        r"article\s+(?P<article>\d{1,4}[a-z]{0,2})\.?(?=\s|$|[—–:])\s*[—–:]?\s*", re.IGNORECASE
    ),
}
_BRITISH: Final = re.compile(
    r"(?:(?P<noun>(?:Section|Regulation|Rule)\s+)|(?:section|regulation|rule)\s+)?"
    r"(?P<value>\d{1,3}[A-Z]{0,3})"
    # `Regulation 3` may be all of the line, a number may not.
    r"(?:\.?[—–]\s*|\.\s*(?=\(1\)|[A-Z“])|\s+(?=\(1\)|1\s[A-Z]|[A-Z“])|(?(noun)\.?$|(?!)))"
)
_ANNEX: Final = re.compile(
    r"(?:anlage|anhang|prilog|dodatak|annex|schedule|appendix|supplement)\b\.?"
    r"\s*(?P<value>(?:[ivxlc]{1,6}|\d{1,3}[a-z]?|[a-z])(?!\w))?\.?\s*",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(
    r"(?:Abs\b|Absatz|Satz|Nr\.|Nummer|Buchst|S\.|ff?\.|des\b|der\b|dieses|Zakona|Pravilnika|st\.)"
)
_STRUCTURE: Final = re.compile(
    r"(?:(?:chapter|part|title|section|subpart|subchapter|division|poglavlje|glava|dio|odjeljak"
    r"|abschnitt|kapitel|teil|titel|buch|unterabschnitt|untertitel|hauptstück)\s+"
    r"(?:[ivxlc]{1,7}|\d{1,3}[a-z]?|[a-z])(?!\w)"
    r"|(?:[a-zäöü]+(?:er|es|ter|tes)|\d{1,2}\.|[ivx]{1,5}\.?)\s+"
    r"(?:abschnitt|kapitel|teil|titel|buch|unterabschnitt|hauptstück|poglavlje|dio|glava)(?!\w)"
    r"|(?:prvi|drugi|treći|četvrti|peti|šesti|sedmi|osmi|deveti|deseti)\s+dio(?!\w))",
    re.IGNORECASE,
)
_ROMAN_TITLE: Final = re.compile(r"[IVX]{1,6}\.\s+[A-ZČĆĐŠŽ]")
_NUMBERED_TITLE: Final = re.compile(r"\d{1,2}\.\s+[A-ZČĆĐŠŽ][^\n]{2,100}[^.;:,\n]")
"""`1. Predmet oporezivanja`: the heading of a part of a Croatian act."""
_LONGEST_TITLE: Final = 200
_MOST_TITLES: Final = 6


def find_articles(text: str, lines: ActLines) -> tuple[Tradition, list[ArticleHeading]]:
    """The tradition of an act, and the lines that begin its articles and annexes."""
    found = {name: list(_match_lines(text, lines, name)) for name in _PATTERNS}
    tradition = max(found, key=lambda name: len(found[name]))
    headings = found[tradition]
    if not headings:
        tradition = Tradition.BRITISH
        headings = list(_match_british(text, lines.lines))
    hashed = [one for one in headings if lines.lines[one.line].is_heading]
    if len(hashed) * 2 > len(headings):
        headings = hashed
    headings = _drop_contents(text, lines.lines, headings)
    if headings:
        headings += _match_annexes(text, lines, {one.line for one in headings}, headings[0].line)
        headings.sort(key=lambda one: one.line)
    return tradition, headings


def is_title(text: str, line: ActLine) -> bool:
    """Whether a line may be the title of an article or a chapter."""
    if line.is_heading:
        return True
    length = line.end - line.start
    first, last = text[line.start], text[line.end - 1]
    return (
        length <= _LONGEST_TITLE
        and last not in ".;:,"
        and (first.isupper() or (first.isdigit() and not MARKER.match(text, line.start, line.end)))
    )


def is_structure(text: str, line: ActLine) -> bool:
    """Whether a line is the heading of a chapter, a part or the like."""
    if _STRUCTURE.match(text, line.start, line.end):
        return line.end - line.start <= _LONGEST_TITLE
    if _NUMBERED_TITLE.fullmatch(text, line.start, line.end):
        return True
    words = text[line.start : line.end]
    return _ROMAN_TITLE.match(words) is not None or (
        words.isupper() and is_title(text, line) and len(words) > 3
    )


def find_titles_before(text: str, lines: Sequence[ActLine], at: int, floor: int) -> int:
    """The first of the titles directly before a line; the line itself if there are none."""
    first = at
    while first - 1 > floor and at - first < _MOST_TITLES:
        line = lines[first - 1]
        if not line.begins or not (is_title(text, line) or is_structure(text, line)):
            break
        first -= 1
    return first


def _match_lines(text: str, lines: ActLines, name: Tradition) -> Iterator[ArticleHeading]:
    pattern = _PATTERNS[name]
    for at, line in enumerate(lines.lines):
        match = pattern.match(text, line.start, line.end)
        if match is None or (line.indent and lines.is_markdown):
            continue
        if not line.is_heading and not _may_head(text, match.end(), line):
            continue
        groups = match.groupdict()
        article = groups.get("article")
        value = (article or groups["value"]).replace(" ", "") + (groups.get("letter") or "")
        is_article = name is Tradition.CROATIAN or article
        kind = ProvisionKind.ARTICLE if is_article else ProvisionKind.SECTION
        yield ArticleHeading(at, kind, value.lower(), match[0].strip(), match.end())


def _may_head(text: str, rest: int, line: ActLine) -> bool:
    """Whether what follows an article's number is a title, a paragraph or nothing."""
    if rest >= line.end:
        return True
    if not line.begins:
        return False
    return (text[rest].isupper() or text[rest] in '([„“"') and not _REFERENCE.match(text, rest)


def _match_british(text: str, lines: Sequence[ActLine]) -> Iterator[ArticleHeading]:
    """Sections that are only numbered; each must follow the one before it."""
    last = titled = (0, "")
    for at, line in enumerate(lines):
        match = _BRITISH.match(text, line.start, line.end)
        if match is None:
            continue
        is_alone = match["noun"] is not None and match.end() == line.end
        if not (line.begins or is_alone):
            continue
        digits = re.match(r"\d+", match["value"])
        assert digits is not None
        order = (int(digits[0]), match["value"][digits.end() :])
        # A table of contents counts from 1, and the act counts from 1 again.
        is_marked = "—" in match[0] or line.is_heading or is_alone
        # Sections that an act inserts into another one do not count among its own headings.
        before = titled if line.is_heading else last
        if (before < order and (is_marked or order[0] - before[0] <= 3)) or order == (1, ""):
            last = max(last, order) if line.is_heading else order
            titled = order if line.is_heading else titled
            number = match[0].strip()
            yield ArticleHeading(at, ProvisionKind.SECTION, match["value"], number, match.end())


def _match_annexes(
    text: str, lines: ActLines, taken: set[int], after: int
) -> Iterator[ArticleHeading]:
    for at in range(after + 1, len(lines.lines)):
        line = lines.lines[at]
        if at in taken or not line.begins or (line.indent and lines.is_markdown):
            continue
        match = _ANNEX.match(text, line.start, line.end)
        if match is None:
            continue
        if not (line.is_heading or is_title(text, line) or match.end() == line.end):
            continue
        rest = text[match.end() : line.end]
        if line.is_heading or not rest or not rest[0].islower() or rest.startswith("to "):
            number = text[line.start : match.end()].strip()
            value = (match["value"] or "").lower()
            yield ArticleHeading(at, ProvisionKind.ANNEX, value, number, match.end())


def _drop_contents(
    text: str, lines: Sequence[ActLine], headings: Sequence[ArticleHeading]
) -> list[ArticleHeading]:
    """Without the entries of a table of contents: they have no text and come again later."""
    left = Counter((one.kind, one.value) for one in headings)
    kept: list[ArticleHeading] = []
    for at, one in enumerate(headings):
        left[one.kind, one.value] -= 1
        following = headings[at + 1].line if at + 1 < len(headings) else one.line + 9
        between = lines[one.line + 1 : following]
        is_empty = len(between) < 2 and all(is_title(text, line) for line in between)
        if not (left[one.kind, one.value] and is_empty):
            kept.append(one)
    return kept
