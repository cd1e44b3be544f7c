"""Feeds of arXiv: Atom, as its API gives it, and RSS, as its daily lists are."""

import re
from typing import Final

from assay.packs.literature.parsed import (
    ParsedList,
    ReferenceCollector,
    collect_ids,
    find_year,
    make_reference,
)
from assay.sdk.errors import AssayError
from assay.sdk.sources import XmlElement, parse_xml

_DECLARATION = re.compile(r"^\s*<\?xml[^<>]{0,200}\?>")
_ENTRY = re.compile(r"<(?:[\w-]{1,20}:)?(?:entry|item)(?=[\s>/])")
_ENTRY_END = re.compile(r"</(?:[\w-]{1,20}:)?(?:entry|item)\s*>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SUFFIX = re.compile(r"\s*\(arXiv:[^()]{5,60}\)\s*$|\.\s*\(arXiv:[^()]{5,60}\)\s*$")
_BEFORE_ABSTRACT = re.compile(r"^arXiv:\S+\s+Announce Type:.{0,60}?Abstract:\s*", re.DOTALL)
_ERRORS: Final = "arxiv.org/api/errors"


def parse_arxiv_feed(text: str, most: int) -> ParsedList:
    """The papers of a feed; an answer that reports an error becomes a note."""
    collector = ReferenceCollector(most)
    body = _COMMENT.sub(lambda found: " " * len(found[0]), text)
    try:
        root = parse_xml(
            _DECLARATION.sub("", body).encode("utf-8", "replace"), "the list", "a feed"
        )
    except AssayError as error:
        collector.note(0, f"The feed could not be read: {error}")
        return collector.finish()
    entries = [*root.find_descendants("entry"), *root.find_descendants("item")]
    starts = [found.start() for found in _ENTRY.finditer(body)]
    for number, entry in enumerate(entries):
        start = starts[number] if number < len(starts) else 0
        closed = _ENTRY_END.search(body, start)
        end = closed.end() if closed else len(body)
        _add_paper(entry, start, end, collector)
    return collector.finish()


def _add_paper(entry: XmlElement, start: int, end: int, collector: ReferenceCollector) -> None:
    name = entry.find_text("id") or entry.find_text("guid") or entry.find_text("link") or ""
    summary = entry.find_text("summary") or entry.find_text("description") or ""
    if _ERRORS in name:
        collector.note(start, f"arXiv reports an error: {summary}")
        return
    links = [found.get("href") or found.read_text() or "" for found in entry.find_children("link")]
    ids, version = collect_ids([name])
    if not ids:
        ids, version = collect_ids(links)
    doi = entry.find_text("doi")
    if doi:
        ids |= {each for each in collect_ids([f"doi:{doi}"])[0] if each.startswith("doi:")}
    title = _SUFFIX.sub("", entry.find_text("title") or "")
    if not title and not ids:
        collector.note(start, "An entry of the feed has no title and no id.")
        return
    published = (
        entry.find_text("published") or entry.find_text("pubDate") or entry.find_text("date")
    )
    collector.add(
        make_reference(
            ids=ids,
            version=version,
            urls=[link for link in links if not collect_ids([link])[0]],
            title=title,
            authors=_read_authors(entry),
            year=find_year(published or ""),
            venue=entry.find_text("journal_ref") or "",
            abstract=_BEFORE_ABSTRACT.sub("", summary),
            start=start,
            end=end,
        )
    )


def _read_authors(entry: XmlElement) -> list[str]:
    named = [author.find_text("name") or "" for author in entry.find_children("author")]
    if named:
        return named
    creators = [found.read_text() or "" for found in entry.find_children("creator")]
    return [name for creator in creators for name in re.split(r",\s*|\s+and\s+", creator)]
