"""The Code of Federal Regulations: eCFR's XML of a day, and that of the annual edition."""

import re
from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import XmlElement, parse_xml

_DAY = re.compile(r"/full/(\d{4}-\d{2}-\d{2})/title-(\d+)\.xml")
_DIVISION = re.compile(r"DIV\d")


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe a part or section of the Code."""
    root = parse_xml(data, url, "a part of the Code of Federal Regulations")
    if root.name == "CFRGRANULE":
        return _describe_annual(root)
    division = root if _DIVISION.fullmatch(root.name) else _find_first_division(root)
    if division is None:
        raise ContentBroken(
            f"The XML from {url} is a <{root.name}>, which is not a part of the Code.",
            advice="The API may have responded with an error.",
        )
    return _describe_division(division, url)


def _find_first_division(root: XmlElement) -> XmlElement | None:
    return next((found for n in range(1, 10) for found in root.find_children(f"DIV{n}")), None)


def _describe_division(division: XmlElement, url: str) -> dict[str, Any]:
    day = _DAY.search(url)
    number = division.get("N")
    return {
        "title": division.find_text("HEAD"),
        "doc_id": f"{day.group(2)} CFR {number}" if day and number else None,
        "document_type": (division.get("TYPE") or "").lower() or None,
        "language": "en",
        # A version applies from the day under which it is requested.
        "effective_from": day.group(1) if day else None,
    }


def _describe_annual(root: XmlElement) -> dict[str, Any]:
    """An edition says for which day it was made; its content may already have applied before."""
    card = root.find_first("FDSYS") or root
    heading = (card.find_text("HEADING") or "").removeprefix("PART ").strip()
    title = card.find_text("CFRTITLE")
    return {
        "title": card.find_text("TITLE"),
        "doc_id": f"{title} CFR {heading}" if title and heading else None,
        "document_type": "part",
        "language": "en",
        "published": card.find_text("DATE"),
    }
