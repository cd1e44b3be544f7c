"""The audit log: a chain of entries in which each carries the hash of the one before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.model.audit import GENESIS, AuditNote, chained
from assay.store.bulk import insert, insert_rows
from assay.store.database import begin_writing
from assay.store.truth import audit_head, audit_log

_LOG = "log"
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Head:
    """Where the log ends."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class Audited:
    """What checking the log found."""

    entries: int
    head: str
    faults: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.faults


def append(
    connection: sa.Connection, notes: Sequence[AuditNote], now_ms: int, *, run_id: str = ""
) -> int:
    """Write notes at the end of the log, in this transaction; gives how many were new.

    Whoever appends holds the end of the log until he commits: two cannot have the same place.
    """
    if not notes:
        return 0
    begin_writing(connection)
    head = _held(connection)
    known = _known(connection, [note.audit_id(0) for note in notes if note.once])
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
            "body": dict(note.body),
            "run_id": run_id,
            "at_ms": now_ms,
        }
        hashed = chained(previous, seq, row)
        rows.append({**row, "seq": seq, "previous_hash": previous, "hash": hashed})
        previous = hashed
    if rows:
        insert_rows(connection, audit_log, rows)
        connection.execute(
            sa.update(audit_head).where(audit_head.c.name == _LOG).values(seq=seq, hash=previous)
        )
    return len(rows)


def head(connection: sa.Connection) -> Head:
    """Where the log ends now."""
    query = sa.select(audit_head.c.seq, audit_head.c.hash).where(audit_head.c.name == _LOG)
    row = connection.execute(query).first()
    return Head(0, GENESIS) if row is None else Head(int(row.seq), row.hash)


def entries(connection: sa.Connection, subject: str | None = None) -> Iterator[dict[str, Any]]:
    """The log in its order; of one subject only, where it is named."""
    query = sa.select(audit_log).order_by(audit_log.c.seq)
    if subject is not None:
        query = query.where(audit_log.c.subject == subject)
    for row in connection.execute(query.execution_options(yield_per=1000)).mappings():
        yield dict(row)


def verify(connection: sa.Connection, *, most_faults: int = 20) -> Audited:
    """Recompute the whole chain. Every altered, missing or foreign row is named."""
    faults: list[str] = []
    seq, previous = 0, GENESIS
    for row in entries(connection):
        seq += 1
        if row["seq"] != seq:
            faults.append(f"entry {seq} is missing: after {seq - 1} comes {row['seq']}")
            seq = int(row["seq"])
        if row["previous_hash"] != previous:
            faults.append(f"entry {seq} does not follow the one before it")
        if chained(row["previous_hash"], seq, row) != row["hash"]:
            faults.append(f"entry {seq} was altered: {row['action']} of {row['subject']}")
        previous = row["hash"]
        if len(faults) >= most_faults:
            break
    else:
        faults += _at_the_end(head(connection), seq, previous)
    return Audited(seq, previous, tuple(faults))


def _at_the_end(kept: Head, seq: int, previous: str) -> list[str]:
    if kept.seq != seq:
        return [f"the log ends at entry {seq}, and must end at {kept.seq}"]
    if kept.hash != previous:
        return [f"the last entry, {seq}, is not the one that was written last"]
    return []


def _held(connection: sa.Connection) -> Head:
    """The end of the log, which nobody else can move before this transaction has ended."""
    first = insert(connection.dialect.name, audit_head).values(name=_LOG, seq=0, hash=GENESIS)
    connection.execute(first.on_conflict_do_nothing(index_elements=["name"]))
    query = sa.select(audit_head.c.seq, audit_head.c.hash).where(audit_head.c.name == _LOG)
    row = connection.execute(query.with_for_update()).one()
    return Head(int(row.seq), row.hash)


def _known(connection: sa.Connection, audit_ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(audit_ids), _CHUNK):
        some = audit_log.c.audit_id.in_(audit_ids[start : start + _CHUNK])
        found.update(connection.execute(sa.select(audit_log.c.audit_id).where(some)).scalars())
    return found
