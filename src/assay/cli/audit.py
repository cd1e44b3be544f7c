"""`assay audit`: reads the audit log and checks that nobody altered it."""

import json
import sys
from typing import Annotated

import typer

from assay.app.abbreviations import IdKind, expand_id
from assay.cli.exit_codes import ExitCode
from assay.cli.jobs import Limit
from assay.cli.rendering import Columns, describe_fault, report_list
from assay.cli.session import AsJson, session_of
from assay.errors.faults import FaultKind
from assay.store import audit as audit_store
from assay.store.database import explain_errors
from assay.store.record_tables import CORE_RECORDS
from assay.store.row_hashes import verify_rows

audit = typer.Typer(no_args_is_help=True, help="Read and check the audit log.")
_MOST_FAULTS = 20
"""Faults of each kind that are named for a person."""
_EMPTY = "The audit log is empty."


@audit.command()
def verify(
    ctx: typer.Context,
    known: Annotated[
        str | None,
        typer.Option("--known", help="A hash the log once ended with, recorded elsewhere."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Recompute the whole chain, and compare facts, rules, pointers and decisions with it.

    Exit code 5: something was altered, is missing, or was not written by Assay.

    Someone who can write everything can also write a new chain. Only a hash recorded elsewhere, in
    a release or given with --known, reveals that.
    """
    session = session_of(ctx, as_json)
    with (
        session.working("Checking the audit log"),
        session.app() as app,
        explain_errors(),
        app.engine.connect() as connection,
    ):
        most = sys.maxsize if session.json else _MOST_FAULTS
        found = audit_store.verify_chain(connection, most_faults=most)
        rows = verify_rows(connection, CORE_RECORDS, most_faults=most)
        faults = [*found.faults, *rows.faults]
        if known is not None and not audit_store.has_entry(connection, known):
            what = f"no entry has the hash {known}: this is a different log"
            faults.append(FaultKind.LOG_HASH_UNKNOWN.report(what))
    for fault in faults:
        session.say(describe_fault(fault))
    if max(len(found.faults), len(rows.faults)) >= _MOST_FAULTS:
        session.say("There may be more; --json lists all of them.")
    if not faults and not found.entries:
        session.say(f"ok    {_EMPTY}")
    elif not faults:
        count = "1 entry" if found.entries == 1 else f"{found.entries} entries"
        session.say(f"ok    {count}, the chain is intact; it ends with {found.head}.")
    session.print_json(
        {
            "ok": not faults,
            "entries": found.entries,
            "head": found.head,
            "rows": rows.rows,
            "faults": faults,
            "codes": [fault.code for fault in faults],
        }
    )
    if faults:
        raise typer.Exit(ExitCode.FAULTS)


@audit.command("list")
def list_(
    ctx: typer.Context,
    subject: Annotated[
        str | None, typer.Option("--subject", help="Only about this rule, conflict or release.")
    ] = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List the last entries of the log, oldest first."""
    session = session_of(ctx, as_json)
    with session.app() as app, explain_errors(), app.engine.connect() as connection:
        subject = subject and expand_id(app, subject, IdKind.RULE, IdKind.CONFLICT, IdKind.RELEASE)
        last = session.choose_limit(limit)
        found = list(audit_store.read_entries(connection, subject, last=last))
        left_out = audit_store.count_entries(connection, subject) - len(found)
    columns: Columns = {
        "entry": "seq",
        "when": "at_ms",
        "what": "action",
        "about": lambda entry: f"{entry['subject_kind']} {entry['subject']}",
        "who": "actor",
        "more": lambda entry: json.dumps(entry["body"], ensure_ascii=False, sort_keys=True),
    }
    empty = "No entries match." if subject else _EMPTY
    report_list(session, found, columns, empty, left_out=left_out)
