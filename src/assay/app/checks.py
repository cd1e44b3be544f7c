"""Checking a store: what it names is there, what is there is what it was."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.runs import verify_runs
from assay.app.status import status
from assay.engine.liveness import ALIVE, Identity
from assay.errors import CorruptBlob, WorkerRunning
from assay.governor.accounts import disagreements, overdue
from assay.store import audit, schema
from assay.store import tables as t
from assay.store.database import is_sqlite, plain_errors
from assay.store.record_tables import table_of
from assay.store.spending import call

_NAMED_AT_MOST = 20
"""A finding names some of its cases, not a million."""


class Level(StrEnum):
    """How a finding stands."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    name: str
    level: Level
    what: str
    advice: str = ""
    cases: tuple[str, ...] = ()
    """What is at fault, one by one."""


def check_store(app: App) -> Iterator[Finding]:
    """All checks, one after the other; a store of another schema is refused at once."""
    app.require_pack_tables()
    yield Finding("schema", Level.OK, f"{_schema(app)}, current")
    yield _database(app)
    yield _blobs(app)
    yield _named_bytes(app)
    yield _unfinished(app)
    yield _open_jobs(app)
    yield _runs(app)
    yield check_spending(app)
    yield _audit_log(app)


def _schema(app: App) -> str:
    return schema.describe_versions(schema.newest_versions(app.branches))


def require_idle(app: App) -> None:
    """Refuse where a worker listens, for what must not happen under its hands."""
    if is_sqlite(app.engine):
        Identity(app.engine, None).release()
        return
    with plain_errors(), Identity(app.engine, None) as own:
        alive = [w["worker_id"] for w in status(app)["workers"] if w["state"] == ALIVE]
        busy = [name for name in alive if name != own.worker_id and not own.is_free(name)]
    if busy:
        raise WorkerRunning(f"Worker {', '.join(busy)} is running.", advice="Stop it first.")


def _audit_log(app: App) -> Finding:
    """No entry of the audit log was altered, taken out or put in."""
    with plain_errors(), app.engine.connect() as connection:
        found = audit.verify(connection, most_faults=_NAMED_AT_MOST)
    if found.ok:
        return Finding("audit log", Level.OK, f"{found.entries} entries, each follows the last")
    what = f"{len(found.faults)} entries are not what was written"
    return _fault("audit log", what, list(found.faults), "Find out who can write to the database.")


def check_spending(app: App) -> Finding:
    """The meters, by which the caps hold, say what the ledger adds up to."""
    differing = [str(found) for found in disagreements(app.engine)]
    if differing:
        advice = "Restore a backup, or raise the caps until the day is over, and report it."
        return _fault("spending", f"{len(differing)} meters are wrong", differing, advice)
    late = overdue(app.engine, app.clock.now_ms())
    if late:
        what = f"ledger and meters agree; calls of dead workers that are not closed: {len(late)}."
        return Finding(
            "spending", Level.WARN, what, "The next model call closes them by itself.", tuple(late)
        )
    with plain_errors(), app.engine.connect() as connection:
        count = connection.execute(sa.select(sa.func.count()).select_from(call)).scalar()
    return Finding("spending", Level.OK, f"{count} model calls, ledger and meters agree")


def _database(app: App) -> Finding:
    """Whether the database can read all of itself."""
    with plain_errors(), app.engine.connect() as connection:
        if not is_sqlite(connection):
            count = connection.execute(sa.select(sa.func.count()).select_from(t.job)).scalar()
            return Finding("database", Level.OK, f"answers, {count} jobs in its book")
        said = [str(row[0]) for row in connection.execute(sa.text("PRAGMA quick_check(20)"))]
    if said == ["ok"]:
        return Finding("database", Level.OK, "the file is sound")
    return Finding(
        "database",
        Level.FAIL,
        f"the file is damaged ({said[0]}).",
        "Restore it from a backup.",
        tuple(said),
    )


def _blobs(app: App) -> Finding:
    """Every stored file still has the bytes that its name says."""
    count, altered = 0, []
    for name in app.blobs.hashes():
        count += 1
        try:
            app.blobs.get(name)
        except CorruptBlob:
            altered.append(name)
    if not altered:
        return Finding("blobs", Level.OK, f"{count} files, none altered")
    return _fault("blobs", f"{len(altered)} of {count} files altered", altered)


def _named_bytes(app: App) -> Finding:
    """Every hash that a record names has its bytes: of evidence, a text, a release, a result."""
    count, missing = 0, []
    named = [table_of(record).c[name] for record in app.records for name in record.BYTES]
    named.append(t.spending.result.c.result_hash)
    for column in named:
        key = next(iter(column.table.primary_key.columns))
        query = sa.select(key, column).where(column.is_not(None)).order_by(key)
        with plain_errors(), app.engine.connect() as connection:
            for owner, name in connection.execute(query.execution_options(yield_per=1000)):
                count += 1
                if name not in app.blobs:
                    missing.append(f"{owner} ({name})")
    if not missing:
        return Finding("evidence", Level.OK, f"all {count} hashes of evidence and texts have bytes")
    return _fault("evidence", f"{len(missing)} of {count} have lost their bytes", missing)


def _unfinished(app: App) -> Finding:
    """Files that a crash left half written; nothing refers to them."""
    folders = (app.blobs.folder, app.folders.folder)
    count = sum(1 for folder in folders for _ in folder.rglob(".new-*"))
    if count == 0:
        return Finding("unfinished files", Level.OK, "none")
    return Finding(
        "unfinished files",
        Level.WARN,
        f"{count}, left by a crash; harmless.",
        "Delete the '.new-*' files while nothing runs, if you want the room.",
    )


def _open_jobs(app: App) -> Finding:
    """Every open job stands in a batch that the queue knows, or nobody would ever do it."""
    count, lost, given_up = 0, [], 0
    with plain_errors(), app.engine.connect() as connection:
        for job_id, state in app.queues.read_open_job_states(connection, t.job):
            count += 1
            given_up += state == "given up"
            if state == "unknown":
                lost.append(job_id)
    if lost:
        return _fault(
            "open jobs",
            f"{len(lost)} of {count} stand in no queue",
            lost,
            "'assay jobs cancel' and then 'assay jobs retry' queue them again.",
        )
    if given_up:
        what = f"{count}, of which {given_up} in batches that the queue gave up."
        return Finding("open jobs", Level.WARN, what, "The next worker settles them by itself.")
    return Finding("open jobs", Level.OK, f"{count}, all in a queue")


def _runs(app: App) -> Finding:
    verdicts = verify_runs(app)
    faults = [f"{v.run_id}: {fault}" for v in verdicts for fault in v.faults]
    if not faults:
        return Finding("runs", Level.OK, f"{len(verdicts)} folders, all sound")
    return _fault("runs", f"{len(faults)} faults in {len(verdicts)} folders", faults)


def _fault(
    name: str, what: str, cases: list[str], advice: str = "Restore them from a backup."
) -> Finding:
    shown = "; ".join(cases[:_NAMED_AT_MOST]) + ("; …" if len(cases) > _NAMED_AT_MOST else "")
    return Finding(name, Level.FAIL, f"{what}: {shown}.", advice, tuple(cases))
