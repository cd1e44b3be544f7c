"""Crossref: lookups by DOI and searches by title; both are free for polite clients."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from assay.packs.literature.folding import fold_text
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

SERVICE = "crossref"
BASE = "https://api.crossref.org/works"
_ROWS = 5
_FIELDS = (
    "DOI,title,subtitle,author,issued,published,published-print,published-online,container-title,"
    "volume,page,article-number,abstract,link,URL,type,relation,reference,update-to,updated-by"
)
_SAME = ("is-preprint-of", "has-preprint", "is-version-of", "has-version", "is-identical-to",
         "is-same-as")  # fmt: skip
_MOST_CITED = 5_000


def build_doi_request(work_id: str, mailto: str = "") -> ServiceRequest:
    """The lookup of one work. arXiv's DOIs are DataCite's: Crossref does not know them."""
    if not work_id.startswith("doi:"):
        raise InvalidInput(f"Crossref knows works by DOI, not by '{work_id}'.")
    url = f"{BASE}/{quote(work_id.removeprefix('doi:'), safe='')}"
    return make_request(SERVICE, url, [("mailto", mailto)], wanted=[work_id])


def build_title_request(
    title: str, authors: Sequence[str] = (), mailto: str = ""
) -> ServiceRequest:
    """A search by title and authors. It always finds something: each hit must be verified."""
    words = " ".join(fold_text(title[:500]).split()[:50])
    if not words:
        raise InvalidInput("There is no title to search for.", advice="Give the reference a title.")
    return _build_search([("query.title", words), ("query.author", " ".join(authors[:5]))], mailto)


def build_text_request(text: str, mailto: str = "") -> ServiceRequest:
    """A search with a whole reference as it was printed."""
    words = " ".join(text[:1_000].split())
    if not words:
        raise InvalidInput("There is no reference to search for.", advice="Give its text.")
    return _build_search([("query.bibliographic", words)], mailto)


def _build_search(query: list[tuple[str, str]], mailto: str) -> ServiceRequest:
    more = [("rows", str(_ROWS)), ("select", _FIELDS), ("mailto", mailto)]
    return make_request(SERVICE, BASE, [*query, *more])


def parse_crossref_response(
    status: int, body: bytes, request: ServiceRequest, final_url: str = ""
) -> ServicePage:
    """The works in an answer; a search's scores are not read, because they prove nothing."""
    if status in (404, 410):
        return ServicePage(missing=request.wanted)
    check_status("Crossref", status, request)
    value = parse_json(body, request.key, "a work of Crossref")
    message = value.get("message") if isinstance(value, Mapping) else None
    if not isinstance(message, Mapping):
        raise ContentBroken(f"Crossref answered {request.key} without a message.")
    entries = message.get("items") if "items" in message else [message]
    if not isinstance(entries, Sequence):
        raise ContentBroken(f"Crossref answered {request.key} without a list of items.")
    works = [_parse_work(entry) for entry in entries if isinstance(entry, Mapping)]
    return choose_works(request, works)


def _parse_work(value: Mapping[str, Any]) -> FoundWork:
    title, subtitle = _first(value.get("title")), _first(value.get("subtitle"))
    if subtitle and fold_text(subtitle) not in fold_text(title):
        title = f"{title}: {subtitle}"
    updates = [each for each in _list(value.get("updated-by")) if isinstance(each, Mapping)]
    return FoundWork(
        provider=SERVICE,
        ids=sort_ids([make_doi_id(str(value.get("DOI") or ""))]),
        title=title,
        authors=tuple(filter(None, map(_read_author, _list(value.get("author"))))),
        year=_read_year(value),
        venue=_first(value.get("container-title")),
        volume=_clean(value.get("volume")),
        pages=_clean(value.get("page")) or _clean(value.get("article-number")),
        abstract=_clean(re.sub(r"<[^>]{1,100}>", " ", str(value.get("abstract") or "")[:50_000])),
        pdf_urls=_list_pdfs(value),
        landing_url=_clean(value.get("URL")),
        kind=_clean(value.get("type")),
        is_retracted=any(each.get("type") in ("retraction", "withdrawal") for each in updates),
        cites=sort_ids(
            make_doi_id(str(each.get("DOI") or ""))
            for each in _list(value.get("reference"))[:_MOST_CITED]
            if isinstance(each, Mapping)
        ),
        same_work_ids=_list_versions(value.get("relation")),
    )


def _list_versions(relation: Any) -> tuple[str, ...]:
    """DOIs that the publisher states to be another version of the same work."""
    if not isinstance(relation, Mapping):
        return ()
    return sort_ids(
        make_doi_id(str(each.get("id") or ""))
        for name in _SAME
        for each in _list(relation.get(name))
        if isinstance(each, Mapping) and each.get("id-type") in ("doi", "arxiv", "uri")
    )


def _list_pdfs(value: Mapping[str, Any]) -> tuple[str, ...]:
    urls = (
        str(each.get("URL") or "")
        for each in _list(value.get("link"))
        if isinstance(each, Mapping) and each.get("content-type") == "application/pdf"
    )
    return tuple(dict.fromkeys(url for url in urls if url.startswith(("http://", "https://"))))


def _read_author(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    given, family = _clean(value.get("given")), _clean(value.get("family"))
    return f"{given} {family}".strip() or _clean(value.get("name"))


def _read_year(value: Mapping[str, Any]) -> int | None:
    """The year of the issue; a work can be online a year earlier."""
    for name in ("published-print", "issued", "published", "published-online"):
        date = value.get(name)
        parts = _list(date.get("date-parts")) if isinstance(date, Mapping) else []
        first = _list(parts[0])[:1] if parts else []
        if first and isinstance(first[0], int) and 1000 <= first[0] <= 2200:
            return first[0]
    return None


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _first(value: Any) -> str:
    entries = _list(value)
    return (
        _clean(re.sub(r"</?[a-z:]{1,12}>", "", entries[0]))
        if entries and isinstance(entries[0], str)
        else ""
    )


def _clean(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return " ".join("".join(c if c.isprintable() else " " for c in value[:20_000]).split())
