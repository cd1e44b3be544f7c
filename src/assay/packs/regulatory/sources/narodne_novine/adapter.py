"""Narodne novine: the page of an act, and its metadata record (ELI, JSON-LD)."""

import re
from collections.abc import Iterator
from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node, parse_date, parse_html, parse_json

_ELI = "http://data.europa.eu/eli/ontology#"
_ONE_SLASH = re.compile(r"^(https?):/(?=[^/])")
_CHANGES = {"amends": "amends", "repeals": "repeals", "corrects": "corrects"}
_LANGUAGES = {"HRV": "hr", "ENG": "en", "DEU": "de", "SRP": "sr"}


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe an act from its page or its metadata record."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{"):
        return _describe_card(parse_json(data, url, "a card of metadata"), url)
    return _describe_page(parse_html(data, url, "the page of an act"), url)


def _describe_page(root: Node, url: str) -> dict[str, Any]:
    details = dict(_read_rows(root))
    if not details:
        raise ContentBroken(
            f"The page at {url} is not the page of an act: it has no table of details.",
            advice="Open it in a browser; the site may have changed.",
        )
    title = root.find_first(
        "#html-content-frame h1, .sl-content h1, .sl-content .T-98-2, h1, title"
    )
    return {
        "title": title.read_text() if title else None,
        "doc_id": _fix_slashes(details.get("ELI", "")) or None,
        "document_type": details.get("Vrsta dokumenta"),
        "published": parse_date(details.get("Datum tiskanog izdanja"), ("%d.%m.%Y",)),
        "language": "hr",
    }


def _read_rows(root: Node) -> Iterator[tuple[str, str]]:
    """The table of details: a label with a colon, and its value."""
    for row in root.find_all("table.detailsTable tr"):
        cells = [cell.read_text() for cell in row.find_children("td", "th")]
        if len(cells) >= 2 and cells[0].endswith(":") and cells[1]:
            yield cells[0].rstrip(": "), cells[1]


def _describe_card(card: Any, url: str) -> dict[str, Any]:
    nodes = [node for node in card if isinstance(node, dict)] if isinstance(card, list) else []
    work = next((node for node in nodes if _has_type(node, "LegalResource")), None)
    if work is None:
        raise ContentBroken(
            f"The card at {url} describes no act: it has no LegalResource.",
            advice="The site may have answered with something else.",
        )
    expression: dict[str, Any] = next(
        (node for node in nodes if _has_type(node, "LegalExpression")), {}
    )
    language = _last_segment(_read_ids(expression, "language"))
    return {
        "title": _read_value(expression, "title"),
        "doc_id": _fix_slashes(str(work.get("@id", ""))) or None,
        "document_type": _last_segment(_read_ids(work, "type_document")),
        "language": _LANGUAGES.get(language or ""),
        "dated": _read_value(work, "date_document"),
        "published": _read_value(work, "date_publication"),
        "effective_from": _read_value(work, "first_date_entry_in_force"),
        "effective_until": _read_value(work, "date_no_longer_in_force"),
        "changes": [
            {"kind": kind, "act": act}
            for name, kind in _CHANGES.items()
            for act in _read_ids(work, name)
        ],
        "based_on": _read_ids(work, "based_on"),
        "is_text": False,
        "text_at": [
            act for act in _read_ids(expression, "is_embodied_by") if act.endswith("/html")
        ],
    }


def _has_type(node: dict[str, Any], kind: str) -> bool:
    """The first nodes of a record only name what follows; they have no type."""
    types = node.get("@type")
    return isinstance(types, list) and _ELI + kind in types


def _read_values(node: dict[str, Any], name: str, key: str) -> list[str]:
    found = node.get(_ELI + name)
    values = (v.get(key) for v in found if isinstance(v, dict)) if isinstance(found, list) else ()
    return [value for value in values if isinstance(value, str)]


def _read_value(node: dict[str, Any], name: str) -> str | None:
    return next(iter(_read_values(node, name, "@value")), None)


def _read_ids(node: dict[str, Any], name: str) -> list[str]:
    return [_fix_slashes(value) for value in _read_values(node, name, "@id")]


def _last_segment(ids: list[str]) -> str | None:
    return ids[0].rpartition("/")[2] if ids else None


def _fix_slashes(written: str) -> str:
    """Related acts are written `https:/host/…`, with one slash."""
    return _ONE_SLASH.sub(r"\1://", written.strip())
