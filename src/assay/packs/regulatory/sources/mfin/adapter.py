"""A page of a Croatian authority, described by its heading."""

import re
from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import parse_html

_NUMBER = re.compile(r"/(\d+)$")


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe a page; where it has its date is not known for sure, so none is taken."""
    page = parse_html(data, url, "a page of the authority")
    title = page.find_first("h1")
    if title is None or not title.read_text():
        raise ContentBroken(
            f"The page at {url} has no heading.",
            advice="Open it in a browser; the site may have changed.",
        )
    number = _NUMBER.search(url.partition("?")[0])
    return {
        "title": title.read_text(),
        "doc_id": number.group(1) if number else None,
        "language": "hr",
    }
