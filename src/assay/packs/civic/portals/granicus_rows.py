"""The rows of a Granicus view, whatever its theme: tables, lists or boxes.

A row is the innermost element with a date and a link to a viewer; rows without a link are
recognised because they are built like those that have one.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from assay.packs.civic.portals.listed import MeetingPaper, MeetingStatus, PaperKind
from assay.packs.civic.portals.pages import (
    PageLink,
    add_clock,
    drop_when,
    find_links,
    has_words,
    read_when,
)
from assay.packs.civic.portals.shared import clean, find_paper_kind, find_status
from assay.sdk.sources import Node

AGENDA_VIEWER = re.compile(r"/(Generated)?AgendaViewer\.php\?", re.IGNORECASE)
"""The address of an agenda, which may lead to a page, to a PDF or to another site."""

_ROWS = (
    "tr, li, article, div.row, div[class*=listing], div[class*=meeting], div[class*=Meeting], "
    "div[class*=event], div[class*=Event], div[class*=clip], div[class*=card]"
)
_LISTS = ".listingTable, #upcoming, #archive, .archive, .upcoming, #archives, #upcomingEvents"
_PANELS = ".CollapsiblePanel, .panel, .accordion-item, .tab-pane, section, fieldset, details"
_HEADINGS = (
    ".CollapsiblePanelTab, .panel-heading, .panel-title, .accordion-header, legend, summary, "
    "h1, h2, h3, h4, h5"
)
_NAMES = "[class*=committee], [class*=name], [class*=title], h1, h2, h3, h4, h5, h6, strong, b"
_LONGEST_ROW = 2_000

_VIEWER = re.compile(
    r"/(Generated)?(Agenda|Minutes|Meta|Document)Viewer\.php|/MediaPlayer\.php|/player/(clip|event)/",
    re.IGNORECASE,
)
_MEETING_ID = re.compile(r"(?:\b(event|clip)_id=|/player/(clip|event)/)(\d+)", re.IGNORECASE)
_MINUTES = re.compile(r"/MinutesViewer\.php", re.IGNORECASE)
_PLAYER = re.compile(r"/MediaPlayer\.php|/player/(clip|event)/", re.IGNORECASE)
_VIDEO = re.compile(
    r"/ASX\.php|/V?Podcast|/DownloadFile|\.(mp4|mp3|wmv|m4v|m3u8|vtt)\b|youtu\.?be|vimeo|swagit",
    re.IGNORECASE,
)
_NO_PAPER = re.compile(
    r"/(ViewPublisher|ViewSearchResults|ViewPublisherRSS|VPodcast)\w*\.php|\.ics\b|zoom\.us|"
    r"addthis|facebook|twitter|maps\.|google\.com/calendar",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"(?<!\d)(1\d{9})(?!\d)")
_RUNNING = re.compile(r"\bin progress\b", re.IGNORECASE)
_LABELS = re.compile(
    r"(?:\b(?:html|pdf|view|online|download|draft|final|approved|live|full|meeting|event|the|of|"
    r"agendas?|packets?|minutes|videos?|audio|mp[34]|links?|documents?|materials?|not|available|"
    r"in|progress|listen|watch|play|duration|notice|summary|action|annotated|transcript|captions?|"
    r"details?|select|choose|one|more|stream|archived?|\d+h|\d+m)\b|[\s\d\W])*",
    re.IGNORECASE,
)
_VAGUE_HEADING = re.compile(
    r"(?:\b(?:upcoming|recent|past|previous|archived?|archives|available|current|live|in|progress|"
    r"search|all|events?|meetings?|videos?|agendas?|minutes|and|view|list|public|city|of|town|"
    r"county|today|this|next|last|week|month|year)\b|[\s\d\W])*",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\b(no|any|0) (upcoming |archived |recent |scheduled |current )?"
    r"(events?|meetings?|clips?|videos?|archives|records)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GranicusRow:
    """What one row says about a meeting."""

    title: str
    starts: str
    """Empty, if its date cannot be read."""
    body: str | None
    location: str | None
    status: MeetingStatus
    ids: frozenset[tuple[str, str]]
    """`("event", "12")` or `("clip", "345")`."""
    papers: tuple[MeetingPaper, ...]
    video: str | None
    raw: str

    @property
    def is_archived(self) -> bool:
        return any(kind == "clip" for kind, _ in self.ids)


def is_listing(root: Node) -> bool:
    """Whether a page without rows is nevertheless a view, which lists nothing at present."""
    return root.find_first(_LISTS) is not None or _EMPTY.search(root.read_text()) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class GranicusView:
    """What a view lists."""

    rows: tuple[GranicusRow, ...]
    """The rows of the window."""
    undated: tuple[GranicusRow, ...]
    """The rows whose date cannot be read."""
    count: int
    """All rows, also those outside of the window."""
    strays: tuple[str, ...]
    """The links to meetings that belong to none of the rows."""


def read_view(
    root: Node, base: str, timezone: str, *, first: str, last: str, today: str | None
) -> GranicusView:
    """The rows of a view, from the day `first` to the day `last`."""
    found = _find_rows(root, base)
    known = {each for row in found for each in _find_ids(row.links)}
    strays = [
        link.url
        for link in find_links(root, base)
        if _VIEWER.search(link.url) and (ids := _find_ids([link])) and not ids & known
    ]
    # Views list all years; reading every row of them would be too much work.
    near = [row.node for row in found if _is_between(row.starts, first, last)]
    headings = _find_headings(root, near)
    rows = [_read_row(node, headings.get(node), base, today, timezone) for node in near]
    return GranicusView(
        rows=tuple(row for row in rows if row.starts and first <= row.starts[:10] <= last),
        undated=tuple(row for row in rows if not row.starts),
        count=len(found),
        strays=tuple(strays),
    )


def _is_between(starts: str | None, first: str, last: str) -> bool:
    return starts is None or first <= starts[:10] <= last


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An element that may be a row."""

    node: Node
    starts: str | None
    links: list[PageLink]


def _find_rows(root: Node, base: str) -> list[_Candidate]:
    possible = [
        _Candidate(node, starts, find_links(node, base))
        for node in root.find_all(_ROWS)
        if (node.tag != "tr" or any(node.find_children("td")))
        and len(text := node.read_text()) <= _LONGEST_ROW
        and ((starts := read_when(text[:300])) or _EPOCH.search(text) or _RUNNING.search(text))
    ]
    linked = [row.node for row in possible if any(_VIEWER.search(url) for _, url in row.links)]
    shapes = {_find_shape(node) for node in linked}
    listed = {node for part in root.find_all(_LISTS) for node in part.find_all(_ROWS)}
    chosen = {
        row.node
        for row in possible
        if _find_shape(row.node) in shapes
        or (row.node in listed and (row.node.tag == "tr" or not shapes))
    }
    return [
        row
        for row in possible
        if row.node in chosen and not any(inner in chosen for inner in row.node.find_all(_ROWS)[1:])
    ]


def _find_shape(node: Node) -> tuple[str, str]:
    """How an element is built: `even` and `odd` rows are the same."""
    classes = {*(node.get("class") or "").lower().split()} - {"even", "odd", "alt", "first", "last"}
    return node.tag, " ".join(sorted(classes))


def _find_headings(root: Node, rows: Sequence[Node]) -> dict[Node, str]:
    """The heading of the panel that each row is in, such as the name of a committee."""
    wanted = set(rows)
    inside = {node for row in rows for node in row.find_all(_HEADINGS)}
    headings: dict[Node, str] = {}
    for panel in root.find_all(_PANELS):
        heading = next((node for node in panel.find_all(_HEADINGS) if node not in inside), None)
        text = "" if heading is None else (clean(heading.read_text()) or "").strip("* :")
        if text and _VAGUE_HEADING.fullmatch(text) is None:
            headings |= {node: text for node in panel.find_all(_ROWS) if node in wanted}
    return headings


def _read_row(
    node: Node, heading: str | None, base: str, today: str | None, timezone: str
) -> GranicusRow:
    text = node.read_text()
    cells = [cell for cell in node.find_children("td", "th") if cell.get("hidden") is None]
    when = _find_when(cells, text, timezone)
    title = _find_title(cells, node, when, base) or heading or "Meeting"
    starts = when.starts or (today if today and _RUNNING.search(text) else "") or ""
    links = find_links(node, base)
    return GranicusRow(
        title=title,
        starts=add_clock(starts, *_find_clocks(cells), title) if starts else "",
        body=heading or _find_body(node),
        location=_find_location(cells),
        status=find_status(text),
        ids=_find_ids(links),
        papers=_find_papers(node, cells, base),
        video=_find_video(links),
        raw=node.markup,
    )


@dataclass(frozen=True, slots=True)
class _When:
    """A row's date, and the cell that contains it."""

    starts: str | None
    cell: Node | None = None


def _find_when(cells: Sequence[Node], text: str, timezone: str) -> _When:
    """The date from the cell that contains little else."""
    dated = [
        (len(drop_when(words)), index, starts)
        for index, cell in enumerate(cells)
        if (starts := read_when(words := cell.read_text()))
    ]
    if dated:
        _, index, starts = min(dated)
        return _When(starts, cells[index])
    return _When(read_when(text) or _read_epoch(text, timezone))


def _read_epoch(text: str, timezone: str) -> str | None:
    """The day of a hidden timestamp, where nothing else says it; its time is often midnight."""
    found = _EPOCH.search(text)
    if found is None:
        return None
    moment = datetime.fromtimestamp(int(found[1]), UTC).astimezone(ZoneInfo(timezone))
    return moment.date().isoformat()


def _find_title(cells: Sequence[Node], node: Node, when: _When, base: str) -> str | None:
    named = [cell for cell in cells if _is_name_cell(cell)]
    others = [cell for cell in cells if cell not in named and cell != when.cell]
    candidates = [*named, *others] if cells else node.find_all(_NAMES)
    for candidate in candidates:
        words = clean(candidate.read_text())
        if words is None or not has_words(words) or _LABELS.fullmatch(words):
            continue
        if cells or has_words(drop_when(words)):
            return words
    rest = when.cell or node
    words = drop_when(rest.read_text())
    for link in find_links(rest, base):
        words = words.replace(link.name, " ")
    words = " ".join(words.split()).strip(" -–|,:")
    return words if has_words(words) and _LABELS.fullmatch(words) is None else None


def _is_name_cell(cell: Node) -> bool:
    said = f"{cell.get('headers') or ''} {cell.get('class') or ''} {cell.get('data-label') or ''}"
    return (
        cell.get("scope") == "row" or re.match(r"\s*(name|event ?name)\b", said, re.I) is not None
    )


def _find_clocks(cells: Sequence[Node]) -> list[str]:
    """The texts of cells that contain a time of day and nothing else."""
    texts = [cell.read_text() for cell in cells]
    return [text for text in texts if text and not has_words(drop_when(text))]


def _find_body(node: Node) -> str | None:
    named = node.find_first("[class*=committee], [class*=body-name]")
    if named is None:
        return None
    words = re.sub(r"\([^)]*\)", " ", drop_when(named.read_text()))
    return clean(words.strip(" -–"))


def _find_location(cells: Sequence[Node]) -> str | None:
    said = [cell for cell in cells if re.match(r"location", cell.get("headers") or "", re.I)]
    return clean(said[0].read_text()) if said else None


def _find_ids(links: Iterable[PageLink]) -> frozenset[tuple[str, str]]:
    return frozenset(
        ((found[1] or found[2]).lower(), found[3])
        for link in links
        if (found := _MEETING_ID.search(link.url))
    )


def _find_video(links: Sequence[PageLink]) -> str | None:
    players = [link.url for link in links if _PLAYER.search(link.url)]
    videos = [link.url for link in links if _VIDEO.search(link.url)]
    return next(iter(players or videos), None)


def _find_papers(node: Node, cells: Sequence[Node], base: str) -> tuple[MeetingPaper, ...]:
    papers: dict[str, MeetingPaper] = {}
    for part in cells or [node]:
        column = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", (part.get("headers") or "").partition(" ")[0])
        for link in find_links(part, base):
            if not any(words.search(link.url) for words in (_PLAYER, _VIDEO, _NO_PAPER)):
                papers.setdefault(link.url, _read_paper(link, column))
    return tuple(papers.values())


def _read_paper(link: PageLink, column: str) -> MeetingPaper:
    kind = find_paper_kind(link.name)
    if AGENDA_VIEWER.search(link.url):
        kind = PaperKind.AGENDA
    elif _MINUTES.search(link.url) and kind is not PaperKind.DRAFT_MINUTES:
        kind = PaperKind.MINUTES
    elif kind is PaperKind.OTHER:
        kind = find_paper_kind(column)
    return MeetingPaper(kind=kind, url=link.url, name=link.name)
