"""What all vendors share: a tenant's settings, times as clerks write them, and items to store."""

import html
import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any, Final, Literal
from urllib.parse import quote, urljoin, urlsplit

from pydantic import Field

from assay.packs.civic.filters import find_fetch_filter, find_meeting_filter
from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedAgendaItem,
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
    PaperKind,
    VoteValue,
    hash_entry,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.records import canonical_json, content_hash
from assay.sdk.sources import Node, PortalItem, TenantSettings, make_entry_url, parse_date

ENTRIES: Final = "civic_sync"
"""The stage that receives meetings and agendas."""

_CLOCK = re.compile(r"(?<!\d)(\d{1,2})(?:[:.](\d{2}))?\s*([ap])\.?\s*m\b", re.IGNORECASE)
_CLOCK_24 = re.compile(r"(?<!\d)([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
_NOON = re.compile(r"\b(12(:00)?\s*)?(noon|midday)\b", re.IGNORECASE)
_CANCELLED = re.compile(r"\bcancel+(ed|led|ation)?\b|\bno meeting\b|\brecess(ed)?\b", re.IGNORECASE)
_POSTPONED = re.compile(r"\b(postponed|rescheduled|deferred to)\b", re.IGNORECASE)
_DRAFT = re.compile(r"\b(draft|unapproved|unofficial|preliminary)\b", re.IGNORECASE)
_LINE_END = re.compile(r"<(br|/?(p|div|li|ul|ol|dl|dd|dt|tr|td|th|h[1-6]))\b[^>]*>", re.I)
_MARK = re.compile(r"<!--.*?-->|<[^>]*>")
_REFUSAL = re.compile(
    r"\b(page|file|record|document) (was |could )?not (be )?found\b|\b404\b"
    r"|\b(server|runtime) error\b|\baccess denied\b|\bforbidden\b|\b(sign|log) ?in\b"
    r"|\berror (has )?occurred\b",
    re.IGNORECASE,
)
_PAPERS: Final = (
    (PaperKind.MINUTES, re.compile(r"\b(minutes|action summary|summary of actions?)\b", re.I)),
    (PaperKind.PACKET, re.compile(r"\b(packets?|full agenda|agenda package|board book)\b", re.I)),
    (PaperKind.AGENDA, re.compile(r"\bagendas?\b|\bnotice of meeting\b", re.I)),
)


class CivicTenant(TenantSettings):
    """One city at a vendor."""

    site: str
    """The vendor's name for the city, such as `paloalto`, or the whole address of its site."""
    timezone: str = "America/New_York"
    days_back: int = Field(default=30, ge=0, le=3650)
    days_ahead: int = Field(default=60, ge=0, le=730)
    revisit: Literal["listed", "always"] = "listed"
    """When to ask for a document again: when the listing says that it changed, or at every sync
    (a conditional request, which notices documents that are replaced in place)."""

    @property
    def base(self) -> str:
        """The address of the site, without a final slash."""
        raise NotImplementedError

    def find_base(self, pattern: str) -> str:
        """The address of the site without a final slash; `pattern` contains `{site}`."""
        if "://" in self.site:
            return self.site.rstrip("/")
        return pattern.format(site=quote(self.site.strip().lower(), safe="-."))

    def find_window(self, today: date) -> tuple[date, date]:
        """The first and the last day of the meetings to look at."""
        return today - timedelta(days=self.days_back), today + timedelta(days=self.days_ahead)


def clean(text: object) -> str | None:
    """Text with single spaces, without non-breaking ones; None for nothing and placeholders."""
    if text is None:
        return None
    words = " ".join(str(text).replace("\u00a0", " ").replace("\u200b", "").split())
    return None if words.lower() in {"", "not available", "n/a", "none", "null"} else words


def join_day_and_time(day: str, clock: str | None) -> str:
    """A local moment from an ISO date and a time such as `6:30 PM`; the date alone without one."""
    time = parse_clock(clock)
    return day[:10] if time is None else f"{day[:10]}T{time}"


def parse_clock(text: str | None) -> str | None:
    """The first time of day in a text, as `18:30`; None if there is none."""
    if not text:
        return None
    if found := _CLOCK.search(text):
        hour, minute, half = int(found[1]), int(found[2] or 0), found[3].lower()
        if not (1 <= hour <= 12 and minute < 60):
            return None
        return f"{hour % 12 + (12 if half == 'p' else 0):02d}:{minute:02d}"
    if _NOON.search(text):
        return "12:00"
    if found := _CLOCK_24.search(text):
        return f"{int(found[1]):02d}:{found[2]}"
    return None


def parse_moment(text: str | None, formats: Sequence[str] = ()) -> str | None:
    """The local date in a text, with its time if it has one; a zone is ignored, because vendors
    mark local times as UTC."""
    day = parse_date(text, formats)
    if day is None or len(day) < 10:
        return None
    clock = day[11:16]
    if clock and clock != "00:00":
        return f"{day[:10]}T{clock}"
    return join_day_and_time(day, text)


def find_status(*texts: str | None) -> MeetingStatus:
    """Whether a meeting takes place, according to its title and remarks."""
    words = " ".join(text for text in texts if text)
    if _POSTPONED.search(words):
        return MeetingStatus.POSTPONED
    return MeetingStatus.CANCELLED if _CANCELLED.search(words) else MeetingStatus.SCHEDULED


def find_paper_kind(name: str) -> PaperKind:
    """What a document is, according to its name."""
    for kind, words in _PAPERS:
        if words.search(name):
            if kind is PaperKind.MINUTES and _DRAFT.search(name):
                return PaperKind.DRAFT_MINUTES
            return kind
    return PaperKind.OTHER


def absolute_url(base: str, link: str) -> str:
    """An address from a link that may be relative or lack its scheme; spaces are escaped."""
    return urljoin(base, link.strip().replace(" ", "%20"))


def build_meeting_items(
    tenant: CivicTenant, base: str, meetings: Iterable[ListedMeeting]
) -> list[PortalItem]:
    """The items of these meetings: each meeting itself, and its documents."""
    items: list[PortalItem] = []
    seen: set[str] = set()
    for meeting in meetings:
        # The same meeting may be listed as recent and as archived.
        if meeting.vendor_id in seen:
            continue
        seen.add(meeting.vendor_id)
        url = make_entry_url(base, "meeting", meeting.vendor_id)
        items.append(_make_entry(url, meeting.title, meeting.starts[:10], meeting))
        if find_meeting_filter(meeting.title) is not None:
            continue
        papers = _choose_papers(meeting.papers, meeting.items)
        items += [_make_paper(tenant, paper, url, meeting.starts[:10]) for paper in papers]
    return items


def build_agenda_items(
    tenant: CivicTenant, base: str, agenda: ListedAgenda, held: str
) -> list[PortalItem]:
    """The items of an agenda that came separately; `held` is the day of its meeting."""
    meeting = make_entry_url(base, "meeting", agenda.meeting)
    part = () if agenda.part is None else (agenda.part,)
    url = make_entry_url(base, "agenda", agenda.meeting, *part)
    papers = _choose_papers(agenda.papers, agenda.items)
    return [
        _make_entry(url, "Agenda", held[:10], agenda, parent=meeting),
        *(_make_paper(tenant, paper, meeting, held[:10]) for paper in papers),
    ]


def refuse_garbage(data: Any, expected: type, url: str, what: str) -> Any:
    """The parsed response, if it has the expected form; an error is never an empty list."""
    if not isinstance(data, expected):
        raise ContentBroken(
            f"{url} answered with something that is not {what}.",
            advice="The vendor may have changed its site, or the site's name may be wrong.",
        )
    return data


def is_http(url: str | None) -> bool:
    """Whether a link leads to a page or a document."""
    return url is not None and urlsplit(url).scheme in {"http", "https"}


def _choose_papers(
    papers: Iterable[MeetingPaper], items: Iterable[ListedAgendaItem]
) -> list[MeetingPaper]:
    """The documents worth fetching: not the packet if its parts are known, nothing procedural."""
    known = list(papers)
    attached = [
        paper
        for item in items
        if find_fetch_filter(item.title) is None
        for paper in item.attachments
    ]
    if attached or any(paper.kind is PaperKind.AGENDA for paper in known):
        known = [paper for paper in known if paper.kind is not PaperKind.PACKET]
    chosen = {paper.url: paper for paper in (*known, *attached) if is_http(paper.url)}
    return list(chosen.values())


def _make_entry(
    url: str, title: str, day: str, entry: ListedMeeting | ListedAgenda, parent: str | None = None
) -> PortalItem:
    return PortalItem(
        url=url,
        content=canonical_json(entry.model_dump(mode="json", exclude_defaults=False)),
        title=title,
        published=day,
        changed=hash_entry(entry),
        parent=parent,
    )


def _make_paper(tenant: CivicTenant, paper: MeetingPaper, meeting: str, day: str) -> PortalItem:
    changed = None if tenant.revisit == "always" else paper.changed or "listed"
    return PortalItem(
        url=paper.url, title=paper.name, published=day, changed=changed, parent=meeting
    )


_HIDDEN = re.compile(r"<!--.*?-->|<(script|style|template|noscript)\b.*?</\1\s*>", re.I | re.S)
_BLOCK = re.compile(
    r"</?(p|div|li|ul|ol|tr|td|th|table|h[1-6]|section|header|blockquote)\b[^<>]*>", re.I
)
_BREAK = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_NUMBERED = re.compile(
    r"(\d{1,3}(?:\.\w{1,3})*[A-Za-z]?|[A-Z]{1,2}\d{1,3}|[IVX]{2,6})[.)]\s+(\S.*)", re.DOTALL
)
_VOTES: Final = (
    (VoteValue.ABSENT, re.compile(r"\b(absent|excused|not present|absence)", re.I)),
    (VoteValue.ABSTAIN, re.compile(r"\babst|\brecus|\bconflict|\bpresent.? not voting", re.I)),
    (VoteValue.NO, re.compile(r"\b(no|nays?|noes|against|oppos\w*|contre|dissent\w*)\b", re.I)),
    (VoteValue.YES, re.compile(r"\b(yes|yeas?|ayes?|for|in favou?r|pour|affirmative)\b", re.I)),
    (VoteValue.PRESENT, re.compile(r"\bpresent\b", re.I)),
)


def read_lines(markup: str) -> list[str]:
    """The paragraphs of a piece of HTML; words that inline elements split are joined again."""
    text = _BREAK.sub(" ", _BLOCK.sub("\n", " ".join(_HIDDEN.sub(" ", markup).split())))
    lines = (clean(html.unescape(line)) for line in _TAG.sub("", text).split("\n"))
    return [line for line in lines if line]


def read_words(source: str | Node | None) -> str | None:
    """The words of an element or a piece of HTML on one line; None if there are none."""
    if source is None:
        return None
    return clean(" ".join(read_lines(source if isinstance(source, str) else source.markup)))


def drop_midnight(starts: str | None) -> str | None:
    """A moment as it is meant: midnight is what systems write when no time is known."""
    return starts and starts.removesuffix("T00:00")


def tidy_number(text: str | None) -> str | None:
    """The number of an agenda item without the punctuation around it: `4.B` for `(4.B.)`."""
    return clean((clean(text) or "").strip(" .():"))


def split_number(text: str) -> tuple[str | None, str]:
    """A number in front of a title, and the title: `("4.1", "Fees")` for `4.1. Fees`.

    A letter is not read as a number, because it may be an initial.
    """
    found = _NUMBERED.fullmatch(text)
    return (found[1], found[2]) if found else (None, text)


def has_consent(*headings: str | None) -> bool:
    """Whether one of the headings above an item is that of the consent calendar."""
    return any(heading and "consent" in heading.lower() for heading in headings)


def find_vote(words: str | None) -> VoteValue | None:
    """How a member voted, from the vendor's word for it."""
    return next((vote for vote, known in _VOTES if known.search(words or "")), None)


def hash_row(*parts: object) -> str:
    """A stamp for what a listing says about a meeting: it changes when that changes."""
    return content_hash(canonical_json(parts))


def broken_page_error(url: str, what: str) -> ContentBroken:
    """An error for a page that has none of the parts of what should have arrived."""
    return ContentBroken(
        f"{url} answered with a page that is not {what}.",
        advice="Open the address in a browser: it may ask for a login, or the site has moved.",
    )


def find_refusal(root: Node) -> bool:
    """Whether a page asks for a password or reports an error instead of showing content."""
    if root.find_first("input[type=password]") is not None:
        return True
    heads = root.find_all("title, h1, h2")
    return any(_REFUSAL.search(head.read_text()) for head in heads[:5])


def make_paper_name(kind: PaperKind) -> str:
    """A name for a document that the vendor shows only as an icon."""
    return kind.value.replace("_", " ").capitalize()


def split_lines(markup: str) -> list[str]:
    """The lines of a piece of HTML as a reader sees them: paragraphs, cells, and line breaks."""
    marked = _LINE_END.sub("\n", " ".join(markup.split()))
    lines = (clean(html.unescape(line)) for line in _MARK.sub("", marked).split("\n"))
    return [line for line in lines if line]


def make_unique(wanted: str, seen: set[str]) -> str:
    """An id that is not among those seen, such as `4-2` for the second `4`; it is added to them."""
    unique, count = wanted, 1
    while unique in seen:
        count += 1
        unique = f"{wanted}-{count}"
    seen.add(unique)
    return unique
