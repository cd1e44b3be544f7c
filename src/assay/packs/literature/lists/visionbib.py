"""Pages of the Annotated Computer Vision Bibliography (VisionBib).

An entry is `Author, A.[First], Title, VENUE(volume), month year, pages. DOI ListLink BibRef yymm`
after an anchor `TTnumber`. No page was at hand while this was written; the grammar is that of
the notes on the source, and the tests' pages are invented.
"""

import re
from itertools import pairwise
from typing import Final
from urllib.parse import urljoin

from assay.packs.literature.links import ListLink, find_links, is_paper_url
from assay.packs.literature.parsed import (
    ParsedList,
    ReferenceCollector,
    clean_text,
    collect_ids,
    find_year,
    make_reference,
)

_BASE: Final = "https://www.visionbib.com/bibliography/"
_ANCHOR = re.compile(r"<a\b[^<>]{0,100}?\b(?:name|id)\s{0,3}=\s{0,3}[\"']?TT\d{1,8}[\"']?", re.I)
_HEADING = re.compile(r"<h[1-6]\b[^<>]{0,200}>(.{1,500}?)</h[1-6]>", re.IGNORECASE | re.DOTALL)
_BIBREF = re.compile(r"BibRef(?:\s|</?[a-zA-Z][^<>]{0,100}>){0,6}(\d\d)(\d\d)?", re.IGNORECASE)
_NAME = re.compile(
    r"\s*([^\W\d_][\w'’. -]{0,50}?, ?(?:[^\W\d_][\w'’]{0,3}\.[ -]?){1,5}(?:, ?Jr\.?)?)"
    r"(?:\s?\[([^\[\]]{1,60})\])?(?:,\s*(?:and\s+)?|\s+and\s+|\s*$)"
)
_VENUE = re.compile(
    r"(?<![\w(])((?:[A-Z][A-Za-z&-]{1,20}?)(?:[A-Z]\b)?)('?\d\d)?\((?:[^()]{1,40})\)"
)
_OTHER_VERSION = re.compile(r"\b(?:Earlier|Later|Also|And|See also|Comment|Updated)\s?:", re.I)
_SHOWN: Final = 6000


def parse_visionbib(text: str, most: int) -> ParsedList:
    """The references of a page: one for each anchor, and one for each further version."""
    collector = ReferenceCollector(most)
    starts = [found.start() for found in _ANCHOR.finditer(text)]
    headings = [(found.start(), clean_text(found[1], 300)) for found in _HEADING.finditer(text)]
    if not starts:
        _add_links(text, collector)
        return collector.finish()
    current = 0
    for number, start in enumerate(starts):
        limit = starts[number + 1] if number + 1 < len(starts) else len(text)
        while current < len(headings) and headings[current][0] < start:
            current += 1
        section = headings[current - 1][1] if current else ""
        if current < len(headings) and headings[current][0] < limit:
            limit = headings[current][0]
        _add_entry(text, start, limit, section, collector)
    return collector.finish()


def _add_entry(
    text: str, start: int, limit: int, section: str, collector: ReferenceCollector
) -> None:
    chunk = text[start : min(limit, start + _SHOWN * 5)]
    parts = [0, *(found.start() for found in _OTHER_VERSION.finditer(chunk)), len(chunk)]
    first = chunk[: parts[1]]
    title, authors, venue = _read_words(first)
    links = find_links(first)
    ids, version = collect_ids([first[:_SHOWN]], (link.url for link in links))
    dated = _BIBREF.search(chunk)
    year = find_year(clean_text(first.partition("</b>")[2] or first)) or _read_bibref(dated)
    if title or ids:
        collector.add(
            make_reference(
                ids=ids,
                version=version,
                urls=_resolve(links),
                title=title,
                authors=authors,
                year=year,
                venue=venue,
                section=section,
                start=start,
                end=start + len(first.rstrip()),
            )
        )
    elif clean_text(chunk):
        collector.note(start, "An entry has neither a title nor an id.")
    for begin, end in pairwise(parts[1:]):
        _add_version(chunk[begin:end], start + begin, ids, section, collector)


def _add_version(
    chunk: str, start: int, known: set[str], section: str, collector: ReferenceCollector
) -> None:
    """Another version of the entry's work: its own ids, without a guess at its title."""
    links = find_links(chunk)
    ids, version = collect_ids([chunk[:_SHOWN]], (link.url for link in links))
    if ids - known:
        collector.add(
            make_reference(
                ids=ids - known,
                version=version,
                urls=_resolve(links),
                section=section,
                start=start,
                end=start + len(chunk.rstrip()),
            )
        )


def _read_words(chunk: str) -> tuple[str, list[str], str]:
    """The title, the authors and the venue of an entry."""
    words = clean_text(_BIBREF.split(chunk[:_SHOWN])[0])
    place = 0
    authors: list[str] = []
    while (found := _NAME.match(words, place)) and found.end() > place:
        family, _, initials = found[1].partition(",")
        authors.append(f"{family.strip()}, {(found[2] or initials).strip()}")
        place = found.end()
    venue = _VENUE.search(words, place)
    rest = words[place : venue.start()] if venue else words[place:]
    if not authors or (venue is None and "," not in rest):
        return "", authors, ""
    title = rest if venue else rest.partition(", ")[0]
    return title.strip(" ,."), authors, venue[1] if venue else ""


def _read_bibref(found: re.Match[str] | None) -> int | None:
    if found is None:
        return None
    year = int(found[1])
    return 1900 + year if year >= 50 else 2000 + year


def _resolve(links: list[ListLink]) -> list[str]:
    """The addresses that lead to papers; the others lead around the bibliography."""
    resolved = (urljoin(_BASE, link.url) for link in links if not link.url.startswith("#"))
    return [url for url in resolved if is_paper_url(url)]


def _add_links(text: str, collector: ReferenceCollector) -> None:
    """A page without anchors: each link to a paper is a reference of its own."""
    seen: set[str] = set()
    for link in find_links(text):
        url = urljoin(_BASE, link.url)
        ids, version = collect_ids([], [url])
        key = next(iter(ids), url)
        if key in seen or not is_paper_url(url):
            continue
        seen.add(key)
        collector.add(
            make_reference(ids=ids, version=version, urls=[url], start=link.start, end=link.end)
        )
    if not seen and text.strip():
        collector.note(0, "The page has no entries and no links to papers.")
