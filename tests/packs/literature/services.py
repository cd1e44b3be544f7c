"""A server on loopback that plays OpenAlex, Crossref and arXiv, with their documented limits."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any

from aiohttp import web

from assay.packs.literature.folding import fold_text
from assay.packs.literature.ids import parse_arxiv_id
from assay.packs.literature.resolving.works import FoundWork

HOSTS = ("api.openalex.org", "api.crossref.org", "export.arxiv.org")
LIST_MICROS, SEARCH_MICROS = 100, 1_000
ARXIV_GAP_MS = 3_000


@dataclass
class LiteratureServices:
    """What the services know and allow, and what they were asked."""

    works: Sequence[FoundWork] = ()
    key: str = ""
    """The key that OpenAlex accepts; empty: it accepts requests without one."""
    daily_micros: int = 1_000_000
    """OpenAlex refuses priced requests beyond this."""
    merged: dict[str, str] = field(default_factory=dict)
    """OpenAlex's ids of works that were merged into others."""
    instead: dict[str, FoundWork] = field(default_factory=dict)
    """Ids that are answered with a different work."""
    fault: int = 0
    """A status with which everything is answered."""
    page_size: int = 100
    """OpenAlex gives at most this many works on a page."""
    now_ms: Callable[[], int] = lambda: 0
    asked: list[str] = field(default_factory=list)
    """Host, path and query of each request."""
    spent_micros: int = 0
    arxiv_times_ms: list[int] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer as the host that the request is meant for."""
        self.asked.append(f"{request.host}{request.path_qs}")
        if self.fault:
            return web.Response(status=self.fault, text="no")
        if request.host == "api.openalex.org":
            return self._answer_openalex(request)
        if request.host == "api.crossref.org":
            return self._answer_crossref(request)
        return self._answer_arxiv(request)

    def count_early_arxiv_requests(self) -> int:
        """How many requests came less than three seconds after the one before."""
        pairs = pairwise(self.arxiv_times_ms)
        return sum(later - earlier < ARXIV_GAP_MS for earlier, later in pairs)

    def _find(self, wanted: str) -> FoundWork | None:
        if wanted in self.instead:
            return self.instead[wanted]
        return next((work for work in self.works if wanted in work.ids), None)

    def _answer_openalex(self, request: web.Request) -> web.Response:
        if self.key and request.query.get("api_key") != self.key:
            return web.json_response({"error": "Invalid API key"}, status=403)
        path = request.path.removeprefix("/works").strip("/")
        if path:
            if path in self.merged:
                query = f"?{request.query_string}" if request.query_string else ""
                raise web.HTTPMovedPermanently(f"/works/{self.merged[path]}{query}")
            work = self._find(_read_openalex_id(path))
            if work is None:
                page = "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n"
                return web.Response(status=404, text=page, content_type="text/html")
            return web.json_response(write_openalex(work))
        filters = request.query.get("filter", "")
        price = SEARCH_MICROS if "search" in filters else LIST_MICROS
        if self.spent_micros + price > self.daily_micros:
            headers = {"Retry-After": "3600"}
            return web.json_response({"error": "Rate limit exceeded"}, status=429, headers=headers)
        self.spent_micros += price
        return self._list_openalex(filters, request)

    def _list_openalex(self, filters: str, request: web.Request) -> web.Response:
        if filters.startswith("doi:"):
            wanted = filters.removeprefix("doi:").split("|")
            if len(wanted) > 50:
                return web.json_response({"error": "Maximum number of values exceeded"}, status=400)
            found = [
                work for doi in wanted if (work := self._find(_read_openalex_id(f"doi:{doi}")))
            ]
        else:
            title = filters.removeprefix("title.search:").partition(",")[0]
            found = self._search(title, all_words=True)
        size = min(int(request.query.get("per_page", "25")), self.page_size)
        cursor = request.query.get("cursor", "")
        start = int(cursor) if cursor.isdecimal() else 0
        page = found[start : start + size]
        following = str(start + size) if cursor and start + size < len(found) else None
        meta = {"count": len(found), "per_page": size, "next_cursor": following}
        return web.json_response({"meta": meta, "results": [write_openalex(w) for w in page]})

    def _answer_crossref(self, request: web.Request) -> web.Response:
        doi = request.path.removeprefix("/works").strip("/")
        if doi:
            work = None if doi.startswith("10.48550/") else self._find(f"doi:{doi.lower()}")
            if work is None:
                return web.Response(status=404, text="Resource not found.")
            return web.json_response({"status": "ok", "message": write_crossref(work)})
        asked = request.query.get("query.title") or request.query.get("query.bibliographic", "")
        rows = int(request.query.get("rows", "20"))
        found = [write_crossref(work) for work in self._search(asked)[:rows]]
        message = {"total-results": len(found), "items": found}
        return web.json_response({"status": "ok", "message-type": "work-list", "message": message})

    def _answer_arxiv(self, request: web.Request) -> web.Response:
        self.arxiv_times_ms.append(self.now_ms())
        ids = [each for each in request.query.get("id_list", "").split(",") if each]
        for each in ids:
            if parse_arxiv_id(each) is None:
                entry = (
                    f"<entry><id>https://arxiv.org/api/errors#incorrect_id_format_for_{each}</id>"
                    f"<title>Error</title><summary>incorrect id format for {each}</summary></entry>"
                )
                return _write_feed(entry, status=400)
        found = [work for each in ids if (work := self._find(f"arxiv:{each}"))]
        return _write_feed("".join(map(write_entry, found)))

    def _search(self, text: str, *, all_words: bool = False) -> list[FoundWork]:
        """The works with the most words in common; Crossref always finds something."""
        words = set(fold_text(text).split())
        scored = [(len(words & set(fold_text(work.title).split())), work) for work in self.works]
        least = len(words) if all_words else 0
        ranked = sorted(scored, key=lambda entry: -entry[0])
        return [work for score, work in ranked if score >= least]


@asynccontextmanager
async def serve(services: LiteratureServices) -> AsyncIterator[str]:
    """Serve on loopback; the address to give for all hosts."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", services.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def _read_openalex_id(path: str) -> str:
    value = path.removeprefix("doi:").lower()
    if value.startswith("10.48550/arxiv."):
        return f"arxiv:{value.removeprefix('10.48550/arxiv.')}"
    return f"openalex:{path}" if path.startswith("W") else path.lower()


def _get_id(work: FoundWork, kind: str) -> str | None:
    found = (each.removeprefix(f"{kind}:") for each in work.ids if each.startswith(f"{kind}:"))
    return next(found, None)


def write_openalex(work: FoundWork) -> dict[str, Any]:
    """A work as OpenAlex writes it."""
    doi, arxiv, number = (_get_id(work, kind) for kind in ("doi", "arxiv", "openalex"))
    places = (
        [{"landing_page_url": f"http://arxiv.org/abs/{arxiv}", "pdf_url": None}] if arxiv else []
    )
    if work.pdf_urls:
        places.append({"landing_page_url": work.landing_url, "pdf_url": work.pdf_urls[0]})
    index: dict[str, list[int]] = {}
    for place, word in enumerate(work.abstract.split()):
        index.setdefault(word, []).append(place)
    return {
        "id": f"https://openalex.org/{number}",
        "doi": f"https://doi.org/{doi or f'10.48550/arxiv.{arxiv}'}" if doi or arxiv else None,
        "ids": {"openalex": f"https://openalex.org/{number}"},
        "title": work.title,
        "publication_year": work.year,
        "type": work.kind or "article",
        "authorships": [{"author": {"display_name": name}} for name in work.authors],
        "primary_location": {"source": {"display_name": work.venue}},
        "locations": places,
        "abstract_inverted_index": index,
        "is_retracted": work.is_retracted,
        "referenced_works": [
            f"https://openalex.org/{each.partition(':')[2]}" for each in work.cites
        ],
    }


def write_crossref(work: FoundWork) -> dict[str, Any]:
    """A work as Crossref writes it."""
    names = [name.rpartition(" ") for name in work.authors]
    return {
        "DOI": _get_id(work, "doi"),
        "title": [work.title],
        "author": [{"given": given, "family": family} for given, _, family in names],
        "issued": {"date-parts": [[work.year]]},
        "container-title": [work.venue],
        "type": "journal-article",
        "score": 53.9,
    }


def write_entry(work: FoundWork) -> str:
    """A paper as arXiv writes it."""
    number = f"{_get_id(work, 'arxiv')}v{work.version or 1}"
    names = "".join(f"<author><name>{escape(name)}</name></author>" for name in work.authors)
    return (
        f"<entry><id>http://arxiv.org/abs/{number}</id><title>{escape(work.title)}</title>"
        f"<published>{work.year}-01-02T03:04:05Z</published><summary>{escape(work.abstract)}"
        f"</summary>{names}<link href='https://arxiv.org/pdf/{number}' title='pdf'/></entry>"
    )


def _write_feed(entries: str, status: int = 200) -> web.Response:
    text = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>arXiv</title>{entries}</feed>"
    return web.Response(status=status, text=text, content_type="application/atom+xml")
