"""`assay backup` and `assay restore`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from assay.app.backups import create_backup, require_store, restore_backup
from assay.cli.exit_codes import ExitCode
from assay.cli.home import describe_migration, migration_as_json
from assay.cli.rendering import Columns, pluralize, render_rows
from assay.cli.session import AsJson, session_of
from assay.settings import load_settings
from assay.store.backups import Backup, find_backup_faults, list_backups, open_backup
from assay.store.schema import describe_versions

backup = typer.Typer(no_args_is_help=True, help="Create, list and verify backups.")

ParentFolder = Annotated[Path, typer.Argument(help="A folder of backups, outside the home.")]
BackupFolder = Annotated[
    Path, typer.Argument(help="A backup, or a folder of backups, of which the newest is meant.")
]


@backup.command()
def create(ctx: typer.Context, folder: ParentFolder, as_json: AsJson = False) -> None:
    """Back up the store and its files, while workers continue.

    Files that the backup before it has too take no space again.
    """
    session = session_of(ctx, as_json)
    with session.app(migrated=False) as app:
        require_store(app)
        made = create_backup(app, folder)
    value = backup_as_json(made.backup)
    session.say(f"Backed up {describe_backup(made.backup)}, {made.linked} of them linked.")
    if value["left_out"]:
        session.say(
            f"Not in it, because they are secret or name this database: "
            f"{', '.join(value['left_out'])}."
        )
    session.print_json({**value, "linked": made.linked})


@backup.command("list")
def list_(ctx: typer.Context, folder: ParentFolder, as_json: AsJson = False) -> None:
    """Show the complete backups in a folder, oldest first."""
    session = session_of(ctx, as_json)
    rows = [backup_as_json(each) for each in list_backups(folder)]
    columns: Columns = {
        "backup": lambda row: Path(row["backup"]).name,
        "files": "files",
        "MB": lambda row: f"{row['bytes'] / 1e6:.1f}",
        "database": "database",
        "schema": lambda row: describe_versions(row["versions"]),
        "assay": "program",
    }
    session.show(render_rows(rows, columns) if rows else f"There is no backup in {folder}.")
    session.print_json(rows)


@backup.command()
def verify(ctx: typer.Context, folder: BackupFolder, as_json: AsJson = False) -> None:
    """Compare every file of a backup with its hash. Exit code 5: faults found."""
    session = session_of(ctx, as_json)
    found = open_backup(folder)
    faults = find_backup_faults(found)
    for fault in faults:
        session.say(f"fail  {fault}")
    if not faults:
        session.say(f"ok    {describe_backup(found)}, none altered.")
    session.print_json({**backup_as_json(found), "faults": faults})
    if faults:
        raise typer.Exit(ExitCode.FAULTS)


def restore(ctx: typer.Context, folder: BackupFolder, as_json: AsJson = False) -> None:
    """Restore a backup into a new home, all of it or nothing, and bring the store up to date.

    Name the home with --home; it must not exist or be empty. A backup of Postgres needs an empty
    database in ASSAY_DATABASE_URL.
    """
    session = session_of(ctx, as_json)
    found = open_backup(folder)
    home = session.settings.home
    restore_backup(found, session.settings)
    with session.app(settings=load_settings(home=home), migrated=False) as app:
        before, after = app.migrate()
    session.say(f"Restored {describe_backup(found)} into {home}.")
    session.say(describe_migration(before, after))
    if left_out := found.manifest.left_out:
        session.say(f"Set these again, because no backup has them: {', '.join(left_out)}.")
    session.say(f"Check it with: assay --home {home} store check")
    session.print_json(
        {**backup_as_json(found), "home": str(home), **migration_as_json(before, after)}
    )


def describe_backup(found: Backup) -> str:
    """The backup in a few words."""
    manifest = found.manifest
    return f"{found.folder}: {pluralize(len(manifest.files), 'file')}, {manifest.size / 1e6:.1f} MB"


def backup_as_json(found: Backup) -> dict[str, Any]:
    """A backup as JSON."""
    manifest = found.manifest
    return {
        "backup": str(found.folder),
        "made": manifest.made,
        "program": manifest.program,
        "database": manifest.database,
        "versions": dict(manifest.versions),
        "files": len(manifest.files),
        "bytes": manifest.size,
        "left_out": list(manifest.left_out),
    }
