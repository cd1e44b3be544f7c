"""The Federal Register: an act's full text (XML), and the API's record of it (JSON)."""

import re
from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import XmlElement, parse_date, parse_json, parse_xml

_KINDS = {
    "RULE": "rule",
    "PRORULE": "proposed rule",
    "NOTICE": "notice",
    "PRESDOCU": "presidential",
}
_NUMBER = re.compile(r"FR Doc\.\s*([A-Z]?\d+-\d+)")
_PUBLISHED = re.compile(r"/(\d{4})/(\d{2})/(\d{2})/")
_EFFECTIVE = re.compile(r"\beffective\s+(?:on\s+)?([A-Z][a-z]+ \d{1,2}, \d{4})", re.IGNORECASE)


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe a document of the Federal Register."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _describe_record(parse_json(data, url, "a document's record"), url)
    root = parse_xml(data, url, "a document of the Federal Register")
    if root.name not in _KINDS:
        raise ContentBroken(
            f"The XML from {url} is a <{root.name}>, not a {', '.join(_KINDS)}.",
            advice="Check the address; it may be that of a whole issue.",
        )
    return _describe_text(root, url)


def _describe_text(root: XmlElement, url: str) -> dict[str, Any]:
    number = _NUMBER.search(_read_words(root, "FRDOC") or "")
    dates = _EFFECTIVE.search(_read_words(root, "EFFDATE") or "")
    published = _PUBLISHED.search(url)
    return {
        "title": _read_words(root, "SUBJECT"),
        "doc_id": f"FR Doc. {number.group(1)}" if number else None,
        "document_type": _KINDS[root.name],
        "language": "en",
        "published": "-".join(published.groups()) if published else None,
        "effective_from": parse_date(dates.group(1)) if dates else None,
        "changes": _find_changes(root),
    }


def _read_words(root: XmlElement, name: str) -> str | None:
    found = next(root.find_descendants(name), None)
    return found.read_text() if found is not None else None


def _find_changes(root: XmlElement) -> list[dict[str, str]]:
    """The parts of the Code that it amends, each once."""
    parts = {
        f"{found.get('TITLE')} CFR {found.get('PART')}": None
        for found in root.find_descendants("REGTEXT")
        if found.get("TITLE") and found.get("PART")
    }
    return [{"kind": "amends", "act": part} for part in parts]


def _describe_record(record: Any, url: str) -> dict[str, Any]:
    if not isinstance(record, dict) or "document_number" not in record:
        raise ContentBroken(
            f"The record from {url} has no document_number.",
            advice="The API may have changed, or responded with an error.",
        )
    corrected = record.get("correction_of")
    number = str(corrected).rstrip("/").rpartition("/")[2] if corrected else None
    return {
        "title": record.get("title"),
        "doc_id": f"FR Doc. {record['document_number']}",
        "document_type": str(record["type"]).lower() if record.get("type") else None,
        "language": "en",
        "dated": record.get("signing_date"),
        "published": record.get("publication_date"),
        "effective_from": record.get("effective_on"),
        "changes": [{"kind": "corrects", "act": f"FR Doc. {number}"}] if number else [],
        "is_text": False,
        "text_at": [record["full_text_xml_url"]] if record.get("full_text_xml_url") else [],
    }
