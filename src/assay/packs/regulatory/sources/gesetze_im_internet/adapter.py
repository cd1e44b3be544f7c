"""Gesetze im Internet: the contents of German law, an act's own page, and its whole text."""

import re
from typing import Any
from urllib.parse import urljoin

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import parse_date, parse_html, parse_xml

_ARCHIVE = re.compile(r"/xml\.zip$")
_WHOLE = re.compile(r"BJNR\w+\.html")


def list_items(data: bytes, url: str) -> list[dict[str, Any]]:
    """List the pages of all acts from the table of contents; from an act's page, its whole text."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        return _list_acts(data, url)
    page = parse_html(data, url, "the page of an act")
    title = page.find_first("h1")
    for link in page.find_all("a"):
        address = (link.get("href") or "").partition("#")[0]
        if _WHOLE.fullmatch(address.rpartition("/")[2]):
            return [{"url": urljoin(url, address), "title": title.read_text() if title else None}]
    raise ContentBroken(
        f"The page at {url} has no link to the whole text of an act.",
        advice="Open it in a browser; the name of the act may be wrong.",
    )


def _list_acts(data: bytes, url: str) -> list[dict[str, Any]]:
    contents = parse_xml(data, url, "the table of contents")
    if contents.name != "items":
        raise ContentBroken(f"The XML from {url} is a <{contents.name}>, not the contents.")
    found = []
    for item in contents.find_children("item"):
        address = _ARCHIVE.sub("/index.html", item.find_text("link") or "")
        # The contents still name plain http.
        page = address.replace("http://", "https://", 1)
        found.append({"url": page, "title": item.find_text("title"), "further": True})
    return found


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe an act from the head of its whole text."""
    page = parse_html(data, url, "the text of an act")
    head = page.find_first(".jnheader")
    title = head.find_first(".jnlangue") if head else None
    if head is None or title is None:
        raise ContentBroken(
            f"The page at {url} is not the text of an act: it has no head with its title.",
            advice="Open it in a browser; the site may have changed.",
        )
    dated = re.search(r"Ausfertigungsdatum:\s*(\d{1,2}\.\d{1,2}\.\d{4})", head.read_text())
    number = _WHOLE.search(url)
    return {
        "title": title.read_text(),
        "doc_id": number.group().removesuffix(".html") if number else None,
        "language": "de",
        "dated": parse_date(dated.group(1), ("%d.%m.%Y",)) if dated else None,
    }
