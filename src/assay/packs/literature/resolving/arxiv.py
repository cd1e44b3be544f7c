"""arXiv's API: lists of ids, one request per three seconds over all processes."""

import re
from collections.abc import Sequence

from assay.packs.literature.folding import fold_text
from assay.packs.literature.ids import parse_arxiv_id, parse_doi
from assay.packs.literature.resolving.requests import (
    ServicePage,
    ServiceRequest,
    check_status,
    choose_works,
    make_request,
)
from assay.packs.literature.resolving.works import FoundWork, sort_ids
from assay.sdk.errors import ContentBroken, InvalidInput
from assay.sdk.sources import XmlElement, parse_xml

SERVICE = "arxiv"
BASE = "https://export.arxiv.org/api/query"
MOST_IDS = 100
_ROWS = 5


def build_arxiv_request(ids: Sequence[str]) -> ServiceRequest:
    """Up to a hundred papers in one request; arXiv leaves out the ids that it does not know."""
    if not 0 < len(ids) <= MOST_IDS:
        raise InvalidInput(f"arXiv is asked for 1 to {MOST_IDS} papers at a time, not {len(ids)}.")
    bare = []
    for each in ids:
        parsed = parse_arxiv_id(each.removeprefix("arxiv:"))
        if parsed is None:
            # One wrong id makes arXiv refuse the whole list.
            raise InvalidInput(f"'{each}' is not an arXiv id.", advice="Look up the others.")
        bare.append(parsed[0])
    query = [("id_list", ",".join(bare)), ("start", "0"), ("max_results", str(len(bare)))]
    return make_request(SERVICE, BASE, query, wanted=ids)


def build_arxiv_search(title: str, authors: Sequence[str] = ()) -> ServiceRequest:
    """A search for a title."""
    words = " ".join(fold_text(title[:300]).split()[:30])
    if not words:
        raise InvalidInput("There is no title to search for.", advice="Give the reference a title.")
    query = [("search_query", f'ti:"{words}"'), ("start", "0"), ("max_results", str(_ROWS))]
    return make_request(SERVICE, BASE, query)


def parse_arxiv_response(
    status: int, body: bytes, request: ServiceRequest, final_url: str = ""
) -> ServicePage:
    """The papers in an answer; those that were asked for and are not in it are missing."""
    if status in (404, 410):
        return ServicePage(missing=request.wanted)
    if status not in (200, 400):
        check_status("arXiv", status, request)
    feed = parse_xml(body, request.key, "a feed of arXiv")
    if feed.name != "feed":
        raise ContentBroken(f"arXiv answered {request.key} with <{feed.name}> instead of a feed.")
    entries = list(feed.find_children("entry"))
    for entry in entries:
        if "/api/errors" in _read_text(entry, "id"):
            raise InvalidInput(
                f"arXiv refuses {request.key}: {_read_text(entry, 'summary')}.",
                advice="Remove the id that it names.",
            )
    check_status("arXiv", status, request)
    works = [work for entry in entries if (work := _parse_entry(entry)) is not None]
    return choose_works(request, works)


def _parse_entry(entry: XmlElement) -> FoundWork | None:
    parsed = parse_arxiv_id(_read_text(entry, "id"))
    if parsed is None:
        return None
    base_id, version = parsed
    doi = parse_doi(_read_text(entry, "doi"))
    links = list(entry.find_children("link"))
    pdfs = [link.get("href") or "" for link in links if link.get("title") == "pdf"]
    pages = [link.get("href") or "" for link in links if link.get("rel") == "alternate"]
    published = re.match(r"(\d{4})-", _read_text(entry, "published"))
    names = (_read_text(author, "name") for author in entry.find_children("author"))
    return FoundWork(
        provider=SERVICE,
        ids=sort_ids([f"arxiv:{base_id}"]),
        version=version,
        title=_read_text(entry, "title"),
        authors=tuple(name for name in names if name),
        year=int(published[1]) if published else None,
        venue=_read_text(entry, "journal_ref") or "arXiv",
        abstract=_read_text(entry, "summary"),
        pdf_urls=tuple(url for url in pdfs if url.startswith(("http://", "https://"))),
        landing_url=pages[0] if pages else "",
        kind="preprint",
        is_retracted="withdrawn" in _read_text(entry, "comment").lower(),
        # The DOI that authors add is the published version's.
        same_work_ids=sort_ids([f"doi:{doi}" if doi else None]),
    )


def _read_text(element: XmlElement, name: str) -> str:
    text = element.find_text(name) or ""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:50_000]).split())
