"""The links of Municode Meetings: documents in storage, agendas as pages, and a meeting's GUID."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, urlsplit

from assay.packs.civic.portals.listed import MeetingPaper, PaperKind
from assay.packs.civic.portals.shared import (
    absolute_url,
    clean,
    find_paper_kind,
    is_http,
    make_paper_name,
)

GUID: Final = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?![0-9a-f])", re.I
)
_STORED = re.compile(r"/([a-z0-9]+)-(?:pubu|meet)\b", re.IGNORECASE)
_MEETING = re.compile(r"MEET-([A-Za-z]+)-([0-9a-f-]{32,36})", re.IGNORECASE)
_VIDEO = re.compile(
    r"youtu\.?be|vimeo|granicus|swagit|zoom\.us/rec|boxcast|viebit|facebook\.com/.*video|\.mp[34]\b",
    re.IGNORECASE,
)
_KINDS: Final = {
    "packet": PaperKind.PACKET,
    "minutes": PaperKind.MINUTES,
    "attachment": PaperKind.OTHER,
    "agenda": PaperKind.AGENDA,
}
"""What documents are called, the more specific first: a field is named `AgendaPacketURL`."""


@dataclass(frozen=True)
class NamedLink:
    """A link, and what its column or field is called."""

    url: str
    column: str
    label: str = ""


@dataclass(frozen=True)
class MeetingLinks:
    """What the links of a meeting lead to."""

    papers: tuple[MeetingPaper, ...] = ()
    html: str | None = None
    """The agenda as a page with items, with its attachments if there is such a page."""
    video: str | None = None
    page: str | None = None
    guid: str | None = None
    code: str | None = None
    """The city's code, as in `cc=CLOVIS`."""


def sort_links(links: Iterable[NamedLink], base: str) -> MeetingLinks:
    """Sort the links of a meeting by what they lead to; a page and a PDF are one document."""
    papers: dict[str, MeetingPaper] = {}
    pages: dict[PaperKind, str] = {}
    video = page = guid = code = None
    for link in links:
        url, name = unwrap_link(absolute_url(base, link.url))
        if not is_http(url) or urlsplit(url).hostname == "accounts.google.com":
            # Some link to the login page in front of a video.
            continue
        kind = _find_kind(url, name, link)
        guid = guid or find_guid(url)
        code = code or _find_code(url)
        if "adahtmldocument" in url.lower():
            pages.setdefault(kind or PaperKind.AGENDA, url)
        elif kind is not None:
            label = clean(name) or clean(link.label) or make_paper_name(kind)
            papers.setdefault(url, MeetingPaper(kind=kind, url=url, name=label))
        elif re.search("video|audio|media", link.column) or _VIDEO.search(url):
            video = video or url
        elif urlsplit(url).hostname == urlsplit(base).hostname:
            page = page or url
    for kind, url in pages.items():
        if all(paper.kind is not kind for paper in papers.values()):
            papers[url] = MeetingPaper(kind=kind, url=url, name=make_paper_name(kind))
    html = pages.get(PaperKind.PACKET) or pages.get(PaperKind.AGENDA)
    return MeetingLinks(tuple(papers.values()), html, video, page or html, guid, code)


def unwrap_link(url: str) -> tuple[str, str | None]:
    """The document behind a `/d/f?u=…&n=…` link, and the name that it is downloaded under."""
    parts = urlsplit(url)
    if not parts.path.rstrip("/").lower().endswith("/d/f"):
        return url, None
    asked = parse_qs(parts.query)
    if "u" not in asked:
        return url, None
    name = asked["n"][0].rsplit(".pdf", 1)[0] if "n" in asked else None
    return asked["u"][0].strip().replace(" ", "%20"), name


def find_guid(text: str) -> str | None:
    """The GUID of a meeting in a link, without hyphens."""
    found = _MEETING.search(text)
    if found:
        return found[2].replace("-", "").lower()
    asked = parse_qs(urlsplit(text).query)
    named = GUID.fullmatch(asked["me"][0]) if "me" in asked else None
    return named[0].replace("-", "").lower() if named else None


def _find_code(url: str) -> str | None:
    asked = parse_qs(urlsplit(url).query)
    if "cc" in asked:
        return asked["cc"][0].upper()
    found = _STORED.search(urlsplit(url).path)
    return found[1].upper() if found else None


def _find_kind(url: str, name: str | None, link: NamedLink) -> PaperKind | None:
    """What a document is: by its name in storage, its column, its own name, or its address."""
    words = f"{name or ''} {link.label}"
    kind: PaperKind | None
    if found := _MEETING.search(url):
        kind = _KINDS.get(found[1].lower(), PaperKind.OTHER)
    else:
        kind = next((kind for word, kind in _KINDS.items() if word in link.column), None)
        if kind is None and re.search("video|audio|media", link.column):
            return None
    asked = {key.lower(): value[0].lower() for key, value in parse_qs(urlsplit(url).query).items()}
    if "adahtmldocument" in url.lower() and kind in {None, PaperKind.AGENDA, PaperKind.PACKET}:
        return PaperKind.PACKET if asked.get("ip") == "true" else PaperKind.AGENDA
    if kind is PaperKind.MINUTES:
        found_kind = find_paper_kind(f"{words} minutes")
        return found_kind if found_kind is PaperKind.DRAFT_MINUTES else kind
    is_document = re.search(r"\.(pdf|docx?|rtf|html?)(\?|$)", url, re.IGNORECASE)
    return kind or (find_paper_kind(words) if is_document else None)
