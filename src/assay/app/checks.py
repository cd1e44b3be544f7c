"""Checks a store: everything it refers to exists, and nothing stored was altered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.runs import verify_runs
from assay.app.status import collect_status
from assay.clock import utc_stamp
from assay.engine.liveness import ALIVE, WorkerIdentity
from assay.errors import CorruptBlob, WorkerRunning
from assay.errors.faults import Fault, FaultKind
from assay.governor.accounts import find_meter_mismatches, find_overdue_calls
from assay.store import audit, schema
from assay.store import tables as t
from assay.store.counts import count_rows
from assay.store.database import explain_errors, is_sqlite
from assay.store.guard_check import find_guard_faults
from assay.store.record_tables import CORE_RECORDS, table_of
from assay.store.row_hashes import verify_rows
from assay.store.spending import call

_MAX_NAMED = 20
"""A finding names some of its cases, not a million."""


class FindingLevel(StrEnum):
    """How serious a finding is."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


OK, WARN, FAIL = FindingLevel


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    name: str
    level: FindingLevel
    what: str
    advice: str = ""
    cases: tuple[str, ...] = ()
    """The faulty items, one by one."""
    codes: tuple[str, ...] = ()
    """The kinds of fault, each once."""


def check_store(app: App) -> Iterator[Finding]:
    """Run all checks, one after the other; a store with another schema is refused immediately."""
    app.require_pack_tables()
    versions = schema.describe_versions(schema.find_newest_versions(app.branches))
    yield Finding("schema", OK, f"{versions}, current")
    yield _check_database(app)
    yield _check_guards(app)
    yield _check_blobs(app)
    yield _check_named_bytes(app)
    yield _check_unfinished_files(app)
    yield _check_open_jobs(app)
    yield _check_runs(app)
    yield check_spending(app)
    yield _check_audit_log(app)
    yield _check_hashed_rows(app)


def require_idle(app: App) -> None:
    """Refuse if a worker is running, before something that must not happen while it works."""
    if is_sqlite(app.engine):
        WorkerIdentity(app.engine, None).release()
        return
    with explain_errors(), WorkerIdentity(app.engine, None) as own:
        alive = [w["worker_id"] for w in collect_status(app)["workers"] if w["state"] == ALIVE]
        busy = [name for name in alive if name != own.worker_id and not own.is_free(name)]
    if busy:
        raise WorkerRunning(f"Worker {', '.join(busy)} is running.", advice="Stop it first.")


def _check_audit_log(app: App) -> Finding:
    """Check that no entry of the audit log was altered, removed or inserted."""
    with explain_errors(), app.engine.connect() as connection:
        found = audit.verify_chain(connection, most_faults=_MAX_NAMED)
    if found.ok:
        return Finding("audit log", OK, f"{found.entries} entries, the chain is intact")
    what = f"{len(found.faults)} entries differ from what was written{_hint_at_more(found.faults)}"
    return _make_coded_fault("audit log", what, found.faults)


def _hint_at_more(faults: Sequence[Fault]) -> str:
    """Where the other faults are, if not all of them were looked for."""
    is_cut = len(faults) >= _MAX_NAMED
    return " (there may be more: 'assay audit verify --json' lists all)" if is_cut else ""


def _check_guards(app: App) -> Finding:
    """Check that the database refuses what the tables say that it refuses."""
    tables = t.list_tables(app.records)
    with explain_errors(), app.engine.connect() as connection:
        faults = list(find_guard_faults(connection, tables))
    if not faults:
        return Finding("guards", OK, f"{len(tables)} tables, all as declared")
    return _make_coded_fault("guards", f"{len(faults)} differ from what is declared", faults)


def _check_hashed_rows(app: App) -> Finding:
    """Check that facts, rules, pointers and decisions are those that the audit log covers."""
    with explain_errors(), app.engine.connect() as connection:
        found = verify_rows(connection, CORE_RECORDS, most_faults=_MAX_NAMED)
    if found.faults:
        what = f"rows differ from what the audit log covers{_hint_at_more(found.faults)}"
        return _make_coded_fault("hashed rows", what, found.faults)
    what = f"{found.rows} facts, rules, pointers and decisions match the audit log"
    if found.baseline_ms is not None:
        what += (
            f"; {found.baseline_rows} of them are older than {utc_stamp(found.baseline_ms)}, "
            "and nothing is known of what happened to them before"
        )
    return Finding("hashed rows", OK, what)


def check_spending(app: App) -> Finding:
    """Check that the meters, which enforce the caps, match the sums of the ledger."""
    differing = [str(found) for found in find_meter_mismatches(app.engine)]
    if differing:
        advice = "Restore a backup, or raise the caps until the day ends, and report it."
        return _make_fault("spending", f"{len(differing)} meters are wrong", differing, advice)
    late = find_overdue_calls(app.engine, app.clock.now_ms())
    if late:
        what = f"ledger and meters agree; unclosed calls of dead workers: {len(late)}."
        return Finding(
            "spending", WARN, what, "The next model call closes them automatically.", tuple(late)
        )
    with explain_errors(), app.engine.connect() as connection:
        count = count_rows(connection, call)
    return Finding("spending", OK, f"{count} model calls, ledger and meters agree")


def _check_database(app: App) -> Finding:
    """Check that the database can read all its data."""
    with explain_errors(), app.engine.connect() as connection:
        if not is_sqlite(connection):
            count = count_rows(connection, t.job)
            return Finding("database", OK, f"responds, {count} jobs recorded")
        report = [str(row[0]) for row in connection.execute(sa.text("PRAGMA quick_check(20)"))]
    if report == ["ok"]:
        return Finding("database", OK, "the file is intact")
    return Finding(
        "database",
        FAIL,
        f"the file is damaged ({report[0]}).",
        "Restore it from a backup.",
        tuple(report),
    )


def _check_blobs(app: App) -> Finding:
    """Check that the bytes of every stored file still match its name, which is their hash."""
    count, altered = 0, []
    for name in app.blobs.hashes():
        count += 1
        try:
            app.blobs.get(name)
        except CorruptBlob:
            altered.append(name)
    if not altered:
        return Finding("blobs", OK, f"{count} files, none altered")
    made = _make_fault("blobs", f"{len(altered)} of {count} files altered", altered)
    return replace(made, codes=(FaultKind.BYTES_ALTERED.code,))


def _check_named_bytes(app: App) -> Finding:
    """Check that the bytes exist for every hash in a record: evidence, text, release, result."""
    count, missing = 0, []
    named = [table_of(record).c[name] for record in app.records for name in record.BYTES]
    named.append(t.spending.result.c.result_hash)
    for column in named:
        key = next(iter(column.table.primary_key.columns))
        query = sa.select(key, column).where(column.is_not(None)).order_by(key)
        with explain_errors(), app.engine.connect() as connection:
            for owner, name in connection.execute(query.execution_options(yield_per=1000)):
                count += 1
                if name not in app.blobs:
                    missing.append(f"{owner} ({name})")
    if not missing:
        return Finding("evidence", OK, f"all {count} hashes of evidence and texts have bytes")
    what = f"the bytes of {len(missing)} of {count} are missing"
    return replace(_make_fault("evidence", what, missing), codes=(FaultKind.BYTES_ALTERED.code,))


def _check_unfinished_files(app: App) -> Finding:
    """Count the files that a crash left half written; nothing refers to them."""
    folders = (app.blobs.folder, app.folders.folder)
    count = sum(1 for folder in folders for _ in folder.rglob(".new-*"))
    if count == 0:
        return Finding("unfinished files", OK, "none")
    return Finding(
        "unfinished files",
        WARN,
        f"{count}, left by a crash; harmless.",
        "Delete the '.new-*' files while nothing is running, if you need the space.",
    )


def _check_open_jobs(app: App) -> Finding:
    """Check that every open job is in a batch that the queue knows, or it would never run."""
    count, lost, given_up = 0, [], 0
    with explain_errors(), app.engine.connect() as connection:
        for job_id, state in app.queues.read_open_job_states(connection, t.job):
            count += 1
            given_up += state == "given up"
            if state == "unknown":
                lost.append(job_id)
    if lost:
        return _make_fault(
            "open jobs",
            f"{len(lost)} of {count} are not in a queue",
            lost,
            "'assay jobs cancel' and then 'assay jobs retry' queue them again.",
        )
    if given_up:
        what = f"{count}, of which {given_up} are in batches that the queue gave up on."
        return Finding("open jobs", WARN, what, "The next worker settles them automatically.")
    return Finding("open jobs", OK, f"{count}, all in a queue")


def _check_runs(app: App) -> Finding:
    verdicts = verify_runs(app)
    faults = [f"{v.run_id}: {fault}" for v in verdicts for fault in v.faults]
    if not faults:
        return Finding("runs", OK, f"{len(verdicts)} folders, all intact")
    return _make_fault("runs", f"{len(faults)} faults in {len(verdicts)} folders", faults)


def _make_coded_fault(name: str, what: str, faults: Sequence[Fault]) -> Finding:
    """A finding with the codes of its faults, and the advice of the first."""
    codes = tuple(sorted({fault.code for fault in faults}))
    made = _make_fault(name, what, list(faults), faults[0].kind.advice)
    return replace(made, codes=codes)


def _make_fault(
    name: str, what: str, cases: list[str], advice: str = "Restore them from a backup."
) -> Finding:
    shown = "; ".join(cases[:_MAX_NAMED]) + ("; …" if len(cases) > _MAX_NAMED else "")
    return Finding(name, FAIL, f"{what}: {shown}.", advice, tuple(cases))
