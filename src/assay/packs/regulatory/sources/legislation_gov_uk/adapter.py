"""legislation.gov.uk: its Atom feeds, and acts in its XML (CLML)."""

import re
from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import XmlElement, parse_xml

_XML = "application/xml"
_DATES = ("EnactmentDate", "Made")
# `Amendment of the Milk Regulations 2019`: an act's name ends with its year, unlike `section 4`.
_HEADING = re.compile(
    r"(Amendment|Revocation|Repeal)s?\s+(?:of|to)\s+(?:the\s+)?(.{4,300}\s(?:1[2-9]|20)\d\d)",
    re.IGNORECASE,
)
_DOES = {"amendment": "amends", "revocation": "repeals", "repeal": "repeals"}


def list_items(data: bytes, url: str) -> list[dict[str, Any]]:
    """List the XML of each act in a feed; for an act that exists only as an image, its page."""
    feed = parse_xml(data, url, "a feed")
    if feed.name != "feed":
        raise ContentBroken(f"The XML from {url} is a <{feed.name}>, not a feed.")
    found: list[dict[str, Any]] = []
    for entry in feed.find_children("entry"):
        address = _find_link(entry, "alternate", _XML) or _find_link(entry, "", None)
        if address is None:
            raise ContentBroken(f"An entry of {url} has no address: {entry.find_text('title')!r}.")
        found.append(
            {
                "url": _normalize_address(address),
                "title": entry.find_text("title"),
                "published": entry.find_text("published"),
                "changed": entry.find_text("updated"),
            }
        )
    if further := _find_link(feed, "next", None):
        found.append({"url": _normalize_address(further), "further": True})
    return found


def _find_link(element: XmlElement, rel: str, kind: str | None) -> str | None:
    for link in element.find_children("link"):
        if (link.get("rel") or "") == rel and (kind is None or link.get("type") == kind):
            return link.get("href")
    return None


def _normalize_address(address: str) -> str:
    """Feeds still use plain http, and an older host for data."""
    path = address.partition("://")[2].partition("/")[2]
    return f"https://www.legislation.gov.uk/{path}"


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe an act from its metadata."""
    root = parse_xml(data, url, "an act in CLML")
    card = root.find_first("Metadata")
    if root.name != "Legislation" or card is None:
        raise ContentBroken(
            f"The XML from {url} is a <{root.name}>, not an act with its metadata.",
            advice="Request data.xml; the address may be that of another format.",
        )
    kind = card.find_first("SecondaryMetadata") or card.find_first("PrimaryMetadata") or card
    kind = kind if kind is not card else (card.find_first("EUMetadata") or card)
    text = any(found is not None for found in map(root.find_first, _list_bodies()))
    return {
        "title": card.find_text("title"),
        "doc_id": _find_act_id(root, card),
        "document_type": _read_value(kind.find_first("DocumentClassification/DocumentMainType")),
        "language": card.find_text("language"),
        "dated": next((day for name in _DATES if (day := _read_date(kind.find_first(name)))), None),
        "effective_from": _read_date(kind.find_first("ComingIntoForce/DateTime"))
        or card.find_text("valid"),
        "changes": _find_changes(root),
        "is_text": text,
        "text_at": [] if text else _find_whole_act(card),
    }


def _list_bodies() -> list[str]:
    acts = ("Primary", "Secondary", "EURetained")
    return [f"{act}/{part}" for act in acts for part in ("Body", "Schedules", "EUBody")]


def _find_act_id(root: XmlElement, card: XmlElement) -> str | None:
    act_id = root.get("IdURI") or next(
        (
            word
            for found in card.find_children("identifier")
            if "/id/" in (word := found.read_text() or "")
        ),
        None,
    )
    return act_id.replace("http://", "https://", 1) if act_id else None


def _read_value(found: XmlElement | None) -> str | None:
    return found.get("Value") if found is not None else None


def _read_date(found: XmlElement | None) -> str | None:
    return found.get("Date") if found is not None else None


def _find_changes(root: XmlElement) -> list[dict[str, str]]:
    """The acts that headings say are amended or revoked; nothing is guessed from the text."""
    changes: dict[tuple[str, str], None] = {}
    # Text that an amendment inserts into another act may have such headings too.
    titles = root.find_descendants("Title", without="BlockAmendment")
    for heading in (*titles, *root.find_descendants("ContentsTitle")):
        found = _HEADING.fullmatch(heading.read_text(without="FootnoteRef") or "")
        if found:
            changes[(_DOES[found.group(1).lower()], found.group(2))] = None
    return [{"kind": kind, "act": act} for kind, act in changes]


def _find_whole_act(card: XmlElement) -> list[str]:
    """Where the whole act is, as a table of contents links to it."""
    for link in card.find_children("link"):
        if link.get("rel") == "http://www.legislation.gov.uk/def/navigation/act":
            return [f"{_normalize_address(link.get('href') or '')}/data.xml"]
    return []
