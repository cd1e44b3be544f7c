"""An amending act as a list of clauses, each with the clauses it is a part of.

German, British, Union and Croatian acts nest their instructions: "1. § 12 wird wie folgt geändert:
a) Absatz 1 wird wie folgt geändert: aa) …".
"""

import re
from dataclasses import dataclass, replace

from assay.packs.regulatory.acts.amending.outline import LineMark, find_depths
from assay.packs.regulatory.acts.amending.quoting import HIDDEN, Masked

QUOTE = "\ue001"
"""Stands for a whole quotation in a clause."""
LONGEST_CLAUSE = 2_000
"""Instructions are shorter. The time that some wordings take grows with the square of this."""
_QUOTATION = re.compile(rf"[«»„“”‘’‚\"]{HIDDEN}+[«»„“”‘’\"]?|[«»„“”‘\"][«»“”’\"]")


_FOLLOWING = re.compile(r"\bby the following(?: text)?[.;]?\Z")
"""What announces a quotation although its colon was forgotten."""


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    start: int
    end: int
    is_closed: bool


@dataclass(frozen=True, slots=True)
class AmendingClause:
    """A sentence of an amending act, with its quotations taken out."""

    start: int
    end: int
    words: str
    """The words on one line, with a mark for each quotation."""
    quotations: tuple[QuotedPassage, ...]
    depth: int
    is_heading: bool = False
    """Whether it is the heading of an article of the amending act."""
    is_numbered: bool = False
    """Whether it is in a line with a number."""


@dataclass(frozen=True, slots=True)
class Drafting:
    """How a tradition lays out amending acts."""

    heading: re.Pattern[str]
    """The heading of an article of the amending act."""
    enumerator: re.Pattern[str]
    """A number at the beginning of a line, with the group `number`."""
    sentence: re.Pattern[str]
    """The space between two sentences that are instructions of their own."""


def search_nearby(pattern: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Whether a pattern is found in a stretch of any length, within as much as a clause has."""
    return any(
        pattern.search(text, at, min(end, at + 2 * LONGEST_CLAUSE))
        for at in range(start, end, LONGEST_CLAUSE)
    )


def list_clauses(masked: Masked, drafting: Drafting) -> list[AmendingClause]:
    clauses: list[AmendingClause] = []
    for start, end, is_heading in _split_articles(masked.text, drafting):
        if is_heading:
            clauses.append(_make(masked, start, end, 0, is_heading=True))
        else:
            clauses += _list_nodes(masked, start, end, drafting)
    return clauses


def _split_articles(text: str, drafting: Drafting) -> list[tuple[int, int, bool]]:
    parts = []
    at = 0
    for match in drafting.heading.finditer(text):
        parts.append((at, match.start(), False))
        parts.append((*match.span(), True))
        at = match.end()
    parts.append((at, len(text), False))
    return [(start, end, heading) for start, end, heading in parts if text[start:end].strip()]


def _list_nodes(masked: Masked, start: int, end: int, drafting: Drafting) -> list[AmendingClause]:
    """The enumerated lines of an article; lines without a number continue the one before."""
    nodes: list[tuple[int, int, LineMark | None]] = []
    for match in re.finditer(r"[^\n]+", masked.text[start:end]):
        if match.group().isspace():
            continue
        first, last = start + match.start(), start + match.end()
        found = drafting.enumerator.match(masked.text, first, last)
        while found is not None:
            number = next(filter(None, found.groups()), "")
            style = found.group().strip().replace(number, "", 1)
            if not number:
                # Dashes are counted.
                last_mark = nodes[-1][2] if nodes else None
                is_more = last_mark is not None and last_mark.style == style
                number = str(int(last_mark.number) + 1) if last_mark and is_more else "1"
            inner = drafting.enumerator.match(masked.text, found.end(), last)
            stop = found.end() if inner else last
            nodes.append(
                (found.end(), stop, LineMark(style, number, masked.text[found.end() : stop]))
            )
            found = inner
            first = last
        if first == last:
            continue
        if nodes and _continues(masked.text, *nodes[-1][:2], first):
            nodes[-1] = (nodes[-1][0], last, nodes[-1][2])
        else:
            nodes.append((first, last, None))
    depths = iter(find_depths([mark for _, _, mark in nodes if mark is not None]))
    clauses: list[AmendingClause] = []
    depth = 0
    for first, last, mark in nodes:
        depth = next(depths) + 1 if mark is not None else depth
        sentences = _list_sentences(masked, first, last, depth, drafting)
        clauses += [replace(each, is_numbered=mark is not None) for each in sentences]
    return clauses


def _continues(text: str, start: int, end: int, following: int) -> bool:
    """Whether a line belongs to the one before: a quotation, or the rest of a sentence."""
    while end > start and text[end - 1].isspace():
        end -= 1
    before = text[max(start, end - 1) : end]
    while text[following].isspace():
        following += 1
    after = text[following]
    if after in '„»“‘"' and (
        before in ":—–-" or _FOLLOWING.search(text[max(start, end - 30) : end])
    ):
        return True
    return not before or before in ",-" or (before.isalnum() and after.islower())


def _list_sentences(
    masked: Masked, start: int, end: int, depth: int, drafting: Drafting
) -> list[AmendingClause]:
    clauses = []
    at = start
    for match in drafting.sentence.finditer(masked.text, start, end):
        clauses.append(_make(masked, at, match.start(), depth))
        at = match.end()
    clauses.append(_make(masked, at, end, depth))
    return [each for each in clauses if each.words]


def _make(
    masked: Masked, start: int, end: int, depth: int, is_heading: bool = False
) -> AmendingClause:
    text = masked.text
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    quotations = []
    for match in _QUOTATION.finditer(text, start, end):
        closed = match.start() not in masked.unclosed
        stop = match.end() - (text[match.end() - 1] != HIDDEN)
        quotations.append(QuotedPassage(match.start() + 1, stop, closed))
    words = _QUOTATION.sub(QUOTE, text[start:end])
    return AmendingClause(start, end, " ".join(words.split()), tuple(quotations), depth, is_heading)
