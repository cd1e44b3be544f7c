"""Exports of the stored tables: JSON lines, CSV for spreadsheets, and Parquet."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from assay.packs.civic.dossiers import choose_meetings, split_meetings
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    CivicMotion,
    CivicSummary,
    CivicVote,
    CouncilMember,
    Matter,
    Meeting,
    Paper,
)
from assay.sdk.extras import needs_extra
from assay.sdk.files import format_csv_cell
from assay.sdk.records import Record, canonical_json
from assay.sdk.services import Services

TABLES: Final[dict[str, type[Record]]] = {
    "meetings": Meeting,
    "items": AgendaItem,
    "appearances": Appearance,
    "papers": Paper,
    "motions": CivicMotion,
    "summaries": CivicSummary,
    "votes": CivicVote,
    "matters": Matter,
    "members": CouncilMember,
}
"""The files, and what each contains."""
_OF_MEETING: Final = ("items", "appearances", "papers", "motions", "summaries")
Rows = Iterator[Sequence[dict[str, Any]]]


class TableReader:
    """Reads the tables of the chosen meetings, a part at a time, always in the same order."""

    def __init__(self, services: Services, city: str | None, since: str | None) -> None:
        self._services = services
        self.meetings = choose_meetings(services, city, since)

    def read(self, name: str) -> Rows:
        """The rows of one table."""
        records: type[Record] = TABLES[name]
        for chunk in split_meetings(self.meetings):
            ids = {meeting.meeting_id for meeting in chunk}
            if name == "meetings":
                yield [meeting.row() for meeting in chunk]
            elif name in _OF_MEETING:
                yield self._read_rows(records, meeting_id=ids)
            elif name == "votes":
                yield self._read_rows(records, item_id=self._list_ids(AgendaItem, "item_id", ids))
        if name == "matters":
            found: set[str] = set()
            for chunk in split_meetings(self.meetings):
                ids = {meeting.meeting_id for meeting in chunk}
                found |= self._list_ids(Appearance, "matter_id", ids)
            yield self._read_rows(records, matter_id=found)
        elif name == "members":
            yield self._read_rows(records, banana={m.banana for m in self.meetings})

    def _list_ids(self, record: type[Record], field: str, meetings: Iterable[str]) -> set[str]:
        found = self._services.read_records(record, meeting_id=meetings)
        return {getattr(row, field) for row in found}

    def _read_rows(self, record: type[Record], **where: Any) -> list[dict[str, Any]]:
        return [row.row() for row in self._services.read_records(record, **where)]


def write_tables(reader: TableReader, suffix: str, folder: Path) -> dict[str, int]:
    """Write one file for each table; returns the number of rows of each."""
    write = _WRITERS[suffix]
    counts = {}
    for name, record in TABLES.items():
        counts[name] = write(folder / f"{name}.{suffix}", record, reader.read(name))
    return counts


def _write_json_lines(path: Path, record: type[Record], parts: Rows) -> int:
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        for rows in parts:
            for row in rows:
                file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
                count += 1
    return count


def _write_csv(path: Path, record: type[Record], parts: Rows) -> int:
    """A file in UTF-8 whose cells no spreadsheet takes for formulas; lists are JSON."""
    columns, count = _list_columns(record), 0
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(columns)
        for rows in parts:
            for row in rows:
                writer.writerow([format_csv_cell(_flatten(row[name])) for name in columns])
                count += 1
    return count


def _write_parquet(path: Path, record: type[Record], parts: Rows) -> int:
    """A file with typed columns; lists and objects are JSON."""
    # Imported when needed: no other command should wait for it.
    with needs_extra("parquet", "An export to Parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    assert record.storage is not None
    types = {"whole number": pa.int64(), "real number": pa.float64(), "flag": pa.bool_()}
    schema = pa.schema(
        [
            pa.field(each.name, types.get(each.kind, pa.string()), nullable=each.nullable)
            for each in record.storage.fields
        ]
    )
    count = 0
    with pq.ParquetWriter(path, schema, compression="snappy", version="2.6") as writer:
        for rows in parts:
            flat = [{name: _flatten(value) for name, value in row.items()} for row in rows]
            if flat:
                writer.write_table(pa.Table.from_pylist(flat, schema))
                count += len(flat)
    return count


def _list_columns(record: type[Record]) -> tuple[str, ...]:
    assert record.storage is not None
    return record.storage.columns


def _flatten(value: Any) -> Any:
    return canonical_json(value).decode() if isinstance(value, list | dict) else value


_WRITERS: Final[dict[str, Callable[[Path, type[Record], Rows], int]]] = {
    "jsonl": _write_json_lines,
    "csv": _write_csv,
    "parquet": _write_parquet,
}
