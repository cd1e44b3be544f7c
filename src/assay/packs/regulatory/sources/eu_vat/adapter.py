"""A page of the European Commission, built with its component library (ECL)."""

from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import parse_html


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe a page of the Commission."""
    page = parse_html(data, url, "a page of the Commission")
    title = page.find_first("h1.ecl-page-header__title, h1")
    if title is None or not title.read_text():
        raise ContentBroken(
            f"The page at {url} has no heading.",
            advice="Open it in a browser; the site may have changed.",
        )
    moment = page.find_first(".ecl-page-header time[datetime]")
    return {
        "title": title.read_text(),
        "language": "en",
        "published": (moment.get("datetime") or "")[:10] or None if moment else None,
    }
