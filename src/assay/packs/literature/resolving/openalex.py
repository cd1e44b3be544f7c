"""OpenAlex: requests with their prices, and its descriptions of works.

A lookup by id is free, a list costs $0.10 per 1000 requests and a search $1. Fifty DOIs in one list
thus cost less of the daily allowance than one search, and fewer requests than fifty lookups.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from assay.packs.literature.folding import fold_text
from assay.packs.literature.ids import id_of_url, parse_pmid
from assay.packs.literature.resolving.requests import (
    ServicePage,
    ServiceRequest,
    check_status,
    choose_works,
    make_request,
)
from assay.packs.literature.resolving.works import FoundWork, make_doi_id, sort_ids
from assay.sdk.errors import ContentBroken, InvalidInput
from assay.sdk.sources import parse_json

SERVICE = "openalex"
BASE = "https://api.openalex.org/works"
LIST_MICROS = 100
SEARCH_MICROS = 1_000
MOST_IDS = 50
_PER_PAGE = 10
_FIELDS = (
    "id,doi,ids,title,display_name,publication_year,type,authorships,primary_location,locations,"
    "best_oa_location,open_access,biblio,abstract_inverted_index,is_retracted,referenced_works"
)
_MOST_WORDS = 20_000
_MOST_CITED = 5_000


def build_id_request(work_id: str) -> ServiceRequest:
    """The free lookup of one work by `doi:`, `arxiv:`, `pmid:` or `openalex:`."""
    kind, _, value = work_id.partition(":")
    if kind == "arxiv":
        path = f"doi:10.48550/arxiv.{value}"
    elif kind in ("doi", "pmid"):
        path = f"{kind}:{value}"
    elif kind == "openalex":
        path = value
    else:
        raise InvalidInput(f"OpenAlex does not know works by '{work_id}'.", advice="Use a DOI.")
    url = f"{BASE}/{quote(path, safe=':/()')}"
    return make_request(SERVICE, url, [("select", _FIELDS)], wanted=[work_id])


def build_list_request(ids: Sequence[str], cursor: str = "*") -> ServiceRequest:
    """Up to fifty works by DOI or arXiv id in one priced request."""
    if not 0 < len(ids) <= MOST_IDS:
        raise InvalidInput(f"OpenAlex lists 1 to {MOST_IDS} works at a time, not {len(ids)}.")
    dois = []
    for each in ids:
        kind, _, value = each.partition(":")
        if kind not in ("doi", "arxiv") or re.search(r"[|,]", value):
            # A comma or a bar separates filters; such a DOI is looked up by itself.
            raise InvalidInput(f"'{each}' cannot be in a list.", advice="Look it up by itself.")
        dois.append(value if kind == "doi" else f"10.48550/arxiv.{value}")
    query = [
        ("filter", f"doi:{'|'.join(dois)}"),
        ("select", _FIELDS),
        ("per_page", str(MOST_IDS)),
        ("cursor", cursor),
    ]
    return make_request(SERVICE, BASE, query, cost_micros=LIST_MICROS, wanted=ids)


def build_search_request(title: str, year: int | None = None) -> ServiceRequest:
    """A search for a title, priced ten times as high as a list."""
    # Signs would be operators of the search.
    words = " ".join(fold_text(title[:300]).split()[:40])
    if not words:
        raise InvalidInput("There is no title to search for.", advice="Give the reference a title.")
    filters = [f"title.search:{words}"]
    if year is not None:
        filters.append(f"publication_year:{year - 2}-{year + 2}")
    query = [("filter", ",".join(filters)), ("select", _FIELDS), ("per_page", str(_PER_PAGE))]
    return make_request(SERVICE, BASE, query, cost_micros=SEARCH_MICROS)


def parse_openalex_response(
    status: int, body: bytes, request: ServiceRequest, final_url: str = ""
) -> ServicePage:
    """The works in an answer.

    `final_url` is where the answer came from: a merged work redirects to the one that remains.
    """
    if status in (404, 410):
        return ServicePage(missing=request.wanted)
    check_status("OpenAlex", status, request)
    value = parse_json(body, request.key, "a work of OpenAlex")
    if not isinstance(value, Mapping):
        raise ContentBroken(f"OpenAlex answered {request.key} with no object.")
    entries = value.get("results")
    if entries is None:
        return choose_works(request, [_parse_work(value, _find_old_id(request, final_url))])
    if not isinstance(entries, Sequence):
        raise ContentBroken(f"OpenAlex answered {request.key} with no list.")
    page = choose_works(request, [_parse_work(e) for e in entries if isinstance(e, Mapping)])
    cursor = _get(value, "meta", "next_cursor")
    if request.wanted and entries and isinstance(cursor, str) and page.missing:
        following = build_list_request(request.wanted, cursor)
        return ServicePage(page.works, page.missing, page.refused, following)
    return page


def _find_old_id(request: ServiceRequest, final_url: str) -> str | None:
    """The id that was asked for, if the answer came from another work's address."""
    wanted = request.wanted[0] if request.wanted else ""
    if not wanted.startswith("openalex:") or not final_url:
        return None
    return None if wanted.removeprefix("openalex:") in final_url else wanted


def _parse_work(value: Mapping[str, Any], old_id: str | None = None) -> FoundWork:
    ids = value.get("ids") if isinstance(value.get("ids"), Mapping) else {}
    number = str(value.get("id") or _get(ids, "openalex") or "").rpartition("/")[2]
    doi = value.get("doi") or _get(ids, "doi")
    pmid = parse_pmid(str(_get(ids, "pmid") or ""))
    places = [each for each in value.get("locations") or () if isinstance(each, Mapping)]
    own = make_doi_id(doi) if isinstance(doi, str) else None
    arxiv = [_find_arxiv_id(place) for place in places]
    best = value.get("best_oa_location") or {}
    primary = value.get("primary_location") or {}
    return FoundWork(
        provider=SERVICE,
        ids=sort_ids([
            f"openalex:{number}" if re.fullmatch(r"W\d+", number) else None,
            own,
            f"pmid:{pmid}" if pmid else None,
            *arxiv,
        ]),
        title=_clean(value.get("title") or value.get("display_name")),
        authors=tuple(filter(None, map(_read_author, value.get("authorships") or ()))),
        year=_read_year(value.get("publication_year")),
        venue=_clean(_get(primary, "source", "display_name")),
        volume=_clean(_get(value, "biblio", "volume")),
        pages="–".join(
            page
            for name in ("first_page", "last_page")
            if (page := _clean(_get(value, "biblio", name)))
        ),
        abstract=_invert_index(value.get("abstract_inverted_index")),
        pdf_urls=_list_urls([best, *places]),
        landing_url=_clean(_get(primary, "landing_page_url")),
        kind=_clean(value.get("type")),
        is_retracted=value.get("is_retracted") is True,
        cites=sort_ids(
            f"openalex:{str(each).rpartition('/')[2]}"
            for each in (value.get("referenced_works") or ())[:_MOST_CITED]
        ),
        same_work_ids=sort_ids([old_id]),
    )  # fmt: skip


def _find_arxiv_id(place: Mapping[str, Any]) -> str | None:
    """The arXiv id of a location: OpenAlex has no field for it."""
    for name in ("landing_page_url", "pdf_url"):
        found = id_of_url(str(place.get(name) or ""))
        if found and found.startswith("arxiv:"):
            return found
    doi = make_doi_id(str(place.get("landing_page_url") or ""))
    return doi if doi and doi.startswith("arxiv:") else None


def _list_urls(places: Sequence[Any]) -> tuple[str, ...]:
    """Addresses of PDFs, the best first, each once."""
    found = (str(_get(place, "pdf_url") or "") for place in places)
    return tuple(dict.fromkeys(url for url in found if url.startswith(("http://", "https://"))))


def _read_author(value: Any) -> str:
    return _clean(_get(value, "author", "display_name") or _get(value, "raw_author_name"))


def _invert_index(index: Any) -> str:
    """The abstract, which OpenAlex gives as the places of each word."""
    if not isinstance(index, Mapping):
        return ""
    words = {
        place: str(word)
        for word, places in index.items()
        if isinstance(places, Sequence)
        for place in places
        if isinstance(place, int) and 0 <= place < _MOST_WORDS
    }
    return " ".join(words[place] for place in sorted(words))


def _read_year(value: Any) -> int | None:
    return value if isinstance(value, int) and 1000 <= value <= 2200 else None


def _get(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _clean(value: Any) -> str:
    """Text on one line, without control characters."""
    if not isinstance(value, str):
        return ""
    return " ".join("".join(c if c.isprintable() else " " for c in value[:5_000]).split())
