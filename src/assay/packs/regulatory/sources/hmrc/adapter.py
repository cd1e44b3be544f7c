"""GOV.UK: a page of guidance or of a manual, described by the metadata in its head."""

from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node, parse_html


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe a page of GOV.UK."""
    page = parse_html(data, url, "a page of GOV.UK")
    cards = {card.get("name"): card for card in page.find_all("meta[name]")}
    title = page.find_first("h1")
    if "govuk:content-id" not in cards or title is None:
        raise ContentBroken(
            f"The page at {url} is not a page of GOV.UK: it has no content id.",
            advice="Open it in a browser; the site may have changed.",
        )
    return {
        "title": title.read_text(),
        "doc_id": cards["govuk:content-id"].get("content"),
        "document_type": _read(cards, "govuk:format"),
        "language": "en",
        "dated": _read_day(cards, "govuk:first-published-at"),
        "published": _read_day(cards, "govuk:public-updated-at"),
    }


def _read(cards: dict[str | None, Node], name: str) -> str | None:
    return cards[name].get("content") if name in cards else None


def _read_day(cards: dict[str | None, Node], name: str) -> str | None:
    """The day of a moment such as 2031-02-03T10:00:00.000+00:00."""
    return (_read(cards, name) or "")[:10] or None
