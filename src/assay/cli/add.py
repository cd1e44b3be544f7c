"""`assay add`: adds files, folders and addresses as documents and runs the whole pipeline."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from assay.app import App
from assay.app.intake import AddedDocuments, add_documents
from assay.app.repositories import add_repository, count_versions, names_repository
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
    path: Annotated[
        list[str] | None,
        typer.Option("--path", help="Git: the files that are documents, such as 'laws/**'."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Git: versions since 2015 or 2015-03-01.")
    ] = None,
    branch: Annotated[str | None, typer.Option("--branch", help="Git: the branch to follow.")] = (
        None
    ),
    mirror: Annotated[
        bool,
        typer.Option("--mirror", help="Git: it copies a publisher, so its dates are late."),
    ] = False,
    accept_rewritten: Annotated[
        bool, typer.Option("--accept-rewritten", help="Git: accept a history that was rewritten.")
    ] = False,
    run: Annotated[bool, typer.Option(help="Process them now.")] = True,
    as_json: AsJson = False,
) -> None:
    """Add your own documents: files, folders, addresses, and git repositories.

    A file that has changed since it was added becomes a new version. A git repository is watched
    with its history: each commit that changed a file is a version of it. Exit code 5: some were
    refused.
    """
    session = session_of(ctx, as_json)
    given = {"path": path, "since": since, "branch": branch, "mirror": mirror}
    options = {name: value for name, value in given.items() if value}
    if options or accept_rewritten or any(names_repository(target) for target in targets):
        _add_repository(
            session, targets, options, pack, source, hierarchy,
            accept_rewritten=accept_rewritten, run=run,
        )  # fmt: skip
        return
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


def _add_repository(
    session: Session,
    targets: Sequence[str],
    options: Mapping[str, Any],
    pack: str | None,
    source: str | None,
    hierarchy: int,
    *,
    accept_rewritten: bool,
    run: bool,
) -> None:
    if len(targets) != 1:
        raise InvalidInput("A git repository is added alone.", advice="Use one command for each.")
    with catch_signals(session.say) as stop, session.app() as app:
        chosen = _choose_pack(app, pack)
        added = add_repository(
            app, targets[0], options, pack=chosen, source=source, hierarchy=hierarchy,
            accept_rewritten=accept_rewritten, begin=run,
        )  # fmt: skip
        session.say(f"Source '{added.source}' watches the repository {added.url}.")
        dead = 0
        if added.run_id is not None:
            with run_worker(app, session) as hand:
                (done,) = see_runs_through(session, app, hand, stop, [added.run_id], resumed=False)
            dead = done["dead"]
        counts = count_versions(app, added.endpoint)
    session.say(
        f"{pluralize(counts['documents'], 'document')}, {counts['versions']} versions, "
        f"{counts['gone']} gone."
    )
    session.print_json({"pack": chosen, **added.values(), **counts, "dead": dead})
    if stop.signal is not None:
        raise typer.Exit(stop.exit_code)
    if dead:
        raise typer.Exit(ExitCode.FAULTS)


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
