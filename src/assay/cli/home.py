"""`assay init` and `assay status`."""

import time
from typing import Annotated, Any

import typer
from rich.live import Live

from assay.app.composition import init_home
from assay.app.status import collect_status as app_status
from assay.cli.rendering import render_status
from assay.cli.session import AsJson, Session, session_of
from assay.store.schema import CORE, Versions, describe_versions

_REFRESH_S = 1.0


def init(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Create the home and its store, or bring the store up to date; safe to repeat."""
    session = session_of(ctx, as_json)
    made = init_home(session.settings)
    with session.app(migrated=False) as app:
        before, after = app.migrate()
    home = str(session.settings.home)
    session.say(f"{'Created the home' if made else 'The home already exists:'} {home}")
    session.say(describe_migration(before, after))
    session.print_json({"home": home, "made": made, **migration_as_json(before, after)})


def describe_migration(before: Versions, after: Versions) -> str:
    """What a migration did, in one line."""
    if before == after:
        return f"The store is up to date (schema {describe_versions(after)})."
    was = f" (was {describe_versions(before)})." if before else "."
    return f"The store now has schema {describe_versions(after)}{was}"


def migration_as_json(before: Versions, after: Versions) -> dict[str, Any]:
    """What a migration did, as JSON."""
    packs = {name: version for name, version in after.items() if name != CORE}
    return {"schema_before": before.get(CORE), "schema": after[CORE], "packs": packs}


def status(
    ctx: typer.Context,
    watch: Annotated[
        bool, typer.Option("--watch", help="Refresh every second until Ctrl-C.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show queues, workers, runs, candidates and the size of the corpus."""
    session = session_of(ctx, as_json)
    if watch and session.json:
        raise typer.BadParameter(
            "works only with text output: --json prints one value", param_hint="--watch"
        )
    with session.app() as app:
        if watch:
            _watch_status(session, lambda: app_status(app))
            return
        found = app_status(app)
    session.show(render_status(found))
    session.print_json(found)


def _watch_status(session: Session, look: Any) -> None:
    if not session.out.is_terminal:
        while True:
            session.show(render_status(look()))
            time.sleep(_REFRESH_S)
    with Live(render_status(look()), console=session.out, auto_refresh=False) as live:
        while True:
            time.sleep(_REFRESH_S)
            live.update(render_status(look()), refresh=True)
