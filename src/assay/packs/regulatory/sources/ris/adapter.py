"""RIS: the results of its OGD interface (v2.6), and its pages of law."""

import re
from collections.abc import Iterator
from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node, parse_date, parse_html, parse_json

_PAGE = re.compile(r"(?<=[?&]Seitennummer=)\d+")
_NUMBER = re.compile(r"(?:Gesetzesnummer=|/)((?:NOR|BGBLA_)?[0-9A-Z_]{8,40})(?:/|\.html|$)")


def list_items(data: bytes, url: str) -> list[dict[str, Any]]:
    """List the documents of a page of results, and the page after it."""
    whole = parse_json(data, url, "results of the OGD interface")
    answer = whole.get("OgdSearchResult") if isinstance(whole, dict) else None
    if not isinstance(answer, dict):
        raise ContentBroken(f"The JSON from {url} has no OgdSearchResult.")
    if (error := answer.get("Error")) is not None:
        reason = error.get("Message") if isinstance(error, dict) else error
        raise ContentBroken(f"The interface refuses {url}: {reason}.")
    results = answer.get("OgdDocumentResults") or {}
    found = {
        item["url"]: item
        for entry in _as_list(results.get("OgdDocumentReference"))
        if (item := _read_entry(entry.get("Data") or {})) is not None
    }
    hits = results.get("Hits") or {}
    number, size = int(hits.get("@pageNumber") or 1), int(hits.get("@pageSize") or 100)
    items = list(found.values())
    if number * size < int(hits.get("#text") or 0) and _PAGE.search(url):
        items.append({"url": _PAGE.sub(str(number + 1), url), "further": True})
    return items


def _as_list(value: Any) -> list[dict[str, Any]]:
    """One entry comes by itself, several come in a list."""
    entries = value if isinstance(value, list) else [value]
    return [entry for entry in entries if isinstance(entry, dict)]


def _read_entry(entry: dict[str, Any]) -> dict[str, Any] | None:
    cards = entry.get("Metadaten") or {}
    law, general = cards.get("Bundesrecht") or {}, cards.get("Allgemein") or {}
    consolidated, gazette = law.get("BrKons") or {}, law.get("BgblAuth") or {}
    address = consolidated.get("GesamteRechtsvorschriftUrl") or _find_page(entry)
    if not address:
        return None
    return {
        "url": address.replace("http://", "https://", 1),
        "title": law.get("Titel") or law.get("Kurztitel"),
        "published": gazette.get("Ausgabedatum") or general.get("Veroeffentlicht"),
        "changed": general.get("Geaendert"),
    }


def _find_page(entry: dict[str, Any]) -> str | None:
    """The address of the main document as a page."""
    contents = _as_list((entry.get("Dokumentliste") or {}).get("ContentReference"))
    contents.sort(key=lambda content: content.get("ContentType") != "MainDocument")
    for content in contents[:1]:
        for kind in _as_list((content.get("Urls") or {}).get("ContentUrl")):
            if str(kind.get("DataType")).lower() == "html":
                return str(kind.get("Url"))
    return None


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe a page of law from its blocks, each with a heading and a text."""
    page = parse_html(data, url, "a page of law")
    blocks = dict(_read_blocks(page))
    title = blocks.get("Langtitel") or blocks.get("Titel") or blocks.get("Kurztitel")
    if title is None:
        raise ContentBroken(
            f"The page at {url} is not a page of law: it has no title among its blocks.",
            advice="Open it in a browser; the site may have changed.",
        )
    number = _NUMBER.search(url)
    return {
        "title": title,
        "doc_id": number.group(1) if number else None,
        "document_type": blocks.get("Typ"),
        "language": "de",
        "published": _parse_day(blocks.get("Ausgabedatum")),
        "effective_from": _parse_day(blocks.get("Inkrafttretensdatum")),
        "effective_until": _parse_day(blocks.get("Außerkrafttretensdatum")),
    }


def _read_blocks(page: Node) -> Iterator[tuple[str, str]]:
    for block in page.find_all("div.contentBlock"):
        heading = block.find_first(".Titel")
        text = block.find_first("p")
        if heading is not None and text is not None:
            yield heading.read_text(), text.read_text()


def _parse_day(written: str | None) -> str | None:
    return parse_date(written, ("%d.%m.%Y",)) if written else None
