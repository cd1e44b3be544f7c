"""Meetings as an Atom feed (RFC 4287), the same bytes for the same data."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from assay.packs.civic.dossiers import DocumentLink, MeetingDossier
from assay.packs.civic.outputs.digest import describe_meeting, format_city, format_start
from assay.packs.civic.outputs.digest_html import render_meeting

_ATOM: Final = "http://www.w3.org/2005/Atom"
_IDENTITIES: Final = uuid5(NAMESPACE_URL, "assay:civic")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_atom(title: str, subject: str, dossiers: Sequence[MeetingDossier]) -> str:
    """A feed with one entry for each meeting; `subject` identifies it for ever."""
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    latest = max((dossier.changed_ms for dossier in dossiers), default=0)
    _add(feed, "title", title)
    _add(feed, "id", _identify(f"feed:{subject}"))
    _add(feed, "updated", _format_moment(latest))
    _add(_add(feed, "author"), "name", "Assay")
    _add(feed, "generator", "Assay")
    for dossier in dossiers:
        _add_entry(feed, dossier)
    ElementTree.indent(feed)
    text = ElementTree.tostring(feed, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _add_entry(feed: ElementTree.Element, dossier: MeetingDossier) -> None:
    meeting = describe_meeting(dossier)
    entry = _add(feed, "entry")
    prefix = (
        f"{meeting.status.capitalize()}: " if meeting.status in ("cancelled", "postponed") else ""
    )
    when = format_start(meeting.starts)
    _add(entry, "title", f"{prefix}{meeting.heading}, {when} ({format_city(dossier.city)})")
    _add(entry, "id", _identify(f"meeting:{meeting.meeting_id}"))
    _add(entry, "updated", _format_moment(dossier.changed_ms))
    named = (("alternate", meeting.page), ("related", meeting.video))
    links = [(kind, DocumentLink("", url)) for kind, url in named if url]
    links += [("related", document) for document in meeting.documents]
    for kind, link in links:
        if link.is_safe:
            named_so = {"title": _clean(link.name)} if link.name else {}
            _add(entry, "link", rel=kind, href=_clean(link.url), **named_so)
    for topic in dossier.list_all_topics():
        _add(entry, "category", term=topic)
    _add(entry, "content", render_meeting(meeting), type="html")


def _add(
    parent: ElementTree.Element, name: str, text: str | None = None, **attributes: str
) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, name, attributes)
    element.text = None if text is None else _clean(text)
    return element


def _identify(subject: str) -> str:
    return uuid5(_IDENTITIES, subject).urn


def _format_moment(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _clean(text: str) -> str:
    """Without the characters that XML cannot contain."""
    return _NOT_XML.sub("", text)
