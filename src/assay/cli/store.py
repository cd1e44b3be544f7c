"""`assay store`: migrates, checks and dumps the store and, with --yes, empties it."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import sqlalchemy as sa
import typer

from assay.app import App
from assay.app.checks import FAIL, check_store, require_idle
from assay.cli.exit_codes import ExitCode
from assay.cli.home import describe_migration, migration_as_json
from assay.cli.rendering import findings_as_json, render_findings
from assay.cli.session import AsJson, open_app, session_of
from assay.display import escape_controls
from assay.errors import ConfirmationMissing
from assay.store.database import explain_errors, is_sqlite
from assay.store.dump import dump_all, dump_canonical
from assay.store.snapshots import replace_snapshot

store = typer.Typer(no_args_is_help=True, help="Migrate, check, dump or reset the store.")


@store.command()
def migrate(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Bring the store up to date; safe to repeat."""
    session = session_of(ctx, as_json)
    with session.working("Updating the store"), session.app(migrated=False) as app:
        before, after = app.migrate()
    session.say(describe_migration(before, after))
    session.print_json(migration_as_json(before, after))


@store.command()
def check(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Check the store against its files, hashes and queues. Exit code 5: faults found."""
    session = session_of(ctx, as_json)
    findings = []
    with session.working("Checking the store"), session.app() as app:
        for finding in check_store(app):
            session.say(render_findings(session, [finding]))
            findings.append(finding)
    values = findings_as_json(findings)
    for value, finding in zip(values, findings, strict=True):
        value["cases"] = list(finding.cases)
        value["codes"] = list(finding.codes)
    session.print_json(values)
    if any(finding.level is FAIL for finding in findings):
        raise typer.Exit(ExitCode.FAULTS)


@store.command()
def dump(
    ctx: typer.Context,
    canonical: Annotated[
        bool,
        typer.Option(
            "--canonical", help="Without times and run ids: equal histories give equal bytes."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write to this file, completely or not at all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print every row, one JSON object per line; with --json, one array."""
    # The rows themselves go to the terminal.
    with open_app(ctx, as_json, on="") as (session, app), _open_snapshot(app) as connection:
        app.require_pack_tables()
        lines = (dump_canonical if canonical else dump_all)(connection, app.records)
        with explain_errors():
            if out is None:
                _write_stdout(_format_array(lines) if session.json else lines)
                return
            count = _LineCounter(lines)
            replace_snapshot(out, count)
    session.say(f"{count.number} rows in {out}.")
    session.print_json({"file": str(out), "rows": count.number})


@store.command()
def reset(
    ctx: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Yes, destroy everything stored.")] = False,
    as_json: AsJson = False,
) -> None:
    """Destroy everything stored: tables, blobs and run folders."""
    session = session_of(ctx, as_json)
    if not yes:
        raise ConfirmationMissing(f"This destroys everything stored in {session.settings.home}.")
    with session.app(migrated=False) as app:
        require_idle(app)
        app.reset()
    session.say(f"The store in {session.settings.home} is empty.")
    session.print_json({"reset": str(session.settings.home)})


def _open_snapshot(app: App) -> sa.Connection:
    """A connection that sees a single point in time, however long reading takes."""
    connection = app.engine.connect()
    with explain_errors():
        if is_sqlite(connection):
            connection.exec_driver_sql("BEGIN")
        else:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
    return connection


def _write_stdout(chunks: Iterable[bytes]) -> None:
    # A file gets the exact bytes; a terminal would obey some of them.
    shown = sys.stdout.isatty()
    for chunk in chunks:
        sys.stdout.buffer.write(escape_controls(chunk.decode()).encode() if shown else chunk)
    sys.stdout.buffer.flush()


def _format_array(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same rows as one JSON array."""
    before = b"[\n"
    for line in lines:
        yield before + line.rstrip(b"\n")
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


class _LineCounter:
    """Counts the lines that pass through it."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines
        self.number = 0

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self.number += 1
            yield line
