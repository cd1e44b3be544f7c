"""Files that reference managers export: RIS, read with rispy, and Zotero's CSV."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import rispy

from assay.packs.literature.ids import parse_doi, parse_isbn, parse_pmid
from assay.packs.literature.parsed import (
    ListWindow,
    ReferenceCollector,
    collect_ids,
    find_year,
    make_reference,
)

_RECORD = re.compile(r"^[ \t\ufeff]{0,4}TY {1,3}- ?", re.MULTILINE)
_END = re.compile(r"^[ \t]{0,4}ER {1,3}-.*$", re.MULTILINE)
_TAG = re.compile(r"^[ \t]{0,4}([A-Z][A-Z0-9]) {1,3}-", re.MULTILINE)
_LONGEST_RECORD: Final = 500_000
_LONGEST_FIELD: Final = 1_000_000
_COLUMNS: Final = {
    "title": ("title", "article title", "document title"),
    "authors": ("author", "authors", "author full names", "creators"),
    "year": ("publication year", "year", "date", "published"),
    "venue": (
        "publication title",
        "source title",
        "journal",
        "conference name",
        "proceedings title",
        "venue",
    ),
    "abstract": ("abstract note", "abstract"),
    "doi": ("doi",),
    "isbn": ("isbn",),
    "pmid": ("pmid", "pubmed id"),
    "url": ("url", "link", "pdf url"),
    "extra": ("extra", "archive location", "archive", "number", "arxiv id", "eprint"),
}


def read_ris(
    window: ListWindow, collector: ReferenceCollector, _shared: dict[str, str], before: Any
) -> tuple[int, Any]:
    """Read a piece of a RIS file; each record is read alone, so that a broken one is one note."""
    text = window.text
    starts = [found.start() for found in _RECORD.finditer(text)]
    for start, limit in pairwise([*starts, len(text)]):
        if window.ends_at(start) or (window.is_cut(limit) and start):
            return start, {}
        closed = _END.search(text, start, limit)
        end = closed.end() if closed else start + len(text[start:limit].rstrip())
        if collector.is_full:
            collector.leave_out(1)
        elif end - start > _LONGEST_RECORD:
            collector.note(start, f"A record of {end - start:,} characters is too long to be read.")
        else:
            _add_ris_record(text, start, end, collector)
    if not starts and text.strip() and before is None:
        collector.note(0, "No record begins with 'TY  -', so this is not a RIS file.")
    return (len(text) if window.is_last else window.find_last_line()), {}


def _add_ris_record(text: str, start: int, end: int, collector: ReferenceCollector) -> None:
    record = _TAG.sub(lambda found: f"{found[1]}  -", text[start:end].replace("\r\n", "\n"))
    if not _END.search(record):
        record += "\nER  - "
    try:
        values: dict[str, Any] = next(iter(rispy.loads(record, skip_unknown_tags=False)), {})
    except Exception as error:  # rispy raises several kinds on records that are not RIS
        collector.note(start, f"A record could not be read: {str(error)[:200]}.")
        return
    title = str(
        values.get("title") or values.get("primary_title") or values.get("translated_title") or ""
    )
    linked = (values.get(name) for name in ("urls", "file_attachments1", "file_attachments2"))
    urls = [str(url) for each in linked for url in _as_list(each)]
    others = [
        str(values.get(name) or "")
        for name in ("doi", "notes_abstract", "note", "number", "accession_number")
    ]
    notes = [str(note) for note in _as_list(values.get("notes"))]
    ids, version = collect_ids([*urls, *others[:1], *others[3:], *notes])
    if doi := parse_doi(others[0]):
        ids = {name for name in ids if not name.startswith("doi:")} | {f"doi:{doi}"}
    for each in re.split(r"[,;\s]+(?=97|\d{9})", str(values.get("issn") or "")):
        isbn = parse_isbn(each)
        ids |= {f"isbn:{isbn}"} if isbn else set()
    if not title and not ids:
        collector.note(start, "A record has no title and no id.")
        return
    authors: Any = next(
        (
            values[name]
            for name in ("authors", "first_authors", "secondary_authors")
            if values.get(name)
        ),
        [],
    )
    venue = next(
        (
            values[name]
            for name in (
                "journal_name",
                "secondary_title",
                "alternate_title3",
                "alternate_title2",
                "alternate_title1",
            )
            if values.get(name)
        ),
        "",
    )
    year = next(
        (
            find_year(str(values[name]))
            for name in ("year", "publication_year", "date")
            if values.get(name)
        ),
        None,
    )
    collector.add(
        make_reference(
            ids=ids,
            version=version,
            urls=urls,
            title=title,
            authors=[str(author) for author in _as_list(authors)],
            year=year,
            venue=str(venue),
            abstract=str(values.get("abstract") or values.get("notes_abstract") or ""),
            start=start,
            end=end,
        )
    )


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def read_csv(
    window: ListWindow, collector: ReferenceCollector, _shared: dict[str, str], before: Any
) -> tuple[int | None, Any]:
    """Read a piece of Zotero's CSV export, or of a table with columns of the same names."""
    delimiter = before["delimiter"] if before else _find_delimiter(window.text)
    columns: dict[str, list[int]] | None = before["columns"] if before else None
    for cells, start, end in _iter_rows(window.text, delimiter, collector):
        if window.is_cut(end):
            if not start:
                collector.note(0, f"A row of {end:,} characters is too long to be read.")
            return start or end, {"delimiter": delimiter, "columns": columns}
        if columns is None:
            columns = _name_columns(cells)
            if "title" not in columns and "doi" not in columns:
                message = "The first row names no column 'Title' or 'DOI', so nothing was read."
                collector.note(0, message)
                return None, None
        elif window.ends_at(start):
            return start, {"delimiter": delimiter, "columns": columns}
        elif any(cell.strip() for cell in cells):
            _add_row(cells, columns, start, end, collector)
    return len(window.text), {"delimiter": delimiter, "columns": columns}


def _iter_rows(
    text: str, delimiter: str, collector: ReferenceCollector
) -> Iterator[tuple[list[str], int, int]]:
    """The rows with their places; a quoted cell may go over several lines."""
    csv.field_size_limit(_LONGEST_FIELD)
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        start = lines.place
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            collector.note(start, f"A row could not be read ({error}).")
            continue
        yield cells, start, lines.place


def _find_delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


class _Lines:
    """The lines of a text, and the place after the last one given out."""

    def __init__(self, text: str) -> None:
        self.place = 0
        self._lines = io.StringIO(text, newline="")

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._lines.readline()
        if not line:
            raise StopIteration
        self.place += len(line)
        return line.replace("\0", "")


def _name_columns(header: list[str]) -> dict[str, list[int]]:
    names = [cell.strip().strip("\ufeff").lower() for cell in header]
    found: dict[str, list[int]] = {}
    for field, known in _COLUMNS.items():
        places = [names.index(name) for name in known if name in names]
        if places:
            found[field] = places
    return found


def _add_row(
    cells: list[str],
    columns: dict[str, list[int]],
    start: int,
    end: int,
    collector: ReferenceCollector,
) -> None:
    def pick(field: str) -> str:
        places = columns.get(field, [])
        return next((cells[i] for i in places if i < len(cells) and cells[i].strip()), "")

    extra = [cells[i] for i in columns.get("extra", []) if i < len(cells)]
    ids, version = collect_ids([*extra, pick("url"), pick("doi")])
    if doi := parse_doi(pick("doi")):
        ids = {name for name in ids if not name.startswith("doi:")} | {f"doi:{doi}"}
    for each in pick("isbn").split():
        isbn = parse_isbn(each)
        ids |= {f"isbn:{isbn}"} if isbn else set()
    if pmid := parse_pmid(pick("pmid")):
        ids.add(f"pmid:{pmid}")
    title = pick("title")
    if not title and not ids:
        collector.note(start, "A row has no title and no id.")
        return
    collector.add(
        make_reference(
            ids=ids,
            version=version,
            urls=[pick("url")] if pick("url") else [],
            title=title,
            authors=[name for name in pick("authors").split(";") if name.strip()],
            year=find_year(pick("year")),
            venue=pick("venue"),
            abstract=pick("abstract"),
            start=start,
            end=end,
        )
    )
