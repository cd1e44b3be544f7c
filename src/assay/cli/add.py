"""`assay add`: adds files, folders and addresses as documents and runs the whole pipeline."""

from typing import Annotated

import typer

from assay.app import App
from assay.app.intake import AddedDocuments, add_documents
from assay.cli.exit_codes import ExitCode
from assay.cli.rendering import pluralize
from assay.cli.session import AsJson, Session, session_of
from assay.cli.signals import catch_signals
from assay.cli.work import run_worker, see_runs_through
from assay.errors import InvalidInput
from assay.ruling.rules.authority import HIGHEST, LOWEST


def add(
    ctx: typer.Context,
    targets: Annotated[list[str], typer.Argument(help="Files, folders and http addresses.")],
    pack: Annotated[str | None, typer.Option("--pack", help="The pack to add them to.")] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", help="The source they come from; 'files-PACK' by default."),
    ] = None,
    hierarchy: Annotated[
        int,
        typer.Option(min=HIGHEST, max=LOWEST, help="Rank of a new source; 1 is the highest."),
    ] = LOWEST,
    run: Annotated[bool, typer.Option(help="Process them now.")] = True,
    as_json: AsJson = False,
) -> None:
    """Add your own documents: files, folders with everything in them, and addresses.

    A file that has changed since it was added becomes a new version. Exit code 5: some were
    refused.
    """
    session = session_of(ctx, as_json)
    with catch_signals(session.say) as stop, session.app() as app:
        chosen = _choose_pack(app, pack)
        added = add_documents(app, targets, pack=chosen, source=source, hierarchy=hierarchy)
        _report_added(session, added)
        if added.run_id is not None and run:
            with run_worker(app, session) as hand:
                see_runs_through(session, app, hand, stop, [added.run_id], resumed=False)
    session.print_json({"pack": chosen, **added.values()})
    if added.refused:
        raise typer.Exit(ExitCode.FAULTS)
    if stop.signal is not None:
        raise typer.Exit(stop.exit_code)


def _choose_pack(app: App, name: str | None) -> str:
    """The pack named here or in the settings, or the only one that accepts documents."""
    chosen = name or app.settings.pack
    if chosen:
        return chosen
    accepting = [key for key, pack in app.packs.items() if pack.first_stage is not None]
    if len(accepting) == 1:
        return accepting[0]
    raise InvalidInput(
        f"Several packs accept documents: {', '.join(accepting)}.", advice="Choose one with --pack."
    )


def _report_added(session: Session, added: AddedDocuments) -> None:
    for name, error in added.refused.items():
        session.say(f"refused  {name}: {error}")
    session.say(
        f"{pluralize(added.new, 'document')} new, {added.changed} changed, "
        f"{added.unchanged} unchanged, {len(added.refused)} refused."
    )
