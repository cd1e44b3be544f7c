"""Legistar's API in its three dialects: JSON, Atom and data contracts, which some cities send
whatever is asked for. All become rows with the names that JSON has."""

from typing import Any

from assay.packs.civic.portals.shared import clean
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import XmlElement, parse_json, parse_xml

Row = dict[str, Any]
_BLANK = b"\xef\xbb\xbf \t\r\n"


def read_rows(data: bytes, url: str, what: str, key: str) -> list[Row]:
    """The rows of a response, each of which has a value for `key`."""
    rows = _read_any(data, url, what)
    if not isinstance(rows, list) or not all(isinstance(row, dict) and key in row for row in rows):
        raise ContentBroken(
            f"{url} answered with something that is not {what}{_find_message(rows)}.",
            advice="Check the city's name in the API; with 'api: false' its pages are read.",
        )
    return rows


def read_number(value: object) -> int | None:
    """A whole number; XML has it as text."""
    if isinstance(value, bool):
        return int(value)
    try:
        return int(str(value))
    except ValueError:
        return None


def read_flag(value: object) -> bool | None:
    """Yes or no, as JSON or XML has it; None if there is no value."""
    words = str(value).strip().lower()
    if words in {"true", "false"}:
        return words == "true"
    number = read_number(value)
    return None if number is None else number != 0


def read_note(value: object) -> str | None:
    """A note in plain text; one in RTF is left out, because it would be read as gibberish."""
    words = clean(value)
    return None if words is None or words.startswith("{\\rtf") else words


def _read_any(data: bytes, url: str, what: str) -> Any:
    if not data.lstrip(_BLANK).startswith(b"<"):
        found = parse_json(data, url, what)
        return found.get("value", found) if isinstance(found, dict) else found
    root = parse_xml(data, url, what)
    if root.name == "feed":
        return _read_feed(root)
    if root.name.startswith("ArrayOf"):
        return [_read_fields(child) for child in root.find_children()]
    return None


def _read_feed(feed: XmlElement) -> list[Row]:
    rows: list[Row] = []
    for entry in feed.find_children("entry"):
        row: Row = {}
        for properties in entry.find_descendants("properties", without="link"):
            row |= _read_fields(properties)
        # The rows that belong to a row are a feed within a link.
        for link in entry.find_children("link"):
            if (inner := link.find_first("inline/feed")) is not None:
                row[link.get("title") or ""] = _read_feed(inner)
        rows.append(row)
    return rows


def _read_fields(element: XmlElement) -> Row:
    return {child.name: _read_value(child) for child in element.find_children()}


def _read_value(element: XmlElement) -> Any:
    if any(element.get(name) == "true" for name in ("nil", "null")):
        return None
    inside = list(element.find_children())
    if not inside:
        return element.read_text()
    return [_read_fields(child) for child in inside]


def _find_message(found: object) -> str:
    """What the API says about an error."""
    words = clean(found.get("Message")) if isinstance(found, dict) else None
    return f": {words.rstrip('.')}" if words else ""
