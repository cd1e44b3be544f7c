"""Passages: the parts of a paper's text that are searched for and cited."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from assay.packs.literature.references.sections import find_reference_section
from assay.sdk.reading import PageSpan, Reading, split_paragraphs, split_sentences
from assay.sdk.records import canonical_json

_LEAST: Final = 600
_MOST: Final = 1400
_LONGEST_HEADING: Final = 90
_HEADING = re.compile(
    r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-H])[.)]?\s+)?[A-Z][\w'’,:&/()\- ]{2,80}"
)
_KNOWN = frozenset(
    [
        "abstract",
        "introduction",
        "background",
        "related",
        "work",
        "methods",
        "method",
        "materials",
        "results",
        "experiments",
        "evaluation",
        "discussion",
        "conclusion",
        "conclusions",
        "limitations",
        "acknowledgements",
        "appendix",
    ]
)


@dataclass(frozen=True)
class Passage:
    """A part of a text."""

    start: int
    end: int
    page: int | None
    section: str


@dataclass(frozen=True)
class FrontMatter:
    """What a paper says about itself before its first section."""

    title: str
    abstract: str
    end: int


def divide_text(reading: Reading) -> list[Passage]:
    """Divide a text into passages; its list of references is left out."""
    text = reading.text
    cited = find_reference_section(text)
    starts = [page.start for page in reading.pages]
    passages: list[Passage] = []
    section, begin, end = "", -1, -1

    def close() -> None:
        nonlocal begin
        if begin >= 0 and text[begin:end].strip():
            passages.append(Passage(begin, end, _find_page(begin, starts, reading.pages), section))
        begin = -1

    for start, stop in _list_pieces(text):
        if cited is not None and cited[0] <= start < cited[1]:
            continue
        if (heading := _read_heading(text[start:stop])) is not None:
            close()
            section = heading
            continue
        if begin >= 0 and stop - begin > _MOST:
            close()
        if begin < 0:
            begin = start
        end = stop
        if end - begin >= _LEAST and text[end : end + 1] in ("", "\n"):
            close()
    close()
    return passages


def _list_pieces(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text; what has no sentences is cut."""
    for paragraph in split_paragraphs(text, 0, len(text)):
        start, end = paragraph
        for first, last in split_sentences(text, start, end):
            for at in range(first, last, _MOST):
                yield at, min(at + _MOST, last)


def _read_heading(line: str) -> str | None:
    plain = " ".join(line.split())
    if not 3 <= len(plain) <= _LONGEST_HEADING or plain[-1] in ".,;:":
        return None
    bare = plain.strip("0123456789. ").casefold()
    if bare in _KNOWN or (_HEADING.fullmatch(plain) and plain[0].isdigit()):
        return plain
    return None


def _find_page(at: int, starts: list[int], pages: tuple[PageSpan, ...]) -> int | None:
    place = bisect_right(starts, at) - 1
    return pages[place].number if place >= 0 else None


def find_front_matter(reading: Reading) -> FrontMatter:
    """The title and the abstract of a paper, as far as they can be told."""
    text = reading.text[:20_000]
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    title = reading.title or first[:300]
    found = re.search(r"(?im)^\s*abstract\b[\s.:—-]*", text)
    abstract, end = "", min(len(text), 3000)
    if found is not None:
        after = re.search(r"(?im)^\s*(?:\d\.?\s+)?introduction\b|\n\s*\n\s*\n", text[found.end() :])
        stop = found.end() + (after.start() if after else 1500)
        abstract, end = " ".join(text[found.end() : stop].split())[:3000], stop
    return FrontMatter(title, abstract, end)


def encode_passages(passages: list[Passage]) -> bytes:
    """Passages as stored bytes."""
    return canonical_json([[p.start, p.end, p.page, p.section] for p in passages])


def decode_passages(stored: bytes) -> list[Passage]:
    """Stored passages."""
    return [Passage(*row) for row in json.loads(stored)]
