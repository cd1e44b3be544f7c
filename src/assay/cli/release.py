"""`assay release`: publishes approved rules, verifies, exports and rolls back releases."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.app import release_files, release_proofs
from assay.app import releases as app_releases
from assay.app.abbreviations import IdKind, expand_id
from assay.app.release_files import ExportFormat
from assay.cli.exit_codes import ExitCode
from assay.cli.rendering import (
    Columns,
    describe_fault,
    explain_empty,
    pluralize,
    render_fields,
    render_rows,
    report_list,
)
from assay.cli.session import AsJson, Session, open_app, session_of
from assay.cli.signals import catch_signals
from assay.model.rules import Release
from assay.ruling.release.changes import RuleChanges, describe_line
from assay.ruling.release.gates import GateFault
from assay.ruling.release.plan import ReleasePlan
from assay.ruling.release.proof import ReleaseProof
from assay.ruling.release.versions import is_version

_MOST_ALIKE = 5
"""More faults of one kind than these are counted, not listed."""

release = typer.Typer(no_args_is_help=True, help="Publish approved rules, check and export them.")

Pack = Annotated[str | None, typer.Option("--pack", help="The pack, if there are several.")]
Chosen = Annotated[
    str | None, typer.Argument(metavar="[VERSION]", help="Default: the current release.")
]


@release.command()
def create(
    ctx: typer.Context,
    pack: Annotated[
        str | None,
        typer.Option("--pack", help="The pack to release; default: the only one with rules."),
    ] = None,
    by: Annotated[str, typer.Option("--by", help="Who creates the release.")] = "",
    rules: Annotated[
        list[str] | None,
        typer.Option("--rule", help="Only this approved rule; repeatable. Default: all."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be released; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Publish all approved rules as a new version if every gate passes; otherwise change nothing.

    Rules that are supported by only one source, and not an official one, are held back unless they
    are named.
    """
    session = session_of(ctx, as_json)
    with catch_signals(session.say) as stop, session.app() as app:
        pack = app_releases.choose_pack_to_release(app, pack)
        rules = [expand_id(app, rule_id, IdKind.RULE) for rule_id in rules or ()]
        if dry_run:
            with session.working("Checking the rules"):
                plan = app_releases.preview_release(app, pack, by=by, rule_ids=rules)
            _report_plan(session, plan)
            return
        with session.working("Creating the release"):
            made = app_releases.create_release(app, pack, by=by, rule_ids=rules, stop=stop.event)
    if made.stopped:
        session.say(f"Stopped by {stop.name}: 'assay run' finishes run {made.run_id}.")
        raise typer.Exit(stop.exit_code)
    _report_waiting(session, made.plan)
    if made.release is None:
        session.say(
            "Nothing has changed since the current release; no new one was created."
            if made.plan.previous is not None
            else "Nothing to release: no approved rule passed the checks."
        )
    else:
        session.say(f"Released {made.release.pack} {made.release.version}.")
        _report_changes(session, made.release.changes)
        session.say(f"Manifest {made.release.manifest_hash}")
    session.print_json(
        {
            "released": made.release is not None,
            "release": None if made.release is None else made.release.row(),
            "held_back": _faults_as_json(made.plan.waiting),
            "run_id": made.run_id,
        }
    )


@release.command("list")
def list_(ctx: typer.Context, pack: Pack = None, as_json: AsJson = False) -> None:
    """List all releases, newest first."""
    with open_app(ctx, as_json) as (session, app):
        found = [entry.row() for entry in app_releases.list_releases(app, pack)]
    columns: Columns = {
        "release": lambda entry: f"{entry['pack']} {entry['version']}",
        "state": "state",
        "rules": "rule_count",
        "created": "created_ms",
        "by": "released_by",
        "manifest": "manifest_hash",
    }
    empty = explain_empty("releases", pack, advice="Create one with 'assay release create'.")
    report_list(session, found, columns, empty)


@release.command()
def show(
    ctx: typer.Context, version: Chosen = None, pack: Pack = None, as_json: AsJson = False
) -> None:
    """Show one release with its rules."""
    with open_app(ctx, as_json) as (session, app):
        found = app_releases.find_release(app, version, pack)
        manifest = app_releases.load_manifest(app, found)
    session.show(render_fields({k: v for k, v in found.row().items() if k != "changes"}))
    columns: Columns = {
        "concept": "concept",
        "tier": "tier",
        "value": describe_line,
        "authority": "authority",
        "quotes": lambda rule: len(rule["sources"]),
        "approved by": "approved_by",
        "rule": "rule_id",
    }
    session.show(render_rows(manifest.rules, columns))
    if manifest.records:
        session.show(render_rows(manifest.records, {"record": "record", "key": "key"}))
    session.print_json(
        {**found.row(), "rules": list(manifest.rules), "records": list(manifest.records)}
    )


@release.command()
def verify(
    ctx: typer.Context,
    what: Annotated[
        str | None,
        typer.Argument(metavar="[VERSION|FOLDER]", help="Default: the current release."),
    ] = None,
    pack: Pack = None,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep",
            help="Also trace every value to its facts and decisions, and read documents again.",
        ),
    ] = False,
    expect: Annotated[
        str | None,
        typer.Option("--expect", help="The hash the folder's manifest must have."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Recheck a release: hashes, every quote against the stored bytes, approvals, the audit log.

    A folder exported as a bundle is checked on its own, without a store. Exit code 5: the output
    names the faults.
    """
    session = session_of(ctx, as_json)
    if what is not None and (not is_version(what) or Path(what).is_dir()):
        settings = session.settings if deep else None
        with session.working("Checking the release"):
            proof = asyncio.run(
                release_proofs.verify_folder(Path(what), expected=expect, settings=settings)
            )
    else:
        if expect is not None:
            raise typer.BadParameter("works only with a folder", param_hint="--expect")
        with session.working("Checking the release"), session.app() as app:
            found = app_releases.find_release(app, what, pack)
            proof = asyncio.run(release_proofs.verify_stored_release(app, found, deep=deep))
    _report_proof(session, proof)


@release.command()
def rollback(
    ctx: typer.Context,
    version: Annotated[str, typer.Argument(help="Rolled back with all later releases.")],
    by: Annotated[str, typer.Option("--by", help="Who decides.")],
    note: Annotated[str, typer.Option("--note", help="Why; stored in the audit log.")] = "",
    pack: Pack = None,
    as_json: AsJson = False,
) -> None:
    """Roll back a release; rules first published in it wait for a person again."""
    with open_app(ctx, as_json) as (session, app):
        done = app_releases.roll_back_release(app, version, by=by, note=note, pack=pack)
    session.say(
        f"Rolled back {', '.join(done.versions)}; "
        + (f"{done.current} is current again." if done.current else "no release is current.")
    )
    session.say(f"{pluralize(len(done.reopened), 'rule')} wait for a person again.")
    session.print_json(
        {"rolled_back": done.versions, "current": done.current, "reopened": done.reopened}
    )


@release.command()
def export(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    form: Annotated[
        ExportFormat, typer.Option("--format", help="The format.")
    ] = ExportFormat.BUNDLE,
    version: Annotated[
        str | None, typer.Option("--release", help="Default: the current release.")
    ] = None,
    pack: Pack = None,
    as_json: AsJson = False,
) -> None:
    """Write a release into a folder; a bundle has everything needed to verify it elsewhere."""
    with open_app(ctx, as_json, on="Writing the files") as (session, app):
        found = app_releases.find_release(app, version, pack)
        files = release_files.export_release(app, found, form, folder)
    session.say(f"{pluralize(len(files), 'file')} of {found.pack} {found.version} in {folder}.")
    session.print_json(
        {
            "folder": str(folder),
            "format": form.value,
            "version": found.version,
            "manifest_hash": found.manifest_hash,
            "files": [str(file.relative_to(folder)) for file in files],
        }
    )


@release.command()
def changelog(
    ctx: typer.Context, version: Chosen = None, pack: Pack = None, as_json: AsJson = False
) -> None:
    """Show what each release changed, newest first, including those that were rolled back."""
    with open_app(ctx, as_json) as (session, app):
        found = (
            app_releases.find_release(app, version, pack)
            if version is not None
            else _find_newest(app_releases.list_releases(app, pack))
            or app_releases.find_release(app, None, pack)
        )
        text = app_releases.build_release_changelog(app, found, whole=True)
        releases = app_releases.list_releases(app, found.pack)
    session.say(text.rstrip())
    session.print_json(
        [
            {"version": r.version, "state": r.state, "changes": r.changes}
            for r in releases
            if r.number <= found.number
        ]
    )


def _find_newest(found: list[Release]) -> Release | None:
    """The newest release, if all are of one pack."""
    return found[0] if found and len({entry.pack for entry in found}) == 1 else None


def _report_plan(session: Session, plan: ReleasePlan) -> None:
    _report_waiting(session, plan)
    report_faults(session, "fail", plan.faults)
    if plan.faults:
        session.say(f"The release would be refused: {pluralize(len(plan.faults), 'fault')}.")
    elif plan.is_unchanged:
        session.say("The release would not differ from the current one.")
    else:
        session.say(f"The release would be {plan.pack} {plan.version}.")
        _report_changes(session, plan.changes)
    session.print_json(
        {
            "version": None if plan.faults or plan.is_unchanged else plan.version,
            "unchanged": plan.is_unchanged and not plan.faults,
            "faults": _faults_as_json(plan.faults),
            "held_back": _faults_as_json(plan.waiting),
            "changes": plan.changes,
            "manifest_hash": None if plan.faults else plan.manifest_hash,
        }
    )
    if plan.faults:
        raise typer.Exit(ExitCode.INPUT)


def _report_waiting(session: Session, plan: ReleasePlan) -> None:
    report_faults(session, "held back", plan.waiting)


def report_faults(session: Session, word: str, faults: Sequence[GateFault]) -> None:
    """Each of a few by its name; many that are alike as one line with their number."""
    groups: defaultdict[str, list[GateFault]] = defaultdict(list)
    for fault in faults:
        groups[fault.summary].append(fault)
    for summary, alike in groups.items():
        if len(alike) > _MOST_ALIKE:
            session.say(f"{len(alike)} {word}: {summary}; --json names them.")
        else:
            for fault in alike:
                session.say(f"{word}  {fault}.")


def _report_changes(session: Session, changes: RuleChanges) -> None:
    for kind in ("added", "changed", "removed"):
        for entry in changes.get(kind, []):
            session.say(f"{kind:<8} {entry['concept']} ({entry['tier']}): {describe_line(entry)}")
    for entry in changes.get("records", []):
        session.say(f"{entry['change']:<8} {entry['record']} {entry['key']}")


def _faults_as_json(faults: tuple[Any, ...]) -> list[dict[str, str]]:
    names = ("rule_id", "concept", "gate", "what", "advice")
    return [{name: getattr(fault, name) for name in names} for fault in faults]


def _report_proof(session: Session, proof: ReleaseProof) -> None:
    for fault in proof.faults:
        session.say(describe_fault(fault))
    for note in proof.notes:
        session.say(f"note  {note}.")
    if proof.ok:
        session.say(
            f"ok    {proof.pack} {proof.version}: {pluralize(proof.rules, 'rule')}, "
            f"{pluralize(proof.quotes, 'quote')} and "
            f"{pluralize(proof.documents, 'document')} checked, "
            f"manifest {proof.manifest_hash}."
        )
    codes = [fault.code for fault in proof.faults]
    session.print_json({"ok": proof.ok, "pack": proof.pack, **asdict(proof), "codes": codes})
    if not proof.ok:
        raise typer.Exit(ExitCode.FAULTS)
