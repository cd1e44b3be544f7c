"""The pack's part of the demo: the reading list of an institute, on loopback.

On the first day it names one work twice, by its preprint and by its DOI, one whose text is on the
institute's own site, and one that has no text that anyone may read. On the second day a work is
added. OpenAlex, Crossref and arXiv are played by the demo's server.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from assay.packs.literature.corpus import make_endpoint_id
from assay.packs.literature.listed import ListKind
from assay.packs.literature.portal import REFERENCE_LIST
from assay.packs.literature.records import ReferenceList
from assay.packs.literature.resolving import arxiv, crossref, openalex
from assay.packs.literature.resolving.requests import ServiceRequest
from assay.packs.literature.texts import PACK
from assay.sdk.demo import Demo, SitePage
from assay.sdk.records import Endpoint, Source
from assay.sdk.services import Services
from assay.sdk.sources import read_yaml

LIST_ID: Final = "institute"
LAST_DAY: Final = 2
_HOST: Final = "institute.demo.test"
_URL: Final = f"http://{_HOST}/reading-list.md"
_SERVICES: Final = ("api.openalex.org", "api.crossref.org", "export.arxiv.org", "arxiv.org")
_QUERY: Final = "days on which ice closed the harbour"
_MODIFIED: Final = datetime(2026, 1, 2, tzinfo=UTC)


def build_reading_demo() -> Demo:
    """Build the demo of the reading list."""
    options = {"url": _URL, "kind": ListKind.AWESOME.value}
    return Demo(
        sources=(
            Source(source_slug=LIST_ID, name="Vedrine Institute", base_url=_URL, packs=[PACK]),
        ),
        endpoints=(
            Endpoint(
                endpoint_id=make_endpoint_id(LIST_ID),
                source_slug=LIST_ID,
                url=_URL,
                strategy=REFERENCE_LIST.name,
                options=options,
            ),
        ),
        records=(ReferenceList(list_id=LIST_ID, kind=ListKind.AWESOME, url=_URL),),
        stands_in_for=_SERVICES,
        pages=build_pages,
        last_day=LAST_DAY,
        epilogue=write_epilogue,
        try_next=(
            f"literature search {_QUERY}",
            "literature show 10.5555/vedrine.ice",
            "literature cite 2601.99901 --style bibtex",
        ),
    )


def write_epilogue(services: Services) -> str:
    """A search, and where each work stands."""
    # Only the end of the demo needs them.
    from assay.packs.literature.index import open_index
    from assay.packs.literature.works import load_works

    works = {work.doc_id: work for work in load_works(services)}
    index = open_index(services)
    try:
        hits = index.search(_QUERY, limit=3)
    finally:
        index.close()
    lines = [f"# The institute's reading list: “{_QUERY}”", ""]
    for hit in hits:
        work = works[hit.doc_id]
        text = " ".join(hit.passages[0].text.split())
        lines.append(f"- **{work.title}** ({', '.join(work.ids)}): {text[:240]}")
    lines += ["", "## Works", ""]
    for work in works.values():
        state = f"{work.state}: {work.reason}" if work.state == "blocked" else work.state
        lines.append(f"- {work.title or work.doc_id}: {state}")
    return "\n".join(lines)


def build_pages(day: int) -> Mapping[str, SitePage]:
    """What the sites serve on a day, by host, path and query."""
    works = [work for work in _load_works() if work.get("day", 1) <= day]
    found = {f"{_HOST}/reading-list.md": _make("/reading-list.md", _write_list(works))}
    for work in works:
        if "sections" in work:
            url = work.get("pdf") or f"https://arxiv.org/pdf/{work['arxiv']}v1"
            found |= _answer(url, _write_paper(work), "text/plain; charset=utf-8")
    for each in (1, LAST_DAY):
        # A work is asked about on the day on which it is added.
        found |= _build_answers([w for w in works if w.get("day", 1) == each])
    return found


def _write_list(works: Sequence[Mapping[str, Any]]) -> str:
    lines = ["# Reading list of the Vedrine Institute", ""]
    for work in works:
        title = work["title"]
        if "arxiv" in work:
            lines.append(f"- [{title}](https://arxiv.org/abs/{work['arxiv']})")
        if "doi" in work:
            lines.append(f"- [{title}](https://doi.org/{work['doi']}), {work['year']}")
        elif "pdf" in work:
            lines.append(
                f"- [{title}]({work['pdf']}), {', '.join(work['authors'])}, {work['year']}"
            )
    return "\n".join([*lines, ""])


def _write_paper(work: Mapping[str, Any]) -> str:
    parts = [work["title"], ", ".join(work["authors"])]
    if "abstract" in work:
        parts += ["Abstract", work["abstract"]]
    for number, (name, text) in enumerate(work["sections"].items(), 1):
        parts += [f"{number} {name}", text]
    return "\n\n".join(parts) + "\n"


def _build_answers(works: Sequence[Mapping[str, Any]]) -> dict[str, SitePage]:
    """The services' answers to what is asked about these works."""
    dois = [f"doi:{work['doi']}" for work in works if "doi" in work]
    preprints = [f"arxiv:{work['arxiv']}" for work in works if "arxiv" in work]
    pages: dict[str, SitePage] = {}
    known = [_describe_for_openalex(work) for work in works if "doi" in work]
    if dois or preprints:
        listed = {"meta": {"next_cursor": None}, "results": known}
        pages |= _reply(openalex.build_list_request(sorted([*dois, *preprints])), listed)
    if preprints:
        entries = "".join(map(_write_entry, (work for work in works if "arxiv" in work)))
        feed = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>arXiv</title>{entries}</feed>"
        pages |= _answer(arxiv.build_arxiv_request(preprints).url, feed, "application/atom+xml")
    for work in works:
        if "doi" not in work and "arxiv" not in work:
            search = openalex.build_search_request(work["title"], work["year"])
            pages |= _reply(search, {"meta": {}, "results": []})
            asked = crossref.build_title_request(work["title"], work["authors"])
            pages |= _reply(asked, {"status": "ok", "message": {"items": []}})
    return pages


def _describe_for_openalex(work: Mapping[str, Any]) -> dict[str, Any]:
    places = []
    if "arxiv" in work:
        url = f"http://arxiv.org/abs/{work['arxiv']}"
        places.append({"landing_page_url": url, "pdf_url": None})
    if "pdf" in work:
        places.append({"landing_page_url": "", "pdf_url": work["pdf"]})
    index: dict[str, list[int]] = {}
    for place, word in enumerate(work.get("abstract", "").split()):
        index.setdefault(word, []).append(place)
    return {
        "id": f"https://openalex.org/{_number(work['name'])}",
        "doi": f"https://doi.org/{work['doi']}",
        "title": work["title"],
        "publication_year": work["year"],
        "type": "article",
        "authorships": [{"author": {"display_name": name}} for name in work["authors"]],
        "primary_location": {"source": {"display_name": work["venue"]}},
        "locations": places,
        "abstract_inverted_index": index,
        "referenced_works": [
            f"https://openalex.org/{_number(name)}" for name in work.get("cites", [])
        ],
    }


def _number(name: str) -> str:
    """OpenAlex's id of a work of the list."""
    names = [work["name"] for work in _load_works()]
    return f"W99999{names.index(name)}"


def _write_entry(work: Mapping[str, Any]) -> str:
    number = f"{work['arxiv']}v1"
    names = "".join(f"<author><name>{escape(name)}</name></author>" for name in work["authors"])
    return (
        f"<entry><id>http://arxiv.org/abs/{number}</id><title>{escape(work['title'])}</title>"
        f"<published>{work['year']}-01-02T03:04:05Z</published>"
        f"<summary>{escape(work['abstract'])}</summary>{names}"
        f"<link href='https://arxiv.org/pdf/{number}' title='pdf'/></entry>"
    )


def _reply(request: ServiceRequest, value: Any) -> dict[str, SitePage]:
    return _answer(request.url, json.dumps(value), "application/json")


def _answer(url: str, text: str, content_type: str) -> dict[str, SitePage]:
    parts = urlsplit(url)
    # The server quotes the bars between the ids of a list.
    path = (f"{parts.path}?{parts.query}" if parts.query else parts.path).replace("|", "%7C")
    return {f"{parts.hostname}{path}": _make(path, text, content_type)}


def _make(path: str, text: str, content_type: str = "text/plain; charset=utf-8") -> SitePage:
    return SitePage.of(path, text.encode(), content_type, _MODIFIED)


@cache
def _load_works() -> tuple[Mapping[str, Any], ...]:
    return tuple(read_yaml(Path(__file__).parent / "reading_list.yml")["works"])
