"""`assay audit`: reads the audit log and checks that nobody altered it."""

import json
from typing import Annotated

import typer

from assay.cli.exit_codes import ExitCode
from assay.cli.jobs import Limit
from assay.cli.rendering import Columns, report_list
from assay.cli.session import AsJson, session_of
from assay.store import audit as audit_store
from assay.store.database import explain_errors

audit = typer.Typer(no_args_is_help=True, help="Read and check the audit log.")
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
    """Recompute the whole chain and name every altered or missing entry. Exit code 5: any found.

    Someone who can write everything can also write a new chain. Only a hash recorded elsewhere, in
    a release or given with --known, reveals that.
    """
    session = session_of(ctx, as_json)
    with session.app() as app, explain_errors(), app.engine.connect() as connection:
        found = audit_store.verify_chain(connection)
        faults = list(found.faults)
        if known is not None and not audit_store.has_entry(connection, known):
            faults.append(f"no entry has the hash {known}: this is a different log")
    for fault in faults:
        session.say(f"fail  {fault}.")
    if not faults and not found.entries:
        session.say(f"ok    {_EMPTY}")
    elif not faults:
        count = "1 entry" if found.entries == 1 else f"{found.entries} entries"
        session.say(f"ok    {count}, the chain is intact; it ends with {found.head}.")
    session.print_json(
        {"ok": not faults, "entries": found.entries, "head": found.head, "faults": faults}
    )
    if faults:
        raise typer.Exit(ExitCode.FAULTS)


@audit.command("list")
def list_(
    ctx: typer.Context,
    subject: Annotated[
        str | None, typer.Option("--subject", help="Only about this rule, conflict or release.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the last entries of the log, oldest first."""
    session = session_of(ctx, as_json)
    with session.app() as app, explain_errors(), app.engine.connect() as connection:
        found = list(audit_store.read_entries(connection, subject, last=limit))
    columns: Columns = {
        "entry": "seq",
        "when": "at_ms",
        "what": "action",
        "about": lambda entry: f"{entry['subject_kind']} {entry['subject']}",
        "who": "actor",
        "more": lambda entry: json.dumps(entry["body"], ensure_ascii=False, sort_keys=True),
    }
    report_list(session, found, columns, "No entries match." if subject else _EMPTY)
