"""A digest as Markdown."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from assay.packs.civic.dossiers import DocumentLink
from assay.packs.civic.outputs.digest import (
    CitedSentence,
    Digest,
    ItemDigest,
    MeetingDigest,
    format_start,
)
from assay.sdk.screens import escape_line

_UNSAFE_IN_URL: Final = re.compile(
    r"[\s<>\\\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#|~&])")


def render_markdown(digest: Digest) -> str:
    """The digest as one Markdown document."""
    lines = [f"# {_escape(digest.title)}", ""]
    if not digest.cities:
        lines += ["No meetings.", ""]
    for city in digest.cities:
        lines += [f"## {_escape(city.name)}", ""]
        for heading, meetings, is_brief in city.list_sections():
            lines += [f"### {heading}", ""]
            for meeting in meetings:
                lines += [*_render_meeting(meeting, is_brief=is_brief), ""]
    return "\n".join(lines).rstrip() + "\n"


def _render_meeting(meeting: MeetingDigest, *, is_brief: bool) -> Iterator[str]:
    yield f"#### {_escape(meeting.heading)}"
    yield ""
    yield f"{format_start(meeting.starts)}{_prefix(' · ', meeting.location)}"
    if meeting.change:
        yield ""
        yield f"**{_escape(meeting.change)}**"
    links = [("Meeting page", meeting.page), ("Video", meeting.video)]
    shown = [DocumentLink(name, url) for name, url in links if url]
    if shown or meeting.documents:
        yield ""
        yield " · ".join(_link(link) for link in (*shown, *meeting.documents))
    if is_brief:
        return
    if meeting.attending:
        yield ""
        yield f"How to attend{_cite_source(meeting.attending_source)}:"
        yield ""
        yield from (f"- {name}: {_escape_value(value)}" for name, value in meeting.attending)
    if meeting.is_over and not meeting.has_results:
        yield from ("", "No decisions published yet.")
    if meeting.summary:
        yield from ("", "Summary:", "")
        yield from _list_sentences(meeting.summary, "")
    if meeting.items:
        yield from ("", "Agenda:", "")
    for item in meeting.items:
        yield from _render_item(item)
    if meeting.motions:
        yield from ("", "Other motions:", "")
        yield from _list_sentences(meeting.motions, "")


def _render_item(item: ItemDigest) -> Iterator[str]:
    number = f"{_escape(item.number)} " if item.number else ""
    labels = f" ({_escape(', '.join(item.labels))})" if item.labels else ""
    yield f"- **{number}{_escape(item.title)}**{labels}"
    if item.outcome:
        yield f"  - Decision: {_escape(item.outcome)}"
    yield from _list_sentences(item.motions, "  ")
    for value, names in item.votes:
        yield f"  - {value.capitalize()}: {_escape(', '.join(names))}"
    yield from _list_sentences(item.summary, "  ")
    if item.documents:
        yield f"  - Documents: {', '.join(_link(link) for link in item.documents)}"


def _list_sentences(sentences: Iterable[CitedSentence], indent: str) -> Iterator[str]:
    for sentence in sentences:
        yield f"{indent}- {_escape(sentence.text)}" + "".join(
            _cite_source(source) for source in sentence.sources
        )


def _cite_source(source: DocumentLink | None) -> str:
    return "" if source is None else f" ({_link(source)})"


def _link(link: DocumentLink) -> str:
    name = _escape(link.name)
    if not link.is_safe:
        return name
    # An angle bracket or white space would end the address, and a control character is neither.
    url = _UNSAFE_IN_URL.sub(lambda match: quote(match[0], errors="replace"), link.url)
    return f"[{name}](<{url}>)"


def _escape_value(value: str) -> str:
    return _link(DocumentLink(value, value))


def _prefix(separator: str, text: str | None) -> str:
    return f"{separator}{_escape(text)}" if text else ""


def _escape(text: str) -> str:
    return escape_line(_SPECIAL.sub(r"\\\1", " ".join(text.split())))
