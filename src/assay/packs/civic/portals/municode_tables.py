"""Tables of Municode meetings: the publish page, and the lists of sites that run Drupal.

Columns are found by their header or their class, never by their place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import parse_qs, parse_qsl, urlencode, urljoin, urlsplit

from assay.packs.civic.portals.listed import ListedMeeting
from assay.packs.civic.portals.municode_links import MeetingLinks, NamedLink, sort_links
from assay.packs.civic.portals.shared import clean, find_status, join_day_and_time, parse_moment
from assay.sdk.records import content_hash
from assay.sdk.sources import Node

DATES: Final = ("%m/%d/%Y", "%m/%d/%y")
_COLUMNS: Final = (
    ("date", r"\b(date|when|fecha|smart-date|calendar-date)\b"),
    ("time", r"\b(time|hora)\b"),
    ("venue", r"\b(venue|location|place|where|lugar)\b"),
    ("packet", r"\bpackets?\b"),
    ("minutes", r"\bminutes\b"),
    ("agenda", r"\bagendas?\b"),
    ("video", r"\b(video|audio|multimedia|media|recording)"),
    ("body", r"\b(board|committee|group|body|department)\b"),
    ("meeting", r"\b(meeting|title|name|event|reuni[oó]n)\b"),
    ("view", r"\b(view|details?|more)\b"),
)
"""What columns are called, the more specific first: a header says `Meeting Date`."""
_LONGEST_HEADER: Final = 30
_LONGEST_EMPTY: Final = 5_000
_EMPTY = re.compile(r"\bno (upcoming |recent |published )?(meetings?|results?|items?)\b", re.I)


@dataclass(frozen=True)
class MunicodeRow:
    """A meeting of a list, with what is needed to ask for its agenda."""

    meeting: ListedMeeting
    links: MeetingLinks
    stamp: str


def read_rows(root: Node, url: str) -> list[MunicodeRow] | None:
    """The meetings of a page; None if it has no table of meetings and does not say so either."""
    rows: dict[str, MunicodeRow] = {}
    has_table = has_dates = False
    for table in root.find_all("table"):
        headers = _read_headers(table)
        columns = {name for name in headers if name}
        has_table = has_table or {"date", "meeting"} <= columns
        for row in table.find_all("tr"):
            cells = _name_cells(row, headers)
            has_dates = has_dates or bool(re.search(r"\d", _read_words(cells, "date") or ""))
            if "date" in cells and (found := _read_row(row, cells, url)):
                # A table inside another is looked at twice.
                rows.setdefault(found.meeting.vendor_id, found)
                has_table = True
    if has_table:
        # Dates that cannot be read are not an empty table.
        return list(rows.values()) if rows or not has_dates else None
    is_list = root.find_first(".view-empty, .views-table, table.mcm") is not None
    words = root.read_text(most=None)
    is_empty = len(words) < _LONGEST_EMPTY and _EMPTY.search(words)
    return [] if is_list or is_empty else None


def _read_headers(table: Node) -> list[str | None]:
    """The columns that the header of a table names, by place; the header may have plain cells."""
    for row in islice(table.find_all("tr"), 5):
        cells = list(row.find_children("th", "td"))
        texts = [cell.read_text() for cell in cells]
        if any(len(text) > _LONGEST_HEADER for text in texts):
            continue
        by_text = [_find_column(text, None) for text in texts]
        is_header = all(cell.tag == "th" for cell in cells) and len(cells) > 1
        if is_header or {"date", "meeting"} <= set(by_text):
            return [_find_column(cell.read_text(), cell.get("class")) for cell in cells]
    return []


def _find_column(header: str | None, classes: str | None) -> str | None:
    for words in (header, _split_classes(classes)):
        for name, pattern in _COLUMNS:
            if words and re.search(pattern, words, re.IGNORECASE):
                return name
    return None


def _split_classes(classes: str | None) -> str:
    """The words in class names such as `views-field-field-calendar-date`."""
    ours = [name for name in (classes or "").split() if name not in {"views-field", "med", "dark"}]
    return " ".join(re.sub(r"^views-field-(field-)?", "", name).replace("-", " ") for name in ours)


def _name_cells(row: Node, headers: Sequence[str | None]) -> dict[str, list[Node]]:
    """The cells of a row by column: as the cell itself says, otherwise by its header."""
    cells = list(row.find_children("td", "th"))
    if not any(cell.tag == "td" for cell in cells):
        return {}
    fits = len(cells) == len(headers)
    named: dict[str, list[Node]] = {}
    for place, cell in enumerate(cells):
        own = _find_column(cell.get("data-th") or cell.get("data-label"), cell.get("class"))
        name = headers[place] if fits and headers[place] and not cell.get("data-th") else own
        # The documents of a column without a name are recognised by their addresses.
        named.setdefault(name or "", []).append(cell)
    return named


def _read_row(row: Node, cells: Mapping[str, Sequence[Node]], url: str) -> MunicodeRow | None:
    starts = _find_start(cells)
    title = _read_words(cells, "meeting") or _read_words(cells, "body")
    if starts is None or title is None:
        return None
    links = sort_links(_find_links(cells), url)
    markup = row.markup
    meeting = ListedMeeting(
        vendor_id=links.guid or content_hash(f"{starts} {title.lower()}".encode())[:16],
        title=title,
        body=_read_words(cells, "body"),
        starts=starts,
        location=_read_words(cells, "venue"),
        status=find_status(
            title, row.get("class"), _read_words(cells, "time"), _read_words(cells, "agenda")
        ),
        papers=links.papers,
        video=links.video,
        page=links.page,
        raw=markup,
    )
    return MunicodeRow(meeting, links, content_hash(markup.encode()))


def _find_start(cells: Mapping[str, Sequence[Node]]) -> str | None:
    clock = _read_words(cells, "time")
    for cell in cells["date"]:
        marked = cell.find_first("[content], time[datetime]")
        stamp = (marked.get("content") or marked.get("datetime")) if marked is not None else None
        words = clean(cell.read_text())
        # A stamp in UTC would be another day in the evening: the words come first.
        moment = parse_moment(words, DATES) or parse_moment(stamp)
        if moment and len(moment) == 10:
            stamped = parse_moment(stamp)
            is_same_day = stamped is not None and stamped[:10] == moment
            moment = stamped if is_same_day and stamped else join_day_and_time(moment, clock)
        if moment:
            return moment
    return None


def _read_words(cells: Mapping[str, Sequence[Node]], name: str) -> str | None:
    return next((words for cell in cells.get(name, ()) if (words := clean(cell.read_text()))), None)


def _find_links(cells: Mapping[str, Sequence[Node]]) -> Iterator[NamedLink]:
    for column, named in cells.items():
        for cell in named:
            for link in cell.find_all("a[href]"):
                image = link.find_first("img")
                label = link.read_text() or (image.get("alt") if image is not None else "") or ""
                is_icon = re.fullmatch(r"(document|multimedia) link", label, re.IGNORECASE)
                yield NamedLink(link.get("href") or "", column, "" if is_icon else label)


def find_next_page(root: Node, url: str) -> str | None:
    """The address of the page that follows, from any kind of pager; None after the last."""
    for link in root.find_all("a[rel~=next], li.pager-next a, li.pager__item--next a, a.next"):
        if href := link.get("href"):
            return urljoin(url, href)
    asked = parse_qs(urlsplit(url).query)
    if "p" not in asked:
        return None
    current, last = int(asked["p"][0]), _find_last_page(root)
    return _set_page(url, max(current, 1) + 1) if max(current, 1) < last else None


def _find_last_page(root: Node) -> int:
    """The highest page that links or a list of pages name."""
    numbers = [0]
    for option in root.find_all("select[id*=page] option"):
        numbers.append(int(value) if (value := option.get("value") or "").isdigit() else 0)
    for link in root.find_all("a[href*='p=']"):
        value = parse_qs(urlsplit(link.get("href") or "").query).get("p", [""])[0]
        numbers.append(int(value) if value.isdigit() else 0)
    return max(numbers)


def _set_page(url: str, number: int) -> str:
    parts = urlsplit(url)
    query = [(key, str(number) if key == "p" else value) for key, value in parse_qsl(parts.query)]
    return parts._replace(query=urlencode(query)).geturl()
