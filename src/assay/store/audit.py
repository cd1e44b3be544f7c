"""The audit log: a chain of entries, each of which carries the hash of the one before."""

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.errors.faults import Fault, FaultKind
from assay.model.audit import GENESIS, AuditNote, compute_entry_hash
from assay.model.hashes import canonical_json
from assay.store.bulk import build_insert, insert_rows
from assay.store.counts import count_rows
from assay.store.database import begin_writing
from assay.store.truth import audit_head, audit_log

_LOG_NAME = "log"
_HEAD = sa.select(audit_head.c.seq, audit_head.c.hash).where(audit_head.c.name == _LOG_NAME)
# As text, because a database that does not check may hold a body that is not JSON.
_COLUMNS = [
    sa.cast(column, sa.Text).label("body") if column.name == "body" else column
    for column in audit_log.columns
]
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class AuditHead:
    """Where the log ends."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """The result of checking the log."""

    entries: int
    head: str
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        return not self.faults


def append_notes(
    connection: sa.Connection, notes: Sequence[AuditNote], now_ms: int, *, run_id: str = ""
) -> int:
    """Append notes to the log in this transaction; return how many were new.

    The writer locks the end of the log until the commit, so two notes cannot get the same place.
    """
    if not notes:
        return 0
    begin_writing(connection)
    head = _lock_head(connection)
    known = _find_known_ids(connection, [note.audit_id(0) for note in notes if note.once])
    rows: list[dict[str, Any]] = []
    seq, previous = head.seq, head.hash
    for note in notes:
        audit_id = note.audit_id(seq + 1)
        if audit_id in known:
            continue
        known.add(audit_id)
        seq += 1
        row = {
            "audit_id": audit_id,
            "action": note.action,
            "subject_kind": note.subject_kind,
            "subject": note.subject,
            "actor": note.actor,
            # As it will be read back, because it must always give the same hash as now.
            "body": json.loads(canonical_json(dict(note.body))),
            "run_id": run_id,
            "at_ms": now_ms,
        }
        hashed = compute_entry_hash(previous, seq, row)
        rows.append({**row, "seq": seq, "previous_hash": previous, "hash": hashed})
        previous = hashed
    if rows:
        insert_rows(connection, audit_log, rows)
        connection.execute(
            sa.update(audit_head)
            .where(audit_head.c.name == _LOG_NAME)
            .values(seq=seq, hash=previous)
        )
    return len(rows)


def read_head(connection: sa.Connection) -> AuditHead:
    """Where the log ends now."""
    row = connection.execute(_HEAD).first()
    return AuditHead(0, GENESIS) if row is None else AuditHead(int(row.seq), row.hash)


def read_entries(
    connection: sa.Connection, subject: str | None = None, *, last: int | None = None
) -> Generator[dict[str, Any], None, None]:
    """The log in order: all of it or only one subject, and of that only the `last` few entries."""
    query = sa.select(*_COLUMNS).order_by(audit_log.c.seq)
    if subject is not None:
        query = query.where(audit_log.c.subject == subject)
    if last is not None:
        of_subject = sa.true() if subject is None else audit_log.c.subject == subject
        newest = sa.select(audit_log.c.seq).where(of_subject).order_by(audit_log.c.seq.desc())
        query = query.where(audit_log.c.seq.in_(newest.limit(last)))
    # Closed when the reader stops early, because the server keeps a cursor open for it.
    with connection.execute(query.execution_options(yield_per=1000)) as found:
        for row in found.mappings():
            yield {**row, "body": _read_body(row["body"])}


def count_entries(connection: sa.Connection, subject: str | None = None) -> int:
    """How many entries the log has, or has about one subject."""
    where = () if subject is None else (audit_log.c.subject == subject,)
    return count_rows(connection, audit_log, *where)


def _read_body(text: str) -> Any:
    """Parse a body. A corrupted one is shown as it is, so that the log can still be read."""
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return text


def has_entry(connection: sa.Connection, hash_of_entry: str) -> bool:
    """Whether the log has an entry with that hash; the hash of the empty log always counts."""
    query = sa.select(audit_log.c.seq).where(audit_log.c.hash == hash_of_entry)
    return hash_of_entry == GENESIS or connection.execute(query).first() is not None


def verify_chain(connection: sa.Connection, *, most_faults: int = 20) -> AuditCheck:
    """Recompute the whole chain and report every altered, missing or foreign row."""
    faults: list[Fault] = []
    seq, count, previous = 0, 0, GENESIS
    rows = read_entries(connection)
    for row in rows:
        count += 1
        if not isinstance(row["seq"], int):
            what = f"an entry with the number {row['seq']!r} does not belong to the log"
            faults.append(FaultKind.LOG_ENTRY_FOREIGN.report(what))
            continue
        if row["seq"] != seq + 1:
            faults.append(_describe_gap(seq, row["seq"]))
        seq = row["seq"]
        if row["previous_hash"] != previous:
            what = f"entry {seq} does not follow the one before it"
            faults.append(FaultKind.LOG_ENTRY_ALTERED.report(what))
        if not _matches_hash(row):
            what = f"entry {seq} was altered: {row['action']} of {row['subject']}"
            faults.append(FaultKind.LOG_ENTRY_ALTERED.report(what))
        previous = row["hash"]
        if len(faults) >= most_faults:
            break
    else:
        faults += _find_end_faults(read_head(connection), seq, previous)
    rows.close()
    return AuditCheck(count, previous, tuple(faults))


def _describe_gap(before: int, seq: int) -> Fault:
    if seq <= before:
        return FaultKind.LOG_ENTRY_FOREIGN.report(f"entry {seq} does not belong to the log")
    missing = (
        f"entry {before + 1} is" if seq == before + 2 else f"entries {before + 1} to {seq - 1} are"
    )
    return FaultKind.LOG_ENTRY_MISSING.report(f"{missing} missing")


def _matches_hash(row: Mapping[str, Any]) -> bool:
    try:
        return bool(row["hash"] == compute_entry_hash(row["previous_hash"], row["seq"], row))
    except (TypeError, ValueError):
        # SQLite stores whatever it is given, even bytes in a text column.
        return False


def _find_end_faults(head: AuditHead, seq: int, previous: str) -> list[Fault]:
    if head.seq != seq:
        what = f"the log ends at entry {seq} instead of {head.seq}"
        return [FaultKind.LOG_END_MOVED.report(what)]
    if head.hash != previous:
        what = f"the last entry, {seq}, is not the one that was written last"
        return [FaultKind.LOG_END_MOVED.report(what)]
    return []


def _lock_head(connection: sa.Connection) -> AuditHead:
    """The end of the log, locked until this transaction ends."""
    first = build_insert(connection.dialect.name, audit_head).values(
        name=_LOG_NAME, seq=0, hash=GENESIS
    )
    connection.execute(first.on_conflict_do_nothing(index_elements=["name"]))
    row = connection.execute(_HEAD.with_for_update()).one()
    return AuditHead(int(row.seq), row.hash)


def _find_known_ids(connection: sa.Connection, audit_ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(audit_ids), _CHUNK):
        some = audit_log.c.audit_id.in_(audit_ids[start : start + _CHUNK])
        found.update(connection.execute(sa.select(audit_log.c.audit_id).where(some)).scalars())
    return found
