"""The Atom feed of a channel."""

from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from assay.display import escape_controls
from assay.model.watches import FEED
from assay.notices.messages import Message, clean_subject, render_report_html
from assay.settings import Settings

CONTENT_TYPE = "application/atom+xml"
_NAMESPACE = "http://www.w3.org/2005/Atom"
_NOT_IN_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


def list_feeds(settings: Settings) -> frozenset[str]:
    """The channels that are feeds; there is one without any setting."""
    named = {name for name, each in settings.channels.items() if each.kind == "feed"}
    return frozenset(named if FEED in settings.channels else {FEED, *named})


def render_feed(name: str, messages: Sequence[Message]) -> bytes:
    """The feed with one entry for each report of the messages, the newest first."""
    feed = ElementTree.Element("feed", xmlns=_NAMESPACE)
    _add(feed, "id", f"urn:assay:feed:{name}")
    _add(feed, "title", f"Assay: {name}")
    _add(feed, "updated", _format(max((message.at_ms for message in messages), default=0)))
    _add(_add(feed, "author"), "name", "Assay")
    for message in messages:
        for report in message.reports:
            notice = report.notice
            entry = _add(feed, "entry")
            _add(entry, "id", f"urn:assay:{report.delivery_id}")
            _add(entry, "title", clean_subject(f"{notice.kind}: {notice.title}"))
            _add(entry, "updated", _format(message.at_ms))
            # Readers show entries by their link; a rule has none of its own.
            target = notice.url or f"urn:assay:{notice.notice_id}"
            _add(entry, "link").set("href", _clean(target))
            _add(entry, "summary", " ".join(message.sentences))
            _add(entry, "content", render_report_html(report, message.shown)).set("type", "html")
    ElementTree.indent(feed)
    text = ElementTree.tostring(feed, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _add(parent: ElementTree.Element, name: str, text: str | None = None) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, name)
    if text is not None:
        element.text = _clean(text)
    return element


def _clean(text: str) -> str:
    """The text without the signs that XML does not allow."""
    return escape_controls(text).translate(_NOT_IN_XML)


def _format(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
