"""Hashes of the rows that must never change, covered by entries of the audit log.

The transaction that writes such rows also stores the hash of each, and appends one entry to the
audit log with a digest over these hashes. Whoever alters a row would have to alter its hash, the
entry, and every later entry.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from assay.errors.faults import Fault, FaultKind
from assay.model.audit import AuditNote
from assay.model.hashes import canonical_json, content_hash
from assay.model.storage import Record, Storage, storage_of
from assay.store import audit
from assay.store.bulk import CHUNK, insert_rows
from assay.store.database import collate_bytewise
from assay.store.record_tables import table_of
from assay.store.truth import audit_log, row_hash

ROWS_HASHED = "rows_hashed"
"""The action of the entries that cover rows."""
_ACTOR = "store"
_FETCHED = 1000


@dataclass(frozen=True, slots=True, order=True)
class HashedRow:
    """A row, named by its table and its key, and its hash."""

    table_name: str
    row_key: str
    hash: str


@dataclass
class RowCheck:
    """The result of comparing rows with the audit log."""

    rows: int = 0
    entries: int = 0
    """Entries of the audit log that cover rows."""
    baseline_rows: int = 0
    """Rows from before rows were hashed: nothing is known of what happened to them until then."""
    baseline_ms: int | None = None
    """When these were hashed."""
    faults: list[Fault] = field(default_factory=list)


def hash_row(table: str, values: Mapping[str, Any]) -> str:
    """The hash of a row over some of its columns.

    Empty values do not count: a column that is added later is empty in earlier rows, and their
    hashes must stay.
    """
    filled = {name: value for name, value in values.items() if value}
    return content_hash(canonical_json({"table": table, "row": filled}))


def record_row_hashes(connection: sa.Connection, records: Iterable[Record], now_ms: int) -> int:
    """Hash the records that are new, in the transaction that wrote them; return how many were.

    Call it late: like every entry of the audit log, this one makes other writers wait.
    """
    new = _select_new(connection, _hash_records(records))
    if new:
        append_row_hashes(connection, new, now_ms)
    return len(new)


def append_row_hashes(
    connection: sa.Connection, rows: Sequence[HashedRow], now_ms: int, *, baseline: bool = False
) -> None:
    """Store hashes, and one entry of the audit log that covers them.

    A `baseline` covers rows that were stored before: from now on, changes are noticed.
    """
    ordered = sorted(rows)
    body: dict[str, Any] = {"rows": len(ordered), "digest": compute_digest(ordered)}
    if baseline:
        body["baseline"] = True
    note = AuditNote(
        action=ROWS_HASHED,
        subject_kind="rows",
        subject=body["digest"],
        actor=_ACTOR,
        body=body,
        once=False,
    )
    audit.append_notes(connection, [note], now_ms)
    seq = audit.read_head(connection).seq
    insert_rows(
        connection,
        row_hash,
        [
            {"table_name": row.table_name, "row_key": row.row_key, "hash": row.hash, "seq": seq}
            for row in ordered
        ],
    )


def compute_digest(rows: Iterable[HashedRow]) -> str:
    """A hash over the hashes of rows, which must be sorted."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row.table_name}\x1f{row.row_key}\x1f{row.hash}\n".encode())
    return digest.hexdigest()


def verify_rows(
    connection: sa.Connection, records: Iterable[type[Record]], *, most_faults: int = 20
) -> RowCheck:
    """Compare every hashed row with its hash, and every hash with the audit log.

    Each table is read once, as a stream. The chain itself is checked by `audit.verify_chain`.
    """
    check = RowCheck()
    hashed = sorted((r for r in records if storage_of(r).hashed), key=lambda r: storage_of(r).table)
    for fault in _find_faults(connection, hashed, check):
        check.faults.append(fault)
        if len(check.faults) >= most_faults:
            break
    return check


def _find_faults(
    connection: sa.Connection, records: Sequence[type[Record]], check: RowCheck
) -> Iterator[Fault]:
    yield from _find_entry_faults(connection, check)
    for record in records:
        yield from _find_row_faults(connection, record, check)
        yield from _find_removed_rows(connection, record)


def _find_entry_faults(connection: sa.Connection, check: RowCheck) -> Iterator[Fault]:
    """Compare the stored hashes with the entries that cover them, both in the order of the log."""
    hashes = _read_digests(connection)
    held = next(hashes, None)
    for seq, body, at_ms in _read_covering_entries(connection):
        check.entries += 1
        while held is not None and held[0] < seq:
            yield _make_stray_fault(held)
            held = next(hashes, None)
        digest, count = "", 0
        if held is not None and held[0] == seq:
            _, digest, count = held
            held = next(hashes, None)
        if body.get("baseline"):
            check.baseline_rows += count
            check.baseline_ms = at_ms
        if (body.get("digest"), body.get("rows")) != (digest, count):
            yield FaultKind.ROW_HASHES_ALTERED.report(
                f"the hashes of rows that entry {seq} covers are not those that were written"
            )
    while held is not None:
        yield _make_stray_fault(held)
        held = next(hashes, None)


def _make_stray_fault(held: tuple[int, str, int]) -> Fault:
    seq, _, count = held
    return FaultKind.ROW_HASHES_ALTERED.report(
        f"{count} hashes of rows name entry {seq} of the audit log, which does not cover rows"
    )


def _read_digests(connection: sa.Connection) -> Iterator[tuple[int, str, int]]:
    """The number of each entry that hashes name, with their digest and how many there are."""
    order = [
        collate_bytewise(connection.dialect.name, row_hash.c[n]) for n in ("table_name", "row_key")
    ]
    query = sa.select(row_hash).order_by(row_hash.c.seq, *order)
    rows = connection.execute(query.execution_options(yield_per=_FETCHED))
    for seq, of_entry in groupby(rows, key=attrgetter("seq")):
        count = 0

        def count_rows(entry: Iterable[Any] = of_entry) -> Iterator[HashedRow]:
            nonlocal count
            for row in entry:
                count += 1
                yield HashedRow(row.table_name, row.row_key, row.hash)

        digest = compute_digest(count_rows())
        yield seq, digest, count


def _read_covering_entries(
    connection: sa.Connection,
) -> Iterator[tuple[int, Mapping[str, Any], int]]:
    query = (
        sa.select(audit_log.c.seq, sa.cast(audit_log.c.body, sa.Text), audit_log.c.at_ms)
        .where(audit_log.c.action == ROWS_HASHED)
        .order_by(audit_log.c.seq)
    )
    for seq, text, at_ms in connection.execute(query.execution_options(yield_per=_FETCHED)):
        body = _parse_json(text)
        yield seq, body if isinstance(body, dict) else {}, at_ms


def _find_row_faults(
    connection: sa.Connection, record: type[Record], check: RowCheck
) -> Iterator[Fault]:
    storage, table = storage_of(record), table_of(record)
    key = table.c[_name_key(record)]
    of_row = sa.and_(row_hash.c.table_name == table.name, row_hash.c.row_key == key)
    query = (
        sa.select(*_select_raw(table, storage), row_hash.c.hash.label("_hash"))
        .select_from(table.outerjoin(row_hash, of_row))
        .order_by(collate_bytewise(connection.dialect.name, key))
    )
    for row in connection.execute(query.execution_options(yield_per=_FETCHED)).mappings():
        check.rows += 1
        name = f"{table.name} {row[key.name]}"
        if row["_hash"] is None:
            yield FaultKind.ROW_ADDED.report(f"{name} was not written by Assay: it has no hash")
        elif hash_stored_row(record, dict(row)) != row["_hash"]:
            yield FaultKind.ROW_ALTERED.report(f"{name} was altered")


def _find_removed_rows(connection: sa.Connection, record: type[Record]) -> Iterator[Fault]:
    table = table_of(record)
    key = table.c[_name_key(record)]
    query = (
        sa.select(row_hash.c.row_key)
        .select_from(row_hash.outerjoin(table, row_hash.c.row_key == key))
        .where(row_hash.c.table_name == table.name, key.is_(None))
        .order_by(collate_bytewise(connection.dialect.name, row_hash.c.row_key))
    )
    for row in connection.execute(query.execution_options(yield_per=_FETCHED)):
        yield FaultKind.ROW_REMOVED.report(f"{table.name} {row.row_key} is gone")


def _name_key(record: type[Record]) -> str:
    """The column that names the rows of a record: hashes cannot name one by several columns."""
    (name,) = storage_of(record).key
    return name


def _select_raw(table: sa.Table, storage: Storage) -> list[sa.ColumnElement[Any]]:
    """The hashed columns and the key, unconverted: a forged value may not be convertible."""
    return [
        sa.cast(table.c[name], sa.Text).label(name)
        if isinstance(table.c[name].type, sa.JSON)
        else sa.type_coerce(table.c[name], sa.types.NULLTYPE).label(name)
        for name in storage.hashed_columns
    ]


def hash_stored_row(record: type[Record], row: Mapping[str, Any]) -> str:
    """The hash of a row as `_select_raw` reads it; empty if it cannot have been written so."""
    table, storage = table_of(record), storage_of(record)
    values: dict[str, Any] = {}
    for name in storage.hashed_columns:
        kind = table.c[name].type
        if isinstance(kind, sa.JSON) and row[name] is not None:
            values[name] = _parse_json(row[name])
        elif isinstance(kind, sa.Boolean) and row[name] in (0, 1):
            # SQLite has no booleans.
            values[name] = bool(row[name])
        else:
            values[name] = row[name]
    try:
        return hash_row(table.name, values)
    except (TypeError, ValueError):
        return ""


def _parse_json(text: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return text


def _hash_records(records: Iterable[Record]) -> list[HashedRow]:
    """Of several records with the same key, the first is stored."""
    found: dict[tuple[str, str], HashedRow] = {}
    for record in records:
        storage = storage_of(type(record))
        if not storage.hashed:
            continue
        row = record.row()
        key = str(row[_name_key(type(record))])
        if (storage.table, key) not in found:
            hashed = hash_row(storage.table, {name: row[name] for name in storage.hashed_columns})
            found[storage.table, key] = HashedRow(storage.table, key, hashed)
    return list(found.values())


def _select_new(connection: sa.Connection, rows: Sequence[HashedRow]) -> list[HashedRow]:
    """The rows without a hash; those that have one were stored earlier and have not changed."""
    known: set[tuple[str, str]] = set()
    keys: dict[str, list[str]] = {}
    for row in rows:
        keys.setdefault(row.table_name, []).append(row.row_key)
    for table, of_table in keys.items():
        for start in range(0, len(of_table), CHUNK):
            some = row_hash.c.row_key.in_(of_table[start : start + CHUNK])
            query = sa.select(row_hash.c.row_key).where(row_hash.c.table_name == table, some)
            known.update((table, key) for key in connection.execute(query).scalars())
    return [row for row in rows if (row.table_name, row.row_key) not in known]
